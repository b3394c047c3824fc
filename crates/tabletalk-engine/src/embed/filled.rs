//! Indexes that a model fills: their vectors are not in the catalogue, only which there must be.

use tabletalk_core::Result;
use tabletalk_core::seam::{Embedding, Want};
use tabletalk_store::vectors::{Late, Sparse};

/// An index whose vectors a model makes anew when they are missing.
pub(super) trait Filled {
    /// What the model is asked for.
    const WANT: Want;
    /// What its vectors are called.
    const NAME: &'static str;
    /// What the last commit said it holds.
    fn state(&self) -> u64;
    /// The keys it has vectors for.
    fn keys(&self) -> Vec<u64>;
    /// Whether it has a vector for a key.
    fn contains(&self, key: u64) -> bool;
    /// Adds the vectors of keys.
    fn put(&mut self, made: &[(u64, Embedding)]) -> Result<()>;
    /// Removes the vectors of keys.
    fn remove(&mut self, keys: &[u64]) -> Result<()>;
    /// Makes all changes last.
    fn commit(&mut self, state: u64) -> Result<()>;
}

impl Filled for Late {
    const WANT: Want = Want::Tokens;
    const NAME: &'static str = "tokens";

    fn state(&self) -> u64 {
        self.generation()
    }

    fn keys(&self) -> Vec<u64> {
        self.ids().collect()
    }

    fn contains(&self, key: u64) -> bool {
        Late::contains(self, key)
    }

    fn put(&mut self, made: &[(u64, Embedding)]) -> Result<()> {
        self.add(made.iter().map(|(key, embedding)| (*key, &embedding.tokens)))
    }

    fn remove(&mut self, keys: &[u64]) -> Result<()> {
        Late::remove(self, keys.iter().copied());
        Ok(())
    }

    fn commit(&mut self, state: u64) -> Result<()> {
        Late::commit(self, state)
    }
}

impl Filled for Sparse {
    const WANT: Want = Want::Sparse;
    const NAME: &'static str = "sparse vectors";

    fn state(&self) -> u64 {
        self.generation()
    }

    fn keys(&self) -> Vec<u64> {
        self.ids().collect()
    }

    fn contains(&self, key: u64) -> bool {
        Sparse::contains(self, key)
    }

    fn put(&mut self, made: &[(u64, Embedding)]) -> Result<()> {
        self.add(made.iter().map(|(key, embedding)| (*key, embedding.sparse.as_slice())))
    }

    fn remove(&mut self, keys: &[u64]) -> Result<()> {
        Sparse::remove(self, keys)
    }

    fn commit(&mut self, state: u64) -> Result<()> {
        Sparse::commit(self, state)
    }
}
