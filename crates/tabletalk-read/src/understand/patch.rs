//! The first rows of a rectangle with merged cells filled: what the shape of a table is read from.

use super::word;
use crate::grid::{Cell, Grid, Rect};
use tabletalk_core::value::{self, Value};

/// How many rows are looked at to find the shape of a table.
pub(super) const PATCH_ROWS: usize = 256;

/// What a cell looks like, as far as the shape of a table is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Empty,
    /// A dash, `N/A` or the like: something that stands for no value.
    Dash,
    Text,
    /// A whole number that could be a year.
    Year,
    /// A small whole number, such as a rank, a month, a day.
    Small,
    /// A day, or a day and a time.
    Date,
    /// Any other number.
    Number,
}

impl Class {
    /// Of a text, and of the value the format gives for it.
    pub(super) fn of(text: &str, value: Option<Value>) -> Class {
        match value {
            Some(Value::Integer(i)) => Class::of_integer(i),
            Some(Value::Decimal(_)) => Class::Number,
            Some(Value::Date(_) | Value::DateTime(_)) => Class::Date,
            Some(Value::Boolean(_)) => Class::Text,
            None => Class::of_text(text.trim()),
        }
    }
    fn of_integer(i: i64) -> Class {
        match i {
            1900..=2100 => Class::Year,
            0..=60 => Class::Small,
            _ => Class::Number,
        }
    }
    fn of_text(text: &str) -> Class {
        if text.is_empty() {
            return Class::Empty;
        }
        if !text.bytes().any(|b| b.is_ascii_digit()) {
            let dash =
                text.chars().all(|c| matches!(c, '-' | '–' | '—' | '－' | '−' | '/' | '\\' | '*' | '.'));
            return if dash || value::is_missing(text) { Class::Dash } else { Class::Text };
        }
        if text.bytes().all(|b| b.is_ascii_digit()) && text.len() < 10 {
            return text.parse().map_or(Class::Text, Class::of_integer);
        }
        if value::date(text).is_some() || value::datetime(text).is_some() {
            return Class::Date;
        }
        if let Some(year) = text.strip_suffix("年").or_else(|| text.strip_suffix("年度")) {
            return if year.len() == 4 { Class::of_text(year) } else { Class::Text };
        }
        // In whatever style: that is decided once the header is known.
        match value::number_and_marks(text).map(|(number, _)| number) {
            Some(n) if text.len() < 40 && n.unit.is_none_or(word::is_measure) => Class::Number,
            _ => Class::Text,
        }
    }
    /// A number, a year or a day.
    pub(super) fn is_value(self) -> bool {
        matches!(self, Class::Year | Class::Small | Class::Date | Class::Number)
    }
    /// A year, a day, or a small number: a value that headers are also made of.
    pub(super) fn is_soft(self) -> bool {
        matches!(self, Class::Year | Class::Small | Class::Date)
    }
}

/// A cell of a patch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peek<'a> {
    pub text: &'a str,
    pub class: Class,
    /// The row and column in the patch that the text stands in: another cell's, where this one is merged.
    pub root: (u32, u32),
}

/// The first rows of a rectangle that have cells.
#[derive(Debug)]
pub(super) struct Patch<'a> {
    pub rows: usize,
    pub cols: usize,
    cells: Vec<Peek<'a>>,
    /// The row number of each row.
    pub numbers: Vec<u32>,
}

const NOTHING: Peek<'static> = Peek { text: "", class: Class::Empty, root: (0, 0) };

impl<'a> Patch<'a> {
    /// The first rows of `rect`.
    pub(super) fn of_grid(grid: &'a Grid, rect: Rect) -> Self {
        let cols = rect.width() as usize;
        let mut patch = Patch { rows: 0, cols, cells: Vec::new(), numbers: Vec::new() };
        for line in grid.lines(rect.top, rect.bottom) {
            if patch.rows == PATCH_ROWS {
                break;
            }
            if grid.cols(line, rect.left, rect.right).next().is_none() {
                continue;
            }
            patch.numbers.push(line.row);
            for col in rect.cols() {
                let peek = patch.peek_at(grid, rect, line.row, col, grid.at(line, col));
                patch.cells.push(peek);
            }
            patch.rows += 1;
        }
        patch
    }
    fn peek_at(&self, grid: &'a Grid, rect: Rect, row: u32, col: u32, own: Option<Cell<'a>>) -> Peek<'a> {
        let here = (self.rows as u32, col - rect.left);
        if let Some(cell) = own {
            return peek(cell, here);
        }
        let merge = grid.merge(row, col).filter(|m| rect.contains(m.top, m.left));
        let Some(merge) = merge else {
            return Peek { root: here, ..NOTHING };
        };
        match (self.numbers.binary_search(&merge.top), grid.get(merge.top, merge.left)) {
            (Ok(top), Some(cell)) => peek(cell, (top as u32, merge.left - rect.left)),
            _ => Peek { root: here, ..NOTHING },
        }
    }
    /// The first of these rows of texts, with their numbers.
    pub(super) fn of_numbered<S: AsRef<str>>(rows: &'a [Vec<S>], numbers: &[u64]) -> Self {
        let mut patch = Patch::of_rows(rows);
        for (own, number) in patch.numbers.iter_mut().zip(numbers) {
            *own = u32::try_from(*number).unwrap_or(u32::MAX);
        }
        patch
    }
    /// The first of these rows of texts.
    pub(super) fn of_rows<S: AsRef<str>>(rows: &'a [Vec<S>]) -> Self {
        let rows = &rows[..rows.len().min(PATCH_ROWS)];
        let cols = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut cells = Vec::with_capacity(rows.len() * cols);
        for (r, row) in rows.iter().enumerate() {
            for c in 0..cols {
                let text = row.get(c).map_or("", |s| s.as_ref()).trim();
                let class = Class::of_text(text);
                cells.push(Peek { text, class, root: (r as u32, c as u32) });
            }
        }
        Patch { rows: rows.len(), cols, cells, numbers: (1..=rows.len() as u32).collect() }
    }
    /// The cell at a row and a column of the patch; empty outside.
    pub(super) fn at(&self, row: usize, col: usize) -> Peek<'a> {
        if col >= self.cols {
            return NOTHING;
        }
        self.cells.get(row * self.cols + col).copied().unwrap_or(NOTHING)
    }
    pub(super) fn row(&self, row: usize) -> &[Peek<'a>] {
        self.cells.get(row * self.cols..(row + 1) * self.cols).unwrap_or_default()
    }
    /// The cells of a row that are written in it, not merged into it from above or from the left.
    pub(super) fn own(&self, row: usize) -> impl Iterator<Item = (usize, &Peek<'a>)> {
        let cells = self.row(row).iter().enumerate();
        cells.filter(move |(c, p)| p.class != Class::Empty && p.root == (row as u32, *c as u32))
    }
    /// The cells of a row, each merged one once, with those that reach into it from above.
    pub(super) fn seen(&self, row: usize) -> impl Iterator<Item = (usize, &Peek<'a>)> {
        let cells = self.row(row);
        let first = move |c: usize, p: &Peek<'_>| c == 0 || cells.get(c - 1).is_none_or(|q| q.root != p.root);
        cells.iter().enumerate().filter(move |(c, p)| p.class != Class::Empty && first(*c, p))
    }
    /// How many columns the cell at `col` of `row` reaches over.
    pub(super) fn span(&self, row: usize, col: usize) -> usize {
        let root = self.at(row, col).root;
        self.row(row)
            .iter()
            .skip(col)
            .take_while(|p| p.class != Class::Empty && p.root == root)
            .count()
            .max(1)
    }
    /// Whether an empty row stands before a row.
    pub(super) fn is_after_gap(&self, row: usize) -> bool {
        let at = |row: usize| self.numbers.get(row).copied();
        let before = row.checked_sub(1).and_then(at);
        matches!((before, at(row)), (Some(a), Some(b)) if b > a.saturating_add(1))
    }
    /// Whether a row holds a single text and nothing else.
    pub(super) fn is_lone(&self, row: usize) -> bool {
        self.cols > 1 && self.seen(row).count() == 1 && self.own(row).all(|(_, p)| p.class == Class::Text)
    }
}

fn peek(cell: Cell<'_>, root: (u32, u32)) -> Peek<'_> {
    let text = cell.text.trim();
    Peek { text, class: Class::of(text, cell.value), root }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_values_from_words() {
        let of = |t| Class::of(t, None);
        assert_eq!(of("Price"), Class::Text);
        assert_eq!(of("2023"), Class::Year);
        assert_eq!(of("12"), Class::Small);
        assert_eq!(of("1,234.50"), Class::Number);
        assert_eq!(
            (of("2 102 650"), of("1'234.50"), of("0,125")),
            (Class::Number, Class::Number, Class::Number)
        );
        assert_eq!(of("--"), Class::Dash);
        assert_eq!((of("N/A"), of("n.a."), of("—")), (Class::Dash, Class::Dash, Class::Dash));
        assert_eq!(of("Q1"), Class::Text);
        assert_eq!(of("2023年度"), Class::Year);
        assert_eq!(of("1年以内"), Class::Text);
        assert_eq!(of("4月"), Class::Text);
    }

    #[test]
    fn sees_a_merged_cell_once_in_each_row_it_reaches() {
        let mut grid = Grid::of_texts(&[["a", "b", ""], ["", "c", "d"]]);
        grid.finish(vec![Rect::new(1, 1, 2, 1), Rect::new(1, 2, 1, 3)]);
        let patch = Patch::of_grid(&grid, Rect::new(1, 1, 2, 3));
        assert_eq!(patch.seen(0).map(|(_, p)| p.text).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(patch.seen(1).map(|(_, p)| p.text).collect::<Vec<_>>(), ["a", "c", "d"]);
        assert_eq!(patch.own(1).map(|(_, p)| p.text).collect::<Vec<_>>(), ["c", "d"]);
        assert_eq!(patch.span(0, 1), 2);
    }
}
