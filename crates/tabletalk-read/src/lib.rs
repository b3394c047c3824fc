//! Reads files into documents with tables understood as tables.
//!
//! [`read`] finds the format by content and name, unpacks `.gz` and `.zst`, and gives the documents of the
//! file one by one; the rows of large tables stream. Errors say what is wrong, not with which file: the
//! caller knows its name.
//!
//! This crate must not know libraries, indexes or the network.
//!
//! ```
//! use tabletalk_core::{Block, seam::{Limits, Source}};
//!
//! let dir = tempfile::tempdir()?;
//! let path = dir.path().join("sales.csv");
//! std::fs::write(&path, "city;sold\nOslo;1,200\nParis;950\n")?;
//! let limits = Limits::default();
//! let source = Source::new(&path, "sales.csv", &limits);
//! for document in tabletalk_read::read(&source)? {
//!     for block in document?.blocks {
//!         let Block::Table(table) = block else { continue };
//!         assert_eq!(table.columns[1].kind, tabletalk_core::Kind::Integer);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod correct;
mod csv;
mod flow;
pub mod grid;
mod guard;
mod html;
mod json;
mod ledger;
mod markdown;
mod office;
mod parquet;
pub mod pdf;
pub mod sheet;
mod sniff;
mod sqlite;
mod text;
mod typing;
pub mod understand;
mod unpack;

pub use csv::Csv;
pub use html::Html;
pub use json::Json;
pub use markdown::Markdown;
pub use office::{Docx, Epub, Legacy, Odf, Pptx, Rtf};
pub use parquet::Parquet;
pub use pdf::Pdf;
pub use sheet::Sheet;
use sniff::Form;
pub use sqlite::Sqlite;
pub use text::Text;

use std::sync::Arc;
use tabletalk_core::seam::{Documents, Reader, Source};
use tabletalk_core::{Batch, Block, Document, Error, Rejection, Result, RowStream, Rows};
use tempfile::TempPath;
use unpack::Packing;

/// Raised whenever a file comes out otherwise than before: what an earlier version read is read again when it is
/// added again, and `doctor` names it.
pub const VERSION: u32 = 3;

/// All readers, in the order in which they are asked.
pub fn readers() -> Vec<Box<dyn Reader>> {
    vec![
        Box::new(Sheet),
        Box::new(Sqlite),
        Box::new(Parquet),
        Box::new(Pdf),
        Box::new(Docx),
        Box::new(Pptx),
        Box::new(Odf),
        Box::new(Epub),
        Box::new(Rtf),
        Box::new(Legacy),
        Box::new(Html),
        Box::new(Markdown),
        Box::new(Json),
        Box::new(Csv),
        Box::new(Text),
    ]
}

/// Reads a file of any known format, packed or not.
pub fn read(source: &Source<'_>) -> Result<Documents> {
    Ok(guard::guarded(any(source)?, source))
}

fn any(source: &Source<'_>) -> Result<Documents> {
    let packing = Packing::of(&unpack::first_bytes(source.path, 4)?);
    let head = unpack::head(source, unpack::HEAD)?;
    if head.is_empty() {
        return Err(Error::input("is empty"));
    }
    let name = packing.inner_name(source.name);
    match sniff::form(source, name, &head)? {
        Form::Sheet => Sheet.read(source),
        Form::Sqlite => seekable(&Sqlite, source, packing),
        Form::Parquet => seekable(&Parquet, source, packing),
        Form::Pdf => Pdf.read(source),
        Form::Docx => Docx.read(source),
        Form::Pptx => Pptx.read(source),
        Form::Odf => Odf.read(source),
        Form::Epub => Epub.read(source),
        Form::Rtf => Rtf.read(source),
        Form::Legacy => Legacy.read(source),
        Form::Open => open(source, name, &head),
    }
}

fn open(source: &Source<'_>, name: &str, head: &[u8]) -> Result<Documents> {
    let readers = readers();
    match readers.iter().find(|reader| reader.reads(name, head)) {
        Some(reader) => reader.read(source),
        None => Err(Error::input("is not text and of no known format")
            .hint("check that the file is what its name says")),
    }
}

/// Reads a format that needs to move about in its file: a packed one is unpacked first.
fn seekable(reader: &dyn Reader, source: &Source<'_>, packing: Packing) -> Result<Documents> {
    if packing == Packing::Plain {
        return reader.read(source);
    }
    let mut file = tempfile::NamedTempFile::new()?;
    std::io::copy(&mut unpack::open(source)?, &mut file).map_err(unpack::fault)?;
    let file = Arc::new(file.into_temp_path());
    let documents = reader.read(&Source { path: &file, ..source.clone() })?;
    Ok(Box::new(documents.map(move |document| Ok(hold(document?, &file)))))
}

/// Keeps an unpacked file for as long as rows are read from it.
fn hold(mut document: Document, file: &Arc<TempPath>) -> Document {
    for block in &mut document.blocks {
        let Block::Table(table) = block else { continue };
        table.rows = match std::mem::take(&mut table.rows) {
            Rows::Stream(stream) => Rows::Stream(Box::new(Held { stream, _file: file.clone() })),
            rows => rows,
        };
    }
    document
}

struct Held {
    stream: Box<dyn RowStream>,
    _file: Arc<TempPath>,
}

impl RowStream for Held {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        self.stream.next_batch()
    }
    fn rejected(&mut self) -> Vec<Rejection> {
        self.stream.rejected()
    }
    fn warnings(&mut self) -> Vec<String> {
        self.stream.warnings()
    }
    fn rows_in(&self) -> Option<u64> {
        self.stream.rows_in()
    }
    fn bytes_read(&self) -> u64 {
        self.stream.bytes_read()
    }
}

/// The ending of a name in lower case, without the dot.
pub(crate) fn ending(name: &str) -> Option<String> {
    let (stem, ending) = name.rsplit_once('.')?;
    (!stem.is_empty()).then(|| ending.to_ascii_lowercase())
}

#[cfg(test)]
mod tests;
