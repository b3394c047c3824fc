//! Tables of a text with delimiters. Such a file is nearly always one table: empty lines and empty columns in it
//! mean nothing, and only a header of another kind below an empty line begins a second one.

use super::header::{self, is_value_column};
use super::patch::{Class, Patch};
use super::{part, region};
use crate::grid::{Grid, Rect};
use tabletalk_core::{Block, Place};

/// The tables of a file, from top to bottom.
pub(super) fn blocks(grid: &Grid, place: &Place) -> Vec<Block> {
    let Some(bounds) = grid.bounds() else { return Vec::new() };
    let whole = Rect { left: 1, ..bounds };
    let header = (whole.height() == 1).then_some(1);
    let parts = parts(grid, whole).into_iter();
    parts.map(|rect| Block::Table(part::table(grid, rect, place, header))).collect()
}

/// Where the tables stand: runs of lines that are not empty, put together unless a new table begins.
fn parts(grid: &Grid, whole: Rect) -> Vec<Rect> {
    let mut parts: Vec<Rect> = Vec::new();
    // Where a title stands alone, which belongs to what follows it.
    let mut title: Option<u32> = None;
    for (top, bottom) in region::row_runs(grid, whole) {
        let run = Rect { top, bottom, ..whole };
        let patch = Patch::of_grid(grid, run);
        let is_title = (0..patch.rows).all(|r| patch.is_lone(r));
        match parts.last_mut() {
            Some(last) if !is_title && is_apart(grid, *last, run) => {
                let top = title.take().unwrap_or(top);
                last.bottom = last.bottom.min(top - 1);
                parts.push(Rect { top, ..run });
            }
            Some(last) => {
                title = is_title.then(|| title.unwrap_or(top));
                last.bottom = bottom;
            }
            None => parts.push(run),
        }
    }
    parts
}

/// Whether a table ends above an empty line and another begins below it. What is above may also be no table.
fn is_apart(grid: &Grid, last: Rect, run: Rect) -> bool {
    let above = Patch::of_grid(grid, last);
    let both = Patch::of_grid(grid, Rect { bottom: run.bottom, ..last });
    header::head(&both).skip < above.rows && begins_table(&above, &Patch::of_grid(grid, run))
}

/// Whether the lines below an empty one are a table of their own, and not more of the one above.
fn begins_table(above: &Patch<'_>, below: &Patch<'_>) -> bool {
    let upper = header::head(above);
    let body = upper.skip + upper.header_rows;
    let lower = header::head(below);
    let (names, rows) = (lower.skip, lower.skip + lower.header_rows);
    if upper.header_rows == 0 || body >= above.rows || lower.header_rows == 0 || rows >= below.rows {
        return false;
    }
    if above.seen(body - 1).count() < 2 || below.seen(names).count() < 2 {
        return false;
    }
    let shared = |c: usize| {
        let name = below.at(names, c).text;
        !name.is_empty() && name.eq_ignore_ascii_case(above.at(body - 1, c).text)
    };
    if (0..below.cols).filter(|&c| shared(c)).count() * 2 > below.seen(names).count() {
        return true; // the same table for something else
    }
    let is_name = |c: usize| below.at(names, c).class == Class::Text;
    let named = |c: &usize| is_name(*c) && is_value_column(below, rows, *c);
    let against = |c: &usize| is_name(*c) && is_value_column(above, body, *c);
    let types_differ = (0..below.cols)
        .any(|c| is_name(c) && is_value_column(below, rows, c) && is_text_column(above, body, c));
    let against = (0..below.cols).filter(against).count();
    let widths_differ = width(above, body) != width(below, rows);
    let is_named = (0..below.cols).any(|c| named(&c));
    is_named && ((0..below.cols).any(shared) || types_differ || against > 1 || against == 1 && widths_differ)
}

fn is_text_column(patch: &Patch<'_>, from: usize, col: usize) -> bool {
    let classes = || (from..patch.rows).map(|r| patch.at(r, col).class);
    classes().any(|c| c == Class::Text) && !classes().any(Class::is_value)
}

/// How many columns the rows from `from` on reach over.
fn width(patch: &Patch<'_>, from: usize) -> usize {
    let last = |r: usize| patch.seen(r).map(|(c, _)| c + 1).max().unwrap_or(0);
    (from..patch.rows).map(last).max().unwrap_or(0)
}
