//! The embedded library: a directory that holds everything ingested.
//!
//! [`Catalog`] (SQLite) is the truth, [`data`] keeps the rows of tables, [`keyword`] and
//! [`vectors`] are the indexes that are made from both and can be made again.
//!
//! This crate must not know file formats, models or HTTP.

pub mod cache;
pub mod catalog;
pub mod data;
mod error;
pub mod files;
mod footer;
mod library;
pub mod shared;
pub mod vectors;

pub use catalog::{
    Catalog, Change, Choice, Conversation, Entry, Feedback, ForeignKey, Keys, NewForeignKey, Piece, Record,
    Report, SourceFile, StoredTable, Turn,
};
pub use catalog::{sharing as segment, tree, vectors as embedding};
pub use data::Data;
pub use files::{Draft, Files, TableFile, Tables};
pub use library::{Guard, Library};
pub use shared::Shared;
pub use tabletalk_keyword::{Words, analyze, distinct, index as keyword, words};
