//! Finding documents, and scoring given ones.

use super::candidates::{Candidate, Probe, shortlist};
use super::columns::{Lanes, columns};
use super::maxsim::maxsim_rows;
use super::query::{self, Query};
use super::segment::Segment;
use super::stage::check;
use super::{Filter, Found, Late, Settings};
use rayon::prelude::*;
use tabletalk_core::{Matrix, Result};

/// Documents a thread scores at a time.
const CHUNK: usize = 8;
/// Documents a thread guesses the scores of at a time.
const GUESSES: usize = 64;
/// Documents whose centroids are looked at, for each one of which a few tokens are.
const SIEVE: usize = 4;

impl Late {
    /// The best `k` documents for which `filter` holds, best first, by [`maxsim`](super::maxsim) with their tokens as
    /// they are kept. Documents without tokens are never found.
    pub fn search(&self, query: &Matrix, k: usize, filter: Filter<'_>) -> Result<Vec<Found>> {
        check(query, self.dim).map_err(|e| e.at("the query"))?;
        if query.data.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        let asked = self.ask(&query.data).with_centroids();
        let candidates = match &asked {
            Asked::Whole(_) => self.all(filter),
            Asked::Coded(query) => self.candidates(query, k, filter),
        };
        let mut found = self.exact(&asked, &candidates);
        found.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
        found.truncate(k);
        Ok(found)
    }

    /// The score of each document with the query; nothing for ids that are not there.
    pub fn score(&self, query: &Matrix, ids: &[u64]) -> Result<Vec<Option<f32>>> {
        check(query, self.dim).map_err(|e| e.at("the query"))?;
        let asked = self.ask(&query.data);
        let score = |scratch: &mut Scratch, id: &u64| {
            let (segment, document) = *self.places.get(id)?;
            Some(asked.score(self.state.segments.get(segment as usize)?, document, scratch))
        };
        Ok(ids.par_iter().with_min_len(CHUNK).map_init(Scratch::default, score).collect())
    }

    fn ask(&self, query: &[f32]) -> Asked<'_> {
        match &self.state.trained {
            None => Asked::Whole(columns(query, self.dim)),
            Some(trained) => Asked::Coded(Query::new(query, &trained.codec)),
        }
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

    /// The documents worth scoring exactly: three guesses, each better and dearer than the one before.
    fn candidates(&self, query: &Query<'_>, k: usize, filter: Filter<'_>) -> Vec<Candidate> {
        let Settings { probe, refine, candidates, .. } = self.settings;
        let most = candidates.max(k.saturating_mul(2));
        let near = Probe::new(query, probe).gather(&self.state.segments, filter, most);
        let near = shortlist(near, most.saturating_mul(refine).saturating_mul(SIEVE));
        let near = self.rescore(near, |segment, document| query.glance(segment.centroids(document)));
        let near = shortlist(near, most.saturating_mul(refine));
        let guess =
            |segment: &Segment, document| query.guess(segment.centroids(document), segment.rest(document));
        shortlist(self.rescore(near, guess), most)
    }

    fn rescore(
        &self,
        mut candidates: Vec<Candidate>,
        score: impl Fn(&Segment, u32) -> f32 + Sync,
    ) -> Vec<Candidate> {
        candidates.par_iter_mut().with_min_len(GUESSES).for_each(|candidate| {
            let segment = self.state.segments.get(candidate.segment as usize);
            candidate.score = segment.map_or(0.0, |segment| score(segment, candidate.document));
        });
        candidates
    }

    /// Scores candidates with their tokens as they are kept.
    fn exact(&self, asked: &Asked<'_>, candidates: &[Candidate]) -> Vec<Found> {
        let score = |scratch: &mut Scratch, candidate: &Candidate| {
            let segment = self.state.segments.get(candidate.segment as usize)?;
            let id = *segment.ids().get(candidate.document as usize)?;
            Some(Found { id, score: asked.score(segment, candidate.document, scratch) })
        };
        candidates.par_iter().with_min_len(CHUNK).map_init(Scratch::default, score).flatten().collect()
    }
}

/// A query as the documents of this index meet it: with their tokens whole, or compressed.
enum Asked<'a> {
    Whole(Vec<Vec<Lanes>>),
    Coded(Query<'a>),
}

/// Memory that is used again for the next document.
#[derive(Default)]
struct Scratch {
    rows: Vec<f32>,
    coded: query::Scratch,
}

impl Asked<'_> {
    /// Ready to score many documents.
    fn with_centroids(self) -> Self {
        match self {
            Asked::Coded(query) => Asked::Coded(query.with_centroids()),
            whole => whole,
        }
    }

    fn score(&self, segment: &Segment, document: u32, scratch: &mut Scratch) -> f32 {
        match self {
            Asked::Coded(query) => {
                query.score(segment.centroids(document), segment.rest(document), &mut scratch.coded)
            }
            Asked::Whole(query) => {
                segment.decode(document, None, &mut scratch.rows);
                maxsim_rows(query, &scratch.rows)
            }
        }
    }
}
