//! Two runs compared, question by question, and the tables that figures are printed in.

use crate::figure as metric;
use crate::metric::{Mean, Paired};
use crate::record::Record;
use crate::run::Run;
use comfy_table::{CellAlignment, LineStyle, Table, TableStyle, presets};
use std::collections::{BTreeMap, HashMap};
use tabletalk_core::{Error, Result};

/// The longest name of a variant that is shown in full.
const LONGEST: usize = 32;
/// Lines at the head and the foot alone.
const STYLE: TableStyle = presets::UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none());

/// A figure of two runs, and how they differ on the queries that both asked.
#[derive(serde::Serialize, Debug, Clone, PartialEq)]
pub struct Compared {
    /// The name of the set.
    pub set: String,
    /// The name of the variant.
    pub variant: String,
    /// The name of the metric.
    pub metric: String,
    /// In the first run.
    pub before: Mean,
    /// In the second run.
    pub after: Mean,
    /// The difference, query by query.
    pub paired: Paired,
}

/// Two lists of records compared question by question, figure by figure.
pub fn compare(before: &[Record], after: &[Record]) -> BTreeMap<String, Paired> {
    let known: HashMap<&str, &Record> = before.iter().map(|r| (r.query.as_str(), r)).collect();
    let mut pairs: BTreeMap<&str, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for record in after {
        let Some(old) = known.get(record.query.as_str()) else { continue };
        for (name, value) in &record.metrics {
            if let Some(was) = old.metrics.get(name) {
                let (olds, news) = pairs.entry(name).or_default();
                olds.push(*was);
                news.push(*value);
            }
        }
    }
    pairs.into_iter().map(|(name, (olds, news))| (name.to_owned(), Paired::of(&olds, &news))).collect()
}

/// Runs on different questions say nothing about each other.
pub fn check_same_data(before: &Run, after: &Run) -> Result<()> {
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

/// How two runs differ: a block for each set, with a line for each variant and metric.
pub fn comparison(rows: &[Compared]) -> String {
    let mut text = String::new();
    for set in distinct(rows.iter().map(|row| &row.set)) {
        let rows: Vec<&Compared> = rows.iter().filter(|row| row.set == *set).collect();
        text.push_str(&format!("{}\n{}\n", safe(set), drawn(&compared(&rows))));
    }
    match text.is_empty() {
        true => "the runs have no figures in common\n".to_owned(),
        false if rows.iter().any(|row| row.paired.is_clear()) => text + "* p < 0.05\n",
        false => text,
    }
}

fn compared(rows: &[&Compared]) -> Vec<Column> {
    let column = |head: &str, text: &dyn Fn(&Compared) -> String| -> Column {
        std::iter::once(head.to_owned()).chain(rows.iter().map(|row| text(row))).collect()
    };
    let mut last = None;
    let once = rows.iter().map(|row| match last.replace(&row.variant) == Some(&row.variant) {
        true => String::new(),
        false => short(&safe(&row.variant)),
    });
    vec![
        std::iter::once("variant".to_owned()).chain(once).collect(),
        column("metric", &|row| metric::words(&safe(&row.metric))),
        column("before", &|row| metric::value(&row.metric, row.before.mean)),
        column("after", &|row| metric::value(&row.metric, row.after.mean)),
        column("difference", &|row| paired(&row.metric, &row.paired)),
        column("p", &|row| metric::chance(row.paired.p)),
    ]
}

fn paired(name: &str, paired: &Paired) -> String {
    let interval = [paired.low, paired.high].map(|end| metric::signed(name, end)).join(" to ");
    let mark = if paired.is_clear() { "*" } else { "" };
    format!("{}{mark} ({interval})", metric::signed(name, paired.difference))
}

/// A name from a file cannot steer the terminal.
pub fn safe(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// A name that is cut off where it is too long for a table.
pub fn short(name: &str) -> String {
    match name.chars().count() > LONGEST {
        true => name.chars().take(LONGEST - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

/// A column: its head and its cells.
pub type Column = Vec<String>;

/// Columns as a table, numbers to the right.
pub fn drawn(columns: &[Column]) -> String {
    let mut table = Table::new();
    table.load_style(STYLE);
    let lines = columns.iter().map(Vec::len).max().unwrap_or_default();
    let line = |i: usize| columns.iter().map(move |c| c.get(i).cloned().unwrap_or_default());
    table.set_header(line(0));
    for i in 1..lines {
        table.add_row(line(i));
    }
    for (i, column) in columns.iter().enumerate() {
        let is_plain = !column.iter().skip(1).any(|text| text.contains('(')) && i > 0;
        if let Some(column) = table.column_mut(i).filter(|_| is_plain) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{table}\n")
}

/// Each once, in the order in which they come.
pub fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for one in all {
        if !kept.contains(&one) {
            kept.push(one);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_without_anything_in_common_say_so() {
        assert_eq!(comparison(&[]), "the runs have no figures in common\n");
    }

    #[test]
    fn runs_are_compared_by_set() {
        let mean = |mean: f64| Mean { mean, low: mean - 0.05, high: mean + 0.05 };
        let row = |set: &str, metric: &str| Compared {
            set: set.into(),
            variant: "a".into(),
            metric: metric.into(),
            before: mean(0.5),
            after: mean(0.6),
            paired: Paired { difference: 0.1, low: 0.05, high: 0.15, p: 0.0004 },
        };
        let text = comparison(&[row("wtq", "accuracy"), row("wtq", "f1"), row("tabfact", "accuracy")]);
        for part in ["wtq\n", "tabfact\n", "+0.100* (+0.050 to +0.150)", "< 0.001", "* p < 0.05"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn runs_are_compared_on_the_questions_they_share() {
        let record = |id: &str, value: f64| Record {
            query: id.into(),
            metrics: [("accuracy".to_owned(), value)].into(),
            ..Record::default()
        };
        let before = [record("a", 0.0), record("b", 0.0), record("c", 1.0)];
        let after = [record("b", 1.0), record("c", 1.0), record("d", 0.0)];
        assert_eq!(compare(&before, &after)["accuracy"].difference, 0.5);
    }
}
