//! `add`, `sync`, `forget`.

use super::{Context, raptor};
use crate::cli::args;
use crate::cli::progress::Progress;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Instant;
use tabletalk::{AddOptions, Added, Built, Error, Fault, Library, Outcome, Result, Status};

pub fn run(context: &Context<'_>, args: &args::Add) -> Result<u8> {
    with(context, args, AddOptions::default())
}

pub fn sync(context: &Context<'_>, args: &args::Sync) -> Result<u8> {
    let options = AddOptions { forget_missing: true, forget_most: args.yes, ..AddOptions::default() };
    with(context, &args.add, options)
}

fn with(context: &Context<'_>, args: &args::Add, options: AddOptions) -> Result<u8> {
    let library = context.library_or_new()?;
    let options = AddOptions {
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        fields: args.fields.clone(),
        no_embed: args.no_embed,
        ..options
    };
    let begun = Instant::now();
    let progress = Progress::new(context.output.shows_progress());
    let outcome = library.add(&args.paths, &options, &progress);
    progress.clear();
    let outcome = outcome?;
    let wanted = !outcome.interrupted && (args.use_raptor || context.config.raptor.use_raptor);
    let tree = wanted.then(|| raptor::grow(context, &library)).transpose();
    report(
        context,
        &library,
        &outcome,
        tree.as_ref().ok().and_then(Option::as_ref),
        begun.elapsed().as_secs_f64(),
    );
    // What was added is told of even where its tree failed.
    tree?;
    Ok(exit_code(&outcome))
}

/// The first failure decides; an interrupted run is no success either.
fn exit_code(outcome: &Outcome) -> u8 {
    let embedding = outcome.embed_error.as_ref().map(Error::fault);
    let fault = outcome.documents.iter().find_map(|d| d.fault).or(embedding);
    match fault {
        Some(fault) => fault.exit_code() as u8,
        // A script must notice that the library is not what the folder is.
        None if !outcome.kept.is_empty() => Fault::Input.exit_code() as u8,
        None if outcome.interrupted => 130,
        None => 0,
    }
}

fn report(context: &Context<'_>, library: &Library, outcome: &Outcome, tree: Option<&Built>, seconds: f64) {
    if context.output.is_json() {
        context.output.value(&json!({
            "tree": tree,
            "documents": outcome.documents,
            "interrupted": outcome.interrupted,
            "kept": outcome.kept,
            "embedding_error": outcome.embed_error.as_ref().map(Error::to_string),
            "seconds": seconds,
        }));
        return;
    }
    for (file, documents) in by_file(&outcome.documents) {
        context.output.text(&line(file, &documents));
        for document in &documents {
            details(context, document, documents.len() == 1);
        }
    }
    outcome.kept.iter().for_each(|kept| context.output.note(&format!("note: {}", kept.reason)));
    if let Some(error) = &outcome.embed_error {
        context.output.note(&unfinished(library, error));
    }
    context.output.note(&summary(outcome, seconds));
}

/// What it means that documents were added and something after that failed.
pub fn unfinished(library: &Library, error: &Error) -> String {
    match library.is_shared() {
        true => format!("note: others do not see what was added until a later command publishes it: {error}"),
        false => format!("note: search is by words only, since embedding failed: {error}"),
    }
}

/// Records of one file are told of together.
fn by_file(documents: &[Added]) -> BTreeMap<&str, Vec<&Added>> {
    let mut files: BTreeMap<&str, Vec<&Added>> = BTreeMap::new();
    for document in documents {
        let file = document.name.split('#').next().unwrap_or(&document.name);
        files.entry(file).or_default().push(document);
    }
    files
}

fn line(file: &str, documents: &[&Added]) -> String {
    if let [one] = documents
        && let Some(why) = skipped_because(file, one)
    {
        return format!("{:<10} {file}, because {why}", "skipped");
    }
    let tables: u64 = documents.iter().map(|d| d.tables).sum();
    let rows: u64 = documents.iter().map(|d| d.rows_indexed).sum();
    let mut statuses: BTreeMap<&str, usize> = BTreeMap::new();
    for document in documents {
        *statuses.entry(status(document.status)).or_default() += 1;
    }
    let status = match documents {
        [one] => status(one.status).to_owned(),
        _ => statuses.iter().map(|(s, n)| format!("{n} {s}")).collect::<Vec<_>>().join(", "),
    };
    let holds = match tables {
        0 if documents.iter().all(|d| d.error.is_none()) => "text, no tables".to_owned(),
        _ => format!("{}, {}", plural(tables, "table"), plural(rows, "row")),
    };
    format!("{status:<10} {file}  ({holds})")
}

/// Why a file was left out that cannot be used as it is: pictures, programs, what is damaged or locked.
fn skipped_because(file: &str, document: &Added) -> Option<String> {
    let error = document.error.as_ref().filter(|_| document.fault == Some(Fault::Input))?;
    let name = document.name.as_str();
    let why = [file, name].iter().find_map(|n| error.strip_prefix(&format!("{n}: "))).unwrap_or(error);
    Some(match why.starts_with("is ") {
        true => format!("it {why}"),
        false => why.to_owned(),
    })
}

fn details(context: &Context<'_>, document: &Added, is_alone: bool) {
    let is_told = is_alone && skipped_because(&document.name, document).is_some();
    if let Some(error) = document.error.as_ref().filter(|_| !is_told) {
        context.output.text(&format!("           {error}"));
    }
    for rejection in document.rows_rejected.iter().take(5) {
        context.output.text(&format!("           rejected {}: {}", rejection.place, rejection.reason));
    }
    if document.rows_rejected.len() > 5 {
        context.output.text(&format!("           and {} more rejected", document.rows_rejected.len() - 5));
    }
    for warning in &document.warnings {
        context.output.text(&format!("           note: {warning}"));
    }
}

fn summary(outcome: &Outcome, seconds: f64) -> String {
    let is_skipped = |d: &&Added| d.status == Status::Failed && d.fault == Some(Fault::Input);
    let skipped = outcome.documents.iter().filter(is_skipped).count();
    let count = |status| outcome.documents.iter().filter(|d| d.status == status && !is_skipped(d)).count();
    let rows: u64 = outcome.documents.iter().map(|d| d.rows_indexed).sum();
    let mut parts = Vec::new();
    let all = [
        Status::Added,
        Status::Updated,
        Status::Unchanged,
        Status::Forgotten,
        Status::Elsewhere,
        Status::Failed,
    ];
    for status in all {
        let n = count(status);
        if n > 0 {
            parts.push(format!("{n} {}", self::status(status)));
        }
    }
    if skipped > 0 {
        parts.push(format!("{skipped} skipped"));
    }
    if parts.is_empty() {
        parts.push("no files found".into());
    }
    let end = if outcome.interrupted { "; interrupted, run it again to go on" } else { "" };
    format!("{}; {} in {seconds:.2} s{end}", parts.join(", "), plural(rows, "row"))
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Added => "added",
        Status::Unchanged => "unchanged",
        Status::Updated => "updated",
        Status::Elsewhere => "being added by another worker",
        Status::Failed => "failed",
        Status::Forgotten => "forgotten",
    }
}

pub fn plural(n: u64, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

pub fn embed(context: &Context<'_>) -> Result<u8> {
    let library = context.library()?;
    let progress = Progress::new(context.output.shows_progress());
    let begun = Instant::now();
    library.refresh(&progress)?;
    let done = library.embed(&progress);
    progress.clear();
    let (done, seconds) = (done?, begun.elapsed().as_secs_f64());
    match context.output.is_json() {
        true => context.output.value(&json!({ "embedded": done, "seconds": seconds })),
        false => {
            let end = if done.interrupted { "; interrupted, run it again to go on" } else { "" };
            let (texts, known) = (plural(done.texts, "text"), done.known);
            context.output.note(&format!("embedded {texts}, {known} were known, in {seconds:.1} s{end}"));
        }
    }
    Ok(if done.interrupted { 130 } else { 0 })
}

pub fn clarify(context: &Context<'_>) -> Result<u8> {
    let library = context.library()?;
    let progress = Progress::new(context.output.shows_progress());
    library.refresh(&progress)?;
    let made = library.clarify(&progress);
    progress.clear();
    let made = made?;
    match context.output.is_json() {
        true => context.output.value(&serde_json::to_value(&made)?),
        false => {
            let end = if made.interrupted { "; interrupted, run it again to go on" } else { "" };
            let (tables, known) = (plural(made.tables, "table"), made.known);
            context.output.note(&format!("clarified {tables}, {known} were known{end}"));
            made.failed.iter().for_each(|why| context.output.note(&format!("note: {why}")));
        }
    }
    Ok(if made.interrupted { 130 } else { 0 })
}

pub fn forget(context: &Context<'_>, names: &[String]) -> Result<u8> {
    let ids = context.library_now()?.forget(names)?;
    if ids.is_empty() {
        return Err(Error::missing("nothing was forgotten"));
    }
    match context.output.is_json() {
        true => context.output.value(&json!({ "forgotten": ids })),
        false => context.output.note(&format!("forgot {}", plural(ids.len() as u64, "document"))),
    }
    Ok(0)
}
