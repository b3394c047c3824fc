//! Whether what is found within a budget of tokens holds the answer.

use super::metric::Mean;
use crate::group::tokens;
use crate::recall::{Recall, Retriever};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use tabletalk_core::{Error, Hit, Result};

/// Queries that are embedded together.
const TOGETHER: usize = 1024;

/// A question, what answers it, and the records that say so.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Query {
    /// The question.
    pub question: String,
    /// Texts that answer it.
    #[serde(default)]
    pub answers: Vec<String>,
    /// Ids of the records that hold the answer.
    #[serde(default, alias = "gold")]
    pub relevant: Vec<String>,
    /// The id of the record, where there is one.
    #[serde(default)]
    pub passage: Option<String>,
}

impl Query {
    /// Whether finding its answer in a text says something: `yes` stands in many.
    pub fn is_telling(&self) -> bool {
        let trivial = |answer: &String| matches!(plain(answer).as_str(), "yes" | "no" | "");
        !self.answers.is_empty() && !self.answers.iter().all(trivial)
    }
}

/// Reads queries, one JSON object a line; those whose answer tells nothing are left out.
pub fn queries(text: &str) -> Result<Vec<Query>> {
    let mut all = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let query: Query =
            serde_json::from_str(line).map_err(|e| Error::input(format!("line {}: {e}", i + 1)))?;
        all.extend(Some(query).filter(Query::is_telling));
    }
    Ok(all)
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
        for slot in recall.embedders.slots().iter().filter(|s| s.groups.contains(&retriever.group)) {
            let texts = together.iter().map(|q| q.question.as_str()).filter(|t| slot.route.takes(t));
            slot.remember(&texts.collect::<Vec<_>>(), false)?;
        }
    }
    let begun = std::time::Instant::now();
    let all: Vec<One> = queries.par_iter().map(|q| one(recall, q, retriever)).collect::<Result<_>>()?;
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

fn one(recall: &Recall<'_>, query: &Query, retriever: &Retriever) -> Result<One> {
    let hits = recall.search(&query.question, retriever)?.hits;
    let texts: Vec<String> = hits.iter().map(|h| plain(&h.node.text)).collect();
    let answers: Vec<String> = query.answers.iter().map(|a| plain(a)).filter(|a| !a.is_empty()).collect();
    let answered = texts.iter().any(|text| answers.iter().any(|a| text.contains(a)));
    let is_summary = |hit: &Hit| hit.node.fields.contains_key("children");
    let size = |hit: &Hit| tokens::count(&hit.node.text) as f64;
    Ok(One {
        answered: f64::from(u8::from(answered)),
        found: share_found(recall, query, &hits)?,
        tokens: hits.iter().map(size).sum(),
        of_summaries: hits.iter().filter(|h| is_summary(h)).map(size).fold(0.0, |sum, n| sum + n),
    })
}

fn share_found(recall: &Recall<'_>, query: &Query, hits: &[Hit]) -> Result<f64> {
    let catalog = recall.library.catalog()?;
    let mut found: HashSet<String> = HashSet::new();
    for hit in hits {
        found.extend(catalog.record(hit.node.document())?.map(|r| r.source_id));
    }
    let wanted: Vec<&String> = query.relevant.iter().chain(&query.passage).collect();
    let there = wanted.iter().filter(|id| found.contains(**id)).count();
    Ok(there as f64 / wanted.len().max(1) as f64)
}

/// In small letters, with single spaces.
fn plain(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_whose_answer_tells_nothing_are_left_out() {
        let text = "{\"question\":\"a\",\"answers\":[\"Yes\"]}\n{\"question\":\"b\",\"answers\":[\"Oslo\"],\"gold\":[\"x\"]}\n";
        let read = queries(text).unwrap();
        assert_eq!((read.len(), read[0].question.as_str(), read[0].relevant.len()), (1, "b", 1));
        assert!(queries("{").unwrap_err().to_string().starts_with("line 1"));
    }
}
