//! Reads questions over a table as programs, without a language model.
//!
//! [`read`] takes a question and a [`Subject`] (a table) and gives [`Reading`]s, the likeliest first: each a
//! [`Program`] with its SQL, its meaning in words, the words of the question that it rests on, and how sure
//! it is. [`judge`] says whether a statement holds. English and Chinese.
//!
//! A question is taken apart (`analyse`), its words are linked to columns and cells (`link`), the programs
//! that its words leave open are listed and run in memory (`candidate`), and a log-linear model that was
//! learned from questions and their answers chooses among them (`feature`, `score`).
//!
//! This crate must not know files, indexes, SQL engines or language models.

mod analyse;
mod candidate;
mod claim;
mod compare;
mod cue;
pub mod denote;
mod execute;
mod feature;
mod follow;
mod grid;
mod judge;
pub mod learn;
mod link;
mod program;
mod read;
mod scope;
mod score;
mod shape;
mod sql;
mod trust;
mod word;
mod words;

pub use execute::{Answer, execute};
pub use follow::Turn;
pub use grid::Grid;
pub use judge::{Verdict, judge};
pub use program::{Ask, Condition, Fold, Pick, Program, Rows, Test, Value};
pub use read::{Link, Reading, SURE, Subject, read};

#[cfg(test)]
mod tests;
