//! Turns a block of records into a batch of typed rows.

use super::block::Block;
use super::dialect::Dialect;
use super::split::{Record, Splitter};
use crate::typing::{Builder, Shape};
use std::borrow::Cow;
use tabletalk_core::{Batch, Error, Result};

/// What every block of a file is read by.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) dialect: Dialect,
    pub(super) shapes: Vec<Shape>,
}

/// What was read from a block. Record numbers count from 0 at the start of the block.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) batch: Batch,
    /// How many records the block has, blank ones too.
    pub(super) records: u64,
    /// Records that have too many fields: record, byte, fields.
    pub(super) rejected: Vec<(u64, u64, usize)>,
    /// Cells of each column that are not of its type.
    pub(super) strays: Vec<u64>,
    /// Cells of each column that are not empty.
    pub(super) filled: Vec<u64>,
    /// The first byte that had to be replaced.
    pub(super) broken: Option<u64>,
    /// The first quote that was never closed.
    pub(super) unclosed: Option<u64>,
}

/// Reads a block, leaving out its first `skip` records.
pub(super) fn parse(block: &Block, plan: &Plan, skip: u64) -> Result<Parsed> {
    if let Some(zero) = memchr::memchr(0, &block.bytes) {
        let byte = block.offset + zero as u64;
        return Err(Error::input(format!("is not text: there is a zero byte at byte {byte}")));
    }
    let (text, broken) = text_of(block);
    let rows = text.len() / 64 + 16;
    let mut builders: Vec<_> = plan.shapes.iter().map(|shape| Builder::new(shape, rows)).collect();
    let mut parsed = Parsed { broken, ..Parsed::default() };
    let mut splitter = Splitter::new(&text, plan.dialect, true);
    while let Some(record) = splitter.next_record() {
        if parsed.records >= skip && !record.is_blank() {
            parsed.take(record, &text, block.offset, plan.dialect.quote, &mut builders);
        }
        parsed.records += 1;
    }
    parsed.unclosed = splitter.unclosed.map(|at| block.offset + at as u64);
    parsed.finish(builders);
    Ok(parsed)
}

pub(super) fn text_of(block: &Block) -> (Cow<'_, str>, Option<u64>) {
    match std::str::from_utf8(&block.bytes) {
        Ok(text) => (Cow::Borrowed(text), None),
        Err(e) => (String::from_utf8_lossy(&block.bytes), Some(block.offset + e.valid_up_to() as u64)),
    }
}

impl Parsed {
    fn take(&mut self, record: &Record, text: &str, offset: u64, quote: u8, builders: &mut [Builder]) {
        let byte = offset + record.start as u64;
        if record.fields.len() > builders.len() && record.width() > builders.len() {
            self.rejected.push((self.records, byte, record.fields.len()));
            return;
        }
        let mut fields = record.fields.iter();
        for builder in builders {
            match fields.next() {
                Some(field) => builder.push_text(&field.text(text, quote)),
                None => builder.push_text(""),
            }
        }
        self.batch.rows.push(self.records);
        self.batch.bytes.push(byte);
    }

    fn finish(&mut self, builders: Vec<Builder>) {
        for builder in builders {
            let strays = builder.strays() as u64;
            let cells = builder.finish();
            self.strays.push(strays);
            self.filled.push((cells.value.len() - cells.value.null_count()) as u64 + strays);
            self.batch.columns.push(cells);
        }
    }
}
