//! How well the right documents are found.

use super::metric::{Mean, Ranks};
use crate::recall::strategy::{Ask, Strategy};
use crate::recall::{Recall, Retriever, Similarity};
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use tabletalk_core::{Error, Result};

/// Queries that are embedded together.
const TOGETHER: usize = 1024;

/// A question and the ids of the records that answer it.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Query {
    /// Its id.
    #[serde(default, deserialize_with = "text")]
    pub id: String,
    /// The question or statement.
    #[serde(alias = "query", alias = "statement")]
    pub question: String,
    /// Ids of the records that answer it.
    #[serde(default, deserialize_with = "texts")]
    pub relevant: Vec<String>,
}

fn text<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<String, D::Error> {
    Value::deserialize(from).map(|v| plain(&v))
}

fn texts<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Vec<String>, D::Error> {
    Vec::<Value>::deserialize(from).map(|list| list.iter().map(plain).collect())
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Reads queries, one JSON object a line.
pub fn queries(text: &str) -> Result<Vec<Query>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(i, line)| serde_json::from_str(line).map_err(|e| Error::input(format!("line {}: {e}", i + 1))))
        .collect()
}

/// What came of an evaluation.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    /// How many queries were asked.
    pub queries: usize,
    /// The figures by name.
    pub metrics: BTreeMap<String, Mean>,
    /// Seconds for asking them all.
    pub seconds: f64,
}

/// What was found for one query: the ids of records and their scores, best first.
#[derive(Debug, Clone, Serialize)]
pub struct Run {
    /// The id of the query.
    pub query: String,
    /// What was found for it.
    pub found: Vec<(String, f32)>,
}

/// A way of searching that is measured.
pub enum How<'a> {
    /// By a retriever.
    Retriever(Retriever),
    /// Layer by layer.
    Strategy {
        /// The name of the strategy.
        name: &'a str,
        /// The strategy.
        strategy: &'a Strategy,
        /// How many results.
        topk: usize,
    },
}

impl How<'_> {
    /// What it is called in a table of figures.
    pub fn name(&self) -> String {
        match self {
            How::Retriever(r) if r.rerank.is_empty() => r.similarity.name().to_owned(),
            How::Retriever(r) => format!("{} + {}", r.similarity.name(), r.rerank.join(" + ")),
            How::Strategy { name, .. } => format!("layered {name}"),
        }
    }

    fn documents(&self, recall: &Recall<'_>, text: &str) -> Result<Vec<(i64, f32)>> {
        match self {
            How::Retriever(retriever) => recall.documents(text, retriever),
            How::Strategy { strategy, topk, .. } => {
                recall.strategy_documents(strategy, &Ask { text, topk: *topk, filters: &[], rerank: &[] })
            }
        }
    }

    /// Embeds queries together, which is much faster than one by one.
    fn warm(&self, recall: &Recall<'_>, queries: &[Query]) -> Result<()> {
        let (group, tokens) = match self {
            How::Retriever(r) if r.similarity == Similarity::Bm25 => return Ok(()),
            How::Retriever(r) => (&r.group, r.similarity == Similarity::Late),
            How::Strategy { strategy, .. } => (&strategy.group, false),
        };
        for slot in recall.embedders.slots().iter().filter(|s| s.groups.contains(group)) {
            let texts = queries.iter().map(|q| q.question.as_str()).filter(|t| slot.route.takes(t));
            slot.remember(&texts.collect::<Vec<_>>(), tokens)?;
        }
        Ok(())
    }
}

/// Asks every query and measures where the relevant records are found.
pub fn run(
    recall: &Recall<'_>,
    queries: &[Query],
    how: &How<'_>,
    cuts: &[usize],
) -> Result<(Figures, Vec<Run>)> {
    let names = source_ids(recall)?;
    let begun = std::time::Instant::now();
    let mut runs: Vec<Run> = Vec::with_capacity(queries.len());
    for together in queries.chunks(TOGETHER) {
        how.warm(recall, together)?;
        let found: Vec<Run> =
            together.par_iter().map(|q| ask(recall, q, how, &names)).collect::<Result<_>>()?;
        runs.extend(found);
    }
    let seconds = begun.elapsed().as_secs_f64();
    let ranks: Vec<Ranks> = queries.iter().zip(&runs).map(|(q, run)| ranks(q, run)).collect();
    let mut metrics = BTreeMap::new();
    let mut put = |name: String, value: &dyn Fn(&Ranks) -> f64| {
        let values: Vec<f64> = ranks.iter().map(value).collect();
        metrics.insert(name, Mean::of(&values));
    };
    for &k in cuts {
        put(format!("recall@{k}"), &|r| r.recall(k));
        put(format!("precision@{k}"), &|r| r.precision(k));
        put(format!("ndcg@{k}"), &|r| r.ndcg(k));
    }
    put("mrr".into(), &|r| r.reciprocal());
    Ok((Figures { queries: queries.len(), metrics, seconds }, runs))
}

/// The record id of every document.
fn source_ids(recall: &Recall<'_>) -> Result<HashMap<i64, String>> {
    let mut names = HashMap::new();
    recall.library.catalog()?.select(|record| {
        names.insert(record.key, record.source_id.clone());
        false
    })?;
    Ok(names)
}

fn ask(recall: &Recall<'_>, query: &Query, how: &How<'_>, names: &HashMap<i64, String>) -> Result<Run> {
    let mut found: Vec<(String, f32)> = Vec::new();
    for (key, score) in how.documents(recall, &query.question)? {
        match names.get(&key) {
            Some(name) if !name.is_empty() && found.iter().all(|(seen, _)| seen != name) => {
                found.push((name.clone(), score))
            }
            _ => {}
        }
    }
    Ok(Run { query: query.id.clone(), found })
}

fn ranks(query: &Query, run: &Run) -> Ranks {
    let is_relevant = |(_, (name, _)): &(usize, &(String, f32))| query.relevant.contains(name);
    let found = run.found.iter().enumerate().filter(is_relevant).map(|(rank, _)| rank).collect();
    Ranks { found, relevant: query.relevant.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_queries_whatever_type_their_ids_have() {
        let read = queries("{\"id\":7,\"question\":\"q\",\"relevant\":[1,\"b\"]}\n\n").unwrap();
        assert_eq!((read[0].id.as_str(), read[0].relevant.join(",")), ("7", "1,b".into()));
        assert!(queries("{\"id\":7}").unwrap_err().to_string().starts_with("line 1"));
    }
}
