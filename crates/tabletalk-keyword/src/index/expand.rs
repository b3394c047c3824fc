//! Terms that a prefix or a misspelt word stands for.

use super::schema::Field;
use super::{Group, coarse};
use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder, SINK_STATE};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use tabletalk_core::{Error, Result};
use tantivy_fst::Automaton;

/// The most terms one word of a query may stand for.
const MOST: usize = 64;

/// The automata of one slip and of two, before they know their word: making them takes longer than using them.
static BUILDERS: LazyLock<[LevenshteinAutomatonBuilder; 2]> =
    LazyLock::new(|| [1, 2].map(|slips| LevenshteinAutomatonBuilder::new(slips, true)));

impl Group {
    /// Terms of fields that begin with `prefix`, and of blocks that hold words that may do so.
    pub(crate) fn terms_with_prefix(&self, fields: &[Field], prefix: &str) -> Result<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        for &field in fields {
            found.extend(self.terms_from(field, prefix)?);
            if field == Field::Values {
                found.extend(coarse::beginnings_of_prefix(prefix));
                found.extend(self.terms_from(field, &format!("{}{prefix}", coarse::MARK))?);
            }
        }
        Ok(found)
    }

    fn terms_from(&self, field: Field, prefix: &str) -> Result<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        for segment in self.segments()?.iter() {
            let terms = segment.index(field).terms();
            let mut stream = terms.range().ge(prefix).into_stream().map_err(Error::from)?;
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

    /// Terms of fields that are one slip away from `word` (two in long words), and of blocks that hold
    /// words that may be.
    pub(crate) fn terms_like(&self, fields: &[Field], word: &str) -> Result<BTreeSet<String>> {
        let slips: u8 = if word.chars().count() > 8 { 2 } else { 1 };
        let dfa = BUILDERS[usize::from(slips - 1)].build_dfa(word);
        let mut found = BTreeSet::new();
        for &field in fields {
            found.extend(self.terms_by(field, &dfa)?);
        }
        Ok(found)
    }

    fn terms_by(&self, field: Field, dfa: &DFA) -> Result<impl Iterator<Item = String> + use<>> {
        let mut found = BTreeSet::new();
        for segment in self.segments()?.iter() {
            let terms = segment.index(field).terms();
            let slips = Slips(dfa, field == Field::Values);
            let mut stream = terms.search(slips).into_stream().map_err(Error::from)?;
            let mut taken = 0;
            while taken < MOST && stream.advance() {
                found.extend(std::str::from_utf8(stream.key()).ok().map(str::to_owned));
                taken += 1;
            }
        }
        Ok(found.into_iter().take(MOST))
    }
}

/// The automaton of one crate behind the interface of another. Where there are beginnings of words, those
/// match too with which the word may begin.
struct Slips<'a>(&'a DFA, bool);

/// How far a term was read: the state of the word, and whether the term is a beginning.
#[derive(Clone, Copy)]
enum Read {
    Nothing,
    Word(u32),
    Beginning(u32),
}

impl Automaton for Slips<'_> {
    type State = Read;

    fn start(&self) -> Read {
        Read::Nothing
    }

    fn is_match(&self, state: &Read) -> bool {
        match state {
            Read::Nothing => false,
            Read::Word(state) => matches!(self.0.distance(*state), Distance::Exact(_)),
            Read::Beginning(state) => *state != SINK_STATE,
        }
    }

    fn can_match(&self, state: &Read) -> bool {
        !matches!(state, Read::Word(SINK_STATE) | Read::Beginning(SINK_STATE))
    }

    fn accept(&self, state: &Read, byte: u8) -> Read {
        match *state {
            Read::Nothing if self.1 && byte == coarse::MARK as u8 => Read::Beginning(self.0.initial_state()),
            Read::Nothing => Read::Word(self.0.transition(self.0.initial_state(), byte)),
            Read::Word(state) => Read::Word(self.0.transition(state, byte)),
            Read::Beginning(state) => Read::Beginning(self.0.transition(state, byte)),
        }
    }
}
