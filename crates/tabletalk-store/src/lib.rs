//! The embedded library: a directory that holds everything ingested.
//!
//! [`Catalog`] (SQLite) is the truth, [`data`] keeps the rows of tables, [`keyword`] and
//! [`vectors`] are the indexes that are made from both and can be made again.
//!
//! This crate must not know file formats, models or HTTP.

mod adopt;
pub mod cache;
pub mod catalog;
pub mod change;
mod choice;
mod conversation;
mod correction;
pub mod data;
pub mod embedding;
mod error;
pub mod files;
mod footer;
mod library;
mod made;
pub mod segment;
pub mod shared;
pub mod tree;
pub mod vectors;

pub use catalog::{Catalog, Entry, Piece, Record, Report, SourceFile, StoredTable};
pub use change::{Change, Keys};
pub use choice::Choice;
pub use conversation::{Conversation, Turn};
pub use data::Data;
pub use files::{Draft, Files, TableFile, Tables};
pub use library::{Guard, Library};
pub use shared::Shared;
pub use tabletalk_keyword::{Words, analyze, distinct, index as keyword, words};
