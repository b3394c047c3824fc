//! Entries as a shared store takes them: texts cut into terms here, so that every store has the same words.

use super::schema::{Cut, Doc, Field, SEPARATOR};
use crate::analyze::{Analyzer, Scratch};
use tabletalk_core::seam::store::{Entry, Facets};

/// Cuts the texts of entries.
pub struct Terms {
    analyzer: Analyzer,
    scratch: Scratch,
    cut: Cut,
}

impl Terms {
    /// With the rules of this analyzer.
    pub fn new(analyzer: &Analyzer) -> Self {
        Terms { analyzer: analyzer.clone(), scratch: analyzer.scratch(), cut: Cut::new(analyzer) }
    }

    /// The fields of the values of a table: their words, and whole.
    pub fn cut<'v>(&mut self, values: impl Iterator<Item = &'v str>) -> [(Field, String); 2] {
        self.cut.fields(values)
    }

    /// An entry of a group.
    pub fn entry(&mut self, group: &str, doc: Doc, stamp: i64, facets: &Facets) -> Entry {
        let Doc { document, owner, part, fields, data } = doc;
        let terms = fields.into_iter().map(|(field, text)| (field, self.of(group, field, &text))).collect();
        Entry { document, stamp, owner, part, facets: facets.clone(), terms, data }
    }

    fn of(&mut self, group: &str, field: Field, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        match field {
            // Blocks of values come as they are written; how often a word stands in one says nothing.
            Field::Values if group == "cell" => {
                for value in text.split(SEPARATOR) {
                    self.analyzer
                        .for_each_in_value(value, &mut self.scratch, |t, _| terms.push(t.to_owned()));
                }
                terms.sort_unstable();
                terms.dedup();
            }
            Field::Values | Field::Whole => {
                terms.extend(text.split(SEPARATOR).filter(|t| !t.is_empty()).map(str::to_owned));
            }
            _ => self.analyzer.for_each_in_text(text, &mut self.scratch, |t, _| terms.push(t.to_owned())),
        }
        terms
    }
}
