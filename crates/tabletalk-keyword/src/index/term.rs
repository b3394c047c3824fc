//! Whether and how often single terms stand in an index.

use super::schema::Field;
use super::search::Scoring;
use super::segment::Segment;
use super::{Group, coarse};
use ::tantivy::postings::Postings;
use ::tantivy::schema::IndexRecordOption;
use ::tantivy::{DocAddress, DocSet, Term};
use tabletalk_core::Result;

impl Group {
    /// Whether a term stands in any field that counts, whole values aside.
    pub fn has_term(&self, term: &str, scoring: &Scoring) -> Result<bool> {
        for field in Field::WORDS.into_iter().filter(|f| scoring.weight(*f) > 0.0) {
            if self.stands(field, term)? {
                return Ok(true);
            }
        }
        for term in coarse::beginnings(term) {
            if self.stands(Field::Values, &term)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn stands(&self, field: Field, term: &str) -> Result<bool> {
        let term = Term::from_field_text(self.fields.get(field), term);
        for segment in self.segments()?.iter() {
            if segment.index(field).doc_freq(&term)? > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether an entry has all of these terms, in any field.
    pub fn has_all(&self, terms: &[String], address: DocAddress) -> Result<bool> {
        let segment = self.segments()?.get(address.segment_ord);
        for term in terms {
            if !self.has(segment, term, address.doc_id)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn has(&self, segment: &Segment, term: &str, doc: u32) -> Result<bool> {
        for field in Field::WORDS {
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
    fn frequency(&self, segment: &Segment, field: Field, term: &str, doc: u32) -> Result<u32> {
        let term = Term::from_field_text(self.fields.get(field), term);
        let Some(mut postings) = segment.index(field).read_postings(&term, IndexRecordOption::WithFreqs)?
        else {
            return Ok(0);
        };
        let at = if postings.doc() < doc { postings.seek(doc) } else { postings.doc() };
        Ok(if at == doc { postings.term_freq() } else { 0 })
    }
}
