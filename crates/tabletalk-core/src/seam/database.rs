//! Databases whose tables are read where they are. Nothing is ever written to them.

use crate::{Column, Home, Kind, Result};
use arrow_array::ArrayRef;
use std::fmt::Debug;
use std::sync::Arc;

/// Opens databases by their addresses.
pub trait Databases: Send + Sync {
    /// The database at an address without a password; the same one for the same address. It is connected to when it is needed.
    fn open(&self, address: &str) -> Result<Arc<dyn Database>>;
}

/// A database that is read, in sessions that cannot write.
pub trait Database: Send + Sync + Debug {
    /// The address, without a password.
    fn address(&self) -> &str;
    /// The tables and views that may be read, with a bounded sample of each.
    fn tables(&self) -> Result<Vec<Listed>>;
    /// The first rows of a table, or some from all over it, as batches of arrays in the order of its columns.
    fn sample(
        &self,
        listed: &Listed,
        most: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vec<ArrayRef>>>;
    /// The collation by which letters have large and small forms in all languages, where there is one.
    fn letters(&self) -> Result<Option<String>>;
    /// Runs a statement until it ends or `bounds` are reached. Rows are given to `take` in batches of arrays.
    fn run(&self, statement: &Statement, bounds: &Bounds<'_>, take: Take<'_>) -> Result<Fetched>;
}

/// Is given the columns of some rows.
pub type Take<'a> = &'a mut dyn FnMut(Vec<ArrayRef>) -> Result<()>;

/// A table or view as a database tells of it.
#[derive(Debug, Clone, Default)]
pub struct Listed {
    /// Where it is and what is known of it.
    pub home: Home,
    /// Its columns.
    pub columns: Vec<Column>,
    /// What the database says of it.
    pub comment: String,
    /// What the database says of its columns, in their order; empty where it says nothing.
    pub comments: Vec<String>,
}

/// A statement in the dialect of a database. Texts are never part of it, but stand beside it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statement {
    /// The statement, with `$1` for the first of the texts.
    pub sql: String,
    /// The texts.
    pub texts: Vec<String>,
    /// The kinds of its columns.
    pub kinds: Vec<Kind>,
}

/// How far a statement may go.
pub struct Bounds<'a> {
    /// The most rows that are taken.
    pub rows: usize,
    /// The most bytes that are taken.
    pub bytes: usize,
    /// The most milliseconds that it may take.
    pub time_ms: u64,
    /// Asked now and then; true ends the statement.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// What came of a statement.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Fetched {
    /// Rows that came.
    pub rows: u64,
    /// Bytes of values that came.
    pub bytes: u64,
    /// Whether there are more rows than were taken.
    pub is_cut: bool,
}
