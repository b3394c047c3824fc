//! Searching a library, or several, as a user asks for it.

mod shown;

pub use shown::{Found, FoundDocument, FoundHit};

use crate::group::{Definition, Transform};
use crate::recall::strategy::Ask;
use crate::recall::{Layer, Recall, Weights};
use crate::{Error, Fault, Hit, Library, Recalled, Result, Retriever, SearchRequest, Similarity};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Searched when no group is named: whole tables, and text in chunks of middling size.
const DEFAULT_GROUPS: [&str; 2] = ["table", "medium"];
/// Hits, where nobody says how many.
const TOPK: usize = 6;
/// Hits at most, where tokens say how many.
const MANY: usize = 100;

/// A library that is searched, and the name by which hits say that they are from it: none where it is the only one.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    /// Its name.
    pub name: &'a str,
    /// The library.
    pub library: &'a Library,
}

impl Library {
    /// The best nodes for a search.
    pub fn find(&self, args: &SearchRequest) -> Result<Recalled> {
        find_in(&[Named { name: "", library: self }], args)
    }
}

/// The best nodes of several libraries for a search: what each has is merged, and then reranked.
pub fn find_in(libraries: &[Named<'_>], args: &SearchRequest) -> Result<Recalled> {
    if args.query.trim().is_empty() {
        return Err(Error::input("there is nothing to look for"));
    }
    match (libraries, args.strategy.as_deref(), args.named_groups().as_slice()) {
        ([], ..) => Err(Error::input("there is no library to search")),
        ([one], Some(strategy), _) => {
            by_strategy(one.library, args, strategy, &rerank(one.library, args), args.topk)
        }
        ([one], None, [group]) => search(one.library, &retriever(one.library, args, group), args),
        ([first, ..], ..) => merged(first.library, libraries, args),
    }
}

/// Tables and passages; where there is a tree of summaries over the passages, summaries stand among them.
fn default_groups(library: &Library) -> Result<Vec<String>> {
    let mut groups = DEFAULT_GROUPS.map(str::to_owned).to_vec();
    if !library.config().raptor.in_search {
        return Ok(groups);
    }
    let is_tree = |d: &&Definition| d.transform == Transform::Raptor && groups.contains(&d.parent);
    let trees: Vec<&Definition> = library.groups().all().iter().filter(is_tree).collect();
    for tree in trees {
        if !library.store().catalog()?.documents_with(&tree.name)?.is_empty() {
            groups.iter_mut().filter(|g| **g == tree.parent).for_each(|g| g.clone_from(&tree.name));
        }
    }
    Ok(groups)
}

/// The library that a hit is from.
fn library_of<'a>(libraries: &[Named<'a>], hit: &Hit) -> Result<&'a Library> {
    let found = libraries.iter().find(|named| hit.library.is_empty() || hit.library == named.name);
    found.map(|named| named.library).ok_or_else(|| Error::bug("a hit of no library"))
}

fn search(library: &Library, retriever: &Retriever, args: &SearchRequest) -> Result<Recalled> {
    if args.similarity_kw.is_empty() {
        return library.search(&args.query, retriever);
    }
    let weights = weights(library, retriever, &args.similarity_kw)?;
    Recall { weights: &weights, ..library.recall() }.search(&args.query, retriever)
}

/// The weights of words with what a search says of them.
fn weights(library: &Library, retriever: &Retriever, said: &Map<String, Value>) -> Result<Weights> {
    if !matches!(retriever.similarity, Similarity::Bm25 | Similarity::Hybrid) {
        let name = retriever.similarity.name();
        return Err(Error::input(format!("the similarity `{name}` has no parameters"))
            .hint("`similarity_kw` is for bm25 and hybrid: k1, b and the weights of fields"));
    }
    let mut weights = library.config().keyword.weights.clone();
    for scoring in [&mut weights.table, &mut weights.schema, &mut weights.cell, &mut weights.text] {
        let mut all = serde_json::to_value(&*scoring)?;
        if let Some(all) = all.as_object_mut() {
            all.extend(said.clone());
        }
        *scoring = serde_json::from_value(all).map_err(|e| Error::input(format!("similarity_kw: {e}")))?;
    }
    Ok(weights)
}

/// What is found in each group of each library, as one list that is then reranked.
fn merged(first: &Library, libraries: &[Named<'_>], args: &SearchRequest) -> Result<Recalled> {
    let names = rerank(first, args);
    let topk = match (&args.strategy, args.topk) {
        (Some(name), None) => first.config().strategy.get(name)?.max_results,
        _ => topk(first, args, args.named_groups().first().map_or("", String::as_str)),
    };
    let deep = topk.max(first.recall().rerank_depth(&names));
    let (mut lists, mut layers) = (Vec::new(), Vec::new());
    for named in libraries {
        for (group, found) in each(named.library, args, deep)? {
            let of = |l: Layer| {
                let parts = [l.name.as_str(), &group, named.name];
                let parts: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
                Layer { name: parts.join(" "), ..l }
            };
            layers.extend(found.layers.into_iter().map(of));
            let of = |hit: Hit| Hit { library: named.name.to_owned(), ..hit };
            lists.push(found.hits.into_iter().map(of).collect());
        }
    }
    // Cosines compare across groups, scores of words do not.
    let is_of_words = |l: &Layer| ["keyword", "summary"].iter().any(|words| l.name.starts_with(words));
    let by_vectors = layers.iter().any(|l: &Layer| l.ran && !is_of_words(l));
    let hits = if by_vectors { best(lists, deep) } else { merge(lists, deep, !names.is_empty()) };
    let read = |hits: &[Hit]| {
        let passage =
            |hit: &Hit| library_of(libraries, hit)?.recall().passages(&args.query, std::slice::from_ref(hit));
        Ok(hits.iter().map(passage).collect::<Result<Vec<_>>>()?.concat())
    };
    let mut all = first.recall().rerank(&args.query, Recalled { hits, layers }, &names, topk, &read)?;
    if let Some(budget) = args.tokens {
        crate::recall::within_tokens(&mut all.hits, budget);
    }
    Ok(all)
}

/// What one library has, by group or by a strategy; nothing is reranked yet.
fn each(library: &Library, args: &SearchRequest, deep: usize) -> Result<Vec<(String, Recalled)>> {
    if let Some(name) = &args.strategy {
        return Ok(vec![(String::new(), by_strategy(library, args, name, &[], Some(deep))?)]);
    }
    let (mut found, mut lacking) = (Vec::new(), None);
    let said = args.named_groups();
    let is_default = said.is_empty();
    let groups = if is_default { default_groups(library)? } else { said };
    for group in &groups {
        let retriever = retriever(library, args, group);
        let retriever = Retriever { rerank: Vec::new(), topk: deep, tokens: None, ..retriever };
        match search(library, &retriever, args) {
            Ok(recalled) => found.push((group.to_owned(), recalled)),
            // A library of tables alone has no vectors of passages, and the other way round.
            Err(e) if is_default && e.fault() == Fault::Missing => {
                lacking.get_or_insert(e);
            }
            Err(e) => return Err(e),
        }
    }
    match lacking {
        Some(error) if found.is_empty() => Err(error),
        _ => Ok(found),
    }
}

/// Layer by layer. How many hits there are at most is said by the strategy, unless the search says it.
fn by_strategy(
    library: &Library,
    args: &SearchRequest,
    name: &str,
    rerank: &[String],
    topk: Option<usize>,
) -> Result<Recalled> {
    let own = [
        ("group", !args.named_groups().is_empty()),
        ("similarity", args.similarity.is_some()),
        ("similarity_kw", !args.similarity_kw.is_empty()),
        ("traversal", args.traversal.is_some()),
    ];
    if let Some((what, _)) = own.iter().find(|(_, said)| *said) {
        return Err(Error::input(format!("`{what}` cannot be said together with `strategy`"))
            .hint(format!("a strategy has a {what} of its own; change it under [strategy.{name}]")));
    }
    let ask = Ask {
        text: &args.query,
        topk: topk.unwrap_or(0),
        filters: &args.filters,
        rerank,
        embed_keys: &args.embed_keys,
        target: args.target.as_deref(),
        cut_off: args.cut_off,
        cut_offs: Some(&args.cut_offs),
        tokens: args.tokens,
    };
    library.search_by_strategy(name, &ask)
}

fn rerank(library: &Library, args: &SearchRequest) -> Vec<String> {
    match args.rerank.is_empty() {
        true => library.config().search.rerank.clone(),
        false => args.rerank.clone(),
    }
}

fn similarity(library: &Library, args: &SearchRequest) -> Similarity {
    args.similarity.clone().unwrap_or_else(|| library.config().search.similarity.clone())
}

fn retriever(library: &Library, args: &SearchRequest, group: &str) -> Retriever {
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
        cut_offs: args.cut_offs.clone(),
        filters: args.filters.clone(),
        explain: true,
    }
}

/// The most tokens of all hits: as told, or as configured for trees of summaries.
fn tokens(library: &Library, args: &SearchRequest, group: &str) -> Option<usize> {
    let is_tree = library.groups().get(group).is_ok_and(|g| g.transform == Transform::Raptor);
    let by_default = Some(library.config().raptor.budget_token).filter(|_| is_tree && args.topk.is_none());
    args.tokens.or(by_default)
}

fn topk(library: &Library, args: &SearchRequest, group: &str) -> usize {
    args.topk.unwrap_or(if tokens(library, args, group).is_some() { MANY } else { TOPK })
}

fn best(lists: Vec<Vec<Hit>>, k: usize) -> Vec<Hit> {
    let mut all: Vec<Hit> = lists.into_iter().flatten().collect();
    all.sort_by(|a, b| b.score.total_cmp(&a.score));
    once(&mut all);
    all.truncate(k);
    all
}

/// Each node once, the first time: several groups may be answered with one.
fn once(hits: &mut Vec<Hit>) {
    let mut seen = HashSet::new();
    hits.retain(|hit| seen.insert((hit.library.clone(), hit.node.id.clone())));
}

/// One list as it is; several taken in turn by rank, since scores of different groups do not compare. Where they are
/// reranked, the rank is what their scores say.
fn merge(mut lists: Vec<Vec<Hit>>, k: usize, reranked: bool) -> Vec<Hit> {
    lists.retain(|l| !l.is_empty());
    if lists.len() == 1 {
        return lists.remove(0);
    }
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let mut merged = Vec::new();
    for rank in 0..longest {
        merged.extend(lists.iter().filter_map(|l| l.get(rank)).cloned());
    }
    once(&mut merged);
    merged.truncate(k);
    if reranked {
        merged.iter_mut().enumerate().for_each(|(i, hit)| hit.score = 1.0 / (i as f32 + 1.0));
    }
    merged
}
