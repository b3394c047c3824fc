//! The rows of a file with delimiters, one block at a time, several blocks at once.

use super::block::{Block, Blocks};
use super::parse::{Parsed, Plan, Zeros, parse};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tabletalk_core::{Batch, Column, Place, Rejection, Result, RowStream};

pub(super) struct Batches {
    pub(super) blocks: Blocks,
    pub(super) plan: Plan,
    pub(super) columns: Vec<Column>,
    pub(super) place: Place,
    /// Records before the data that are still to be passed over.
    pub(super) skip: u64,
    /// How many bytes of the file on disk have been read.
    pub(super) taken: Arc<AtomicU64>,
    /// The first position that could not be decoded, plus one.
    pub(super) broken: Arc<AtomicU64>,
    pub(super) state: State,
}

/// What is known after the blocks read so far.
#[derive(Default)]
pub(super) struct State {
    ready: VecDeque<Parsed>,
    records: u64,
    rejected: Vec<Rejection>,
    broken: Option<u64>,
    unclosed: Option<u64>,
    zeros: Option<Zeros>,
}

impl Batches {
    /// Reads and parses as many blocks as there are threads for.
    fn advance(&mut self) -> Result<()> {
        let blocks = self.blocks.next_blocks()?;
        // Only the first block of a file holds its header.
        let skip = self.skip;
        let plan = &self.plan;
        let each = |(i, block): (usize, &Block)| parse(block, plan, if i == 0 { skip } else { 0 });
        let parsed: Vec<Parsed> = blocks.par_iter().enumerate().map(each).collect();
        if let Some(first) = parsed.first() {
            self.skip = self.skip.saturating_sub(first.records);
        }
        self.state.ready.extend(parsed);
        Ok(())
    }

    /// Puts a block in its place after those before it.
    fn settle(&mut self, mut parsed: Parsed) -> Batch {
        let state = &mut self.state;
        for row in &mut parsed.batch.rows {
            *row += state.records + 1;
        }
        for (record, byte, fields) in parsed.rejected {
            let row = state.records + record + 1;
            let mut place = self.place.clone().cells(row..=row, 1..=fields as u32);
            place.bytes = Some((byte, byte));
            let reason = format!("has {fields} fields where the header has {}", self.columns.len());
            state.rejected.push(Rejection { place, reason });
        }
        state.zeros = match (state.zeros, parsed.zeros) {
            (Some(seen), more) => Some(Zeros { count: seen.count + more.map_or(0, |z| z.count), ..seen }),
            (None, more) => more.map(|z| Zeros { line: z.line + state.records, ..z }),
        };
        state.records += parsed.records;
        state.broken = state.broken.or(parsed.broken);
        state.unclosed = state.unclosed.or(parsed.unclosed);
        parsed.batch
    }
}

impl RowStream for Batches {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        loop {
            if self.state.ready.is_empty() {
                self.advance()?;
            }
            let Some(parsed) = self.state.ready.pop_front() else {
                return Ok(None);
            };
            let batch = self.settle(parsed);
            if !batch.is_empty() {
                return Ok(Some(batch));
            }
        }
    }

    fn rejected(&mut self) -> Vec<Rejection> {
        std::mem::take(&mut self.state.rejected)
    }

    fn warnings(&mut self) -> Vec<String> {
        let mut warnings = Vec::new();
        let decoded = self.broken.load(Relaxed).checked_sub(1);
        if let Some(byte) = self.state.broken.or(decoded) {
            warnings.push(replaced(byte));
        }
        warnings.extend(self.state.zeros.map(left_out));
        if let Some(byte) = self.state.unclosed {
            warnings.push(unclosed(byte));
        }
        warnings
    }

    fn bytes_read(&self) -> u64 {
        self.taken.load(Relaxed)
    }
}

/// What is said of a quote that is never closed.
pub(super) fn unclosed(byte: u64) -> String {
    format!("the quote at byte {byte} is never closed and was taken as a character")
}

/// What is said of bytes that are not text.
pub(super) fn replaced(byte: u64) -> String {
    format!("bytes that are not valid text were replaced, the first at byte {byte}")
}

/// What is said of zero bytes.
pub(super) fn left_out(Zeros { count, first, line }: Zeros) -> String {
    format!("zero bytes were left out: {count}, the first at byte {first}, near row {}", line + 1)
}
