//! Which documents are worth scoring exactly, found by centroids alone.

use super::dots::dots;
use super::kmeans::Points;
use super::segment::Segment;
use crate::Filter;
use rayon::prelude::*;

/// Tokens of a query whose best scores are kept together, a byte each.
const LANES: usize = 32;
/// Centroids scored at once.
const CHUNK: usize = 256;

/// A document that may be an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) score: f32,
    pub(super) segment: u32,
    pub(super) document: u32,
}

/// A query seen through the centroids.
#[derive(Debug)]
pub(super) struct Probe {
    /// For each token, the nearest centroids, best first, and how much better each is than the last of them.
    tops: Vec<Vec<(usize, f32)>>,
    /// For each group of tokens, for each centroid, the scores in bytes.
    tables: Vec<Vec<[u8; LANES]>>,
}

impl Probe {
    /// Scores every centroid for every token of the query, and notes the best `probe` ones of each.
    pub(super) fn new(query: &[f32], dim: usize, points: &Points, probe: usize) -> Probe {
        let wide = query.len() / dim;
        let mut scores = vec![0.0; points.len() * wide];
        scores
            .par_chunks_mut(CHUNK * wide)
            .zip(points.rows.par_chunks(CHUNK * dim))
            .for_each(|(scores, points)| dots(points, query, dim, scores));
        let tops = tops(&scores, wide, probe);
        let tables = tables(&scores, wide);
        Probe { tops, tables }
    }

    /// The documents of a segment that have a token near the query's, with a first guess at their scores: what a token
    /// of the query gains by them over the last centroid looked into.
    pub(super) fn gather(
        &self,
        number: u32,
        segment: &Segment,
        filter: Filter<'_>,
        enough: usize,
    ) -> Vec<Candidate> {
        let ids = segment.ids();
        let mut marks = vec![UNSEEN; ids.len()];
        let mut sums = vec![0f32; ids.len()];
        let mut seen = Vec::new();
        let wanted = |document: u32| {
            let id = ids.get(document as usize);
            !segment.dead.has(document) && id.is_some_and(|id| filter.is_none_or(|filter| filter(*id)))
        };
        for (token, top) in self.tops.iter().enumerate() {
            for (centroid, gain) in top {
                for document in segment.list(*centroid) {
                    let Some(mark) = marks.get_mut(*document as usize) else { continue };
                    if *mark == UNSEEN {
                        *mark = if wanted(*document) { FRESH } else { REFUSED };
                        seen.extend((*mark == FRESH).then_some(*document));
                    }
                    if *mark != REFUSED && *mark != token as u32 {
                        *mark = token as u32;
                        sums[*document as usize] += gain;
                    }
                }
            }
        }
        if seen.len() < enough {
            let rest = (0..ids.len() as u32).filter(|document| marks[*document as usize] == UNSEEN);
            seen.extend(
                rest.filter(|document| segment.tokens(*document) > 0 && wanted(*document))
                    .collect::<Vec<_>>(),
            );
        }
        let candidate =
            |document: u32| Candidate { score: sums[document as usize], segment: number, document };
        seen.into_iter().map(candidate).collect()
    }

    /// How alike the query and a document's centroids are: MaxSim, as if every token stood at its centroid.
    pub(super) fn score(&self, centroids: &[u16]) -> f32 {
        self.tables.iter().map(|table| best(table, centroids)).sum::<u32>() as f32
    }
}

/// Marks of documents; every other mark is the last token that gained by it.
const UNSEEN: u32 = u32::MAX;
const REFUSED: u32 = u32::MAX - 1;
const FRESH: u32 = u32::MAX - 2;

fn best(table: &[[u8; LANES]], centroids: &[u16]) -> u32 {
    let mut best = [0u8; LANES];
    for row in centroids.iter().filter_map(|centroid| table.get(usize::from(*centroid))) {
        for (best, score) in best.iter_mut().zip(row) {
            *best = (*best).max(*score);
        }
    }
    best.iter().map(|score| u32::from(*score)).sum()
}

/// The best `probe` centroids of each token.
fn tops(scores: &[f32], wide: usize, probe: usize) -> Vec<Vec<(usize, f32)>> {
    let mut tops: Vec<Vec<(usize, f32)>> = vec![Vec::with_capacity(probe + 1); wide];
    let mut limits = vec![f32::NEG_INFINITY; wide];
    for (centroid, row) in scores.chunks_exact(wide).enumerate() {
        for (token, (score, limit)) in row.iter().zip(&mut limits).enumerate() {
            if score > limit {
                let top = &mut tops[token];
                let at = top.partition_point(|(_, other)| other >= score);
                top.insert(at, (centroid, *score));
                top.truncate(probe);
                *limit = if top.len() == probe { top[probe - 1].1 } else { f32::NEG_INFINITY };
            }
        }
    }
    for top in &mut tops {
        let last = top.last().map_or(0.0, |(_, score)| *score);
        top.iter_mut().for_each(|(_, score)| *score -= last);
    }
    tops
}

/// Scores in bytes. Each token's range ends at its best centroid; all ranges are as wide as the widest from a token's
/// mean to its best, because a document's best token is hardly ever worse than the mean of all centroids.
fn tables(scores: &[f32], wide: usize) -> Vec<Vec<[u8; LANES]>> {
    let (mut best, mut mean) = (vec![f32::NEG_INFINITY; wide], vec![0f32; wide]);
    for row in scores.chunks_exact(wide) {
        for ((best, mean), score) in best.iter_mut().zip(&mut mean).zip(row) {
            *best = best.max(*score);
            *mean += score;
        }
    }
    let count = (scores.len() / wide).max(1) as f32;
    let range = best.iter().zip(&mean).map(|(best, sum)| best - sum / count).fold(1e-6, f32::max);
    let step = 255.0 / range;
    let groups = (0..wide).step_by(LANES);
    groups
        .map(|start| {
            let best = &best[start..wide.min(start + LANES)];
            scores.chunks_exact(wide).map(|row| bytes(&row[start..], best, step)).collect()
        })
        .collect()
}

fn bytes(row: &[f32], best: &[f32], step: f32) -> [u8; LANES] {
    let mut out = [0; LANES];
    for ((out, score), best) in out.iter_mut().zip(row).zip(best) {
        *out = (255.0 - (best - score) * step).max(0.0) as u8;
    }
    out
}

/// Keeps the best `most`, in no order.
pub(super) fn shortlist(mut all: Vec<Candidate>, most: usize) -> Vec<Candidate> {
    if all.len() > most {
        all.select_nth_unstable_by(most, |a, b| b.score.total_cmp(&a.score));
        all.truncate(most);
    }
    all
}
