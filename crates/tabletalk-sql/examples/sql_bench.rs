//! How fast statements run, beside DuckDB over the same files.
//!
//! ```text
//! cargo run --release -p tabletalk-sql --example sql_bench -- --python .peers/bin/python
//! ```
//!
//! Makes a table of ten million rows in the stored form in a temporary folder, runs ten statements in turns
//! with `scripts/peers/sql_reference.py`, two threads each, and prints the medians and their ratios. Without
//! `--python` only our own times are printed. `--rows N` and `--rounds N` change the size and the repeats.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "sql_bench/make.rs"]
mod make;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;
use tabletalk_sql::{Cell, Limits, Relation, Relations, Sandbox, Source, Stop};

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

fn option(name: &str) -> Option<String> {
    let mut args = std::env::args().skip_while(|a| a != name);
    args.nth(1)
}

fn number(name: &str, default: usize) -> usize {
    option(name).map_or(default, |v| v.parse().expect("a number"))
}

fn main() {
    let (rows, rounds) = (number("--rows", 10_000_000), number("--rounds", 5));
    let dir = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let relations = vec![make::sales(dir.path(), rows), make::products(dir.path())];
    println!("{rows} rows made in {:.1} s", start.elapsed().as_secs_f64());
    let mut peer = option("--python").map(|python| Peer::start(&python, &relations));
    let bare = sandbox(false);
    let full = sandbox(true);
    println!("{:<26} {:>9} {:>9} {:>9} {:>7} {:>7}", "", "ours", "+ rows", "DuckDB", "ratio", "+ rows");
    let mut totals = [0.0; 3];
    for (name, sql) in QUERIES {
        let times = compare(&bare, &full, peer.as_mut(), &relations, sql, rounds);
        for (total, time) in totals.iter_mut().zip(times) {
            *total += time;
        }
        line(name, times);
    }
    line("total", totals);
    small(number("--small", 300));
}

fn sandbox(lineage: bool) -> Sandbox {
    Sandbox::new(Limits { threads: THREADS, lineage, time_ms: 60_000, ..Limits::default() }).unwrap()
}

fn line(name: &str, [bare, full, peer]: [f64; 3]) {
    println!(
        "{name:<26} {bare:>6.0} ms {full:>6.0} ms {peer:>6.0} ms {:>7.2} {:>7.2}",
        bare / peer,
        full / peer
    );
}

fn compare(
    bare: &Sandbox,
    full: &Sandbox,
    mut peer: Option<&mut Peer>,
    relations: &dyn Relations,
    sql: &str,
    rounds: usize,
) -> [f64; 3] {
    let mut times: [Vec<f64>; 3] = Default::default();
    // The first round warms the files and is not counted.
    for round in 0..=rounds {
        let one = bare.run(relations, sql, &Stop::new()).unwrap();
        let two = full.run(relations, sql, &Stop::new()).unwrap();
        assert_eq!(one.rows.len(), two.rows.len(), "{sql}");
        let theirs = peer.as_mut().map(|p| p.ask(&serde_json::json!({ "sql": sql })));
        if let Some(theirs) = &theirs {
            assert_same(sql, &one.rows, &theirs["rows"]);
        }
        if round > 0 {
            let peer_ms = theirs.map_or(f64::NAN, |t| t["ms"].as_f64().unwrap());
            for (all, time) in times.iter_mut().zip([one.ms, two.ms, peer_ms]) {
                all.push(time);
            }
        }
    }
    times.map(median)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn assert_same(sql: &str, ours: &[Vec<Cell>], theirs: &serde_json::Value) {
    let theirs = theirs.as_array().unwrap();
    assert_eq!(ours.len(), theirs.len(), "{sql}");
    for (our, their) in ours.iter().zip(theirs) {
        for (a, b) in our.iter().zip(their.as_array().unwrap()) {
            let same = match (a, b.as_f64()) {
                (Cell::Integer(a), Some(b)) => *a as f64 == b,
                (Cell::Decimal(a), Some(b)) => (a - b).abs() <= 1e-6 * b.abs().max(1.0),
                _ => b.as_str() == Some(a.to_string().as_str()),
            };
            assert!(same, "{sql}: {a:?} and {b}");
        }
    }
}

/// DuckDB in a process of its own.
struct Peer {
    _child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Peer {
    fn start(python: &str, relations: &[Relation]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/peers/sql_reference.py");
        let mut command = Command::new(python);
        command.arg(script).arg(THREADS.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("python starts");
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut peer = Peer { _child: child, to, from };
        for relation in relations {
            let Source::Parquet(file) = &relation.source else { panic!("not a file") };
            let columns: Vec<&str> = relation.columns.iter().map(|c| c.name.as_str()).collect();
            let about =
                peer.ask(&serde_json::json!({ "table": relation.name, "file": file, "columns": columns }));
            println!("DuckDB {} reads {}", about["version"], relation.name);
        }
        peer
    }

    fn ask(&mut self, what: &serde_json::Value) -> serde_json::Value {
        writeln!(self.to, "{what}").unwrap();
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).expect("an answer")
    }
}

/// What a statement over a table of twenty rows takes.
fn small(runs: usize) {
    let relations = vec![make::small()];
    let statements = [
        ("look-up", "SELECT price FROM small WHERE city = 'city 7'"),
        ("sum", "SELECT sum(quantity) FROM small"),
        (
            "group and sort",
            "SELECT city, sum(quantity) AS q FROM small GROUP BY city ORDER BY q DESC LIMIT 3",
        ),
        ("subquery", "SELECT city FROM small WHERE price = (SELECT max(price) FROM small)"),
    ];
    println!("twenty rows in memory (median of {runs}):");
    for (name, sql) in statements {
        let time = |sandbox: &Sandbox| {
            let one = |_| sandbox.run(&relations, sql, &Stop::new()).unwrap().ms;
            median((0..runs).map(one).collect())
        };
        println!("{name:<26} {:>6.2} ms {:>6.2} ms with rows", time(&sandbox(false)), time(&sandbox(true)));
    }
}
