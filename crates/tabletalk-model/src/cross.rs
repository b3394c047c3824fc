//! A local model that reads a query and a passage together.

use crate::{
    Options, batch,
    encoder::{distinct, limit},
    folder::Folder,
    graph::Graph,
    tokens::{Sequence, Tokens},
    workers::Workers,
};
use std::path::Path;
use tabletalk_core::{Error, Result, seam::Scorer};

/// A local cross-encoder.
pub struct CrossEncoder {
    identity: String,
    graph: Graph,
    tokens: Tokens,
    workers: Workers,
    batch_tokens: usize,
    sigmoid: bool,
}

impl CrossEncoder {
    /// Opens a folder with `model.onnx`, `tokenizer.json` and `config.json`.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<CrossEncoder> {
        let folder = Folder::open(path.as_ref())?;
        let max_tokens = limit(options.max_tokens, folder.about.max_tokens);
        let tokens = Tokens::new(&folder.tokenizer, max_tokens, 0).map_err(|e| e.at(&folder.name))?;
        let graph = Graph::load(&folder.name, &folder.weights, tokens.pad, None)?;
        let hash = folder.hash.get(..16).unwrap_or_default();
        let identity = format!("{}@{hash} max={max_tokens} sigmoid={}", folder.name, options.sigmoid);
        let workers = Workers::new(options.threads);
        let (batch_tokens, sigmoid) = (options.batch_tokens, options.sigmoid);
        let scorer = CrossEncoder { identity, graph, tokens, workers, batch_tokens, sigmoid };
        // A graph that cannot be run, or is no cross-encoder, is found when it is opened.
        scorer.score("a", &["a"]).map_err(|e| e.at(&folder.name))?;
        Ok(scorer)
    }

    fn run(&self, batch: &[&Sequence], pool: &std::sync::Arc<rten::ThreadPool>) -> Result<Vec<f32>> {
        let output = self.graph.run(batch, false, pool)?;
        if output.by_token {
            return Err(Error::input("the model gives states of tokens and no score")
                .hint("use a model trained to compare a query with a passage"));
        }
        // Of several classes the last is the one that answers.
        Ok(output
            .sequences()
            .filter_map(|logits| logits.last().copied())
            .map(|logit| self.scaled(logit))
            .collect())
    }

    fn scaled(&self, logit: f32) -> f32 {
        if self.sigmoid { 1.0 / (1.0 + (-logit).exp()) } else { logit }
    }
}

impl Scorer for CrossEncoder {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>> {
        let (unique, places) = distinct(passages);
        let parts: Vec<&[&str]> = unique.chunks(32).collect();
        let cut = |part: &&[&str], _: &_| {
            part.iter().map(|text| self.tokens.pair(query, text)).collect::<Result<Vec<_>>>()
        };
        let pairs = self.workers.each(&parts, cut)?.concat();
        let lengths: Vec<usize> = pairs.iter().map(|s| s.ids.len()).collect();
        let plan = batch::plan(&lengths, self.batch_tokens, self.graph.mixes());
        let batches: Vec<Vec<&Sequence>> =
            plan.iter().map(|batch| batch.iter().filter_map(|at| pairs.get(*at)).collect()).collect();
        let done = self.workers.each(&batches, |batch, pool| self.run(batch, pool))?;
        let mut scores = vec![0.0; unique.len()];
        for (at, score) in plan.iter().flatten().zip(done.iter().flatten()) {
            if let Some(slot) = scores.get_mut(*at) {
                *slot = *score;
            }
        }
        Ok(places.into_iter().filter_map(|place| scores.get(place).copied()).collect())
    }
}
