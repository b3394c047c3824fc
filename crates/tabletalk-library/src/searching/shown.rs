//! Hits as programs see them.

use super::{Named, library_of, similarity};
use crate::recall::by_name;
use crate::{Hit, Library, Recalled, Result, SearchRequest, Similarity, view};
use serde_json::{Map, Value, json};
use tabletalk_store::Catalog;

/// The hits of a search as programs see them.
pub fn hits(library: &Library, args: &SearchRequest, recalled: &Recalled) -> Result<Vec<Value>> {
    hits_in(&[Named { name: "", library }], args, recalled)
}

/// The hits of a search of several libraries as programs see them.
pub fn hits_in(libraries: &[Named<'_>], args: &SearchRequest, recalled: &Recalled) -> Result<Vec<Value>> {
    let one = |(i, hit): (usize, &Hit)| {
        let library = library_of(libraries, hit)?;
        hit_json(library, &*library.store().catalog()?, args, hit, i)
    };
    match libraries {
        [only] => only.library.store().catalog()?.at_once(|catalog| {
            let found = recalled.hits.iter().enumerate();
            found.map(|(i, hit)| hit_json(only.library, catalog, args, hit, i)).collect()
        }),
        _ => recalled.hits.iter().enumerate().map(one).collect(),
    }
}

fn hit_json(
    library: &Library,
    catalog: &Catalog,
    args: &SearchRequest,
    hit: &Hit,
    i: usize,
) -> Result<Value> {
    let document = match catalog.name_of(hit.node.document())? {
        Some((name, source_id)) => json!({"id": hit.node.document(), "name": name, "source_id": source_id}),
        None => Value::Null,
    };
    let best = hit.why.iter().max_by(|a, b| a.value.total_cmp(&b.value));
    let near = Near::of(hit);
    Ok(json!({
        "rank": i + 1,
        "library": Some(&hit.library).filter(|name| !name.is_empty()),
        "score": hit.score,
        "id": hit.node.id,
        "group": hit.node.group,
        "document": document,
        "place": view::place(&hit.node.place),
        "text": hit.node.text,
        "layer": hit.layer,
        "layer_number": hit.layer_number,
        "strategy": args.strategy,
        "similarity": compared(library, args, hit, &near),
        "vector_type": near.as_ref().map(|n| n.kind),
        "embed_key": near.as_ref().and_then(|n| n.key),
        "similarity_score": near.as_ref().map(|n| n.value),
        "scores": scores(hit),
        "keyword": best.and_then(|b| b.keyword.clone()),
        "expanded_query": hit.expanded_query,
        "fields": hit.node.fields,
    }))
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
