//! Entries in and out.

use super::super::random::Random;
use super::super::{among, is, with};
use super::{Bench, GROUP, Question, any, asks, corpus, entry, having, owners, vocabulary, weighing, word};
use tabletalk_core::seam::store::{Entry, Field};

pub(super) fn finds_words(bench: &Bench<'_>) {
    let entries = [
        entry(1, 11, &[(Field::Title, "red apple"), (Field::Text, "an apple a day")]),
        entry(2, 12, &[(Field::Name, "colour fruit"), (Field::Values, "red green apple")]),
        entry(3, 13, &[(Field::Text, "nothing to see")]),
    ];
    let store = bench.filled(&entries);
    for words in [&["apple"][..], &["red"], &["see"], &["red", "see"], &["Apple"], &["app"], &["nowhere"]] {
        bench.check(&*store, &entries, &asks(words));
        bench.check(&*bench.open(), &entries, &asks(words));
    }
    assert_eq!(store.count(GROUP).unwrap(), 3);
}

pub(super) fn chinese_words(bench: &Bench<'_>) {
    let entries = [
        entry(1, 11, &[(Field::Title, "年度 销售 额"), (Field::Values, "北京 上海")]),
        entry(2, 12, &[(Field::Text, "销售额 增长")]),
        entry(3, 13, &[(Field::Name, "人口 城市"), (Field::Whole, "北京")]),
        entry(4, 14, &[(Field::Text, "北 京 ｡ ㈱ 𠮷野家 한국어 日本語")]),
    ];
    let store = bench.filled(&entries);
    for word in ["销售", "销售额", "北京", "北", "𠮷野家", "한국어", "日本", "㈱"] {
        bench.check(&*store, &entries, &asks(&[word]));
    }
    bench.check(&*store, &entries, &Question::of(vec![any(&["北京"], &[Field::Whole])]));
}

pub(super) fn whole_values(bench: &Bench<'_>) {
    let whole = |owner: i64, values: &[&str]| {
        let terms = values.iter().map(|v| (*v).to_owned()).collect();
        Entry { terms: vec![(Field::Whole, terms)], ..entry(owner, owner, &[]) }
    };
    let entries = [
        whole(1, &["new york", "los angeles"]),
        whole(2, &["york", "new"]),
        whole(3, &["new york city", " new york", "new  york"]),
        whole(4, &["a, \"b\" 'c' \\ d", "x\ny", "北京 市"]),
    ];
    let store = bench.filled(&entries);
    for value in
        ["new york", "york", "new", "new york city", "a, \"b\" 'c' \\ d", "x\ny", "北京 市", "new  york"]
    {
        bench.check(&*store, &entries, &Question::of(vec![any(&[value], &[Field::Whole])]));
        bench.check(&*store, &entries, &asks(&[value]));
    }
}

/// Terms that mean something to engines.
pub(super) const ODD_TERMS: [&str; 28] = [
    "c++",
    "c#",
    "a.b*c",
    "a.bxc",
    "x|y",
    "\"q\"",
    "it's",
    "<a>",
    "~1",
    "^2",
    "a&b",
    "[x]",
    "{y}",
    "(z)",
    "back\\slash",
    "+plus",
    "-minus",
    "!",
    "and",
    "OR",
    "NOT",
    "to:",
    "a/b",
    "%",
    "_",
    "100%",
    "é",
    "🙂",
];

pub(super) fn odd_terms(bench: &Bench<'_>) {
    let mut entries: Vec<Entry> =
        ODD_TERMS.iter().zip(1..).map(|(term, i)| entry(i, i, &[(Field::Text, term)])).collect();
    entries.push(entry(100, 100, &[(Field::Values, &ODD_TERMS.join(" "))]));
    let store = bench.filled(&entries);
    for term in ODD_TERMS {
        bench.check(&*store, &entries, &asks(&[term]));
    }
    bench.check(&*store, &entries, &asks(&ODD_TERMS));
    assert!(store.frequencies(GROUP, &ODD_TERMS.map(word)).unwrap().iter().all(|n| *n == 1));
}

pub(super) fn long_terms(bench: &Bench<'_>) {
    let (long, longest) = ("long".repeat(75), "longest".repeat(6000));
    let entries = [
        entry(1, 11, &[(Field::Text, &format!("short {long}"))]),
        entry(2, 12, &[(Field::Text, "short other")]),
    ];
    let store = bench.filled(&entries);
    bench.check(&*store, &entries, &asks(&[&long]));
    store.put_entries(GROUP, &[entry(3, 13, &[(Field::Text, &format!("{longest} besides"))])]).unwrap();
    store.settle().unwrap();
    let found = store.search(GROUP, &asks(&["besides"]).ask()).unwrap();
    assert_eq!(owners(&found), [(13, 0)], "an entry with a very long term is not there");
}

pub(super) fn replaces_by_owner_and_part(bench: &Bench<'_>) {
    let part = |part: u64, entry: Entry| Entry { part, ..entry };
    let mut entries = vec![
        part(0, entry(1, 11, &[(Field::Text, "one two")])),
        part(1, entry(1, 11, &[(Field::Text, "one three")])),
        part(0, entry(2, 12, &[(Field::Text, "one four")])),
    ];
    let store = bench.filled(&entries);
    entries[1] = part(1, having(entry(5, 11, &[(Field::Title, "five")]), &[("new", "yes")]));
    entries[1].data = b"new".to_vec();
    store.put_entries(GROUP, &entries[1..2]).unwrap();
    store.settle().unwrap();
    assert_eq!(store.count(GROUP).unwrap(), 3);
    for words in [&["one"][..], &["three"], &["five"], &["two"], &["four"]] {
        bench.check_stale(&*store, &entries, &Question { data: true, ..asks(words) });
    }
    bench.check_stale(
        &*store,
        &entries,
        &Question { allow: with(vec![is("new", &["yes"])]), ..asks(&["one", "five"]) },
    );
    assert_eq!(store.entry_counts(GROUP, 0, 10).unwrap(), [(1, 1), (2, 1), (5, 1)]);
}

pub(super) fn the_last_of_two_entries_stays(bench: &Bench<'_>) {
    let entries = [entry(1, 11, &[(Field::Text, "first")]), entry(1, 11, &[(Field::Text, "second")])];
    let store = bench.filled(&entries);
    assert_eq!(store.count(GROUP).unwrap(), 1);
    bench.check_stale(&*store, &entries[1..], &asks(&["first"]));
    bench.check_stale(&*store, &entries[1..], &asks(&["second"]));
}

pub(super) fn removes_by_stamp(bench: &Bench<'_>) {
    let stamped = |document: i64, owner: i64, stamp: i64| Entry {
        stamp,
        ..entry(document, owner, &[(Field::Text, "word")])
    };
    let entries = [
        stamped(1, 11, 5),
        stamped(1, 12, 6),
        stamped(1, 13, 7),
        stamped(2, 21, 5),
        stamped(2, 22, 9),
        stamped(3, 31, 1),
        stamped(4, 41, 1),
    ];
    let store = bench.filled(&entries);
    store.remove_entries(&[(1, 6), (3, i64::MAX), (77, 5)]).unwrap();
    store.settle().unwrap();
    let left: Vec<Entry> = entries.iter().filter(|e| ![11, 31].contains(&e.owner)).cloned().collect();
    bench.check_stale(&*store, &left, &asks(&["word"]));
    assert_eq!(store.count(GROUP).unwrap(), 5);
    store.remove_entries(&[(2, 9), (1, 1)]).unwrap();
    store.remove_entries(&[(2, 9)]).unwrap();
    store.settle().unwrap();
    let left: Vec<Entry> = left.into_iter().filter(|e| e.owner != 21).collect();
    bench.check_stale(&*store, &left, &asks(&["word"]));
    assert_eq!(store.entry_counts(GROUP, 0, 10).unwrap(), [(1, 2), (2, 1), (4, 1)]);
    store.remove_entries(&[(1, i64::MAX), (2, i64::MAX), (4, i64::MAX)]).unwrap();
    store.settle().unwrap();
    bench.check_stale(&*store, &[], &asks(&["word"]));
    assert_eq!(store.count(GROUP).unwrap(), 0);
}

pub(super) fn removes_in_all_groups(bench: &Bench<'_>) {
    let store = bench.open();
    let groups = ["a", "b", "c"];
    store.prepare(&groups.map(|g| (g.to_owned(), weighing()))).unwrap();
    for group in groups {
        let entries = [entry(1, 11, &[(Field::Text, "word")]), entry(2, 12, &[(Field::Text, "word")])];
        store.put_entries(group, &entries).unwrap();
    }
    store.settle().unwrap();
    store.remove_entries(&[(1, 2)]).unwrap();
    store.settle().unwrap();
    for group in groups {
        let found = store.search(group, &asks(&["word"]).ask()).unwrap();
        assert_eq!(owners(&found), [(12, 0)], "in {group}");
    }
}

pub(super) fn puts_twice_as_once(bench: &Bench<'_>) {
    let entries = corpus(40, &vocabulary(50), 50);
    let store = bench.filled(&entries);
    store.put_entries(GROUP, &entries).unwrap();
    bench.open().put_entries(GROUP, &entries).unwrap();
    store.settle().unwrap();
    assert_eq!(store.count(GROUP).unwrap(), 40);
    let words = vocabulary(50);
    bench.check_stale(&*store, &entries, &asks(&[&words[0], &words[3]]));
}

pub(super) fn gives_data_back(bench: &Bench<'_>) {
    let mut random = Random::new(51);
    let with_data =
        |owner: i64, data: Vec<u8>| Entry { data, ..entry(owner, owner, &[(Field::Text, "word")]) };
    let entries = [
        with_data(1, Vec::new()),
        with_data(2, (0..=255).collect()),
        with_data(3, random.bytes(100_000)),
        with_data(4, "文本 \"text\"".into()),
        with_data(5, vec![0]),
    ];
    let store = bench.filled(&entries);
    bench.check(&*store, &entries, &Question { data: true, ..asks(&["word"]) });
    bench.check(&*store, &entries, &Question { data: false, ..asks(&["word"]) });
}

pub(super) fn large_keys(bench: &Bench<'_>) {
    let keys = [1, i64::from(u32::MAX), 1 << 53, (1 << 53) + 1, i64::MAX - 1, i64::MAX];
    let make = |key: i64| Entry {
        stamp: key.min(i64::MAX - 1),
        part: key as u64,
        ..entry(key, key, &[(Field::Text, "word")])
    };
    let entries = keys.map(make);
    let store = bench.filled(&entries);
    bench.check(&*store, &entries, &asks(&["word"]));
    bench.check(&*store, &entries, &Question { allow: among(vec![(1 << 53) + 1]), ..asks(&["word"]) });
    bench.check(&*store, &entries, &Question { part: Some(1 << 53), ..asks(&["word"]) });
    assert_eq!(
        store.entry_counts(GROUP, 1 << 53, 10).unwrap(),
        keys[3..].iter().map(|k| (*k, 1)).collect::<Vec<_>>()
    );
    store.remove_entries(&[((1 << 53) + 1, (1 << 53) + 1), (i64::MAX, i64::MAX)]).unwrap();
    store.settle().unwrap();
    bench.check_stale(&*store, &entries[..5], &asks(&["word"]));
}

pub(super) fn no_entries(bench: &Bench<'_>) {
    let store = bench.ready();
    store.put_entries(GROUP, &[]).unwrap();
    store.remove_entries(&[]).unwrap();
    store.remove_entries(&[(1, i64::MAX)]).unwrap();
    store.settle().unwrap();
    store.settle().unwrap();
    assert!(store.search(GROUP, &asks(&["word"]).ask()).unwrap().is_empty());
    assert_eq!(store.count(GROUP).unwrap(), 0);
    assert_eq!(store.frequencies(GROUP, &[word("word"), word("other")]).unwrap(), [0, 0]);
    assert!(store.frequencies(GROUP, &[]).unwrap().is_empty());
    assert!(store.entry_counts(GROUP, 0, 10).unwrap().is_empty());
    // An entry without words is there, and not found.
    store.put_entries(GROUP, &[entry(1, 11, &[]), entry(2, 12, &[(Field::Text, "")])]).unwrap();
    store.settle().unwrap();
    assert_eq!(store.count(GROUP).unwrap(), 2);
    assert_eq!(store.entry_counts(GROUP, 0, 10).unwrap(), [(1, 1), (2, 1)]);
    assert!(store.search(GROUP, &asks(&["word"]).ask()).unwrap().is_empty());
}

pub(super) fn heavy_entries(bench: &Bench<'_>) {
    // More than engines take in one request.
    let mut random = Random::new(54);
    let make = |i: i64| Entry { data: random.bytes(100_000), ..entry(i, i, &[(Field::Text, "word")]) };
    let entries: Vec<Entry> = (1..=300).map(make).collect();
    let store = bench.filled(&entries);
    assert_eq!(store.count(GROUP).unwrap(), 300);
    bench.check(&*store, &entries, &Question { data: true, k: 100, ..asks(&["word"]) });
    bench.check(&*store, &entries, &asks(&["word"]));
}

pub(super) fn a_document_named_twice(bench: &Bench<'_>) {
    let stamped = |owner: i64, stamp: i64| Entry { stamp, ..entry(1, owner, &[(Field::Text, "word")]) };
    let entries = [stamped(11, 1), stamped(12, 5), stamped(13, 9)];
    let store = bench.filled(&entries);
    store.remove_entries(&[(1, 2), (1, 6), (1, 3)]).unwrap();
    store.settle().unwrap();
    bench.check_stale(&*store, &entries[2..], &asks(&["word"]));
}

pub(super) fn settled_for_others(bench: &Bench<'_>) {
    let (store, other) = (bench.ready(), bench.open());
    for i in 1..=5 {
        store.put_entries(GROUP, &[entry(i, i, &[(Field::Text, "word")])]).unwrap();
        store.settle().unwrap();
        assert_eq!(other.search(GROUP, &asks(&["word"]).ask()).unwrap().len(), i as usize);
        assert_eq!(other.count(GROUP).unwrap(), i as u64);
        assert_eq!(other.frequencies(GROUP, &[word("word")]).unwrap(), [i as u64]);
    }
    store.remove_entries(&[(3, i64::MAX)]).unwrap();
    store.settle().unwrap();
    assert_eq!(other.search(GROUP, &asks(&["word"]).ask()).unwrap().len(), 4);
    assert_eq!((other.count(GROUP).unwrap(), other.entry_counts(GROUP, 2, 1).unwrap()), (4, vec![(4, 1)]));
}
