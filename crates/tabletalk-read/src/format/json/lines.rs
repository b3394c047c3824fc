//! JSON lines: documents or rows, one a line, read in blocks and parsed in parallel.

use super::corpus;
use super::record::{self, Records, Row};
use crate::format::csv::{Block, Blocks};
use crate::typing::Shape;
use crate::{guard, source, stream};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::VecDeque;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tabletalk_core::seam::{Documents, Source};
use tabletalk_core::{Batch, Block as Content, Document, Error, Place, Rejection, Result, RowStream, Table};

/// How much is parsed at once by one thread.
const BLOCK: usize = 1 << 20;
/// So many values are looked at to see what a file holds.
const PEEKED: usize = 100;

/// Reads a file of JSON lines that begins with a mark of `mark` bytes.
pub(super) fn read(source: &Source<'_>, mark: usize) -> Result<Documents> {
    let mut lines = Lines::open(source, mark)?;
    let first = lines.peek()?;
    if !first.first().is_some_and(corpus::is_document) {
        let table = records(source, mark, record::flatten)?;
        let document = Document { blocks: vec![Content::Table(table)], ..Document::default() };
        return Ok(Box::new(std::iter::once(Ok(document))));
    }
    // Texts with fields of their own are documents and, beside that, the rows of a table.
    let table = match corpus::has_columns(&first) {
        true => Some(records(source, mark, corpus::row)?),
        false => None,
    };
    Ok(Box::new(Corpus { lines, ready: VecDeque::new(), rejected: Vec::new(), table, done: false }))
}

/// The lines of a file.
struct Lines {
    blocks: Blocks,
    ready: VecDeque<Block>,
    file: String,
    /// How many lines came before the next block.
    before: u64,
    taken: Arc<AtomicU64>,
}

/// One line: its number and the value on it, or what is wrong with it. Blank lines are left out.
type Line<T> = (u64, std::result::Result<T, String>);

impl Lines {
    fn open(source: &Source<'_>, mark: usize) -> Result<Lines> {
        let mut reader = source::open(source)?;
        let taken = reader.taken.clone();
        std::io::copy(&mut reader.by_ref().take(mark as u64), &mut std::io::sink()).map_err(source::fault)?;
        let blocks = Blocks::of_lines(Box::new(reader), mark as u64, source.limits.max_cell_bytes, BLOCK);
        Ok(Lines { blocks, ready: VecDeque::new(), file: source.name.to_owned(), before: 0, taken })
    }

    /// The first good values, left in place.
    fn peek(&mut self) -> Result<Vec<Value>> {
        let Some(block) = self.blocks.next_block()? else {
            return Ok(Vec::new());
        };
        let first = lines_of(&block.bytes, 0, Ok).filter_map(|(_, value)| value.ok()).take(PEEKED).collect();
        self.ready.push_back(block);
        Ok(first)
    }

    /// The next lines, in order, each turned into something by `make`, in parallel.
    fn next<T: Send>(
        &mut self,
        make: impl Fn(Value) -> Result<T, String> + Sync,
    ) -> Result<Option<Vec<Line<T>>>> {
        while self.ready.len() < rayon::current_num_threads() * 2 {
            match self.blocks.next_block()? {
                Some(block) => self.ready.push_back(block),
                None => break,
            }
        }
        if self.ready.is_empty() {
            return Ok(None);
        }
        let mut numbered = Vec::new();
        for block in self.ready.drain(..) {
            let count = memchr::memchr_iter(b'\n', &block.bytes).count() as u64;
            numbered.push((self.before, block));
            self.before += count;
        }
        let each =
            |(before, block): &(u64, Block)| lines_of(&block.bytes, *before, &make).collect::<Vec<_>>();
        Ok(Some(numbered.par_iter().flat_map_iter(each).collect()))
    }

    fn rejection(&self, line: u64, reason: String) -> Rejection {
        Rejection { place: Place::file(&self.file).lines(line..=line), reason }
    }
}

fn lines_of<T>(
    bytes: &[u8],
    before: u64,
    make: impl Fn(Value) -> Result<T, String>,
) -> impl Iterator<Item = Line<T>> {
    let lines = bytes.split(|b| *b == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty());
    lines.map(move |(i, line)| {
        let value = serde_json::from_slice(line).map_err(|e| format!("is not valid JSON: {e}"));
        (before + i as u64 + 1, value.and_then(&make))
    })
}

/// The documents of a file of which each line is one.
struct Corpus {
    lines: Lines,
    ready: VecDeque<Document>,
    rejected: Vec<Rejection>,
    /// The same records as rows.
    table: Option<Table>,
    done: bool,
}

impl Corpus {
    fn advance(&mut self) -> Result<()> {
        let file = self.lines.file.clone();
        let make = |value: Value| {
            corpus::is_document(&value)
                .then_some(value)
                .ok_or("has neither header and rows nor text".to_owned())
        };
        let Some(lines) = self.lines.next(make)? else {
            self.done = true;
            if let Some(table) = self.table.take() {
                // The stream of its rows tells which lines could not be read.
                self.ready.push_back(Document { blocks: vec![Content::Table(table)], ..Document::default() });
            } else if !self.rejected.is_empty() {
                // What could not be read belongs to none of the documents: it is told at the end.
                let rejected = std::mem::take(&mut self.rejected);
                self.ready.push_back(Document { rejected, ..Document::default() });
            }
            return Ok(());
        };
        let made: Vec<_> = lines
            .into_par_iter()
            .map(|(number, value)| (number, value.map(|v| corpus::document(v, &file, number))))
            .collect();
        for (number, document) in made {
            match document {
                Ok(Some(document)) => self.ready.push_back(document),
                Ok(None) => {}
                Err(reason) => self.rejected.push(self.lines.rejection(number, reason)),
            }
        }
        Ok(())
    }
}

impl Iterator for Corpus {
    type Item = Result<Document>;

    fn next(&mut self) -> Option<Result<Document>> {
        while self.ready.is_empty() && !self.done {
            if let Err(e) = self.advance() {
                self.done = true;
                return Some(Err(e));
            }
        }
        self.ready.pop_front().map(Ok)
    }
}

/// How a line becomes a row.
type Flatten = fn(Value) -> Row;

/// The table of a file of which each line is a row.
fn records(source: &Source<'_>, mark: usize, row: Flatten) -> Result<Table> {
    let (records, rows_in) = columns(source, mark, row)?;
    if records.width() == 0 {
        return Err(Error::input("has no line that is a JSON object"));
    }
    guard::check_width(records.width(), source.limits)?;
    let (columns, shapes) = (records.columns(), records.shapes());
    let lines = Lines::open(source, mark)?;
    let rows = RowLines { lines, records, shapes, row, rejected: Vec::new() };
    let rows = stream::rows(rows, &columns, Some(rows_in));
    Ok(Table { place: Place::file(source.name), columns, rows, ..Table::default() })
}

/// All columns of all lines, and their types. A field that only the last line has must have a column, and one
/// number with decimals makes a column of decimals, so the whole file is gone through.
/// Counts the lines too.
fn columns(source: &Source<'_>, mark: usize, row: Flatten) -> Result<(Records, u64)> {
    let mut lines = Lines::open(source, mark)?;
    let (mut records, mut count) = (Records::new(), 0);
    while let Some(rows) = lines.next(|value| Ok(row(value)))? {
        count += rows.len() as u64;
        rows.iter().filter_map(|(_, row)| row.as_ref().ok()).for_each(|row| records.see(row));
    }
    Ok((records, count))
}

/// The rows of a file of which each line is one.
struct RowLines {
    lines: Lines,
    records: Records,
    shapes: Vec<Shape>,
    row: Flatten,
    rejected: Vec<Rejection>,
}

impl RowStream for RowLines {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let row = self.row;
        while let Some(lines) = self.lines.next(|value| Ok(row(value)))? {
            let mut rows = Vec::with_capacity(lines.len());
            for (number, row) in lines {
                match row {
                    Ok(row) => rows.push((number, row)),
                    Err(reason) => self.rejected.push(self.lines.rejection(number, reason)),
                }
            }
            if !rows.is_empty() {
                return Ok(Some(self.records.batch(&self.shapes, rows.into_iter())));
            }
        }
        Ok(None)
    }
    fn rejected(&mut self) -> Vec<Rejection> {
        std::mem::take(&mut self.rejected)
    }
    fn bytes_read(&self) -> u64 {
        self.lines.taken.load(Relaxed)
    }
}
