//! The words of a query and how they are weighed, looked up in an index: once, for all that is done with them.

use super::schema::{Field, whole_term};
use super::segment::Segment;
use super::{Group, coarse};
use ::tantivy::postings::{Postings, TermInfo};
use ::tantivy::schema::IndexRecordOption;
use ::tantivy::{DocAddress, DocSet, Term};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use tabletalk_core::Result;

/// The parameters of BM25.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scoring {
    /// How soon more occurrences stop to count.
    pub k1: f32,
    /// How much long fields are held back, 0 to 1.
    pub b: f32,
    /// The weight of a word in a title.
    pub title: f32,
    /// The weight of a word in a column name.
    pub name: f32,
    /// The weight of a word in running text.
    pub text: f32,
    /// The weight of a word in a cell value.
    pub values: f32,
    /// The weight of a whole cell value that stands in the query.
    pub whole: f32,
    /// How much entries that match more of the query's words are put forward: the score is multiplied
    /// by the matched share of the query's weight to this power.
    pub coverage: f32,
    /// Whether an entry that has a word several times is taken to have it once.
    #[serde(skip)]
    pub once: bool,
}

impl Default for Scoring {
    fn default() -> Self {
        Scoring {
            k1: 1.2,
            b: 0.75,
            title: 1.0,
            name: 1.0,
            text: 1.0,
            values: 1.0,
            whole: 1.0,
            coverage: 0.0,
            once: false,
        }
    }
}

impl Scoring {
    /// The weight of a field.
    pub fn weight(&self, field: Field) -> f32 {
        match field {
            Field::Title => self.title,
            Field::Name => self.name,
            Field::Text => self.text,
            Field::Values => self.values,
            Field::Whole => self.whole,
        }
    }
}

/// How a word of the query is to be matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// As it is.
    Word,
    /// As the beginning of a word.
    Prefix,
    /// With a slip or two.
    Like,
    /// As a whole cell value.
    Whole,
}

/// A word of the query.
#[derive(Debug, Clone)]
pub struct Clause {
    /// The term, as the analyzer makes it.
    pub term: String,
    /// What the user wrote.
    pub keyword: String,
    /// How much it counts.
    pub weight: f32,
    /// How it is to be matched.
    pub want: Want,
}

impl Clause {
    /// Whether it may be a slip of the pen, when it stands nowhere.
    pub(crate) fn may_be_slip(&self) -> bool {
        let is_long = self.term.chars().count() >= 4;
        self.want == Want::Word && is_long && self.term.bytes().all(|b| b.is_ascii_alphabetic())
    }

    /// The same word, taken for a slip of the pen.
    pub(crate) fn as_slip(&self) -> Clause {
        Clause { want: Want::Like, weight: self.weight * SLIP, ..self.clone() }
    }
}

/// How much a word counts that is taken for a slip.
const SLIP: f32 = 0.6;

/// What is looked for in an index, and where it stands.
pub struct Lookup<'a> {
    pub(crate) words: Vec<Weighted>,
    pub(crate) scoring: &'a Scoring,
    /// For each field, what one occurrence counts in entries of each length that an index tells apart.
    norms: Vec<[f32; 256]>,
}

/// A clause with its weight, which is the same for the whole index.
pub(crate) struct Weighted {
    pub(crate) keyword: String,
    pub(crate) weight: f32,
    /// In how many entries it stands.
    frequency: f32,
    /// Where its terms stand in each segment, field after field.
    pub(crate) places: Vec<Places>,
}

type Places = Vec<(Field, TermInfo)>;

impl Lookup<'_> {
    /// In how many entries each word stands.
    pub(crate) fn frequencies(&self) -> Vec<f32> {
        self.words.iter().map(|w| w.frequency).collect()
    }

    pub(crate) fn norms(&self, field: Field) -> &[f32; 256] {
        &self.norms[field as usize]
    }
}

impl Group {
    /// Looks words up; with `slips`, those that stand nowhere are taken for slips of the pen.
    pub fn look_up<'a>(&self, clauses: &[Clause], scoring: &'a Scoring, slips: bool) -> Result<Lookup<'a>> {
        let lengths = self.segments()?.lengths;
        let norms = Field::ALL.map(|field| length_norms(scoring, field, lengths[field as usize]));
        let one = |clause: &Clause| {
            let weighted = self.weigh(clause, scoring)?;
            match slips && weighted.frequency == 0.0 && clause.may_be_slip() {
                true => self.weigh(&clause.as_slip(), scoring),
                false => Ok(weighted),
            }
        };
        let words = clauses.iter().map(one).collect::<Result<_>>()?;
        Ok(Lookup { words, scoring, norms: norms.to_vec() })
    }

    fn weigh(&self, clause: &Clause, scoring: &Scoring) -> Result<Weighted> {
        let fields: &[Field] = if clause.want == Want::Whole { &[Field::Whole] } else { &Field::WORDS };
        let fields: Vec<Field> = fields.iter().copied().filter(|f| scoring.weight(*f) > 0.0).collect();
        let terms = self.terms_of(clause, &fields)?;
        let (places, counts) = self.places(&terms, &fields)?;
        let total = self.len() as f32;
        let frequency = counts.into_iter().max().map_or(0.0, |n| n as f32).min(total);
        let weight = rarity_of(frequency, total) * clause.weight;
        Ok(Weighted { keyword: clause.keyword.clone(), weight, frequency, places })
    }

    /// Where terms stand in each segment, and how often in each field.
    fn places(&self, terms: &BTreeSet<String>, fields: &[Field]) -> Result<(Vec<Places>, Vec<u64>)> {
        let segments = self.segments()?;
        let mut places: Vec<Places> = segments.iter().map(|_| Vec::new()).collect();
        let mut counts = vec![0; fields.len()];
        for (&field, count) in fields.iter().zip(&mut counts) {
            // Beginnings of words stand among values alone.
            let stands = |term: &&String| field == Field::Values || !term.starts_with(coarse::MARK);
            for term in terms.iter().filter(stands) {
                let term = Term::from_field_text(self.fields.get(field), term);
                for (segment, places) in segments.iter().zip(&mut places) {
                    if let Some(info) = segment.index(field).get_term_info(&term)? {
                        *count += u64::from(info.doc_freq);
                        places.push((field, info));
                    }
                }
            }
        }
        Ok((places, counts))
    }

    fn terms_of(&self, clause: &Clause, fields: &[Field]) -> Result<BTreeSet<String>> {
        Ok(match clause.want {
            Want::Prefix => self.terms_with_prefix(fields, &clause.term)?,
            Want::Like => self.terms_like(fields, &clause.term)?,
            Want::Word => coarse::beginnings(&clause.term).chain([clause.term.clone()]).collect(),
            Want::Whole => BTreeSet::from([whole_term(&clause.term)]),
        })
    }
}

/// How much a term counts that stands in so many entries of all.
pub(crate) fn rarity_of(frequency: f32, total: f32) -> f32 {
    (1.0 + (total - frequency + 0.5) / (frequency + 0.5)).ln()
}

fn length_norms(scoring: &Scoring, field: Field, average: f32) -> [f32; 256] {
    std::array::from_fn(|id| {
        let length = ::tantivy::fieldnorm::FieldNormReader::id_to_fieldnorm(id as u8) as f32;
        scoring.weight(field) / (1.0 - scoring.b + scoring.b * length / average)
    })
}

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
