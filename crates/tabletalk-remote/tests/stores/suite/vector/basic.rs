//! Points in and out.

use super::super::everything;
use super::super::random::Random;
use super::{Bench, DIM, MODEL, check, keys_of, point, points, query, space};
use std::collections::BTreeSet;
use tabletalk_core::seam::store::{Allow, Test};

pub(super) fn finds_what_was_put(bench: &Bench<'_>) {
    let points = points(30, 1);
    let (store, space) = bench.filled(&points);
    for point in &points {
        let found = store.search(&space, &point.vector, 1, &everything()).unwrap().unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].key, point.key);
        assert!((found[0].score - 1.0).abs() < 1e-3, "its own cosine is {}", found[0].score);
    }
    let other = bench.open();
    check(&*other, &space, &points, &query(1), 5, &everything());
}

pub(super) fn cosines_are_right(bench: &Bench<'_>) {
    let mut points = points(60, 2);
    // The same, the opposite, and at a right angle.
    let (mut east, mut north) = (vec![0.0; DIM], vec![0.0; DIM]);
    (east[0], north[1]) = (1.0, 1.0);
    let west: Vec<f32> = east.iter().map(|x| -x).collect();
    points.push(point(100, 100, &[], east.clone()));
    points.push(point(101, 101, &[], west));
    points.push(point(102, 102, &[], north));
    let (store, space) = bench.filled(&points);
    check(&*store, &space, &points, &east, 63, &everything());
    for seed in 0..10 {
        check(&*store, &space, &points, &query(seed), 63, &everything());
        check(&*store, &space, &points, &query(seed), 7, &everything());
    }
}

pub(super) fn k_beyond_what_there_is(bench: &Bench<'_>) {
    let points = points(20, 3);
    let (store, space) = bench.filled(&points);
    for k in [20, 21, 1000, 20_000] {
        check(&*store, &space, &points, &query(3), k, &everything());
    }
}

pub(super) fn replaces_by_key(bench: &Bench<'_>) {
    let mut points = points(30, 4);
    let (store, space) = bench.filled(&points);
    let mut random = Random::new(44);
    for i in [0, 7, 29] {
        points[i] = point(points[i].key, 900 + i as i64, &[("type", "new")], random.direction(DIM));
    }
    let changed: Vec<_> = [0, 7, 29].map(|i: usize| points[i].clone()).to_vec();
    store.put(&space, &changed).unwrap();
    assert_eq!(store.count(&space).unwrap(), 30);
    check(&*store, &space, &points, &query(4), 30, &everything());
    let only = Allow { documents: Some(vec![900, 907, 929]), ..Allow::default() };
    check(&*store, &space, &points, &query(4), 30, &only);
    let documents: Vec<i64> = store.keys(&space, None, 100).unwrap().into_iter().map(|(_, d)| d).collect();
    assert_eq!(documents, points.iter().map(|p| p.document).collect::<Vec<_>>());
}

pub(super) fn the_last_of_two_with_one_key_stays(bench: &Bench<'_>) {
    let mut points = points(6, 5);
    points[4].key = 2;
    points[5].key = 2;
    let (store, space) = bench.filled(&points);
    assert_eq!(store.count(&space).unwrap(), 4);
    let left = [&points[0], &points[5], &points[2], &points[3]].map(Clone::clone);
    check(&*store, &space, &left, &query(5), 10, &everything());
}

pub(super) fn removes_by_key(bench: &Bench<'_>) {
    let points = points(30, 6);
    let (store, space) = bench.filled(&points);
    store.remove(&space, &[1, 15, 30, 4711]).unwrap();
    let left: Vec<_> = points.into_iter().filter(|p| ![1, 15, 30].contains(&p.key)).collect();
    check(&*store, &space, &left, &query(6), 30, &everything());
    assert_eq!(store.count(&space).unwrap(), 27);
    let gone = store.vectors(&space, &[1, 2, 15]).unwrap();
    assert_eq!(gone.iter().map(|(key, _)| *key).collect::<Vec<_>>(), [2]);
}

pub(super) fn removes_by_document(bench: &Bench<'_>) {
    let points = points(30, 7);
    let (store, space) = bench.filled(&points);
    store.remove_documents(&space, &[2, 10, 4711]).unwrap();
    let left: Vec<_> = points.into_iter().filter(|p| ![2, 10].contains(&p.document)).collect();
    assert_eq!(left.len(), 24);
    check(&*store, &space, &left, &query(7), 30, &everything());
    assert_eq!(store.count(&space).unwrap(), 24);
}

pub(super) fn puts_and_removes_twice_as_once(bench: &Bench<'_>) {
    let points = points(12, 8);
    let (store, space) = bench.filled(&points);
    store.put(&space, &points).unwrap();
    assert_eq!(store.count(&space).unwrap(), 12);
    for _ in 0..2 {
        store.remove(&space, &[3]).unwrap();
        store.remove_documents(&space, &[4]).unwrap();
    }
    assert_eq!(store.count(&space).unwrap(), 8);
    store.put(&space, &points).unwrap();
    check(&*store, &space, &points, &query(8), 20, &everything());
}

pub(super) fn empty_lists(bench: &Bench<'_>) {
    let points = points(6, 9);
    let (store, space) = bench.filled(&points);
    store.put(&space, &[]).unwrap();
    store.remove(&space, &[]).unwrap();
    store.remove_documents(&space, &[]).unwrap();
    assert!(store.vectors(&space, &[]).unwrap().is_empty());
    assert!(store.keys(&space, None, 0).unwrap().is_empty());
    assert_eq!(store.count(&space).unwrap(), 6);
    let nobody = super::super::among(Vec::new());
    check(&*store, &space, &points, &query(9), 5, &nobody);
    let nothing = super::super::with(vec![super::super::is("type", &[])]);
    assert!(matches!(&nothing.filters[0].test, Test::Is(v) if v.is_empty()));
    check(&*store, &space, &points, &query(9), 5, &nothing);
    check(&*store, &space, &points, &query(9), 0, &everything());
}

pub(super) fn gives_vectors_back(bench: &Bench<'_>) {
    let points = points(300, 10);
    let (store, space) = bench.filled(&points);
    let keys: Vec<u64> = (1..=300).step_by(2).chain([4711]).collect();
    let found = store.vectors(&space, &keys).unwrap();
    assert_eq!(found.len(), 150);
    assert_eq!(found.iter().map(|(key, _)| key).collect::<BTreeSet<_>>().len(), 150);
    for (key, vector) in found {
        let own = &points[key as usize - 1].vector;
        assert!(key % 2 == 1 && vector.len() == DIM);
        assert!(own.iter().zip(&vector).all(|(a, b)| (a - b).abs() < 1e-3), "{key}: {vector:?}");
    }
}

pub(super) fn large_keys(bench: &Bench<'_>) {
    let keys = [0, 1, u64::from(u32::MAX), 1 << 53, (1 << 53) + 1, i64::MAX as u64 - 1, i64::MAX as u64];
    let mut random = Random::new(11);
    let make = |key: u64| point(key, i64::try_from(key).unwrap().max(1), &[], random.direction(DIM));
    let points: Vec<_> = keys.into_iter().map(make).collect();
    let (store, space) = bench.filled(&points);
    check(&*store, &space, &points, &query(11), 10, &everything());
    let all: Vec<(u64, i64)> = points.iter().map(|p| (p.key, p.document)).collect();
    assert_eq!(store.keys(&space, None, 10).unwrap(), all);
    assert_eq!(store.keys(&space, Some(1 << 53), 10).unwrap(), all[4..]);
    let one = super::super::among(vec![(1 << 53) + 1]);
    let found = store.search(&space, &query(11), 10, &one).unwrap().unwrap();
    assert_eq!(keys_of(&found), BTreeSet::from([(1 << 53) + 1]));
    store.remove(&space, &[i64::MAX as u64]).unwrap();
    store.remove_documents(&space, &[1 << 53]).unwrap();
    let left: Vec<u64> = store.keys(&space, None, 10).unwrap().into_iter().map(|(key, _)| key).collect();
    assert_eq!(left, [keys[0], keys[1], keys[2], keys[4], keys[5]]);
}

pub(super) fn another_length_is_refused(bench: &Bench<'_>) {
    let points = points(6, 12);
    let (store, space) = bench.filled(&points);
    let short = point(100, 100, &[], vec![1.0; 3]);
    assert!(store.put(&space, &[short]).is_err(), "a vector of another length is taken");
    assert!(
        store.search(&space, &[1.0; 3], 3, &everything()).is_err(),
        "a query of another length is answered"
    );
    check(&*store, &space, &points, &query(12), 10, &everything());
}

pub(super) fn counts(bench: &Bench<'_>) {
    let (store, space) = (bench.open(), space("e", "g"));
    store.prepare(&space, DIM, MODEL).unwrap();
    assert_eq!(store.count(&space).unwrap(), 0);
    store.put(&space, &points(25, 13)).unwrap();
    assert_eq!(store.count(&space).unwrap(), 25);
    assert_eq!(bench.open().count(&space).unwrap(), 25);
}

pub(super) fn says_its_name(bench: &Bench<'_>) {
    assert!(!bench.open().name().is_empty());
}
