//! The tables that were found, as the built-in parser reads them.

use super::joined::{joined, tallied};
use super::over::{ForeignKeys, Over};
use crate::answer::recall::{Evidence, Found};
use crate::answer::{Answering, Question};
use tabletalk_core::Result;

/// What the parser is shown: the tables that were found, each prepared when it comes to it.
pub(crate) struct Prepared<'a> {
    context: &'a Answering<'a>,
    question: &'a str,
    tables: &'a [Found],
    keys: ForeignKeys,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(
        context: &'a Answering<'a>,
        question: &'a Question<'a>,
        evidence: &'a Evidence,
    ) -> Result<Self> {
        let (question, tables) = (question.text, evidence.tables.as_slice());
        Ok(Prepared { context, question, tables, keys: ForeignKeys::of(context, tables)? })
    }

    /// Each table alone.
    pub(crate) fn tables(&self) -> impl Iterator<Item = Result<Over<'a>>> {
        self.tables.iter().map(|found| Over::table(self.context, found, self.question, &self.keys))
    }

    /// Each table that refers to others, with what those say of its rows.
    pub(crate) fn joined(&self) -> Result<Vec<Over<'a>>> {
        joined(self.context, self.question, self.tables, &self.keys)
    }

    /// Where the question says that there is none: each table that others refer to, with how many of their rows do.
    pub(crate) fn tallied(&self) -> Result<Vec<Over<'a>>> {
        tallied(self.context, self.question, self.tables, &self.keys)
    }

    /// Whether the question speaks of the rows of a table that is related to one, and not part of what it is read over.
    pub(crate) fn speaks_of_others(&self, over: &Over<'_>) -> bool {
        self.keys.speaks_of_others(self.question, over)
    }
}
