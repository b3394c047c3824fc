//! What it costs to show a few rows of a large table, and how many tokens each format needs.
//!
//! `cargo run --release -p tabletalk-engine --example excerpt`

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use arrow_array::{Float64Array, Int64Array, StringArray};
use std::sync::Arc;
use std::time::Instant;
use tabletalk_core::{Batch, Cells, Column, Kind, Result, Table};
use tabletalk_engine::excerpt::{Excerpt, Pick};
use tabletalk_engine::format::{self, Format};
use tabletalk_engine::group::tokens;
use tabletalk_store::{Data, StoredTable, data::Writer};

const ROWS: u64 = 1_000_000;
const COLUMNS: u32 = 8;

fn main() -> Result<()> {
    let dir = std::env::temp_dir().join(format!("tabletalk-excerpt-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let made = table(&dir.join("t.parquet")).and_then(|stored| measure(&stored));
    std::fs::remove_dir_all(&dir)?;
    made
}

fn measure(stored: &StoredTable) -> Result<()> {
    println!("{ROWS} rows of {COLUMNS} columns; the time to read them all is 1");
    let all = time(stored, None, &Pick::All)?;
    let sample = |rows| Pick::Sample { rows, seed: 7 };
    for (name, columns, pick) in [
        ("the first 10", None, Pick::Head(10)),
        ("10 by chance", None, sample(10)),
        ("10 by chance, 2 columns", Some(&[0, 1][..]), sample(10)),
        ("1,000 by chance", None, sample(1000)),
        ("the last", None, Pick::Positions(vec![ROWS - 1])),
        ("10 by row number", None, Pick::Numbers((1..=10).map(|i| i * 99_991).collect())),
    ] {
        let took = time(stored, columns, &pick)?;
        println!("{name:>24}: {:.4}", took / all);
    }
    let shown = Excerpt::of(stored, None, &Pick::Head(1000))?;
    for format in Format::ALL {
        let begun = Instant::now();
        let made = format::table(&shown, format, 4000, &tokens::count)?;
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        println!("{:>24}: {} rows in {} of 4,000 tokens, {ms:.1} ms", format.name(), made.rows, made.tokens);
    }
    Ok(())
}

/// The shortest of three times, in seconds.
fn time(stored: &StoredTable, columns: Option<&[usize]>, pick: &Pick) -> Result<f64> {
    let mut best = f64::MAX;
    for _ in 0..3 {
        let begun = Instant::now();
        std::hint::black_box(Excerpt::of(stored, columns, pick)?);
        best = best.min(begun.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn table(path: &std::path::Path) -> Result<StoredTable> {
    let kinds = [Kind::Text, Kind::Integer, Kind::Decimal, Kind::Text];
    let kind = |i: u32| kinds.get(i as usize % kinds.len()).copied().unwrap_or(Kind::Text);
    let columns: Vec<Column> =
        (0..COLUMNS).map(|i| Column::new(format!("column {i}"), kind(i), i + 1)).collect();
    let mut writer = Writer::create(path, &columns)?;
    let rows: Vec<u64> = (0..ROWS).collect();
    for some in rows.chunks(16_384) {
        writer.write(&batch(some, &columns))?;
    }
    writer.finish()?.wait()?;
    Ok(StoredTable {
        key: 1,
        document: 1,
        id: "d/t1".into(),
        file: "t.csv".into(),
        source_id: String::new(),
        name: "t".into(),
        table: Table { columns, ..Table::default() },
        rows: ROWS,
        data: Data::File(tabletalk_store::TableFile::at(path.to_owned())),
    })
}

fn batch(rows: &[u64], columns: &[Column]) -> Batch {
    let cells = |c: &Column| {
        let mixed = rows.iter().map(|r| (r + u64::from(c.col)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40);
        let value: arrow_array::ArrayRef = match c.kind {
            Kind::Integer => Arc::new(Int64Array::from_iter_values(mixed.map(|v| v as i64))),
            Kind::Decimal => Arc::new(Float64Array::from_iter_values(mixed.map(|v| v as f64 / 8.0))),
            _ => Arc::new(StringArray::from_iter_values(mixed.map(|v| format!("value {v}")))),
        };
        Cells { value, text: None }
    };
    let numbers = rows.iter().map(|r| r + 2).collect();
    Batch { rows: numbers, columns: columns.iter().map(cells).collect(), ..Batch::default() }
}
