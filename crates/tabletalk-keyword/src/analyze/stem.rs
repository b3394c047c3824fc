//! English stems, remembered so that the same word is not stemmed again and again.

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Longer words are stemmed but not remembered.
const LONGEST: usize = 24;

/// How many words are remembered by whoever stems many: 800 KiB, past which more gain little.
pub(super) const MANY: usize = 1 << 14;

#[derive(Clone, Copy)]
struct Slot {
    word: [u8; LONGEST],
    stem: [u8; LONGEST],
    word_len: u8,
    stem_len: u8,
}

const EMPTY: Slot = Slot { word: [0; LONGEST], stem: [0; LONGEST], word_len: 0, stem_len: 0 };

/// The stemmer and the words it has seen. A new word takes the place of an older one of the same hash.
pub(super) struct Stems {
    stemmer: Stemmer,
    /// How many slots there are once a word was stemmed.
    size: usize,
    slots: Vec<Slot>,
}

impl Stems {
    /// A stemmer that remembers at most `words` words, which must be a power of two or none.
    pub(super) fn new(words: usize) -> Self {
        Stems { stemmer: Stemmer::create(Algorithm::English), size: words, slots: Vec::new() }
    }

    /// Hands the stem of a word of lower-case ASCII letters to `emit`.
    pub(super) fn stem(&mut self, word: &str, emit: impl FnOnce(&str)) {
        let bytes = word.as_bytes();
        if bytes.len() < 3 {
            return emit(word);
        }
        if bytes.len() > LONGEST || self.size == 0 {
            return emit(&self.stemmer.stem(word));
        }
        if self.slots.is_empty() {
            self.slots = vec![EMPTY; self.size];
        }
        let index = hash(bytes) & (self.slots.len() - 1);
        let Some(slot) = self.slots.get_mut(index) else {
            return emit(word);
        };
        if slot.word[..usize::from(slot.word_len)] != *bytes {
            *slot = learn(&self.stemmer, word);
        }
        emit(std::str::from_utf8(&slot.stem[..usize::from(slot.stem_len)]).unwrap_or(word));
    }
}

fn hash(bytes: &[u8]) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    // The upper half is the better mixed one.
    (hasher.finish() >> 32) as usize
}

fn learn(stemmer: &Stemmer, word: &str) -> Slot {
    let found = stemmer.stem(word);
    let stem = if found.len() <= LONGEST { found.as_bytes() } else { word.as_bytes() };
    let mut slot = EMPTY;
    slot.word[..word.len()].copy_from_slice(word.as_bytes());
    slot.stem[..stem.len()].copy_from_slice(stem);
    (slot.word_len, slot.stem_len) = (word.len() as u8, stem.len() as u8);
    slot
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(stems: &mut Stems, word: &str) -> String {
        let mut out = String::new();
        stems.stem(word, |s| out.push_str(s));
        out
    }

    #[test]
    fn gives_the_same_stem_with_and_without_memory() {
        let (mut none, mut few) = (Stems::new(0), Stems::new(2));
        for word in ["running", "runs", "companies", "company", "is", "a", "generously", "running"] {
            assert_eq!(stem(&mut none, word), stem(&mut few, word), "{word}");
        }
        assert_eq!(stem(&mut few, "companies"), stem(&mut few, "company"));
    }

    proptest::proptest! {
        #[test]
        fn stems_any_run_of_letters(word in "[a-z]{1,40}") {
            let mut stems = Stems::new(16);
            let first = stem(&mut stems, &word);
            proptest::prop_assert_eq!(first, stem(&mut stems, &word));
        }
    }
}
