//! Tables that go on over pages.

use super::table::{Cell, Sheet};

/// A table and the pages its parts stand on.
#[derive(Debug)]
pub(super) struct Joined {
    pub parts: Vec<(u32, Sheet)>,
}

impl Joined {
    pub(super) fn new(page: u32, sheet: Sheet) -> Self {
        Joined { parts: vec![(page, sheet)] }
    }

    /// Takes a part on the next page, or gives it back where it is a table of its own.
    pub(super) fn take(&mut self, page: u32, sheet: Sheet) -> Option<Sheet> {
        let (Some((_, first)), Some((last_page, last))) = (self.parts.first(), self.parts.last()) else {
            return Some(sheet);
        };
        if page != last_page + 1 || !same_columns(last, &sheet) {
            return Some(sheet);
        }
        let repeats = repeated(first, &sheet) > 0;
        if !repeats && (sheet.header.is_some_and(|h| h > 0) || !is_data(&sheet)) {
            return Some(sheet);
        }
        self.parts.push((page, sheet));
        None
    }
}

/// How many rows of the header are written again at the top of a part.
pub(super) fn repeated(first: &Sheet, part: &Sheet) -> usize {
    let row = |s: &Sheet, r: usize| -> Vec<(usize, String)> {
        let cells = s.cells.iter().filter(|c| c.row == r);
        cells.map(|c| (c.col, c.text.to_lowercase().replace(' ', ""))).collect()
    };
    let most = first.rows.len().min(part.rows.len()).min(6);
    let same =
        (0..most).take_while(|r| !row(first, *r).is_empty() && row(first, *r) == row(part, *r)).count();
    // A header's cells must lie in the repeated rows alone.
    let ends = |c: &Cell| c.row >= same || c.last_row < same;
    if part.cells.iter().all(ends) { same } else { 0 }
}

/// Whether a part begins with values, not with names.
fn is_data(sheet: &Sheet) -> bool {
    let first: Vec<&Cell> = sheet.cells.iter().filter(|c| c.row == 0 && c.col > 0).collect();
    !first.is_empty() && first.iter().any(|c| super::table::is_value(&c.text))
}

/// Whether the columns of two parts stand below each other.
fn same_columns(a: &Sheet, b: &Sheet) -> bool {
    let near = |(x, y): (&(f32, f32), &(f32, f32))| (x.0 - y.0).abs() < 14.0 && (x.1 - y.1).abs() < 14.0;
    a.direction == b.direction && a.cols.len() == b.cols.len() && a.cols.iter().zip(&b.cols).all(near)
}
