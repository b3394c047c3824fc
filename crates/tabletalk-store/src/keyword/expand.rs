//! Terms that a prefix or a misspelt word stands for.

use super::Group;
use super::schema::Field;
use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder, SINK_STATE};
use std::collections::BTreeSet;
use tabletalk_core::{Error, Result};
use tantivy_fst::Automaton;

/// The most terms one word of a query may stand for.
const MOST: usize = 64;

impl Group {
    /// Terms of a field that begin with `prefix`.
    pub(crate) fn terms_with_prefix(&self, field: Field, prefix: &str) -> Result<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        for segment in self.reader.searcher().segment_readers() {
            let index = segment.inverted_index(self.fields.get(field)).map_err(crate::error::tantivy)?;
            let mut stream = index.terms().range().ge(prefix).into_stream().map_err(Error::from)?;
            let mut taken = 0;
            while let Some((key, _)) = stream.next() {
                if !key.starts_with(prefix.as_bytes()) || taken == MOST {
                    break;
                }
                found.extend(std::str::from_utf8(key).ok().map(str::to_owned));
                taken += 1;
            }
        }
        Ok(found.into_iter().take(MOST).collect())
    }

    /// Terms of a field that one slip away from `word` (two in long words).
    pub(crate) fn terms_like(&self, field: Field, word: &str) -> Result<BTreeSet<String>> {
        let slips = if word.chars().count() > 8 { 2 } else { 1 };
        let dfa = LevenshteinAutomatonBuilder::new(slips, true).build_dfa(word);
        let mut found = BTreeSet::new();
        for segment in self.reader.searcher().segment_readers() {
            let index = segment.inverted_index(self.fields.get(field)).map_err(crate::error::tantivy)?;
            let mut stream = index.terms().search(Slips(&dfa)).into_stream().map_err(Error::from)?;
            let mut taken = 0;
            while taken < MOST && stream.advance() {
                found.extend(std::str::from_utf8(stream.key()).ok().map(str::to_owned));
                taken += 1;
            }
        }
        Ok(found.into_iter().take(MOST).collect())
    }
}

/// The automaton of one crate behind the interface of another.
struct Slips<'a>(&'a DFA);

impl Automaton for Slips<'_> {
    type State = u32;

    fn start(&self) -> u32 {
        self.0.initial_state()
    }

    fn is_match(&self, state: &u32) -> bool {
        matches!(self.0.distance(*state), Distance::Exact(_))
    }

    fn can_match(&self, state: &u32) -> bool {
        *state != SINK_STATE
    }

    fn accept(&self, state: &u32, byte: u8) -> u32 {
        self.0.transition(*state, byte)
    }
}
