//! Marks totals in rows that come batch by batch, for tables that are not held in memory.

use super::label::{self, Way};
use super::total::{self, Cover, Ledger, Measure};
use arrow_array::cast::AsArray;
use arrow_array::{Array, StringArray};
use arrow_schema::DataType;
use tabletalk_core::{Batch, Cells, Column, Mark};

/// The label of a total stands in one of so many columns at the left.
pub(super) const LABEL_COLUMNS: usize = 6;

/// Marks the rows whose label and numbers say that they are totals of the rows before them.
///
/// Batches must come in their order, all of them.
#[derive(Debug)]
pub(crate) struct Marker {
    columns: Vec<Column>,
    /// Known once the first rows are seen.
    known: Option<(Vec<Measure>, Ledger)>,
}

impl Marker {
    /// For a table of these columns.
    pub(crate) fn new(columns: &[Column]) -> Self {
        Marker { columns: columns.to_vec(), known: None }
    }

    /// Marks the totals among the next rows. Rows that are marked already are left as they are and not added.
    pub(crate) fn mark(&mut self, batch: &mut Batch) {
        if batch.is_empty() {
            return;
        }
        let (measures, ledger) = self.known.get_or_insert_with(|| {
            let measures = total::measures(&self.columns, &batch.columns);
            let ledger = Ledger::new(measures.len());
            (measures, ledger)
        });
        if measures.is_empty() {
            return;
        }
        let mut found: Vec<(usize, Mark)> = Vec::new();
        let mut from = 0;
        for (i, way) in candidates(batch) {
            ledger.add_rows(&batch.columns, measures, from..i);
            from = i;
            let row = total::numbers(&batch.columns, measures, i);
            let Some(cover) = way.and_then(|way| ledger.find(way, &row, measures)) else {
                from += usize::from(!batch.mark(i).is_data());
                continue;
            };
            found.push((i, mark_of(way, cover)));
            ledger.cut();
            from = i + 1;
        }
        ledger.add_rows(&batch.columns, measures, from..batch.len());
        put(batch, &found);
    }
}

/// The mark of a row that was found to be made of others; whether more rows follow is not known yet.
fn mark_of(way: Option<Way>, cover: Cover) -> Mark {
    match (way, cover) {
        (Some(Way::Grand), _) | (Some(Way::Sum | Way::Perhaps), Cover::All) => Mark::Total,
        (Some(way), _) if !way.is_sum() => Mark::Derived,
        _ => Mark::Subtotal,
    }
}

fn put(batch: &mut Batch, found: &[(usize, Mark)]) {
    if found.is_empty() {
        return;
    }
    let len = batch.len();
    batch.marks.resize(len, Mark::Data);
    for (i, mark) in found {
        if let Some(slot) = batch.marks.get_mut(*i) {
            *slot = *mark;
        }
    }
}

/// The rows that are labelled, or that are marked already and have no say, ascending.
fn candidates(batch: &Batch) -> Vec<(usize, Option<Way>)> {
    let mut found = labelled(&batch.columns);
    // Whether a least or a largest number is the last row is not known yet.
    found.retain(|(i, way)| !way.is_limit() && batch.mark(*i).is_data());
    let mut all: Vec<(usize, Option<Way>)> = found.into_iter().map(|(i, way)| (i, Some(way))).collect();
    if !batch.marks.is_empty() {
        all.extend((0..batch.len()).filter(|&i| !batch.mark(i).is_data()).map(|i| (i, None)));
        all.sort_unstable_by_key(|(i, _)| *i);
    }
    all
}

/// The rows whose label says that they are made of others, ascending; the first such label of a row counts.
pub(super) fn labelled(columns: &[Cells]) -> Vec<(usize, Way)> {
    let mut found: Vec<(usize, Way)> = Vec::new();
    for cells in columns.iter().take(LABEL_COLUMNS) {
        let texts: Option<&StringArray> = match cells.value.data_type() {
            DataType::Utf8 => Some(cells.value.as_string::<i32>()),
            // In a column of numbers a label could not be read as one.
            _ => cells.text.as_ref(),
        };
        let Some(texts) = texts else { continue };
        let is_text = cells.value.data_type() == &DataType::Utf8;
        for (i, text) in texts.iter().enumerate() {
            if let Some(way) = text.filter(|_| is_text || cells.value.is_null(i)).and_then(label::way) {
                found.push((i, way));
            }
        }
    }
    found.sort_by_key(|(i, _)| *i);
    found.dedup_by_key(|(i, _)| *i);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Int64Array;
    use std::sync::Arc;
    use tabletalk_core::Kind;

    fn batch(labels: &[&str], values: &[i64]) -> Batch {
        let label = Cells { value: Arc::new(StringArray::from(labels.to_vec())), text: None };
        let value = Cells { value: Arc::new(Int64Array::from(values.to_vec())), text: None };
        let rows = (1..=labels.len() as u64).collect();
        Batch { rows, columns: vec![label, value], ..Batch::default() }
    }

    fn marker() -> Marker {
        Marker::new(&[Column::new("region", Kind::Text, 1), Column::new("sales", Kind::Integer, 2)])
    }

    #[test]
    fn a_total_is_known_over_batches() {
        let mut marker = marker();
        let mut first = batch(&["a", "b", "Subtotal"], &[10, 20, 30]);
        let mut last = batch(&["c", "Total"], &[5, 35]);
        marker.mark(&mut first);
        marker.mark(&mut last);
        assert_eq!(first.marks, [Mark::Data, Mark::Data, Mark::Subtotal]);
        assert_eq!(last.marks, [Mark::Data, Mark::Total]);
    }

    #[test]
    fn a_label_without_the_sum_is_data_and_counts() {
        let mut rows = batch(&["Shell", "Total", "BP", "合计"], &[300, 200, 250, 750]);
        marker().mark(&mut rows);
        assert_eq!(rows.marks, [Mark::Data, Mark::Data, Mark::Data, Mark::Total]);
        let mut none = batch(&["Shell", "Total", "BP"], &[300, 200, 250]);
        marker().mark(&mut none);
        assert!(none.marks.is_empty());
    }
}
