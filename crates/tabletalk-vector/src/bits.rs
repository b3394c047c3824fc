//! A set of rows: a bit for each, and how many are set.

/// By hand and not `fixedbitset`: that counts all bits whenever it is asked how many are set, and a search asks.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    count: usize,
}

impl Bits {
    pub(crate) fn new(words: Vec<u64>) -> Bits {
        let count = words.iter().map(|word| word.count_ones() as usize).sum();
        Bits { words, count }
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn contains(&self, row: u32) -> bool {
        self.words.get(row as usize / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Sets a bit; whether it was not set before.
    pub(crate) fn insert(&mut self, row: u32) -> bool {
        let at = row as usize / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        let Some(word) = self.words.get_mut(at) else { return false };
        let is_new = *word >> (row % 64) & 1 == 0;
        *word |= 1 << (row % 64);
        self.count += usize::from(is_new);
        is_new
    }
}
