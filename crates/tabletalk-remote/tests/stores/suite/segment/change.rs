//! Documents and the changes that bring them.

use super::super::ODD_NAMES;
use super::super::random::Random;
use super::{Bench, segment};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tabletalk_core::seam::SegmentStore;
use tabletalk_core::seam::store::Segment;

pub(super) fn commits_and_gives_back(bench: &Bench<'_>) {
    let store = bench.ready();
    let before = store.last_change().unwrap();
    assert!(before >= 0 && store.changes(before, 10).unwrap().is_empty());
    let first = store.commit(&[segment(1, "a", b"one"), segment(2, "b", b"two")]).unwrap();
    let second = store.commit(&[segment(3, "c", b"")]).unwrap();
    assert!(before < first && first < second, "{before}, {first}, {second}");
    let other = bench.open();
    assert_eq!((other.last_change().unwrap(), other.documents().unwrap()), (second, 3));
    let found = other.changes(before, 10).unwrap();
    assert_eq!(found.iter().map(|s| s.change).collect::<Vec<_>>(), [first, first, second]);
    let mut found: Vec<_> = found.into_iter().map(|s| (s.key, s.id, s.gone, s.body)).collect();
    found.sort();
    let want = [(1, "a", &b"one"[..]), (2, "b", b"two"), (3, "c", b"")];
    assert_eq!(found, want.map(|(key, id, body)| (key, id.to_owned(), false, body.to_vec())));
    assert_eq!(other.changes(first, 10).unwrap().len(), 1);
    assert!(other.changes(second, 10).unwrap().is_empty());
    assert!(other.changes(second + 1000, 10).unwrap().is_empty());
    assert!(other.changes(before, 0).unwrap().is_empty());
}

pub(super) fn replaces_documents(bench: &Bench<'_>) {
    let store = bench.ready();
    let first = store.commit(&[segment(1, "a", b"one"), segment(2, "b", b"two")]).unwrap();
    let second = store.commit(&[segment(1, "a", b"one again")]).unwrap();
    assert_eq!(store.documents().unwrap(), 2);
    let all = store.changes(0, 10).unwrap();
    assert_eq!(all.iter().map(|s| (s.key, s.change)).collect::<Vec<_>>(), [(2, first), (1, second)]);
    assert_eq!(store.segments(&["a".into()]).unwrap()[0].body, b"one again");
    // Its id may change too, and what is given as its change does not matter.
    let third = store.commit(&[Segment { change: 4711, ..segment(1, "z", b"renamed") }]).unwrap();
    assert!(store.segments(&["a".into()]).unwrap().is_empty());
    let found = store.segments(&["z".into()]).unwrap();
    assert_eq!((found[0].key, found[0].change, found.len()), (1, third, 1));
}

pub(super) fn gone_documents(bench: &Bench<'_>) {
    let store = bench.ready();
    store.commit(&[segment(1, "a", b"one"), segment(2, "b", b"two"), segment(3, "c", b"three")]).unwrap();
    let gone = Segment { gone: true, ..segment(2, "b", b"") };
    let change = store.commit(&[gone, segment(4, "d", b"four")]).unwrap();
    assert_eq!(store.documents().unwrap(), 3);
    let last = bench.open().changes(change - 1, 10).unwrap();
    let mut last: Vec<_> = last.into_iter().map(|s| (s.key, s.gone)).collect();
    last.sort_unstable();
    assert_eq!(last, [(2, true), (4, false)], "those gone are changes too");
    assert_eq!(store.changes(0, 10).unwrap().len(), 4);
    assert!(store.segments(&["b".into()]).unwrap().is_empty(), "what is gone is not there");
    // The id comes back under another key, and a key that was gone comes back too.
    store.commit(&[segment(9, "b", b"new")]).unwrap();
    let found = store.segments(&["b".into()]).unwrap();
    assert_eq!(found.iter().map(|s| s.key).collect::<Vec<_>>(), [9]);
    store.commit(&[segment(2, "e", b"back")]).unwrap();
    assert_eq!(store.documents().unwrap(), 5);
    // Something may be gone that never was there.
    store.commit(&[Segment { gone: true, ..segment(77, "never", b"") }]).unwrap();
    assert_eq!(store.documents().unwrap(), 5);
}

pub(super) fn the_last_of_two_documents_stays(bench: &Bench<'_>) {
    let store = bench.ready();
    let change =
        store.commit(&[segment(1, "a", b"first"), segment(2, "b", b""), segment(1, "a", b"second")]).unwrap();
    assert_eq!(store.documents().unwrap(), 2);
    let found = store.segments(&["a".into()]).unwrap();
    assert_eq!(found, [Segment { change, ..segment(1, "a", b"second") }]);
    assert_eq!(store.changes(0, 10).unwrap().len(), 2);
}

pub(super) fn documents_by_id(bench: &Bench<'_>) {
    let store = bench.ready();
    let long = "path/".repeat(120) + "file.csv";
    let mut ids: Vec<String> = ODD_NAMES.iter().map(|n| (*n).to_owned()).collect();
    ids.push(long);
    ids.extend((0..1500).map(|i| format!("document {i}")));
    let all: Vec<Segment> = ids.iter().zip(1..).map(|(id, key)| segment(key, id, id.as_bytes())).collect();
    store.commit(&all).unwrap();
    let check = |wanted: &[String], count: usize| {
        let found = store.segments(wanted).unwrap();
        let there: BTreeSet<&String> = found.iter().map(|s| &s.id).collect();
        assert_eq!((found.len(), there.len()), (count, count));
        for one in &found {
            assert!(wanted.contains(&one.id));
            assert_eq!((one.body.as_slice(), &ids[one.key as usize - 1]), (one.id.as_bytes(), &one.id));
        }
    };
    for id in &ids[..20] {
        check(std::slice::from_ref(id), 1);
    }
    check(&ids, ids.len());
    check(&[], 0);
    check(&["nowhere".into(), ids[3].clone(), ids[3].clone(), "document".into()], 1);
}

pub(super) fn large_bodies(bench: &Bench<'_>) {
    let store = bench.ready();
    let mut random = Random::new(100);
    let bodies = [
        random.bytes(1 << 20),
        (0..=255).collect(),
        vec![0; 1 << 20],
        "\u{0}\"\\文".into(),
        random.bytes(3 << 20),
    ];
    let all: Vec<Segment> =
        bodies.iter().zip(1..).map(|(body, key)| segment(key, &format!("d{key}"), body)).collect();
    store.commit(&all).unwrap();
    let other = bench.open();
    for (body, key) in bodies.iter().zip(1..) {
        let found = other.segments(&[format!("d{key}")]).unwrap();
        assert!(found.len() == 1 && found[0].body == *body, "the body of {key} is not what it was");
    }
    let found = other.changes(0, 100).unwrap();
    assert_eq!(found.len(), bodies.len());
    assert!(found.iter().all(|s| s.body == bodies[s.key as usize - 1]), "a body is not what it was");
}

pub(super) fn many_bodies(bench: &Bench<'_>) {
    // More than engines take in one request.
    let store = bench.ready();
    let mut random = Random::new(101);
    let all: Vec<Segment> =
        (1..=24).map(|key| segment(key, &format!("d{key}"), &random.bytes(1 << 20))).collect();
    let change = store.commit(&all).unwrap();
    let mut found = bench.open().changes(0, 100).unwrap();
    found.sort_by_key(|s| s.key);
    assert_eq!(found.len(), 24);
    let same = |a: &Segment, b: &Segment| (a.key, &a.body, b.change) == (b.key, &b.body, change);
    assert!(all.iter().zip(&found).all(|(a, b)| same(a, b)), "a body is not what it was");
}

pub(super) fn changes_in_pages(bench: &Bench<'_>) {
    let store = bench.ready();
    let mut want = Vec::new();
    for i in 0..20 {
        let n = 1 + i % 4;
        let all: Vec<Segment> = (0..n).map(|j| segment(1 + i * 10 + j, &format!("{i}/{j}"), b"x")).collect();
        let change = store.commit(&all).unwrap();
        want.extend(all.iter().map(|s| (change, s.key)));
    }
    for limit in [1, 4, 5, 7, 50, 1000] {
        let mut follower = Follower { limit, ..Follower::default() };
        while follower.follow(&*store) {}
        let mut seen: Vec<(i64, i64)> = follower.seen.values().map(|s| (s.change, s.key)).collect();
        seen.sort_unstable();
        assert_eq!(seen, want, "in pages of {limit}");
    }
    let some = store.changes(0, 3).unwrap();
    assert_eq!(some.len(), 3);
    assert!(some.windows(2).all(|w| w[0].change <= w[1].change), "not in the order of changes");
}

pub(super) fn numbers_grow(bench: &Bench<'_>) {
    let store = bench.ready();
    let other = bench.open();
    let mut last = store.last_change().unwrap();
    for i in 1..30 {
        let who = if i % 2 == 0 { &store } else { &other };
        let change = who.commit(&[segment(i, &format!("{i}"), b"")]).unwrap();
        assert!(change > last, "{change} comes after {last}");
        assert_eq!(store.last_change().unwrap(), change);
        assert_eq!(other.last_change().unwrap(), change);
        last = change;
    }
}

/// Follows the changes of a store as a worker would.
#[derive(Default)]
struct Follower {
    after: i64,
    limit: usize,
    seen: BTreeMap<i64, Segment>,
    /// How often each key was seen.
    times: BTreeMap<i64, usize>,
}

impl Follower {
    /// Takes the next changes; says whether there were any. The last change of a full page may not be whole,
    /// and is left for the next page.
    fn follow(&mut self, store: &dyn SegmentStore) -> bool {
        let mut limit = self.limit.max(1);
        let page = loop {
            let mut page = store.changes(self.after, limit).unwrap();
            assert!(page.len() <= limit, "more than the limit");
            assert!(page.windows(2).all(|w| w[0].change <= w[1].change), "not in the order of changes");
            assert!(page.iter().all(|s| s.change > self.after), "a change that was seen before");
            if page.len() < limit {
                break page;
            }
            let last = page.last().map_or(0, |s| s.change);
            page.retain(|s| s.change < last);
            if !page.is_empty() {
                break page;
            }
            limit *= 2;
        };
        for one in page.iter() {
            self.after = self.after.max(one.change);
            *self.times.entry(one.key).or_default() += 1;
            self.seen.insert(one.key, one.clone());
        }
        !page.is_empty()
    }
}

/// Four writers commit, each as often as said; `make` gives what a writer commits in a turn.
fn committed(
    bench: &Bench<'_>,
    turns: i64,
    follower: &mut Follower,
    make: impl Fn(i64, i64) -> Vec<Segment> + Sync,
) -> Vec<(i64, Vec<Segment>)> {
    let (writers, store) = ((0..4).map(|_| bench.open()).collect::<Vec<_>>(), bench.open());
    let (made, left) = (Mutex::new(Vec::new()), AtomicUsize::new(4));
    std::thread::scope(|scope| {
        for (writer, own) in (0..).zip(&writers) {
            let (made, left, make) = (&made, &left, &make);
            scope.spawn(move || {
                let _end = End(left);
                for turn in 0..turns {
                    let segments = make(writer, turn);
                    let change = own.commit(&segments).unwrap();
                    assert!(own.last_change().unwrap() >= change, "its own change is not seen");
                    made.lock().unwrap().push((change, segments));
                }
            });
        }
        while left.load(Ordering::Acquire) > 0 {
            let last = store.last_change().unwrap();
            follower.follow(&*store);
            assert!(last <= store.last_change().unwrap(), "the last change went back");
            std::thread::sleep(Duration::from_millis(2));
        }
        while follower.follow(&*store) {}
    });
    let mut made = made.into_inner().unwrap();
    made.sort_by_key(|(change, _)| *change);
    made
}

/// Says that a writer is done, also when it failed.
struct End<'a>(&'a AtomicUsize);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

pub(super) fn several_committers(bench: &Bench<'_>) {
    bench.ready();
    let make = |writer: i64, turn: i64| {
        let key = 1 + writer * 10_000 + turn;
        vec![segment(key, &format!("{key}"), &key.to_le_bytes())]
    };
    let made = committed(bench, 25, &mut Follower { limit: 10, ..Follower::default() }, make);
    let numbers: BTreeSet<i64> = made.iter().map(|(change, _)| *change).collect();
    assert_eq!(numbers.len(), 100, "a number was given twice");
    let store = bench.open();
    assert_eq!((store.documents().unwrap(), store.last_change().ok()), (100, numbers.last().copied()));
    let found: Vec<(i64, i64)> = store.changes(0, 1000).unwrap().iter().map(|s| (s.change, s.key)).collect();
    assert_eq!(found, made.iter().map(|(change, s)| (*change, s[0].key)).collect::<Vec<_>>());
}

pub(super) fn a_follower_misses_nothing(bench: &Bench<'_>) {
    bench.ready();
    let make = |writer: i64, turn: i64| {
        let key = |i: i64| 1 + writer * 10_000 + turn * 10 + i;
        (0..1 + turn % 5).map(|i| segment(key(i), &format!("{}", key(i)), &[i as u8; 3])).collect()
    };
    let mut follower = Follower { limit: 7, ..Follower::default() };
    let made = committed(bench, 25, &mut follower, make);
    let mut want = BTreeMap::new();
    for (change, segments) in made {
        want.extend(segments.into_iter().map(|s| (s.key, Segment { change, ..s })));
    }
    assert_eq!(follower.seen.len(), want.len(), "a follower missed documents");
    assert!(follower.times.values().all(|n| *n == 1), "a follower saw a document twice");
    assert_eq!(follower.seen, want);
}

pub(super) fn a_follower_of_replaced_documents(bench: &Bench<'_>) {
    bench.ready();
    // All writers write the same few documents again and again; some go and come back.
    let make = |writer: i64, turn: i64| {
        let one = |i: i64| {
            let key = 1 + (turn * 3 + writer * 5 + i * 2) % 11;
            let body = format!("{writer} {turn} {i}").into_bytes();
            Segment { gone: (turn + i) % 4 == 3, ..segment(key, &format!("doc {key}"), &body) }
        };
        (0..3).map(one).collect()
    };
    let mut follower = Follower { limit: 5, ..Follower::default() };
    let made = committed(bench, 20, &mut follower, make);
    let mut want = BTreeMap::new();
    for (change, segments) in made {
        want.extend(segments.into_iter().map(|s| (s.key, Segment { change, ..s })));
    }
    assert_eq!(follower.seen, want, "a follower has something else than the store was given last");
    let store = bench.open();
    let there = want.values().filter(|s| !s.gone).count();
    assert_eq!(store.documents().unwrap(), there as u64);
    let ids: Vec<String> = (1..=11).map(|key| format!("doc {key}")).collect();
    let found: BTreeMap<i64, Segment> =
        store.segments(&ids).unwrap().into_iter().map(|s| (s.key, s)).collect();
    want.retain(|_, s| !s.gone);
    assert_eq!(found, want);
}

pub(super) fn large_changes_are_seen_whole(bench: &Bench<'_>) {
    bench.ready();
    let make = |writer: i64, turn: i64| {
        let key = |i: i64| 1 + writer * 100_000 + turn * 1000 + i;
        (0..400).map(|i| segment(key(i), &format!("{}", key(i)), &[turn as u8; 200])).collect()
    };
    let mut follower = Follower { limit: 10_000, ..Follower::default() };
    let made = committed(bench, 2, &mut follower, make);
    let want: usize = made.iter().map(|(_, segments)| segments.len()).sum();
    assert_eq!(follower.seen.len(), want, "a follower saw a part of a change, and went on");
    assert!(follower.times.values().all(|n| *n == 1), "a follower saw a document twice");
}

pub(super) fn no_documents(bench: &Bench<'_>) {
    let store = bench.ready();
    assert_eq!(store.documents().unwrap(), 0);
    assert!(store.last_change().unwrap() >= 0);
    assert!(store.changes(0, 10).unwrap().is_empty());
    assert!(store.segments(&[]).unwrap().is_empty());
    assert!(store.segments(&["nowhere".into()]).unwrap().is_empty());
}
