//! Tables whose rows live in a database: what is known of them here.

use crate::Kind;
use serde::{Deserialize, Serialize};

/// Where the rows of a table live when they are not here: in a table or view of a database, of which a sample is kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Home {
    /// The address of the database, without a password: `postgres://reader@host:5432/shop`.
    pub address: String,
    /// The schema.
    pub schema: String,
    /// The name of the table or view in it.
    pub table: String,
    /// What it is: `table`, `view`.
    pub what: String,
    /// How many rows the database has, or says that it has.
    pub rows: u64,
    /// Whether they were counted; else the database estimates them.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub is_counted: bool,
    /// How many of them are kept here.
    pub sampled: u64,
    /// The columns, in the order of the columns of the table.
    pub columns: Vec<HomeColumn>,
    /// The columns of the primary key, by their numbers from 0; none where there is no key, or not all of it may be read.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub key: Vec<usize>,
    /// Foreign keys, as the database has them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub refers: Vec<Refers>,
}

/// A column as the database has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HomeColumn {
    /// Its name there.
    pub name: String,
    /// Its type there, such as `numeric(10,2)`.
    pub r#type: String,
    /// What its values are here.
    pub kind: Kind,
    /// How its values become values of ours.
    pub read: Read,
}

/// How a value of the database becomes a value of ours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Read {
    /// It is one.
    #[default]
    Plain,
    /// A time with a zone: as the time in UTC.
    Utc,
    /// As the text that the database writes for it.
    Text,
}

/// A foreign key of a database.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Refers {
    /// Names of the columns that refer.
    pub columns: Vec<String>,
    /// The schema of the table that is referred to.
    pub schema: String,
    /// That table.
    pub table: String,
    /// Names of its columns.
    pub to: Vec<String>,
}

impl Home {
    /// Whether only some of the rows are kept here.
    pub fn is_sampled(&self) -> bool {
        !self.is_counted || self.sampled < self.rows
    }

    /// Whether two tables live in the same database.
    pub fn is_beside(&self, other: &Home) -> bool {
        self.address == other.address
    }
}
