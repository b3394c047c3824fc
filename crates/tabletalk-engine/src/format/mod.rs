//! A part of a table as text, within a budget of tokens.
//!
//! The header is always there and rows have their numbers. What does not fit is left out from the end, and the
//! text says how much is shown of how much there is. Long cells are cut before rows are given up, and names of
//! columns only when not even they fit; what was cut ends in `…`.

mod schema;
mod sheet;
mod write;

pub use schema::schema;

use crate::excerpt::Excerpt;
use serde::{Deserialize, Serialize};
use sheet::Sheet;
use tabletalk_core::{Error, Result};

/// Characters a cell may have: first all of them, then fewer.
const CELL: [usize; 4] = [usize::MAX, 400, 100, 25];
/// Characters the name of a column may have when rows do not fit at all.
const NAME: [usize; 7] = [usize::MAX, 48, 24, 12, 6, 3, 1];
/// Rows that are tried once more as a whole, because a whole table needs no remark.
const ALMOST: usize = 8;

/// How a table is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Lines, with a bar between cells.
    #[serde(alias = "string")]
    Plain,
    /// A Markdown table.
    #[default]
    Markdown,
    /// An HTML table.
    Html,
    /// A JSON object with the names of the columns and an array for each row.
    Json,
    /// Comma-separated values; remarks stand on lines that begin with `#`.
    Csv,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 5] = [Format::Plain, Format::Markdown, Format::Html, Format::Json, Format::Csv];

    /// The name in configuration and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Plain => "plain",
            Format::Markdown => "markdown",
            Format::Html => "html",
            Format::Json => "json",
            Format::Csv => "csv",
        }
    }
}

/// How many tokens a text has, as the model it is for counts.
pub type Count<'a> = &'a dyn Fn(&str) -> usize;

/// A table, or the description of one, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Formatted {
    /// The text.
    pub text: String,
    /// How many tokens it has.
    pub tokens: usize,
    /// How many rows of the excerpt are in it.
    pub rows: usize,
    /// Whether all that was to be shown is there, nothing left out and nothing cut.
    pub complete: bool,
}

/// Writes an excerpt in at most `budget` tokens. Fails with a limit error when not even the header fits.
pub fn table(excerpt: &Excerpt, format: Format, budget: usize, count: Count<'_>) -> Result<Formatted> {
    let fitting = Fitting { budget, count };
    for cell in CELL {
        let mut sheet = Sheet::new(excerpt, format, cell, usize::MAX);
        fitting.caption(&mut sheet);
        let rows = fitting.rows(&mut sheet);
        let is_enough = |n: usize| n == excerpt.rows.len() || (cell != usize::MAX && n > 0);
        if let Some(n) = rows.filter(|n| is_enough(*n)) {
            let complete = n == excerpt.rows.len() && cell == usize::MAX;
            return Ok(fitting.formatted(&mut sheet, n, complete));
        }
    }
    for name in NAME {
        let mut sheet = Sheet::new(excerpt, format, 0, name);
        fitting.caption(&mut sheet);
        if fitting.fits(&sheet.text(0)) {
            return Ok(fitting.formatted(&mut sheet, 0, false));
        }
    }
    Err(too_small(excerpt, budget))
}

fn too_small(excerpt: &Excerpt, budget: usize) -> Error {
    let columns = excerpt.columns.len();
    Error::limit(format!(
        "the names of the {columns} columns of `{}` do not fit into {budget} tokens",
        excerpt.relation
    ))
    .hint("choose fewer columns, or a model with a larger context")
}

/// A budget, and how it is counted.
struct Fitting<'a> {
    budget: usize,
    count: Count<'a>,
}

impl Fitting<'_> {
    fn fits(&self, text: &str) -> bool {
        (self.count)(text) <= self.budget
    }

    /// The fullest caption that leaves half of the budget to the rows.
    fn caption(&self, sheet: &mut Sheet<'_>) {
        let room = if sheet.len() == 0 { self.budget } else { self.budget / 2 };
        while sheet.has_caption() && (self.count)(&sheet.text(0)) > room {
            sheet.shorten_caption();
        }
    }

    /// How many rows fit, from the first on; `None` when not even the header does.
    fn rows(&self, sheet: &mut Sheet<'_>) -> Option<usize> {
        let all = sheet.len();
        let mut fits = |n: usize| self.fits(&sheet.text(n));
        if !fits(0) {
            return None;
        }
        // In growing steps, so that little is written in vain when a table is much too large.
        let (mut low, mut step) = (0, 1);
        while low < all && fits((low + step).min(all)) {
            low = (low + step).min(all);
            step *= 2;
        }
        let mut high = (low + step).min(all);
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            match fits(middle) {
                true => low = middle,
                false => high = middle,
            }
        }
        let almost = low < all && all - low <= ALMOST;
        Some(if almost && fits(all) { all } else { low })
    }

    fn formatted(&self, sheet: &mut Sheet<'_>, rows: usize, complete: bool) -> Formatted {
        let text = sheet.text(rows);
        Formatted { tokens: (self.count)(&text), text, rows, complete }
    }
}

/// A number with commas between thousands.
pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text
}

/// The first characters of a text, ending in `…` when there are more.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) if most == 0 => String::new(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests;
