//! Damages small files of every format in many ways; whatever comes, reading must end without a panic.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use tabletalk_core::seam::{Limits, Source};
use tabletalk_core::{Block, Result, Rows};

const ROUNDS: u64 = 150;

fn read(path: &Path, name: &str) -> Result<usize> {
    let limits = Limits {
        max_unpacked_bytes: 16 << 20,
        max_cells: 1_000_000,
        max_cell_bytes: 1 << 20,
        max_memory_file_bytes: 16 << 20,
        ..Limits::default()
    };
    let mut rows = 0;
    for document in tabletalk_read::read(&Source::new(path, name, &limits))? {
        for block in document?.blocks {
            let Block::Table(table) = block else { continue };
            let mut count = |batch: &tabletalk_core::Batch| {
                assert_eq!(batch.columns.len(), table.columns.len());
                assert!(batch.columns.iter().all(|c| c.value.len() == batch.len()));
                rows += batch.len();
            };
            match table.rows {
                Rows::Memory(batches) => batches.iter().for_each(&mut count),
                Rows::Stream(mut stream) => {
                    while let Some(batch) = stream.next_batch()? {
                        count(&batch);
                    }
                }
            }
        }
    }
    Ok(rows)
}

/// A small generator of numbers, so that every run damages in the same way.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }
}

fn damage(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    const TOKENS: &[&[u8]] = &[
        b"\"",
        b",",
        b"\n",
        b"\0",
        b"{",
        b"]",
        b"<td>",
        b"</table>",
        b"|",
        b"\xff\xff\xff\xff",
        b"99999999999",
    ];
    let mut bytes = bytes.to_vec();
    for _ in 0..=dice.throw(4) {
        let at = dice.throw(bytes.len());
        match dice.throw(6) {
            0 => bytes.truncate(at),
            1 => bytes[at..].iter_mut().take(1).for_each(|b| *b = b.wrapping_add(1 << (at % 8))),
            2 => bytes[at..].iter_mut().take(4).for_each(|b| *b = 0xff),
            3 => drop(bytes.splice(at..at, TOKENS[at % TOKENS.len()].iter().copied())),
            4 => drop(bytes.drain(at..(at + 7).min(bytes.len()))),
            _ => {
                let piece: Vec<u8> = bytes.iter().copied().skip(at).take(40).collect();
                bytes.extend(piece);
            }
        }
    }
    bytes
}

fn survives(name: &str, seed: &[u8]) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), seed).unwrap();
    read(file.path(), name).unwrap_or_else(|e| panic!("{name} as it is: {e}"));
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..ROUNDS {
        std::fs::write(file.path(), damage(seed, &mut dice)).unwrap();
        let _ = read(file.path(), name);
    }
}

#[test]
fn survives_damaged_text() {
    survives(
        "a.csv",
        b"Title\n\ncity,sold,\"when, where\"\nOslo,\"1,200\",2023-09-01\nParis,\"9\n5\",1/2/2023\n",
    );
    survives("a.json", br#"{"people":[{"n":"A","x":{"y":[1,2]}},{"n":"B"}],"year":2023}"#);
    survives("a.jsonl", b"{\"id\":1,\"header\":[\"a\",\"b\"],\"rows\":[[\"x\",\"12\"],[\"y\",\"5%\"]]}\n{\"text\":\"hello\"}\n");
    survives("b.jsonl", b"{\"a\":1,\"b\":{\"c\":[1,2]}}\n{\"a\":2.5,\"d\":null}\n");
    survives(
        "a.html",
        b"<html><body><h1>T</h1><table><tr><th colspan=2>a<tr><td rowspan=2>1<td>2<tr><td>3</table>",
    );
    survives("a.md", b"# T\n\ntext\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n");
    survives("a.txt", b"one\ntwo\n\nthree\n");
    survives("a.csv.gz", &gzip(b"a,b\n1,2\n3,4\n"));
    survives("a.csv.zst", &zstd::encode_all(&b"a,b\n1,2\n3,4\n"[..], 1).unwrap());
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = flate2::read::GzEncoder::new(bytes, flate2::Compression::fast());
    std::io::Read::read_to_end(&mut encoder, &mut packed).unwrap();
    packed
}

#[test]
fn survives_a_damaged_database() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute_batch("create table t (a, b text); insert into t values (1, 'x'), (2.5, null); create view v as select a from t")
        .unwrap();
    drop(connection);
    survives("a.db", &std::fs::read(path).unwrap());
}

#[test]
fn survives_a_damaged_workbook() {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    for (row, cells) in [["City", "Sold"], ["Oslo", "12"], ["Paris", "15"]].iter().enumerate() {
        for (col, cell) in cells.iter().enumerate() {
            sheet.write_string(row as u32, col as u16, *cell).unwrap();
        }
    }
    survives("a.xlsx", &book.save_to_buffer().unwrap());
}

#[test]
fn survives_a_damaged_parquet_file() {
    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use std::sync::Arc;
    let columns: [(&str, ArrayRef); 2] = [
        ("a", Arc::new(Int64Array::from(vec![1, 2, 3]))),
        ("b", Arc::new(StringArray::from(vec!["x", "y", "z"]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    survives("a.parquet", &bytes);
}
