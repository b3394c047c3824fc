//! Cuts a region in which tables stand right below each other, with no empty row between them.

use super::header::{self, is_value_column};
use super::patch::{Class, PATCH_ROWS, Patch};
use crate::grid::{Cell, Grid, Line, Rect};
use std::ops::Range;

/// A header inside a region names at least this many columns.
const MIN_NAMES: usize = 3;
/// Below the first rows, so many rows that may be headers are looked at closely.
const MAX_LOOKS: usize = 2000;
/// How many rows below such a row are looked at.
const LOOK_ROWS: usize = 20;

/// The tables of a region, from top to bottom.
pub(super) fn parts(grid: &Grid, region: Rect) -> Vec<Rect> {
    let patch = Patch::of_grid(grid, region);
    let mut parts = Vec::new();
    let mut top = region.top;
    let near = starts(&patch).into_iter().filter_map(|row| patch.numbers.get(row).copied());
    for number in near.chain(later_starts(grid, region, &patch)) {
        parts.push(Rect { top, bottom: number - 1, ..region });
        top = number;
    }
    parts.push(Rect { top, ..region });
    parts
}

/// The rows at which a new table begins.
fn starts(patch: &Patch<'_>) -> Vec<usize> {
    let first = header::head(patch);
    let mut head = first.skip..first.skip + first.header_rows;
    let mut starts = Vec::new();
    let mut row = head.end.max(1);
    while row + 1 < patch.rows {
        let again = !head.is_empty() && repeats(patch, head.end - 1, row);
        if again || (patch.is_lone(row - 1) || has_values(patch, &head, row)) && is_header_inside(patch, row)
        {
            let least = starts.last().map_or(1, |s| s + 1);
            starts.push(with_title(patch, row, least));
            let depth = header::depth(patch, row);
            head = row..row + depth;
            row += depth;
        }
        row += 1;
    }
    starts
}

/// The rows at which a new table begins below the patch. A row of names is looked for first, which costs little.
fn later_starts(grid: &Grid, region: Rect, patch: &Patch<'_>) -> Vec<u32> {
    let Some(&last) = patch.numbers.last().filter(|_| patch.rows == PATCH_ROWS) else { return Vec::new() };
    let lines = grid.lines(last, region.bottom);
    let names = |line: &Line| {
        let cells = grid.cells(Rect { top: line.row, bottom: line.row, ..region });
        let is_name = |c: &Cell<'_>| c.value.is_none() && !c.text.bytes().any(|b| b.is_ascii_digit());
        cells.map(|(_, _, c)| is_name(&c)).try_fold(0, |n, is| is.then_some(n + 1)).unwrap_or(0)
    };
    let mut looked = 0;
    let mut starts: Vec<u32> = Vec::new();
    let mut before = MIN_NAMES;
    for (i, line) in lines.iter().enumerate() {
        let here = names(line);
        // The row above holds values or a title, or no new table begins here.
        if here >= MIN_NAMES && before < MIN_NAMES && looked < MAX_LOOKS {
            looked += 1;
            let from = i.saturating_sub(2);
            let bottom = lines.get(i + LOOK_ROWS).map_or(region.bottom, |l| l.row);
            let top = lines.get(from).map_or(line.row, |l| l.row);
            let near = Patch::of_grid(grid, Rect { top, bottom, ..region });
            let at = near.numbers.binary_search(&line.row).unwrap_or(0);
            if at > 0 && is_header_inside(&near, at) {
                starts.extend(near.numbers.get(with_title(&near, at, 1)));
            }
        }
        before = here;
    }
    starts.dedup();
    starts
}

/// The row, or the rows of a single text right above it.
fn with_title(patch: &Patch<'_>, row: usize, least: usize) -> usize {
    let mut start = row;
    while start > least && row - start < 2 && patch.is_lone(start - 1) && !crosses(patch, start - 1) {
        start -= 1;
    }
    start
}

/// Whether a merged cell reaches into a row from above: no cut can be made before it.
fn crosses(patch: &Patch<'_>, row: usize) -> bool {
    patch.row(row).iter().any(|p| p.class != Class::Empty && (p.root.0 as usize) < row)
}

/// Whether the rows between hold values and no row of texts alone. In a table on its side each row has a
/// type of its own, and a row of texts among them is no header.
fn has_values(patch: &Patch<'_>, head: &Range<usize>, to: usize) -> bool {
    let from = head.end;
    let has_value = |r: usize| patch.own(r).any(|(c, p)| c > 0 && p.class.is_value());
    let texts_alone =
        |r: usize| patch.own(r).filter(|(_, p)| p.class == Class::Text).count() >= MIN_NAMES && !has_value(r);
    (from..to).any(has_value) && (head.is_empty() || !(from..to).any(texts_alone))
}

/// Whether a row has the same words as a header row above it.
fn repeats(patch: &Patch<'_>, header: usize, row: usize) -> bool {
    let names = patch.own(header).filter(|(_, p)| p.class == Class::Text).count();
    let same = (0..patch.cols).all(|c| patch.at(header, c).text == patch.at(row, c).text);
    names > 1 && same && !crosses(patch, row)
}

/// Whether a row in the middle holds nothing but names, over columns that hold nothing but values.
fn is_header_inside(patch: &Patch<'_>, row: usize) -> bool {
    let mut names: Vec<&str> = Vec::new();
    for (_, p) in patch.own(row) {
        match p.class {
            Class::Text if p.text.chars().count() <= 40 => names.push(p.text),
            _ => return false,
        }
    }
    let width = patch.seen(row).count();
    if names.len() < MIN_NAMES || width * 10 < widest_below(patch, row) * 6 || crosses(patch, row) {
        return false;
    }
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    let end = patch.rows.min(row + 20);
    let over_values = patch.own(row).filter(|(c, _)| is_pure(patch, row + 1, end, *c)).count();
    names.len() * 4 >= all * 3 && over_values >= 2 && over_values * 3 >= all
}

fn widest_below(patch: &Patch<'_>, row: usize) -> usize {
    (row + 1..patch.rows.min(row + 6)).map(|r| patch.seen(r).count()).max().unwrap_or(0)
}

/// Whether a column holds values alone in the next rows.
fn is_pure(patch: &Patch<'_>, from: usize, end: usize, col: usize) -> bool {
    let next = (from..end.min(from + 4)).map(|r| patch.at(r, col).class);
    let texts = next.clone().filter(|c| *c == Class::Text).count();
    let values = next.filter(|c| c.is_value()).count();
    texts == 0 && values > 1 && is_value_column(patch, from, col)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_a_form_from_the_table_below_it() {
        let grid = Grid::of_texts(&[
            vec!["From", "2019-12-04", "To", "2019-12-08"],
            vec!["No", "Date", "Text", "Amount"],
            vec!["1", "2019-12-05", "a", "12.50"],
            vec!["2", "2019-12-06", "b", "13.50"],
        ]);
        let parts = parts(&grid, Rect::new(1, 1, 4, 4));
        assert_eq!(parts, [Rect::new(1, 1, 1, 4), Rect::new(2, 1, 4, 4)]);
    }

    #[test]
    fn cuts_far_below_the_first_rows() {
        let row = |name: &str, i: usize| vec![name.to_owned(), format!("{i}"), format!("{}.5", i * 3)];
        let names = |names: [&str; 3]| names.map(str::to_owned).to_vec();
        let mut rows = vec![names(["Item", "Sold", "Price"])];
        rows.extend((0..400).map(|i| row("a", i)));
        rows.push(vec!["Returns".to_owned()]);
        rows.push(names(["Item", "Count", "Value"]));
        rows.extend((0..30).map(|i| row("b", i)));
        let grid = Grid::of_texts(&rows);
        let parts = parts(&grid, Rect::new(1, 1, 433, 3));
        assert_eq!(parts, [Rect::new(1, 1, 401, 3), Rect::new(402, 1, 433, 3)]);
    }

    #[test]
    fn cuts_where_the_header_is_repeated() {
        let grid = Grid::of_texts(&[
            vec!["One", "", ""],
            vec!["Question", "Answer", "Who"],
            vec!["a", "b", "c"],
            vec!["Two", "", ""],
            vec!["Question", "Answer", "Who"],
            vec!["d", "e", "f"],
        ]);
        let parts = parts(&grid, Rect::new(1, 1, 6, 3));
        assert_eq!(parts, [Rect::new(1, 1, 3, 3), Rect::new(4, 1, 6, 3)]);
    }
}
