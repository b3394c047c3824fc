//! `search`.

use super::Context;
use crate::cli::args::{self, CutOff};
use serde_json::{Value, json};
use std::time::Instant;
use tabletalk::recall::{Layer, Query, terms};
use tabletalk::searching::{Found, Named, find_in};
use tabletalk::store::analyze::{Snippet, snippet};
use tabletalk::{Hit, Library, Recalled, Result, SearchRequest};

const SNIPPET: usize = 240;
pub fn run(context: &Context<'_>, args: &args::Search) -> Result<u8> {
    let library = context.library_to_ask(args.from.as_deref())?;
    let begun = Instant::now();
    let request = request(args);
    let others = args.also.iter().map(|dir| context.library_at(dir)).collect::<Result<Vec<_>>>()?;
    let names: Vec<String> = others.iter().map(|other| other.dir().display().to_string()).collect();
    let own = if others.is_empty() { String::new() } else { library.dir().display().to_string() };
    let mut all = vec![Named { name: &own, library: &library }];
    all.extend(names.iter().zip(&others).map(|(name, library)| Named { name, library }));
    let recalled = find_in(&all, &request)?;
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
    if let [group] = request.groups.as_slice()
        && tabletalk::tree::check_tree(library.groups(), group).is_ok()
        && !library.has_group(group)?
    {
        context.output.note("note: there is no tree of summaries yet; `tabletalk raptor build` makes it");
    }
    let is_empty = recalled.hits.is_empty();
    match context.output.is_json() {
        true => {
            let found = Found::of(&all, &request, recalled, ms)?;
            context.output.value(&serde_json::to_value(found)?);
        }
        false => {
            let parsed = Query::parse(&request.query, library.analyzer());
            if args.explain {
                context.output.text(&layers_text(&recalled.layers));
            }
            print(context, &library, &recalled.hits, &parsed, args.explain, ms);
        }
    }
    Ok(if is_empty { 1 } else { 0 })
}

fn request(args: &args::Search) -> SearchRequest {
    let mut all =
        args.cut_offs.iter().filter_map(|c| if let CutOff::All(least) = c { Some(*least) } else { None });
    let keys = args.cut_offs.iter().filter_map(|c| if let CutOff::Key(k) = c { Some(k) } else { None });
    SearchRequest {
        query: args.query.join(" "),
        cut_off: all.next_back(),
        cut_offs: keys.map(|k| (k.key.clone(), k.number)).collect(),
        similarity_kw: args.similarity_kw.iter().map(|k| (k.key.clone(), json!(k.number))).collect(),
        ..args.request.clone()
    }
}

/// Whether vectors were wanted and none were ever made.
fn lacks_vectors(library: &Library, recalled: &Recalled) -> Result<bool> {
    let wanted = recalled.layers.iter().any(|l| l.name.starts_with("dense") && !l.ran && l.error.is_none());
    Ok(wanted && !library.config().embed.is_empty() && !library.has_vectors()?)
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

fn print(context: &Context<'_>, library: &Library, hits: &[Hit], query: &Query, explain: bool, ms: f64) {
    let words = terms(query);
    let analyzer = library.analyzer();
    let bold = context.output.is_terminal();
    let mut text = String::new();
    for (i, hit) in hits.iter().enumerate() {
        text.push_str(&format!("{:>2}. {}  [{}] {:.2}\n", i + 1, hit.node.place, hit.node.group, hit.score));
        if !hit.library.is_empty() {
            text.push_str(&format!("    in {}\n", hit.library));
        }
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
