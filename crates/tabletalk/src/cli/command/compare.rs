//! `eval compare`: two runs, question by question.

use super::Context;
use crate::cli::args::Compare;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tabletalk::{Error, Result};
use tabletalk_eval::Run;
use tabletalk_eval::compare::{Compared, check_same_data, compare, comparison};
use tabletalk_eval::metric::Paired;
use tabletalk_eval::run::{Cell, records};

/// The folder with the runs.
pub fn dir(context: &Context<'_>, out: Option<&Path>) -> PathBuf {
    out.map_or_else(|| context.config.eval.dir.clone(), Path::to_owned)
}

/// Where a run is that was given as a folder, a file or a name.
pub fn place(context: &Context<'_>, run: &Path, out: Option<&Path>) -> PathBuf {
    let named = dir(context, out).join(run);
    if run.exists() || !named.exists() { run.to_owned() } else { named }
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

pub fn run(context: &Context<'_>, args: &Compare) -> Result<u8> {
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
        let paired = compare(&records(&first, &set, &old)?, &records(&second, &set, &new)?);
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
        false => context.output.text(&comparison(&rows)),
    }
    Ok(0)
}

fn compared(
    set: &str,
    variant: &str,
    paired: &BTreeMap<String, Paired>,
    before: &Cell,
    after: &Cell,
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
