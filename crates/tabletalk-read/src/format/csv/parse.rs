//! Turns a block of records into a batch of typed rows.

use super::block::Block;
use super::split::Dialect;
use super::split::{Record, Splitter};
use crate::stream::BatchBuilder;
use crate::typing::Shape;
use std::borrow::Cow;
use tabletalk_core::Batch;

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
    /// The first byte that had to be replaced.
    pub(super) broken: Option<u64>,
    /// The first quote that was never closed.
    pub(super) unclosed: Option<u64>,
    /// Zero bytes that were left out.
    pub(super) zeros: Option<Zeros>,
}

/// Reads a block, leaving out its first `skip` records.
pub(super) fn parse(block: &Block, plan: &Plan, skip: u64) -> Parsed {
    let (text, broken) = text_of(block);
    let mut batch = BatchBuilder::new(&plan.shapes, text.len() / 64 + 16);
    let zeros = Zeros::of(&block.bytes, block.offset);
    let mut parsed = Parsed { broken, zeros, ..Parsed::default() };
    let mut splitter = Splitter::new(&text, plan.dialect, true);
    while let Some(record) = splitter.next_record() {
        if parsed.records >= skip && !record.is_blank() {
            parsed.take(record, &text, block.offset, plan.dialect.quote, &mut batch);
        }
        parsed.records += 1;
    }
    parsed.unclosed = splitter.unclosed.map(|at| block.offset + at as u64);
    parsed.batch = batch.finish();
    parsed
}

/// The text of a block without zero bytes, and the first byte of it that had to be replaced.
pub(super) fn text_of(block: &Block) -> (Cow<'_, str>, Option<u64>) {
    let (text, broken) = match std::str::from_utf8(&block.bytes) {
        Ok(text) => (Cow::Borrowed(text), None),
        Err(e) => (String::from_utf8_lossy(&block.bytes), Some(block.offset + e.valid_up_to() as u64)),
    };
    match memchr::memchr(0, block.bytes.as_slice()) {
        Some(_) => (Cow::Owned(text.replace('\0', "")), broken),
        None => (text, broken),
    }
}

/// Zero bytes, which are left out: how many there are and where the first stands.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Zeros {
    pub(super) count: u64,
    pub(super) first: u64,
    /// The line the first stands in, from 0 at the start of the block.
    pub(super) line: u64,
}

impl Zeros {
    /// In bytes that begin at `offset`.
    pub(super) fn of(bytes: &[u8], offset: u64) -> Option<Zeros> {
        let first = memchr::memchr(0, bytes)?;
        let count = memchr::memchr_iter(0, bytes).count() as u64;
        let before = bytes.get(..first).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() as u64;
        Some(Zeros { count, first: offset + first as u64, line })
    }
}

impl Parsed {
    fn take(&mut self, record: &Record, text: &str, offset: u64, quote: u8, batch: &mut BatchBuilder) {
        let byte = offset + record.start as u64;
        if record.fields.len() > batch.width() && record.width() > batch.width() {
            self.rejected.push((self.records, byte, record.fields.len()));
            return;
        }
        let mut fields = record.fields.iter();
        batch.row(self.records, |_, column| match fields.next() {
            Some(field) => column.push_text(&field.text(text, quote)),
            None => column.push_text(""),
        });
        batch.set_byte(byte);
    }
}
