//! `eval`.

use super::Context;
use crate::args::{Eval, EvalWhat, Retrieval};
use crate::progress::Progress;
use serde_json::{Map, Value, json};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use tabletalk::eval::retrieval::{self, Figures, How, Query};
use tabletalk::{AddOptions, Error, Library, Result, Retriever, Similarity, open};

pub fn run(context: &Context<'_>, eval: &Eval) -> Result<u8> {
    match &eval.what {
        EvalWhat::Retrieval(args) => measure(context, args),
        EvalWhat::Answers(args) => super::answers::measure(context, args),
        EvalWhat::Context(args) => super::context::measure(context, args),
    }
}

/// A library of its own, made of a corpus: what is measured never meets what the user keeps.
pub(super) struct Corpus {
    pub(super) library: Library,
    /// Seconds for making it.
    pub(super) adding: f64,
    /// Removed with the corpus, unless the user named a folder.
    _dir: Option<tempfile::TempDir>,
}

impl Corpus {
    pub(super) fn make(
        context: &Context<'_>,
        files: &[PathBuf],
        embeds: impl Fn(&Library) -> bool,
    ) -> Result<Self> {
        let (dir, path) = match &context.global.library {
            Some(dir) => (None, dir.clone()),
            None => {
                let dir = tempfile::tempdir()?;
                let path = dir.path().to_owned();
                (Some(dir), path)
            }
        };
        let library = open(&context.config, &path, true)?;
        let progress = Progress::new(context.output.shows_progress());
        let begun = std::time::Instant::now();
        let options = AddOptions { no_embed: !embeds(&library), ..AddOptions::default() };
        let added = library.add(files, &options, &progress);
        progress.clear();
        let added = added?;
        if let Some(error) = added.documents.iter().find_map(|d| d.error.clone()) {
            return Err(Error::input(error));
        }
        if let Some(error) = added.embed_error {
            return Err(error);
        }
        Ok(Corpus { library, adding: begun.elapsed().as_secs_f64(), _dir: dir })
    }
}

fn measure(context: &Context<'_>, args: &Retrieval) -> Result<u8> {
    let corpus = Corpus::make(context, &args.corpus, |library| !is_by_words(library, args))?;
    let (library, adding) = (&corpus.library, corpus.adding);
    let queries = read_queries(args)?;
    let group = match &args.group {
        Some(group) => group.clone(),
        None => default_group(library)?,
    };
    let mut results = Vec::new();
    for how in ways(library, args, &group)? {
        let (figures, runs) = retrieval::run(&library.recall(), &queries, &how, &args.cuts)?;
        if let Some(file) = &args.run {
            write_runs(file, &runs).map_err(|e| e.at(file.display()))?;
        }
        results.push((how.name(), figures));
    }
    report(context, &results, adding)?;
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
        How::Retriever(Retriever {
            group: group.to_owned(),
            topk,
            similarity,
            rerank,
            ..Retriever::default()
        })
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
    ways.push(by(Similarity::Hybrid, Vec::new()));
    ways.extend(args.rerank.iter().map(|name| by(Similarity::Hybrid, vec![name.clone()])));
    let name = if group == "table" { "table" } else { "text" };
    ways.push(How::Strategy { name, strategy: config.strategy.get(name)?, topk });
    Ok(ways)
}

/// Writes one JSON object a line.
pub(super) fn write_runs<T: serde::Serialize>(file: &Path, runs: &[T]) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    for run in runs {
        writeln!(out, "{}", serde_json::to_string(run)?)?;
    }
    Ok(out.flush()?)
}

fn default_group(library: &Library) -> Result<String> {
    let [_, tables, ..] = library.store().catalog()?.counts()?;
    Ok(if tables > 0 { "table" } else { "medium" }.to_owned())
}

fn read_queries(args: &Retrieval) -> Result<Vec<Query>> {
    Ok(sampled(read_all(&args.queries, retrieval::queries)?, args.sample))
}

/// The queries of all files.
pub(super) fn read_all<T>(files: &[PathBuf], read: fn(&str) -> Result<Vec<T>>) -> Result<Vec<T>> {
    let mut queries = Vec::new();
    for file in files {
        let text = read_text(file).map_err(|e| e.at(file.display()))?;
        queries.extend(read(&text).map_err(|e| e.at(file.display()))?);
    }
    Ok(queries)
}

/// At most so many, taken evenly.
pub(super) fn sampled<T: Clone>(all: Vec<T>, most: Option<usize>) -> Vec<T> {
    match most.filter(|most| *most < all.len() && *most > 0) {
        Some(most) => (0..most).filter_map(|i| all.get(i * all.len() / most).cloned()).collect(),
        None => all,
    }
}

fn read_text(file: &Path) -> Result<String> {
    let bytes = std::fs::read(file)?;
    let name = file.to_string_lossy();
    let mut text = String::new();
    if name.ends_with(".zst") {
        zstd::Decoder::new(bytes.as_slice())?.read_to_string(&mut text)?;
    } else if name.ends_with(".gz") {
        flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_string(&mut text)?;
    } else {
        text = String::from_utf8(bytes).map_err(|_| Error::input("is not UTF-8 text"))?;
    }
    Ok(text)
}

fn report(context: &Context<'_>, results: &[(String, Figures)], adding: f64) -> Result<()> {
    if let [(_, figures)] = results {
        match context.output.is_json() {
            true => {
                let mut value = serde_json::to_value(figures)?;
                value["adding_seconds"] = json!(adding);
                context.output.value(&value);
            }
            false => print(context, figures, adding),
        }
        return Ok(());
    }
    match context.output.is_json() {
        true => {
            let ways: Map<String, Value> = results
                .iter()
                .map(|(name, f)| Ok((name.clone(), serde_json::to_value(f)?)))
                .collect::<Result<_>>()?;
            context.output.value(&json!({"ways": ways, "adding_seconds": adding}));
        }
        false => context.output.text(&side_by_side(results)),
    }
    Ok(())
}

/// One line a way of searching, one column a figure.
fn side_by_side(results: &[(String, Figures)]) -> String {
    let shown = |name: &&String| name.starts_with("recall") || name.starts_with("ndcg") || *name == "mrr";
    let Some((_, first)) = results.first() else { return String::new() };
    let names: Vec<&String> = first.metrics.keys().filter(shown).collect();
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
    let mut header = vec!["way".to_owned()];
    header.extend(names.iter().map(|n| n.to_string()));
    header.push("ms/query".into());
    table.set_header(header);
    for (way, figures) in results {
        let mut row = vec![way.clone()];
        row.extend(
            names.iter().map(|n| figures.metrics.get(*n).map_or(String::new(), |m| format!("{:.3}", m.mean))),
        );
        row.push(format!("{:.1}", figures.seconds * 1e3 / figures.queries.max(1) as f64));
        table.add_row(row);
    }
    format!("{table}\n")
}

fn print(context: &Context<'_>, figures: &Figures, adding: f64) {
    let mut text =
        format!("{} queries in {:.1} s, library made in {adding:.1} s\n", figures.queries, figures.seconds);
    for (name, m) in &figures.metrics {
        text.push_str(&format!("  {name:<16} {:.3}  ({:.3} to {:.3})\n", m.mean, m.low, m.high));
    }
    context.output.text(&text);
}
