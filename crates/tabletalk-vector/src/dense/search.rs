//! Finding the nearest.

use super::Dense;
use super::rows::{Query, Row};
use crate::top::Top;
use crate::{Filter, Found};
use rayon::prelude::*;
use std::ops::Range;
use tabletalk_core::Result;

/// Rows that one thread compares at a time; fewer are not worth a second thread.
const CHUNK: usize = 4096;
/// Rows asked to learn what share of all passes a filter.
const PROBES: usize = 512;
/// A filter that fewer of the probes pass makes the graph slower than asking it of every row.
const RARE: usize = PROBES / 32;
/// The graph is given up when it has led to this share of all rows: comparing all that pass is then cheaper.
const GIVE_UP: usize = 4;

impl Dense {
    /// The `k` vectors nearest to `query` among those whose id passes `filter`, best first.
    ///
    /// Scores are the cosine, the dot product, or the negative Euclidean distance: higher is better.
    pub fn search(&self, query: &[f32], k: usize, filter: Filter<'_>) -> Result<Vec<Found>> {
        let exact = Query::new(self.rows.code, query)?;
        let exact = exact.row()?;
        let rows = self.ids.all().len();
        let passes = |row: u32| self.passes(row, filter);
        let top = match self.candidates(query, k, filter)? {
            Some((candidates, covered)) => {
                let mut top = self.scan(exact, k, covered..rows, passes);
                candidates.iter().for_each(|row| top.push(self.rows.score(exact, *row), *row));
                top
            }
            None => self.scan(exact, k, 0..rows, passes),
        };
        Ok(self.found(top))
    }

    /// The same, by comparing all that pass, however many they are.
    pub fn search_exact(&self, query: &[f32], k: usize, filter: Filter<'_>) -> Result<Vec<Found>> {
        let query = Query::new(self.rows.code, query)?;
        let rows = 0..self.ids.all().len();
        Ok(self.found(self.scan(query.row()?, k, rows, |row| self.passes(row, filter))))
    }

    /// Rows that the graph leads to, and how many rows it covers. None when there is no graph or too few rows pass.
    fn candidates(&self, query: &[f32], k: usize, filter: Filter<'_>) -> Result<Option<(Vec<u32>, usize)>> {
        let Some(graph) = &self.graph else { return Ok(None) };
        if k.saturating_mul(self.settings.rescore.max(1)) > graph.len() / GIVE_UP || self.is_rare(filter) {
            return Ok(None);
        }
        let codes = self.codes.as_ref().unwrap_or(&self.rows);
        let query = Query::new(codes.code, query)?;
        let wanted = k * self.settings.rescore.max(1);
        let wide = wanted.max(self.settings.hnsw.expansion_search);
        let passes = |row: u32| self.passes(row, filter);
        let found = graph.search(codes, query.row()?, wide, graph.len() / GIVE_UP, &passes);
        Ok(found.map(|found| (found.iter().take(wanted).map(|one| one.at).collect(), graph.len())))
    }

    fn found(&self, top: Top<u32>) -> Vec<Found> {
        let ids = self.ids.all();
        let found = top.into_sorted().into_iter();
        found.filter_map(|one| Some(Found { id: *ids.get(one.at as usize)?, score: one.score })).collect()
    }

    /// Whether few rows pass `filter` or are left, as far as some of them tell.
    fn is_rare(&self, filter: Filter<'_>) -> bool {
        let rows = self.ids.all().len();
        if filter.is_none() || rows == 0 {
            return false;
        }
        // A step that shares no factor with powers of two and ten does not fall in with a pattern of the ids.
        let passing = (0..PROBES).filter(|i| self.passes((i * 999_983 % rows) as u32, filter)).count();
        passing < RARE
    }

    fn passes(&self, row: u32, filter: Filter<'_>) -> bool {
        !self.ids.is_removed(row)
            && filter.is_none_or(|filter| self.ids.all().get(row as usize).is_some_and(|id| filter(*id)))
    }

    /// The best `k` of `rows`, all compared.
    fn scan(
        &self,
        query: Row<'_>,
        k: usize,
        rows: Range<usize>,
        passes: impl Fn(u32) -> bool + Sync,
    ) -> Top<u32> {
        let part = |rows: Range<usize>| {
            let mut top = Top::new(k);
            for row in rows.map(|row| row as u32).filter(|row| passes(*row)) {
                top.push(self.rows.score(query, row), row);
            }
            top
        };
        if rows.len() <= CHUNK {
            return part(rows);
        }
        let chunks = rows.len().div_ceil(CHUNK);
        let chunk = |i: usize| rows.start + i * CHUNK..(rows.start + (i + 1) * CHUNK).min(rows.end);
        (0..chunks).into_par_iter().map(|i| part(chunk(i))).reduce(|| Top::new(k), Top::merge)
    }
}
