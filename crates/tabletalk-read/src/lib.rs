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

mod arrow;
mod builder;
pub mod correct;
mod flow;
mod format;
pub mod grid;
mod guard;
mod source;
mod stream;
mod typing;
pub mod understand;

pub use arrow::{RecordBatches, read_batches};
pub use format::{FORMATS, Format, pdf};

use source::Packing;
use tabletalk_core::seam::{Documents, Source};
use tabletalk_core::{Error, Result};

/// Raised whenever a file comes out otherwise than before: what an earlier version read is read again when it is
/// added again, and `doctor` names it.
pub const VERSION: u32 = 4;

/// Reads a file of any known format, packed or not.
pub fn read(source: &Source<'_>) -> Result<Documents> {
    let packing = Packing::of(&source::first_bytes(source.path, 4)?);
    let head = source::head(source, source::HEAD)?;
    if head.is_empty() {
        return Err(Error::input("is empty"));
    }
    let format = format::find(source, packing.inner_name(source.name), &head)?;
    Ok(guard::guarded((format.read)(source)?, source))
}

#[cfg(test)]
mod tests;
