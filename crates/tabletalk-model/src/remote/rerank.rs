//! Rerankers with the Jina and Cohere shape.

use super::{Client, Endpoint, filled, upstream};
use serde::Deserialize;
use serde_json::json;
use tabletalk_core::{Result, seam::Scorer};

/// Posts to `{url}/rerank`.
pub struct Rerank {
    client: Client,
    endpoint: Endpoint,
    identity: String,
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: usize,
    relevance_score: f32,
}

impl Rerank {
    /// A reranker.
    pub fn new(endpoint: Endpoint) -> Result<Rerank> {
        Ok(Rerank { client: endpoint.client()?, identity: endpoint.identity("rerank"), endpoint })
    }

    fn batch(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>> {
        let documents: Vec<String> = passages.iter().map(|passage| filled("", passage)).collect();
        let body = json!({"model": self.endpoint.model, "query": query, "documents": documents,
                          "top_n": documents.len(), "return_documents": false});
        let answer: Answer = self.client.post("/rerank", &body)?;
        let mut scores = vec![None; passages.len()];
        for item in answer.results {
            let slot = scores.get_mut(item.index).ok_or_else(|| {
                upstream(format!("{} scored passage {} of {}", self.endpoint.url, item.index, passages.len()))
            })?;
            *slot = Some(item.relevance_score);
        }
        let missing = || upstream(format!("{} left passages without a score", self.endpoint.url));
        scores.into_iter().map(|score| score.ok_or_else(missing)).collect()
    }
}

impl Scorer for Rerank {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>> {
        let batches = passages.chunks(self.endpoint.batch_texts.max(1)).map(|batch| self.batch(query, batch));
        Ok(batches.collect::<Result<Vec<_>>>()?.concat())
    }
}
