//! Tables of RTF: rows whose cells are told by where they end.

use crate::builder::{SpanCell, TableBuilder};

/// Edges that are this near to each other, in twentieths of a point, are one.
const SNAP: i32 = 40;
/// No row has more cells.
const MAX_CELLS: usize = 4096;

/// How a cell is described before its row.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Def {
    /// Its right edge.
    pub(super) edge: i32,
    /// Goes on from the cell to its left.
    pub(super) from_left: bool,
    /// Goes on from the cell above.
    pub(super) from_above: bool,
}

#[derive(Debug, Default)]
struct Row {
    cells: Vec<String>,
    defs: Vec<Def>,
    left: i32,
    is_header: bool,
}

/// A table that is being read.
#[derive(Debug, Default)]
pub(super) struct Rows {
    rows: Vec<Row>,
    cells: Vec<String>,
    defs: Vec<Def>,
    /// What is said of the next cell before its edge.
    next: Def,
    left: i32,
    is_header: bool,
    /// How many cells there are in all.
    pub(super) count: u64,
}

impl Rows {
    /// Whether there are cells.
    pub(super) fn is_open(&self) -> bool {
        !self.rows.is_empty() || !self.cells.is_empty()
    }
    /// The description of a row begins.
    pub(super) fn define(&mut self) {
        (self.defs, self.next, self.left, self.is_header) = (Vec::new(), Def::default(), 0, false);
    }
    /// A word of the description of a row.
    pub(super) fn word(&mut self, word: &str, number: Option<i32>) {
        match word {
            "clmrg" => self.next.from_left = true,
            "clvmrg" => self.next.from_above = true,
            "trleft" => self.left = number.unwrap_or(0),
            "trhdr" => self.is_header = true,
            "cellx" if self.defs.len() < MAX_CELLS => {
                self.next.edge = number.unwrap_or(0);
                self.defs.push(std::mem::take(&mut self.next));
            }
            _ => {}
        }
    }
    /// A cell ends.
    pub(super) fn cell(&mut self, text: String) {
        if self.cells.len() < MAX_CELLS {
            self.cells.push(text);
            self.count += 1;
        }
    }
    /// A row ends.
    pub(super) fn row(&mut self) {
        let cells = std::mem::take(&mut self.cells);
        if !cells.is_empty() {
            let (defs, left, is_header) = (self.defs.clone(), self.left, self.is_header);
            self.rows.push(Row { cells, defs, left, is_header });
        }
    }
    /// The table.
    pub(super) fn builder(mut self) -> TableBuilder {
        self.row();
        let edges = edges(&self.rows);
        let mut builder = TableBuilder::new(self.rows.iter().take_while(|r| r.is_header).count());
        for (at, row) in (1..).zip(self.rows) {
            let mut col = column(&edges, row.left);
            for (i, text) in row.cells.into_iter().enumerate() {
                let def = row.defs.get(i).copied();
                let end = def.map_or(col + 1, |d| column(&edges, d.edge)).max(col + 1);
                let (from_left, from_above) = def.map_or((false, false), |d| (d.from_left, d.from_above));
                if from_above && text.trim().is_empty() && at > 1 {
                    builder.extend_down(at, col);
                } else if from_left && text.trim().is_empty() {
                    (col..end).for_each(|c| builder.extend_right(at, c));
                } else {
                    builder.push(SpanCell { row: at, col, down: 1, right: end - col, text, bold: false });
                }
                col = end;
            }
        }
        builder
    }
}

/// All edges of cells from left to right, near ones as one.
fn edges(rows: &[Row]) -> Vec<i32> {
    let mut edges: Vec<i32> =
        rows.iter().flat_map(|r| r.defs.iter().map(|d| d.edge).chain([r.left])).collect();
    edges.sort_unstable();
    edges.dedup_by(|b, a| b.saturating_sub(*a) < SNAP);
    edges
}

/// The column, from 1, that begins at an edge.
fn column(edges: &[i32], edge: i32) -> u32 {
    edges.partition_point(|e| e.saturating_add(SNAP) <= edge) as u32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::{Place, seam::Limits};

    #[test]
    fn cells_reach_over_the_columns_between_their_edges() {
        let mut rows = Rows::default();
        for (defs, cells) in [
            (&[(1000, ""), (3000, "")][..], &["City", "2023"][..]),
            (&[(1000, "clvmrg"), (2000, ""), (3010, "")], &["", "Q1", "Q2"]),
            (&[(1005, ""), (2000, ""), (3000, "")], &["Oslo", "1", "2"]),
        ] {
            rows.define();
            for (edge, word) in defs {
                rows.word(word, None);
                rows.word("cellx", Some(*edge));
            }
            cells.iter().for_each(|c| rows.cell((*c).to_owned()));
            rows.row();
        }
        let table = rows.builder().build(&Place::file("a"), &Limits::default()).unwrap();
        assert_eq!(table.layout.unwrap().spans, [[1, 1, 2, 1], [1, 2, 1, 3]]);
    }
}
