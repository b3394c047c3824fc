//! How time, memory and room grow with what is added.

use super::timing::{add, ask_rows, ask_tables, size_of};
use super::{made, page, plot};
use crate::args::BenchGrowth;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use tabletalk::cli::command::Context;
use tabletalk::{Error, Result};

/// The figures that are taken at every size, with their units.
pub const FIGURES: [(&str, &str, &str); 4] = [
    ("seconds", "time of adding", "s"),
    ("peak_mib", "peak memory of adding", "MiB"),
    ("library_mib", "library on disk", "MiB"),
    ("search_p50_ms", "search, the middle one", "ms"),
];

pub fn run(context: &Context<'_>, args: &BenchGrowth) -> Result<u8> {
    if args.sizes.iter().chain(&args.tables).any(|&n| n == 0) {
        return Err(Error::input("a size of nothing cannot be measured").hint("give sizes of 1 or more"));
    }
    let rows = measure(context, args, "rows", &args.sizes)?;
    let tables = measure(context, args, "tables", &args.tables)?;
    let value = json!({"rows": rows, "tables": tables});
    if let Some(out) = &args.out {
        std::fs::create_dir_all(out)?;
        std::fs::write(out.join("growth.json"), serde_json::to_vec_pretty(&value)?)?;
        page::write(out)?;
    }
    if context.output.is_json() {
        context.output.value(&value);
    } else {
        context.output.text(&shown(&value));
    }
    Ok(0)
}

/// One line of sizes: rows of one file, or tables of a few rows.
fn measure(context: &Context<'_>, args: &BenchGrowth, what: &str, sizes: &[u64]) -> Result<Value> {
    let mut points = Vec::new();
    for &n in sizes {
        let dir = tempfile::tempdir()?;
        let folder = args.data.as_deref().unwrap_or(dir.path());
        std::fs::create_dir_all(folder)?;
        let point = if what == "rows" {
            one_of_rows(folder, &dir.path().join("library"), n)?
        } else {
            one_of_tables(folder, &dir.path().join("library"), n)?
        };
        context.output.note(&format!(
            "{} {what}: {} s",
            plot::count(n),
            plot::number(point["seconds"].as_f64().unwrap_or_default())
        ));
        points.push(point);
    }
    let points = Value::Array(points);
    let exponents = exponents(&points);
    Ok(json!({"points": points, "exponents": exponents}))
}

fn one_of_rows(folder: &Path, library: &Path, n: u64) -> Result<Value> {
    let file = folder.join(format!("rows-{n}.csv"));
    if !file.exists() {
        made::rows(&file, n)?;
    }
    let added = add(&file, library)?;
    let asked = ask_rows(library, 100, n)?;
    point(n, &file, library, added, &asked)
}

fn one_of_tables(folder: &Path, library: &Path, n: u64) -> Result<Value> {
    let file = folder.join(format!("tables-{n}.jsonl"));
    let queries = made::tables(&file, n)?;
    let added = add(&file, library)?;
    let step = queries.len().div_ceil(100).max(1);
    let some: Vec<String> = queries.into_iter().step_by(step).collect();
    let asked = ask_tables(library, &some)?;
    point(n, &file, library, added, &asked)
}

fn point(n: u64, file: &Path, library: &Path, (seconds, peak): (f64, f64), asked: &Value) -> Result<Value> {
    Ok(json!({
        "n": n, "bytes": std::fs::metadata(file)?.len(), "seconds": seconds, "peak_mib": peak,
        "library_mib": size_of(library) as f64 / 1024.0 / 1024.0, "search_p50_ms": asked["p50_ms"],
        "search_p99_ms": asked["p99_ms"],
    }))
}

/// For each figure the exponent over all sizes, and over the last step alone: small sizes are mostly the start of the
/// program, so only the last step shows growth that is faster than the size.
fn exponents(points: &Value) -> Value {
    let mut all = Map::new();
    for (name, ..) in FIGURES {
        let points = plot::points(points, name);
        let last = &points[points.len().saturating_sub(2)..];
        all.insert(name.to_owned(), json!({"fit": plot::exponent(&points), "last": plot::exponent(last)}));
    }
    Value::Object(all)
}

/// The figures as lines for people.
fn shown(value: &Value) -> String {
    let mut text = String::new();
    for what in ["rows", "tables"] {
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
        let units = FIGURES.iter().map(|(_, title, unit)| format!("{title}, {unit}"));
        table.set_header(std::iter::once(what.to_owned()).chain(units));
        let figure = |value: &Value| value.as_f64().map_or("–".to_owned(), plot::number);
        for point in value[what]["points"].as_array().into_iter().flatten() {
            let n = point["n"].as_u64().map_or(String::new(), plot::count);
            table.add_row(std::iter::once(n).chain(FIGURES.iter().map(|(name, ..)| figure(&point[name]))));
        }
        let exponent = |(name, ..): &(&str, &str, &str)| {
            let of = &value[what]["exponents"][name];
            format!("n^{} (last n^{})", figure(&of["fit"]), figure(&of["last"]))
        };
        table.add_row(std::iter::once("grows as".to_owned()).chain(FIGURES.iter().map(exponent)));
        text.push_str(&format!("{table}\n\n"));
    }
    text
}

/// Where the figures of an earlier run are kept in a folder of results.
pub fn kept(out: &Path) -> Option<Value> {
    let file: PathBuf = out.join("growth.json");
    serde_json::from_slice(&std::fs::read(file).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_step_shows_what_the_first_ones_hide() {
        let points = json!([
            {"n": 10, "seconds": 1.0}, {"n": 100, "seconds": 1.0}, {"n": 1000, "seconds": 100.0}
        ]);
        let said = exponents(&points);
        assert_eq!(said["seconds"]["fit"], 1.0);
        assert!((said["seconds"]["last"].as_f64().unwrap() - 2.0).abs() < 1e-9);
        assert!(said["peak_mib"]["fit"].is_null());
    }
}
