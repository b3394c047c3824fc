//! Finds texts and cell values by their words.
//!
//! [`analyze`] cuts text into terms, [`index`] keeps them and scores them by BM25, [`distinct`] collects the values of a
//! column that are worth an entry. [`Words`] asks for entries of a group wherever they are kept.
//!
//! This crate must not know documents, catalogues, models or HTTP.

pub mod analyze;
pub mod distinct;
mod error;
pub mod index;
pub mod words;

pub use words::Words;
