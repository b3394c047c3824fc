//! Evaluation: how good the answers are, measured.

pub mod metric;
pub mod retrieval;
