//! A run as a table for the terminal, as CSV, and as a page that needs nothing else.

mod csv;
mod html;
mod plot;
mod table;

pub use self::csv::csv;
pub use self::html::html;
pub use self::table::table;
use tabletalk_eval::compare::distinct;
use tabletalk_eval::figure as metric;
use tabletalk_eval::metric::{Mean, Paired};
use tabletalk_eval::run::{Cell, Run, SetOf, VariantOf as Variant};

/// The cells of one set, in the order of the variants.
struct Block<'a> {
    name: &'a str,
    size: Option<usize>,
    queries: usize,
    rows: Vec<Row<'a>>,
}

/// A cell and the place of its variant among all variants, which gives it its colour.
#[derive(Clone, Copy)]
struct Row<'a> {
    index: usize,
    cell: &'a Cell,
}

impl<'a> Block<'a> {
    fn measured(&self) -> impl Iterator<Item = Row<'a>> + '_ {
        self.rows.iter().copied().filter(|row| row.cell.skipped.is_none())
    }

    /// The names of all metrics that occur, in the order in which they are shown.
    fn metrics(&self) -> Vec<&'a str> {
        metric::ordered(self.measured().flat_map(|row| row.cell.metrics.keys().map(String::as_str)))
    }

    /// The variants that were not measured, with the reason.
    fn skipped(&self) -> impl Iterator<Item = (&'a str, &'a str)> + '_ {
        self.rows.iter().filter_map(|row| Some((row.cell.variant.as_str(), row.cell.skipped.as_deref()?)))
    }

    /// What it is called: the name alone says too little where tables were grown.
    fn title(&self) -> String {
        match self.size {
            Some(size) => format!("{}, {} rows a table", self.name, metric::grouped(size as f64)),
            None => self.name.to_owned(),
        }
    }
}

/// Names of variants in the order of the run; those that only a cell knows come last.
fn variants(run: &Run) -> Vec<&str> {
    let named = run.variants.iter().map(|v| v.name.as_str());
    distinct(named.chain(run.cells.iter().map(|c| c.variant.as_str())))
}

/// The sets of a run with their cells. A set without any is left out where the same set in other sizes has some.
fn blocks(run: &Run) -> Vec<Block<'_>> {
    let names = variants(run);
    let said = run.sets.iter().map(|s| (s.name.as_str(), s.size));
    let keys = distinct(said.chain(run.cells.iter().map(|c| (c.set.as_str(), c.size))));
    let mut blocks: Vec<Block<'_>> = keys.into_iter().map(|key| block(run, &names, key)).collect();
    let full: Vec<&str> = blocks.iter().filter(|b| !b.rows.is_empty()).map(|b| b.name).collect();
    blocks.retain(|b| !b.rows.is_empty() || !full.contains(&b.name));
    blocks
}

fn block<'a>(run: &'a Run, names: &[&str], (name, size): (&'a str, Option<usize>)) -> Block<'a> {
    let cells = run.cells.iter().filter(|c| c.set == name && c.size == size);
    let index = |cell: &Cell| names.iter().position(|n| *n == cell.variant).unwrap_or(names.len());
    let mut rows: Vec<Row<'_>> = cells.map(|cell| Row { index: index(cell), cell }).collect();
    rows.sort_by_key(|row| row.index);
    let set = run.sets.iter().find(|s| s.name == name && s.size == size);
    let most = rows.iter().map(|row| row.cell.queries).max().unwrap_or_default();
    Block { name, size, queries: set.map_or(most, |s| s.queries), rows }
}

/// Each thing once, in the order in which they come first.
#[cfg(test)]
mod samples {
    use super::*;
    use serde_json::json;

    /// A run of two variants on one set; names are as given.
    pub(super) fn pair(first: &str, second: &str) -> Run {
        let mean = |mean: f64| json!({"mean": mean, "low": mean - 0.05, "high": mean + 0.05});
        let tokens = |mean: f64| json!({"mean": mean, "low": mean, "high": mean});
        let cell = |name: &str, share: f64, cost: f64| {
            json!({"set": "wtq", "variant": name, "queries": 200, "seconds": 1.0,
                "metrics": {"accuracy": mean(share), "coverage": mean(0.9), "prompt_tokens": tokens(cost)}})
        };
        let mut second_cell = cell(second, 0.6, 4000.0);
        second_cell["against"] =
            json!({"accuracy": {"difference": 0.1, "low": 0.05, "high": 0.15, "p": 0.004}});
        let value = json!({"name": "sample-1", "recipe": "sample", "about": "A sample.", "task": "answers", "complete": true,
            "sets": [{"name": "wtq", "queries": 200}], "variants": [{"name": first}, {"name": second}],
            "cells": [cell(first, 0.5, 300.0), second_cell]});
        serde_json::from_value(value).unwrap()
    }

    /// The same run with nothing measured.
    pub(super) fn skipped() -> Run {
        let mut run = pair("a", "b");
        for cell in &mut run.cells {
            *cell = Cell {
                skipped: Some("needs a language model".into()),
                metrics: Default::default(),
                ..cell.clone()
            };
        }
        run
    }

    /// A run over sizes of tables.
    pub(super) fn grown() -> Run {
        let mut run = pair("a", "b");
        run.sets = [100, 1000, 10_000].map(|n| SetOf { size: Some(n), ..run.sets[0].clone() }).to_vec();
        let sized = |n: usize| run.cells.iter().map(move |c| Cell { size: Some(n), ..c.clone() });
        run.cells = [100, 1000, 10_000].into_iter().flat_map(sized).collect();
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_the_sets_and_rows_the_variants() {
        let mut run = samples::pair("a", "b");
        run.cells.reverse();
        run.sets.insert(0, SetOf { name: "not yet".into(), ..Default::default() });
        let names: Vec<_> = blocks(&run).iter().map(|b| (b.name.to_owned(), b.rows.len())).collect();
        assert_eq!(names, [("not yet".to_owned(), 0), ("wtq".to_owned(), 2)]);
        assert_eq!(blocks(&run)[1].rows.iter().map(|r| r.index).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn sizes_are_blocks_of_their_own() {
        let mut run = samples::grown();
        run.sets.push(SetOf { name: "wtq".into(), ..Default::default() });
        let titles: Vec<_> = blocks(&run).iter().map(Block::title).collect();
        assert_eq!(titles, ["wtq, 100 rows a table", "wtq, 1,000 rows a table", "wtq, 10,000 rows a table"]);
    }
}
