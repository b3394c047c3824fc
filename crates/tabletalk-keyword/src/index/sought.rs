//! The words of a query, looked up in an index: once, for all that is done with them.

use super::schema::{Field, whole_term};
use super::search::{Clause, Scoring, Want};
use super::{Group, coarse};
use ::tantivy::Term;
use ::tantivy::postings::TermInfo;
use std::collections::BTreeSet;
use tabletalk_core::Result;

/// What is looked for in an index, and where it stands.
pub struct Sought<'a> {
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

impl Sought<'_> {
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
    pub fn look_up<'a>(&self, clauses: &[Clause], scoring: &'a Scoring, slips: bool) -> Result<Sought<'a>> {
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
        Ok(Sought { words, scoring, norms: norms.to_vec() })
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
