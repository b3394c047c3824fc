//! A table of a document as it is written: cells that may reach over several rows and columns.

use crate::grid::{Grid, Rect};
use crate::understand;
use std::collections::HashMap;
use tabletalk_core::seam::Limits;
use tabletalk_core::table::Layout;
use tabletalk_core::{Error, Place, Placed, Result, Table};

/// No cell reaches over more rows or columns than this: what is said to is an error of its writer.
const MAX_SPAN: u32 = 1000;

/// A cell, counted from 1.
#[derive(Debug, Clone, Default)]
pub(super) struct Spot {
    pub(super) row: u32,
    pub(super) col: u32,
    /// How many rows it reaches over.
    pub(super) down: u32,
    /// How many columns it reaches over.
    pub(super) right: u32,
    pub(super) text: String,
    pub(super) bold: bool,
}

/// The cells of a table.
#[derive(Debug, Default)]
pub(super) struct Board {
    spots: Vec<Spot>,
    /// The last cell that begins at each column.
    last: HashMap<u32, usize>,
    /// How many of the first rows the source marks as header.
    header: Option<usize>,
    /// Its name, where the source gives one.
    pub(super) title: String,
    /// Where rows and columns stand, where that is known.
    pub(super) layout: Option<Layout>,
}

impl Board {
    /// An empty one whose first rows are marked as header.
    pub(super) fn new(header: usize) -> Self {
        Board { header: Some(header), ..Board::default() }
    }
    /// Adds a cell.
    pub(super) fn push(&mut self, mut spot: Spot) {
        (spot.down, spot.right) = (spot.down.clamp(1, MAX_SPAN), spot.right.clamp(1, MAX_SPAN));
        self.last.insert(spot.col, self.spots.len());
        self.spots.push(spot);
    }
    /// Makes the cell that covers a place reach down over a row.
    pub(super) fn extend_down(&mut self, row: u32, col: u32) {
        if let Some(spot) = self.last.get(&col).and_then(|at| self.spots.get_mut(*at))
            && spot.row + spot.down == row
        {
            spot.down = (spot.down + 1).min(MAX_SPAN);
        }
    }
    /// Makes the last cell of a row reach one column further.
    pub(super) fn extend_right(&mut self, row: u32, col: u32) {
        if let Some(spot) = self.spots.last_mut()
            && spot.row == row
            && spot.col + spot.right == col
        {
            spot.right = (spot.right + 1).min(MAX_SPAN);
        }
    }
    /// How many cells there are.
    pub(super) fn len(&self) -> usize {
        self.spots.len()
    }
    /// Whether no cell has a text.
    pub(super) fn is_blank(&self) -> bool {
        self.spots.iter().all(|s| s.text.trim().is_empty())
    }
    /// The rows that are marked as header, with those that their cells reach down to.
    fn header_rows(&self) -> Option<usize> {
        let rows = self.spots.iter().map(|s| s.row).max().unwrap_or(0) as usize;
        let marked = self.header.filter(|n| *n > 0)?;
        let first = self.spots.iter().filter(|s| s.row as usize <= marked && !s.text.trim().is_empty());
        let reach = first.map(|s| (s.row + s.down - 1) as usize).max().unwrap_or(marked).max(marked);
        (reach < rows).then_some(reach)
    }
    pub(super) fn table(mut self, place: &Place, limits: &Limits) -> Result<Table> {
        let header = self.header_rows();
        let (mut grid, mut merges) = (Grid::new(), Vec::new());
        self.spots.sort_by_key(|s| (s.row, s.col));
        for spot in &self.spots {
            let (bottom, right) = (spot.row + spot.down - 1, spot.col + spot.right - 1);
            if right > limits.max_columns {
                let most = limits.max_columns;
                return Err(Error::limit(format!("has a table of more than {most} columns"))
                    .hint("raise max_columns"));
            }
            grid.push(spot.row, spot.col, &spot.text, None, spot.bold);
            if (spot.down, spot.right) != (1, 1) {
                merges.push(Rect::new(spot.row, spot.col, bottom, right));
            }
        }
        grid.finish(merges.clone());
        let mut table = understand::of_grid(&grid, place, header);
        if !self.title.is_empty() {
            // What would have been the title stands in the table and must not be lost.
            table.notes.extend(table.title.take());
            table.title = Some(Placed { text: self.title, place: place.clone() });
        }
        let mut layout = self.layout.unwrap_or_default();
        layout.spans = merges.iter().map(|m| [m.top, m.left, m.bottom, m.right]).collect();
        table.layout = (layout != Layout::default()).then_some(layout);
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_reaches_as_far_as_its_cells() {
        let mut board = Board::new(1);
        let spot = |row, col, text: &str| Spot { row, col, text: text.into(), ..Spot::default() };
        board.push(Spot { down: 2, ..spot(1, 1, "City") });
        board.push(Spot { right: 2, ..spot(1, 2, "2023") });
        for (row, col, text) in [(2, 2, "Q1"), (2, 3, "Q2"), (3, 1, "Oslo"), (3, 2, "1"), (3, 3, "2")] {
            board.push(spot(row, col, text));
        }
        let table = board.table(&Place::file("a"), &Limits::default()).unwrap();
        let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["City", "2023 / Q1", "2023 / Q2"]);
        assert_eq!(table.layout.unwrap().spans, [[1, 1, 2, 1], [1, 2, 1, 3]]);
    }
}
