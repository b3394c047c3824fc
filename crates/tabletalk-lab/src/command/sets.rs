//! `convert`, `judge`, `oracle`: public sets, and the rules by which answers to them are judged.

use crate::args::Convert;
use crate::{layout, oracle};
use serde::Deserialize;
use serde_json::json;
use std::io::BufRead;
use std::path::PathBuf;
use tabletalk::cli::command::{Context, list};
use tabletalk::{Error, Result};
use tabletalk_eval::{metric, query};

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
    let mut table = list::table(&["figure", "right answers", "those of other questions"]);
    for (name, gold) in &oracle.gold {
        let shuffled = oracle.shuffled.get(name).map_or(0.0, |m| m.mean);
        table.add_row([name.clone(), format!("{:.4}", gold.mean), format!("{shuffled:.4}")]);
    }
    context.output.text(&format!("{table}\n{} questions\n", oracle.queries));
    Ok(0)
}
