//! Reads files through the front door and prints how much there was and how long it took.
#![allow(clippy::print_stdout)]

use std::time::Instant;
use tabletalk_core::seam::{Limits, Source};
use tabletalk_core::{Block, Result, Rows};

fn main() {
    for path in std::env::args().skip(1) {
        match scan(&path) {
            Ok(line) => println!("{path}: {line}"),
            Err(e) => println!("{path}: {e}"),
        }
    }
}

#[derive(Default)]
struct Count {
    documents: usize,
    tables: usize,
    texts: usize,
    rows: usize,
    cells: usize,
    rejected: usize,
    warnings: Vec<String>,
}

fn scan(path: &str) -> Result<String> {
    let start = Instant::now();
    let limits = Limits::default();
    let source = Source::new(path.as_ref(), path, &limits);
    let mut count = Count::default();
    for document in tabletalk_read::read(&source)? {
        let document = document?;
        count.documents += 1;
        count.rejected += document.rejected.len();
        count.warnings.extend(document.warnings);
        for block in document.blocks {
            count.take(block)?;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let megabytes = std::fs::metadata(path)?.len() as f64 / 1e6;
    let Count { documents, tables, texts, rows, cells, rejected, warnings } = count;
    Ok(format!(
        "{documents} documents, {tables} tables, {texts} texts, {rows} rows, {cells} cells, {rejected} rejected, \
         {seconds:.2} s, {:.0} MB/s {warnings:?}",
        megabytes / seconds
    ))
}

impl Count {
    fn take(&mut self, block: Block) -> Result<()> {
        let Block::Table(table) = block else {
            self.texts += 1;
            return Ok(());
        };
        self.tables += 1;
        if std::env::var_os("SHOW").is_some() {
            for c in &table.columns {
                println!("  {} {} {:?}", c.name, c.kind.name(), c.unit);
            }
        }
        let mut count = |rows: usize| {
            self.rows += rows;
            self.cells += rows * table.columns.len();
        };
        match table.rows {
            Rows::Memory(batches) => batches.iter().for_each(|b| count(b.len())),
            Rows::Stream(mut stream) => {
                while let Some(batch) = stream.next_batch()? {
                    count(batch.len());
                }
                self.rejected += stream.rejected().len();
                self.warnings.extend(stream.warnings());
            }
        }
        Ok(())
    }
}
