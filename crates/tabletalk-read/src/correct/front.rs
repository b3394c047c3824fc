//! The rows of a table with the first of them at hand.

use super::change::{Change, tidy_marks};
use std::collections::VecDeque;
use tabletalk_core::{Batch, Cells, Rejection, Result, RowStream, Rows};

/// A row as it is written.
#[derive(Debug)]
pub(super) struct Line {
    /// Its number in the source.
    pub(super) row: u64,
    /// One text a column, empty where a cell is.
    pub(super) texts: Vec<String>,
}

impl Line {
    /// What is written in a column.
    pub(super) fn text(&self, column: usize) -> &str {
        self.texts.get(column).map_or("", String::as_str)
    }
}

/// The rows at hand: all of a table in memory, of a stream as many as were asked for.
pub(super) struct Front {
    batches: VecDeque<Batch>,
    rest: Option<Box<dyn RowStream>>,
    /// How many rows were taken away.
    taken: u64,
}

impl Front {
    /// Of these rows; nothing is read yet.
    pub(super) fn new(rows: Rows) -> Self {
        match rows {
            Rows::Memory(batches) => Front { batches: batches.into(), rest: None, taken: 0 },
            Rows::Stream(stream) => Front { batches: VecDeque::new(), rest: Some(stream), taken: 0 },
        }
    }

    /// Reads on until at least so many rows are at hand, or all there are. Gives back how many are.
    pub(super) fn pull(&mut self, rows: usize) -> Result<usize> {
        let mut here: usize = self.batches.iter().map(Batch::len).sum();
        while here < rows
            && let Some(batch) = self.rest.as_mut().map_or(Ok(None), |rest| rest.next_batch())?
        {
            here += batch.len();
            self.batches.push_back(batch);
        }
        Ok(here)
    }

    /// The batches at hand.
    pub(super) fn batches(&self) -> impl Iterator<Item = &Batch> {
        self.batches.iter()
    }

    /// Whether all rows of the table are at hand.
    pub(super) fn is_whole(&self) -> bool {
        self.rest.is_none()
    }

    /// How many rows at hand stand before a row of the source.
    pub(super) fn rows_before(&self, row: u64) -> usize {
        self.batches.iter().flat_map(|batch| &batch.rows).take_while(|r| **r < row).count()
    }

    /// The number of the first row at hand.
    pub(super) fn first_row(&self) -> Option<u64> {
        self.batches.iter().find_map(|batch| batch.rows.first().copied())
    }

    /// Takes the first rows away.
    pub(super) fn take(&mut self, rows: usize) -> Vec<Line> {
        let mut lines = Vec::with_capacity(rows);
        while lines.len() < rows
            && let Some(mut batch) = self.batches.pop_front()
        {
            let taken = batch.len().min(rows - lines.len());
            lines.extend((0..taken).filter_map(|i| line(&batch, i)));
            if taken < batch.len() {
                drop_first(&mut batch, taken);
                self.batches.push_front(batch);
            }
        }
        self.taken += lines.len() as u64;
        lines
    }

    /// All rows, corrected; `first` comes before them and is typed already.
    pub(super) fn finish(self, first: Option<Batch>, mut change: Change) -> Rows {
        let first = first.map(|batch| change.mark(batch));
        let Some(rest) = self.rest else {
            let corrected = self.batches.into_iter().map(|batch| change.apply(batch));
            return Rows::Memory(first.into_iter().chain(corrected).collect());
        };
        if first.is_none() && self.batches.is_empty() && change.is_nothing() && self.taken == 0 {
            return Rows::Stream(rest);
        }
        let moved = (first.as_ref().map_or(0, |first| first.len() as u64), self.taken);
        Rows::Stream(Box::new(Corrected { first, batches: self.batches, rest, change, moved }))
    }
}

fn line(batch: &Batch, i: usize) -> Option<Line> {
    let texts = batch.columns.iter().map(|cells| cells.text(i).into_owned()).collect();
    Some(Line { row: *batch.rows.get(i)?, texts })
}

/// Leaves the first rows of a batch out.
fn drop_first(batch: &mut Batch, rows: usize) {
    let left = batch.len() - rows;
    batch.rows.drain(..rows);
    batch.bytes.drain(..rows.min(batch.bytes.len()));
    batch.marks.drain(..rows.min(batch.marks.len()));
    batch.marks = tidy_marks(std::mem::take(&mut batch.marks));
    for cells in &mut batch.columns {
        let text = cells.text.as_ref().map(|text| text.slice(rows, left));
        *cells = Cells { value: cells.value.slice(rows, left), text };
    }
}

/// A stream whose batches are corrected as they come.
struct Corrected {
    first: Option<Batch>,
    /// What was read already, not yet corrected.
    batches: VecDeque<Batch>,
    rest: Box<dyn RowStream>,
    change: Change,
    /// Rows that came out of the header, and that went into it.
    moved: (u64, u64),
}

impl RowStream for Corrected {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let next = match self.batches.pop_front() {
            Some(batch) => Some(batch),
            None => self.rest.next_batch()?,
        };
        Ok(next.map(|batch| self.change.apply(batch)))
    }
    fn rejected(&mut self) -> Vec<Rejection> {
        self.rest.rejected()
    }
    fn warnings(&mut self) -> Vec<String> {
        self.rest.warnings()
    }
    fn rows_in(&self) -> Option<u64> {
        let (from, into) = self.moved;
        Some((self.rest.rows_in()? + from).saturating_sub(into))
    }
    fn bytes_read(&self) -> u64 {
        self.rest.bytes_read()
    }
}
