//! Evaluation: how good the answers are, measured.

pub mod answers;
pub mod metric;
pub mod retrieval;
