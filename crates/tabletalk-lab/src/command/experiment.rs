//! `run` and what can be done with runs.

use crate::args::{Gate, Report, RunArgs, RunFormat};
use crate::experiment::{self, Options};
use crate::recipe::{Recipe, Set};
use crate::{gate, report};
use serde_json::{Value, json};
use std::path::Path;
use tabletalk::cli::command::compare::{dir, place};
use tabletalk::cli::command::{Context, list};
use tabletalk::cli::{COMMIT, progress::Progress};
use tabletalk::{Error, Result};
use tabletalk_eval::Run;
use tabletalk_eval::compare::check_same_data;

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
        Error::missing(format!("there is no recipe `{name}`")).hint("`tabletalk-lab recipes` lists them")
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
    let options = Options { out: &out, commit: COMMIT, no_model: args.no_model };
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
        "kept in {}; `tabletalk-lab report {}` shows it again",
        place.display(),
        run.name
    ));
    Ok(0)
}

pub fn runs(context: &Context<'_>, out: Option<&Path>) -> Result<u8> {
    let runs = Run::all(&dir(context, out));
    if context.output.is_json() {
        let list: Vec<Value> = runs.iter().map(Run::summary).collect();
        context.output.value(&json!({"runs": list}));
        return Ok(0);
    }
    let mut table = list::table(&["run", "begun", "sets", "variants", "complete"]);
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

pub fn gate(context: &Context<'_>, args: &Gate) -> Result<u8> {
    let baseline = Run::read(&args.baseline)?;
    let run = Run::read(&place(context, &args.run, args.out.as_deref()))?;
    check_same_data(&baseline, &run)?;
    let changes = gate::gate(&baseline, &run, &args.metrics, args.max_drop)?;
    let failed = changes.iter().any(|change| change.failed);
    if context.output.is_json() {
        context.output.value(&json!({"passed": !failed, "max_drop": args.max_drop, "changes": changes}));
        return Ok(u8::from(failed));
    }
    let mut table = list::table(&["set", "variant", "figure", "before", "after", "drop", ""]);
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
