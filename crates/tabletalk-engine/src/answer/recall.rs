//! The first stage: tables and passages that a question may be about.

use super::trace::Noted;
use super::turn::Before;
use super::{Answering, Mode, Question};
use crate::group::Transform;
use crate::recall::strategy::Ask;
use crate::recall::{Filter, Retriever, Similarity, Test};
use serde_json::{Map, Value, json};
use tabletalk_core::{Error, Fault, Hit, Result};
use tabletalk_store::{Catalog, StoredTable, Turn};

/// Scores of words are so much further apart than those of vectors.
const WORDS: f32 = 0.1;

/// So many times the wanted tables are reranked, at least.
const SPARE: usize = 4;

/// How much likelier a follow-up is about the table of the question before than about all others.
const SAME_TABLE: f32 = 0.8;

/// What was found for a question.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    /// What a language model will be shown; none where the parser reads.
    pub(crate) mode: Option<Mode>,
    /// The strategies or the similarity by which it was found, and the rerankers.
    pub(crate) by: Vec<String>,
    /// The likeliest first.
    pub(crate) tables: Vec<Found>,
    /// The best first.
    pub(crate) passages: Vec<Hit>,
    /// How the parser read the question before this one.
    pub(crate) before: Option<Before>,
}

impl Evidence {
    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.passages.is_empty()
    }
}

impl Noted for Evidence {
    fn about(&self) -> Result<Map<String, Value>> {
        let table = |t: &Found| json!({"table": t.stored.name, "share": t.share});
        let place = |p: &Hit| json!(p.node.place.to_string());
        let mut about = Map::new();
        about.extend(self.mode.map(|mode| ("mode".to_owned(), json!(mode.name()))));
        about.insert("by".into(), json!(self.by));
        about.insert("tables".into(), self.tables.iter().map(table).collect());
        if self.mode.is_some() {
            about.insert("passages".into(), self.passages.iter().map(place).collect());
        }
        Ok(about)
    }
}

/// What a language model may be shown: the tables and passages that the mode wants.
pub(crate) fn for_model(context: &Answering<'_>, question: &Question<'_>) -> Result<Evidence> {
    let mode = question.mode.unwrap_or(context.settings.mode);
    let plan = mode.plan();
    let tables = if plan.tables.is_some() { tables(context, question)? } else { Vec::new() };
    let passages = if plan.text { passages(context, question)? } else { Vec::new() };
    Ok(Evidence { mode: Some(mode), by: by(context), tables, passages, before: None })
}

/// What the built-in parser reads: tables, that of the question before ahead of all others. It looks for passages only
/// where no table answers.
pub(crate) fn for_parser(context: &Answering<'_>, question: &Question<'_>) -> Result<Evidence> {
    // A question that a reading is chosen for was asked just before, and does not follow itself.
    let is_same = |turn: &&Turn| question.choose.is_some() && turn.question == question.text;
    let before = question.turns.iter().rev().skip_while(is_same).find_map(Before::of);
    let mut tables = tables(context, question)?;
    if let Some(before) = before.as_ref().filter(|_| question.tables.is_empty()) {
        prefer(context, &mut tables, &before.table)?;
    }
    Ok(Evidence { mode: None, by: by(context), tables, passages: Vec::new(), before })
}

/// Puts the table of the question before first.
fn prefer(context: &Answering<'_>, tables: &mut Vec<Found>, name: &str) -> Result<()> {
    tables.retain(|t| t.stored.name != name);
    let rest: f32 = tables.iter().map(|t| t.share).sum();
    tables.iter_mut().for_each(|t| t.share *= (1.0 - SAME_TABLE) / rest.max(f32::MIN_POSITIVE));
    if let Some(stored) = context.recall.library.catalog()?.table_named(name)? {
        tables.insert(0, Found { stored, share: SAME_TABLE });
    }
    Ok(())
}

/// A table that was found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) stored: StoredTable,
    /// How likely it is the one that is meant, among those found.
    pub(crate) share: f32,
}

/// The tables that the question may be about, the likeliest first.
fn tables(context: &Answering<'_>, question: &Question<'_>) -> Result<Vec<Found>> {
    let catalog = context.recall.library.catalog()?;
    if !question.tables.is_empty() {
        let share = 1.0 / question.tables.len() as f32;
        let given = question.tables.iter().map(|key| {
            let stored = catalog.table(*key)?.ok_or_else(|| Error::missing("the table is gone"))?;
            Ok(Found { stored, share })
        });
        return given.collect();
    }
    let (hits, scores) = ranked(context, question)?;
    let shares = shares(&scores, context.settings.sharpness);
    let mut found: Vec<Found> = Vec::new();
    for (hit, share) in hits.iter().zip(shares) {
        let name = hit.node.fields.get("table").and_then(|name| name.as_str()).unwrap_or_default();
        // Several parts of a table may have been found.
        match found.iter_mut().find(|other| other.stored.name == name) {
            Some(other) => other.share += share,
            None => found.extend(catalog.table_named(name)?.map(|stored| Found { stored, share })),
        }
    }
    if question.filters.is_empty() {
        add_all(context, &catalog, &mut found)?;
    }
    Ok(found)
}

/// By what tables and passages are found: strategies or a similarity, then rerankers.
fn by(context: &Answering<'_>) -> Vec<String> {
    let settings = context.settings;
    let found = match settings.strategy.is_empty() {
        true => vec![settings.compared().name().to_owned()],
        false => settings.strategy.clone(),
    };
    found.into_iter().chain(settings.rerank.iter().cloned()).collect()
}

/// The hits that stand for tables, the best first, and how near each is. A reranker says which is nearer, not by how much:
/// the scores stay those of the search, in the order that it gives.
fn ranked(context: &Answering<'_>, question: &Question<'_>) -> Result<(Vec<Hit>, Vec<f32>)> {
    let (settings, rerankers) = (context.settings, context.recall.rerankers);
    // One that drops hits leaves others in their place.
    let spare = if settings.rerank.is_empty() { 1 } else { SPARE };
    let depth = rerankers.depth(&settings.rerank).max(settings.tables.saturating_mul(spare));
    let (mut hits, scale) = match by_strategies(context, question, true, depth, &[])? {
        Some(hits) => (hits, 1.0),
        None => {
            let retriever = Retriever { group: "table".into(), ..retriever(context, question, depth) };
            let scale = if retriever.similarity == Similarity::Bm25 { WORDS } else { 1.0 };
            (context.recall.search(question.text, &retriever)?.hits, scale)
        }
    };
    let mut scores: Vec<f32> = hits.iter().map(|hit| hit.score * scale).collect();
    let read = |hits: &[Hit]| context.recall.passages(question.text, hits);
    for name in &settings.rerank {
        // As in a search, one that cannot run leaves the order as it is.
        let kept = hits.clone();
        hits = rerankers.rerank(&context.recall.means(), name, question.text, hits, &read).unwrap_or(kept);
    }
    hits.truncate(settings.tables);
    scores.truncate(hits.len());
    Ok((hits, scores))
}

/// What the strategies find that are for tables, or those that are for texts; nothing where none of them is.
fn by_strategies(
    context: &Answering<'_>,
    question: &Question<'_>,
    of_tables: bool,
    topk: usize,
    rerank: &[String],
) -> Result<Option<Vec<Hit>>> {
    let mut found: Option<Vec<Hit>> = None;
    for name in &context.settings.strategy {
        let strategy = context.settings.strategies.get(name)?;
        let transform = &context.recall.groups.get(&strategy.group)?.transform;
        if (*transform == Transform::Table || transform.is_of_table()) != of_tables {
            continue;
        }
        let ask = Ask { text: question.text, topk, filters: question.filters, rerank, ..Ask::default() };
        let hits = found.get_or_insert_default();
        for hit in context.recall.strategy(strategy, &ask)?.hits {
            if hits.iter().all(|other| other.node.id != hit.node.id) {
                hits.push(hit);
            }
        }
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits.truncate(topk);
    }
    Ok(found)
}

/// Where there are only a few tables, words need not choose among them: how well a question reads over each does.
fn add_all(context: &Answering<'_>, catalog: &Catalog, found: &mut Vec<Found>) -> Result<()> {
    let most = context.settings.tables;
    let all = catalog.tables(0, most + 1)?;
    if all.len() > most {
        return Ok(());
    }
    for stored in all {
        if found.iter().all(|f| f.stored.key != stored.key) {
            found.push(Found { stored, share: 0.0 });
        }
    }
    let even = FEW / found.len().max(1) as f32;
    found.iter_mut().for_each(|f| f.share = f.share * (1.0 - FEW) + even);
    Ok(())
}

/// How much of the choice among a few tables is left to reading.
const FEW: f32 = 0.5;

/// The passages that may hold the answer, best first.
pub(crate) fn passages(context: &Answering<'_>, question: &Question<'_>) -> Result<Vec<Hit>> {
    if !question.tables.is_empty() {
        return Ok(Vec::new());
    }
    let (most, rerank) = (context.settings.passages, &context.settings.rerank);
    if let Some(hits) = by_strategies(context, question, false, most, rerank)? {
        return Ok(hits);
    }
    let retriever = Retriever {
        group: context.settings.passage_group.clone(),
        rerank: rerank.clone(),
        traversal: context.settings.traversal,
        branches: context.settings.branches,
        ..retriever(context, question, most)
    };
    match context.recall.search(question.text, &retriever) {
        // A library of tables alone has no passages that could have vectors.
        Err(e) if e.fault() == Fault::Missing && retriever.similarity == Similarity::Cosine => Ok(Vec::new()),
        found => Ok(found?.hits),
    }
}

/// The rows nearest to the question, of one table or of all.
pub(crate) fn rows(
    context: &Answering<'_>,
    question: &Question<'_>,
    table: Option<&StoredTable>,
    most: usize,
) -> Result<Vec<Hit>> {
    let mut retriever = Retriever {
        group: "row".into(),
        target: Some("row".into()),
        similarity: Similarity::Bm25,
        ..retriever(context, question, most)
    };
    let Some(stored) = table else { return Ok(context.recall.search(question.text, &retriever)?.hits) };
    let document = stored.id.split('/').next().unwrap_or_default().to_owned();
    retriever.filters.push(Filter { field: "id".into(), test: Test::Is(vec![document]) });
    let own = format!("{}/", stored.id);
    let mut hits = context.recall.search(question.text, &retriever)?.hits;
    hits.retain(|hit| hit.node.parent == stored.id || hit.node.id.starts_with(&own));
    Ok(hits)
}

fn retriever(context: &Answering<'_>, question: &Question<'_>, topk: usize) -> Retriever {
    Retriever {
        topk,
        similarity: context.settings.compared().clone(),
        filters: question.filters.to_vec(),
        ..Retriever::default()
    }
}

/// Scores as shares of one. The sharper, the more the best has of it.
fn shares(scores: &[f32], sharpness: f32) -> Vec<f32> {
    let best = scores.iter().copied().fold(f32::MIN, f32::max);
    let weights: Vec<f32> = scores.iter().map(|score| ((score - best) * sharpness).exp()).collect();
    let sum: f32 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum.max(f32::MIN_POSITIVE)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_sum_to_one_and_keep_the_order() {
        let found = shares(&[0.9, 0.8, 0.1], 10.0);
        assert!((found.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(found[0] > found[1] && found[1] > found[2]);
        assert!(shares(&[], 10.0).is_empty());
    }
}
