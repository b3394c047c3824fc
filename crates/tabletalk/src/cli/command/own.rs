//! `eval convert`, `eval generate`, `eval judge`: questions with known answers from elsewhere and of one's own.

use super::Context;
use super::eval::write_lines;
use crate::args::{Convert, Generate};
use crate::progress::Progress;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::PathBuf;
use tabletalk::{Error, Result};
use tabletalk_eval::generate::Wish;
use tabletalk_eval::{layout, metric, oracle, own, query};

pub fn convert(context: &Context<'_>, args: &Convert) -> Result<u8> {
    let done = layout::convert(args.layout, &args.dir, &args.split, &args.to)?;
    let value = json!({
        "tables": done.tables, "passages": done.passages, "queries": done.queries, "left_out": done.left_out,
        "dir": args.to,
    });
    match context.output.is_json() {
        true => context.output.value(&value),
        false => context.output.text(&format!(
            "{} tables, {} passages and {} questions written to {}; {} questions left out",
            done.tables,
            done.passages,
            done.queries,
            args.to.display(),
            done.left_out
        )),
    }
    Ok(0)
}

pub fn generate(context: &Context<'_>, args: &Generate) -> Result<u8> {
    if args.to.exists() && !args.force {
        return Err(Error::input(format!(
            "{} is there already, and may have been corrected",
            args.to.display()
        ))
        .hint("give another name, or --force to write over it"));
    }
    let library = context.library_to_ask(args.from.as_deref())?;
    let wish = Wish { each: args.each, seed: args.seed, kinds: args.forms.clone() };
    let mut made = own::questions(&library, &wish)?;
    if made.is_empty() {
        return Err(Error::missing("no question can be made from the tables of this library")
            .hint("tables need a column that names each row, and columns with values to ask for"));
    }
    if args.paraphrase {
        let progress = Progress::new(context.output.shows_progress());
        let more = own::paraphrases(&library, &made, &progress);
        progress.clear();
        made.extend(more?);
    }
    write_lines(&args.to, made.iter()).map_err(|e| e.at(args.to.display()))?;
    let mut forms: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &made {
        *forms.entry(one.form.name()).or_default() += 1;
    }
    if context.output.is_json() {
        context.output.value(&json!({"questions": made.len(), "forms": forms, "file": args.to}));
        return Ok(0);
    }
    let counts: Vec<String> = forms.iter().map(|(form, count)| format!("{count} {form}")).collect();
    context.output.text(&format!(
        "{} questions written to {}: {}\n",
        made.len(),
        args.to.display(),
        counts.join(", ")
    ));
    for one in made.iter().take(5) {
        context.output.text(&format!("  {}  →  {}\n", one.question, one.answers.join(", ")));
    }
    Ok(0)
}

/// An answer that is judged.
#[derive(Deserialize)]
struct Judged {
    targets: Vec<String>,
    given: Vec<String>,
}

pub fn judge(context: &Context<'_>) -> Result<u8> {
    for (i, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let judged: Judged =
            serde_json::from_str(&line).map_err(|e| Error::from(e).at(format!("line {}", i + 1)))?;
        context
            .output
            .text(&json!({"denoted": metric::is_denoted(&judged.targets, &judged.given)}).to_string());
    }
    Ok(0)
}

pub fn oracle(context: &Context<'_>, files: &[PathBuf]) -> Result<u8> {
    let oracle = oracle::oracle(&query::read_files(files)?)?;
    if context.output.is_json() {
        context.output.value(&serde_json::to_value(&oracle)?);
        return Ok(0);
    }
    let mut table = super::list::table(&["figure", "right answers", "those of other questions"]);
    for (name, gold) in &oracle.gold {
        let shuffled = oracle.shuffled.get(name).map_or(0.0, |m| m.mean);
        table.add_row([name.clone(), format!("{:.4}", gold.mean), format!("{shuffled:.4}")]);
    }
    context.output.text(&format!("{table}\n{} questions\n", oracle.queries));
    Ok(0)
}
