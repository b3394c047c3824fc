//! Questions about texts without a language model: the words that answer, cut out of the passages that were found.
//!
//! A question that a table may be meant by is left alone: loose sentences must not answer what rows do.

use super::cite::{prose, source};
use super::propose::Readings;
use super::trace::Trace;
use super::{Answering, Question, recall};
use crate::group::sentence::sentences;
use serde_json::json;
use std::ops::Range;
use tabletalk_core::answer::Sentence;
use tabletalk_core::{Answer, Basis, Citation, Hit, Outcome, Result};
use tabletalk_question::span::{self, Span};
use tabletalk_store::analyze::simplified;

/// A reading over a table that is this likely makes a question one about tables.
const OF_TABLES: f32 = 0.4;
/// The share of the question that must stand in the passage: who founded one company is no answer for another.
const SHARE: f32 = 0.5;
/// Answers of more characters are given as the sentences that they stand in.
const SHORT: usize = 60;

/// An answer from the passages; nothing where none is sure enough, or where a table is asked about.
pub(super) fn answer(
    context: &Answering<'_>,
    asked: &Question<'_>,
    read: &Readings<'_>,
    trace: &mut Trace,
) -> Result<Option<Answer>> {
    let likely = read.candidates.first().map_or(0.0, |best| best.probability);
    let is_read = !read.candidates.is_empty() && read.unknown.is_empty();
    if likely >= OF_TABLES || is_read || !asked.tables.is_empty() {
        return Ok(None);
    }
    let found = trace.step("extract", |about| {
        let found = best(&recall::passages(context, asked)?, asked.text);
        about.insert("sure".into(), json!(found.as_ref().map(|(_, span)| span.sure)));
        Ok(found)
    })?;
    Ok(found
        .filter(|(_, span)| span.sure >= context.settings.sure_text)
        .and_then(|(hit, span)| given(&hit, &span)))
}

/// The passage whose words are likeliest to answer. Summaries were written by a model and are not cut.
fn best(passages: &[Hit], question: &str) -> Option<(Hit, Span)> {
    let question = simplified(question);
    let of = |hit: &Hit| Some((hit.clone(), span::find(&question, &simplified(&hit.node.text))?));
    let is_about = |hit: &&Hit| !source::is_summary(&hit.node) && prose::has_names(&question, &hit.node);
    let found = passages.iter().filter(is_about).filter_map(of).filter(|(_, span)| span.share >= SHARE);
    found.reduce(|best, one| if one.1.sure > best.1.sure { one } else { best })
}

/// The answer: its words, and the sentences that they stand in.
fn given(hit: &Hit, span: &Span) -> Option<Answer> {
    let words = hit.node.text.get(span.range.clone())?.trim().to_owned();
    let around = hit.node.text.get(around(&hit.node.text, &span.range))?.to_owned();
    let sentences = vec![Sentence { text: around.clone(), citations: vec![0] }];
    let is_short = words.chars().count() <= SHORT;
    Some(Answer {
        outcome: Outcome::Answered,
        answer: if is_short { words.clone() } else { prose::written(&sentences) },
        values: vec![words],
        sentences,
        confidence: span.sure.clamp(0.0, 0.99),
        basis: Basis::Reading,
        citations: vec![Citation { text: around, ..source::of_node(&hit.node) }],
        ..Answer::default()
    })
}

/// The sentences that words stand in.
fn around(text: &str, words: &Range<usize>) -> Range<usize> {
    let all = sentences(text);
    let first = all.iter().rev().find(|s| s.start <= words.start).map_or(words.start, |s| s.start);
    let last = all.iter().find(|s| s.end >= words.end).map_or(words.end, |s| s.end);
    first..last.max(words.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_shown_in_their_sentences() {
        let text = "It is old. It opens in May. It is blue. It closes.";
        let at = |words: &str| {
            let start = text.find(words).unwrap();
            &text[around(text, &(start..start + words.len()))]
        };
        assert_eq!(at("May"), "It opens in May.");
        assert_eq!(at("May. It is blue"), "It opens in May. It is blue.");
    }
}
