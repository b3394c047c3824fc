//! `eval`: how good results are.

use super::Context;
use crate::cli::args::{Eval, EvalWhat, Retrieval};
use crate::cli::progress::Progress;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tabletalk::{Library, Result, Retriever, Similarity};
use tabletalk_eval::corpus::check_apart;
use tabletalk_eval::record::{self, Record};
use tabletalk_eval::retrieval::{self, How, default_group};
use tabletalk_eval::{Corpus, Mean, query};

pub fn run(context: &Context<'_>, eval: &Eval) -> Result<u8> {
    match &eval.what {
        EvalWhat::Retrieval(args) => measure(context, args),
        EvalWhat::Answers(args) => super::answers::measure(context, args),
        EvalWhat::Everyday(args) => super::everyday::measure(context, args),
        EvalWhat::Compare(args) => super::compare::run(context, args),
        EvalWhat::Generate(args) => super::own::generate(context, args),
    }
}

/// A library made of files, in a folder of its own that is kept or goes when it is done with.
pub fn corpus(
    context: &Context<'_>,
    files: &[PathBuf],
    questions: &[PathBuf],
    kept: Option<&Path>,
    embeds: impl Fn(&Library) -> bool,
) -> Result<Corpus> {
    check_apart(files, questions)?;
    let progress = Progress::new(context.output.shows_progress());
    let corpus = Corpus::make(&context.config, files, kept, embeds, &progress);
    progress.clear();
    corpus
}

/// What came of one way of searching.
struct Found {
    name: String,
    queries: usize,
    metrics: record::Figures,
    seconds: f64,
}

impl Found {
    fn json(&self) -> Value {
        let metrics: Map<String, Value> =
            self.metrics.iter().map(|(name, mean)| (name.clone(), json!(mean))).collect();
        json!({"queries": self.queries, "metrics": metrics, "seconds": self.seconds})
    }
}

fn measure(context: &Context<'_>, args: &Retrieval) -> Result<u8> {
    let embeds = |library: &Library| !is_by_words(library, args);
    let corpus = match args.corpus.is_empty() {
        true => Corpus::of(context.library_to_ask(None)?, &args.queries)?,
        false => corpus(context, &args.corpus, &args.queries, args.keep.as_deref(), embeds)?,
    };
    let (library, adding) = (&corpus.library, corpus.adding);
    let queries = sampled(query::placed(query::read_files(&args.queries)?)?, args.sample);
    let group = match &args.group {
        Some(group) => group.as_str(),
        None => default_group(library)?,
    };
    let mut results = Vec::new();
    for how in ways(library, args, group)? {
        let begun = Instant::now();
        let mut searched = Vec::new();
        retrieval::run(&library.recall(), &queries, &how, &args.cuts, &mut |mut some| {
            searched.append(&mut some);
            Ok(())
        })?;
        let seconds = begun.elapsed().as_secs_f64();
        if let Some(file) = &args.run {
            let line = |s: &retrieval::Searched| json!({"query": s.record.query, "found": s.found});
            write_lines(file, searched.iter().map(line)).map_err(|e| e.at(file.display()))?;
        }
        let records: Vec<Record> = searched.into_iter().map(|s| s.record).collect();
        let metrics = record::figures(&records);
        results.push(Found { name: how.name(), queries: records.len(), metrics, seconds });
    }
    report(context, &results, adding);
    Ok(0)
}

/// Whether no vector is needed.
fn is_by_words(library: &Library, args: &Retrieval) -> bool {
    let similarity = args.similarity.as_ref().unwrap_or(&library.config().search.similarity);
    !args.compare && args.strategy.is_none() && *similarity == Similarity::Bm25
}

/// The ways of searching that are measured.
fn ways<'a>(library: &'a Library, args: &'a Retrieval, group: &str) -> Result<Vec<How<'a>>> {
    let config = library.config();
    let topk = args.cuts.iter().copied().max().unwrap_or(10);
    let rerank = if args.rerank.is_empty() { config.search.rerank.clone() } else { args.rerank.clone() };
    let by = |similarity: Similarity, rerank: Vec<String>| {
        How::by(Retriever { group: group.to_owned(), topk, similarity, rerank, ..Retriever::default() })
    };
    if let Some(name) = &args.strategy {
        return Ok(vec![How::Strategy { name, strategy: config.strategy.get(name)?, topk }]);
    }
    if !args.compare {
        let similarity = args.similarity.clone().unwrap_or_else(|| config.search.similarity.clone());
        return Ok(vec![by(similarity, rerank)]);
    }
    let mut ways = vec![by(Similarity::Bm25, Vec::new()), by(Similarity::Cosine, Vec::new())];
    if config.embed.iter().any(|e| e.late) {
        ways.push(by(Similarity::Late, Vec::new()));
    }
    if config.embed.iter().any(|e| e.sparse) {
        ways.push(by(Similarity::Sparse, Vec::new()));
    }
    ways.push(by(Similarity::Hybrid, Vec::new()));
    ways.extend(args.rerank.iter().map(|name| by(Similarity::Hybrid, vec![name.clone()])));
    let name = if group == "table" { "table" } else { "text" };
    ways.push(How::Strategy { name, strategy: config.strategy.get(name)?, topk });
    Ok(ways)
}

/// Writes one JSON object a line.
pub fn write_lines<T: serde::Serialize>(file: &Path, lines: impl Iterator<Item = T>) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    for line in lines {
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(out.flush()?)
}

/// At most so many, taken evenly.
pub fn sampled<T: Clone>(all: Vec<T>, most: Option<usize>) -> Vec<T> {
    match most.filter(|most| *most < all.len() && *most > 0) {
        Some(most) => (0..most).filter_map(|i| all.get(i * all.len() / most).cloned()).collect(),
        None => all,
    }
}

fn report(context: &Context<'_>, results: &[Found], adding: f64) {
    if !context.output.is_json() {
        match results {
            [found] => print(context, found, adding),
            _ => context.output.text(&side_by_side(results)),
        }
        return;
    }
    let mut value = match results {
        [found] => found.json(),
        _ => json!({"ways": results.iter().map(|f| (f.name.clone(), f.json())).collect::<Map<_, _>>()}),
    };
    value["adding_seconds"] = json!(adding);
    context.output.value(&value);
}

/// One line a way of searching, one column a figure.
fn side_by_side(results: &[Found]) -> String {
    let shown = |name: &&String| name.starts_with("recall") || name.starts_with("ndcg") || *name == "mrr";
    let Some(first) = results.first() else { return String::new() };
    let names: Vec<&String> = first.metrics.keys().filter(shown).collect();
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
    let mut header = vec!["way".to_owned()];
    header.extend(names.iter().map(|n| n.to_string()));
    header.push("ms/query".into());
    table.set_header(header);
    for found in results {
        let mut row = vec![found.name.clone()];
        let figure = |n: &&String| found.metrics.get(*n).map_or(String::new(), |m| format!("{:.3}", m.mean));
        row.extend(names.iter().map(figure));
        row.push(format!("{:.1}", found.seconds * 1e3 / found.queries.max(1) as f64));
        table.add_row(row);
    }
    format!("{table}\n")
}

fn print(context: &Context<'_>, found: &Found, adding: f64) {
    let (queries, seconds) = (found.queries, found.seconds);
    let mut text = format!("{queries} queries in {seconds:.1} s, library made in {adding:.1} s\n");
    for (name, m) in &found.metrics {
        text.push_str(&format!("  {name:<16} {}\n", interval(m)));
    }
    context.output.text(&text);
}

/// A figure with its interval.
pub fn interval(m: &Mean) -> String {
    format!("{:.3} ({:.3} to {:.3})", m.mean, m.low, m.high)
}
