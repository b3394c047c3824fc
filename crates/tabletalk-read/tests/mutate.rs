//! Damages small files of every format in many ways; whatever comes, reading must end without a panic.
//!
//! `MUTATE_SECONDS=600 cargo test --test mutate -- --nocapture` goes on for that long with each file, and says how
//! many inputs that were. It knows nothing of what an input reaches; `scripts/fuzz` does, and needs a nightly compiler.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};
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

/// The longest that reading one small file may take, on however busy a machine.
const MOST: Duration = Duration::from_secs(120);

/// How long to go on with each file, where more than the usual rounds are wanted.
fn seconds() -> Option<Duration> {
    let given = std::env::var("MUTATE_SECONDS").ok()?;
    Some(Duration::from_secs(given.parse().unwrap()))
}

fn survives(name: &str, seed: &[u8]) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), seed).unwrap();
    read(file.path(), name).unwrap_or_else(|e| panic!("{name} as it is: {e}"));
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (begun, mut inputs, mut taken) = (Instant::now(), 0, 0);
    // What was damaged and can still be read is damaged further.
    let mut seeds = vec![seed.to_vec()];
    while seconds().map_or(inputs < ROUNDS, |s| begun.elapsed() < s) {
        let damaged = damage(&seeds[dice.throw(seeds.len())], &mut dice);
        std::fs::write(file.path(), &damaged).unwrap();
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| read(file.path(), name)));
        if result.is_err() || start.elapsed() > MOST {
            let kept = std::env::temp_dir().join(format!("broke-{name}"));
            std::fs::write(&kept, &damaged).unwrap();
            panic!("{name} breaks its reader after {inputs} inputs; it is in {}", kept.display());
        }
        inputs += 1;
        if result.is_ok_and(|read| read.is_ok()) {
            taken += 1;
            if seeds.len() < 64 && damaged.len() < 4 * seed.len() + 1_000 {
                seeds.push(damaged);
            }
        }
    }
    if seconds().is_some() {
        eprintln!("{name}: {inputs} inputs, {taken} of them read");
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

/// An archive of parts, not packed, so that damage reaches the text in them.
fn zipped(parts: &[(&str, &str)]) -> Vec<u8> {
    use std::io::Write;
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, text) in parts {
        writer.start_file(*name, stored).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn survives_damaged_rich_text() {
    survives(
        "a.rtf",
        br"{\rtf1\ansi{\fonttbl{\f0\fcharset0 A;}}{\stylesheet{\s1 heading 1;}}\pard\s1 T\par\trowd\cellx900\clmrg\cellx1800\intbl a\cell\cell\row\pard{\footnote n}\u8364?x\par}",
    );
}

#[test]
fn survives_damaged_office_documents() {
    let table = "<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr>\
        <w:tr><w:tc><w:p/></w:tc><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>";
    let body = format!("<w:document><w:body><w:p><w:r><w:t>T</w:t></w:r></w:p>{table}</w:body></w:document>");
    survives("a.docx", &zipped(&[("word/document.xml", &body)]));
    let slide = "<p:sld><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>T</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>";
    let list = "<p:presentation><p:sldIdLst><p:sldId id='1' r:id='a'/></p:sldIdLst></p:presentation>";
    let relations = "<Relationships><Relationship Id='a' Type='x/slide' Target='s.xml'/></Relationships>";
    survives(
        "a.pptx",
        &zipped(&[
            ("ppt/presentation.xml", list),
            ("ppt/_rels/presentation.xml.rels", relations),
            ("ppt/s.xml", slide),
        ]),
    );
    let cells = "<table:table><table:table-row table:number-rows-repeated='3'><table:table-cell table:number-columns-spanned='2'>\
        <text:p>a</text:p></table:table-cell><table:covered-table-cell/></table:table-row></table:table>";
    let content =
        format!("<d><office:body><office:text><text:h>T</text:h>{cells}</office:text></office:body></d>");
    survives("a.odt", &zipped(&[("content.xml", &content)]));
    let container = "<container><rootfile full-path='b.opf'/></container>";
    let index = "<package><manifest><item id='a' href='a.xhtml'/></manifest><spine><itemref idref='a'/></spine></package>";
    survives(
        "a.epub",
        &zipped(&[
            ("META-INF/container.xml", container),
            ("b.opf", index),
            ("a.xhtml", "<p>T</p><ol><li>x</ol>"),
        ]),
    );
}

#[test]
fn survives_damaged_pages() {
    survives("a.pdf", include_bytes!("../../../examples/warranty.pdf"));
}
