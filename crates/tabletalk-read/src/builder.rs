//! Builds a table of cells that may reach over several rows and columns, as pages, office documents and PDF files have
//! them.

use crate::grid::{Grid, Rect};
use crate::understand;
use std::collections::HashMap;
use tabletalk_core::seam::Limits;
use tabletalk_core::table::Layout;
use tabletalk_core::{Error, Place, Placed, Result, Table};

/// No cell reaches over more columns, or rows, than in the standard of HTML: what is said to is an error of its writer.
pub(crate) const MAX_COLSPAN: u32 = 1000;
const MAX_ROWSPAN: u32 = 65_534;

/// A cell, counted from 1.
#[derive(Debug, Clone, Default)]
pub(crate) struct SpanCell {
    pub(crate) row: u32,
    pub(crate) col: u32,
    /// How many rows it reaches over.
    pub(crate) down: u32,
    /// How many columns it reaches over.
    pub(crate) right: u32,
    pub(crate) text: String,
    pub(crate) bold: bool,
}

/// A table that is being read.
#[derive(Debug, Default)]
pub(crate) struct TableBuilder {
    cells: Vec<SpanCell>,
    /// The last cell that begins at each column.
    last: HashMap<u32, usize>,
    hidden_rows: Vec<u32>,
    /// How many rows are header, where the source says so.
    pub(crate) header: Option<usize>,
    /// Its name, where the source gives one.
    pub(crate) title: String,
    /// Where rows and columns stand, where that is known. Spans are noted in it.
    pub(crate) layout: Option<Layout>,
}

impl TableBuilder {
    /// One of an office document, whose first rows are marked as header.
    pub(crate) fn new(header: usize) -> Self {
        TableBuilder { header: Some(header), layout: Some(Layout::default()), ..TableBuilder::default() }
    }
    /// Adds a cell.
    pub(crate) fn push(&mut self, mut cell: SpanCell) {
        (cell.down, cell.right) = (cell.down.clamp(1, MAX_ROWSPAN), cell.right.clamp(1, MAX_COLSPAN));
        self.last.insert(cell.col, self.cells.len());
        self.cells.push(cell);
    }
    /// Makes the cell that covers a place reach down over a row.
    pub(crate) fn extend_down(&mut self, row: u32, col: u32) {
        if let Some(cell) = self.last.get(&col).and_then(|at| self.cells.get_mut(*at))
            && cell.row + cell.down == row
        {
            cell.down = (cell.down + 1).min(MAX_ROWSPAN);
        }
    }
    /// Makes the last cell of a row reach one column further.
    pub(crate) fn extend_right(&mut self, row: u32, col: u32) {
        if let Some(cell) = self.cells.last_mut()
            && cell.row == row
            && cell.col + cell.right == col
        {
            cell.right = (cell.right + 1).min(MAX_COLSPAN);
        }
    }
    /// Says that a row is not shown.
    pub(crate) fn hide_row(&mut self, row: u32) {
        self.hidden_rows.push(row);
    }
    /// How many cells there are.
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }
    /// Whether no cell has a text.
    pub(crate) fn is_blank(&self) -> bool {
        self.cells.iter().all(|s| s.text.trim().is_empty())
    }
    /// Takes as header also the rows that its cells reach down to. A table is not all header.
    pub(crate) fn extend_header(&mut self) {
        let rows = self.cells.iter().map(|s| s.row).max().unwrap_or(0) as usize;
        self.header = self.header.filter(|marked| *marked > 0).and_then(|marked| {
            let first = self.cells.iter().filter(|s| s.row as usize <= marked && !s.text.trim().is_empty());
            let reach = first.map(|s| (s.row + s.down - 1) as usize).max().unwrap_or(marked).max(marked);
            (reach < rows).then_some(reach)
        });
    }
    pub(crate) fn build(mut self, place: &Place, limits: &Limits) -> Result<Table> {
        let (mut grid, mut merges) = (Grid::new(), Vec::new());
        self.cells.sort_by_key(|s| (s.row, s.col));
        for cell in &self.cells {
            let (bottom, right) = (cell.row + cell.down - 1, cell.col + cell.right - 1);
            check_columns(right, limits)?;
            grid.push(cell.row, cell.col, &cell.text, None, cell.bold);
            if (cell.down, cell.right) != (1, 1) {
                merges.push(Rect::new(cell.row, cell.col, bottom, right));
            }
        }
        if grid.len() as u64 > limits.max_cells {
            let most = limits.max_cells;
            return Err(
                Error::limit(format!("has a table of more than {most} cells")).hint("raise max_cells")
            );
        }
        self.hidden_rows.iter().for_each(|row| grid.hide_row(*row));
        let spans = merges.iter().map(|m| [m.top, m.left, m.bottom, m.right]).collect();
        grid.finish(merges);
        let mut table = understand::of_grid(&grid, place, self.header);
        if !self.title.is_empty() {
            // What would have been the title stands in the table and must not be lost.
            table.notes.extend(table.title.take());
            table.title = Some(Placed { text: self.title, place: place.clone() });
        }
        let layout = self.layout.map(|layout| Layout { spans, ..layout });
        table.layout = layout.filter(|layout| *layout != Layout::default());
        Ok(table)
    }
}

/// Refuses a table that reaches to a column past the limit.
pub(crate) fn check_columns(right: u32, limits: &Limits) -> Result<()> {
    let most = limits.max_columns;
    match right > most {
        true => {
            Err(Error::limit(format!("has a table of more than {most} columns")).hint("raise max_columns"))
        }
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_reaches_as_far_as_its_cells() {
        let mut builder = TableBuilder::new(1);
        let cell = |row, col, text: &str| SpanCell { row, col, text: text.into(), ..SpanCell::default() };
        builder.push(SpanCell { down: 2, ..cell(1, 1, "City") });
        builder.push(SpanCell { right: 2, ..cell(1, 2, "2023") });
        for (row, col, text) in [(2, 2, "Q1"), (2, 3, "Q2"), (3, 1, "Oslo"), (3, 2, "1"), (3, 3, "2")] {
            builder.push(cell(row, col, text));
        }
        builder.extend_header();
        let table = builder.build(&Place::file("a"), &Limits::default()).unwrap();
        let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["City", "2023 / Q1", "2023 / Q2"]);
        assert_eq!(table.layout.unwrap().spans, [[1, 1, 2, 1], [1, 2, 1, 3]]);
    }
}
