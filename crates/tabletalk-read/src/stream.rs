//! Tables that stream, whatever their format: a [`Survey`] of all rows finds the types, a [`BatchBuilder`] makes typed
//! batches of the rows, and [`rows`] marks the totals among them on their way out.

use crate::typing::{Builder, Guess, Shape};
use crate::understand::Marker;
use tabletalk_core::{Batch, Column, Rejection, Result, RowStream, Rows};

/// Rows that are looked at in full.
const SAMPLE: u64 = 20_000;

/// A look at all rows of a table before it is read, so that no value that comes late is lost: a single number with
/// decimals among ten million whole ones makes a column of decimals.
#[derive(Debug, Clone, Default)]
pub(crate) struct Survey {
    guesses: Vec<Guess>,
    /// Columns that may be more than text.
    watched: Vec<bool>,
    rows: u64,
    /// After so many rows, columns that are surely text are watched no more.
    sample: Option<u64>,
}

impl Survey {
    /// One that soon watches only the columns that may be more than text.
    pub(crate) fn sampled() -> Self {
        Survey { sample: Some(SAMPLE), ..Survey::default() }
    }

    /// Sets how many columns there are.
    pub(crate) fn resize(&mut self, width: usize) {
        self.guesses.resize(width, Guess::default());
        self.watched.resize(width, true);
    }

    pub(crate) fn width(&self) -> usize {
        self.guesses.len()
    }

    /// Looks at one more row: `see` is called for every column that is still watched.
    pub(crate) fn row(&mut self, mut see: impl FnMut(usize, &mut Guess)) {
        for (i, guess) in self.guesses.iter_mut().enumerate().filter(|(i, _)| self.watched[*i]) {
            see(i, guess);
        }
        self.end_row();
    }

    /// What has been seen of a column, if it is still watched.
    pub(crate) fn watched(&mut self, column: usize) -> Option<&mut Guess> {
        self.guesses.get_mut(column).filter(|_| self.watched[column])
    }

    /// Counts a row whose cells were shown one by one, or cannot be taken.
    pub(crate) fn end_row(&mut self) {
        self.rows += 1;
        if self.sample == Some(self.rows) {
            self.narrow();
        }
    }

    /// Watches only columns that may be more than text from now on.
    fn narrow(&mut self) {
        self.watched = self.guesses.iter().map(Guess::may_be_more).collect();
    }

    /// Begins again at the first row, with a better idea of which columns to watch.
    pub(crate) fn restart(&mut self) {
        self.narrow();
        self.rows = 0;
        for (guess, _) in self.guesses.iter_mut().zip(&self.watched).filter(|(_, watched)| **watched) {
            *guess = Guess::default();
        }
    }

    /// An empty survey that watches the same columns, for another thread.
    pub(crate) fn fork(&self) -> Survey {
        let guesses = vec![Guess::default(); self.width()];
        Survey { guesses, watched: self.watched.clone(), ..Survey::default() }
    }

    /// Adds what a fork saw.
    pub(crate) fn add(&mut self, fork: &Survey) {
        self.rows += fork.rows;
        self.guesses.iter_mut().zip(&fork.guesses).for_each(|(sum, more)| sum.add(more));
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    pub(crate) fn guesses(&self) -> &[Guess] {
        &self.guesses
    }
}

/// Makes a batch of typed cells, row by row.
#[derive(Debug)]
pub(crate) struct BatchBuilder {
    columns: Vec<Builder>,
    rows: Vec<u64>,
    bytes: Vec<u64>,
}

impl BatchBuilder {
    /// For columns of these shapes and about so many rows.
    pub(crate) fn new(shapes: &[Shape], rows: usize) -> Self {
        let columns = shapes.iter().map(|shape| Builder::new(shape, rows)).collect();
        BatchBuilder { columns, rows: Vec::new(), bytes: Vec::new() }
    }

    /// Takes a row by its number in the source: `fill` must give one cell to the builder of each column.
    pub(crate) fn row(&mut self, number: u64, mut fill: impl FnMut(usize, &mut Builder)) {
        for (i, column) in self.columns.iter_mut().enumerate() {
            fill(i, column);
        }
        self.rows.push(number);
    }

    /// Notes at which byte of the source the row begins that was taken last.
    pub(crate) fn set_byte(&mut self, byte: u64) {
        self.bytes.push(byte);
    }

    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn finish(self) -> Batch {
        let columns = self.columns.into_iter().map(Builder::finish).collect();
        Batch { rows: self.rows, bytes: self.bytes, columns, ..Batch::default() }
    }
}

/// The rows of a stream with the totals among them marked; `rows_in` is how many the source is known to have.
pub(crate) fn rows(stream: impl RowStream + 'static, columns: &[Column], rows_in: Option<u64>) -> Rows {
    Rows::Stream(Box::new(Marked { stream, marker: Marker::new(columns), rows_in }))
}

struct Marked<S> {
    stream: S,
    marker: Marker,
    rows_in: Option<u64>,
}

impl<S: RowStream> RowStream for Marked<S> {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let mut batch = self.stream.next_batch()?;
        batch.iter_mut().for_each(|batch| self.marker.mark(batch));
        Ok(batch)
    }
    fn rejected(&mut self) -> Vec<Rejection> {
        self.stream.rejected()
    }
    fn warnings(&mut self) -> Vec<String> {
        self.stream.warnings()
    }
    fn rows_in(&self) -> Option<u64> {
        self.rows_in
    }
    fn bytes_read(&self) -> u64 {
        self.stream.bytes_read()
    }
}
