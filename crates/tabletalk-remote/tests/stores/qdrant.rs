//! The store in Qdrant does what stores must do. `TABLETALK_QDRANT` says where a server is. With
//! `TABLETALK_QDRANT_SERVER`, the script that starts it, it is also ended and started again (under `PORT`).

use crate::live;
use crate::suite;
use tabletalk_remote::{Metric, Qdrant, Settings};

fn open(settings: &Settings) -> Box<dyn tabletalk_core::seam::VectorStore> {
    Box::new(Qdrant::open(settings).unwrap())
}

#[test]
fn vectors() {
    let Some(settings) = live::settings("qdrant") else { return };
    suite::vector::run(&|prefix| open(&Settings { prefix: prefix.into(), ..settings.clone() }));
}

#[test]
fn vectors_by_inner_product() {
    let Some(mut settings) = live::settings("qdrant") else { return };
    settings.index.metric = Metric::Dot;
    settings.index.exact = true;
    settings.client.connections = 1;
    settings.client.batch = 7;
    live::few(&*open(&settings), &settings);
}

#[test]
fn a_server_that_is_not_there() {
    live::down(&open);
}

#[test]
fn other_settings_are_refused() {
    let Some(settings) = live::settings("qdrant") else { return };
    live::another_metric(&open, &settings);
}

#[test]
fn long_texts_are_compared() {
    let Some(settings) = live::settings("qdrant") else { return };
    live::long_texts(&*open(&settings));
}

#[test]
fn a_server_that_starts_again() {
    live::restarted(&open, "qdrant");
}
