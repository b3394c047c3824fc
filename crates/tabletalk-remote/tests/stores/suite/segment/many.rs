//! Many entries, many writers.

use super::super::{is, with};
use super::{Bench, GROUP, Question, asks, corpus, vocabulary};
use std::sync::atomic::{AtomicBool, Ordering};
use tabletalk_core::seam::store::Entry;

pub(super) fn ten_thousand_entries(bench: &Bench<'_>) {
    let words = vocabulary(2000);
    let entries = corpus(10_000, &words, 110);
    let store = bench.filled(&entries);
    assert_eq!(store.count(GROUP).unwrap(), 10_000);
    for pick in [[0, 10, 300], [5, 700, 1500], [1, 2, 3], [50, 60, 70]] {
        let question = asks(&pick.map(|i| words[i].as_str()));
        bench.check(&*store, &entries, &Question { k: 20, data: true, ..question.clone() });
        let allow = with(vec![is("type", &["csv"]), is("year", &["2007", "2011"])]);
        bench.check(&*store, &entries, &Question { k: 50, allow, ..question });
    }
    // All that there is, though it is much.
    bench.check(&*store, &entries, &Question { k: 5000, ..asks(&[&words[40]]) });
    let counts = store.entry_counts(GROUP, 0, 3000).unwrap();
    assert_eq!((counts.len(), counts.iter().map(|(_, n)| n).sum::<u64>()), (2500, 10_000));
}

pub(super) fn several_writers(bench: &Bench<'_>) {
    let words = vocabulary(100);
    let entries = corpus(1200, &words, 111);
    let store = bench.ready();
    let stores: Vec<_> = (0..4).map(|_| bench.open()).collect();
    std::thread::scope(|scope| {
        for (i, own) in stores.iter().enumerate() {
            let entries = &entries;
            scope.spawn(move || {
                let mine: Vec<Entry> = entries.iter().skip(i).step_by(4).cloned().collect();
                for batch in mine.chunks(75) {
                    own.put_entries(GROUP, batch).unwrap();
                }
                own.put_entries(GROUP, &entries[..20]).unwrap();
                own.settle().unwrap();
            });
        }
    });
    store.settle().unwrap();
    assert_eq!(store.count(GROUP).unwrap(), 1200);
    bench.check_stale(&*store, &entries, &Question { k: 50, ..asks(&[&words[0], &words[30]]) });
    bench.check_stale(&*store, &entries, &Question { k: 2000, ..asks(&[&words[50]]) });
}

/// Says that a writer is done, also when it failed.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

pub(super) fn reads_while_writing(bench: &Bench<'_>) {
    let words = vocabulary(50);
    let entries = corpus(400, &words, 112);
    let writer = bench.filled(&entries[..100]);
    let (reader, done) = (bench.open(), AtomicBool::new(false));
    let least = reader.search(GROUP, &asks(&[&words[0]]).ask()).unwrap().len();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _end = End(&done);
            for batch in entries[100..].chunks(50) {
                writer.put_entries(GROUP, batch).unwrap();
                writer.put_entries(GROUP, &entries[..50]).unwrap();
                writer.settle().unwrap();
            }
        });
        while !done.load(Ordering::Acquire) {
            let found = reader.search(GROUP, &asks(&[&words[0]]).ask()).unwrap().len();
            assert!(found >= least, "what was there is no longer found: {found} of {least}");
        }
    });
    bench.check_stale(&*reader, &entries, &asks(&[&words[0], &words[9]]));
}

pub(super) fn many_removals(bench: &Bench<'_>) {
    let words = vocabulary(50);
    let entries = corpus(1000, &words, 113);
    let store = bench.filled(&entries);
    // Documents of which nothing is there are named too.
    let before: Vec<(i64, i64)> = (1..=20_000).filter(|d| d % 5 != 0).map(|d| (d, 1 + d % 4)).collect();
    store.remove_entries(&before).unwrap();
    store.settle().unwrap();
    let goes = |e: &Entry| e.document % 5 != 0 && e.stamp < 1 + e.document % 4;
    let left: Vec<Entry> = entries.into_iter().filter(|e| !goes(e)).collect();
    assert!((200..800).contains(&left.len()), "{}", left.len());
    assert_eq!(store.count(GROUP).unwrap(), left.len() as u64);
    bench.check_stale(&*store, &left, &asks(&[&words[0], &words[9]]));
}
