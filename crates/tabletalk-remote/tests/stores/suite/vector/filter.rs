//! Which documents may be found.

use super::super::{among, from, is, to, with};
use super::{Bench, DIM, Random, check, point, points, query};
use tabletalk_core::seam::VectorStore;
use tabletalk_core::seam::store::{Allow, Filter, Point, Space};

/// A point for each value of a field, and one without the field.
fn valued(field: &str, values: &[&str]) -> Vec<Point> {
    let mut random = Random::new(values.len() as u64);
    let mut all = vec![point(1, 1, &[("other", "1")], random.direction(DIM))];
    for (i, value) in values.iter().enumerate() {
        let fields = [("other", "2"), (field, *value)];
        all.push(point(2 + i as u64, 2 + i as i64, &fields, random.direction(DIM)));
    }
    all
}

/// Compares what each filter lets through with what it should.
fn each(store: &dyn VectorStore, space: &Space, points: &[Point], filters: Vec<Filter>) {
    for (i, filter) in filters.into_iter().enumerate() {
        check(store, space, points, &query(i as u64), 100, &with(vec![filter]));
    }
}

/// Puts the values of a field and tries filters on it.
fn tried(bench: &Bench<'_>, values: &[&str], filters: Vec<Filter>) {
    let points = valued("f", values);
    let (store, space) = bench.filled(&points);
    each(&*store, &space, &points, filters);
}

fn found(bench: &Bench<'_>, values: &[&str], filter: Filter) -> Vec<String> {
    let points = valued("f", values);
    let (store, space) = bench.filled(&points);
    let found = store.search(&space, &query(1), 100, &with(vec![filter])).unwrap().unwrap();
    let mut keys: Vec<u64> = found.iter().map(|n| n.key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|key| values[key as usize - 2].to_owned()).collect()
}

pub(super) fn text_in_any_case(bench: &Bench<'_>) {
    let values = ["csv", "CSV", "Csv ", "csvx", "Größe", "GRÖSSE", "ÉTÉ", "中文", "中文表", ""];
    assert_eq!(found(bench, &values, is("f", &["cSv"])), ["csv", "CSV"]);
    let wanted = ["CSV", "csv ", "größe", "été", "中文", "", "nothing", "%", "c*"];
    tried(bench, &values, wanted.iter().map(|v| is("f", &[v])).collect());
}

pub(super) fn numbers(bench: &Bench<'_>) {
    let values =
        ["1000", "1,000", "1000.0", "1e3", "1k", "999", "-5", "(5)", "0.35", "35%", "12万", "120000", "10 "];
    let found = found(bench, &values, is("f", &["1000"]));
    assert!(found.contains(&"1,000".to_owned()) && !found.contains(&"999".to_owned()), "{found:?}");
    let wanted = ["1,000", "1000", "-5", "35%", "0.35", "120000", "10", "10.0", "7"];
    tried(bench, &values, wanted.iter().map(|v| is("f", &[v])).collect());
}

pub(super) fn numbers_and_text(bench: &Bench<'_>) {
    // Numbers are compared as text with what is no number.
    let values = ["10", "9", "2x", "abc", "1 000 000", "-", "2024-01-05", "10 apples", "3.14.15", "0"];
    let wanted = ["10", "9", "2x", "abc", "-", "2024-01-05", "3", "0"];
    let mut filters = Vec::new();
    for value in wanted {
        filters.extend([is("f", &[value]), from("f", value), to("f", value)]);
    }
    tried(bench, &values, filters);
}

pub(super) fn dates(bench: &Bench<'_>) {
    let values = ["2023-12-31", "2024-01-01", "2024-01-01T10:00:00Z", "2024-02-29", "2025-01-01"];
    assert_eq!(found(bench, &values, to("f", "2024-01-01")), ["2023-12-31", "2024-01-01"]);
    let wanted = ["2024-01-01", "2024-01-01T10:00:00Z", "2024-01", "2024-12-31"];
    tried(bench, &values, wanted.iter().flat_map(|v| [is("f", &[v]), from("f", v), to("f", v)]).collect());
}

pub(super) fn booleans(bench: &Bench<'_>) {
    let values = ["true", "false", "TRUE", "yes"];
    assert_eq!(found(bench, &values, is("f", &["True"])), ["true", "TRUE"]);
    tried(bench, &values, vec![is("f", &["false"]), is("f", &["true", "false"]), is("f", &["1"])]);
}

pub(super) fn several_values(bench: &Bench<'_>) {
    let values = ["csv", "pdf", "xlsx", "7", "7.0", "008", "CSV"];
    assert_eq!(found(bench, &values, is("f", &["PDF", "7", "nothing"])), ["pdf", "7", "7.0"]);
    let many: Vec<String> = (0..500).map(|i| format!("value {i}")).collect();
    let mut many: Vec<&str> = many.iter().map(String::as_str).collect();
    many.extend(["xlsx", "8"]);
    tried(bench, &values, vec![is("f", &["csv", "csv"]), is("f", &["8", "csv"]), is("f", &many)]);
}

pub(super) fn ranges_of_numbers(bench: &Bench<'_>) {
    let values = ["9", "10", "100", "-3", "2.5", "1,000", "1e6", "10.0001"];
    assert_eq!(found(bench, &values, from("f", "100")), ["100", "1,000", "1e6"]);
    assert_eq!(found(bench, &values, to("f", "9")), ["9", "-3", "2.5"]);
    let wanted = ["10", "9.5", "-10", "1,000", "2000000"];
    tried(bench, &values, wanted.iter().flat_map(|v| [from("f", v), to("f", v)]).collect());
}

pub(super) fn ranges_of_text(bench: &Bench<'_>) {
    let values =
        ["apple", "Banana", "cherry", "b", "z-last", "_under", "中", "文", "élan", "a b", "a-b", "ab"];
    assert_eq!(found(bench, &["apple", "Banana", "cherry"], from("f", "banana")), ["Banana", "cherry"]);
    let wanted = ["banana", "B", "中", "a", "zzz", "é", "a b", "ab"];
    tried(bench, &values, wanted.iter().flat_map(|v| [from("f", v), to("f", v)]).collect());
}

pub(super) fn all_filters_must_hold(bench: &Bench<'_>) {
    let points = points(120, 20);
    let (store, space) = bench.filled(&points);
    let sets = [
        vec![from("year", "2005"), to("year", "2010")],
        vec![from("year", "2005"), to("year", "2010"), is("type", &["pdf"])],
        vec![is("type", &["csv"]), is("type", &["pdf"])],
        vec![is("type", &["csv", "pdf"]), is("type", &["pdf", "xlsx"])],
        vec![from("year", "2010"), to("year", "2005")],
        vec![is("type", &["csv"]), is("nothing", &["x"])],
    ];
    for (i, filters) in sets.into_iter().enumerate() {
        check(&*store, &space, &points, &query(i as u64), 120, &with(filters));
    }
}

pub(super) fn odd_field_names(bench: &Bench<'_>) {
    let long = "long".repeat(50);
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
        "x`y",
        "{curly}",
        "semi;colon",
        "100%",
        "key",
        "document",
        "vector",
        "id",
        "_id",
        "name",
        "source_id",
        "title",
        "n",
        "s",
        "f:n",
        "pipe|d",
        "[0]",
        "*",
        "-- x",
        "&<>",
        "é",
        "new\nline",
        " ",
        &long,
    ];
    let mut random = Random::new(21);
    let mut points = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let at = i as u64 * 2;
        points.push(point(at + 1, at as i64 + 1, &[(name, "yes"), ("z", "1")], random.direction(DIM)));
        points.push(point(at + 2, at as i64 + 2, &[(name, "42")], random.direction(DIM)));
    }
    let everything: Vec<(&str, &str)> = names.iter().map(|name| (*name, "both")).collect();
    points.push(point(1000, 1000, &everything, random.direction(DIM)));
    let (store, space) = bench.filled(&points);
    let filters =
        names.iter().flat_map(|name| [is(name, &["YES", "both"]), from(name, "41"), to(name, "42.5")]);
    each(&*store, &space, &points, filters.collect());
}

pub(super) fn odd_values(bench: &Bench<'_>) {
    let values = [
        "quote\"d",
        "it's",
        "back\\slash",
        "new\nline",
        "tab\t",
        "100%",
        "under_score",
        "*",
        "$1x",
        "{}",
        "[a]",
        "a|b",
        "a, b",
        "null",
        "NULL",
        "🙂",
        "İstanbul",
        "ﬁ",
        "<b>",
        "--",
        "' OR 1=1 --",
        "\\",
        "\"",
        " ",
    ];
    let mut filters: Vec<Filter> = values.iter().map(|v| is("f", &[v])).collect();
    filters.extend(values.iter().flat_map(|v| [from("f", v), to("f", v)]));
    filters.push(is("f", &values));
    tried(bench, &values, filters);
}

pub(super) fn missing_field(bench: &Bench<'_>) {
    let points = valued("f", &["a", "1"]);
    let (store, space) = bench.filled(&points);
    let nowhere = ["nowhere", "g.h", "F", "没有"];
    each(&*store, &space, &points, nowhere.iter().map(|n| is(n, &["a", "1"])).collect());
    each(
        &*store,
        &space,
        &points,
        nowhere.iter().flat_map(|n| [from(n, ""), to(n, "zzz"), from(n, "0")]).collect(),
    );
    each(&*store, &space, &points, vec![from("f", ""), to("f", "\u{10ffff}"), is("other", &["1"])]);
}

pub(super) fn long_values(bench: &Bench<'_>) {
    let (two, forty) = ("long value ".repeat(180), "very long ".repeat(4000));
    let points = valued("f", &[&two, &forty, "short"]);
    let (store, space) = bench.filled(&points);
    assert_eq!(store.count(&space).unwrap(), 4);
    each(&*store, &space, &points, vec![is("f", &["SHORT"]), is("f", &[&two]), is("other", &["2"])]);
}

pub(super) fn named_documents(bench: &Bench<'_>) {
    let points = points(90, 22);
    let (store, space) = bench.filled(&points);
    for documents in [vec![3], vec![1, 5, 9, 5], vec![4711], vec![2, 4711, 30], (1..=30).collect()] {
        check(&*store, &space, &points, &query(22), 90, &among(documents.clone()));
        check(&*store, &space, &points, &query(23), 4, &among(documents));
    }
}

pub(super) fn named_and_filtered(bench: &Bench<'_>) {
    let points = points(90, 23);
    let (store, space) = bench.filled(&points);
    let allow = |filters| Allow { filters, documents: Some((5..=20).collect()) };
    for filters in
        [vec![is("type", &["csv"])], vec![from("year", "2010"), to("year", "2012")], vec![is("x", &["y"])]]
    {
        check(&*store, &space, &points, &query(24), 90, &allow(filters.clone()));
        check(&*store, &space, &points, &query(25), 3, &allow(filters));
    }
}

pub(super) fn many_named_documents(bench: &Bench<'_>) {
    let points = points(600, 24);
    let (store, space) = bench.filled(&points);
    let odd: Vec<i64> = (0..70_000).map(|i| i * 2 + 1).collect();
    check(&*store, &space, &points, &query(26), 10, &among(odd.clone()));
    check(&*store, &space, &points, &query(27), 400, &among(odd.clone()));
    let both = Allow { filters: vec![is("type", &["csv"])], documents: Some(odd) };
    check(&*store, &space, &points, &query(28), 50, &both);
    let far: Vec<i64> = (0..70_000).map(|i| 1_000_000 + i * 3).collect();
    check(&*store, &space, &points, &query(29), 10, &among(far));
}

pub(super) fn facets_are_replaced(bench: &Bench<'_>) {
    let mut points = valued("f", &["old", "1", "stays"]);
    let (store, space) = bench.filled(&points);
    points[1] = point(2, 2, &[("g", "old")], points[1].vector.clone());
    points[2] = point(3, 3, &[("f", "new")], points[2].vector.clone());
    store.put(&space, &points[1..3]).unwrap();
    let filters =
        vec![is("f", &["old"]), is("f", &["1"]), from("f", "0"), is("g", &["old"]), is("f", &["new"])];
    each(&*store, &space, &points, filters);
}
