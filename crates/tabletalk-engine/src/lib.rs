//! The stages between files and answers: group, index, embed, recall, rerank, filter, clarify, format.
//!
//! This crate must not know file formats, vendors or sockets.

pub mod answer;
pub mod clarify;
pub mod embed;
pub mod excerpt;
pub mod filter;
pub mod format;
pub mod generate;
pub mod group;
pub mod index;
pub mod ingest;
pub mod maintain;
pub mod prompt;
pub mod raptor;
pub mod recall;
pub mod relate;
pub mod replicate;
pub mod rerank;
pub mod take;
pub mod watch;

pub use group::{Definition, Groups, Transform};
