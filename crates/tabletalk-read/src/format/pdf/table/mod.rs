//! Tables on a page: those drawn with lines, and those made by aligned text alone.

mod aligned;
mod body;
mod column;
mod header;
mod lattice;
mod run;

pub(super) use aligned::aligned;
pub(super) use column::is_bullet;
pub(super) use lattice::lattices;

use super::word::{self, Word};

/// A table on a page.
#[derive(Debug, Clone, Default)]
pub(super) struct Sheet {
    /// Left, top, right, bottom.
    pub rect: [f32; 4],
    /// The top and bottom of each row.
    pub rows: Vec<(f32, f32)>,
    /// The left and right of each column.
    pub cols: Vec<(f32, f32)>,
    /// Cells that are not empty, in order.
    pub cells: Vec<Cell>,
    /// How many rows are header, where that can be seen.
    pub header: Option<usize>,
    /// Its words, for a second look.
    pub words: Vec<Word>,
    /// The direction its text runs in: the rows and columns are those of the page turned for it.
    pub direction: usize,
}

/// Words of one line in a cell, with the first and last column they reach over.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub first: usize,
    pub last: usize,
    pub words: Vec<Word>,
}

impl Span {
    pub(super) fn text(&self) -> String {
        word::text(&self.words)
    }
}

/// A line cut at the columns.
#[derive(Debug, Clone)]
pub(super) struct Cut {
    pub spans: Vec<Span>,
    pub top: f32,
    pub bottom: f32,
    pub base: f32,
    pub size: f32,
}

impl Cut {
    pub(super) fn at(&self, col: usize) -> Option<&Span> {
        self.spans.iter().find(|s| s.first <= col && col <= s.last)
    }
}

/// A cell, with the first and last row and column it reaches over, counted from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Cell {
    pub row: usize,
    pub col: usize,
    pub last_row: usize,
    pub last_col: usize,
    pub text: String,
    pub bold: bool,
    /// The box of its words.
    pub rect: [f32; 4],
}

impl Cell {
    /// A cell of these words.
    pub(super) fn of(words: Vec<Word>, at: [usize; 4]) -> Option<Self> {
        let rect = rect_of(&words)?;
        let bold = words.iter().all(|w| w.bold);
        let lines = word::lines(words);
        let text = without_leader(join(lines.iter().map(word::Line::text)));
        if text.is_empty() {
            return None;
        }
        let [row, col, last_row, last_col] = at;
        Some(Cell { row, col, last_row, last_col, text, bold, rect })
    }
}

/// A text without the dots that lead from it to the next column.
fn without_leader(mut text: String) -> String {
    let end = text.trim_end_matches(['.', ' ', '…', '_']).len();
    let tail = text.get(end..).unwrap_or_default();
    if tail.matches('.').count() >= 3 || tail.contains('…') && end > 0 || tail.matches('_').count() >= 3 {
        text.truncate(end);
    }
    text
}

/// The lines of a cell or paragraph as one text: hyphens at line ends are undone.
pub(super) fn join(lines: impl Iterator<Item = String>) -> String {
    let mut out = String::new();
    for line in lines {
        let dense = |c: Option<char>| c.is_some_and(word::is_dense);
        let next = line.chars().next();
        let mut back = out.chars().rev();
        let (last, before) = (back.next(), back.next());
        let broken = last == Some('-')
            && before.is_some_and(char::is_lowercase)
            && next.is_some_and(char::is_lowercase);
        if broken {
            out.pop();
        } else if !(out.is_empty() || last == Some('/') || dense(last) && dense(next)) {
            out.push(' ');
        }
        out.push_str(&line);
    }
    out
}

fn rect_of(words: &[Word]) -> Option<[f32; 4]> {
    let first = words.first()?;
    let start = [first.left, first.top(), first.right, first.bottom()];
    Some(words.iter().fold(start, |r, w| around(r, [w.left, w.top(), w.right, w.bottom()])))
}

/// The box around two boxes.
pub(super) fn around(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// Whether a text is a number, a share, an amount, or a mark that stands for one.
pub(super) fn is_value(text: &str) -> bool {
    let text = text.trim();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    if digits > 0 {
        return letters <= digits.max(2) && letters <= 4 && text.chars().count() <= 28;
    }
    matches!(
        text,
        "-" | "–"
            | "—"
            | "--"
            | "−"
            | "*"
            | "†"
            | "‡"
            | "."
            | ".."
            | "..."
            | "…"
            | "n/a"
            | "N/A"
            | "na"
            | "n.a."
            | "NA"
            | ":"
            | "X"
            | "x"
            | "Yes"
            | "No"
            | "✓"
            | "●"
            | "#"
            | "†††"
            | "(X)"
            | "S"
            | "D"
    )
}
