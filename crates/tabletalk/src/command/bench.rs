//! `bench`: speed and memory, beside a peer in the same run.

use super::Context;
use crate::args::{Bench, BenchWhat};
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tabletalk::{Error, Result, Retriever, Searching, Similarity, open};

pub fn run(context: &Context<'_>, bench: &Bench) -> Result<u8> {
    let value = match &bench.what {
        BenchWhat::Make { file, rows } => {
            make(file, *rows)?;
            json!({"file": file, "rows": rows, "bytes": std::fs::metadata(file)?.len()})
        }
        BenchWhat::Tables { corpus, python, peer_tables } => tables(corpus, python.as_deref(), *peer_tables)?,
        BenchWhat::Search { queries, threads, seconds, similarity, topk } => {
            let searching =
                Searching { similarity: Some(similarity.clone()), topk: Some(*topk), ..Searching::default() };
            search(context, &searching, queries, *threads, *seconds)?
        }
        BenchWhat::Csv { file, python, queries } => csv(context, file, python.as_deref(), *queries)?,
    };
    context.output.value(&value);
    Ok(0)
}

/// Searches on several threads for some seconds.
fn search(
    context: &Context<'_>,
    searching: &Searching,
    queries: &Path,
    threads: usize,
    seconds: f64,
) -> Result<Value> {
    let library = context.library()?;
    let text = std::fs::read_to_string(queries).map_err(|e| Error::from(e).at(queries.display()))?;
    let queries: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if queries.is_empty() {
        return Err(Error::input("there are no queries"));
    }
    let next = AtomicUsize::new(0);
    let begun = Instant::now();
    let one = || -> Result<Vec<f64>> {
        let mut times = Vec::new();
        while begun.elapsed().as_secs_f64() < seconds {
            let i = next.fetch_add(1, Ordering::Relaxed) % queries.len();
            let searching = Searching { query: queries[i].to_owned(), ..searching.clone() };
            let asked = Instant::now();
            let recalled = library.find(&searching)?;
            std::hint::black_box(tabletalk::searching::hits(&library, &searching, &recalled)?);
            times.push(asked.elapsed().as_secs_f64() * 1e3);
        }
        Ok(times)
    };
    let times = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(one)).collect();
        let mut all = Vec::new();
        for worker in workers {
            all.extend(worker.join().map_err(|_| Error::bug("a thread of the benchmark broke off"))??);
        }
        Ok::<_, Error>(all)
    })?;
    let took = begun.elapsed().as_secs_f64();
    let mut value = json!({"queries": times.len(), "seconds": took, "per_second": times.len() as f64 / took});
    value
        .as_object_mut()
        .zip(spread(times).as_object())
        .into_iter()
        .for_each(|(all, more)| all.extend(more.clone()));
    Ok(value)
}

/// A small generator, so that the file is the same every time.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

const CITIES: [&str; 10] =
    ["London", "Paris", "Berlin", "Tokyo", "Beijing", "Madrid", "Rome", "Vienna", "Oslo", "Lima"];
const CATEGORIES: [&str; 6] = ["Furniture", "Office Supplies", "Technology", "Food", "Garden", "Books"];
const STATES: [&str; 4] = ["shipped", "pending", "returned", "delivered"];
const NOTES: [&str; 8] = [
    "fragile",
    "urgent",
    "gift wrap",
    "leave at door",
    "call first",
    "standard",
    "repeat customer",
    "bulk order",
];

/// Twelve columns: an id without repeats, dates, names, amounts, short texts.
fn make(file: &Path, rows: u64) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(file)?);
    writeln!(
        out,
        "order_id,order_date,customer,city,country,category,product,quantity,unit_price,amount,status,note"
    )?;
    let mut draw = Draw(0x51_7CC1_B727_220A);
    for i in 0..rows {
        let (quantity, price) = (draw.below(50) + 1, draw.below(20_000));
        let amount = quantity * price;
        writeln!(
            out,
            "ORD-{i:08},{}-{:02}-{:02},Customer {},{} {},Country {},{},Product {:04},{quantity},{}.{:02},{}.{:02},{},{} {}",
            2015 + draw.below(9),
            draw.below(12) + 1,
            draw.below(28) + 1,
            draw.below(200_000),
            draw.of(&CITIES),
            draw.below(100),
            draw.below(190),
            draw.of(&CATEGORIES),
            draw.below(5000),
            price / 100,
            price % 100,
            amount / 100,
            amount % 100,
            draw.of(&STATES),
            draw.of(&NOTES),
            draw.of(&NOTES),
        )?;
    }
    out.flush()?;
    Ok(())
}

/// Runs this program on a library of its own; seconds and peak memory in MiB.
fn add(path: &Path, library: &Path) -> Result<(f64, f64)> {
    let begun = Instant::now();
    let program = std::env::current_exe()?;
    let mut child = Command::new(program)
        .arg("--quiet")
        .arg("--json")
        .arg("--library")
        .arg(library)
        .args(["add", "--no-embed"])
        .arg(path)
        .stdout(std::process::Stdio::null())
        .spawn()?;
    let mut peak = 0.0f64;
    loop {
        if let Some(status) = child.try_wait()? {
            if !status.success() {
                return Err(Error::input(format!("adding {} failed", path.display())));
            }
            return Ok((begun.elapsed().as_secs_f64(), peak));
        }
        peak = peak.max(peak_memory(child.id()).unwrap_or(0.0));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// The most memory a process has had so far, in MiB; `None` where the system does not say.
fn peak_memory(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kb| kb / 1024.0)
}

/// Runs a peer; what it prints as JSON, or why there is nothing to compare with.
fn peer(python: Option<&Path>, script: &str, args: &[String]) -> Value {
    let python = python.map(Path::to_owned).unwrap_or_else(|| ".peers/bin/python".into());
    if !python.exists() {
        return json!({"missing": format!("no {}; run scripts/peers/setup", python.display())});
    }
    match Command::new(python).arg(format!("scripts/peers/{script}")).args(args).output() {
        Ok(out) if out.status.success() => {
            let text = String::from_utf8_lossy(&out.stdout).into_owned();
            serde_json::from_str(text.trim()).unwrap_or_else(|e| json!({"failed": e.to_string()}))
        }
        Ok(out) => json!({"failed": String::from_utf8_lossy(&out.stderr)}),
        Err(e) => json!({"failed": e.to_string()}),
    }
}

fn tables(corpus: &Path, python: Option<&Path>, peer_tables: usize) -> Result<Value> {
    let dir = tempfile::tempdir()?;
    let (seconds, peak) = add(corpus, dir.path())?;
    let library = open(&tabletalk::Config::default(), dir.path(), false)?;
    let [_, tables, rows, _] = library.store().catalog()?.counts()?;
    let ours = tables as f64 / seconds;
    let peer = peer(
        python,
        "tables_python.py",
        &[corpus.to_string_lossy().into_owned(), "--limit".into(), peer_tables.to_string()],
    );
    let ratio = peer["tables_per_second"].as_f64().map(|theirs| ours / theirs);
    Ok(json!({
        "tables": tables, "rows": rows, "seconds": seconds, "tables_per_second": ours, "peak_mib": peak,
        "library_bytes": size_of(dir.path()), "peer": peer, "times_as_fast": ratio,
    }))
}

fn size_of(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    entries
        .flatten()
        .map(|e| if e.path().is_dir() { size_of(&e.path()) } else { e.metadata().map_or(0, |m| m.len()) })
        .sum()
}

fn csv(context: &Context<'_>, file: &Path, python: Option<&Path>, queries: usize) -> Result<Value> {
    if !file.exists() {
        context.output.note("making the file");
        make(file, 10_000_000)?;
    }
    let scan = peer(python, "scan_datafusion.py", &[file.to_string_lossy().into_owned()]);
    let dir = tempfile::tempdir()?;
    let (seconds, peak) = add(file, dir.path())?;
    let again = peer(python, "scan_datafusion.py", &[file.to_string_lossy().into_owned()]);
    let scan_seconds = [&scan, &again].iter().filter_map(|s| s["seconds"].as_f64()).fold(f64::NAN, f64::min);
    let start = start_time(dir.path())?;
    let queries = ask(dir.path(), queries)?;
    Ok(json!({
        "bytes": std::fs::metadata(file)?.len(), "seconds": seconds, "peak_mib": peak,
        "library_bytes": size_of(dir.path()), "scan": [scan, again],
        "times_a_scan": seconds / scan_seconds, "start_ms": start, "queries": queries,
    }))
}

/// Milliseconds from the start of the program to the end of one search, the best of five.
fn start_time(library: &Path) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let begun = Instant::now();
        let program = std::env::current_exe()?;
        Command::new(program)
            .arg("--library")
            .arg(library)
            .args(["search", "--similarity", "bm25", "--group", "cell", "ORD-00000017"])
            .output()?;
        best = best.min(begun.elapsed().as_secs_f64() * 1e3);
    }
    Ok(best)
}

/// Kinds of queries for cell values.
const KINDS: [&str; 5] = ["id", "name and city", "amount", "product and note", "date"];

/// Milliseconds of queries of all kinds: the middle one, and the one that 99 in 100 are under.
fn ask(library: &Path, queries: usize) -> Result<Value> {
    let library = open(&tabletalk::Config::default(), library, false)?;
    let retriever = Retriever {
        group: "cell".into(),
        target: Some("cell".into()),
        similarity: Similarity::Bm25,
        ..Retriever::default()
    };
    let mut draw = Draw(7);
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); KINDS.len()];
    for i in 0..queries {
        let query = match i % KINDS.len() {
            0 => format!("ORD-{:08}", draw.below(10_000_000)),
            1 => format!("Customer {} {}", draw.below(200_000), draw.of(&CITIES)),
            2 => format!("{}.{:02}", draw.below(9000), draw.below(100)),
            3 => format!("Product {:04} {}", draw.below(5000), draw.of(&NOTES)),
            _ => format!(
                "order on {}-{:02}-{:02}",
                2015 + draw.below(9),
                draw.below(12) + 1,
                draw.below(28) + 1
            ),
        };
        let begun = Instant::now();
        library.search(&query, &retriever)?;
        times[i % KINDS.len()].push(begun.elapsed().as_secs_f64() * 1e3);
    }
    let mut kinds = serde_json::Map::new();
    for (kind, times) in KINDS.iter().zip(&times) {
        kinds.insert((*kind).to_owned(), spread(times.clone()));
    }
    let mut value = spread(times.concat());
    value["kinds"] = Value::Object(kinds);
    Ok(value)
}

fn spread(mut times: Vec<f64>) -> Value {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get(((times.len().max(1) - 1) as f64 * share) as usize).copied();
    json!({"p50_ms": at(0.5), "p99_ms": at(0.99), "most_ms": times.last()})
}
