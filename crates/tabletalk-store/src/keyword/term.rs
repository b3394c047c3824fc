//! Whether and how often single terms stand in an index.

use super::schema::Field;
use super::search::{Scoring, WORD_FIELDS};
use super::{Group, coarse};
use crate::error::tantivy;
use ::tantivy::postings::Postings;
use ::tantivy::schema::IndexRecordOption;
use ::tantivy::{DocAddress, DocSet, SegmentReader, Term};
use tabletalk_core::Result;

impl Group {
    /// Whether a term stands in any field that counts, whole values aside.
    pub fn has_term(&self, term: &str, scoring: &Scoring) -> Result<bool> {
        let searcher = &self.searcher;
        let stands = |field: Field, term: &str| {
            let term = Term::from_field_text(self.fields.get(field), term);
            searcher.doc_freq(&term).map(|n| n > 0).map_err(tantivy)
        };
        for field in WORD_FIELDS.into_iter().filter(|f| scoring.weight(*f) > 0.0) {
            if stands(field, term)? {
                return Ok(true);
            }
        }
        for term in coarse::beginnings(term) {
            if stands(Field::Values, &term)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether an entry has all of these terms, in any field.
    pub fn has_all(&self, terms: &[String], address: DocAddress) -> Result<bool> {
        let searcher = &self.searcher;
        let segment = searcher.segment_reader(address.segment_ord);
        for term in terms {
            if !self.has(segment, term, address.doc_id)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn has(&self, segment: &SegmentReader, term: &str, doc: u32) -> Result<bool> {
        for field in WORD_FIELDS {
            if self.frequency(segment, field, term, doc)? > 0 {
                return Ok(true);
            }
        }
        for term in coarse::beginnings(term) {
            if self.frequency(segment, Field::Values, &term, doc)? > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How often a term stands in a field of an entry.
    pub(crate) fn frequency(
        &self,
        segment: &SegmentReader,
        field: Field,
        term: &str,
        doc: u32,
    ) -> Result<u32> {
        let handle = self.fields.get(field);
        let index = segment.inverted_index(handle).map_err(tantivy)?;
        let term = Term::from_field_text(handle, term);
        let Some(mut postings) = index.read_postings(&term, IndexRecordOption::WithFreqs)? else {
            return Ok(0);
        };
        let at = if postings.doc() < doc { postings.seek(doc) } else { postings.doc() };
        Ok(if at == doc { postings.term_freq() } else { 0 })
    }
}
