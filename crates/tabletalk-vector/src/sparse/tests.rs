//! The index against comparing everything.

use super::*;
use crate::must_rebuild;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use tempfile::TempDir;

type Terms = Vec<(u32, f32)>;

/// Lists of a few of a hundred terms, the same every time.
fn lists(count: usize, seed: u64) -> Vec<Terms> {
    let mut state = seed;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    (0..count)
        .map(|_| (0..1 + next(12)).map(|_| (next(100) as u32, next(100) as f32 / 10.0)).collect())
        .collect()
}

fn dot(a: &Terms, b: &Terms) -> Option<f32> {
    let products: Vec<f32> =
        a.iter().flat_map(|x| b.iter().filter(|y| x.0 == y.0).map(|y| x.1 * y.1)).collect();
    (!products.is_empty()).then(|| products.iter().sum())
}

fn nearest(all: &BTreeMap<u64, Terms>, query: &Terms, k: usize, pass: impl Fn(u64) -> bool) -> Vec<f32> {
    let mut scores: Vec<f32> =
        all.iter().filter(|(id, _)| pass(**id)).filter_map(|(_, list)| dot(list, query)).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    scores.truncate(k);
    scores
}

fn check(index: &Sparse, all: &BTreeMap<u64, Terms>, pass: impl Fn(u64) -> bool + Sync) {
    for query in lists(10, 99) {
        let found = index.search(&query, 10, Some(&pass)).unwrap();
        let want = nearest(all, &query, 10, &pass);
        assert_eq!(found.len(), want.len());
        for (one, want) in found.iter().zip(want) {
            assert!(pass(one.id));
            assert!((one.score - want).abs() < 1e-2, "{} and {want}", one.score);
            assert!((dot(&all[&one.id], &query).unwrap() - one.score).abs() < 1e-2);
        }
        let ids: Vec<u64> = all.keys().copied().chain([u64::MAX]).collect();
        let scores = index.score(&query, &ids).unwrap();
        assert_eq!(scores.last(), Some(&None), "what it does not hold has no score");
        for (id, score) in ids.iter().zip(scores).take(all.len()) {
            let want = dot(&all[id], &query).unwrap_or(0.0);
            assert!((score.unwrap() - want).abs() < 1e-2, "{id}");
        }
    }
}

fn filled(dir: &TempDir, count: usize) -> (Sparse, BTreeMap<u64, Terms>) {
    let mut index = Sparse::open(dir.path()).unwrap();
    let all: BTreeMap<u64, Terms> = (0..).zip(lists(count, 1)).collect();
    index.add(all.iter().map(|(id, list)| (*id, list.as_slice()))).unwrap();
    (index, all)
}

#[test]
fn finds_what_comparing_everything_finds() {
    let dir = TempDir::new().unwrap();
    let (mut index, all) = filled(&dir, 3000);
    check(&index, &all, |_| true);
    index.commit(1).unwrap();
    assert!(index.postings.is_some());
    check(&index, &all, |_| true);
    check(&index, &all, |id| id % 7 == 0);
    check(&index, &all, |id| id == 2500);
    check(&Sparse::open(dir.path()).unwrap(), &all, |_| true);
}

#[test]
fn rows_beyond_the_postings_are_found() {
    let dir = TempDir::new().unwrap();
    let (mut index, mut all) = filled(&dir, 2000);
    index.commit(1).unwrap();
    let more: BTreeMap<u64, Terms> = (5000..).zip(lists(100, 2)).collect();
    index.add(more.iter().map(|(id, list)| (*id, list.as_slice()))).unwrap();
    all.extend(more);
    index.commit(2).unwrap();
    assert_eq!(index.meta.covered(), 2000);
    check(&Sparse::open(dir.path()).unwrap(), &all, |_| true);
}

#[test]
fn a_compacted_index_finds_the_same() {
    let dir = TempDir::new().unwrap();
    let (mut index, mut all) = filled(&dir, 3000);
    index.commit(1).unwrap();
    index.remove(&(0..1600).collect::<Vec<u64>>()).unwrap();
    all.retain(|id, _| *id >= 1600);
    check(&index, &all, |_| true);
    index.commit(2).unwrap();
    assert_eq!(index.ids.all().len(), 1400);
    check(&Sparse::open(dir.path()).unwrap(), &all, |_| true);
}

#[test]
fn what_was_not_committed_is_not_seen() {
    let dir = TempDir::new().unwrap();
    let (mut index, all) = filled(&dir, 50);
    index.commit(4).unwrap();
    index.add([(77, [(1, 1.0)].as_slice())]).unwrap();
    drop(index);
    let mut index = Sparse::open(dir.path()).unwrap();
    assert_eq!((index.len(), index.generation(), index.contains(77)), (50, 4, false));
    index.add([(78, [(1000, 2.0)].as_slice())]).unwrap();
    index.commit(5).unwrap();
    let index = Sparse::open(dir.path()).unwrap();
    assert_eq!(index.search(&[(1000, 3.0)], 5, None).unwrap(), [Found { id: 78, score: 6.0 }]);
    check(&index, &all, |id| id < 50);
}

#[test]
fn damaged_files_are_errors() {
    let dir = TempDir::new().unwrap();
    let (mut index, _) = filled(&dir, 1500);
    index.remove(&[3]).unwrap();
    index.commit(1).unwrap();
    for file in fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().path()) {
        let bytes = fs::read(&file).unwrap();
        for damaged in [&bytes[..bytes.len() - 9], b"", b"?"] {
            fs::write(&file, damaged).unwrap();
            let error = Sparse::open(dir.path()).unwrap_err();
            assert!(must_rebuild(&error), "{}: {error}", file.display());
        }
        fs::write(&file, bytes).unwrap();
    }
}

#[test]
fn terms_that_repeat_add_up_and_weights_must_be_finite() {
    let dir = TempDir::new().unwrap();
    let mut index = Sparse::open(dir.path()).unwrap();
    index.add([(1, [(5, 1.0), (2, 1.0), (5, 2.0)].as_slice()), (2, [].as_slice())]).unwrap();
    assert_eq!(index.search(&[(5, 1.0), (5, 1.0)], 5, None).unwrap(), [Found { id: 1, score: 6.0 }]);
    assert!(index.add([(3, [(1, f32::NAN)].as_slice())]).is_err());
    assert!(index.search(&[(5, f32::INFINITY)], 5, None).is_err());
    assert_eq!(index.len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_order_of_changes_leaves_what_a_map_would(
        steps in prop::collection::vec((prop::collection::vec(0u64..30, 0..20), 0u8..4), 1..20)
    ) {
        let dir = TempDir::new().unwrap();
        let mut index = Sparse::open(dir.path()).unwrap();
        let (mut all, mut committed) = (BTreeMap::new(), BTreeMap::new());
        for (at, (ids, step)) in steps.into_iter().enumerate() {
            match step {
                0 | 1 => {
                    let new: Vec<(u64, Terms)> = ids.into_iter().zip(lists(20, at as u64)).collect();
                    index.add(new.iter().map(|(id, list)| (*id, list.as_slice()))).unwrap();
                    all.extend(new);
                }
                2 => {
                    index.remove(&ids).unwrap();
                    all.retain(|id, _| !ids.contains(id));
                    index.commit(at as u64).unwrap();
                    committed = all.clone();
                }
                _ => {
                    index = Sparse::open(dir.path()).unwrap();
                    all = committed.clone();
                }
            }
            prop_assert_eq!(index.len(), all.len());
            check(&index, &all, |_| true);
        }
    }
}
