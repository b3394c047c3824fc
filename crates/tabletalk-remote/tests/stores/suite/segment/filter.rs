//! Which entries may be found.

use super::super::{among, from, is, to, with};
use super::{Bench, Question, asks, corpus, entry, having, vocabulary};
use tabletalk_core::seam::store::{Allow, Entry, Field};

pub(super) fn only_one_part(bench: &Bench<'_>) {
    let part = |owner: i64, part: u64| Entry { part, ..entry(1, owner, &[(Field::Text, "word")]) };
    let large = i64::MAX as u64;
    let entries = [part(1, 0), part(1, 1), part(1, 7), part(2, 0), part(2, 7), part(3, large)];
    let store = bench.filled(&entries);
    for part in [Some(0), Some(1), Some(7), Some(large), Some(8), None] {
        bench.check(&*store, &entries, &Question { part, ..asks(&["word"]) });
    }
}

pub(super) fn filters_of_every_kind(bench: &Bench<'_>) {
    let values = [
        "csv",
        "CSV",
        "pdf",
        "1000",
        "1,000",
        "999",
        "-5",
        "35%",
        "2024-01-05",
        "2024-02-01",
        "true",
        "FALSE",
        "10 apples",
        "中文",
        "Größe",
        "",
        "it's",
        "a\"b",
        "back\\slash",
        "100%",
        "a b",
        "a-b",
        "ab",
    ];
    let mut entries = vec![having(entry(1, 1, &[(Field::Text, "word")]), &[("other", "x")])];
    for (value, i) in values.iter().zip(2..) {
        entries.push(having(entry(i, i, &[(Field::Text, "word")]), &[("f", value), ("other", "y")]));
    }
    let store = bench.filled(&entries);
    let mut filters =
        vec![is("f", &["CSV", "1000", "nothing"]), is("f", &[]), is("F", &["csv"]), is("none", &["csv"])];
    for value in values {
        filters.extend([is("f", &[value]), from("f", value), to("f", value)]);
    }
    for filter in filters {
        bench.check(&*store, &entries, &Question { allow: with(vec![filter]), ..asks(&["word"]) });
    }
    let both = with(vec![from("f", "0"), to("f", "999"), is("other", &["Y"])]);
    bench.check(&*store, &entries, &Question { allow: both, ..asks(&["word"]) });
}

pub(super) fn odd_field_names(bench: &Bench<'_>) {
    let names = [
        "a",
        "a.b",
        "a.b.c",
        "A",
        "with space",
        "quote\"d",
        "it's",
        "back\\slash",
        "年份",
        "$gt",
        "a/b",
        "{curly}",
        "100%",
        "document",
        "owner",
        "terms",
        "id",
        "_id",
        "title",
        "name",
        "n",
        "s",
        "pipe|d",
        "[0]",
        "*",
        "&<>",
        " ",
    ];
    let mut entries = Vec::new();
    for (name, i) in names.iter().zip(1..) {
        entries.push(having(entry(i * 2, i * 2, &[(Field::Text, "word")]), &[(name, "Yes")]));
        entries
            .push(having(entry(i * 2 + 1, i * 2 + 1, &[(Field::Text, "word")]), &[(name, "42"), ("z", "1")]));
    }
    let all: Vec<(&str, &str)> = names.iter().map(|name| (*name, "both")).collect();
    entries.push(having(entry(1000, 1000, &[(Field::Text, "word")]), &all));
    let store = bench.filled(&entries);
    for name in names {
        for filter in [is(name, &["yes", "BOTH"]), from(name, "41"), to(name, "42.5")] {
            bench.check(&*store, &entries, &Question { allow: with(vec![filter]), ..asks(&["word"]) });
        }
    }
}

pub(super) fn named_documents(bench: &Bench<'_>) {
    let words = vocabulary(50);
    let entries = corpus(120, &words, 52);
    let store = bench.filled(&entries);
    for documents in [vec![], vec![3], vec![1, 5, 9, 5], vec![4711], (1..=30).collect()] {
        bench.check(
            &*store,
            &entries,
            &Question { allow: among(documents.clone()), ..asks(&[&words[0], &words[4]]) },
        );
        let allow = Allow { filters: vec![is("type", &["csv"])], documents: Some(documents) };
        bench.check(&*store, &entries, &Question { allow, k: 3, ..asks(&[&words[0], &words[4]]) });
    }
}

pub(super) fn many_named_documents(bench: &Bench<'_>) {
    let words = vocabulary(50);
    let entries = corpus(400, &words, 53);
    let store = bench.filled(&entries);
    let odd: Vec<i64> = (0..70_000).map(|i| i * 2 + 1).collect();
    bench.check(&*store, &entries, &Question { allow: among(odd.clone()), ..asks(&[&words[0]]) });
    bench.check(&*store, &entries, &Question { allow: among(odd.clone()), k: 5, ..asks(&[&words[1]]) });
    let allow = Allow { filters: vec![from("year", "2010")], documents: Some(odd) };
    bench.check(&*store, &entries, &Question { allow, ..asks(&[&words[0]]) });
    let far = among((0..70_000).map(|i| 1_000_000 + i * 3).collect());
    bench.check(&*store, &entries, &Question { allow: far, ..asks(&[&words[0]]) });
}

pub(super) fn long_values(bench: &Bench<'_>) {
    let (two, forty) = ("long value ".repeat(180), "very long ".repeat(4000));
    let entries: Vec<Entry> = [two.as_str(), &forty, "short"]
        .iter()
        .zip(1..)
        .map(|(value, i)| having(entry(i, i, &[(Field::Text, "word")]), &[("f", value), ("other", "1")]))
        .collect();
    let store = bench.filled(&entries);
    for filter in [is("f", &["SHORT"]), is("f", &[&two]), is("other", &["1"])] {
        bench.check(&*store, &entries, &Question { allow: with(vec![filter]), ..asks(&["word"]) });
    }
}
