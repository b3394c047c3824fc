//! Rows of a table sorted, filtered and searched: in SQL, so that it is quick for a table of any length.

use crate::{Error, Library, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use tabletalk_core::{Column, Kind};
use tabletalk_sql::{ROW_ID, Stop};
use tabletalk_store::StoredTable;

/// Rows of an order that can be looked at: whoever wants to see more filters, or sorts the other way round. Skipping a million
/// rows costs sorting them.
pub const REACH: u64 = 10_000;

/// What rows are wanted, and in which order.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Selection {
    /// The number of the column in the source that rows are sorted by, from 1; below zero for the largest first.
    pub sort: Option<i64>,
    /// Text that stands anywhere in a row, in any case.
    pub find: String,
    /// What must hold of columns, all of it.
    pub filters: Vec<Condition>,
}

/// What must hold of a column.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Its number in the source, from 1.
    pub col: u32,
    /// How it is compared.
    pub is: Comparison,
    /// With what; nothing for `empty` and `filled`.
    #[serde(default)]
    pub value: String,
}

/// How a value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Comparison {
    /// The text stands in it, in any case.
    Has,
    /// It is this.
    Equal,
    /// It is something else.
    Other,
    /// It is this or more.
    Least,
    /// It is this or less.
    Most,
    /// There is nothing.
    Empty,
    /// There is something.
    Filled,
}

impl Selection {
    /// Whether it wants all rows as they stand.
    pub fn is_plain(&self) -> bool {
        self.sort.is_none() && self.find.trim().is_empty() && self.filters.is_empty()
    }

    fn conditions(&self, columns: &[Column]) -> Result<String> {
        let mut all: Vec<String> =
            self.filters.iter().map(|f| f.sql(column(columns, u64::from(f.col))?)).collect::<Result<_>>()?;
        let find = self.find.trim();
        if !find.is_empty() {
            let any: Vec<String> = columns.iter().map(|c| has(c, find)).collect();
            all.push(format!("({})", any.join(" OR ")));
        }
        Ok(if all.is_empty() { String::new() } else { format!(" WHERE {}", all.join(" AND ")) })
    }

    fn order(&self, columns: &[Column], row: &str) -> Result<String> {
        let Some(sort) = self.sort else { return Ok(format!(" ORDER BY {row}")) };
        let name = quoted(&column(columns, sort.unsigned_abs())?.name);
        let way = if sort < 0 { "DESC" } else { "ASC" };
        Ok(format!(" ORDER BY {name} {way} NULLS LAST, {row}"))
    }
}

impl Condition {
    fn sql(&self, column: &Column) -> Result<String> {
        let name = quoted(&column.name);
        let compare = |sign: &str| Ok(format!("{name} {sign} {}", literal(column, self.value.trim())?));
        match self.is {
            Comparison::Has => Ok(has(column, self.value.trim())),
            Comparison::Equal => compare("="),
            Comparison::Other => compare("<>"),
            Comparison::Least => compare(">="),
            Comparison::Most => compare("<="),
            Comparison::Empty => Ok(format!("{name} IS NULL")),
            Comparison::Filled => Ok(format!("{name} IS NOT NULL")),
        }
    }
}

fn column(columns: &[Column], col: u64) -> Result<&Column> {
    columns.iter().find(|c| u64::from(c.col) == col).ok_or_else(|| {
        Error::input(format!("the table has no column {col}")).hint("columns count from 1 in the source")
    })
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

fn has(column: &Column, value: &str) -> String {
    let name = quoted(&column.name);
    format!("strpos(lower(CAST({name} AS VARCHAR)), {}) > 0", text(&value.to_lowercase()))
}

/// A value as it is compared with what a column holds.
fn literal(column: &Column, value: &str) -> Result<String> {
    let wrong =
        |what: &str| Error::input(format!("`{value}` is not {what}, and `{}` holds such", column.name));
    match column.kind {
        Kind::Integer | Kind::Decimal => {
            let plain: String = value.chars().filter(|c| !matches!(c, ',' | ' ' | '_')).collect();
            let number: f64 = plain.parse().map_err(|_| wrong("a number"))?;
            if number.is_finite() { Ok(format!("{number}")) } else { Err(wrong("a number")) }
        }
        Kind::Date | Kind::DateTime => {
            let day: jiff::civil::Date =
                value.get(..10).unwrap_or(value).parse().map_err(|_| wrong("a date such as 2023-09-01"))?;
            Ok(format!("DATE '{day}'"))
        }
        Kind::Boolean => Ok(if value.eq_ignore_ascii_case("true") { "TRUE" } else { "FALSE" }.to_owned()),
        Kind::Text => Ok(text(value)),
    }
}

/// The statement that gives these rows, their number in the source first.
pub fn statement(stored: &StoredTable, wanted: &Selection, offset: u64, limit: usize) -> Result<String> {
    let columns = &stored.table.columns;
    let mut row = ROW_ID.to_owned();
    while columns.iter().any(|c| c.name == row) {
        row.push_str(" (source)");
    }
    let row = quoted(&row);
    let names: Vec<String> = columns.iter().map(|c| quoted(&c.name)).collect();
    let (conditions, order) = (wanted.conditions(columns)?, wanted.order(columns, &row)?);
    let from = quoted(&stored.name);
    Ok(format!(
        "SELECT {row}, {} FROM {from}{conditions}{order} LIMIT {limit} OFFSET {offset}",
        names.join(", ")
    ))
}

/// Some of the rows that are wanted, like [`rows`](super::rows), and how many there are in all. Totals are left out: sorted
/// among what they sum up, they would be taken for it.
pub fn selected(
    library: &Library,
    stored: &StoredTable,
    wanted: &Selection,
    offset: u64,
    limit: usize,
    stop: &Stop,
) -> Result<Value> {
    let conditions = wanted.conditions(&stored.table.columns)?;
    let count =
        library.sql_until(&format!("SELECT count(*) FROM {}{conditions}", quoted(&stored.name)), stop)?;
    let found: u64 = count.rows.first().and_then(|r| r.first()?.to_string().parse().ok()).unwrap_or(0);
    let total = if wanted.sort.is_some() { found.min(REACH) } else { found };
    let left = total.saturating_sub(offset).min(limit as u64) as usize;
    let mut rows = Vec::new();
    if left > 0 {
        let ran = library.sql_until(&statement(stored, wanted, offset, left)?, stop)?;
        for cells in &ran.rows {
            let Some((number, cells)) = cells.split_first() else { continue };
            let number: u64 = number.to_string().parse().unwrap_or(0);
            let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
            rows.push(json!({"row": number, "mark": "data", "cells": cells}));
        }
    }
    Ok(json!({"offset": offset, "total": total, "found": found, "rows": rows}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AddOptions, Config, Unwatched, open, view};

    const SALES: &str = "city,sold,day,row_id\nOslo,5,2023-01-02,a\nBergen,12,2023-02-02,b\n\"O'Hare \"\"x\"\"\",7,2023-03-02,c\nTurku,,2023-04-02,d\n";

    fn numbers(value: &Value) -> Vec<u64> {
        value["rows"].as_array().unwrap().iter().map(|r| r["row"].as_u64().unwrap()).collect()
    }

    #[test]
    fn rows_are_sorted_filtered_and_searched() {
        let dir = tempfile::tempdir().unwrap();
        let library = open(&Config::default(), &dir.path().join("l"), true).unwrap();
        let file = dir.path().join("sales.csv");
        std::fs::write(&file, SALES).unwrap();
        let options = AddOptions { no_embed: true, ..Default::default() };
        library.add(&[file], &options, &Unwatched).unwrap();
        let stored = view::table_named(&library, "sales").unwrap();
        let ask = |said: &str| {
            let wanted: Selection = serde_json::from_str(said).unwrap();
            selected(&library, &stored, &wanted, 0, 10, &Stop::new())
        };
        assert_eq!(numbers(&ask(r#"{"sort": 2}"#).unwrap()), [2, 4, 3, 5]);
        assert_eq!(numbers(&ask(r#"{"sort": -2}"#).unwrap()), [3, 4, 2, 5]);
        assert_eq!(numbers(&ask(r#"{"find": "O'HARE"}"#).unwrap()), [4]);
        assert_eq!(numbers(&ask(r#"{"find": "2023-02"}"#).unwrap()), [3]);
        assert_eq!(
            numbers(&ask(r#"{"filters": [{"col": 2, "is": "least", "value": "6"}]}"#).unwrap()),
            [3, 4]
        );
        assert_eq!(
            numbers(&ask(r#"{"filters": [{"col": 3, "is": "most", "value": "2023-02-02"}]}"#).unwrap()),
            [2, 3]
        );
        assert_eq!(numbers(&ask(r#"{"filters": [{"col": 2, "is": "empty"}]}"#).unwrap()), [5]);
        assert_eq!(ask(r#"{"find": "nowhere"}"#).unwrap()["total"], 0);
        for wrong in [r#"{"sort": 9}"#, r#"{"filters": [{"col": 2, "is": "least", "value": "many"}]}"#] {
            assert_eq!(ask(wrong).unwrap_err().fault(), crate::Fault::Input);
        }
    }
}
