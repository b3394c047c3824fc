//! What is found for a question: tables and passages.

use super::{Answering, Question};
use crate::recall::{Filter, Retriever, Similarity, Test};
use tabletalk_core::{Error, Fault, Hit, Result};
use tabletalk_store::{Catalog, StoredTable};

/// Scores of words are so much further apart than those of vectors.
const WORDS: f32 = 0.1;

/// A table that was found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) stored: StoredTable,
    /// How likely it is the one that is meant, among those found.
    pub(crate) share: f32,
}

/// The tables that the question may be about, the likeliest first.
pub(crate) fn tables(desk: &Answering<'_>, question: &Question<'_>) -> Result<Vec<Found>> {
    let catalog = desk.recall.library.catalog()?;
    if !question.tables.is_empty() {
        let share = 1.0 / question.tables.len() as f32;
        let given = question.tables.iter().map(|key| {
            let stored = catalog.table(*key)?.ok_or_else(|| Error::missing("the table is gone"))?;
            Ok(Found { stored, share })
        });
        return given.collect();
    }
    let retriever = Retriever { group: "table".into(), ..retriever(desk, question, desk.settings.tables) };
    let hits = desk.recall.search(question.text, &retriever)?.hits;
    let scale = if retriever.similarity == Similarity::Bm25 { WORDS } else { 1.0 };
    let scores: Vec<f32> = hits.iter().map(|hit| hit.score * scale).collect();
    let shares = shares(&scores, desk.settings.sharpness);
    let mut found = Vec::new();
    for (hit, share) in hits.iter().zip(shares) {
        let name = hit.node.fields.get("table").and_then(|name| name.as_str()).unwrap_or_default();
        found.extend(catalog.table_named(name)?.map(|stored| Found { stored, share }));
    }
    if question.filters.is_empty() {
        add_all(desk, &catalog, &mut found)?;
    }
    Ok(found)
}

/// Where there are only a few tables, words need not choose among them: how well a question reads over each does.
fn add_all(desk: &Answering<'_>, catalog: &Catalog, found: &mut Vec<Found>) -> Result<()> {
    let most = desk.settings.tables;
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
pub(crate) fn passages(desk: &Answering<'_>, question: &Question<'_>) -> Result<Vec<Hit>> {
    if !question.tables.is_empty() {
        return Ok(Vec::new());
    }
    let retriever = Retriever {
        group: desk.settings.passage_group.clone(),
        rerank: desk.settings.rerank.clone(),
        traversal: desk.settings.traversal,
        branches: desk.settings.branches,
        ..retriever(desk, question, desk.settings.passages)
    };
    match desk.recall.search(question.text, &retriever) {
        // A library of tables alone has no passages that could have vectors.
        Err(e) if e.fault() == Fault::Missing && retriever.similarity == Similarity::Cosine => Ok(Vec::new()),
        found => Ok(found?.hits),
    }
}

/// The rows nearest to the question, of one table or of all.
pub(crate) fn rows(
    desk: &Answering<'_>,
    question: &Question<'_>,
    table: Option<&StoredTable>,
    most: usize,
) -> Result<Vec<Hit>> {
    let mut retriever = Retriever {
        group: "row".into(),
        target: Some("row".into()),
        similarity: Similarity::Bm25,
        ..retriever(desk, question, most)
    };
    let Some(stored) = table else { return Ok(desk.recall.search(question.text, &retriever)?.hits) };
    let document = stored.id.split('/').next().unwrap_or_default().to_owned();
    retriever.filters.push(Filter { field: "id".into(), test: Test::Is(vec![document]) });
    let own = format!("{}/", stored.id);
    let mut hits = desk.recall.search(question.text, &retriever)?.hits;
    hits.retain(|hit| hit.node.parent == stored.id || hit.node.id.starts_with(&own));
    Ok(hits)
}

fn retriever(desk: &Answering<'_>, question: &Question<'_>, topk: usize) -> Retriever {
    Retriever {
        topk,
        similarity: desk.settings.similarity.clone().unwrap_or(Similarity::Hybrid),
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
