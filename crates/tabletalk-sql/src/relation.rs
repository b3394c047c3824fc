//! The tables that a statement can name.

use std::path::PathBuf;
use std::sync::Arc;
use tabletalk_core::seam::database::Database;
use tabletalk_core::{Batch, Column, Home, Result};

/// What is added to a relation's name for the same relation with totals, subtotals and section lines.
pub const ALL_ROWS: &str = " (all rows)";

/// What is added to a column's name for the texts of its cells as they were written.
pub const TEXT: &str = " (text)";

/// Where the rows of a relation are.
#[derive(Debug, Clone)]
pub enum Source {
    /// In memory.
    Memory(Vec<Batch>),
    /// In a Parquet file with the columns `_row`, `_byte`, `_mark`, and for each column `v0` (typed value)
    /// and perhaps `t0` (what was written, where that differs).
    Parquet(PathBuf),
    /// In a database.
    Home(Arc<dyn Database>, Box<Home>),
}

/// A table that a statement can name.
#[derive(Debug, Clone)]
pub struct Relation {
    /// The name, unique among the relations.
    pub name: String,
    /// The columns, in the order of the rows' cells.
    pub columns: Vec<Column>,
    /// How many rows there are, those with totals included.
    pub rows: u64,
    /// The rows.
    pub source: Source,
}

/// The relations there are. Only those that a statement names are asked for.
pub trait Relations: Send + Sync {
    /// The relation of exactly this name.
    fn relation(&self, name: &str) -> Result<Option<Relation>>;
    /// The names of all relations, asked for when a statement names none of them exactly.
    fn names(&self) -> Result<Vec<String>>;
}

impl Relations for [Relation] {
    fn relation(&self, name: &str) -> Result<Option<Relation>> {
        Ok(self.iter().find(|r| r.name == name).cloned())
    }
    fn names(&self) -> Result<Vec<String>> {
        Ok(self.iter().map(|r| r.name.clone()).collect())
    }
}

impl Relations for Vec<Relation> {
    fn relation(&self, name: &str) -> Result<Option<Relation>> {
        self.as_slice().relation(name)
    }
    fn names(&self) -> Result<Vec<String>> {
        self.as_slice().names()
    }
}
