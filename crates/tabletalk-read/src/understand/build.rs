//! Puts a table together: types the columns, marks the rows, finds units.

use super::{derive, mark, name};
use crate::typing::{self, Raw};
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
    /// The source separates cells by semicolons, which speaks for a comma before decimals.
    pub semicolons: bool,
    /// Rows that stand below an empty one.
    pub after_gap: Vec<usize>,
}

impl Plan {
    /// The table, its cells given column by column.
    pub(super) fn build<'a>(mut self, fill: impl Fn(usize, &mut Vec<Raw<'a>>)) -> Table {
        name::unique(&mut self.names, &self.cols);
        let (mut columns, mut cells) =
            (Vec::with_capacity(self.cols.len()), Vec::with_capacity(self.cols.len()));
        let typed = typing::table(&self.names, self.semicolons, fill);
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
            home: None,
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

/// Whether, going by its type, the first column names the rows.
fn first_names_rows(columns: &[Column]) -> u32 {
    match columns {
        [first, _, ..] if !matches!(first.kind, Kind::Decimal | Kind::Boolean) => 1,
        _ => 0,
    }
}
