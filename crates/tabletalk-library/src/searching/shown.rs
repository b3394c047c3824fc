//! What a search found, as programs see it: the same for the command line, the API, tools and Python.

use super::{Named, library_of, similarity};
use crate::recall::{Layer, by_name};
use crate::{Hit, Library, Recalled, Result, SearchRequest, Similarity, view};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tabletalk_store::Catalog;

/// What was found.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Found {
    /// The best first.
    pub hits: Vec<FoundHit>,
    /// What each layer did.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Object>))]
    pub layers: Vec<Layer>,
    /// How long it took, in milliseconds.
    pub ms: f64,
}

/// A hit.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FoundHit {
    /// From 1 for the best.
    pub rank: usize,
    /// The library it is from, where several were searched.
    pub library: Option<String>,
    /// Higher is better.
    pub score: f64,
    /// Its id.
    pub id: String,
    /// What it is: `table`, `row`, `cell`, `column`, a group of text, …
    pub group: String,
    /// The document it stands in; none for what is made over all of them.
    pub document: Option<FoundDocument>,
    /// Where it stands, with its short form as `text`.
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub place: Value,
    /// What it says.
    pub text: String,
    /// The layer that found it.
    pub layer: String,
    /// The number of the layer in its strategy, from 1.
    pub layer_number: Option<usize>,
    /// The strategy.
    pub strategy: Option<String>,
    /// How it was compared.
    pub similarity: String,
    /// What vectors were compared: `dense`, `late` or `sparse`; nothing where words alone were.
    pub vector_type: Option<String>,
    /// The embed key of these vectors.
    pub embed_key: Option<String>,
    /// How near they are, before it was weighed or combined.
    pub similarity_score: Option<f64>,
    /// What each field, similarity and layer gave.
    #[cfg_attr(feature = "schema", schema(value_type = std::collections::BTreeMap<String, f64>))]
    pub scores: Map<String, Value>,
    /// The word of the query that gave most.
    pub keyword: Option<String>,
    /// The query it was found with, when that is not the one that was asked.
    pub expanded_query: Option<String>,
    /// What can be filtered on.
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub fields: Map<String, Value>,
}

/// The document that a hit stands in.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FoundDocument {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The id of its record, where its file holds several.
    pub source_id: String,
}

impl Found {
    /// What a search of these libraries found, as it is shown.
    pub fn of(libraries: &[Named<'_>], args: &SearchRequest, recalled: Recalled, ms: f64) -> Result<Found> {
        let one = |(i, hit): (usize, &Hit)| {
            let library = library_of(libraries, hit)?;
            FoundHit::of(library, &*library.store().catalog()?, args, hit, i)
        };
        let found = recalled.hits.iter().enumerate();
        let hits: Result<_> = match libraries {
            [only] => only.library.store().catalog()?.at_once(|catalog| {
                found.map(|(i, hit)| FoundHit::of(only.library, catalog, args, hit, i)).collect()
            }),
            _ => found.map(one).collect(),
        };
        Ok(Found { hits: hits?, layers: recalled.layers, ms })
    }
}

impl FoundHit {
    fn of(library: &Library, catalog: &Catalog, args: &SearchRequest, hit: &Hit, i: usize) -> Result<Self> {
        let id = hit.node.document();
        let document = catalog.name_of(id)?;
        let best = hit.why.iter().max_by(|a, b| a.value.total_cmp(&b.value));
        let near = Near::of(hit);
        Ok(FoundHit {
            rank: i + 1,
            library: Some(hit.library.clone()).filter(|name| !name.is_empty()),
            score: f64::from(hit.score),
            id: hit.node.id.clone(),
            group: hit.node.group.clone(),
            document: document.map(|(name, source_id)| FoundDocument { id: id.to_owned(), name, source_id }),
            place: view::place(&hit.node.place),
            text: hit.node.text.clone(),
            layer: hit.layer.clone(),
            layer_number: hit.layer_number,
            strategy: args.strategy.clone(),
            similarity: compared(library, args, hit, &near),
            vector_type: near.as_ref().map(|n| n.kind.to_owned()),
            embed_key: near.as_ref().and_then(|n| n.key).map(str::to_owned),
            similarity_score: near.as_ref().map(|n| f64::from(n.value)),
            scores: scores(hit),
            keyword: best.and_then(|b| b.keyword.clone()),
            expanded_query: hit.expanded_query.clone(),
            fields: hit.node.fields.clone(),
        })
    }
}

/// How near the vectors of a hit and of the query are.
struct Near<'a> {
    /// `dense`, `late` or `sparse`.
    kind: &'a str,
    /// The embed key; `None` where it was looked up for a hit that words found.
    key: Option<&'a str>,
    value: f32,
}

impl Near<'_> {
    /// The nearest of the hit's vectors: a score before it was weighed, combined or reranked.
    fn of(hit: &Hit) -> Option<Near<'_>> {
        let near = |part: &'_ tabletalk_core::Score| match part.name.split_once(' ') {
            Some(("dense" | "tree", _)) => Some("dense"),
            Some(("late", _)) => Some("late"),
            Some(("sparse", _)) => Some("sparse"),
            _ => (part.name == "vector").then_some("dense"),
        };
        let all = hit.why.iter().filter_map(|part| {
            let key = part.name.split_once(' ').map(|(_, key)| key);
            Some(Near { kind: near(part)?, key, value: part.value })
        });
        all.min_by_key(|n| ["dense", "late", "sparse"].iter().position(|kind| *kind == n.kind))
    }
}

/// How a hit was compared: as the search says, or, of a strategy, as its layer does.
fn compared(library: &Library, args: &SearchRequest, hit: &Hit, near: &Option<Near<'_>>) -> String {
    match (&args.strategy, hit.layer.as_str()) {
        (None, _) => similarity(library, args).name().to_owned(),
        (Some(_), "keyword") => Similarity::Bm25.name().to_owned(),
        (Some(_), _) if near.is_some() => Similarity::Cosine.name().to_owned(),
        (Some(_), layer) => layer.to_owned(),
    }
}

/// What each field, similarity and layer gave, summed over the words.
fn scores(hit: &Hit) -> Map<String, Value> {
    by_name(&hit.why).into_iter().map(|(name, value)| (name, json!(value))).collect()
}
