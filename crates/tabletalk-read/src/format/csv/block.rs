//! Reads a text in blocks that each end at the end of a record.

use super::split::Dialect;
use super::split::last_end;
use crate::source::fault;
use std::io::Read;
use tabletalk_core::{Error, Result};

/// How many bytes a block has, unless one record is longer.
pub(super) const BLOCK: usize = 4 << 20;

/// Whole records, as they stand in the file.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) bytes: Vec<u8>,
    /// Where the first of them stands in the text.
    pub(super) offset: u64,
}

/// Cuts a stream into blocks.
pub(crate) struct Blocks {
    reader: Box<dyn Read + Send>,
    dialect: Dialect,
    /// Bytes after the last whole record.
    rest: Vec<u8>,
    offset: u64,
    size: usize,
    max_cell: usize,
    ended: bool,
}

impl Blocks {
    /// Of a decoded text whose first byte stands at `offset`.
    pub(super) fn new(reader: Box<dyn Read + Send>, dialect: Dialect, offset: u64, max_cell: usize) -> Self {
        Blocks { reader, dialect, rest: Vec::new(), offset, size: BLOCK, max_cell, ended: false }
    }

    /// Of a text whose records are lines, whatever they hold, in blocks of this size.
    pub(crate) fn of_lines(reader: Box<dyn Read + Send>, offset: u64, max_line: usize, size: usize) -> Self {
        let dialect = Dialect { delimiter: 0, quote: 0, newline: b'\n' };
        Blocks { size, ..Blocks::new(reader, dialect, offset, max_line) }
    }

    /// The next block, or `None` after the last.
    pub(crate) fn next_block(&mut self) -> Result<Option<Block>> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut wanted = self.size;
        loop {
            self.fill(&mut bytes, wanted)?;
            if self.ended {
                return Ok(self.cut(bytes, None));
            }
            match last_end(&bytes, self.dialect) {
                Ok(end) => return Ok(self.cut(bytes, Some(end))),
                Err(open) if bytes.len() > self.max_cell => return Err(self.too_long(open)),
                Err(_) => wanted = bytes.len() + self.size,
            }
        }
    }

    /// The next blocks, as many as all threads are busy with for a while; none after the last.
    pub(super) fn next_blocks(&mut self) -> Result<Vec<Block>> {
        let mut blocks = Vec::new();
        while blocks.len() < rayon::current_num_threads() * 2 {
            match self.next_block()? {
                Some(block) => blocks.push(block),
                None => break,
            }
        }
        Ok(blocks)
    }

    fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize) -> Result<()> {
        let missing = wanted.saturating_sub(bytes.len());
        bytes.reserve_exact(missing);
        let read = self.reader.by_ref().take(missing as u64).read_to_end(bytes).map_err(fault)?;
        self.ended = read < missing;
        Ok(())
    }

    fn cut(&mut self, mut bytes: Vec<u8>, end: Option<usize>) -> Option<Block> {
        if let Some(end) = end {
            self.rest = bytes.split_off(end);
        }
        let offset = self.offset;
        self.offset += bytes.len() as u64;
        (!bytes.is_empty()).then_some(Block { bytes, offset })
    }

    fn too_long(&self, open: Option<usize>) -> Error {
        let limit = self.max_cell;
        match open {
            Some(at) => {
                let byte = self.offset + at as u64;
                Error::limit(format!("has a quote at byte {byte} that is not closed within {limit} bytes"))
                    .hint("remove or close the quote, or raise max_cell_bytes")
            }
            None => Error::limit(format!("has a line of more than {limit} bytes at byte {}", self.offset))
                .hint("raise max_cell_bytes if that is right"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::Fault;

    const COMMA: Dialect = Dialect { delimiter: b',', quote: b'"', newline: b'\n' };

    fn blocks(text: &'static [u8], size: usize, max_cell: usize) -> Result<Vec<(u64, String)>> {
        let mut blocks = Blocks::new(Box::new(text), COMMA, 0, max_cell);
        blocks.size = size;
        let mut all = Vec::new();
        while let Some(block) = blocks.next_block()? {
            all.push((block.offset, String::from_utf8_lossy(&block.bytes).into_owned()));
        }
        Ok(all)
    }

    #[test]
    fn ends_each_block_at_the_end_of_a_record() {
        let found = blocks(b"aa,b\n\"c\nd\",e\nff\n", 7, 100).unwrap();
        let texts: Vec<_> = found.iter().map(|(at, text)| (*at, text.as_str())).collect();
        assert_eq!(texts, [(0, "aa,b\n"), (5, "\"c\nd\",e\nff\n")]);
    }

    #[test]
    fn refuses_a_quote_that_swallows_the_file() {
        let e = blocks(b"a\nb,\"ccccccccccccccccccccccc\nd\ne\nf", 4, 12).unwrap_err();
        assert_eq!(e.fault(), Fault::Limit);
        assert_eq!(e.message(), "has a quote at byte 4 that is not closed within 12 bytes");
    }
}
