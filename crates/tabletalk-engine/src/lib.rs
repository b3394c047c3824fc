//! The stages between files and answers: group, index, embed, recall, rerank, filter, clarify, format.
//!
//! This crate must not know file formats, vendors or sockets.

pub mod answer;
pub mod clarify;
pub mod embed;
pub mod excerpt;
pub mod filter;
pub mod format;
pub mod group;
pub mod index;
pub mod ingest;
pub mod make;
pub mod prompt;
pub mod raptor;
pub mod recall;
pub mod relate;
pub mod rerank;
pub mod share;
pub mod tend;

pub use group::{Definition, Groups, Transform};
