//! `eval answers`.

use super::Context;
use super::eval::{Corpus, read_all, sampled, write_runs};
use crate::args::Answers;
use serde_json::{Map, Value, json};
use tabletalk::eval::answers::{self, Figures, How};
use tabletalk::{Mode, Result};

pub fn measure(context: &Context<'_>, args: &Answers) -> Result<u8> {
    // Vectors help to find a table, not to answer from one that is given.
    let corpus = Corpus::make(context, &args.corpus, |_| !args.given_table)?;
    let queries = sampled(read_all(&args.queries, answers::queries)?, args.sample);
    let library = &corpus.library;
    let chat = if args.no_model { None } else { library.chat()? };
    let desk = library.answering(chat, &library.config().answer)?;
    let mut results = Vec::new();
    for mode in modes(args) {
        let how = How { given_table: args.given_table, mode };
        let (figures, runs) = answers::run(&desk, &queries, how)?;
        if let Some(file) = &args.run {
            write_runs(file, &runs).map_err(|e| e.at(file.display()))?;
        }
        let name = match (chat, mode) {
            (None, _) => "no model",
            (Some(_), mode) => mode.unwrap_or(library.config().answer.mode).name(),
        };
        results.push((name, figures));
    }
    report(context, &results, corpus.adding)?;
    Ok(0)
}

fn modes(args: &Answers) -> Vec<Option<Mode>> {
    match args.compare {
        true => Mode::ALL.iter().map(|mode| Some(*mode)).collect(),
        false => vec![args.mode],
    }
}

fn report(context: &Context<'_>, results: &[(&str, Figures)], adding: f64) -> Result<()> {
    if !context.output.is_json() {
        context.output.text(&table(results));
        return Ok(());
    }
    let mut value = match results {
        [(_, figures)] => serde_json::to_value(figures)?,
        _ => {
            let all = results.iter().map(|(name, f)| Ok(((*name).to_owned(), serde_json::to_value(f)?)));
            json!({"modes": all.collect::<Result<Map<String, Value>>>()?})
        }
    };
    value["adding_seconds"] = json!(adding);
    context.output.value(&value);
    Ok(())
}

/// One line a mode.
fn table(results: &[(&str, Figures)]) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
    table.set_header([
        "mode",
        "questions",
        "accuracy",
        "coverage",
        "precision",
        "prompt tokens",
        "p50 ms",
        "p99 ms",
        "errors",
    ]);
    for (name, f) in results {
        let share = |name: &str| {
            let mean = f.metrics.get(name);
            mean.map_or(String::new(), |m| format!("{:.3} ({:.3} to {:.3})", m.mean, m.low, m.high))
        };
        table.add_row([
            (*name).to_owned(),
            f.queries.to_string(),
            share("accuracy"),
            share("coverage"),
            share("precision"),
            format!("{:.0}", f.prompt_tokens),
            format!("{:.1}", f.ms_p50),
            format!("{:.1}", f.ms_p99),
            f.errors.to_string(),
        ]);
    }
    format!("{table}\n")
}
