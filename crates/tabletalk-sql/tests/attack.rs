//! Hostile programs: none reaches a file, none exceeds its limits, all leave the sandbox healthy.
//!
//! A binary of its own: what memory and threads it has taken is measured for the whole process.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code)]
#[path = "sql/common.rs"]
mod common;

use common::{array, cells, cities, lines, sales};
use datafusion::arrow::array::{Int64Array, StringArray};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use tabletalk_core::{Batch, Column, Fault, Kind};
use tabletalk_sql::{Limits, Relation, Relations, Sandbox, Source, Stop};

const CASES: &str = include_str!("data/attacks.txt");
/// Made by `scripts/make-attacks`.
const SHAPES: &str = include_str!("data/attacks-by-shape.txt");
const SECRET: &str = "secret-7f3a91";
const MEMORY: usize = 256 << 20;

struct Case {
    name: String,
    must: String,
    sql: String,
}

fn cases(text: &str, dir: &str) -> Vec<Case> {
    let body = text.split_once("\n== ").unwrap().1;
    let case = |text: &str| {
        let mut lines = text.splitn(3, '\n');
        let mut next = || lines.next().unwrap_or_default().to_owned();
        let (name, must, sql) = (next(), next(), next());
        Case { name, must, sql: repeated(sql.trim_end()).replace("{dir}", dir).replace("\\0", "\0") }
    };
    body.split("\n== ").map(case).collect()
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

fn relation(name: &str, column: Column, values: datafusion::arrow::array::ArrayRef) -> Relation {
    let rows = values.len() as u64;
    let batch = Batch { rows: (1..=rows).collect(), columns: vec![cells(values)], ..Batch::default() };
    Relation { name: name.into(), columns: vec![column], rows, source: Source::Memory(vec![batch]) }
}

fn relations(dir: &str) -> Vec<Relation> {
    let numbers = array(Int64Array::from_iter_values(0..2_000));
    let evil = array(StringArray::from(vec![
        "'; DROP TABLE sales; --",
        "\" OR 1=1",
        "${jndi:ldap://x}",
        "=cmd|' /C calc'!A0",
    ]));
    let name = "x\" FROM sales; DROP TABLE sales; --";
    vec![
        sales(),
        cities(),
        relation("numbers", Column::new("n", Kind::Integer, 1), numbers),
        relation("evil", Column::new(name, Kind::Text, 1), evil.clone()),
        relation(
            &format!("a\"; COPY sales TO '{dir}/out.csv'; --"),
            Column::new("x", Kind::Text, 1),
            evil.clone(),
        ),
        relation("/etc/hostname", Column::new("x", Kind::Text, 1), evil),
    ]
}

fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entry = |e: std::io::Result<std::fs::DirEntry>| {
        let e = e.unwrap();
        (e.file_name().to_string_lossy().into_owned(), std::fs::read(e.path()).unwrap())
    };
    std::fs::read_dir(dir).unwrap().map(entry).collect()
}

/// The most memory this process had since [`forget_peak`], where the system tells.
fn peak() -> usize {
    status("VmHWM:")
}

/// Begins to measure the peak anew. What the process has now is returned, where the system allows it.
fn forget_peak() -> Option<usize> {
    std::fs::write("/proc/self/clear_refs", "5").ok().map(|()| status("VmRSS:"))
}

fn status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix(name));
    let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<usize>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// What became of hostile programs.
#[derive(Default)]
struct Tally {
    tried: usize,
    refused: usize,
    limited: usize,
    ran: usize,
    got_through: Vec<String>,
}

impl Tally {
    const HEAD: &str =
        "| list | tried | refused | limited | ran within limits | got through |\n|---|---|---|---|---|---|";

    fn line(&self, list: &str) -> String {
        let Tally { tried, refused, limited, ran, got_through } = self;
        format!("| {list} | {tried} | {refused} | {limited} | {ran} | {} |", got_through.len())
    }

    fn add(&mut self, other: Tally) {
        self.tried += other.tried;
        self.refused += other.refused;
        self.limited += other.limited;
        self.ran += other.ran;
        self.got_through.extend(other.got_through);
    }
}

/// Tries all cases in a sandbox, with files beside it that must be neither read nor changed.
fn try_all(text: &str, time_ms: u64, step: usize) -> Tally {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    for name in ["canary.csv", "canary.parquet", "canary.db"] {
        std::fs::write(folder.path().join(name), SECRET).unwrap();
    }
    let before = files(folder.path());
    let limits = Limits { time_ms, memory: MEMORY, threads: 2, ..Limits::default() };
    let sandbox = Sandbox::new(limits).unwrap();
    let relations = relations(dir);
    let mut tally = Tally::default();
    for case in cases(text, dir).into_iter().step_by(step) {
        tally.tried += 1;
        match attack(&sandbox, &relations, &case) {
            Ok(Fate::Refused) => tally.refused += 1,
            Ok(Fate::Limited) => tally.limited += 1,
            Ok(Fate::Ran) => tally.ran += 1,
            Err(how) => tally.got_through.push(how),
        }
    }
    assert_eq!(files(folder.path()), before, "a file was made or changed");
    tally
}

#[test]
#[allow(clippy::print_stderr)]
fn no_hostile_program_reaches_anything_or_exceeds_its_limits() {
    // Without optimisation every second shape takes a minute; `ATTACKS=all` tries them all.
    let step = if std::env::var("ATTACKS").is_ok_and(|which| which == "all") { 1 } else { 2 };
    let (mut all, mut table) = (Tally::default(), vec![Tally::HEAD.to_owned()]);
    for (list, text, time_ms, step, least) in
        [("by hand", CASES, 3_000, 1, 110), ("by shape", SHAPES, 400, step, 500)]
    {
        let tally = try_all(text, time_ms, step);
        assert!(tally.tried >= least, "{} cases", tally.tried);
        table.push(tally.line(list));
        all.add(tally);
    }
    table.push(all.line("all"));
    eprintln!("{}", table.join("\n"));
    assert!(all.got_through.is_empty(), "{}", all.got_through.join("\n"));
    // What the programs had and the allocator has not given back adds up over all of them.
    assert!(peak() < 8 * MEMORY, "{} MiB", peak() >> 20);
}

/// What became of a hostile program that did no harm.
enum Fate {
    Refused,
    Limited,
    Ran,
}

fn attack(sandbox: &Sandbox, relations: &dyn Relations, case: &Case) -> Result<Fate, String> {
    let name = &case.name;
    let (start, before) = (Instant::now(), forget_peak());
    let result = sandbox.run(relations, &case.sql, &Stop::new());
    // The pool's own bound, and twice that for what it does not see.
    if let Some(grown) = before.map(|before| peak().saturating_sub(before)).filter(|g| *g > 3 * MEMORY) {
        return Err(format!("{name}: took {} MiB", grown >> 20));
    }
    // A deadline, and what a busy machine adds to it.
    if start.elapsed() > Duration::from_millis(sandbox.limits().time_ms) + Duration::from_secs(5) {
        return Err(format!("{name}: took {:?}", start.elapsed()));
    }
    let fate = match (case.must.as_str(), &result) {
        ("refused" | "harmless", Err(e)) if e.fault() == Fault::Input => Fate::Refused,
        ("refused" | "harmless" | "stopped", Err(e)) if e.fault() == Fault::Limit => Fate::Limited,
        ("harmless", Ok(_)) => Fate::Ran,
        (must, Ok(ran)) => return Err(format!("{name}: must be {must}, gave {} rows", ran.rows.len())),
        (must, Err(e)) => return Err(format!("{name}: must be {must}: {e}")),
    };
    if result.as_ref().is_ok_and(|ran| lines(ran).contains(SECRET) || ran.rows.len() > sandbox.limits().rows)
    {
        return Err(format!("{name}: read a file or gave too much"));
    }
    healthy(sandbox, relations).map_err(|e| format!("after {name}: {e}"))?;
    Ok(fate)
}

/// Whether the sandbox still runs statements.
fn healthy(sandbox: &Sandbox, relations: &dyn Relations) -> Result<(), String> {
    // A machine under load may take its time: what matters is that it works.
    let again = || sandbox.run(relations, "SELECT count(*), sum(n) FROM numbers", &Stop::new());
    let after = (0..10).map(|_| again()).find(Result::is_ok).unwrap_or_else(again);
    match after.as_ref().map(lines) {
        Ok(lines) if lines == "2000|1999000" => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

#[test]
fn a_statement_can_be_stopped_from_another_thread() {
    let sandbox = Sandbox::new(Limits { time_ms: 60_000, threads: 2, ..Limits::default() }).unwrap();
    let relations = relations("/nowhere");
    let stop = Stop::new();
    let raise = stop.clone();
    let raiser = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        raise.stop();
    });
    let sql = "SELECT sum(a.n * b.n) FROM numbers a, numbers b, numbers c, numbers d";
    let error = sandbox.run(&relations, sql, &stop).unwrap_err();
    raiser.join().unwrap();
    assert!(error.to_string().contains("stopped"), "{error}");
}

#[test]
fn a_sort_that_gets_no_memory_does_not_begin_to_sort() {
    let sandbox = Sandbox::new(Limits { memory: 32 << 20, threads: 2, ..Limits::default() }).unwrap();
    let relations = relations("/nowhere");
    for sql in [
        "SELECT * FROM numbers a, numbers b ORDER BY a.n * b.n",
        "SELECT nth_value(a.n, 3 ORDER BY b.n, a.n) FROM numbers a, numbers b",
        "SELECT rank() OVER (ORDER BY a.n * b.n) FROM numbers a, numbers b",
    ] {
        let error = sandbox.run(&relations, sql, &Stop::new()).unwrap_err();
        assert_eq!(error.fault(), Fault::Limit, "{sql}: {error}");
        // The engine's own words come once it has sorted all that it has, to write it to a disk that is not there.
        assert!(error.to_string().contains("sort goes beyond 32 MiB"), "{sql}: {error}");
    }
}
