//! Which rows are removed: a bit for each.

use crate::file::{broken, write_whole};
use std::path::Path;
use tabletalk_core::{Error, Result};

/// A set of rows.
#[derive(Debug, Default, Clone)]
pub(crate) struct Removed {
    words: Vec<u64>,
    count: usize,
}

impl Removed {
    /// Reads those of the first `rows` rows.
    pub(crate) fn read(path: &Path, rows: u64) -> Result<Removed> {
        let bytes = std::fs::read(path).map_err(|e| Error::from(e).at(path.display()))?;
        if bytes.len() as u64 != rows.div_ceil(64) * 8 {
            return Err(broken(path, format!("has {} bytes, which do not fit {rows} rows", bytes.len())));
        }
        let words: Vec<u64> = bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
        let count = words.iter().map(|word| word.count_ones() as usize).sum();
        Ok(Removed { words, count })
    }

    /// Writes those of the first `rows` rows to a new file.
    pub(crate) fn write(&self, path: &Path, rows: usize) -> Result<()> {
        let mut words = self.words.clone();
        words.resize(rows.div_ceil(64), 0);
        write_whole(path, |w| Ok(w.write_all(bytemuck::cast_slice(&words))?))
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Whether a row is one of them.
    pub(crate) fn contains(&self, row: u32) -> bool {
        self.words.get(row as usize / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    pub(crate) fn insert(&mut self, row: u32) {
        let at = row as usize / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        if let Some(word) = self.words.get_mut(at) {
            self.count += usize::from(*word >> (row % 64) & 1 == 0);
            *word |= 1 << (row % 64);
        }
    }

    /// Bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        self.words.len() * 8
    }
}
