//! The stores in memory do what stores must do.

use crate::suite;
use std::collections::HashMap;
use std::sync::Mutex;
use tabletalk_remote::memory::{Segments, Vectors};

/// Gives the same store for the same prefix, as an engine would.
fn shared<S: Clone + Default>(stores: &Mutex<HashMap<String, S>>, prefix: &str) -> S {
    stores.lock().unwrap().entry(prefix.to_owned()).or_default().clone()
}

#[test]
fn vectors() {
    let stores = Mutex::new(HashMap::<String, Vectors>::new());
    suite::vector::run(&|prefix| Box::new(shared(&stores, prefix)));
}

#[test]
fn segments() {
    let stores = Mutex::new(HashMap::<String, Segments>::new());
    suite::segment::run(&|prefix| Box::new(shared(&stores, prefix)), suite::Scores::exact());
}
