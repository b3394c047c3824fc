//! Groups: made, kept apart, dropped.

use super::super::ODD_NAMES;
use super::{
    Bench, GROUP, Question, asks, compare, corpus, entry, owners, segment, vocabulary, weighing, word,
};
use tabletalk_core::Fault;
use tabletalk_core::seam::store::{Field, Weighing};

pub(super) fn several_groups(bench: &Bench<'_>) {
    let (store, words) = (bench.open(), vocabulary(40));
    let groups = ["tables", "blocks", "nodes"];
    store.prepare(&groups.map(|g| (g.to_owned(), weighing()))).unwrap();
    let sets: Vec<_> = (0..3).map(|i| corpus(40 + i * 20, &words, 90 + i as u64)).collect();
    for (group, entries) in groups.iter().zip(&sets) {
        store.put_entries(group, entries).unwrap();
    }
    store.settle().unwrap();
    for (group, entries) in groups.iter().zip(&sets) {
        assert_eq!(store.count(group).unwrap(), entries.len() as u64);
        compare(&*store, group, entries, &asks(&[&words[0], &words[5]]), bench.scores.fresh);
    }
}

pub(super) fn odd_group_names(bench: &Bench<'_>) {
    let store = bench.open();
    let long = "long name ".repeat(15);
    let mut names: Vec<&str> = ODD_NAMES.to_vec();
    names.push(&long);
    let groups: Vec<_> = names.iter().map(|n| ((*n).to_owned(), weighing())).collect();
    store.prepare(&groups).unwrap();
    for (name, i) in names.iter().zip(1..) {
        store.put_entries(name, &[entry(i, i, &[(Field::Text, "word")])]).unwrap();
    }
    store.settle().unwrap();
    let other = bench.open();
    other.prepare(&groups).unwrap();
    for (name, i) in names.iter().zip(1..) {
        let found = other.search(name, &asks(&["word"]).ask()).unwrap();
        assert_eq!(owners(&found), [(i, 0)], "in {name}");
        assert_eq!(other.count(name).unwrap(), 1, "in {name}");
    }
    for name in &names[..8] {
        store.drop_group(name).unwrap();
    }
    store.settle().unwrap();
    let left: Vec<u64> = names.iter().map(|name| store.count(name).unwrap()).collect();
    assert_eq!(left, [vec![0; 8], vec![1; names.len() - 8]].concat());
}

pub(super) fn dropped_groups(bench: &Bench<'_>) {
    let entries = corpus(20, &vocabulary(20), 93);
    let store = bench.filled(&entries);
    store.prepare(&[(GROUP.into(), weighing()), ("other".into(), weighing())]).unwrap();
    store.put_entries("other", &entries).unwrap();
    store.commit(&[segment(1, "doc", b"body")]).unwrap();
    store.settle().unwrap();
    store.drop_group(GROUP).unwrap();
    store.drop_group(GROUP).unwrap();
    store.settle().unwrap();
    assert_eq!((store.count(GROUP).unwrap(), store.count("other").unwrap()), (0, 20));
    assert_eq!(store.documents().unwrap(), 1);
    let word = &vocabulary(1)[0];
    assert!(store.search(GROUP, &asks(&[word]).ask()).unwrap().is_empty());
    store.prepare(&[(GROUP.into(), weighing())]).unwrap();
    store.put_entries(GROUP, &entries[..5]).unwrap();
    store.settle().unwrap();
    compare(&*store, GROUP, &entries[..5], &asks(&[word]), bench.scores.stale);
}

pub(super) fn a_group_that_is_not_there(bench: &Bench<'_>) {
    let store = bench.ready();
    assert!(store.search("nowhere", &asks(&["word"]).ask()).unwrap().is_empty());
    assert_eq!(store.count("nowhere").unwrap(), 0);
    assert_eq!(store.frequencies("nowhere", &[word("word")]).unwrap(), [0]);
    assert!(store.entry_counts("nowhere", 0, 10).unwrap().is_empty());
    store.drop_group("nowhere").unwrap();
}

pub(super) fn prepared_twice(bench: &Bench<'_>) {
    let words = vocabulary(40);
    let entries = corpus(40, &words, 94);
    let store = bench.filled(&entries);
    store.prepare(&[(GROUP.into(), weighing())]).unwrap();
    bench.open().prepare(&[("new".into(), weighing()), (GROUP.into(), weighing())]).unwrap();
    bench.open().prepare(&[]).unwrap();
    assert_eq!(store.count(GROUP).unwrap(), 40);
    bench.check(&*store, &entries, &asks(&[&words[0]]));
    store.put_entries("new", &entries[..3]).unwrap();
    store.settle().unwrap();
    assert_eq!(store.count("new").unwrap(), 3);
}

pub(super) fn prepared_by_several_at_once(bench: &Bench<'_>) {
    let words = vocabulary(40);
    let entries = corpus(40, &words, 95);
    let stores: Vec<_> = (0..4).map(|_| bench.open()).collect();
    std::thread::scope(|scope| {
        for (i, store) in stores.iter().enumerate() {
            let entries = &entries;
            scope.spawn(move || {
                store.prepare(&[(GROUP.into(), weighing()), ("other".into(), weighing())]).unwrap();
                store.put_entries(GROUP, &entries[i * 10..i * 10 + 10]).unwrap();
                store.settle().unwrap();
            });
        }
    });
    for store in &stores {
        bench.check(&**store, &entries, &asks(&[&words[0], &words[2]]));
    }
}

pub(super) fn prepared_with_other_weights(bench: &Bench<'_>) {
    let words = vocabulary(40);
    let entries = corpus(60, &words, 96);
    let store = bench.filled(&entries);
    let other = Weighing { k1: 1.6, b: 0.4, fields: [1.0, 2.0, 0.5, 1.0, 3.0], coverage: 0.5, once: false };
    match store.prepare(&[(GROUP.into(), other.clone())]) {
        Ok(()) => {
            let question = Question { weighing: other, ..asks(&[&words[0], &words[4]]) };
            bench.check_stale(&*store, &entries, &question);
        }
        Err(error) => assert!(error.fault() == Fault::Input && error.cure().is_some(), "{error}"),
    }
    assert_eq!(store.count(GROUP).unwrap(), 60);
}

pub(super) fn entry_counts_in_pages(bench: &Bench<'_>) {
    let mut entries = corpus(240, &vocabulary(20), 97);
    // Not in the order in which they are put, with gaps, and not equally many.
    entries.iter_mut().for_each(|e| e.document = (e.document * 37 % 60) * 5 + 3);
    entries.truncate(230);
    entries.push(entry(298, 1, &[]));
    let store = bench.filled(&entries);
    let mut want = std::collections::BTreeMap::new();
    entries.iter().for_each(|e| *want.entry(e.document).or_insert(0) += 1);
    let want: Vec<(i64, u64)> = want.into_iter().collect();
    for limit in [1, 7, 58, 59, 1000] {
        let (mut all, mut after) = (Vec::new(), 0);
        loop {
            let page = store.entry_counts(GROUP, after, limit).unwrap();
            assert!(page.len() <= limit, "more than the limit");
            let Some((last, _)) = page.last() else { break };
            after = *last;
            all.extend(page);
        }
        assert_eq!(all, want, "in pages of {limit}");
    }
}

pub(super) fn other_prefixes(bench: &Bench<'_>) {
    let entries = corpus(20, &vocabulary(20), 98);
    let store = bench.filled(&entries);
    store.commit(&[segment(1, "doc", b"body")]).unwrap();
    for more in ["2", "_tables", "_x", "-x"] {
        let neighbour = bench.neighbour(more);
        neighbour.prepare(&[(GROUP.into(), weighing())]).unwrap();
        assert_eq!((neighbour.count(GROUP).unwrap(), neighbour.documents().unwrap()), (0, 0));
        assert!(neighbour.changes(0, 10).unwrap().is_empty());
        neighbour.put_entries(GROUP, &entries[..2]).unwrap();
        neighbour.commit(&[segment(7, "other", b"x"), segment(8, "another", b"x")]).unwrap();
        neighbour.settle().unwrap();
    }
    assert_eq!((store.count(GROUP).unwrap(), store.documents().unwrap()), (20, 1));
    store.clear().unwrap();
    for more in ["2", "_tables", "_x", "-x"] {
        let neighbour = bench.neighbour(more);
        let there = (neighbour.count(GROUP).unwrap(), neighbour.documents().unwrap());
        neighbour.clear().unwrap();
        assert_eq!(there, (2, 2), "of the library with `{more}` behind the prefix");
    }
}

pub(super) fn clear(bench: &Bench<'_>) {
    let entries = corpus(20, &vocabulary(20), 99);
    let store = bench.filled(&entries);
    store.commit(&[segment(1, "doc", b"body"), segment(2, "other", b"body")]).unwrap();
    assert!(store.lease("work", "me", 60).unwrap());
    store.clear().unwrap();
    store.clear().unwrap();
    let store = bench.ready();
    assert_eq!((store.count(GROUP).unwrap(), store.documents().unwrap()), (0, 0));
    assert!(store.search(GROUP, &asks(&[&vocabulary(1)[0]]).ask()).unwrap().is_empty());
    assert!(store.changes(0, 10).unwrap().is_empty());
    assert!(store.segments(&["doc".into()]).unwrap().is_empty());
    assert!(store.lease("work", "you", 60).unwrap(), "a lease is left");
    store.put_entries(GROUP, &entries[..7]).unwrap();
    store.settle().unwrap();
    let change = store.commit(&[segment(1, "doc", b"new")]).unwrap();
    assert_eq!((store.count(GROUP).unwrap(), store.documents().unwrap()), (7, 1));
    assert_eq!(store.last_change().unwrap(), change);
}

pub(super) fn says_its_name(bench: &Bench<'_>) {
    assert!(!bench.open().name().is_empty());
}
