//! For each term the rows that hold it, as they lie in their file: a head, the terms, where each begins, the postings.

use crate::file::broken;
use crate::map::Map;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use tabletalk_core::{Error, Result};

/// The first words of every file: a mark and the version.
const MAGIC: [u32; 2] = [u32::from_le_bytes(*b"ttsp"), 1];

/// A row, or a term, and its weight.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Weighted {
    pub(super) at: u32,
    pub(super) weight: f32,
}

/// Postings that are searched.
#[derive(Debug)]
pub(super) struct Postings {
    map: Map,
    terms: usize,
}

impl Postings {
    /// Opens postings of `bytes` bytes.
    pub(super) fn open(path: &Path, bytes: u64) -> Result<Postings> {
        let file = File::open(path).map_err(|e| Error::from(e).at(path.display()))?;
        let map = Map::new(&file, bytes).map_err(|e| broken(path, e.message()))?;
        let postings = Postings { terms: head(&map).unwrap_or(0), map };
        let ends = postings.words(4 + postings.terms, postings.terms);
        let last = ends.last().copied().unwrap_or(0) as usize;
        if head(&postings.map).is_none() || (4 + postings.terms * 2 + last * 2) * 4 != bytes as usize {
            return Err(broken(path, "is not an inverted index or is damaged"));
        }
        Ok(postings)
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.map.bytes().len()
    }

    /// The rows that hold `term`, in order, with its weight in each.
    pub(super) fn of(&self, term: u32) -> &[Weighted] {
        let Ok(at) = self.words(4, self.terms).binary_search(&term) else { return &[] };
        let ends = self.words(4 + self.terms, self.terms);
        let from = at.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0) as usize;
        let to = ends.get(at).copied().unwrap_or(0) as usize;
        let begin = (4 + self.terms * 2) * 4;
        let bytes = self.map.bytes().get(begin + from * 8..begin + to * 8).unwrap_or_default();
        bytemuck::try_cast_slice(bytes).unwrap_or_default()
    }

    fn words(&self, from: usize, count: usize) -> &[u32] {
        let bytes = self.map.bytes().get(from * 4..(from + count) * 4).unwrap_or_default();
        bytemuck::try_cast_slice(bytes).unwrap_or_default()
    }
}

/// How many terms a file says it has. None when it is not one of ours.
fn head(map: &Map) -> Option<usize> {
    let words: [u32; 4] = bytemuck::pod_read_unaligned(map.bytes().get(..16)?);
    ([words[0], words[1]] == MAGIC).then_some(words[2] as usize)
}

/// Writes the postings of `rows`, each a list of terms. Fails when there are too many for the file to count.
pub(super) fn write<'a>(rows: impl Iterator<Item = (u32, &'a [Weighted])>, w: &mut dyn Write) -> Result<()> {
    let mut lists: BTreeMap<u32, Vec<Weighted>> = BTreeMap::new();
    for (row, terms) in rows {
        for term in terms {
            lists.entry(term.at).or_default().push(Weighted { at: row, weight: term.weight });
        }
    }
    let total: usize = lists.values().map(Vec::len).sum();
    if total >= u32::MAX as usize {
        return Err(Error::limit(format!("{total} terms are more than a sparse index holds")));
    }
    let head = [MAGIC[0], MAGIC[1], lists.len() as u32, 0];
    w.write_all(bytemuck::cast_slice(&head))?;
    w.write_all(bytemuck::cast_slice(&lists.keys().copied().collect::<Vec<u32>>()))?;
    let mut end = 0;
    for list in lists.values() {
        end += list.len() as u32;
        w.write_all(&end.to_le_bytes())?;
    }
    lists.values().try_for_each(|list| Ok(w.write_all(bytemuck::cast_slice(list))?))
}
