//! Tables that are read together: one with what those say that it refers to, one with how many rows of others refer to it.

use super::grid;
use super::over::{ForeignKeys, Over, rows, side};
use crate::answer::Answering;
use crate::answer::recall::Found;
use tabletalk_core::Result;
use tabletalk_question::{self as question, Join, Tally, relate};
use tabletalk_store::{ForeignKey, StoredTable};

/// Each table that refers to others, with what those say of its rows.
pub(super) fn joined<'a>(
    context: &Answering<'_>,
    text: &str,
    tables: &'a [Found],
    keys: &ForeignKeys,
) -> Result<Vec<Over<'a>>> {
    let ends: Vec<(&str, &str)> = keys.all.iter().map(|k| (k.table.as_str(), k.to_table.as_str())).collect();
    let mut all = Vec::new();
    for found in tables {
        let mut plan = JoinPlan { tables: vec![&found.stored], ways: Vec::new() };
        for way in relate::ways(&found.stored.name.as_str(), &ends) {
            let Some(key) = keys.all.get(way) else { continue };
            let known = tables.iter().map(|f| &f.stored).chain(&keys.others);
            plan.extend(key, known.into_iter().find(|t| t.name == key.to_table));
        }
        all.extend(plan.over(context, found, text)?);
    }
    Ok(all)
}

/// Which tables are joined to the first, and how.
struct JoinPlan<'a> {
    tables: Vec<&'a StoredTable>,
    /// For each table after the first: the table and the column that name its rows, and its key.
    ways: Vec<(usize, usize, usize)>,
}

impl<'a> JoinPlan<'a> {
    /// Adds the table that a key of one in the plan leads to.
    fn extend(&mut self, key: &ForeignKey, to: Option<&'a StoredTable>) {
        let column = |of: &StoredTable, name: &str| of.table.columns.iter().position(|c| c.name == name);
        let at = self.tables.iter().position(|t| t.name == key.table);
        let from = at.and_then(|at| Some((at, column(self.tables.get(at)?, &key.column)?)));
        let Some((to, (at, from))) = to.zip(from) else { return };
        if let Some(own) = column(to, &key.to_column) {
            self.tables.push(to);
            self.ways.push((at, from, own));
        }
    }

    /// The view; none where nothing is joined, or a table is too large to be looked at whole.
    fn over<'f>(&self, context: &Answering<'_>, found: &'f Found, text: &str) -> Result<Option<Over<'f>>> {
        let width: usize = self.tables.iter().map(|t| t.table.columns.len()).sum();
        let others = self.tables.get(1..).unwrap_or_default();
        if others.is_empty() || !others.iter().all(|t| grid::is_small(t, 0)) {
            return Ok(None);
        }
        let (batches, whole) = grid::rows(context, &found.stored, text, width)?;
        let rest = others.iter().map(|t| rows(t)).collect::<Result<Vec<_>>>()?;
        let sides = others.iter().zip(&rest).map(|(table, rows)| side(table, rows));
        let ways = sides.zip(&self.ways);
        let joins: Vec<Join<'_>> =
            ways.map(|(side, way)| Join { from: (way.0, way.1), side, key: way.2 }).collect();
        let base = side(&found.stored, &batches);
        let joined = question::join(&base, &joins)?;
        let columns = joined.columns.clone();
        let relations = self.tables.iter().map(|t| t.name.clone()).collect();
        let over = Over { found, columns, relations, grid: joined.grid(whole), known: Vec::new() };
        Ok(Some(over.knowing(text)))
    }
}

/// Where a question says that there is none: each table that others refer to, with how many of their rows do.
pub(super) fn tallied<'a>(
    context: &Answering<'_>,
    text: &str,
    tables: &'a [Found],
    keys: &ForeignKeys,
) -> Result<Vec<Over<'a>>> {
    if !question::says_none(text) {
        return Ok(Vec::new());
    }
    let small = |found: &&Found| grid::is_small(&found.stored, 0);
    let all = tables.iter().filter(small).map(|found| tallied_one(context, text, found, tables, keys));
    Ok(all.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

fn tallied_one<'a>(
    context: &Answering<'_>,
    text: &str,
    found: &'a Found,
    tables: &[Found],
    keys: &ForeignKeys,
) -> Result<Option<Over<'a>>> {
    let stored = &found.stored;
    let column = |of: &StoredTable, name: &str| of.table.columns.iter().position(|c| c.name == name);
    let known = |name: &str| tables.iter().map(|f| &f.stored).chain(&keys.others).find(|t| t.name == name);
    let of = |key: &ForeignKey| {
        let other = known(&key.table).filter(|t| grid::is_small(t, 0))?;
        Some((other, column(other, &key.column)?, column(stored, &key.to_column)?))
    };
    let referring: Vec<_> = keys.all.iter().filter(|k| k.to_table == stored.name).filter_map(of).collect();
    // Who refers twice, as a match does to its two teams, refers in more than one sense.
    let is_only =
        |at: &&(&StoredTable, usize, usize)| referring.iter().filter(|r| r.0.name == at.0.name).count() == 1;
    let referring: Vec<_> = referring.iter().filter(is_only).collect();
    if referring.is_empty() {
        return Ok(None);
    }
    let (batches, whole) = grid::rows(context, stored, text, stored.table.columns.len())?;
    let rest = referring.iter().map(|(other, ..)| rows(other)).collect::<Result<Vec<_>>>()?;
    let tallies: Vec<Tally<'_>> = referring
        .iter()
        .zip(&rest)
        .map(|((other, from, key), rows)| Tally { side: side(other, rows), from: *from, key: *key })
        .collect();
    let joined = question::tally(&side(stored, &batches), &tallies)?;
    let columns = joined.columns.clone();
    let others = referring.iter().map(|(other, ..)| other.name.clone());
    let relations = std::iter::once(stored.name.clone()).chain(others).collect();
    let over = Over { found, columns, relations, grid: joined.grid(whole), known: Vec::new() };
    Ok(Some(over.knowing(text)))
}
