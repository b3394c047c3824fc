//! Finding rows: the tables and values that match are found first, then the rows that hold them.

use super::cell::ValueScorer;
use super::node::Ref;
use super::{Allow, Candidate, Query, Recall};
use std::collections::HashMap;
use tabletalk_core::{Batch, Result};
use tabletalk_store::{StoredTable, data};

/// Tables whose rows are looked at.
const TABLES: usize = 24;
/// In larger tables only the columns with matching values are read, and whole values compared.
const SMALL: u64 = 20_000;

impl Recall<'_> {
    pub(super) fn rows(&self, query: &Query, k: usize, allow: Allow<'_>) -> Result<Vec<Candidate>> {
        let cells = self.cells_in(query, 256, TABLES * 2, allow)?;
        let mut order: Vec<(i64, i64)> = Vec::new();
        let tables = self.tables(query, TABLES, allow, false)?;
        for node in tables.iter().chain(&cells).map(|c| &c.node) {
            let at = (node.document(), node.table().unwrap_or(0));
            if !order.contains(&at) && order.len() < TABLES * 2 {
                order.push(at);
            }
        }
        let places = self.places()?;
        let clauses = places.clauses(query)?;
        let scorer = ValueScorer::new(self, &places, &clauses)?;
        let mut found = Vec::new();
        for (document, table) in order {
            let Some(stored) = self.library.catalog()?.table(table)? else { continue };
            let rows = match stored.rows <= SMALL {
                true => self.small(&stored, &scorer, k)?,
                false => large(&stored, &cells, k)?,
            };
            found.extend(rows.into_iter().map(|(at, score)| {
                let node = Ref::Row { document, table, at };
                Candidate::new(node, score, "keyword")
            }));
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.truncate(k);
        Ok(found)
    }

    fn small(&self, stored: &StoredTable, scorer: &ValueScorer<'_>, k: usize) -> Result<Vec<(u64, f32)>> {
        let mut scratch = self.library.keyword().analyzer().scratch();
        let mut known: HashMap<String, f32> = HashMap::new();
        scan(stored, None, k, |batch, i| {
            let mut sum = 0.0;
            for cells in &batch.columns {
                let text = cells.text(i);
                if text.is_empty() {
                    continue;
                }
                sum += match known.get(text.as_ref()) {
                    Some(score) => *score,
                    None => {
                        let score = scorer.score(&text, &mut scratch).0;
                        known.insert(text.into_owned(), score);
                        score
                    }
                };
            }
            sum
        })
    }
}

/// Rows of a large table that hold the values that were found.
fn large(stored: &StoredTable, cells: &[Candidate], k: usize) -> Result<Vec<(u64, f32)>> {
    let mut wanted: HashMap<usize, HashMap<&str, f32>> = HashMap::new();
    for cell in cells.iter().filter(|c| c.node.table() == Some(stored.key)) {
        if let Ref::Cell { col, value, .. } = &cell.node {
            wanted.entry(*col).or_default().insert(&value.text, cell.score);
        }
    }
    let columns: Vec<usize> = wanted.keys().copied().collect();
    if let Some(rows) = lone_rows(stored, cells) {
        return Ok(rows);
    }
    scan(stored, Some(&columns), k, |batch, i| {
        let score = |(col, values): (&usize, &HashMap<&str, f32>)| {
            let cells = batch.columns.get(*col)?;
            values.get(cells.text(i).as_ref()).copied()
        };
        wanted.iter().filter_map(score).sum()
    })
}

/// When every value that was found stands in one row only, those are the rows, and nothing need be read.
fn lone_rows(stored: &StoredTable, cells: &[Candidate]) -> Option<Vec<(u64, f32)>> {
    let mut rows: HashMap<u64, f32> = HashMap::new();
    for cell in cells.iter().filter(|c| c.node.table() == Some(stored.key)) {
        match &cell.node {
            Ref::Cell { value, .. } if value.count == 1 => {
                *rows.entry(value.first).or_default() += cell.score
            }
            Ref::Cell { .. } => return None,
            _ => {}
        }
    }
    let mut rows: Vec<(u64, f32)> = rows.into_iter().collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    Some(rows)
}

/// The best `k` rows of a table, the first of equals.
fn scan(
    stored: &StoredTable,
    columns: Option<&[usize]>,
    k: usize,
    mut score: impl FnMut(&Batch, usize) -> f32,
) -> Result<Vec<(u64, f32)>> {
    let mut best: Vec<(u64, f32)> = Vec::new();
    let mut base = 0;
    for batch in data::open(&stored.table.columns, &stored.data, columns)? {
        let batch = batch?;
        for i in 0..batch.len() {
            let s = score(&batch, i);
            if s > 0.0 && (best.len() < k || best.last().is_some_and(|worst| s > worst.1)) {
                let at = best.partition_point(|b| b.1 >= s);
                best.insert(at, (base + i as u64, s));
                best.truncate(k);
            }
        }
        base += batch.len() as u64;
    }
    Ok(best)
}
