//! Finding documents, and scoring given ones.

use super::candidates::{Candidate, Probe, shortlist};
use super::codec::Codec;
use super::maxsim::maxsim_rows;
use super::stage::check;
use super::{Filter, Found, Late};
use rayon::prelude::*;
use tabletalk_core::{Matrix, Result};

/// Documents a thread scores at a time.
const CHUNK: usize = 8;

impl Late {
    /// The best `k` documents for which `filter` holds, best first, by [`maxsim`](super::maxsim) with their tokens as
    /// they are kept. Documents without tokens are never found.
    pub fn search(&self, query: &Matrix, k: usize, filter: Filter<'_>) -> Result<Vec<Found>> {
        check(query, self.dim).map_err(|e| e.at("the query"))?;
        if query.data.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        let candidates = match self.codec() {
            None => self.all(filter),
            Some(codec) => self.candidates(&query.data, codec, k, filter),
        };
        let mut found = self.exact(&query.data, &candidates);
        found.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
        found.truncate(k);
        Ok(found)
    }

    /// The score of each document with the query; nothing for ids that are not there.
    pub fn score(&self, query: &Matrix, ids: &[u64]) -> Result<Vec<Option<f32>>> {
        check(query, self.dim).map_err(|e| e.at("the query"))?;
        let place = |id: &u64| self.places.get(id).copied();
        let score = |scratch: &mut Scratch, id: &u64| {
            place(id).map(|(segment, document)| self.one(&query.data, segment, document, scratch))
        };
        Ok(ids.par_iter().with_min_len(CHUNK).map_init(Scratch::default, score).collect())
    }

    fn codec(&self) -> Option<&Codec> {
        self.state.trained.as_ref().map(|trained| &*trained.codec)
    }

    /// Every document the filter holds for.
    fn all(&self, filter: Filter<'_>) -> Vec<Candidate> {
        let segments = (0..).zip(&self.state.segments);
        let documents =
            segments.flat_map(|(number, s)| s.live().map(move |(document, id)| (number, s, document, id)));
        documents
            .filter(|(_, s, document, id)| s.tokens(*document) > 0 && filter.is_none_or(|filter| filter(*id)))
            .map(|(segment, _, document, _)| Candidate { score: 0.0, segment, document })
            .collect()
    }

    /// The documents worth scoring exactly.
    fn candidates(&self, query: &[f32], codec: &Codec, k: usize, filter: Filter<'_>) -> Vec<Candidate> {
        let most = self.settings.candidates.max(k.saturating_mul(2));
        let probe = Probe::new(query, self.dim, &codec.tree.points, self.settings.probe);
        let segments = (0..).zip(&self.state.segments);
        let near =
            segments.flat_map(|(number, segment)| probe.gather(number, segment, filter, most)).collect();
        let mut near = shortlist(near, most.saturating_mul(self.settings.refine));
        near.par_iter_mut().with_min_len(64).for_each(|candidate| {
            let segment = self.state.segments.get(candidate.segment as usize);
            let centroids = segment.map(|segment| segment.centroids(candidate.document)).unwrap_or_default();
            candidate.score = probe.score(centroids);
        });
        shortlist(near, most)
    }

    /// Scores candidates with their tokens as they are kept.
    fn exact(&self, query: &[f32], candidates: &[Candidate]) -> Vec<Found> {
        let score = |scratch: &mut Scratch, candidate: &Candidate| {
            let segment = self.state.segments.get(candidate.segment as usize)?;
            let id = *segment.ids().get(candidate.document as usize)?;
            let score = self.one(query, candidate.segment, candidate.document, scratch);
            Some(Found { id, score })
        };
        candidates.par_iter().with_min_len(CHUNK).map_init(Scratch::default, score).flatten().collect()
    }

    fn one(&self, query: &[f32], segment: u32, document: u32, scratch: &mut Scratch) -> f32 {
        let Some(segment) = self.state.segments.get(segment as usize) else { return 0.0 };
        segment.decode(document, self.codec(), &mut scratch.rows);
        maxsim_rows(query, &scratch.rows, self.dim, &mut scratch.scores)
    }
}

#[derive(Default)]
struct Scratch {
    rows: Vec<f32>,
    scores: Vec<f32>,
}
