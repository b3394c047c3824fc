//! Reading the entries that terms stand in, list after list with the same buffers.

use ::tantivy::InvertedIndexReader;
use ::tantivy::postings::{BlockSegmentPostings, TermInfo};
use ::tantivy::schema::IndexRecordOption;
use tabletalk_core::Result;

/// Reads lists of one index, whose fields all keep the same of each entry.
pub(crate) struct Cursor {
    record: IndexRecordOption,
    list: Option<BlockSegmentPostings>,
}

impl Cursor {
    pub(crate) fn new(record: IndexRecordOption) -> Self {
        Cursor { record, list: None }
    }

    /// Goes to the beginning of a list.
    pub(crate) fn open(&mut self, index: &InvertedIndexReader, info: &TermInfo) -> Result<List<'_>> {
        match &mut self.list {
            Some(list) => index.reset_block_postings_from_terminfo(info, list)?,
            none => *none = Some(index.read_block_postings_from_terminfo(info, self.record)?),
        }
        Ok(List(self.list.get_or_insert_with(BlockSegmentPostings::empty)))
    }
}

/// The entries of one term, in order.
pub(crate) struct List<'a>(&'a mut BlockSegmentPostings);

impl List<'_> {
    /// Calls `each` with every entry and how often the term stands in it: once, where that is not kept.
    pub(crate) fn for_each(self, mut each: impl FnMut(u32, u32)) {
        while self.0.block_len() > 0 {
            for (i, entry) in self.0.docs().iter().enumerate() {
                each(*entry, self.0.freq(i));
            }
            self.0.advance();
        }
    }

    /// How often the term stands in an entry. Entries must be asked for in order.
    pub(crate) fn count(&mut self, entry: u32) -> u32 {
        let at = self.0.seek(entry);
        if self.0.doc(at) == entry { self.0.freq(at) } else { 0 }
    }
}
