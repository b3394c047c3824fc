//! What a correction does to every batch of rows: cells read anew, rows marked otherwise.

use crate::typing::{Builder, Raw, Shape};
use crate::understand::Marker;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use std::collections::HashMap;
use tabletalk_core::value::Value;
use tabletalk_core::{Batch, Cells, Kind, Mark};

/// Microseconds in a day.
const DAY: i64 = 86_400_000_000;

/// What is done to every batch.
#[derive(Debug, Default)]
pub(super) struct Change {
    /// How the cells of each column are read; `None` where they stay.
    pub(super) shapes: Vec<Option<Anew>>,
    /// What rows are, by their number in the source.
    pub(super) marks: HashMap<u64, Mark>,
    /// The last row that belongs to the table.
    pub(super) last: Option<u64>,
    /// Finds totals again, where the header was moved and other rows are data now.
    pub(super) anew: Option<Marker>,
}

/// How the cells of a column are read.
#[derive(Debug, Clone)]
pub(super) struct Anew {
    pub(super) shape: Shape,
    /// The values they have are read otherwise now, so that only what is written counts.
    pub(super) by_text: bool,
}

impl Change {
    /// Whether no batch can come out otherwise than it went in.
    pub(super) fn is_nothing(&self) -> bool {
        self.anew.is_none()
            && self.last.is_none()
            && self.marks.is_empty()
            && self.shapes.iter().all(Option::is_none)
    }

    /// The batch, corrected.
    pub(super) fn apply(&mut self, mut batch: Batch) -> Batch {
        for (cells, anew) in batch.columns.iter_mut().zip(&self.shapes) {
            if let Some(anew) = anew {
                *cells = read_anew(cells, anew);
            }
        }
        self.mark(batch)
    }

    /// The batch with its rows marked; all else stays.
    pub(super) fn mark(&mut self, mut batch: Batch) -> Batch {
        if let Some(marker) = &mut self.anew {
            marker.mark(&mut batch);
        }
        let is_below = |row: &u64| self.last.is_some_and(|last| *row > last);
        let is_told = |row: &u64| self.marks.contains_key(row) || is_below(row);
        if !batch.rows.iter().any(is_told) {
            return batch;
        }
        let own = |i: usize, row: &u64| if is_below(row) { Mark::Section } else { batch.mark(i) };
        let marks = batch.rows.iter().enumerate();
        let marks =
            marks.map(|(i, row)| self.marks.get(row).copied().unwrap_or_else(|| own(i, row))).collect();
        batch.marks = tidy_marks(marks);
        batch
    }
}

/// Marks as a batch keeps them: none where all rows are data.
pub(super) fn tidy_marks(marks: Vec<Mark>) -> Vec<Mark> {
    if marks.iter().all(|mark| *mark == Mark::Data) { Vec::new() } else { marks }
}

pub(super) fn cells<'a>(shape: &Shape, raws: impl ExactSizeIterator<Item = Raw<'a>>) -> Cells {
    let mut builder = Builder::new(shape, raws.len());
    raws.for_each(|raw| builder.push(raw));
    builder.finish()
}

fn read_anew(cells: &Cells, Anew { shape, by_text }: &Anew) -> Cells {
    let mut builder = Builder::new(shape, cells.value.len());
    for i in 0..cells.value.len() {
        let value = if *by_text { None } else { value(&cells.value, i, shape.kind) };
        builder.push(Raw { text: &cells.text(i), value });
    }
    builder.finish()
}

/// The value a cell has already: where it is one of the new type too, its text need not be read again.
fn value(array: &ArrayRef, i: usize, wanted: Kind) -> Option<Value> {
    if array.is_null(i) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Int64 => Value::Integer(array.as_primitive::<Int64Type>().value(i)),
        DataType::Float64 => Value::Decimal(array.as_primitive::<Float64Type>().value(i)),
        DataType::Boolean => Value::Boolean(array.as_boolean().value(i)),
        DataType::Date32 => Value::Date(array.as_primitive::<Date32Type>().value(i)),
        DataType::Timestamp(_, _) => {
            let micros = array.as_primitive::<TimestampMicrosecondType>().value(i);
            match i32::try_from(micros.div_euclid(DAY)) {
                Ok(day) if wanted == Kind::Date && micros.rem_euclid(DAY) == 0 => Value::Date(day),
                _ => Value::DateTime(micros),
            }
        }
        _ => return None,
    })
}
