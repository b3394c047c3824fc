//! `eval answers`.

use super::Context;
use super::eval::{corpus, interval, sampled, write_lines};
use crate::cli::args::Answers;
use serde_json::{Map, Value, json};
use std::time::Instant;
use tabletalk::{Library, Mode, Result};
use tabletalk_eval::answers::{self, How};
use tabletalk_eval::query;
use tabletalk_eval::record::{self, Figures, Record};

/// What came of one mode.
struct Answered {
    mode: &'static str,
    queries: usize,
    metrics: Figures,
    ms_p50: f64,
    ms_p99: f64,
    errors: usize,
    seconds: f64,
}

impl Answered {
    fn of(mode: &'static str, records: &[Record], seconds: f64) -> Answered {
        let mut ms: Vec<f64> = records.iter().filter_map(|r| r.metrics.get("ms")).copied().collect();
        Answered {
            mode,
            queries: records.len(),
            metrics: record::figures(records),
            ms_p50: record::quantile(&mut ms, 0.5),
            ms_p99: record::quantile(&mut ms, 0.99),
            errors: records.iter().filter(|r| r.error.is_some()).count(),
            seconds,
        }
    }

    fn json(&self) -> Value {
        json!({
            "queries": self.queries, "metrics": self.metrics, "prompt_tokens": self.mean("prompt_tokens"),
            "ms_p50": self.ms_p50, "ms_p99": self.ms_p99, "errors": self.errors, "seconds": self.seconds,
        })
    }

    fn mean(&self, name: &str) -> f64 {
        self.metrics.get(name).map_or(0.0, |m| m.mean)
    }
}

pub fn measure(context: &Context<'_>, args: &Answers) -> Result<u8> {
    // Vectors help to find a table, not to answer from one that is given.
    let embeds = |_: &Library| !args.given_table;
    let corpus = corpus(context, &args.corpus, &args.queries, args.keep.as_deref(), embeds)?;
    let queries = sampled(query::judged(query::read_files(&args.queries)?)?, args.sample);
    let library = &corpus.library;
    let chat = if args.no_model { None } else { library.chat()? };
    let desk = library.answering(chat, &library.config().answer)?;
    let mut results = Vec::new();
    for mode in modes(args) {
        let at_once = library.config().chat.as_ref().map_or(1, |chat| chat.model.requests_at_once);
        let how = How { given_table: args.given_table, mode, at_once };
        let begun = Instant::now();
        let mut records: Vec<Record> = Vec::new();
        answers::run(&desk, &queries, how, &mut |mut some| {
            records.append(&mut some);
            Ok(())
        })?;
        let seconds = begun.elapsed().as_secs_f64();
        if let Some(file) = &args.run {
            write_lines(file, records.iter()).map_err(|e| e.at(file.display()))?;
        }
        let name = match (chat, mode) {
            (None, _) => "no model",
            (Some(_), mode) => mode.unwrap_or(library.config().answer.mode).name(),
        };
        results.push(Answered::of(name, &records, seconds));
    }
    report(context, &results, corpus.adding);
    Ok(0)
}

fn modes(args: &Answers) -> Vec<Option<Mode>> {
    match args.compare {
        true => Mode::ALL.iter().map(|mode| Some(*mode)).collect(),
        false => vec![args.mode],
    }
}

fn report(context: &Context<'_>, results: &[Answered], adding: f64) {
    if !context.output.is_json() {
        context.output.text(&table(results));
        return;
    }
    let mut value = match results {
        [one] => one.json(),
        _ => json!({"modes": results.iter().map(|a| (a.mode.to_owned(), a.json())).collect::<Map<_, _>>()}),
    };
    value["adding_seconds"] = json!(adding);
    context.output.value(&value);
}

/// One line a mode.
fn table(results: &[Answered]) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
    table.set_header([
        "mode",
        "questions",
        "accuracy",
        "coverage",
        "precision",
        "F1",
        "citation",
        "prompt tokens",
        "p50 ms",
        "p99 ms",
        "errors",
    ]);
    for a in results {
        let share = |name: &str| a.metrics.get(name).map_or(String::new(), interval);
        table.add_row([
            a.mode.to_owned(),
            a.queries.to_string(),
            share("accuracy"),
            share("coverage"),
            share("precision"),
            a.metrics.get("f1").map_or(String::new(), |m| format!("{:.3}", m.mean)),
            a.metrics.get("citation").map_or(String::new(), |m| format!("{:.3}", m.mean)),
            format!("{:.0}", a.mean("prompt_tokens")),
            format!("{:.1}", a.ms_p50),
            format!("{:.1}", a.ms_p99),
            a.errors.to_string(),
        ]);
    }
    format!("{table}\n")
}
