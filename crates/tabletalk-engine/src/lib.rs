//! The stages between files and answers: group, index, recall, eval.
//!
//! This crate must not know file formats, vendors or sockets.

pub mod eval;
pub mod group;
pub mod index;
pub mod ingest;
pub mod recall;
pub mod tend;

pub use group::{Definition, Groups, Transform};
