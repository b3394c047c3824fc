//! `eval`.

use super::Context;
use crate::args::{Eval, EvalWhat, Retrieval};
use crate::progress::Progress;
use serde_json::json;
use std::io::{Read, Write};
use std::path::Path;
use tabletalk::eval::retrieval::{self, Figures, Query, Run};
use tabletalk::{AddOptions, Error, Library, Result, Retriever, open};

pub fn run(context: &Context<'_>, eval: &Eval) -> Result<u8> {
    match &eval.what {
        EvalWhat::Retrieval(args) => measure(context, args),
    }
}

fn measure(context: &Context<'_>, args: &Retrieval) -> Result<u8> {
    // A library of its own: what is measured never meets what the user keeps.
    let dir = match &context.global.library {
        Some(dir) => Dir::Kept(dir.clone()),
        None => Dir::Temporary(tempfile::tempdir()?),
    };
    let library = open(&context.config, dir.path(), true)?;
    let progress = Progress::new(context.output.shows_progress());
    let begun = std::time::Instant::now();
    let added = library.add(&args.corpus, &AddOptions::default(), &progress);
    progress.clear();
    if let Some(error) = added?.documents.iter().find_map(|d| d.error.clone()) {
        return Err(Error::input(error));
    }
    let adding = begun.elapsed().as_secs_f64();
    let queries = read_queries(args)?;
    let topk = args.cuts.iter().copied().max().unwrap_or(10);
    let group = match &args.group {
        Some(group) => group.clone(),
        None => default_group(&library)?,
    };
    let retriever = Retriever { group, topk, ..Retriever::default() };
    let (figures, runs) = retrieval::run(&library.recall(), &queries, &retriever, &args.cuts)?;
    if let Some(file) = &args.run {
        write_runs(file, &runs).map_err(|e| e.at(file.display()))?;
    }
    match context.output.is_json() {
        true => {
            let mut value = serde_json::to_value(&figures)?;
            value["adding_seconds"] = json!(adding);
            context.output.value(&value);
        }
        false => print(context, &figures, adding),
    }
    Ok(0)
}

fn write_runs(file: &Path, runs: &[Run]) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    for run in runs {
        writeln!(out, "{}", serde_json::to_string(run)?)?;
    }
    Ok(out.flush()?)
}

enum Dir {
    Kept(std::path::PathBuf),
    Temporary(tempfile::TempDir),
}

impl Dir {
    fn path(&self) -> &Path {
        match self {
            Dir::Kept(path) => path,
            Dir::Temporary(dir) => dir.path(),
        }
    }
}

fn default_group(library: &Library) -> Result<String> {
    let [_, tables, ..] = library.store().catalog()?.counts()?;
    Ok(if tables > 0 { "table" } else { "medium" }.to_owned())
}

fn read_queries(args: &Retrieval) -> Result<Vec<Query>> {
    let mut queries = Vec::new();
    for file in &args.queries {
        let text = read_text(file).map_err(|e| e.at(file.display()))?;
        queries.extend(retrieval::queries(&text).map_err(|e| e.at(file.display()))?);
    }
    if let Some(most) = args.sample.filter(|most| *most < queries.len() && *most > 0) {
        let total = queries.len();
        queries = (0..most).map(|i| queries[i * total / most].clone()).collect();
    }
    Ok(queries)
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

fn print(context: &Context<'_>, figures: &Figures, adding: f64) {
    let mut text =
        format!("{} queries in {:.1} s, library made in {adding:.1} s\n", figures.queries, figures.seconds);
    for (name, m) in &figures.metrics {
        text.push_str(&format!("  {name:<16} {:.3}  ({:.3} to {:.3})\n", m.mean, m.low, m.high));
    }
    context.output.text(&text);
}
