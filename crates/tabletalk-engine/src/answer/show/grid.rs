//! A stored table prepared for the question parser: small ones whole, of large ones the rows that matter.

use crate::answer::{Answering, away};
use crate::recall::{Filter, Retriever, Similarity, Test};
use arrow_array::UInt64Array;
use arrow_select::take::take;
use std::collections::BTreeSet;
use tabletalk_core::{Batch, Cells, Result};
use tabletalk_question::Grid;
use tabletalk_store::{StoredTable, data};

/// Tables of more cells are not prepared whole for each question.
const WHOLE_CELLS: u64 = 60_000;
/// Rows at the beginning of a large table that are prepared.
const HEAD: usize = 200;
/// Cells of a large table that are looked up.
const LOOKED_UP: usize = 40;

/// The table as the question parser wants it.
pub(crate) fn of(context: &Answering<'_>, stored: &StoredTable, question: &str) -> Result<Grid> {
    let columns = &stored.table.columns;
    let (batches, whole) = rows(context, stored, question, columns.len())?;
    Ok(Grid::new(columns, &batches, whole))
}

/// Whether a table is prepared whole, with so many columns beside its own.
pub(crate) fn is_small(stored: &StoredTable, more: usize) -> bool {
    stored.rows.saturating_mul((stored.table.columns.len() + more) as u64) <= WHOLE_CELLS
}

/// The rows that are prepared where there are so many columns, and whether they are all.
pub(crate) fn rows(
    context: &Answering<'_>,
    stored: &StoredTable,
    question: &str,
    width: usize,
) -> Result<(Vec<Batch>, bool)> {
    let columns = &stored.table.columns;
    if is_small(stored, width.saturating_sub(columns.len())) {
        let mut batches = data::open(columns, &stored.data, None)?.collect::<Result<Vec<_>>>()?;
        let sampled = stored.table.home.as_ref().filter(|home| home.is_sampled());
        if let Some(home) = sampled {
            batches.extend(away::named(context, stored, home, question));
        }
        return Ok((batches, sampled.is_none()));
    }
    let mut batches: Vec<Batch> = Vec::new();
    let mut left = numbers(context, stored, question)?;
    for batch in data::open(columns, &stored.data, None)? {
        let batch = batch?;
        let wanted: Vec<u64> = (0..batch.len())
            .filter(|i| {
                (batches.is_empty() && *i < HEAD) || batch.rows.get(*i).is_some_and(|row| left.remove(row))
            })
            .map(|i| i as u64)
            .collect();
        if !wanted.is_empty() {
            batches.push(part(&batch, &wanted)?);
        }
        if left.is_empty() {
            break;
        }
    }
    Ok((batches, false))
}

/// The numbers of rows in which values of the question stand.
fn numbers(context: &Answering<'_>, stored: &StoredTable, question: &str) -> Result<BTreeSet<u64>> {
    let document = stored.id.split('/').next().unwrap_or_default().to_owned();
    let retriever = Retriever {
        group: "cell".into(),
        target: Some("cell".into()),
        similarity: Similarity::Bm25,
        topk: LOOKED_UP,
        filters: vec![Filter { field: "id".into(), test: Test::Is(vec![document]) }],
        ..Retriever::default()
    };
    let hits = context.recall.search(question, &retriever)?.hits;
    let of_table = hits
        .iter()
        .filter(|hit| hit.node.parent == stored.id || hit.node.id.starts_with(&format!("{}/", stored.id)));
    Ok(of_table.filter_map(|hit| Some(hit.node.place.rows?.0)).collect())
}

/// Some rows of a batch.
fn part(batch: &Batch, wanted: &[u64]) -> Result<Batch> {
    let at = UInt64Array::from(wanted.to_vec());
    let chosen =
        |all: &[u64]| wanted.iter().filter_map(|i| all.get(*i as usize).copied()).collect::<Vec<u64>>();
    let failed =
        |e: arrow_schema::ArrowError| tabletalk_core::Error::bug(format!("rows could not be taken: {e}"));
    let mut columns = Vec::with_capacity(batch.columns.len());
    for cells in &batch.columns {
        let value = take(&cells.value, &at, None).map_err(failed)?;
        let text = match &cells.text {
            Some(text) => Some(take(text, &at, None).map_err(failed)?),
            None => None,
        };
        let text = text.map(|t| arrow_array::cast::AsArray::as_string::<i32>(&t).clone());
        columns.push(Cells { value, text });
    }
    Ok(Batch {
        rows: chosen(&batch.rows),
        bytes: chosen(&batch.bytes),
        marks: if batch.marks.is_empty() {
            Vec::new()
        } else {
            wanted.iter().map(|i| batch.mark(*i as usize)).collect()
        },
        columns,
    })
}
