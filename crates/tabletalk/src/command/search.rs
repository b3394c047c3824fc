//! `search`.

use super::Context;
use crate::args;
use crate::progress::Progress;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::time::Instant;
use tabletalk::recall::{Query, terms};
use tabletalk::store::analyze::{Snippet, snippet};
use tabletalk::{AddOptions, Hit, Library, Result, Retriever};

/// Searched when no group is named: whole tables, and text in chunks of middling size.
const DEFAULT_GROUPS: [&str; 2] = ["table", "medium"];
const SNIPPET: usize = 240;

pub fn run(context: &Context<'_>, args: &args::Search) -> Result<u8> {
    let library = open(context, args)?;
    let begun = Instant::now();
    let query = args.query.join(" ");
    let mut layers = Vec::new();
    let mut lists = Vec::new();
    let groups = match &args.group {
        Some(group) => vec![group.as_str()],
        None => DEFAULT_GROUPS.to_vec(),
    };
    for group in groups {
        let at = Instant::now();
        let hits = library.search(&query, &retriever(args, group))?;
        let ms = at.elapsed().as_secs_f64() * 1e3;
        layers.push(json!({"name": format!("keyword {group}"), "ran": true, "hits": hits.len(), "ms": ms, "error": null}));
        lists.push(hits);
    }
    let hits = merge(lists, args.topk);
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    let parsed = Query::parse(&query, library.store().keyword().analyzer());
    match context.output.is_json() {
        true => {
            let hits =
                hits.iter().enumerate().map(|(i, h)| hit_json(&library, h, i)).collect::<Result<Vec<_>>>()?;
            context.output.value(&json!({"hits": hits, "layers": layers, "ms": ms}));
        }
        false => print(context, &library, &hits, &parsed, args.explain, ms),
    }
    Ok(if hits.is_empty() { 1 } else { 0 })
}

fn open(context: &Context<'_>, args: &args::Search) -> Result<Library> {
    let progress = Progress::new(context.output.shows_progress());
    let Some(path) = &args.from else {
        let library = context.library()?;
        let fresh = library.refresh(&progress);
        progress.clear();
        return fresh.map(|()| library);
    };
    let library = context.library_from(path)?;
    let options = AddOptions { forget_missing: true, ..AddOptions::default() };
    let outcome = library.add(std::slice::from_ref(path), &options, &progress);
    progress.clear();
    for document in outcome?.documents {
        if let Some(error) = document.error {
            context.output.note(&format!("note: {error}"));
        }
    }
    Ok(library)
}

fn retriever(args: &args::Search, group: &str) -> Retriever {
    Retriever {
        group: group.to_owned(),
        target: args.target.clone(),
        topk: args.topk,
        similarity_cut_off: args.cut_off,
        filters: args.filters.clone(),
        explain: true,
    }
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

fn hit_json(library: &Library, hit: &Hit, i: usize) -> Result<Value> {
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
        "layer": "keyword",
        "strategy": null,
        "similarity": "bm25",
        "scores": scores(hit),
        "keyword": best.and_then(|b| b.keyword.clone()),
        "expanded_query": null,
        "fields": hit.node.fields,
    }))
}

/// What each field added, summed over the words.
fn scores(hit: &Hit) -> Map<String, Value> {
    let mut sums: HashMap<&str, f32> = HashMap::new();
    for part in &hit.why {
        *sums.entry(&part.name).or_default() += part.value;
    }
    let mut scores: Vec<_> = sums.into_iter().collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    scores.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect()
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
        for line in hit.node.text.lines().take(8) {
            let shown = highlight(&snippet(line, &words, analyzer, SNIPPET), bold);
            text.push_str(&format!("    {shown}\n"));
        }
        if explain {
            for part in &hit.why {
                let word = part.keyword.as_deref().map_or(String::new(), |k| format!(" `{k}`"));
                text.push_str(&format!("      {:.2} {}{word}\n", part.value, part.name));
            }
        }
    }
    context.output.text(&text);
    match hits.is_empty() {
        true => context.output.note("nothing found"),
        false => context.output.note(&format!("{} hits in {ms:.1} ms", hits.len())),
    }
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
