//! Ways to cut a question into runs of words that each mean one thing, the best first.

use super::annotate::Span;
use crate::analyse::Question;
use crate::mask::{Mask, first, last, span};

/// The most ways that are kept at each word.
const BEAM: usize = 48;
/// What a word costs that means nothing here: more than any better cut could bring.
const LEFT_OVER: f32 = -4.0;
/// What a word costs that may be passed over: less than half of what most words bring.
const PASSED_OVER: f32 = -0.3;

/// One way to cut a question.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cover {
    /// The spans in their order, by their numbers.
    pub spans: Vec<usize>,
    /// The words that no span explains.
    pub left: Mask,
    pub score: f32,
}

/// The ways to cut a question, the best first.
pub(crate) fn covers(question: &Question, spans: &[Span]) -> Vec<Cover> {
    cut(question, spans, LEFT_OVER)
}

/// The ways to cut a question in which words may be passed over, the best first.
pub(crate) fn loose_covers(question: &Question, spans: &[Span]) -> Vec<Cover> {
    cut(question, spans, PASSED_OVER)
}

fn cut(question: &Question, spans: &[Span], left_over: f32) -> Vec<Cover> {
    let len = question.words.len();
    let mut starts: Vec<Vec<(usize, usize)>> = vec![Vec::new(); len];
    for (i, s) in spans.iter().enumerate() {
        let (Some(from), Some(to)) = (first(s.mask), last(s.mask)) else { continue };
        if let Some(slot) = starts.get_mut(from) {
            slot.push((i, to + 1));
        }
    }
    let mut at: Vec<Vec<Cover>> = vec![Vec::new(); len + 1];
    if let Some(begin) = at.first_mut() {
        begin.push(Cover::default());
    }
    for from in 0..len {
        let mut here = at.get_mut(from).map(std::mem::take).unwrap_or_default();
        keep_best(&mut here);
        for cover in here {
            for (i, to) in starts.get(from).into_iter().flatten() {
                let mut more = cover.clone();
                more.spans.push(*i);
                more.score += spans.get(*i).map_or(0.0, |s| s.score);
                if let Some(slot) = at.get_mut(*to) {
                    slot.push(more);
                }
            }
            let left = cover.left | span(from, from + 1);
            if let Some(slot) = at.get_mut(from + 1) {
                slot.push(Cover { left, score: cover.score + left_over, ..cover });
            }
        }
    }
    let mut ends = at.pop().unwrap_or_default();
    keep_best(&mut ends);
    ends
}

fn keep_best(covers: &mut Vec<Cover>) {
    covers.sort_by(|a, b| b.score.total_cmp(&a.score));
    covers.truncate(BEAM);
}
