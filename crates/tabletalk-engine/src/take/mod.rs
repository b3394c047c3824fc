//! Taking the rows of a table: they are counted and written as they come.

mod note;

use crate::watch::{Watch, interrupted};
use note::Strays;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use tabletalk_core::{Batch, Column, Error, Kind, Rejection, Result, RowStream, Rows, Stats, Table};
use tabletalk_store::data::{self, Data, Writer};
use tabletalk_store::distinct::{Counter, Values};
use tabletalk_store::{Draft, TableFile};

/// Tables of more rows are written as Parquet files.
const INLINE_ROWS: usize = 20_000;
/// Tables of more cells are written as Parquet files.
const INLINE_CELLS: usize = 200_000;
/// Distinct values that all columns of a table together may hold in memory.
const SLOTS: usize = 12 << 20;
/// Distinct values that one column may hold in memory.
const MOST_SLOTS: usize = 2 << 20;
/// Columns of small batches are counted on one thread: handing out work would cost more.
const PARALLEL_ROWS: usize = 4096;

/// A table whose rows were taken.
pub struct Taken {
    /// The table, its columns with what was counted.
    pub table: Table,
    /// How many rows it has.
    pub rows: u64,
    /// How many rows the source has, where it was counted apart.
    pub rows_in: Option<u64>,
    /// Where they are.
    pub data: Data,
    /// The distinct values of each column.
    pub values: Vec<Values>,
    /// Rows that could not be taken.
    pub rejected: Vec<Rejection>,
    /// What the user should know though nothing was lost.
    pub warnings: Vec<String>,
    /// The file of a large table, which goes unless it is kept.
    pub draft: Option<Draft>,
}

/// Takes the rows of a table. A large one is written to `file`.
pub fn take(mut table: Table, file: &Path, watch: &dyn Watch) -> Result<Taken> {
    let mut taking = Taking::new(&table.columns, file);
    let (mut rejected, mut warnings, mut rows_in) = (Vec::new(), Vec::new(), None);
    match std::mem::take(&mut table.rows) {
        Rows::Memory(batches) => {
            for batch in batches {
                taking.add(&table.columns, batch)?;
            }
        }
        Rows::Stream(mut stream) => {
            drain(&mut *stream, &table.columns, &mut taking, watch)?;
            (rejected, warnings, rows_in) = (stream.rejected(), stream.warnings(), stream.rows_in());
        }
    }
    warnings.extend(note::notes(&table.columns, &taking.strays));
    Ok(Taken { rejected, warnings, rows_in, ..taking.finish(table)? })
}

fn drain(
    stream: &mut dyn RowStream,
    columns: &[Column],
    taking: &mut Taking,
    watch: &dyn Watch,
) -> Result<()> {
    let mut read = 0;
    while let Some(batch) = stream.next_batch()? {
        if watch.stopped() {
            return Err(interrupted());
        }
        watch.rows(batch.len() as u64);
        let now = stream.bytes_read();
        watch.bytes(now.saturating_sub(read));
        read = now;
        taking.add(columns, batch)?;
    }
    Ok(())
}

struct Taking {
    file: PathBuf,
    rows: usize,
    last: u64,
    kept: Vec<Batch>,
    writer: Option<Writer>,
    draft: Option<Draft>,
    counters: Vec<Counter>,
    strays: Vec<Strays>,
}

impl Taking {
    fn new(columns: &[Column], file: &Path) -> Self {
        let share = (SLOTS / columns.len().max(1)).min(MOST_SLOTS);
        let counters = columns.iter().map(|c| Counter::new(c.kind, share)).collect();
        let strays = vec![Strays::default(); columns.len()];
        Taking {
            file: file.to_owned(),
            rows: 0,
            last: 0,
            kept: Vec::new(),
            writer: None,
            draft: None,
            counters,
            strays,
        }
    }

    fn add(&mut self, columns: &[Column], batch: Batch) -> Result<()> {
        if batch.columns.len() != columns.len() {
            return Err(Error::bug("a batch of rows does not have the columns of its table"));
        }
        let base = self.rows as u64;
        self.rows += batch.len();
        self.last = batch.rows.last().copied().unwrap_or(self.last);
        note::look(&mut self.strays, &batch);
        if self.writer.is_none() && self.is_large(columns.len()) {
            self.start_file(columns)?;
        }
        let (counters, writer) = (&mut self.counters, &mut self.writer);
        match writer {
            Some(writer) => {
                let (counted, written) =
                    rayon::join(|| count(counters, &batch, base), || writer.write(&batch));
                counted.and(written)
            }
            None => {
                count(counters, &batch, base)?;
                self.kept.push(batch);
                Ok(())
            }
        }
    }

    fn is_large(&self, columns: usize) -> bool {
        self.rows > INLINE_ROWS || self.rows.saturating_mul(columns) > INLINE_CELLS
    }

    fn start_file(&mut self, columns: &[Column]) -> Result<()> {
        self.draft = Some(Draft::at(&self.file));
        let mut writer = Writer::create(&self.file, columns)?;
        for batch in self.kept.drain(..) {
            writer.write(&batch)?;
        }
        self.writer = Some(writer);
        Ok(())
    }

    fn finish(self, mut table: Table) -> Result<Taken> {
        fill_place(&mut table, self.last);
        let (data, syncing) = match self.writer {
            Some(writer) => (Data::File(TableFile::at(self.file)), Some(writer.finish()?)),
            None => (Data::Inline(data::pack(&table.columns, &self.kept)?), None),
        };
        let (values, stats) = finish_counters(self.counters)?;
        syncing.map_or(Ok(()), data::Syncing::wait)?;
        for (column, stats) in table.columns.iter_mut().zip(stats) {
            column.stats = Some(stats);
        }
        let (rows, draft) = (self.rows as u64, self.draft);
        let (rejected, warnings) = (Vec::new(), Vec::new());
        Ok(Taken { table, rows, rows_in: None, data, values, rejected, warnings, draft })
    }
}

/// A table that was streamed knows where it ends only now.
fn fill_place(table: &mut Table, last: u64) {
    if table.place.rows.is_some() || table.columns.is_empty() {
        return;
    }
    let first = table.header.iter().filter_map(|h| h.place.rows).map(|r| r.0).min().unwrap_or(1);
    let columns = || table.columns.iter().map(|c| c.col);
    table.place.cols = Some((columns().min().unwrap_or(1), columns().max().unwrap_or(1)));
    table.place.rows = Some((first, last.max(first)));
}

fn count(counters: &mut [Counter], batch: &Batch, base: u64) -> Result<()> {
    if batch.len() < PARALLEL_ROWS {
        return counters
            .iter_mut()
            .zip(&batch.columns)
            .try_for_each(|(counter, cells)| counter.add(cells, base));
    }
    counters.par_iter_mut().zip(&batch.columns).try_for_each(|(counter, cells)| counter.add(cells, base))
}

/// Ends the counts. The most frequent values are looked at and put back in front of the others.
pub(crate) fn finish_counters(counters: Vec<Counter>) -> Result<(Vec<Values>, Vec<Stats>)> {
    let small = counters.iter().all(|c| c.filled() < PARALLEL_ROWS as u64);
    let finished: Vec<(Values, Stats)> = match small {
        true => counters.into_iter().map(finish_counter).collect::<Result<_>>()?,
        false => counters.into_par_iter().map(finish_counter).collect::<Result<_>>()?,
    };
    Ok(finished.into_iter().unzip())
}

fn finish_counter(counter: Counter) -> Result<(Values, Stats)> {
    let (filled, range) = (counter.filled(), counter.range());
    let mut values = counter.finish()?;
    let mut first = Vec::with_capacity(3);
    for value in values.by_ref().take(3) {
        first.push(value?);
    }
    let frequent = first.iter().map(|v| shorten(&v.text)).collect();
    let stats = Stats { filled, distinct: values.distinct, range, frequent };
    Ok((values.after(first), stats))
}

fn shorten(text: &str) -> String {
    text.chars().take(80).collect()
}

/// Counts the values of a stored table again.
pub fn recount(columns: &[Column], data: &Data) -> Result<Vec<Values>> {
    let share = (SLOTS / columns.len().max(1)).min(MOST_SLOTS);
    let mut counters: Vec<Counter> =
        columns.iter().map(|c: &Column| Counter::new(c.kind as Kind, share)).collect();
    let mut base = 0;
    for batch in data::open(columns, data, None)? {
        let batch = batch?;
        count(&mut counters, &batch, base)?;
        base += batch.len() as u64;
    }
    Ok(finish_counters(counters)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unwatched;
    use std::sync::Arc;
    use tabletalk_core::Cells;

    /// Batches of 10,000 rows, then an error, as that of a disk that is full.
    struct Failing(usize);

    impl RowStream for Failing {
        fn next_batch(&mut self) -> Result<Option<Batch>> {
            self.0 = self.0.checked_sub(1).ok_or_else(|| Error::io("no space left on device"))?;
            let value = Arc::new(arrow_array::Int64Array::from_iter_values(0..10_000));
            let columns = vec![Cells { value, text: None }];
            Ok(Some(Batch { rows: (1..=10_000).collect(), columns, ..Batch::default() }))
        }
    }

    fn table(batches: usize) -> Table {
        let columns = vec![Column::new("n", Kind::Integer, 1)];
        Table { columns, rows: Rows::Stream(Box::new(Failing(batches))), ..Table::default() }
    }

    #[test]
    fn what_could_not_be_taken_leaves_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("t.parquet");
        assert!(take(table(4), &file, &Unwatched).is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
