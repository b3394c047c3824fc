//! How long things take, and how much memory and room.

use super::made::{CITIES, Draw, NOTES};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tabletalk::{Error, Result, Retriever, Similarity, open};

/// Adds a file with this program to a library of its own; seconds and peak memory in MiB.
pub fn add(path: &Path, library: &Path) -> Result<(f64, f64)> {
    let begun = Instant::now();
    let program = std::env::current_exe()?;
    let mut child = Command::new(program)
        .arg("--quiet")
        .arg("--json")
        .arg("--library")
        .arg(library)
        .args(["add", "--no-embed"])
        .arg(path)
        .stdout(Stdio::null())
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
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The most memory a process has had so far, in MiB; `None` where the system does not say.
fn peak_memory(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kb| kb / 1024.0)
}

/// The bytes of all files in a folder.
pub fn size_of(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    entries
        .flatten()
        .map(|e| if e.path().is_dir() { size_of(&e.path()) } else { e.metadata().map_or(0, |m| m.len()) })
        .sum()
}

/// Milliseconds from the start of the program to the end of one search, the best of five.
pub fn start_time(library: &Path) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let begun = Instant::now();
        let program = std::env::current_exe()?;
        let done = Command::new(program)
            .arg("--library")
            .arg(library)
            .args(["search", "--similarity", "bm25", "--group", "cell", "ORD-00000017"])
            .output()?;
        if !done.status.success() {
            return Err(Error::input(String::from_utf8_lossy(&done.stderr)).at("searching failed"));
        }
        best = best.min(begun.elapsed().as_secs_f64() * 1e3);
    }
    Ok(best)
}

/// Kinds of queries for cell values.
const KINDS: [&str; 5] = ["id", "name and city", "amount", "product and note", "date"];

/// A query of one of the kinds, for a made file of that many rows.
fn query(draw: &mut Draw, kind: usize, rows: u64) -> String {
    match kind {
        0 => format!("ORD-{:08}", draw.below(rows.max(1))),
        1 => format!("Customer {} {}", draw.below(200_000), draw.of(&CITIES)),
        2 => format!("{}.{:02}", draw.below(9000), draw.below(100)),
        3 => format!("Product {:04} {}", draw.below(5000), draw.of(&NOTES)),
        _ => {
            format!("order on {}-{:02}-{:02}", 2015 + draw.below(9), draw.below(12) + 1, draw.below(28) + 1)
        }
    }
}

/// Milliseconds of queries of all kinds over a made file of rows: the middle one, and the one that 99 in 100 are under.
pub fn ask_rows(library: &Path, queries: usize, rows: u64) -> Result<Value> {
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
        let query = query(&mut draw, i % KINDS.len(), rows);
        let begun = Instant::now();
        library.search(&query, &retriever)?;
        times[i % KINDS.len()].push(begun.elapsed().as_secs_f64() * 1e3);
    }
    let mut kinds = Map::new();
    for (kind, times) in KINDS.iter().zip(&times) {
        kinds.insert((*kind).to_owned(), spread(times.clone()));
    }
    let mut value = spread(times.concat());
    value["kinds"] = Value::Object(kinds);
    Ok(value)
}

/// Milliseconds of searches by words for tables.
pub fn ask_tables(library: &Path, queries: &[String]) -> Result<Value> {
    let library = open(&tabletalk::Config::default(), library, false)?;
    let retriever = Retriever { group: "table".into(), similarity: Similarity::Bm25, ..Retriever::default() };
    let mut times = Vec::new();
    for query in queries {
        let begun = Instant::now();
        library.search(query, &retriever)?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    Ok(spread(times))
}

/// The middle time, the one that 99 in 100 are under, and the longest.
pub fn spread(mut times: Vec<f64>) -> Value {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get(((times.len().max(1) - 1) as f64 * share) as usize).copied();
    json!({"p50_ms": at(0.5), "p99_ms": at(0.99), "most_ms": times.last()})
}
