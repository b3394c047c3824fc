//! How well the right documents are found.

use crate::metric::Ranks;
use crate::names::Names;
use crate::query::Query;
use crate::record::Record;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::time::Instant;
use tabletalk_core::Result;
use tabletalk_core::seam::Want;
use tabletalk_engine::recall::strategy::{Ask, Strategy};
use tabletalk_engine::recall::{Recall, Retriever};
use tabletalk_library::Library;

/// Queries that are embedded together.
pub const TOGETHER: usize = 1024;
/// How much the first ranks of a list count when lists are made one: the less, the more.
const EVEN: f32 = 60.0;

/// What was found for one query: its figures, and the ids of records with their scores, best first.
#[derive(Debug, Clone)]
pub struct Searched {
    /// The figures.
    pub record: Record,
    /// What was found.
    pub found: Vec<(String, f32)>,
}

/// A way of searching that is measured.
pub enum How<'a> {
    /// By retrievers; the lists of several are made one by their ranks.
    Retrievers(Vec<Retriever>),
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
    /// By one retriever.
    pub fn by(retriever: Retriever) -> Self {
        How::Retrievers(vec![retriever])
    }

    /// What it is called in a table of figures.
    pub fn name(&self) -> String {
        match self {
            How::Retrievers(all) => all.first().map_or_else(String::new, |r| {
                let mut parts = vec![r.similarity.name().to_owned()];
                parts.extend(r.rerank.iter().cloned());
                parts.join(" + ")
            }),
            How::Strategy { name, .. } => format!("layered {name}"),
        }
    }

    fn documents(&self, recall: &Recall<'_>, text: &str) -> Result<Vec<(i64, f32)>> {
        match self {
            How::Retrievers(all) => {
                let lists = all.iter().map(|retriever| recall.documents(text, retriever));
                let mut lists = lists.collect::<Result<Vec<_>>>()?;
                Ok(if lists.len() == 1 { lists.remove(0) } else { fused(&lists) })
            }
            How::Strategy { strategy, topk, .. } => {
                recall.strategy_documents(strategy, &Ask { text, topk: *topk, ..Ask::default() })
            }
        }
    }

    /// Embeds queries together, which is much faster than one by one.
    fn warm(&self, recall: &Recall<'_>, queries: &[Query]) -> Result<()> {
        let warm = |group: &str, want: Want| {
            let texts: Vec<&str> = queries.iter().map(|q| q.question.as_str()).collect();
            warm(recall, group, &texts, want)
        };
        match self {
            How::Retrievers(all) => all
                .iter()
                .filter_map(|r| Some((&r.group, r.similarity.want()?)))
                .try_for_each(|(group, want)| warm(group, want)),
            How::Strategy { strategy, .. } => warm(&strategy.group, Want::Pooled),
        }
    }
}

/// Embeds texts together for a later search in this group.
pub fn warm(recall: &Recall<'_>, group: &str, texts: &[&str], want: Want) -> Result<()> {
    for slot in recall.embedders.slots().iter().filter(|s| s.groups.iter().any(|g| g == group)) {
        if slot.has(want)? {
            let taken: Vec<&str> = texts.iter().filter(|t| slot.route.takes(t)).copied().collect();
            slot.remember(&taken, want)?;
        }
    }
    Ok(())
}

/// Documents by the sum of what their ranks in all lists are worth.
fn fused(lists: &[Vec<(i64, f32)>]) -> Vec<(i64, f32)> {
    let mut scores: HashMap<i64, f32> = HashMap::new();
    for list in lists {
        let mut seen = std::collections::HashSet::new();
        for (rank, (document, _)) in list.iter().filter(|(d, _)| seen.insert(*d)).enumerate() {
            *scores.entry(*document).or_default() += 1.0 / (EVEN + rank as f32 + 1.0);
        }
    }
    let mut all: Vec<(i64, f32)> = scores.into_iter().collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    all
}

/// Asks every query and measures where the relevant records are found. What comes of each is told as it comes.
pub fn run(
    recall: &Recall<'_>,
    queries: &[Query],
    how: &How<'_>,
    cuts: &[usize],
    on: &mut dyn FnMut(Vec<Searched>) -> Result<()>,
) -> Result<()> {
    let (names, known) = (source_ids(recall)?, Names::of(recall.library)?);
    known.check(queries)?;
    for together in queries.chunks(TOGETHER) {
        let begun = Instant::now();
        how.warm(recall, together)?;
        let share = begun.elapsed().as_secs_f64() * 1e3 / together.len() as f64;
        let one = |query: &Query| {
            let begun = Instant::now();
            let found = ask(recall, query, how, &names)?;
            let ms = share + begun.elapsed().as_secs_f64() * 1e3;
            let right =
                |name: &String| known.document(name).and_then(|key| names.get(&key)).unwrap_or(name).clone();
            let right: Vec<String> = query.relevant.iter().map(right).collect();
            Ok(Searched { record: record(query, &right, &found, cuts, ms), found })
        };
        on(together.par_iter().map(one).collect::<Result<_>>()?)?;
    }
    Ok(())
}

/// The record id of every document.
fn source_ids(recall: &Recall<'_>) -> Result<HashMap<i64, String>> {
    let mut names = HashMap::new();
    recall.library.catalog()?.select(|record| {
        let name = if record.source_id.is_empty() { &record.name } else { &record.source_id };
        names.insert(record.key, name.clone());
        false
    })?;
    Ok(names)
}

fn ask(
    recall: &Recall<'_>,
    query: &Query,
    how: &How<'_>,
    names: &HashMap<i64, String>,
) -> Result<Vec<(String, f32)>> {
    let mut found: Vec<(String, f32)> = Vec::new();
    for (key, score) in how.documents(recall, &query.question)? {
        match names.get(&key) {
            Some(name) if found.iter().all(|(seen, _)| seen != name) => found.push((name.clone(), score)),
            _ => {}
        }
    }
    Ok(found)
}

/// The first of what was found that a record keeps.
const KEPT: usize = 10;

fn record(query: &Query, right: &[String], found: &[(String, f32)], cuts: &[usize], ms: f64) -> Record {
    let is_relevant = |(_, (name, _)): &(usize, &(String, f32))| right.contains(name);
    let ranks = found.iter().enumerate().filter(is_relevant).map(|(rank, _)| rank).collect();
    let mut metrics = measure(&Ranks { found: ranks, relevant: right.len() }, cuts, "");
    metrics.insert("ms".into(), ms);
    Record {
        query: query.id.clone(),
        question: query.question.clone(),
        metrics,
        gold: query.relevant.clone(),
        given: found.iter().take(KEPT).map(|(name, _)| name.clone()).collect(),
        ..Record::default()
    }
}

/// All figures of a ranking, under names that begin with `level`.
pub fn measure(ranks: &Ranks, cuts: &[usize], level: &str) -> BTreeMap<String, f64> {
    let mut metrics = BTreeMap::new();
    for &k in cuts {
        metrics.insert(format!("{level}recall@{k}"), ranks.recall(k));
        metrics.insert(format!("{level}precision@{k}"), ranks.precision(k));
        metrics.insert(format!("{level}f1@{k}"), ranks.f1(k));
        metrics.insert(format!("{level}ndcg@{k}"), ranks.ndcg(k));
    }
    metrics.insert(format!("{level}mrr"), ranks.reciprocal());
    metrics
}

/// Tables where there are any, else passages.
pub fn default_group(library: &Library) -> Result<&'static str> {
    let tables = library.counts()?.tables;
    Ok(if tables > 0 { "table" } else { "medium" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_made_one_by_their_ranks() {
        let lists = [vec![(1, 9.0), (2, 8.0), (1, 7.0)], vec![(2, 0.5), (3, 0.4)]];
        let order: Vec<i64> = fused(&lists).into_iter().map(|(document, _)| document).collect();
        assert_eq!(order, [2, 1, 3]);
    }

    #[test]
    fn a_record_tells_where_the_right_ones_were() {
        let query = Query::default();
        let found = [("a".to_owned(), 2.0), ("b".to_owned(), 1.0)];
        let record = record(&query, &["b".into()], &found, &[1, 5], 1.5);
        assert_eq!((record.metrics["recall@1"], record.metrics["recall@5"]), (0.0, 1.0));
        assert_eq!((record.metrics["mrr"], record.metrics["ms"]), (0.5, 1.5));
    }
}
