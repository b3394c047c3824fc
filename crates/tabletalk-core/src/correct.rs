//! What a user says of a table that was understood otherwise.
//!
//! These are the words alone. What they say is done where cells are read, in `tabletalk_read::correct`.

use crate::value::Style;
use crate::{Column, Error, Kind, Mark, Result, Table};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The most rows a header can be said to have.
pub const MAX_HEADER_ROWS: u32 = 20;

/// What a user says of a table that was understood otherwise. What is left out stays as it was understood.
///
/// ```
/// use tabletalk_core::{Correction, Kind};
/// let said = r#"{"header_rows": 2, "columns": [{"col": 3, "kind": "decimal", "unit": "kg"}]}"#;
/// let correction: Correction = serde_json::from_str(said)?;
/// assert_eq!(correction.columns[0].kind, Some(Kind::Decimal));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Correction {
    /// How many rows name the columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header_rows: Option<u32>,
    /// The row of the source, from 1, that the header begins in. What stands above it are notes. Where
    /// `header_rows` is left out, the header has one row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header_row: Option<u64>,
    /// The last row of the source, from 1, that belongs to the table. What stands below it counts as no data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_row: Option<u64>,
    /// The title; an empty one takes the title away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How its numbers are written: 1234.56 as the table would write it, such as `1.234,56`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// What is said of columns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnCorrection>,
    /// What is said of rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<RowCorrection>,
}

/// What a user says of a column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnCorrection {
    /// The column number in the source, from 1.
    pub col: u32,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// The type its cells are read as.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<Kind>,
    /// The unit its values are in; an empty one takes the unit away.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unit: Option<String>,
    /// How its numbers are written, where that differs from the rest of the table.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub style: Option<Style>,
}

/// What a user says of a row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowCorrection {
    /// The row number in the source, from 1. A row that the table does not have is passed over.
    pub row: u64,
    /// What kind of row it is.
    pub mark: Mark,
}

impl Correction {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        let says_nothing = |c: &ColumnCorrection| {
            c.name.is_none() && c.kind.is_none() && c.unit.is_none() && c.style.is_none()
        };
        self.header_rows.is_none()
            && self.header_row.is_none()
            && self.last_row.is_none()
            && self.title.is_none()
            && self.style.is_none()
            && self.columns.iter().all(says_nothing)
            && self.rows.is_empty()
    }

    /// Whether it can be applied to a table, as far as that shows without reading the rows: its columns are
    /// there, the names it gives are unique, and nothing is said twice.
    pub fn check(&self, table: &Table) -> Result<()> {
        if let Some(rows) = self.header_rows.filter(|rows| *rows > MAX_HEADER_ROWS) {
            return Err(Error::input(format!("a header cannot have {rows} rows"))
                .hint(format!("it has {MAX_HEADER_ROWS} at most: count the rows that name the columns")));
        }
        if self.header_row == Some(0) {
            return Err(Error::input("the header cannot begin in row 0").hint("rows count from 1"));
        }
        if let (Some(first), Some(last)) = (self.header_row, self.last_row)
            && last <= first
        {
            return Err(Error::input(format!("the table cannot end in row {last} and begin in row {first}"))
                .hint("the last row stands below the header"));
        }
        once("column", self.columns.iter().map(|c| u64::from(c.col)))?;
        once("row", self.rows.iter().map(|r| r.row))?;
        self.check_columns(&table.columns)?;
        self.check_names(table)
    }

    fn check_columns(&self, columns: &[Column]) -> Result<()> {
        let known: HashSet<u32> = columns.iter().map(|c| c.col).collect();
        let Some(unknown) = self.columns.iter().find(|c| !known.contains(&c.col)) else {
            return Ok(());
        };
        let error = Error::input(format!("there is no column {}", unknown.col));
        Err(match (known.iter().min(), known.iter().max()) {
            (Some(first), Some(last)) => {
                error.hint(format!("columns count from 1 in the source; this table's are {first} to {last}"))
            }
            _ => error.hint("the table has no columns"),
        })
    }

    fn check_names(&self, table: &Table) -> Result<()> {
        let mut names: HashSet<String> = HashSet::new();
        if self.header_row.is_none() && self.header_rows.is_none_or(|rows| rows == table.header_rows) {
            let renamed = self.columns.iter().filter(|c| c.name.is_some()).map(|c| c.col);
            let renamed: HashSet<u32> = renamed.collect();
            let kept = table.columns.iter().filter(|c| !renamed.contains(&c.col));
            names.extend(kept.map(|c| c.name.to_lowercase()));
        }
        for (col, name) in self.columns.iter().filter_map(|c| Some((c.col, c.name.as_deref()?.trim()))) {
            if name.is_empty() {
                return Err(Error::input(format!("the name of column {col} is empty"))
                    .hint("leave the name out to keep the one it has"));
            }
            if !names.insert(name.to_lowercase()) {
                return Err(Error::input(format!("two columns would be named `{name}`"))
                    .hint("give one of them another name; case makes no difference"));
            }
        }
        Ok(())
    }
}

/// Whether no number comes twice.
fn once(what: &str, mut numbers: impl Iterator<Item = u64>) -> Result<()> {
    let mut seen = HashSet::new();
    match numbers.find(|n| !seen.insert(*n)) {
        Some(twice) => Err(Error::input(format!("{what} {twice} is corrected twice"))
            .hint("say everything about it in one place")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let columns = vec![Column::new("City", Kind::Text, 2), Column::new("Sold", Kind::Integer, 4)];
        Table { columns, header_rows: 1, ..Table::default() }
    }

    fn check(said: &str) -> Result<()> {
        serde_json::from_str::<Correction>(said)?.check(&table())
    }

    #[test]
    fn nothing_is_a_correction_and_says_nothing() {
        let empty: Correction = serde_json::from_str("{}").unwrap();
        assert!(empty.is_empty() && empty == Correction::default());
        assert_eq!(serde_json::to_string(&empty).unwrap(), "{}");
        let bare: Correction = serde_json::from_str(r#"{"columns": [{"col": 2}]}"#).unwrap();
        assert!(bare.is_empty());
        let title: Correction = serde_json::from_str(r#"{"title": ""}"#).unwrap();
        assert!(!title.is_empty());
    }

    #[test]
    fn reads_back_what_it_writes_and_refuses_what_it_does_not_know() {
        let said = r#"{"header_rows":2,"header_row":5,"title":"Sales","style":"1.234,56","columns":[{"col":4,"name":"sold","kind":"datetime","unit":"","style":"1'234.56"}],"rows":[{"row":9,"mark":"subtotal"}]}"#;
        let correction: Correction = serde_json::from_str(said).unwrap();
        assert_eq!(serde_json::to_string(&correction).unwrap(), said);
        for wrong in [
            r#"{"head": 1}"#,
            r#"{"columns": [{"col": 1, "type": "text"}]}"#,
            r#"{"rows": [{}]}"#,
            r#"{"style": "german"}"#,
        ] {
            assert!(serde_json::from_str::<Correction>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn takes_what_fits_the_table() {
        for said in [
            "{}",
            r#"{"header_rows": 20}"#,
            r#"{"columns": [{"col": 2, "name": "Sold"}, {"col": 4, "name": "City"}]}"#,
            // Where the header changes, the other names are made anew and give way.
            r#"{"header_rows": 0, "columns": [{"col": 2, "name": "sold"}]}"#,
        ] {
            assert!(check(said).is_ok(), "{said}");
        }
    }

    #[test]
    fn says_what_does_not_fit_and_what_to_do() {
        for (said, message) in [
            (r#"{"header_rows": 21}"#, "a header cannot have 21 rows"),
            (r#"{"header_row": 5, "last_row": 5}"#, "the table cannot end in row 5 and begin in row 5"),
            (r#"{"header_row": 0}"#, "the header cannot begin in row 0"),
            (r#"{"columns": [{"col": 3}]}"#, "there is no column 3"),
            (r#"{"columns": [{"col": 2, "name": " "}]}"#, "the name of column 2 is empty"),
            (r#"{"columns": [{"col": 2, "name": "sold "}]}"#, "two columns would be named `sold`"),
            (r#"{"columns": [{"col": 2}, {"col": 2}]}"#, "column 2 is corrected twice"),
            (
                r#"{"rows": [{"row": 5, "mark": "total"}, {"row": 5, "mark": "data"}]}"#,
                "row 5 is corrected twice",
            ),
        ] {
            let error = check(said).unwrap_err();
            assert_eq!((error.fault(), error.message()), (crate::Fault::Input, message));
            assert!(error.cure().is_some(), "{said}");
        }
    }
}
