//! Evaluation: how good the answers are, measured.

pub mod answers;
pub mod context;
pub mod metric;
pub mod retrieval;

pub use metric::Mean;
