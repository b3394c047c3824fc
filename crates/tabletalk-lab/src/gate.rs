//! Whether a run is worse than one that is held to be good.

use serde::Serialize;
use tabletalk_core::{Error, Result};
use tabletalk_eval::figure::is_share;
use tabletalk_eval::run::{Cell, Run};

/// A figure that fell, or might have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The set.
    pub set: String,
    /// The variant.
    pub variant: String,
    /// The figure.
    pub metric: String,
    /// What it was.
    pub before: f64,
    /// What it is.
    pub after: f64,
    /// By how many points of a hundred it became worse; less than zero when it became better. A figure that the run
    /// lacks is zero.
    pub drop: f64,
    /// Whether that is more than is allowed.
    pub failed: bool,
}

/// The figures that a run is judged by when none is named.
const MAIN: [&str; 4] = ["accuracy", "recall@10", "mrr", "citation"];

/// Compares what both runs have. `most` is the drop that is allowed, in points of a hundred.
pub fn gate(baseline: &Run, run: &Run, metrics: &[String], most: f64) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for before in baseline.cells.iter().filter(|cell| cell.skipped.is_none()) {
        let after = run.cell(&before.set, &before.variant).filter(|cell| cell.skipped.is_none());
        let after = after.ok_or_else(|| {
            let what =
                format!("the run has no `{}` on `{}`, which the baseline has", before.variant, before.set);
            Error::input(what).hint("run the same recipe, or make a new baseline")
        })?;
        for name in names(before, metrics)? {
            let (was, is) =
                (before.metrics.get(name).map(|m| m.mean), after.metrics.get(name).map(|m| m.mean));
            let (Some(was), Some(is)) = (was, is.or(Some(0.0))) else { continue };
            // Of what a question costs less is better, and a point is a hundredth of what it was.
            let drop = match is_share(name) {
                true => (was - is) * 100.0,
                false => (is - was) / was.abs().max(f64::MIN_POSITIVE) * 100.0,
            };
            changes.push(Change {
                set: before.set.clone(),
                variant: before.variant.clone(),
                metric: name.to_owned(),
                before: was,
                after: is,
                drop,
                // Sums of the same numbers in another order differ in the last digit.
                failed: drop > most + 1e-9,
            });
        }
    }
    match changes.is_empty() {
        true => Err(Error::input("the two runs have no figure in common")),
        false => Ok(changes),
    }
}

fn names<'a>(cell: &'a Cell, wanted: &'a [String]) -> Result<Vec<&'a str>> {
    if let Some(strange) = wanted.iter().find(|name| !cell.metrics.contains_key(*name)) {
        let there: Vec<&str> = cell.metrics.keys().map(String::as_str).collect();
        return Err(Error::input(format!("there is no figure `{strange}`; there are {}", there.join(", "))));
    }
    Ok(match wanted.is_empty() {
        true => MAIN.into_iter().filter(|name| cell.metrics.contains_key(*name)).collect(),
        false => wanted.iter().map(String::as_str).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_eval::metric::Mean;

    fn run(accuracy: f64) -> Run {
        let mean = Mean { mean: accuracy, low: accuracy, high: accuracy };
        let metrics = [("accuracy".to_owned(), mean)].into();
        let cell = Cell { set: "s".into(), variant: "v".into(), metrics, ..Cell::default() };
        Run { cells: vec![cell], ..Run::default() }
    }

    #[test]
    fn a_drop_beyond_what_is_allowed_fails() {
        let failed = |after: f64| gate(&run(0.50), &run(after), &[], 1.0).unwrap()[0].failed;
        assert!(!failed(0.50) && !failed(0.49) && !failed(0.60));
        assert!(failed(0.489));
    }

    #[test]
    fn of_costs_less_is_better_and_what_is_missing_fails() {
        let with = |name: &str, value: f64| {
            let mut run = run(0.5);
            let mean = Mean { mean: value, low: value, high: value };
            run.cells[0].metrics.insert(name.into(), mean);
            run
        };
        let failed = |before: &Run, after: &Run, name: &str| {
            gate(before, after, &[name.to_owned()], 1.0).unwrap()[0].failed
        };
        assert!(failed(&with("ms", 5.0), &with("ms", 9.0), "ms"));
        assert!(!failed(&with("ms", 9.0), &with("ms", 5.0), "ms"));
        assert!(failed(&with("citation", 0.9), &run(0.5), "citation"));
    }

    #[test]
    fn runs_of_different_things_are_not_compared() {
        assert!(gate(&run(0.5), &Run::default(), &[], 1.0).is_err());
        assert!(gate(&Run::default(), &run(0.5), &[], 1.0).is_err());
        let error = gate(&run(0.5), &run(0.5), &["recall@3".into()], 1.0).unwrap_err().to_string();
        assert!(error.contains("accuracy"), "{error}");
    }
}
