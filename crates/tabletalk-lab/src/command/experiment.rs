//! `eval run` and what can be done with runs.

use super::Context;
use crate::args::{Compare, Gate, Report, RunArgs, RunFormat};
use crate::progress::Progress;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tabletalk::{Error, Result};
use tabletalk_eval::experiment::{self, Options};
use tabletalk_eval::metric::Paired;
use tabletalk_eval::recipe::{Recipe, Set};
use tabletalk_eval::report::{self, Compared};
use tabletalk_eval::run::{Run, records};

pub fn recipes(context: &Context<'_>) -> Result<u8> {
    let all = Recipe::shipped();
    match context.output.is_json() {
        true => {
            let list: Vec<Value> =
                all.iter().map(|(name, about)| json!({"name": name, "about": about})).collect();
            context.output.value(&json!({"recipes": list}));
        }
        false => all.iter().for_each(|(name, about)| context.output.text(&format!("{name:<12} {about}"))),
    }
    Ok(0)
}

pub fn recipe(context: &Context<'_>, name: &str) -> Result<u8> {
    let text = Recipe::text(name).ok_or_else(|| {
        Error::missing(format!("there is no recipe `{name}`")).hint("`tabletalk eval recipes` lists them")
    })?;
    context.output.text(text);
    Ok(0)
}

pub fn run(context: &Context<'_>, args: &RunArgs) -> Result<u8> {
    let mut recipe = Recipe::load(&args.recipe, args.data.as_deref())?;
    recipe.sample = args.sample.or(recipe.sample);
    recipe.seed = args.seed.unwrap_or(recipe.seed);
    if let Some(most) = args.sample {
        recipe.set.iter_mut().for_each(|set| set.sample = set.sample.map(|own| own.min(most)));
    }
    if !args.queries.is_empty() {
        recipe.set = vec![Set {
            name: "own".into(),
            corpus: args.corpus.clone(),
            queries: args.queries.clone(),
            given_table: args.given_table,
            ..Set::default()
        }];
    }
    recipe.keep(&args.sets, &args.variants)?;
    let out = dir(context, args.out.as_deref());
    let options = Options { out: &out, commit: crate::COMMIT, no_model: args.no_model };
    let progress = Progress::new(context.output.shows_progress());
    let run = experiment::run(&recipe, &context.config, &options, &progress);
    progress.clear();
    let run = run?;
    match context.output.is_json() {
        true => context.output.value(&serde_json::to_value(&run)?),
        false => context.output.text(&report::table(&run)),
    }
    for cell in run.cells.iter().filter(|cell| cell.errors > 0) {
        let error = cell.error.as_deref().unwrap_or_default();
        let (variant, set, errors) = (&cell.variant, &cell.set, cell.errors);
        context
            .output
            .note(&format!("{variant} on {set}: {errors} questions ended in an error, such as: {error}"));
    }
    let place = out.join(&run.name);
    context.output.note(&format!(
        "kept in {}; `tabletalk eval report {}` shows it again",
        place.display(),
        run.name
    ));
    Ok(0)
}

/// The folder with the runs.
fn dir(context: &Context<'_>, out: Option<&Path>) -> PathBuf {
    out.map_or_else(|| context.config.eval.dir.clone(), Path::to_owned)
}

/// Where a run is that was given as a folder, a file or a name.
fn place(context: &Context<'_>, run: &Path, out: Option<&Path>) -> PathBuf {
    let named = dir(context, out).join(run);
    if run.exists() || !named.exists() { run.to_owned() } else { named }
}

pub fn runs(context: &Context<'_>, out: Option<&Path>) -> Result<u8> {
    let runs = Run::all(&dir(context, out));
    if context.output.is_json() {
        let list: Vec<Value> = runs.iter().map(Run::summary).collect();
        context.output.value(&json!({"runs": list}));
        return Ok(0);
    }
    let mut table = super::list::table(&["run", "begun", "sets", "variants", "complete"]);
    for run in &runs {
        let sets: Vec<&str> = run.sets.iter().map(|s| s.name.as_str()).collect();
        table.add_row([
            run.name.clone(),
            run.begun.clone(),
            sets.join(", "),
            run.variants.len().to_string(),
            if run.complete { "yes" } else { "no" }.to_owned(),
        ]);
    }
    context.output.text(&format!("{table}\n"));
    Ok(0)
}

pub fn report(context: &Context<'_>, args: &Report) -> Result<u8> {
    let run = Run::read(&place(context, &args.run, args.out.as_deref()))?;
    let format = if context.output.is_json() { RunFormat::Json } else { args.format };
    let text = match format {
        RunFormat::Table => report::table(&run),
        RunFormat::Json => serde_json::to_string_pretty(&run)?,
        RunFormat::Csv => report::csv(&run)?,
        RunFormat::Html => report::html(&run),
    };
    match &args.to {
        Some(file) => std::fs::write(file, text).map_err(|e| Error::from(e).at(file.display()))?,
        None => context.output.text(&text),
    }
    Ok(0)
}

/// The sets and variants that are compared: set, variant before, variant after.
fn pairs(before: &Run, after: &Run, args: &Compare) -> Result<Vec<(String, String, String)>> {
    let mut pairs = Vec::new();
    for cell in before.cells.iter().filter(|cell| cell.skipped.is_none()) {
        let wanted = match (&args.after, args.variants.as_slice()) {
            (None, [first, second]) if cell.variant == *first => second,
            (None, [_, _]) => continue,
            (None, _) => {
                return Err(Error::input("one run alone: name two of its variants with --variants A,B"));
            }
            (Some(_), []) => &cell.variant,
            (Some(_), names) if names.contains(&cell.variant) => &cell.variant,
            (Some(_), _) => continue,
        };
        if after.cell(&cell.set, wanted).is_some_and(|c| c.skipped.is_none()) {
            pairs.push((cell.set.clone(), cell.variant.clone(), wanted.clone()));
        }
    }
    match pairs.is_empty() {
        true => {
            let there: BTreeSet<&str> = before.cells.iter().map(|cell| cell.variant.as_str()).collect();
            let there: Vec<&str> = there.into_iter().collect();
            Err(Error::input(format!("nothing was measured in both; the first has {}", there.join(", "))))
        }
        false => Ok(pairs),
    }
}

pub fn compare(context: &Context<'_>, args: &Compare) -> Result<u8> {
    let first = place(context, &args.before, args.out.as_deref());
    let second =
        args.after.as_ref().map_or_else(|| first.clone(), |run| place(context, run, args.out.as_deref()));
    let (before, after) = (Run::read(&first)?, Run::read(&second)?);
    check_same_data(&before, &after)?;
    // What came of each question lies beside the file that describes a run.
    let folder = |path: PathBuf| {
        if path.is_file() { path.parent().map(Path::to_owned).unwrap_or_default() } else { path }
    };
    let (first, second) = (folder(first), folder(second));
    let mut rows = Vec::new();
    for (set, old, new) in pairs(&before, &after, args)? {
        let paired = experiment::compare(&records(&first, &set, &old)?, &records(&second, &set, &new)?);
        let name = if old == new { old.clone() } else { format!("{old} → {new}") };
        let (Some(was), Some(is)) = (before.cell(&set, &old), after.cell(&set, &new)) else { continue };
        rows.extend(compared(&set, &name, &paired, was, is, &args.metrics));
    }
    if rows.is_empty() {
        let there: Vec<&String> = before.cells.iter().flat_map(|cell| cell.metrics.keys()).collect();
        let there: BTreeSet<&str> = there.into_iter().map(String::as_str).collect();
        let there: Vec<&str> = there.into_iter().collect();
        return Err(Error::input(format!("there is no such figure in both; there are {}", there.join(", "))));
    }
    match context.output.is_json() {
        true => context.output.value(&json!({"compared": rows})),
        false => context.output.text(&report::comparison(&rows)),
    }
    Ok(0)
}

/// Runs on different questions say nothing about each other.
fn check_same_data(before: &Run, after: &Run) -> Result<()> {
    for set in &before.sets {
        if let Some(other) = after.sets.iter().find(|s| s.name == set.name)
            && (other.queries_hash != set.queries_hash
                || other.drawn_hash != set.drawn_hash
                || other.corpus_hash != set.corpus_hash)
        {
            return Err(Error::input(format!(
                "the two runs had different data or questions for `{}`",
                set.name
            )));
        }
    }
    Ok(())
}

fn compared(
    set: &str,
    variant: &str,
    paired: &BTreeMap<String, Paired>,
    before: &tabletalk_eval::run::Cell,
    after: &tabletalk_eval::run::Cell,
    metrics: &[String],
) -> Vec<Compared> {
    let one = |(name, paired): (&String, &Paired)| {
        Some(Compared {
            set: set.to_owned(),
            variant: variant.to_owned(),
            metric: name.clone(),
            before: *before.metrics.get(name)?,
            after: *after.metrics.get(name)?,
            paired: *paired,
        })
    };
    paired.iter().filter(|(name, _)| metrics.is_empty() || metrics.contains(name)).filter_map(one).collect()
}

pub fn gate(context: &Context<'_>, args: &Gate) -> Result<u8> {
    let baseline = Run::read(&args.baseline)?;
    let run = Run::read(&place(context, &args.run, args.out.as_deref()))?;
    check_same_data(&baseline, &run)?;
    let changes = tabletalk_eval::gate::gate(&baseline, &run, &args.metrics, args.max_drop)?;
    let failed = changes.iter().any(|change| change.failed);
    if context.output.is_json() {
        context.output.value(&json!({"passed": !failed, "max_drop": args.max_drop, "changes": changes}));
        return Ok(u8::from(failed));
    }
    let mut table = super::list::table(&["set", "variant", "figure", "before", "after", "drop", ""]);
    for change in &changes {
        table.add_row([
            change.set.clone(),
            change.variant.clone(),
            change.metric.clone(),
            format!("{:.3}", change.before),
            format!("{:.3}", change.after),
            format!("{:.1}", change.drop),
            if change.failed { "too much" } else { "" }.to_owned(),
        ]);
    }
    let verdict = if failed { "worse than the baseline" } else { "as good as the baseline" };
    context.output.text(&format!("{table}\n{verdict}, with a drop of {} points allowed\n", args.max_drop));
    Ok(u8::from(failed))
}
