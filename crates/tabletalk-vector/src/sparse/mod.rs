//! A list of weighted terms for each id: dot products by an inverted index.
//!
//! A directory holds the lists one after the other (`lists`, with their `ends`), their ids (`ids`), which are removed
//! (`removed`) and the rows of each term (`postings`). As with dense vectors, all are seen as memory, and `meta.json` names
//! them and says how much of each counts. One process may write while many read.

mod commit;
mod meta;
mod postings;
#[cfg(test)]
mod tests;

use crate::file::{Growing, broken, settled};
use crate::ids::Ids;
use crate::top::Top;
use crate::{Filter, Found};
use meta::Meta;
use postings::{Postings, Weighted};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result};

/// An index of sparse vectors.
#[derive(Debug)]
pub struct Sparse {
    dir: PathBuf,
    meta: Meta,
    ids: Ids,
    /// Where the list of each row ends.
    ends: Growing,
    lists: Growing,
    postings: Option<Postings>,
}

impl Sparse {
    /// Opens the index in `dir`, or begins one there. A damaged one is an error for which [`crate::must_rebuild`] holds.
    pub fn open(dir: &Path) -> Result<Sparse> {
        std::fs::create_dir_all(dir).map_err(|e| Error::from(e).at(dir.display()))?;
        settled(dir, || Meta::read(dir), |meta| Sparse::open_files(dir, meta))
    }

    fn open_files(dir: &Path, meta: Meta) -> Result<Sparse> {
        let open = |name: &str, len: Option<u64>| {
            let len = len.filter(|_| meta.rows < u64::from(u32::MAX));
            Growing::open(
                meta.growing(dir, name),
                len.ok_or_else(|| broken(dir, "speaks of too many vectors"))?,
            )
        };
        let removed = meta.removed.map(|at| dir.join(format!("removed-{at}")));
        let ids = Ids::open(meta.growing(dir, "ids"), meta.rows, removed.as_deref())?;
        let ends = open("ends", meta.rows.checked_mul(8))?;
        let lists = open("lists", meta.terms.checked_mul(8))?;
        let postings = meta.postings.as_ref();
        let postings =
            postings.map(|of| Postings::open(&dir.join(format!("postings-{}", of.commit)), of.bytes));
        let postings = postings.transpose()?;
        Ok(Sparse { dir: dir.into(), meta, ids, ends, lists, postings })
    }

    /// How many vectors it holds.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the last commit said the index holds.
    pub fn generation(&self) -> u64 {
        self.meta.generation
    }

    /// Whether it holds a vector for `id`.
    pub fn contains(&self, id: u64) -> bool {
        self.ids.row(id).is_some()
    }

    /// The ids it holds vectors for, in the order in which they were added.
    pub fn ids(&self) -> impl Iterator<Item = u64> {
        self.ids.live().map(|(_, id)| id)
    }

    /// Bytes of memory that hold the index when all of it has been looked at. Files are mapped, so the system may take
    /// that memory back when it is short.
    pub fn memory(&self) -> usize {
        let lists = self.ends.bytes().len() + self.lists.bytes().len();
        lists + self.postings.as_ref().map_or(0, Postings::memory) + self.ids.memory()
    }

    /// Adds vectors, each a list of terms and weights, in place of the one its id had. When one is refused, none is added.
    pub fn add<'a>(&mut self, vectors: impl IntoIterator<Item = (u64, &'a [(u32, f32)])>) -> Result<()> {
        let (mut ids, mut ends, mut lists) = (Vec::new(), Vec::new(), Vec::new());
        let begin = self.lists.bytes().len() / 8;
        for (id, vector) in vectors {
            lists.extend(merged(vector).map_err(|e| e.at(format!("vector of {id}")))?);
            ids.push(id);
            ends.push((begin + lists.len()) as u64);
        }
        let first = self.ids.all().len();
        if let Err(e) = self.append(&ids, &ends, &lists) {
            self.ids.cut(first)?;
            self.lists.cut(begin as u64 * 8)?;
            self.ends.cut(first as u64 * 8)?;
            return Err(e);
        }
        self.ids.take_over(first);
        Ok(())
    }

    /// Removes the vectors of `ids`. Those it does not hold are left out.
    pub fn remove(&mut self, ids: &[u64]) -> Result<()> {
        self.ids.remove(ids);
        Ok(())
    }

    /// The `k` vectors of the highest dot product with `query` among those that share a term with it and whose id passes
    /// `filter`, best first.
    pub fn search(&self, query: &[(u32, f32)], k: usize, filter: Filter<'_>) -> Result<Vec<Found>> {
        let query = merged(query)?;
        let mut scores = FxHashMap::<u32, f32>::default();
        let mut count = |row: u32, product: f32| *scores.entry(row).or_insert(0.0) += product;
        if let Some(postings) = &self.postings {
            for term in &query {
                postings.of(term.at).iter().for_each(|one| count(one.at, one.weight * term.weight));
            }
        }
        for row in self.meta.covered() as u32..self.ids.all().len() as u32 {
            shared(&query, self.list(row)).for_each(|product| count(row, product));
        }
        let ids = self.ids.all();
        let mut top = Top::new(k);
        for (row, score) in scores {
            let Some(id) = ids.get(row as usize) else { continue };
            if !self.ids.is_removed(row) && filter.is_none_or(|filter| filter(*id)) {
                top.push(score, *id);
            }
        }
        Ok(top.into_sorted().into_iter().map(|one| Found { id: one.at, score: one.score }).collect())
    }

    /// The dot products of `query` with the vectors of `ids`; none for those it does not hold.
    pub fn score(&self, query: &[(u32, f32)], ids: &[u64]) -> Result<Vec<Option<f32>>> {
        let query = merged(query)?;
        let product = |row: u32| shared(&query, self.list(row)).sum();
        Ok(ids.iter().map(|id| self.ids.row(*id).map(product)).collect())
    }

    fn append(&mut self, ids: &[u64], ends: &[u64], lists: &[Weighted]) -> Result<()> {
        self.ids.append(ids)?;
        self.lists.append(|w| Ok(w.write_all(bytemuck::cast_slice(lists))?))?;
        self.ends.append(|w| Ok(w.write_all(bytemuck::cast_slice(ends))?))
    }

    /// The terms of a row, in order.
    fn list(&self, row: u32) -> &[Weighted] {
        let ends: &[u64] = bytemuck::try_cast_slice(self.ends.bytes()).unwrap_or_default();
        let lists: &[Weighted] = bytemuck::try_cast_slice(self.lists.bytes()).unwrap_or_default();
        let from = row.checked_sub(1).and_then(|before| ends.get(before as usize)).copied().unwrap_or(0);
        let to = ends.get(row as usize).copied().unwrap_or(from);
        lists.get(from as usize..to as usize).unwrap_or_default()
    }
}

/// The terms in order, each once with the sum of its weights. Refuses weights that are not finite.
fn merged(vector: &[(u32, f32)]) -> Result<Vec<Weighted>> {
    if vector.iter().any(|(_, weight)| !weight.is_finite()) {
        return Err(Error::input("a weight is not finite"));
    }
    let mut terms: Vec<Weighted> =
        vector.iter().map(|(at, weight)| Weighted { at: *at, weight: *weight }).collect();
    terms.sort_by_key(|term| term.at);
    terms.dedup_by(|next, kept| {
        let same = next.at == kept.at;
        kept.weight += if same { next.weight } else { 0.0 };
        same
    });
    Ok(terms)
}

/// The products of the weights of the terms that both lists hold.
fn shared<'a>(query: &'a [Weighted], list: &'a [Weighted]) -> impl Iterator<Item = f32> + 'a {
    let weight = |term: u32| list.binary_search_by_key(&term, |one| one.at).ok().and_then(|at| list.get(at));
    query.iter().filter_map(move |term| Some(term.weight * weight(term.at)?.weight))
}
