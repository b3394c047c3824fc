//! What the built-in parser reads a question over: a table, or a table with what others say of its rows.

use super::grid;
use crate::answer::Answering;
use crate::answer::recall::Found;
use tabletalk_core::{Batch, Column, Result};
use tabletalk_question::{self as question, Grid, Side, Subject, relate};
use tabletalk_store::{ForeignKey, StoredTable, data};

/// Tables that are looked at because others refer to them, at most.
const MOST_OTHERS: usize = 20;

/// What a question is read over: a table, or one with what others say of its rows.
pub(crate) struct Over<'a> {
    pub(crate) found: &'a Found,
    /// Its columns, those of joined tables after its own.
    pub(crate) columns: Vec<Column>,
    /// The relations that programs over it may name.
    pub(crate) relations: Vec<String>,
    pub(crate) grid: Grid,
    /// The words of the question that it knows.
    pub(crate) known: Vec<String>,
}

impl<'a> Over<'a> {
    pub(super) fn table(
        context: &Answering<'_>,
        found: &'a Found,
        text: &str,
        keys: &ForeignKeys,
    ) -> Result<Self> {
        let stored = &found.stored;
        let (batches, whole) = grid::rows(context, stored, text, stored.table.columns.len())?;
        let joined = question::join(&side(stored, &batches), &[])?;
        let columns = joined.columns.clone();
        let grid = joined.grid(whole).with_references(keys.references(stored));
        Ok(Over { found, columns, relations: vec![stored.name.clone()], grid, known: Vec::new() }
            .knowing(text))
    }

    /// The same with the words of a question that it knows.
    pub(super) fn knowing(self, text: &str) -> Self {
        let known = relate::known(text, &self.subject());
        Over { known, ..self }
    }

    pub(crate) fn subject(&self) -> Subject<'_> {
        let stored = &self.found.stored;
        Subject { relation: &stored.name, title: stored.table.title(), grid: &self.grid }
    }

    /// What it is called: by its table, or by all that are joined.
    pub(crate) fn name(&self) -> &str {
        self.grid.view().filter(|_| self.is_joined()).map_or(&self.found.stored.name, |view| &view.name)
    }

    pub(crate) fn is_joined(&self) -> bool {
        self.relations.len() > 1
    }
}

/// The foreign keys among the tables that were found and those they refer to.
pub(super) struct ForeignKeys {
    pub(super) all: Vec<ForeignKey>,
    /// The tables that are referred to and were not found.
    pub(super) others: Vec<StoredTable>,
    /// Which of the keys refer to rows that have names besides.
    named: Vec<bool>,
}

impl ForeignKeys {
    pub(super) fn of(context: &Answering<'_>, tables: &[Found]) -> Result<Self> {
        let catalog = context.recall.library.catalog()?;
        let all = catalog.foreign_keys()?;
        let mut keys = ForeignKeys { all, others: Vec::new(), named: Vec::new() };
        let mut reached: Vec<String> = tables.iter().map(|f| f.stored.name.clone()).collect();
        let mut at = 0;
        while let Some(name) = reached.get(at).cloned() {
            for key in keys.all.iter().filter(|k| k.table == name) {
                if !reached.contains(&key.to_table) && keys.others.len() < MOST_OTHERS {
                    reached.push(key.to_table.clone());
                    keys.others.extend(catalog.table_named(&key.to_table)?);
                }
            }
            at += 1;
        }
        let columns = |name: &str| {
            let found = tables.iter().map(|f| &f.stored).chain(&keys.others).find(|t| t.name == name);
            found.map_or(&[][..], |t| t.table.columns.as_slice())
        };
        keys.named = keys
            .all
            .iter()
            .map(|k| relate::has_names(columns(&k.to_table), &k.to_column, &k.to_table))
            .collect();
        Ok(keys)
    }

    /// The columns of a table that name rows of others by keys that are no names.
    fn references(&self, stored: &StoredTable) -> Vec<usize> {
        let own = self.all.iter().zip(&self.named).filter(|(k, named)| k.table == stored.name && **named);
        own.filter_map(|(k, _)| stored.table.columns.iter().position(|c| c.name == k.column)).collect()
    }

    /// Whether a question speaks of the rows of a table that is related to one, and not part of what it is read over.
    pub(super) fn speaks_of_others(&self, question: &str, over: &Over<'_>) -> bool {
        let is_part = |name: &String| over.relations.contains(name);
        let ends = |k: &ForeignKey| [k.table.clone(), k.to_table.clone()];
        let related = self.all.iter().map(ends).filter(|ends| ends.iter().any(is_part));
        let mut others = related.flatten().filter(|name| !is_part(name));
        others.any(|name| relate::speaks_of(question, &name, &over.columns))
    }
}

pub(super) fn side<'s>(stored: &'s StoredTable, batches: &'s [Batch]) -> Side<'s> {
    Side { relation: &stored.name, columns: &stored.table.columns, batches }
}

pub(super) fn rows(stored: &StoredTable) -> Result<Vec<Batch>> {
    data::open(&stored.table.columns, &stored.data, None)?.collect()
}
