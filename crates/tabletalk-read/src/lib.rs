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
//! let source = Source { path: &path, name: "sales.csv", limits: &limits };
//! for document in tabletalk_read::read(&source)? {
//!     for block in document?.blocks {
//!         let Block::Table(table) = block else { continue };
//!         assert_eq!(table.columns[1].kind, tabletalk_core::Kind::Integer);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod csv;
mod flow;
pub mod grid;
mod html;
mod json;
mod markdown;
mod parquet;
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
pub use parquet::Parquet;
pub use sheet::Sheet;
use sniff::Form;
pub use sqlite::Sqlite;
pub use text::Text;

use tabletalk_core::seam::{Documents, Reader, Source};
use tabletalk_core::{Error, Result};
use unpack::Packing;

/// All readers, in the order in which they are asked.
pub fn readers() -> Vec<Box<dyn Reader>> {
    vec![
        Box::new(Sheet),
        Box::new(Sqlite),
        Box::new(Parquet),
        Box::new(Html),
        Box::new(Markdown),
        Box::new(Json),
        Box::new(Csv),
        Box::new(Text),
    ]
}

/// Reads a file of any known format, packed or not.
pub fn read(source: &Source<'_>) -> Result<Documents> {
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

/// Reads a format that needs to move about in its file: a packed one is unpacked beside it first.
fn seekable(reader: &dyn Reader, source: &Source<'_>, packing: Packing) -> Result<Documents> {
    if packing == Packing::Plain {
        return reader.read(source);
    }
    let mut file = tempfile::NamedTempFile::new()?;
    std::io::copy(&mut unpack::open(source)?, &mut file).map_err(unpack::fault)?;
    let documents = reader.read(&Source {
        path: file.path(),
        ..source.clone()
    })?;
    // The file must live as long as what is read from it.
    Ok(Box::new(documents.inspect(move |_| {
        let _ = file.path();
    })))
}

/// The ending of a name in lower case, without the dot.
pub(crate) fn ending(name: &str) -> Option<String> {
    let (stem, ending) = name.rsplit_once('.')?;
    (!stem.is_empty()).then(|| ending.to_ascii_lowercase())
}
