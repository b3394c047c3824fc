//! Statements over tables that live in a database, written in its dialect (PostgreSQL's) to be run there.
//!
//! What is written is made of parts that are named here, and of nothing else: a plan with a node, a function or a conversion that
//! is not known to mean the same there is not written, and its rows are fetched and computed on here. Names are only those of the
//! tables and columns themselves, always in quotes; other names are made up. Texts of the statement are never written, but
//! stand beside what is written, so that no way of quoting can be got around.

mod call;
mod cast;
mod expr;
mod fetch;
mod key;
mod run;
mod select;

pub(crate) use fetch::{Away, fetch};
pub(crate) use key::row_type;
pub(crate) use run::{Pushed, Shipping, place, run};
pub(crate) use select::write;

use crate::table::Table;
use tabletalk_core::Home;

/// Why something is not written: then it is computed here.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unwritten(pub(crate) String);

/// What is written, or why not.
pub(crate) type Written<T> = Result<T, Unwritten>;

pub(crate) fn unwritten<T>(what: impl Into<String>) -> Written<T> {
    Err(Unwritten(what.into()))
}

/// A name in quotes.
pub(crate) fn ident(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The full name of a table.
pub(crate) fn full_name(home: &Home) -> String {
    format!("{}.{}", ident(&home.schema), ident(&home.table))
}

/// What is written so far beside the statement.
#[derive(Debug, Default)]
pub(crate) struct Writer<'a> {
    tables: &'a [Table],
    texts: Vec<String>,
    aliases: usize,
    /// The collation by which letters have large and small forms.
    letters: Option<String>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(tables: &'a [Table], letters: Option<String>) -> Self {
        Writer { tables, letters, ..Writer::default() }
    }

    /// A place in the statement that stands for a text.
    fn text(&mut self, text: &str) -> Written<String> {
        if text.contains('\0') {
            return unwritten("a text with the character 0");
        }
        let at = self.texts.iter().position(|t| t == text).unwrap_or_else(|| {
            self.texts.push(text.to_owned());
            self.texts.len() - 1
        });
        Ok(format!("${}", at + 1))
    }

    fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("t{}", self.aliases)
    }

    pub(crate) fn into_texts(self) -> Vec<String> {
        self.texts
    }
}
