//! Adding tables and rows, and the time from start to result.

use super::timing::{add, ask_rows, size_of, start_time};
use super::{made, peer};
use serde_json::{Value, json};
use std::path::Path;
use tabletalk::cli::command::Context;
use tabletalk::{Result, open};

/// Adding a corpus of tables, beside the obvious Python way.
pub fn tables(corpus: &Path, python: Option<&Path>, peer_tables: usize) -> Result<Value> {
    let dir = tempfile::tempdir()?;
    let (seconds, peak) = add(corpus, dir.path())?;
    let library = open(&tabletalk::Config::default(), dir.path(), false)?;
    let tabletalk::Counts { tables, rows, .. } = library.counts()?;
    let ours = tables as f64 / seconds;
    let peer = peer::run(
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

/// Adding a large CSV file, beside a bare scan of it before and after, then queries for its values.
pub fn csv(context: &Context<'_>, file: &Path, python: Option<&Path>, queries: usize) -> Result<Value> {
    if !file.exists() {
        context.output.note("making the file");
        made::rows(file, 10_000_000)?;
    }
    let scan = peer::run(python, "scan_datafusion.py", &[file.to_string_lossy().into_owned()]);
    let dir = tempfile::tempdir()?;
    let (seconds, peak) = add(file, dir.path())?;
    let again = peer::run(python, "scan_datafusion.py", &[file.to_string_lossy().into_owned()]);
    let scan_seconds = [&scan, &again].iter().filter_map(|s| s["seconds"].as_f64()).fold(f64::NAN, f64::min);
    let start = start_time(dir.path())?;
    let queries = ask_rows(dir.path(), queries, 10_000_000)?;
    Ok(json!({
        "bytes": std::fs::metadata(file)?.len(), "seconds": seconds, "peak_mib": peak,
        "library_bytes": size_of(dir.path()), "scan": [scan, again],
        "times_a_scan": seconds / scan_seconds, "start_ms": start, "queries": queries,
    }))
}

/// From the start of the program to its first hit, over a made file.
pub fn start(rows: u64) -> Result<Value> {
    let dir = tempfile::tempdir()?;
    let (file, library) = (dir.path().join("rows.csv"), dir.path().join("library"));
    made::rows(&file, rows)?;
    let (seconds, _) = add(&file, &library)?;
    Ok(json!({
        "rows": rows, "start_ms": start_time(&library)?, "adding_seconds": seconds,
        "library_bytes": size_of(&library),
    }))
}
