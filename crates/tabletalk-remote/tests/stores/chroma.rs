//! The store in Chroma does what stores must do. `TABLETALK_CHROMA` says where a server is. With
//! `TABLETALK_CHROMA_SERVER`, the script that starts it, it is also ended and started again (under `PORT`).

use crate::live;
use crate::suite;
use tabletalk_remote::{Chroma, Metric, Settings};

fn open(settings: &Settings) -> Box<dyn tabletalk_core::seam::VectorStore> {
    Box::new(Chroma::open(settings).unwrap())
}

#[test]
fn vectors() {
    let Some(settings) = live::settings("chroma") else { return };
    suite::vector::run(&|prefix| open(&Settings { prefix: prefix.into(), ..settings.clone() }));
}

#[test]
fn vectors_by_inner_product() {
    let Some(mut settings) = live::settings("chroma") else { return };
    settings.index.metric = Metric::Dot;
    settings.index.exact = true;
    settings.client.connections = 1;
    settings.client.batch = 7;
    live::few(&*open(&settings), &settings);
}

#[test]
fn vectors_that_have_become_many() {
    let Some(mut settings) = live::settings("chroma") else { return };
    settings.index.flat_limit = 10;
    settings.index.ef = 5;
    live::few(&*open(&settings), &settings);
}

#[test]
fn a_server_that_is_not_there() {
    live::down(&open);
}

#[test]
fn other_settings_are_refused() {
    let Some(settings) = live::settings("chroma") else { return };
    live::another_metric(&open, &settings);
}

#[test]
fn long_texts_are_compared() {
    let Some(settings) = live::settings("chroma") else { return };
    live::long_texts(&*open(&settings));
}

#[test]
fn a_server_that_starts_again() {
    live::restarted(&open, "chroma");
}
