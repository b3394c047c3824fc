//! What searches read of a segment, opened once for all of them, and the entries that terms stand in.

use super::schema::{Field, Fields};
use crate::error::tantivy;
use ::tantivy::columnar::Column;
use ::tantivy::fastfield::AliveBitSet;
use ::tantivy::fieldnorm::FieldNormReader;
use ::tantivy::postings::{BlockSegmentPostings, TermInfo};
use ::tantivy::schema::IndexRecordOption;
use ::tantivy::{InvertedIndexReader, Searcher, SegmentReader};
use std::sync::Arc;
use tabletalk_core::Result;

/// The segments of an index.
pub(crate) struct Segments {
    all: Vec<Segment>,
    /// How many words a field has on average.
    pub(crate) lengths: [f32; 5],
}

pub(crate) struct Segment {
    indexes: [Arc<InvertedIndexReader>; 5],
    lengths: [FieldNormReader; 5],
    pub(crate) documents: Column<u64>,
    pub(crate) owners: Column<u64>,
    pub(crate) parts: Column<u64>,
    alive: Option<AliveBitSet>,
    /// How many entries it has, with those that were removed.
    pub(crate) entries: usize,
}

impl Segments {
    pub(crate) fn open(searcher: &Searcher, fields: &Fields) -> Result<Self> {
        let open = |reader: &SegmentReader| Segment::open(reader, fields);
        let all = searcher.segment_readers().iter().map(open).collect::<Result<Vec<_>>>()?;
        let lengths = Field::ALL.map(|field| {
            let words: u64 = all.iter().map(|s| s.index(field).total_num_tokens()).sum();
            (words as f32 / searcher.num_docs().max(1) as f32).max(1.0)
        });
        Ok(Segments { all, lengths })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Segment> {
        self.all.iter()
    }

    pub(crate) fn get(&self, number: u32) -> &Segment {
        &self.all[number as usize]
    }
}

impl Segment {
    fn open(reader: &SegmentReader, fields: &Fields) -> Result<Self> {
        let index = |field| reader.inverted_index(fields.get(field)).map_err(tantivy);
        let lengths = |field| reader.get_fieldnorms_reader(fields.get(field)).map_err(tantivy);
        let column = |name| reader.fast_fields().u64(name).map_err(tantivy);
        let [title, name, text, values, whole] = Field::ALL;
        Ok(Segment {
            indexes: [index(title)?, index(name)?, index(text)?, index(values)?, index(whole)?],
            lengths: [lengths(title)?, lengths(name)?, lengths(text)?, lengths(values)?, lengths(whole)?],
            documents: column("document")?,
            owners: column("owner")?,
            parts: column("part")?,
            alive: reader.alive_bitset().cloned(),
            entries: reader.max_doc() as usize,
        })
    }

    /// The terms of a field, and where they stand.
    pub(crate) fn index(&self, field: Field) -> &InvertedIndexReader {
        &self.indexes[field as usize]
    }

    /// How long a field of each entry is.
    pub(crate) fn lengths(&self, field: Field) -> &FieldNormReader {
        &self.lengths[field as usize]
    }

    /// Whether an entry is still there.
    pub(crate) fn has(&self, entry: u32) -> bool {
        self.alive.as_ref().is_none_or(|alive| alive.is_alive(entry))
    }
}

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
