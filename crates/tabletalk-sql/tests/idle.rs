//! Once a statement was told that it took too long, nothing goes on working for it.
//!
//! A binary of its own: processor time is measured for the whole process.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

#[allow(dead_code)]
#[path = "sql/common.rs"]
mod common;

use common::{array, cells, sales};
use datafusion::arrow::array::Int64Array;
use std::time::{Duration, Instant};
use tabletalk_core::{Batch, Column, Kind};
use tabletalk_sql::{Limits, Relation, Sandbox, Source, Stop};

const SHAPES: &str = include_str!("data/attacks-by-shape.txt");

/// Beginnings of the shapes that worked on for longest, one for each cause.
const WORST: &[&str] = &[
    // One function over one batch.
    "SELECT count(*) FROM numbers a, numbers b WHERE repeat('a', 2000) || a.n LIKE",
    "SELECT count(*) FROM (SELECT repeat(City, 5000) AS a FROM sales) x, numbers, numbers b WHERE a LIKE",
    "SELECT count(*) FROM (SELECT repeat('a', 4000) || n AS x FROM numbers) t, numbers b WHERE x ~",
    "SELECT sum(strpos(",
    "SELECT sum(length(btrim(",
    // Joins, sorts, groups and windows.
    "SELECT count(*) FROM numbers a FULL JOIN numbers b ON a.n <> b.n FULL JOIN",
    "SELECT * FROM numbers a, numbers b ORDER BY a.n + b.n, a.n * b.n",
    "SELECT x FROM (SELECT repeat('a', 4000) || n AS x FROM numbers) t, numbers b ORDER BY",
    "SELECT nth_value(a.n, 3 ORDER BY b.n, c.n) FROM numbers a, numbers b, numbers c",
    "SELECT string_agg(a.n, ',' ORDER BY b.n, c.n) FROM numbers a, numbers b, numbers c",
    "SELECT a.n, b.n, count(*) FROM numbers a, numbers b GROUP BY CUBE",
    "SELECT count(*) FROM numbers GROUP BY GROUPING SETS ({{400:(n),}}",
    "SELECT n FROM numbers UNION SELECT a.n * b.n FROM numbers a, numbers b",
    "SELECT sum(a.n) OVER (PARTITION BY b.n ORDER BY a.n) FROM numbers a, numbers b",
    // Planning.
    "SELECT * FROM {{20:(select * from }}sales",
    "SELECT {{40:coalesce(}}",
    "SELECT {{40:(select }}1{{",
    "SELECT count(*) FROM sales WHERE City{{300: || City}}",
    "SELECT count(*) FROM sales WHERE City{{300: like City}}",
];

fn numbers() -> Relation {
    let values = array(Int64Array::from_iter_values(0..2_000));
    let batch = Batch { rows: (1..=2_000).collect(), columns: vec![cells(values)], ..Batch::default() };
    let columns = vec![Column::new("n", Kind::Integer, 1)];
    Relation { name: "numbers".into(), columns, rows: 2_000, source: Source::Memory(vec![batch]) }
}

/// Processor time of this process, threads that have ended included.
fn processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    // User and system time, in hundredths of a second.
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

/// How many threads want a processor, this one left out. A busy machine may not give them one: that a process
/// uses no time does not show that it wants none.
fn runnable() -> usize {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let states = threads.filter_map(|t| std::fs::read_to_string(t.path().join("stat")).ok());
    let runs =
        |stat: String| stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('R'));
    states.filter(|stat| runs(stat.clone())).count().saturating_sub(1)
}

/// The processor time that is used until no thread wants any.
fn until_idle() -> Duration {
    let (before, begun) = (processor(), Instant::now());
    let mut quiet = 0;
    while quiet < 5 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
        quiet = if runnable() == 0 { quiet + 1 } else { 0 };
    }
    processor() - before
}

/// The worst; all shapes where `ATTACKS=all`, which takes a quarter of an hour.
fn statements() -> Vec<&'static str> {
    let is_statement = |line: &&str| line.starts_with("SELECT ") || line.starts_with("WITH ");
    match std::env::var("ATTACKS").is_ok_and(|which| which == "all") {
        true => SHAPES.lines().filter(is_statement).collect(),
        false => WORST.iter().map(|beginning| shape(beginning)).collect(),
    }
}

fn shape(beginning: &str) -> &'static str {
    let found = SHAPES.lines().find(|line| line.starts_with(beginning));
    found.unwrap_or_else(|| panic!("no shape begins with {beginning}"))
}

/// `{{3:ab}}` as `ababab`.
fn repeated(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (count, after) = after.split_once(':').unwrap();
        let (what, after) = after.split_once("}}").unwrap();
        out.push_str(before);
        out.push_str(&what.repeat(count.parse().unwrap()));
        rest = after;
    }
    out + rest
}

#[test]
fn nothing_works_on_for_a_statement_that_ran_out_of_time() {
    let limits = Limits { time_ms: 1_000, memory: 256 << 20, threads: 2, ..Limits::default() };
    let allowed = Duration::from_millis(limits.time_ms);
    let sandbox = Sandbox::new(limits).unwrap();
    let relations = vec![sales(), numbers()];
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut late = Vec::new();
    for sql in statements().into_iter().filter(|w| w.contains(&only)) {
        let before = processor();
        let result = sandbox.run(&relations, &repeated(sql), &Stop::new());
        let (used, after) = (processor() - before, until_idle());
        let said = result.map_or_else(|e| e.message().to_owned(), |ran| format!("{} rows", ran.rows.len()));
        let beginning: String = sql.chars().take(120).collect();
        eprintln!("{:>6} ms, then {:>5} ms: {beginning}: {said}", used.as_millis(), after.as_millis());
        if after > allowed / 2 {
            late.push(format!("{beginning}: {after:?} after its end"));
        }
    }
    assert!(late.is_empty(), "{}", late.join("\n"));
}
