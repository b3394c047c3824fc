//! CSV, TSV and every other text with delimiters.
//!
//! Delimiter, quote, encoding and header are found from the first part of a file, types from all of it. The
//! rows then stream, however large the file is.

mod batches;
mod block;
mod dialect;
mod parse;
mod sample;
mod split;
mod whole;

use crate::source::{self, Decoded};
use crate::source::{Look, is_named};
use crate::stream;
use crate::typing::Shape;
use crate::understand;
use batches::{Batches, State};
pub(crate) use block::{Block, Blocks};
use encoding_rs::{Encoding, UTF_8};
use parse::Plan;
use sample::Sample;
use split::Dialect;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tabletalk_core::seam::{Documents, Source};
use tabletalk_core::{Block as Content, Document, Error, Place, Placed, Result, Table};

/// Files up to this size are looked at in one piece.
const SMALL: usize = 8 << 20;
/// How much of a larger file is looked at first.
const FIRST: usize = 1 << 20;

/// Whether a text has the name of such a file, or is surely one.
pub(crate) fn looks(look: Look<'_>) -> bool {
    source::encoding_of(look.head).is_some() && (look.is_named || is_table(look.name, look.head))
}

/// Reads texts with delimiters.
pub(crate) fn read(source: &Source<'_>) -> Result<Documents> {
    source::one(document(source)?)
}

/// Whether a text of another name is surely a table: regular, and with more than prose's commas.
fn is_table(name: &str, head: &[u8]) -> bool {
    if is_named(name, &["log", "md", "markdown", "html", "htm", "json", "jsonl", "ndjson", "xml"]) {
        return false;
    }
    let text = source::decode(head, None);
    let (dialect, share) = Dialect::sniff(&text, head.len() < source::HEAD);
    let lines = text.lines().filter(|l| !l.trim().is_empty()).take(3).count();
    match dialect.delimiter {
        b'\t' | b'|' => share > 0.95 && lines > 2,
        b',' | b';' if !is_named(name, &["txt", "text"]) => share > 0.95 && lines > 1,
        _ => false,
    }
}

/// What is needed to open the text of a file again.
struct Text {
    encoding: &'static Encoding,
    mark: usize,
    /// Not only assumed because nothing in the first bytes speaks against it.
    is_certain: bool,
    broken: Arc<AtomicU64>,
    taken: Arc<AtomicU64>,
}

impl Text {
    fn sniff(source: &Source<'_>) -> Result<Text> {
        let head = source::head(source, source::HEAD)?;
        if head.is_empty() {
            return Err(Error::input("is empty"));
        }
        let (encoding, mark) = source::encoding_of(&head)
            .ok_or_else(|| Error::input("is not text").hint("check that the file is what its name says"))?;
        let is_certain = mark > 0 || encoding != UTF_8;
        Ok(Text { encoding, mark, is_certain, broken: Arc::default(), taken: Arc::default() })
    }

    fn open(&mut self, source: &Source<'_>) -> Result<Box<dyn Read + Send>> {
        self.broken = Arc::default();
        let unpacked = source::open(source)?;
        self.taken = unpacked.taken.clone();
        let decoded = Decoded::new(unpacked, self.encoding, self.mark, self.broken.clone());
        Ok(Box::new(decoded.map_err(source::fault)?))
    }

    fn blocks(&mut self, source: &Source<'_>, dialect: Dialect) -> Result<Blocks> {
        let reader = self.open(source)?;
        Ok(Blocks::new(reader, dialect, self.offset(), source.limits.max_cell_bytes))
    }

    /// Where the decoded text begins in the file.
    fn offset(&self) -> u64 {
        if self.encoding == UTF_8 { self.mark as u64 } else { 0 }
    }
}

fn document(source: &Source<'_>) -> Result<Document> {
    let mut text = Text::sniff(source)?;
    match attempt(source, &mut text)? {
        Ok(document) => Ok(document),
        Err(encoding) => {
            (text.encoding, text.is_certain) = (encoding, true);
            attempt(source, &mut text)?.map_err(|_| Error::bug("the encoding changed twice"))
        }
    }
}

/// Reads the file in the encoding found so far; if more of it shows another one, gives that back.
fn attempt(source: &Source<'_>, text: &mut Text) -> Result<Result<Document, &'static Encoding>> {
    let (first, is_all) = first_part(text, source)?;
    if let (false, Err(_)) = (text.is_certain, std::str::from_utf8(&first))
        && let (true, Some(encoding)) = (is_all, source::encoding_after_all(&first))
    {
        return Ok(Err(encoding));
    }
    let broken = std::str::from_utf8(&first).err().map(|e| text.offset() + e.valid_up_to() as u64);
    let mut first =
        String::from_utf8(first).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    let zeros = parse::Zeros::of(first.as_bytes(), text.offset());
    if zeros.is_some() {
        first.retain(|c| c != '\0');
    }
    let dialect = dialect_of(source.name, &first, is_all);
    if is_all && let Some(mut document) = whole::document(&first, dialect, source, text.offset())? {
        let decoded = || text.broken.load(Relaxed).checked_sub(1);
        document.warnings.extend(broken.or_else(decoded).map(batches::replaced));
        document.warnings.extend(zeros.map(batches::left_out));
        return Ok(Ok(document));
    }
    let mut sample = Sample::of(&first, dialect, is_all, source.limits)?;
    drop(first);
    if sample.rows.is_empty() {
        return Err(Error::input("is empty").hint("it holds only blank lines"));
    }
    if !is_all {
        let blocks = text.blocks(source, dialect)?;
        let broken = sample.see_all(blocks, dialect, !text.is_certain)?;
        if let Some(encoding) = broken.as_ref().and_then(|block| source::encoding_after_all(&block.bytes)) {
            return Ok(Err(encoding));
        }
        if broken.is_some() {
            sample.see_all(text.blocks(source, dialect)?, dialect, false)?;
        }
    }
    streamed(source, text, dialect, &sample, is_all).map(Ok)
}

/// The document of a file about which everything is known but its rows.
fn streamed(
    source: &Source<'_>,
    text: &mut Text,
    dialect: Dialect,
    sample: &Sample,
    is_all: bool,
) -> Result<Document> {
    let shapes = sample.shapes(dialect);
    let mut table = table_of(sample, &shapes, source);
    if is_all {
        let first = sample.rows.get(sample.head.skip).map_or(1, |(record, _)| record + 1);
        table.place = table.place.cells(first..=sample.records.max(first), 1..=sample.width.max(1) as u32);
    }
    let batches = Batches {
        blocks: text.blocks(source, dialect)?,
        plan: Plan { dialect, shapes },
        columns: table.columns.clone(),
        place: Place::file(source.name),
        skip: sample.first_data_record(),
        taken: text.taken.clone(),
        broken: text.broken.clone(),
        state: State::default(),
    };
    table.rows = stream::rows(batches, &table.columns, Some(sample.survey.rows()));
    Ok(Document { blocks: vec![Content::Table(table)], ..Document::default() })
}

/// The text of a small file, or the first part of a large one, and whether it is all.
fn first_part(text: &mut Text, source: &Source<'_>) -> Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    let mut reader = text.open(source)?.take(SMALL as u64 + 1);
    reader.read_to_end(&mut bytes).map_err(source::fault)?;
    let is_all = bytes.len() <= SMALL;
    if !is_all {
        bytes.truncate(FIRST);
    }
    Ok((bytes, is_all))
}

fn dialect_of(name: &str, text: &str, is_all: bool) -> Dialect {
    let (mut dialect, share) = Dialect::sniff(text, is_all);
    if is_named(name, &["tsv", "tab"]) && share < 0.9 && text.contains('\t') {
        dialect.delimiter = b'\t';
    }
    dialect
}

/// The table without its rows.
fn table_of(sample: &Sample, shapes: &[Shape], source: &Source<'_>) -> Table {
    let file = Place::file(source.name);
    let at = |record: u64, col: usize| {
        let (row, col) = (record + 1, col as u32 + 1);
        file.clone().cells(row..=row, col..=col)
    };
    let (skip, depth) = (sample.head.skip, sample.head.header_rows);
    let cells = |(record, row): &(u64, Vec<String>)| {
        let filled = row.iter().enumerate().filter(|(_, text)| !text.trim().is_empty());
        filled
            .map(|(col, text)| Placed { text: text.trim().into(), place: at(*record, col) })
            .collect::<Vec<_>>()
    };
    let above = sample.rows.iter().take(skip).flat_map(cells).collect();
    let (title, notes) = understand::titles(above);
    let header = sample.rows.iter().skip(skip).take(depth).flat_map(cells).collect();
    Table {
        title,
        notes,
        header,
        header_rows: depth as u32,
        columns: crate::typing::columns(sample.names(), shapes),
        place: file,
        ..Table::default()
    }
}

#[cfg(test)]
mod tests;
