//! Many points, many writers.

use super::super::{everything, from, is, to, with};
use super::{Bench, Random, brute, check, keys_of, point, points, query};
use std::sync::atomic::{AtomicBool, Ordering};
use tabletalk_core::seam::VectorStore;
use tabletalk_core::seam::store::{Allow, Point, Space};

/// Says that a writer is done, also when it failed.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// How many points.
const MANY: usize = 10_000;
/// Their length.
const LONG: usize = 48;

/// Points around 200 centres, four to a document: as texts about 200 things would be.
fn clouds() -> Vec<Point> {
    let mut random = Random::new(40);
    let centres: Vec<_> = (0..200).map(|_| random.direction(LONG)).collect();
    let one = |i: usize| {
        let document = 1 + i as i64 / 4;
        let (shelf, share) = ((document % 50).to_string(), (document % 1000).to_string());
        let vector = random.near(&centres[i * 7 % 200], 0.8);
        point(1 + i as u64, document, &[("shelf", &shelf), ("share", &share)], vector)
    };
    (0..MANY).map(one).collect()
}

/// The share of the true nearest ten that are found, over some questions.
fn recall(store: &dyn VectorStore, space: &Space, points: &[Point], allow: &Allow) -> f32 {
    let mut random = Random::new(41);
    let (mut hits, mut all) = (0, 0);
    for i in 0..30 {
        let query = random.near(&points[i * 331 % MANY].vector, 0.5);
        let found = store.search(space, &query, 10, allow).unwrap().unwrap();
        let mut want = brute::nearest(points, &query, allow);
        let score = |key: u64| want.iter().find(|n| n.key == key).map(|n| n.score);
        for near in &found {
            let score = score(near.key).expect("only what is allowed is found");
            assert!((score - near.score).abs() < 1e-3, "{} is not the cosine {score}", near.score);
        }
        assert!(found.windows(2).all(|w| w[0].score >= w[1].score - 1e-6), "not the best first");
        want.truncate(10);
        assert_eq!(found.len(), want.len(), "there are more that may be found: {:?}", allow.filters);
        hits += keys_of(&found).intersection(&keys_of(&want)).count();
        all += want.len();
    }
    hits as f32 / all as f32
}

pub(super) fn ten_thousand_points(bench: &Bench<'_>) {
    let points = clouds();
    let (store, space) = bench.filled(&points);
    assert_eq!(store.count(&space).unwrap(), MANY as u64);
    let recall = recall(&*store, &space, &points, &everything());
    assert!(recall >= 0.95, "the recall at 10 is {recall}");
    let found = store.search(&space, &points[5].vector, 500, &everything()).unwrap().unwrap();
    assert_eq!(found.len(), 500);
    assert_eq!(found[0].key, points[5].key);
}

pub(super) fn recall_under_filters(bench: &Bench<'_>) {
    let points = clouds();
    let (store, space) = bench.filled(&points);
    let few = Allow { filters: Vec::new(), documents: Some((0..40).map(|i| 1 + i * 61).collect()) };
    let sets = [
        ("a fiftieth", with(vec![is("shelf", &["7"])])),
        ("a tenth", with(vec![from("share", "100"), to("share", "199")])),
        ("half", with(vec![to("share", "499")])),
        ("eight", with(vec![is("share", &["77"])])),
        ("forty documents", few),
    ];
    for (name, allow) in sets {
        let recall = recall(&*store, &space, &points, &allow);
        assert!(recall >= 0.95, "the recall at 10 among {name} is {recall}");
    }
}

pub(super) fn keys_in_pages(bench: &Bench<'_>) {
    let mut points = points(500, 42);
    for (i, point) in points.iter_mut().enumerate() {
        // Not in the order in which they are put, and with gaps.
        point.key = 10 + ((i as u64 * 37) % 500) * 3;
    }
    let (store, space) = bench.filled(&points);
    let mut want: Vec<(u64, i64)> = points.iter().map(|p| (p.key, p.document)).collect();
    want.sort_unstable();
    for limit in [7, 100, 499, 500, 501, 5000] {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let page = store.keys(&space, after, limit).unwrap();
            assert!(page.len() <= limit, "more than the limit");
            let Some((last, _)) = page.last() else { break };
            after = Some(*last);
            all.extend(page);
        }
        assert_eq!(all, want, "in pages of {limit}");
    }
    assert_eq!(store.keys(&space, Some(11), 2).unwrap(), want[1..3]);
    assert_eq!(store.keys(&space, Some(13), 1).unwrap(), want[2..3]);
}

pub(super) fn several_writers(bench: &Bench<'_>) {
    let points = points(2000, 43);
    let (store, space) = bench.filled(&[]);
    let stores: Vec<_> = (0..4).map(|_| bench.open()).collect();
    std::thread::scope(|scope| {
        for (i, own) in stores.iter().enumerate() {
            let (points, space) = (&points, &space);
            scope.spawn(move || {
                let mine: Vec<Point> = points.iter().skip(i).step_by(4).cloned().collect();
                for batch in mine.chunks(125) {
                    own.put(space, batch).unwrap();
                }
                // What all of them write, and what each takes away again.
                own.put(space, &points[..40]).unwrap();
                own.remove(space, &[mine[100].key]).unwrap();
            });
        }
    });
    let left: Vec<Point> =
        points.into_iter().enumerate().filter(|(i, _)| i / 4 != 100).map(|(_, p)| p).collect();
    assert_eq!(store.count(&space).unwrap(), 1996);
    assert_eq!(store.keys(&space, None, 5000).unwrap().len(), 1996);
    let mut hits = 0;
    for seed in 0..20 {
        let found = store.search(&space, &query(seed), 10, &everything()).unwrap().unwrap();
        let mut want = brute::nearest(&left, &query(seed), &everything());
        want.truncate(10);
        hits += keys_of(&found).intersection(&keys_of(&want)).count();
    }
    assert!(hits >= 190, "{hits} of 200 are found");
}

pub(super) fn reads_while_writing(bench: &Bench<'_>) {
    let points = points(600, 44);
    let (writer, space) = bench.filled(&points[..100]);
    let (reader, done) = (bench.open(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _end = End(&done);
            for (i, batch) in points[100..].chunks(50).enumerate() {
                writer.put(&space, batch).unwrap();
                // What was put is seen at once.
                let own = &batch[i % 50];
                let found = writer.search(&space, &own.vector, 1, &everything()).unwrap().unwrap();
                assert_eq!(found.first().map(|n| n.key), Some(own.key), "it was put, and is not found");
            }
        });
        while !done.load(Ordering::Acquire) {
            let found = reader.search(&space, &query(44), 20, &everything()).unwrap().unwrap();
            assert_eq!(keys_of(&found).len(), 20, "something is found twice, or less than there is");
        }
    });
    check(&*reader, &space, &points, &query(45), 5, &everything());
}

pub(super) fn many_removals(bench: &Bench<'_>) {
    let points = points(1500, 46);
    let (store, space) = bench.filled(&points);
    let keys: Vec<u64> = points.iter().map(|p| p.key).filter(|key| key % 3 == 1).collect();
    store.remove(&space, &keys).unwrap();
    store.remove_documents(&space, &(251..=100_000).collect::<Vec<i64>>()).unwrap();
    let left: Vec<Point> = points.into_iter().filter(|p| p.key % 3 != 1 && p.document <= 250).collect();
    assert_eq!(store.count(&space).unwrap(), left.len() as u64);
    check(&*store, &space, &left, &query(46), 20, &everything());
}

pub(super) fn long_vectors(bench: &Bench<'_>) {
    // More than engines take in one request.
    let mut random = Random::new(47);
    let make = |i: u64| point(1 + i, 1 + i as i64, &[("n", &i.to_string())], random.direction(1024));
    let points: Vec<Point> = (0..2500).map(make).collect();
    let (store, space) = bench.filled(&points);
    assert_eq!(store.count(&space).unwrap(), 2500);
    let found = store.search(&space, &points[7].vector, 1, &everything()).unwrap().unwrap();
    assert_eq!(found.first().map(|n| n.key), Some(8));
    check(&*store, &space, &points, &points[8].vector, 20, &with(vec![to("n", "19")]));
    let all: Vec<u64> = points.iter().map(|p| p.key).collect();
    assert_eq!(store.vectors(&space, &all).unwrap().len(), 2500);
}
