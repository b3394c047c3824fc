//! Spaces: made, checked, kept apart, dropped.

use super::super::{ODD_NAMES, everything, is, refused, with};
use super::{Bench, DIM, MODEL, check, points, query, space};
use std::collections::BTreeSet;
use tabletalk_core::seam::VectorStore;
use tabletalk_core::seam::store::Space;

fn spaces_of(store: &dyn VectorStore) -> BTreeSet<Space> {
    let all = store.spaces().unwrap();
    let set: BTreeSet<Space> = all.iter().cloned().collect();
    assert_eq!(set.len(), all.len(), "a space is listed twice: {all:?}");
    set
}

pub(super) fn several_spaces(bench: &Bench<'_>) {
    let store = bench.open();
    let spaces = [
        space("a", "x"),
        space("a", "y"),
        space("b", "x"),
        space("ax", ""),
        space("a_x", "y"),
        space("a", "x_y"),
    ];
    let sets: Vec<_> = (0..spaces.len()).map(|i| points(10 + i, 30 + i as u64)).collect();
    for (space, points) in spaces.iter().zip(&sets) {
        store.prepare(space, DIM, MODEL).unwrap();
        store.put(space, points).unwrap();
    }
    assert_eq!(spaces_of(&*bench.open()), spaces.iter().cloned().collect());
    for (space, points) in spaces.iter().zip(&sets) {
        check(&*store, space, points, &query(30), 50, &everything());
        check(&*store, space, points, &query(31), 50, &with(vec![is("type", &["csv"])]));
    }
    store.remove(&spaces[0], &[1, 2]).unwrap();
    store.remove_documents(&spaces[1], &[1]).unwrap();
    store.drop_space(&spaces[2]).unwrap();
    let left: Vec<u64> = spaces.iter().map(|s| store.count(s).unwrap()).collect();
    assert_eq!(left, [8, 8, 0, 13, 14, 15]);
    assert_eq!(spaces_of(&*store).len(), 5);
}

pub(super) fn odd_names(bench: &Bench<'_>) {
    let store = bench.open();
    let long = "long name ".repeat(15);
    let mut spaces: Vec<Space> = ODD_NAMES.iter().map(|name| space("e", name)).collect();
    spaces.extend(ODD_NAMES.iter().step_by(2).map(|name| space(name, "g")));
    spaces.push(space(&long, "g"));
    spaces.push(space("e", &long));
    for (i, space) in spaces.iter().enumerate() {
        store.prepare(space, 4, MODEL).unwrap();
        let mut vector = vec![0.0; 4];
        vector[i % 4] = 1.0;
        store.put(space, &[super::point(1 + i as u64, 1, &[], vector)]).unwrap();
    }
    let other = bench.open();
    assert_eq!(spaces_of(&*other), spaces.iter().cloned().collect());
    for (i, space) in spaces.iter().enumerate() {
        let found = other.search(space, &[0.5; 4], 10, &everything()).unwrap().unwrap();
        assert_eq!(found.iter().map(|n| n.key).collect::<Vec<_>>(), [1 + i as u64], "{space:?}");
        other.prepare(space, 4, MODEL).unwrap();
    }
    for space in &spaces {
        store.drop_space(space).unwrap();
    }
    assert!(spaces_of(&*store).is_empty());
}

pub(super) fn prepared_twice(bench: &Bench<'_>) {
    let points = points(10, 32);
    let (store, space) = bench.filled(&points);
    store.prepare(&space, DIM, MODEL).unwrap();
    bench.open().prepare(&space, DIM, MODEL).unwrap();
    assert_eq!(spaces_of(&*store).len(), 1);
    check(&*store, &space, &points, &query(32), 20, &everything());
}

pub(super) fn prepared_by_several_at_once(bench: &Bench<'_>) {
    let space = space("e", "at once");
    let points = points(40, 33);
    let stores: Vec<_> = (0..4).map(|_| bench.open()).collect();
    std::thread::scope(|scope| {
        let (space, points) = (&space, &points);
        for (i, store) in stores.iter().enumerate() {
            scope.spawn(move || {
                store.prepare(space, DIM, MODEL).unwrap();
                store.put(space, &points[i * 10..i * 10 + 10]).unwrap();
            });
        }
    });
    assert_eq!(spaces_of(&*stores[0]).len(), 1);
    for store in &stores {
        check(&**store, &space, &points, &query(33), 50, &everything());
    }
}

pub(super) fn several_spaces_made_at_once(bench: &Bench<'_>) {
    let stores: Vec<_> = (0..4).map(|_| bench.open()).collect();
    let spaces: Vec<Space> = (0..8).map(|i| space("e", &format!("group {i}"))).collect();
    let points = points(5, 31);
    std::thread::scope(|scope| {
        for (i, store) in stores.iter().enumerate() {
            let (spaces, points) = (&spaces, &points);
            scope.spawn(move || {
                for space in &spaces[i * 2..i * 2 + 2] {
                    store.prepare(space, DIM, MODEL).unwrap();
                    store.put(space, points).unwrap();
                }
            });
        }
    });
    assert_eq!(spaces_of(&*bench.open()), spaces.iter().cloned().collect());
    for space in &spaces {
        check(&*stores[0], space, &points, &query(31), 10, &everything());
    }
}

pub(super) fn another_dimension(bench: &Bench<'_>) {
    let points = points(10, 34);
    let (store, space) = bench.filled(&points);
    refused(store.prepare(&space, 24, MODEL), &["16", "24"]);
    refused(bench.open().prepare(&space, 24, MODEL), &["16", "24"]);
    check(&*store, &space, &points, &query(34), 20, &everything());
}

pub(super) fn another_model(bench: &Bench<'_>) {
    let points = points(10, 35);
    let (store, space) = bench.filled(&points);
    refused(store.prepare(&space, DIM, "other-model 2"), &[MODEL, "other-model 2"]);
    refused(bench.open().prepare(&space, DIM, "other-model 2"), &[MODEL, "other-model 2"]);
    check(&*store, &space, &points, &query(35), 20, &everything());
    // Another space may have another one.
    let other = super::space("e2", "g");
    store.prepare(&other, 8, "other-model 2").unwrap();
    assert_eq!(store.count(&other).unwrap(), 0);
}

pub(super) fn dropped_and_made_again(bench: &Bench<'_>) {
    let (store, space) = bench.filled(&points(10, 36));
    store.drop_space(&space).unwrap();
    assert!(spaces_of(&*store).is_empty());
    assert!(store.search(&space, &query(36), 5, &everything()).unwrap().is_none());
    store.drop_space(&space).unwrap();
    store.prepare(&space, 4, "other").unwrap();
    assert_eq!(store.count(&space).unwrap(), 0);
    store.put(&space, &[super::point(5, 5, &[], vec![1.0, 0.0, 0.0, 0.0])]).unwrap();
    let found = bench.open().search(&space, &[1.0, 0.0, 0.0, 0.0], 5, &everything()).unwrap().unwrap();
    assert_eq!(found.len(), 1);
}

pub(super) fn not_there(bench: &Bench<'_>) {
    let (store, space) = (bench.open(), space("no", "where"));
    assert!(store.spaces().unwrap().is_empty());
    assert!(store.search(&space, &query(37), 5, &everything()).unwrap().is_none());
    assert!(store.search(&space, &query(37), 5, &with(vec![is("a", &["b"])])).unwrap().is_none());
    assert_eq!(store.count(&space).unwrap(), 0);
    assert!(store.keys(&space, None, 5).unwrap().is_empty());
    assert!(store.vectors(&space, &[1]).unwrap().is_empty());
    store.remove(&space, &[1]).unwrap();
    store.remove_documents(&space, &[1]).unwrap();
    store.drop_space(&space).unwrap();
    assert!(store.spaces().unwrap().is_empty());
}

pub(super) fn empty_space(bench: &Bench<'_>) {
    let (store, space) = bench.filled(&[]);
    let found = store.search(&space, &query(38), 5, &everything()).unwrap();
    assert_eq!(found, Some(Vec::new()));
    let found = store.search(&space, &query(38), 5, &with(vec![is("a", &["b"])])).unwrap();
    assert_eq!(found, Some(Vec::new()));
    assert_eq!(store.count(&space).unwrap(), 0);
    assert!(store.keys(&space, None, 5).unwrap().is_empty());
}

pub(super) fn other_prefixes(bench: &Bench<'_>) {
    let points = points(10, 39);
    let (store, space) = bench.filled(&points);
    for more in ["2", "_e", "_x"] {
        let neighbour = bench.neighbour(more);
        assert!(spaces_of(&*neighbour).is_empty(), "a prefix that begins like another sees its spaces");
        neighbour.prepare(&space, 4, "other").unwrap();
        assert_eq!(neighbour.count(&space).unwrap(), 0);
        assert_eq!(spaces_of(&*store), BTreeSet::from([space.clone()]));
        neighbour.drop_space(&space).unwrap();
    }
    check(&*store, &space, &points, &query(39), 20, &everything());
}
