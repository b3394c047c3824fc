//! How workers agree: numbers that are given once, and leases.

use super::super::ODD_NAMES;
use super::Bench;
use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread::sleep;
use std::time::Duration;

fn wait(milliseconds: u64) {
    sleep(Duration::from_millis(milliseconds));
}

pub(super) fn reserves(bench: &Bench<'_>) {
    let (store, other) = (bench.ready(), bench.open());
    for name in ODD_NAMES.into_iter().chain(["document", "owner"]) {
        let first = store.reserve(name, 10).unwrap();
        assert!(first >= 1, "{name}: {first} is not greater than 0");
        let second = other.reserve(name, 1).unwrap();
        assert!(second >= first + 10, "{name}: {second} was given with {first}");
        let third = store.reserve(name, 1_000_000).unwrap();
        assert!(third > second, "{name}: {third} was given with {second}");
        assert!(other.reserve(name, 1).unwrap() >= third + 1_000_000);
    }
}

pub(super) fn reserves_at_once(bench: &Bench<'_>) {
    let stores: Vec<_> = (0..8).map(|_| bench.ready()).collect();
    let taken: Vec<Vec<(i64, u64)>> = std::thread::scope(|scope| {
        let one = |store| {
            scope.spawn(move || {
                let store: &dyn tabletalk_core::seam::SegmentStore = store;
                (0..25).map(|i| (store.reserve("keys", 1 + i % 7).unwrap(), 1 + i % 7)).collect()
            })
        };
        let running: Vec<_> = stores.iter().map(|s| one(&**s)).collect();
        running.into_iter().map(|r| r.join().unwrap()).collect()
    });
    let (mut all, mut count) = (BTreeSet::new(), 0);
    for (first, n) in taken.into_iter().flatten() {
        count += n as usize;
        all.extend((0..n as i64).map(|i| first + i));
    }
    assert_eq!(all.len(), count, "a number was given twice");
}

pub(super) fn takes_a_lease(bench: &Bench<'_>) {
    let (store, other) = (bench.ready(), bench.open());
    for name in ODD_NAMES {
        assert!(store.lease(name, "me", 60).unwrap(), "{name} is free");
        assert!(!other.lease(name, "you", 60).unwrap(), "{name} is taken");
        assert!(other.lease(name, "me", 60).unwrap(), "{name} is renewed by its holder, wherever");
    }
    assert!(other.lease("another", "you", 60).unwrap());
    assert!(!store.lease("another", "me", 60).unwrap());
    store.release("plain", "me").unwrap();
    assert!(other.lease("plain", "you", 60).unwrap(), "it was given back");
    assert!(!store.lease("plain", "me", 60).unwrap());
}

pub(super) fn a_lease_ends(bench: &Bench<'_>) {
    let (store, other) = (bench.ready(), bench.open());
    assert!(store.lease("work", "me", 2).unwrap());
    assert!(!other.lease("work", "you", 2).unwrap());
    wait(3300);
    assert!(other.lease("work", "you", 60).unwrap(), "it should have ended");
    assert!(!store.lease("work", "me", 60).unwrap(), "somebody else has it");
    // Giving back what one no longer holds changes nothing.
    store.release("work", "me").unwrap();
    assert!(!store.lease("work", "me", 60).unwrap());
}

pub(super) fn a_lease_is_renewed(bench: &Bench<'_>) {
    let (store, other) = (bench.ready(), bench.open());
    assert!(store.lease("work", "me", 2).unwrap());
    wait(700);
    assert!(store.lease("work", "me", 6).unwrap());
    wait(2600);
    assert!(!other.lease("work", "you", 2).unwrap(), "it was renewed for longer");
    // It may be made shorter, too.
    assert!(store.lease("work", "me", 1).unwrap());
    wait(2300);
    assert!(other.lease("work", "you", 2).unwrap(), "it was renewed for a second");
}

pub(super) fn only_the_holder_releases(bench: &Bench<'_>) {
    let (store, other) = (bench.ready(), bench.open());
    assert!(store.lease("work", "me", 60).unwrap());
    other.release("work", "you").unwrap();
    other.release("nowhere", "you").unwrap();
    assert!(!other.lease("work", "you", 60).unwrap(), "somebody else gave it back");
    other.release("work", "me").unwrap();
    store.release("work", "me").unwrap();
    assert!(other.lease("work", "you", 60).unwrap());
}

/// How many of eight workers that ask at the same moment take a lease.
fn taken(bench: &Bench<'_>, name: &str) -> usize {
    let stores: Vec<_> = (0..8).map(|_| bench.open()).collect();
    let barrier = Barrier::new(stores.len());
    std::thread::scope(|scope| {
        let mut running = Vec::new();
        for (i, store) in stores.iter().enumerate() {
            let barrier = &barrier;
            running.push(scope.spawn(move || {
                barrier.wait();
                store.lease(name, &format!("worker {i}"), 60).unwrap()
            }));
        }
        running.into_iter().map(|r| r.join().unwrap()).filter(|taken| *taken).count()
    })
}

pub(super) fn one_of_many_takes_a_lease(bench: &Bench<'_>) {
    bench.ready();
    for round in 0..5 {
        assert_eq!(taken(bench, &format!("work {round}")), 1);
    }
}

pub(super) fn one_of_many_takes_a_lease_that_ended(bench: &Bench<'_>) {
    let store = bench.ready();
    for round in 0..3 {
        assert!(store.lease(&format!("work {round}"), "me", 1).unwrap());
    }
    wait(2300);
    for round in 0..3 {
        assert_eq!(taken(bench, &format!("work {round}")), 1);
    }
}
