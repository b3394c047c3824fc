//! Whether what is found within a budget of tokens holds the answer.

use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashSet;
use tabletalk_core::seam::Want;
use tabletalk_core::{Hit, Result};
use tabletalk_engine::group::tokens;
use tabletalk_engine::recall::{Recall, Retriever};
use tabletalk_eval::metric::Mean;
use tabletalk_eval::names::Names;
use tabletalk_eval::query::Query;
use tabletalk_eval::retrieval::{TOGETHER, warm};

/// Whether finding its answer in a text says something: `yes` stands in many.
pub fn is_telling(query: &Query) -> bool {
    let trivial = |answer: &String| matches!(plain(answer).as_str(), "yes" | "no" | "");
    !query.answers.is_empty() && !query.answers.iter().all(trivial)
}

/// What came of one way of searching.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    /// How many queries were asked.
    pub queries: usize,
    /// Queries with an answer in what was found.
    pub answered: Mean,
    /// The share of the records that hold the answer of which a passage was found.
    pub found: Mean,
    /// Tokens of what was found.
    pub tokens: f64,
    /// The share of those that are summaries.
    pub summaries: f64,
    /// Seconds for asking them all.
    pub seconds: f64,
}

struct One {
    answered: f64,
    found: f64,
    tokens: f64,
    of_summaries: f64,
}

/// Asks every query and looks for its answers in what was found.
pub fn run(recall: &Recall<'_>, queries: &[Query], retriever: &Retriever) -> Result<Figures> {
    for together in queries.chunks(TOGETHER) {
        let texts: Vec<&str> = together.iter().map(|q| q.question.as_str()).collect();
        warm(recall, &retriever.group, &texts, Want::Pooled)?;
    }
    let names = Names::of(recall.library)?;
    let begun = std::time::Instant::now();
    let all: Vec<One> =
        queries.par_iter().map(|q| one(recall, q, retriever, &names)).collect::<Result<_>>()?;
    let seconds = begun.elapsed().as_secs_f64();
    let mean = |of: &dyn Fn(&One) -> f64| Mean::of(&all.iter().map(of).collect::<Vec<_>>());
    let tokens: f64 = all.iter().map(|o| o.tokens).sum();
    Ok(Figures {
        queries: queries.len(),
        answered: mean(&|o| o.answered),
        found: mean(&|o| o.found),
        tokens: tokens / all.len().max(1) as f64,
        summaries: all.iter().fold(0.0, |sum, o| sum + o.of_summaries) / tokens.max(1.0),
        seconds,
    })
}

fn one(recall: &Recall<'_>, query: &Query, retriever: &Retriever, names: &Names) -> Result<One> {
    let hits = recall.search(&query.question, retriever)?.hits;
    let texts: Vec<String> = hits.iter().map(|h| plain(&h.node.text)).collect();
    let answers: Vec<String> = query.answers.iter().map(|a| plain(a)).filter(|a| !a.is_empty()).collect();
    let answered = texts.iter().any(|text| answers.iter().any(|a| text.contains(a)));
    let is_summary = |hit: &Hit| hit.node.fields.contains_key("children");
    let size = |hit: &Hit| tokens::count(&hit.node.text) as f64;
    Ok(One {
        answered: f64::from(u8::from(answered)),
        found: share_found(recall, query, &hits, names)?,
        tokens: hits.iter().map(size).sum(),
        of_summaries: hits.iter().filter(|h| is_summary(h)).map(size).fold(0.0, |sum, n| sum + n),
    })
}

fn share_found(recall: &Recall<'_>, query: &Query, hits: &[Hit], names: &Names) -> Result<f64> {
    let catalog = recall.library.catalog()?;
    let mut found: HashSet<i64> = HashSet::new();
    for hit in hits {
        found.extend(catalog.record(hit.node.document())?.map(|r| r.key));
    }
    let is_found = |id: &&String| names.document(id).is_some_and(|key| found.contains(&key));
    let there = query.relevant.iter().filter(is_found).count();
    Ok(there as f64 / query.relevant.len().max(1) as f64)
}

/// In small letters, with single spaces.
fn plain(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_stands_everywhere_tells_nothing() {
        let query = |answer: &str| Query { answers: vec![answer.into()], ..Query::default() };
        assert!(is_telling(&query("Oslo")) && !is_telling(&query("Yes")) && !is_telling(&Query::default()));
    }
}
