//! Putting hits in a better order.

mod pairwise;
mod passage;
mod words;

pub use pairwise::Pairwise;
pub use words::Words;

use crate::embed::Embedders;
pub(crate) use passage::passage;
use std::sync::{Arc, Mutex, PoisonError};
use tabletalk_core::seam::{Rerank, Role, Scorer, Want};
use tabletalk_core::{Error, Hit, Result, Score};
use tabletalk_store::analyze::Analyzer;
use tabletalk_vector::late::maxsim_mean;

/// What rerankers read with.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// What cuts texts into words.
    pub analyzer: &'a Analyzer,
    /// The embedding models.
    pub embedders: &'a Embedders,
}

/// Makes a scorer when it is first needed.
type Load = Box<dyn Fn() -> Result<Box<dyn Scorer>> + Send + Sync>;

/// Gives what is read of each hit.
type Read<'a> = &'a dyn Fn(&[Hit]) -> Result<Vec<String>>;

/// A model that reads the query and a passage together, or the tokens of both.
enum How {
    /// A model that scores pairs.
    Cross { load: Load, scorer: Mutex<Option<Arc<dyn Scorer>>> },
    /// Token vectors under an embed key.
    Late { embed_key: Option<String> },
    /// Words that must be there, and words that must not.
    Words(Words),
    /// One that the user registered.
    Own(Box<dyn Rerank>),
}

/// A reranker under its name.
pub struct Reranker {
    name: String,
    /// Hits that it looks at.
    depth: usize,
    /// How much its score counts; the rest is that of the search before it.
    weight: f32,
    how: How,
}

impl Reranker {
    /// By a model that scores pairs of query and passage, made when it is first needed.
    pub fn cross(
        name: &str,
        depth: usize,
        weight: f32,
        load: impl Fn() -> Result<Box<dyn Scorer>> + Send + Sync + 'static,
    ) -> Reranker {
        let how = How::Cross { load: Box::new(load), scorer: Mutex::default() };
        Reranker { name: name.to_owned(), depth, weight, how }
    }

    /// By late interaction over the token vectors of an embed key, or of the one for the query's language.
    pub fn late(name: &str, depth: usize, weight: f32, embed_key: Option<String>) -> Reranker {
        Reranker { name: name.to_owned(), depth, weight, how: How::Late { embed_key } }
    }

    /// By words that must be there and words that must not.
    pub fn words(name: &str, words: Words) -> Reranker {
        Reranker { name: name.to_owned(), depth: 0, weight: 1.0, how: How::Words(words) }
    }

    /// One of the user's own; it sees `depth` hits.
    pub fn own(rerank: Box<dyn Rerank>, depth: usize) -> Reranker {
        Reranker { name: rerank.name().to_owned(), depth, weight: 1.0, how: How::Own(rerank) }
    }

    fn run(&self, means: &Means<'_>, query: &str, hits: Vec<Hit>, read: Read<'_>) -> Result<Vec<Hit>> {
        if hits.is_empty() {
            return Ok(hits);
        }
        match &self.how {
            How::Words(words) => Ok(words.keep(means.analyzer, hits)),
            How::Own(own) => own.rerank(query, hits),
            How::Cross { .. } | How::Late { .. } => {
                let scores = self.score(means, query, &read(&hits)?)?;
                Ok(self.blend(hits, &scores))
            }
        }
    }

    /// How well each passage answers the query.
    fn score(&self, means: &Means<'_>, query: &str, passages: &[String]) -> Result<Vec<f32>> {
        let scores = match &self.how {
            How::Cross { load, scorer } => {
                let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
                loaded(load, scorer, &self.name)?.score(query, &passages)?
            }
            How::Late { embed_key } => late(means, query, embed_key.as_deref(), passages)?,
            How::Words(_) | How::Own(_) => {
                return Err(Error::input(format!("reranker `{}` scores hits, not texts", self.name)));
            }
        };
        match scores.len() == passages.len() {
            true => Ok(scores),
            false => Err(Error::upstream(format!(
                "reranker `{}` gave {} scores for {} passages",
                self.name,
                scores.len(),
                passages.len()
            ))),
        }
    }

    /// The new score is the reranker's and that of the search before it, each brought to 0 to 1 first.
    fn blend(&self, mut hits: Vec<Hit>, scores: &[f32]) -> Vec<Hit> {
        let before: Vec<f32> = hits.iter().map(|h| h.score).collect();
        let (before, after) = (scaled(&before), scaled(scores));
        for (i, hit) in hits.iter_mut().enumerate() {
            hit.score = self.weight * after[i] + (1.0 - self.weight) * before[i];
            hit.why.push(Score { name: format!("rerank {}", self.name), value: scores[i], keyword: None });
        }
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits
    }
}

fn loaded(load: &Load, scorer: &Mutex<Option<Arc<dyn Scorer>>>, name: &str) -> Result<Arc<dyn Scorer>> {
    let there = || scorer.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(scorer) = &*there() {
        return Ok(scorer.clone());
    }
    // Not under the lock: loading works on several threads, and one of them may take up work that comes back here.
    let made: Arc<dyn Scorer> = Arc::from(load().map_err(|e| e.at(format!("reranker `{name}`")))?);
    Ok(there().get_or_insert(made).clone())
}

fn late(means: &Means<'_>, query: &str, key: Option<&str>, passages: &[String]) -> Result<Vec<f32>> {
    let slot = match key {
        Some(key) => means.embedders.get(key)?,
        None => means.embedders.dense_for(query).ok_or_else(|| {
            Error::missing("there is no embedding model for this query").hint("configure one under [[embed]]")
        })?,
    };
    let asked = slot.query(query, Want::Tokens)?;
    let texts: Vec<&str> = passages.iter().map(String::as_str).collect();
    let made = slot.model()?.embed(&texts, Role::Passage, Want::Tokens)?;
    Ok(made.iter().map(|e| maxsim_mean(&asked.tokens, &e.tokens)).collect())
}

/// From 0 for the lowest to 1 for the highest.
fn scaled(scores: &[f32]) -> Vec<f32> {
    let (low, high) = scores.iter().fold((f32::MAX, f32::MIN), |(l, h), s| (l.min(*s), h.max(*s)));
    let scale = |s: &f32| if high > low { (s - low) / (high - low) } else { 1.0 };
    scores.iter().map(scale).collect()
}

/// The rerankers there are.
#[derive(Default)]
pub struct Rerankers {
    all: Vec<Reranker>,
}

impl Rerankers {
    /// Adds one, in the place of one of the same name.
    pub fn add(&mut self, reranker: Reranker) {
        self.all.retain(|r| r.name != reranker.name);
        self.all.push(reranker);
    }

    /// The most hits that any of these looks at.
    pub fn depth(&self, names: &[String]) -> usize {
        self.all.iter().filter(|r| names.contains(&r.name)).map(|r| r.depth).max().unwrap_or(0)
    }

    fn get(&self, name: &str) -> Result<&Reranker> {
        self.all.iter().find(|r| r.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.all.iter().map(|r| r.name.as_str()).collect();
            Error::missing(format!("there is no reranker `{name}`"))
                .hint(format!("there are: {}", names.join(", ")))
        })
    }

    /// How well each of some texts answers a query, by the reranker of this name.
    pub fn score(&self, means: &Means<'_>, name: &str, query: &str, passages: &[String]) -> Result<Vec<f32>> {
        self.get(name)?.score(means, query, passages)
    }

    /// Sends hits through the reranker of this name. Hits beyond its depth stay where they are.
    pub fn rerank(
        &self,
        means: &Means<'_>,
        name: &str,
        query: &str,
        mut hits: Vec<Hit>,
        read: Read<'_>,
    ) -> Result<Vec<Hit>> {
        let reranker = self.get(name)?;
        let rest = match reranker.depth {
            0 => Vec::new(),
            depth => hits.split_off(depth.min(hits.len())),
        };
        let mut hits = reranker.run(means, query, hits, read)?;
        let least = hits.last().map_or(0.0, |h| h.score);
        let highest = rest.first().map_or(1.0, |h| h.score.abs().max(1.0));
        hits.extend(rest.into_iter().map(|h| Hit { score: least - 1.0 + h.score / highest, ..h }));
        Ok(hits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blend_counts_both_scores() {
        let hit = |score| Hit { score, ..Hit::default() };
        let reranker = Reranker::late("late", 10, 0.5, None);
        let blended = reranker.blend(vec![hit(10.0), hit(5.0), hit(0.0)], &[0.0, 1.0, 0.5]);
        let scores: Vec<f32> = blended.iter().map(|h| h.score).collect();
        assert_eq!(scores, [0.75, 0.5, 0.25]);
    }
}
