//! How fast statements run, beside DuckDB over the same files.
//!
//! A table of many rows is made in the stored form in a temporary folder; ten statements run over it in turns with
//! `scripts/peers/sql_reference.py`, two threads each, and their rows are compared. What counts is the median.

use super::{peer, sql_made};
use crate::args::BenchSql;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tabletalk::sql::{Cell, Limits, Relation, Relations, Sandbox, Source, Stop};
use tabletalk::{Error, Result};

const THREADS: usize = 2;

const QUERIES: [(&str, &str); 10] = [
    ("count with a filter", "SELECT count(*) FROM sales WHERE quantity > 90 AND paid"),
    ("sum and average", "SELECT sum(quantity), avg(price), max(day) FROM sales"),
    ("group by 8", "SELECT region, count(*), sum(price) FROM sales GROUP BY region ORDER BY region"),
    (
        "group by 500, top 10",
        "SELECT city, avg(price) AS p FROM sales GROUP BY city ORDER BY p DESC, city LIMIT 10",
    ),
    (
        "group by two columns",
        "SELECT region, product, sum(quantity) AS q FROM sales GROUP BY region, product ORDER BY q DESC, region, product LIMIT 20",
    ),
    (
        "group by 1,000,000",
        "SELECT customer, sum(price) AS p FROM sales GROUP BY customer ORDER BY p DESC, customer LIMIT 10",
    ),
    (
        "selective filter",
        "SELECT sum(price * quantity) FROM sales WHERE city = 'city 77' AND day BETWEEN DATE '2021-03-01' AND DATE '2021-06-30'",
    ),
    (
        "join and group",
        "SELECT category, sum(price * weight) AS w FROM sales JOIN products ON sales.product = products.product GROUP BY category ORDER BY category",
    ),
    ("top 10 rows", "SELECT id, price, quantity FROM sales ORDER BY price DESC, id LIMIT 10"),
    (
        "filter by text, per year",
        "SELECT extract(year FROM day) AS y, count(DISTINCT product) FROM sales WHERE city LIKE '%9%' GROUP BY y ORDER BY y",
    ),
];

/// All statements over the large table and over twenty rows.
pub fn run(args: &BenchSql) -> Result<Value> {
    let dir = tempfile::tempdir()?;
    let relations = vec![sql_made::sales(dir.path(), args.rows)?, sql_made::products(dir.path())?];
    let (mut peer, missing) = match Peer::find(args.python.as_deref()) {
        Ok((python, script)) => (Some(Peer::start(&python, &script, &relations)?), None),
        Err(missing) => (None, Some(missing)),
    };
    let (bare, full) = (sandbox(false)?, sandbox(true)?);
    let mut statements = Vec::new();
    let mut totals = Times::default();
    for (name, sql) in QUERIES {
        let times = compare(&bare, &full, peer.as_mut(), &relations, sql, args.rounds)?;
        totals.add(&times);
        let mut shown = times.shown();
        shown["name"] = name.into();
        statements.push(shown);
    }
    Ok(json!({
        "rows": args.rows, "rounds": args.rounds, "threads": THREADS, "total": totals.shown(),
        "statements": statements, "twenty_rows": small(&bare, &full, args.small)?,
        "peer": {"name": "DuckDB", "version": peer.as_ref().map(|p| p.version.clone()), "missing": missing},
    }))
}

fn sandbox(lineage: bool) -> Result<Sandbox> {
    Sandbox::new(Limits { threads: THREADS, lineage, time_ms: 60_000, ..Limits::default() })
}

/// Milliseconds: ours, ours with the rows that the result rests on, and the peer's.
#[derive(Default)]
struct Times {
    bare: f64,
    full: f64,
    peer: Option<f64>,
}

impl Times {
    fn add(&mut self, more: &Times) {
        self.bare += more.bare;
        self.full += more.full;
        self.peer = more.peer.map(|peer| self.peer.unwrap_or(0.0) + peer);
    }

    /// The ratios say how many times as long as the peer ours took.
    fn shown(&self) -> Value {
        let ratio = |ours: f64| self.peer.map(|peer| ours / peer);
        json!({
            "ms": self.bare, "with_rows_ms": self.full, "peer_ms": self.peer,
            "times_the_peer": ratio(self.bare), "with_rows_times_the_peer": ratio(self.full),
        })
    }
}

fn compare(
    bare: &Sandbox,
    full: &Sandbox,
    mut peer: Option<&mut Peer>,
    relations: &dyn Relations,
    sql: &str,
    rounds: usize,
) -> Result<Times> {
    let mut times: [Vec<f64>; 3] = Default::default();
    // The first round warms the files and is not counted.
    for round in 0..=rounds.max(1) {
        let one = bare.run(relations, sql, &Stop::new())?;
        let two = full.run(relations, sql, &Stop::new())?;
        let theirs = peer.as_mut().map(|p| p.ask(&json!({ "sql": sql }))).transpose()?;
        if let Some(theirs) = &theirs {
            same(sql, &one.rows, &theirs["rows"])?;
        }
        if round > 0 {
            times[0].push(one.ms);
            times[1].push(two.ms);
            times[2].extend(theirs.and_then(|t| t["ms"].as_f64()));
        }
    }
    let [bare, full, peer] = times.map(median);
    Ok(Times { bare: bare.unwrap_or(0.0), full: full.unwrap_or(0.0), peer })
}

fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

/// Both must find the same: a fast wrong answer counts for nothing.
fn same(sql: &str, ours: &[Vec<Cell>], theirs: &Value) -> Result<()> {
    let differ = || Error::bug(format!("the peer finds something else for {sql}"));
    let theirs = theirs.as_array().filter(|rows| rows.len() == ours.len()).ok_or_else(differ)?;
    for (our, their) in ours.iter().zip(theirs) {
        let their = their.as_array().ok_or_else(differ)?;
        if !our.iter().zip(their).all(|(a, b)| same_cell(a, b)) {
            return Err(differ());
        }
    }
    Ok(())
}

fn same_cell(ours: &Cell, theirs: &Value) -> bool {
    match (ours, theirs.as_f64()) {
        (Cell::Integer(a), Some(b)) => *a as f64 == b,
        (Cell::Decimal(a), Some(b)) => (a - b).abs() <= 1e-6 * b.abs().max(1.0),
        _ => theirs.as_str() == Some(ours.to_string().as_str()),
    }
}

/// DuckDB in a process of its own.
struct Peer {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    version: String,
}

impl Peer {
    /// The Python and the script, or what is missing.
    fn find(given: Option<&Path>) -> Result<(PathBuf, PathBuf), String> {
        let python = peer::python(given);
        if !python.exists() {
            return Err(peer::how_to_install(&python));
        }
        if !peer::lacks(&python, &["duckdb"]).is_empty() {
            return Err(format!("{} has no duckdb; run scripts/peers/setup", python.display()));
        }
        let script = peer::root().map(|root| root.join("scripts/peers/sql_reference.py"));
        script.map(|script| (python, script)).ok_or_else(|| "no source tree with scripts/peers".to_owned())
    }

    fn start(python: &Path, script: &Path, relations: &[Relation]) -> Result<Self> {
        let mut command = Command::new(python);
        command.arg(script).arg(THREADS.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (to, from) = pipes.ok_or_else(|| Error::bug("the peer has no pipes"))?;
        let mut peer = Peer { child, to, from: BufReader::new(from), version: String::new() };
        for relation in relations {
            let Source::Parquet(file) = &relation.source else { continue };
            let columns: Vec<&str> = relation.columns.iter().map(|c| c.name.as_str()).collect();
            let about = peer.ask(&json!({ "table": relation.name, "file": file, "columns": columns }))?;
            peer.version = about["version"].as_str().unwrap_or_default().to_owned();
        }
        Ok(peer)
    }

    fn ask(&mut self, what: &Value) -> Result<Value> {
        writeln!(self.to, "{what}")?;
        let mut line = String::new();
        self.from.read_line(&mut line)?;
        if line.is_empty() {
            return Err(Error::upstream("the peer ended before it answered"));
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const SMALL: [(&str, &str); 4] = [
    ("look-up", "SELECT price FROM small WHERE city = 'city 7'"),
    ("sum", "SELECT sum(quantity) FROM small"),
    ("group and sort", "SELECT city, sum(quantity) AS q FROM small GROUP BY city ORDER BY q DESC LIMIT 3"),
    ("subquery", "SELECT city FROM small WHERE price = (SELECT max(price) FROM small)"),
];

/// What a statement over a table of twenty rows takes.
fn small(bare: &Sandbox, full: &Sandbox, runs: usize) -> Result<Value> {
    let relations = vec![sql_made::small()];
    let time = |sandbox: &Sandbox, sql: &str| -> Result<Option<f64>> {
        let one = |_| sandbox.run(&relations, sql, &Stop::new()).map(|ran| ran.ms);
        (0..runs).map(one).collect::<Result<Vec<f64>>>().map(median)
    };
    SMALL
        .iter()
        .map(|&(name, sql)| {
            Ok(json!({"name": name, "ms": time(bare, sql)?, "with_rows_ms": time(full, sql)?}))
        })
        .collect()
}
