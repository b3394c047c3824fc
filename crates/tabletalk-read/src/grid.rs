//! A sheet as it stands in its source: cells with addresses, merged ranges, what is hidden.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use tabletalk_core::value::Value;

/// Merged ranges are indexed by row; past this many entries the rest are left unfilled, so that a hostile
/// sheet with thousands of full-height ranges cannot take the memory.
const MAX_MERGE_ENTRIES: usize = 4_000_000;

/// A rectangle of cells; rows and columns count from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    /// First row.
    pub top: u32,
    /// First column.
    pub left: u32,
    /// Last row.
    pub bottom: u32,
    /// Last column.
    pub right: u32,
}

impl Rect {
    /// The rectangle between two corners.
    pub fn new(top: u32, left: u32, bottom: u32, right: u32) -> Self {
        Rect { top, left, bottom, right }
    }
    /// The same rectangle, given with rows and columns that count from 0.
    pub fn from_zero(self) -> Self {
        let up = |n: u32| n.saturating_add(1);
        Rect::new(up(self.top), up(self.left), up(self.bottom), up(self.right))
    }
    /// How many rows it has.
    pub fn height(&self) -> u32 {
        self.bottom - self.top + 1
    }
    /// How many columns it has.
    pub fn width(&self) -> u32 {
        self.right - self.left + 1
    }
    /// Its rows, as a place counts them.
    pub fn rows(&self) -> RangeInclusive<u64> {
        u64::from(self.top)..=u64::from(self.bottom)
    }
    /// Its columns.
    pub fn cols(&self) -> RangeInclusive<u32> {
        self.left..=self.right
    }
    /// Whether a cell lies in it.
    pub fn contains(&self, row: u32, col: u32) -> bool {
        (self.top..=self.bottom).contains(&row) && (self.left..=self.right).contains(&col)
    }
    /// What two rectangles have in common.
    pub fn common(&self, other: &Rect) -> Option<Rect> {
        let r = Rect {
            top: self.top.max(other.top),
            left: self.left.max(other.left),
            bottom: self.bottom.min(other.bottom),
            right: self.right.min(other.right),
        };
        (r.top <= r.bottom && r.left <= r.right).then_some(r)
    }
}

/// A cell that is not empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell<'a> {
    /// What is written.
    pub text: &'a str,
    /// The value, where the format itself says what it is.
    pub value: Option<Value>,
    /// Written in bold.
    pub bold: bool,
}

/// Where a cell's text stands in the arena. The bold flag shares a word with the length: millions are held.
#[derive(Debug, Clone, Copy)]
struct Slot {
    start: usize,
    col: u32,
    len_bold: u32,
    value: Option<Value>,
}

const BOLD: u32 = 1 << 31;

/// A row that has cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// The row number.
    pub row: u32,
    start: usize,
    end: usize,
}

/// All cells of a sheet that are not empty, in one arena.
#[derive(Debug, Default)]
pub struct Grid {
    text: String,
    slots: Vec<Slot>,
    lines: Vec<Line>,
    ordered: bool,
    merges: Vec<Rect>,
    merged_rows: HashMap<u32, Vec<u32>>,
    hidden_rows: HashSet<u32>,
    hidden_cols: HashSet<u32>,
    semicolons: bool,
}

impl Grid {
    /// An empty grid.
    pub fn new() -> Self {
        Grid { ordered: true, ..Grid::default() }
    }
    /// A grid of plain texts, the first at A1.
    pub fn of_texts<R: AsRef<[S]>, S: AsRef<str>>(rows: &[R]) -> Self {
        let mut grid = Grid::new();
        for (r, row) in (1..).zip(rows) {
            for (c, text) in (1..).zip(row.as_ref()) {
                grid.push(r, c, text.as_ref(), None, false);
            }
        }
        grid.finish(Vec::new());
        grid
    }
    /// Adds a cell. Cells of white space only are empty and not kept.
    pub fn push(&mut self, row: u32, col: u32, text: &str, value: Option<Value>, bold: bool) {
        if text.trim().is_empty() || text.len() >= BOLD as usize {
            return;
        }
        let start = self.text.len();
        self.text.push_str(text);
        let len_bold = text.len() as u32 | if bold { BOLD } else { 0 };
        let at = self.slots.len();
        self.slots.push(Slot { start, col, len_bold, value });
        match self.lines.last_mut() {
            Some(line) if line.row == row => {
                self.ordered &= at == line.start || self.slots[at - 1].col < col;
                line.end = at + 1;
            }
            last => {
                self.ordered &= last.is_none_or(|l| l.row < row);
                self.lines.push(Line { row, start: at, end: at + 1 });
            }
        }
    }
    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
    /// Says that semicolons separate the cells in the source, as where the comma is for decimals.
    pub fn set_semicolons(&mut self) {
        self.semicolons = true;
    }
    /// Whether semicolons separate the cells in the source.
    pub fn has_semicolons(&self) -> bool {
        self.semicolons
    }
    /// Marks a row as hidden.
    pub fn hide_row(&mut self, row: u32) {
        self.hidden_rows.insert(row);
    }
    /// Marks a column as hidden.
    pub fn hide_col(&mut self, col: u32) {
        self.hidden_cols.insert(col);
    }
    /// Whether a row is hidden.
    pub fn is_row_hidden(&self, row: u32) -> bool {
        self.hidden_rows.contains(&row)
    }
    /// Whether a column is hidden.
    pub fn is_col_hidden(&self, col: u32) -> bool {
        self.hidden_cols.contains(&col)
    }
    /// Ends the adding of cells and takes the merged ranges. Must be called once before the grid is read.
    pub fn finish(&mut self, merges: Vec<Rect>) {
        if !self.ordered {
            self.order();
        }
        let Some(bounds) = self.bounds() else { return };
        let clipped = merges.iter().filter_map(|m| m.common(&bounds));
        let kept: Vec<Rect> = clipped.filter(|m| self.is_merge(m)).collect();
        let mut entries = 0;
        for merge in kept {
            entries += merge.height() as usize;
            if entries > MAX_MERGE_ENTRIES {
                break;
            }
            let at = self.merges.len() as u32;
            self.merges.push(merge);
            for row in merge.top..=merge.bottom {
                self.merged_rows.entry(row).or_default().push(at);
            }
        }
    }
    fn is_merge(&self, m: &Rect) -> bool {
        (m.top, m.left) != (m.bottom, m.right) && self.get(m.top, m.left).is_some()
    }
    /// Some writers leave rows or cells out of order; the last cell at an address wins, as in the application.
    fn order(&mut self) {
        let mut all: Vec<(u32, Slot)> = Vec::with_capacity(self.slots.len());
        for line in &self.lines {
            all.extend(self.slots[line.start..line.end].iter().map(|s| (line.row, *s)));
        }
        all.sort_by_key(|(row, slot)| (*row, slot.col));
        all.reverse();
        all.dedup_by_key(|(row, slot)| (*row, slot.col));
        all.reverse();
        self.lines.clear();
        self.slots.clear();
        for (row, slot) in all {
            let at = self.slots.len();
            self.slots.push(slot);
            match self.lines.last_mut() {
                Some(line) if line.row == row => line.end = at + 1,
                _ => self.lines.push(Line { row, start: at, end: at + 1 }),
            }
        }
        self.ordered = true;
    }
    /// The smallest rectangle around all cells.
    pub fn bounds(&self) -> Option<Rect> {
        let (first, last) = (self.lines.first()?, self.lines.last()?);
        let ends = |l: &Line| Some((self.slots.get(l.start)?.col, self.slots.get(l.end - 1)?.col));
        let cols = self.lines.iter().filter_map(ends);
        let (left, right) = cols.fold((u32::MAX, 0), |(a, b), (l, r)| (a.min(l), b.max(r)));
        Some(Rect::new(first.row, left, last.row, right))
    }
    /// The merged ranges with a text, clipped to the used cells.
    pub fn merges(&self) -> &[Rect] {
        &self.merges
    }
    /// The parts of merged ranges that lie in a rectangle.
    pub(crate) fn merges_in(&self, rect: Rect) -> Vec<Rect> {
        if (rect.height() as usize) < self.merges.len() {
            let rows = (rect.top..=rect.bottom).filter_map(|row| self.merged_rows.get(&row));
            let mut near: Vec<u32> = rows.flatten().copied().collect();
            near.sort_unstable();
            near.dedup();
            let near = near.into_iter().filter_map(|i| self.merges.get(i as usize));
            return near.filter_map(|m| m.common(&rect)).collect();
        }
        self.merges.iter().filter_map(|m| m.common(&rect)).collect()
    }
    /// The rows with cells between two rows.
    pub(crate) fn lines(&self, top: u32, bottom: u32) -> &[Line] {
        let from = self.lines.partition_point(|l| l.row < top);
        let to = self.lines.partition_point(|l| l.row <= bottom);
        self.lines.get(from..to).unwrap_or_default()
    }
    fn slots_between(&self, line: &Line, left: u32, right: u32) -> &[Slot] {
        let slots = &self.slots[line.start..line.end];
        let from = slots.partition_point(|s| s.col < left);
        let to = slots.partition_point(|s| s.col <= right);
        slots.get(from..to).unwrap_or_default()
    }
    /// The columns of a row that have a cell, between two columns.
    pub(crate) fn cols(&self, line: &Line, left: u32, right: u32) -> impl Iterator<Item = u32> + '_ {
        self.slots_between(line, left, right).iter().map(|s| s.col)
    }
    fn cell(&self, slot: &Slot) -> Cell<'_> {
        let len = (slot.len_bold & !BOLD) as usize;
        let text = self.text.get(slot.start..slot.start + len).unwrap_or_default();
        Cell { text, value: slot.value, bold: slot.len_bold & BOLD != 0 }
    }
    /// The cell of a row at a column.
    pub(crate) fn at(&self, line: &Line, col: u32) -> Option<Cell<'_>> {
        let slots = &self.slots[line.start..line.end];
        let first = slots.first()?.col;
        let guess = col.checked_sub(first)? as usize;
        // In a row without gaps the cell stands where its column says.
        let slot = match slots.get(guess) {
            Some(slot) if slot.col == col => slot,
            _ => slots.get(slots.binary_search_by_key(&col, |s| s.col).ok()?)?,
        };
        Some(self.cell(slot))
    }
    /// The cell that is written at an address.
    pub fn get(&self, row: u32, col: u32) -> Option<Cell<'_>> {
        let line = self.lines.binary_search_by_key(&row, |l| l.row).ok()?;
        self.at(self.lines.get(line)?, col)
    }
    /// The merged range an empty cell is covered by.
    pub fn merge(&self, row: u32, col: u32) -> Option<Rect> {
        let near = self.merged_rows.get(&row)?;
        near.iter().filter_map(|&i| self.merges.get(i as usize)).find(|m| m.contains(row, col)).copied()
    }
    /// Whether a merged range reaches from above into these columns of a row.
    pub(crate) fn is_reached(&self, row: u32, cols: RangeInclusive<u32>) -> bool {
        let near = self.merged_rows.get(&row).into_iter().flatten();
        let mut near = near.filter_map(|&i| self.merges.get(i as usize));
        near.any(|m| m.top < row && m.left <= *cols.end() && m.right >= *cols.start())
    }
    /// The cells inside a rectangle, row by row, with their addresses.
    pub fn cells(&self, rect: Rect) -> impl Iterator<Item = (u32, u32, Cell<'_>)> + '_ {
        self.lines(rect.top, rect.bottom).iter().flat_map(move |line| {
            let slots = self.slots_between(line, rect.left, rect.right);
            slots.iter().map(move |s| (line.row, s.col, self.cell(s)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_cells_by_address() {
        let grid = Grid::of_texts(&[vec!["a", "", "c"], vec![" "], vec!["", "d"]]);
        assert_eq!(grid.len(), 3);
        assert_eq!(grid.bounds(), Some(Rect::new(1, 1, 3, 3)));
        assert_eq!(grid.get(1, 3).map(|c| c.text), Some("c"));
        assert_eq!(grid.get(3, 2).map(|c| c.text), Some("d"));
        assert!(grid.get(2, 1).is_none());
    }

    #[test]
    fn sorts_cells_that_come_out_of_order_and_keeps_the_last() {
        let mut grid = Grid::new();
        for (r, c, t) in [(2, 2, "x"), (1, 1, "old"), (1, 3, "z"), (1, 1, "new")] {
            grid.push(r, c, t, None, false);
        }
        grid.finish(Vec::new());
        let all: Vec<_> = grid.cells(Rect::new(1, 1, 9, 9)).map(|(r, c, x)| (r, c, x.text)).collect();
        assert_eq!(all, [(1, 1, "new"), (1, 3, "z"), (2, 2, "x")]);
    }

    #[test]
    fn clips_merged_ranges_to_what_is_used() {
        let mut grid = Grid::new();
        grid.push(1, 1, "title", None, true);
        grid.push(2, 3, "x", None, false);
        grid.finish(vec![Rect::new(1, 1, 1, 16384), Rect::new(2, 1, 2, 2)]);
        assert_eq!(grid.merges(), [Rect::new(1, 1, 1, 3)]);
        assert_eq!(grid.merge(1, 2), Some(Rect::new(1, 1, 1, 3)));
        assert!(grid.get(1, 1).is_some_and(|c| c.bold));
    }
}
