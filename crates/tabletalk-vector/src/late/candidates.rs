//! Which documents are worth scoring exactly, found by centroids alone.

use super::columns::{LANES, Lanes};
use super::query::Query;
use super::segment::Segment;
use crate::Filter;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// Documents a thread looks at together: few enough that what it notes about them stays near the processor.
const SPAN: usize = 1 << 14;

/// A document that may be an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) score: f32,
    pub(super) segment: u32,
    pub(super) document: u32,
}

/// For each token of a query, the nearest centroids, best first, and how much better each is than the last of them.
#[derive(Debug)]
pub(super) struct Probe {
    tops: Vec<Vec<(usize, f32)>>,
}

impl Probe {
    /// Notes the best `probe` centroids of each token of a query that has scored them.
    pub(super) fn new(query: &Query<'_>, probe: usize) -> Probe {
        let groups = query.scores().iter();
        let mut tops: Vec<_> =
            groups.flat_map(|scores| Arch::new().dispatch(Tops { scores, probe })).collect();
        tops.truncate(query.tokens);
        Probe { tops }
    }

    /// The documents that have a token near the query's, with a first guess at their scores: what a token of the query
    /// gains by them over the last centroid looked into. Where those are not `enough`, all others too.
    pub(super) fn gather(&self, segments: &[Segment], filter: Filter<'_>, enough: usize) -> Vec<Candidate> {
        let seen = self.look(segments, filter, false);
        if seen.len() < enough { self.look(segments, filter, true) } else { seen }
    }

    fn look(&self, segments: &[Segment], filter: Filter<'_>, all: bool) -> Vec<Candidate> {
        let spans: Vec<Span<'_>> = (0..).zip(segments).flat_map(|(i, segment)| spans(i, segment)).collect();
        spans.par_iter().flat_map_iter(|span| self.look_into(span, filter, all)).collect()
    }

    fn look_into(&self, span: &Span<'_>, filter: Filter<'_>, all: bool) -> Vec<Candidate> {
        let mut marks = vec![UNSEEN; span.range.len()];
        let mut sums = vec![0f32; span.range.len()];
        for (token, top) in (0..).zip(&self.tops) {
            for (centroid, gain) in top {
                for document in span.list(*centroid) {
                    let at = document.wrapping_sub(span.range.start) as usize;
                    let Some(mark) = marks.get_mut(at) else { continue };
                    if *mark != token {
                        *mark = token;
                        sums[at] += gain;
                    }
                }
            }
        }
        let found = span.range.clone().zip(marks).zip(sums);
        found
            .filter(|((document, mark), _)| (all || *mark != UNSEEN) && span.wants(*document, filter))
            .map(|((document, _), score)| Candidate { score, segment: span.number, document })
            .collect()
    }
}

/// The mark of a document; every other mark is the last token that gained by it.
const UNSEEN: u32 = u32::MAX;

/// Documents of a segment that stand side by side.
struct Span<'a> {
    number: u32,
    segment: &'a Segment,
    range: Range<u32>,
}

fn spans(number: u32, segment: &Segment) -> impl Iterator<Item = Span<'_>> {
    let end = segment.ids().len();
    let range = move |start: usize| start as u32..end.min(start + SPAN) as u32;
    (0..end).step_by(SPAN).map(move |start| Span { number, segment, range: range(start) })
}

impl Span<'_> {
    /// The documents with a token near a centroid.
    fn list(&self, centroid: usize) -> &[u32] {
        let list = self.segment.list(centroid);
        let list = &list[list.partition_point(|document| *document < self.range.start)..];
        &list[..list.partition_point(|document| *document < self.range.end)]
    }

    fn wants(&self, document: u32, filter: Filter<'_>) -> bool {
        let id = self.segment.ids().get(document as usize);
        !self.segment.dead.has(document)
            && self.segment.tokens(document) > 0
            && id.is_some_and(|id| filter.is_none_or(|filter| filter(*id)))
    }
}

/// The best `probe` centroids of each of the tokens side by side.
struct Tops<'a> {
    scores: &'a [Lanes],
    probe: usize,
}

impl WithSimd for Tops<'_> {
    type Output = Vec<Vec<(usize, f32)>>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let mut tops = vec![Vec::new(); LANES];
        let mut limits = [f32::NEG_INFINITY; LANES];
        for (centroid, row) in self.scores.iter().enumerate() {
            if row.iter().zip(&limits).fold(false, |any, (score, limit)| any | (score > limit)) {
                insert(&mut tops, &mut limits, self.probe, centroid, row);
            }
        }
        for top in &mut tops {
            let last = top.last().map_or(0.0, |(_, score)| *score);
            top.iter_mut().for_each(|(_, score)| *score -= last);
        }
        tops
    }
}

fn insert(tops: &mut [Vec<(usize, f32)>], limits: &mut Lanes, probe: usize, centroid: usize, row: &Lanes) {
    for ((top, limit), score) in tops.iter_mut().zip(limits).zip(row) {
        if score > limit {
            let at = top.partition_point(|(_, other)| other >= score);
            top.insert(at, (centroid, *score));
            top.truncate(probe);
            *limit = if top.len() == probe { top[probe - 1].1 } else { f32::NEG_INFINITY };
        }
    }
}

/// Keeps the best `most`, in no order.
pub(super) fn shortlist(mut all: Vec<Candidate>, most: usize) -> Vec<Candidate> {
    if all.len() > most {
        all.select_nth_unstable_by(most, |a, b| b.score.total_cmp(&a.score));
        all.truncate(most);
    }
    all
}
