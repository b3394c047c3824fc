//! `search`.

use super::Context;
use crate::args;
use serde_json::{Map, Value, json};
use std::time::Instant;
use tabletalk::recall::strategy::Ask;
use tabletalk::recall::{Layer, Query, by_name, terms};
use tabletalk::store::analyze::{Snippet, snippet};
use tabletalk::{Hit, Library, Recalled, Result, Retriever, Similarity};

/// Searched when no group is named: whole tables, and text in chunks of middling size.
const DEFAULT_GROUPS: [&str; 2] = ["table", "medium"];
const SNIPPET: usize = 240;
/// Hits, where nobody says how many.
const TOPK: usize = 6;
/// Hits at most, where tokens say how many.
const MANY: usize = 100;

pub fn run(context: &Context<'_>, args: &args::Search) -> Result<u8> {
    let library = context.library_to_ask(args.from.as_deref())?;
    let begun = Instant::now();
    let query = args.query.join(" ");
    let recalled = recall(&library, args, &query)?;
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    for layer in recalled.layers.iter().filter(|l| l.error.is_some()) {
        let error = layer.error.as_deref().unwrap_or_default();
        context.output.note(&format!("note: layer {} was skipped: {error}", layer.name));
    }
    if lacks_vectors(&library, &recalled)? {
        context
            .output
            .note("note: this was a search by words only; `tabletalk embed` makes the vectors for meaning");
    }
    if let Some(group) = &args.group
        && tabletalk::tree::check_tree(library.groups(), group).is_ok()
        && library.store().catalog()?.documents_with(group)?.is_empty()
    {
        context.output.note("note: there is no tree of summaries yet; `tabletalk raptor build` makes it");
    }
    let hits = &recalled.hits;
    match context.output.is_json() {
        true => {
            let found = hits.iter().enumerate();
            let hits = found.map(|(i, h)| hit_json(&library, args, h, i)).collect::<Result<Vec<_>>>()?;
            context.output.value(&json!({"hits": hits, "layers": recalled.layers, "ms": ms}));
        }
        false => {
            let parsed = Query::parse(&query, library.store().keyword().analyzer());
            if args.explain {
                context.output.text(&layers_text(&recalled.layers));
            }
            print(context, &library, hits, &parsed, args.explain, ms);
        }
    }
    Ok(if recalled.hits.is_empty() { 1 } else { 0 })
}

/// Whether vectors were wanted and none were ever made.
fn lacks_vectors(library: &Library, recalled: &Recalled) -> Result<bool> {
    let wanted = recalled.layers.iter().any(|l| l.name.starts_with("dense") && !l.ran && l.error.is_none());
    Ok(wanted && !library.config().embed.is_empty() && library.store().catalog()?.spaces()?.is_empty())
}

fn recall(library: &Library, args: &args::Search, query: &str) -> Result<Recalled> {
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
    let mut lists = Vec::new();
    for group in groups {
        let recalled = library.search(query, &retriever(library, args, group))?;
        lists.push(recalled.hits);
        all.layers
            .extend(recalled.layers.into_iter().map(|l| Layer { name: format!("{} {group}", l.name), ..l }));
    }
    let topk = topk(library, args, args.group.as_deref().unwrap_or_default());
    // Cosines compare across groups, scores of words do not.
    let by_vectors = all.layers.iter().any(|l| l.ran && !l.name.starts_with("keyword"));
    all.hits = if by_vectors { best(lists, topk) } else { merge(lists, topk) };
    Ok(all)
}

fn rerank(library: &Library, args: &args::Search) -> Vec<String> {
    match args.rerank.is_empty() {
        true => library.config().search.rerank.clone(),
        false => args.rerank.clone(),
    }
}

fn similarity(library: &Library, args: &args::Search) -> Similarity {
    args.similarity.clone().unwrap_or_else(|| library.config().search.similarity.clone())
}

/// What each layer did, a line each.
fn layers_text(layers: &[Layer]) -> String {
    let line = |l: &Layer| match (&l.error, l.ran) {
        (Some(error), _) => format!("  {:<18} failed: {error}\n", l.name),
        (None, false) => format!("  {:<18} not needed\n", l.name),
        (None, true) => format!("  {:<18} {:>4} found in {:.1} ms\n", l.name, l.hits, l.ms),
    };
    let lines: String = layers.iter().map(line).collect();
    format!("layers\n{lines}")
}

fn retriever(library: &Library, args: &args::Search, group: &str) -> Retriever {
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
fn tokens(library: &Library, args: &args::Search, group: &str) -> Option<usize> {
    let is_tree =
        library.groups().get(group).is_ok_and(|g| g.transform == tabletalk::group::Transform::Raptor);
    let by_default = Some(library.config().raptor.budget_token).filter(|_| is_tree && args.topk.is_none());
    args.tokens.or(by_default)
}

fn topk(library: &Library, args: &args::Search, group: &str) -> usize {
    args.topk.unwrap_or(if tokens(library, args, group).is_some() { MANY } else { TOPK })
}

/// The best of all lists.
fn best(lists: Vec<Vec<Hit>>, k: usize) -> Vec<Hit> {
    let mut all = lists.concat();
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

fn hit_json(library: &Library, args: &args::Search, hit: &Hit, i: usize) -> Result<Value> {
    let record = library.store().catalog()?.record(hit.node.document())?;
    let document = match &record {
        Some(r) => json!({"id": r.id, "name": r.name, "source_id": r.source_id}),
        None => Value::Null,
    };
    let mut place = serde_json::to_value(&hit.node.place)?;
    place["text"] = json!(hit.node.place.to_string());
    let best = hit.why.iter().max_by(|a, b| a.value.total_cmp(&b.value));
    Ok(json!({
        "rank": i + 1,
        "score": hit.score,
        "id": hit.node.id,
        "group": hit.node.group,
        "document": document,
        "place": place,
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

fn print(context: &Context<'_>, library: &Library, hits: &[Hit], query: &Query, explain: bool, ms: f64) {
    let words = terms(query);
    let analyzer = library.store().keyword().analyzer();
    let bold = context.output.is_terminal();
    let mut text = String::new();
    for (i, hit) in hits.iter().enumerate() {
        text.push_str(&format!("{:>2}. {}  [{}] {:.2}\n", i + 1, hit.node.place, hit.node.group, hit.score));
        if hit.node.group != "root" {
            text.push_str(&format!("    id {}\n", hit.node.id));
        }
        let field = |name: &str| hit.node.fields.get(name).and_then(Value::as_u64);
        if let (Some(layer), Some(leaves)) = (field("layer"), field("leaf_count")) {
            let passages = if leaves == 1 { "passage" } else { "passages" };
            text.push_str(&format!("    a summary in layer {layer} over {leaves} {passages}\n"));
        }
        for line in hit.node.text.lines().take(8) {
            let shown = highlight(&snippet(line, &words, analyzer, SNIPPET), bold);
            text.push_str(&format!("    {shown}\n"));
        }
        if explain {
            text.push_str(&explained(hit));
        }
    }
    context.output.text(&text);
    match hits.is_empty() {
        true => context.output.note("nothing found"),
        false => context.output.note(&format!("{} hits in {ms:.1} ms", hits.len())),
    }
}

/// Why a hit was found, a line for each part of its score.
fn explained(hit: &Hit) -> String {
    let mut text = format!("      found by {}\n", hit.layer);
    if let Some(query) = &hit.expanded_query {
        text.push_str(&format!("      asked as `{query}`\n"));
    }
    for part in &hit.why {
        let word = part.keyword.as_deref().map_or(String::new(), |k| format!(" `{k}`"));
        text.push_str(&format!("      {:>8.3} {}{word}\n", part.value, part.name));
    }
    text
}

fn highlight(snippet: &Snippet, bold: bool) -> String {
    if !bold {
        return snippet.text.clone();
    }
    let (mut text, mut at) = (String::new(), 0);
    for range in &snippet.highlights {
        let (Some(before), Some(word)) = (snippet.text.get(at..range.start), snippet.text.get(range.clone()))
        else {
            continue;
        };
        text.push_str(&format!("{before}\u{1b}[1m{word}\u{1b}[0m"));
        at = range.end;
    }
    text.push_str(snippet.text.get(at..).unwrap_or_default());
    text
}
