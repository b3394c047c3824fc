//! Searching a library as a user asks for it.

use crate::recall::strategy::Ask;
use crate::recall::{Layer, by_name};
use crate::{Fault, Filter, Hit, Library, Recalled, Result, Retriever, Similarity, Traversal, view};
use serde_json::{Map, Value, json};
use tabletalk_store::Catalog;

/// Searched when no group is named: whole tables, and text in chunks of middling size.
const DEFAULT_GROUPS: [&str; 2] = ["table", "medium"];
/// Hits, where nobody says how many.
const TOPK: usize = 6;
/// Hits at most, where tokens say how many.
const MANY: usize = 100;

/// A search: what is not said is as configured.
#[derive(Debug, Clone, Default)]
pub struct Searching {
    /// What to look for.
    pub query: String,
    /// The group to search; tables and text in chunks of middling size when there is none.
    pub group: Option<String>,
    /// The group that hits are answered with.
    pub target: Option<String>,
    /// How nodes are compared.
    pub similarity: Option<Similarity>,
    /// Search layer by layer, by the strategy of this name.
    pub strategy: Option<String>,
    /// Rerankers the hits go through.
    pub rerank: Vec<String>,
    /// Compare only vectors under these embed keys.
    pub embed_keys: Vec<String>,
    /// How many hits.
    pub topk: Option<usize>,
    /// The most tokens of all hits together.
    pub tokens: Option<usize>,
    /// How a tree of summaries is searched.
    pub traversal: Option<Traversal>,
    /// Which documents are searched.
    pub filters: Vec<Filter>,
    /// Hits under this score are dropped.
    pub cut_off: Option<f32>,
}

impl Library {
    /// The best nodes for a search.
    pub fn find(&self, searching: &Searching) -> Result<Recalled> {
        recall(self, searching, &searching.query)
    }
}

/// The hits of a search as programs see them.
pub fn hits(library: &Library, searching: &Searching, recalled: &Recalled) -> Result<Vec<Value>> {
    library.store().catalog()?.at_once(|catalog| {
        let found = recalled.hits.iter().enumerate();
        found.map(|(i, hit)| hit_json(library, catalog, searching, hit, i)).collect()
    })
}

fn recall(library: &Library, args: &Searching, query: &str) -> Result<Recalled> {
    if let Some(name) = &args.strategy {
        let rerank = rerank(library, args);
        let ask =
            Ask { text: query, topk: args.topk.unwrap_or(TOPK), filters: &args.filters, rerank: &rerank };
        return library.search_by_strategy(name, &ask);
    }
    let groups = match &args.group {
        Some(group) => vec![group.as_str()],
        None => DEFAULT_GROUPS.to_vec(),
    };
    let mut all = Recalled::default();
    let (mut lists, mut lacking) = (Vec::new(), None);
    for group in groups {
        let recalled = match library.search(query, &retriever(library, args, group)) {
            Ok(recalled) => recalled,
            // A library of tables alone has no vectors of passages, and the other way round.
            Err(e) if args.group.is_none() && e.fault() == Fault::Missing => {
                lacking.get_or_insert(e);
                continue;
            }
            Err(e) => return Err(e),
        };
        lists.push(recalled.hits);
        all.layers
            .extend(recalled.layers.into_iter().map(|l| Layer { name: format!("{} {group}", l.name), ..l }));
    }
    if let (true, Some(error)) = (lists.is_empty(), lacking) {
        return Err(error);
    }
    let topk = topk(library, args, args.group.as_deref().unwrap_or_default());
    // Cosines compare across groups, scores of words do not.
    let by_vectors = all.layers.iter().any(|l| l.ran && !l.name.starts_with("keyword"));
    all.hits = if by_vectors { best(lists, topk) } else { merge(lists, topk) };
    Ok(all)
}

fn rerank(library: &Library, args: &Searching) -> Vec<String> {
    match args.rerank.is_empty() {
        true => library.config().search.rerank.clone(),
        false => args.rerank.clone(),
    }
}

fn similarity(library: &Library, args: &Searching) -> Similarity {
    args.similarity.clone().unwrap_or_else(|| library.config().search.similarity.clone())
}

fn retriever(library: &Library, args: &Searching, group: &str) -> Retriever {
    Retriever {
        group: group.to_owned(),
        target: args.target.clone(),
        similarity: similarity(library, args),
        embed_keys: args.embed_keys.clone(),
        rerank: rerank(library, args),
        topk: topk(library, args, group),
        tokens: tokens(library, args, group),
        traversal: args.traversal.unwrap_or(library.config().raptor.traversal),
        branches: library.config().raptor.topk,
        similarity_cut_off: args.cut_off,
        filters: args.filters.clone(),
        explain: true,
    }
}

/// The most tokens of all hits: as told, or as configured for trees of summaries.
fn tokens(library: &Library, args: &Searching, group: &str) -> Option<usize> {
    let is_tree = library.groups().get(group).is_ok_and(|g| g.transform == crate::group::Transform::Raptor);
    let by_default = Some(library.config().raptor.budget_token).filter(|_| is_tree && args.topk.is_none());
    args.tokens.or(by_default)
}

fn topk(library: &Library, args: &Searching, group: &str) -> usize {
    args.topk.unwrap_or(if tokens(library, args, group).is_some() { MANY } else { TOPK })
}

fn best(lists: Vec<Vec<Hit>>, k: usize) -> Vec<Hit> {
    let mut all: Vec<Hit> = lists.into_iter().flatten().collect();
    all.sort_by(|a, b| b.score.total_cmp(&a.score));
    all.truncate(k);
    all
}

/// One list as it is; several taken in turn by rank, since scores of different groups do not compare.
fn merge(mut lists: Vec<Vec<Hit>>, k: usize) -> Vec<Hit> {
    lists.retain(|l| !l.is_empty());
    if lists.len() == 1 {
        return lists.remove(0);
    }
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let mut merged = Vec::new();
    for rank in 0..longest {
        merged.extend(lists.iter().filter_map(|l| l.get(rank)).cloned());
    }
    merged.truncate(k);
    merged
}

fn hit_json(library: &Library, catalog: &Catalog, args: &Searching, hit: &Hit, i: usize) -> Result<Value> {
    let document = match catalog.name_of(hit.node.document())? {
        Some((name, source_id)) => json!({"id": hit.node.document(), "name": name, "source_id": source_id}),
        None => Value::Null,
    };
    let best = hit.why.iter().max_by(|a, b| a.value.total_cmp(&b.value));
    Ok(json!({
        "rank": i + 1,
        "score": hit.score,
        "id": hit.node.id,
        "group": hit.node.group,
        "document": document,
        "place": view::place(&hit.node.place),
        "text": hit.node.text,
        "layer": hit.layer,
        "strategy": args.strategy,
        "similarity": similarity(library, args).name(),
        "scores": scores(hit),
        "keyword": best.and_then(|b| b.keyword.clone()),
        "expanded_query": hit.expanded_query,
        "fields": hit.node.fields,
    }))
}

/// What each field, similarity and layer gave, summed over the words.
fn scores(hit: &Hit) -> Map<String, Value> {
    by_name(&hit.why).into_iter().map(|(name, value)| (name, json!(value))).collect()
}
