//! Puts a table together: types the columns, marks the rows, finds units.

use super::{derive, label, mark, name};
use crate::typing::{self, Raw, Typed};
use arrow_array::{Array, StringArray};
use tabletalk_core::{Batch, Cells, Column, Kind, Mark, Place, Placed, Rows, Table};

/// Rows in one batch of a table held in memory.
const BATCH_ROWS: usize = 65_536;

/// All of a table but its cells.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub place: Place,
    pub title: Option<Placed>,
    pub notes: Vec<Placed>,
    pub header: Vec<Placed>,
    pub header_rows: u32,
    /// Left out, the first column's type decides.
    pub row_headers: Option<u32>,
    /// One name a column, empty where the source gives none.
    pub names: Vec<String>,
    /// The source column of each column.
    pub cols: Vec<u32>,
    /// Which columns are hidden; empty when none is.
    pub hidden_cols: Vec<bool>,
    /// The source row of each row.
    pub rows: Vec<u64>,
    pub hidden_rows: Vec<usize>,
    /// Rows that are one merged or bold cell.
    pub banners: Vec<usize>,
    /// Rows that stand below an empty one.
    pub after_gap: Vec<usize>,
    /// The source separates cells by semicolons, which speaks for a comma before decimals.
    pub semicolons: bool,
}

impl Plan {
    /// The table, its cells given column by column.
    pub(super) fn build<'a>(mut self, fill: impl Fn(usize, &mut Vec<Raw<'a>>)) -> Table {
        name::unique(&mut self.names, &self.cols);
        let (mut columns, mut cells) =
            (Vec::with_capacity(self.cols.len()), Vec::with_capacity(self.cols.len()));
        let typed = typed(&self.names, self.semicolons, fill);
        let named = self.cols.iter().zip(std::mem::take(&mut self.names));
        for (i, ((col, name), typed)) in named.zip(typed).enumerate() {
            let hidden = self.hidden_cols.get(i).copied().unwrap_or(false);
            columns.push(Column { hidden, ..typed.shape.column(name, *col) });
            cells.push(typed.cells);
        }
        let row_headers = self.row_headers.unwrap_or_else(|| first_names_rows(&columns));
        let marks = mark::marks(&mark::Rows {
            columns: &columns,
            cells: &cells,
            len: self.rows.len(),
            hidden: &self.hidden_rows,
            banners: &self.banners,
            after_gap: &self.after_gap,
        });
        derive::columns(&mut columns, &cells, &marks);
        let rows = self.batches(cells, marks);
        Table {
            place: self.place,
            title: self.title,
            notes: self.notes,
            header: self.header,
            header_rows: self.header_rows,
            row_headers,
            context: String::new(),
            columns,
            layout: None,
            rows: Rows::Memory(rows),
        }
    }

    fn batches(&self, columns: Vec<Cells>, marks: Vec<Mark>) -> Vec<Batch> {
        let len = self.rows.len();
        if len <= BATCH_ROWS {
            return if len == 0 {
                Vec::new()
            } else {
                vec![Batch { rows: self.rows.clone(), bytes: Vec::new(), marks, columns }]
            };
        }
        let slice = |from: usize| {
            let n = BATCH_ROWS.min(len - from);
            let cut = |c: &Cells| Cells {
                value: c.value.slice(from, n),
                text: c.text.as_ref().map(|t| t.slice(from, n)),
            };
            Batch {
                rows: self.rows.get(from..from + n).unwrap_or_default().to_vec(),
                bytes: Vec::new(),
                marks: marks.get(from..from + n).unwrap_or_default().to_vec(),
                columns: columns.iter().map(cut).collect(),
            }
        };
        (0..len).step_by(BATCH_ROWS).map(slice).collect()
    }
}

/// The typed columns. A label such as `Total` in a column of numbers does not make it one of texts.
fn typed<'a>(names: &[String], semicolons: bool, fill: impl Fn(usize, &mut Vec<Raw<'a>>)) -> Vec<Typed> {
    let mut typed = typing::table(names, semicolons, &fill);
    let mut raws: Vec<Raw<'a>> = Vec::new();
    for (i, found) in typed.iter_mut().enumerate().filter(|(_, t)| t.shape.kind == Kind::Text) {
        raws.clear();
        fill(i, &mut raws);
        if let Some(without) = without_labels(names, i, semicolons, &mut raws) {
            *found = without;
        }
    }
    typed
}

/// A column of texts typed again without the labels in it, where that makes it another.
fn without_labels(names: &[String], i: usize, semicolons: bool, raws: &mut [Raw<'_>]) -> Option<Typed> {
    let first = raws.iter().find(|r| !r.text.trim().is_empty())?;
    if first.value.is_none() && !first.text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let is_label = |r: &Raw<'_>| r.value.is_none() && label::way(r.text).is_some();
    let labels: Vec<(usize, &str)> =
        raws.iter().enumerate().filter(|(_, r)| is_label(r)).map(|(i, r)| (i, r.text)).collect();
    if labels.is_empty() {
        return None;
    }
    for (at, _) in &labels {
        if let Some(raw) = raws.get_mut(*at) {
            *raw = Raw::default();
        }
    }
    let name = names.get(i)?;
    let found = typing::table(std::slice::from_ref(name), semicolons, |_, all| all.extend_from_slice(raws)).pop()?;
    let is_text = found.shape.kind == Kind::Text;
    (!is_text).then(|| Typed { cells: with_strays(found.cells, &labels), shape: found.shape })
}

/// The cells with these texts beside, which are not of the column's type.
fn with_strays(cells: Cells, strays: &[(usize, &str)]) -> Cells {
    let mut texts: Vec<Option<&str>> = match &cells.text {
        Some(text) => text.iter().collect(),
        None => vec![None; cells.value.len()],
    };
    for (i, text) in strays {
        if let Some(slot) = texts.get_mut(*i) {
            *slot = Some(text);
        }
    }
    let text = Some(StringArray::from(texts));
    Cells { text, ..cells }
}

/// Whether, going by its type, the first column names the rows.
fn first_names_rows(columns: &[Column]) -> u32 {
    match columns {
        [first, _, ..] if !matches!(first.kind, Kind::Decimal | Kind::Boolean) => 1,
        _ => 0,
    }
}
