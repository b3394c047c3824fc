//! Where the tables of a sheet stand: rectangles with empty rows and columns between them.

use super::label;
use super::patch::{Class, Patch};
use crate::grid::{Grid, Rect};

/// Splitting goes no deeper than this; a sheet that would need more is left in larger pieces.
const MAX_DEPTH: u8 = 24;
/// More empty rows than this always end a table.
const MAX_GAP: u32 = 2;

/// The rectangles of a sheet in reading order. Every cell lies in exactly one.
pub(super) fn regions(grid: &Grid) -> Vec<Rect> {
    let mut found = Vec::new();
    if let Some(bounds) = grid.bounds() {
        split(grid, bounds, 0, &mut found);
    }
    found
}

/// Cuts a rectangle at its empty rows, then at its empty columns, and each piece again.
fn split(grid: &Grid, rect: Rect, depth: u8, found: &mut Vec<Rect>) {
    let Some(rect) = trim(grid, rect) else { return };
    if depth < MAX_DEPTH {
        for cut in [row_bands(grid, rect), col_bands(grid, rect), below_title(grid, rect)] {
            if cut.len() > 1 {
                cut.into_iter().for_each(|piece| split(grid, piece, depth + 1, found));
                return;
            }
        }
    }
    found.push(rect);
}

/// The part of a rectangle that has cells in it.
fn trim(grid: &Grid, rect: Rect) -> Option<Rect> {
    let rows = row_runs(grid, rect);
    let (top, bottom) = (rows.first()?.0, rows.last()?.1);
    let cols = col_runs(grid, Rect { top, bottom, ..rect });
    Some(Rect { top, bottom, left: cols.first()?.0, right: cols.last()?.1 })
}

/// The runs of rows that are not empty.
pub(super) fn row_runs(grid: &Grid, rect: Rect) -> Vec<(u32, u32)> {
    let used = |l: &&crate::grid::Line| grid.cols(l, rect.left, rect.right).next().is_some();
    let lines = grid.lines(rect.top, rect.bottom).iter().filter(used).map(|l| (l.row, l.row));
    let merged = grid.merges_in(rect).into_iter().map(|m| (m.top, m.bottom));
    union(lines.chain(merged).collect())
}

/// The runs of columns that are not empty.
fn col_runs(grid: &Grid, rect: Rect) -> Vec<(u32, u32)> {
    let mut used = vec![false; rect.width() as usize];
    let mut mark = |from: u32, to: u32| {
        let (from, to) = ((from - rect.left) as usize, (to - rect.left) as usize);
        used.iter_mut().take(to + 1).skip(from).for_each(|u| *u = true);
    };
    for line in grid.lines(rect.top, rect.bottom) {
        grid.cols(line, rect.left, rect.right).for_each(|c| mark(c, c));
    }
    grid.merges_in(rect).into_iter().for_each(|m| mark(m.left, m.right));
    let cols = (rect.left..).zip(used).filter(|(_, used)| *used).map(|(c, _)| (c, c));
    union(cols.collect())
}

/// Joins runs that overlap or touch.
fn union(mut runs: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    runs.sort_unstable();
    let mut out: Vec<(u32, u32)> = Vec::new();
    for (from, to) in runs {
        match out.last_mut() {
            Some(last) if from <= last.1.saturating_add(1) => last.1 = last.1.max(to),
            _ => out.push((from, to)),
        }
    }
    out
}

fn row_bands(grid: &Grid, rect: Rect) -> Vec<Rect> {
    let mut bands: Vec<Rect> = Vec::new();
    for (top, bottom) in row_runs(grid, rect) {
        let Some(next) = trim(grid, Rect { top, bottom, ..rect }) else {
            continue;
        };
        match bands.last_mut() {
            Some(last) if goes_on_below(grid, *last, next) => {
                *last =
                    Rect::new(last.top, last.left.min(next.left), next.bottom, last.right.max(next.right));
            }
            _ => bands.push(next),
        }
    }
    bands
}

/// Whether `lower` is more of the table `upper`, in spite of the empty rows between them.
fn goes_on_below(grid: &Grid, upper: Rect, lower: Rect) -> bool {
    let gap = lower.top - upper.bottom - 1;
    if gap > MAX_GAP || upper.width() < 2 || lower.left < upper.left || lower.right > upper.right {
        return false;
    }
    let above = Patch::of_grid(grid, Rect { top: upper.top.max(upper.bottom.saturating_sub(12)), ..upper });
    let below = Patch::of_grid(grid, Rect { bottom: lower.bottom.min(lower.top + 8), ..lower });
    let shift = (lower.left - upper.left) as usize;
    if above.rows == 1 {
        return gap == 1
            && upper.left == lower.left
            && upper.right == lower.right
            && follows_line(&above, &below);
    }
    if is_total_apart(&above, &below, shift) {
        return true;
    }
    let Some(first) = (0..below.rows).find(|&r| below.seen(r).count() > 1) else {
        return false;
    };
    fits_under(&above, &below, first, shift)
        || gap == 1 && goes_on_in_words(grid, &above, &below, (upper, lower))
}

/// Whether the rows below an empty one begin with a total: numbers under numbers, with a label for a sum or with none.
fn is_total_apart(above: &Patch<'_>, below: &Patch<'_>, shift: usize) -> bool {
    let is_number = |class: Class| class.is_value() && class != Class::Date;
    let mut texts = below.seen(0).filter(|(_, p)| p.class == Class::Text);
    let is_label = texts.next().is_none_or(|(_, p)| label::way(p.text).is_some()) && texts.next().is_none();
    let numbers = || below.seen(0).filter(|(_, p)| is_number(p.class));
    is_label
        && numbers().count() > 0
        && numbers().all(|(c, _)| above_values(above, c + shift))
        && below.rows < 4
}

/// Whether two tables of words are one with an empty row in it: as wide, and what follows is not set as a header.
fn goes_on_in_words(grid: &Grid, above: &Patch<'_>, below: &Patch<'_>, (upper, lower): (Rect, Rect)) -> bool {
    let words = |patch: &Patch<'_>| {
        (0..patch.rows)
            .all(|r| patch.seen(r).count() > 1 && patch.seen(r).all(|(_, p)| p.class == Class::Text))
    };
    let header = grid.cells(Rect { bottom: lower.top, ..lower });
    let is_bold = header.into_iter().any(|(_, _, cell)| cell.bold);
    upper.left == lower.left
        && upper.right == lower.right
        && above.rows > 2
        && !is_bold
        && words(above)
        && words(below)
}

/// Whether data follows a single row after an empty one: a header and its data, or data set with wide spaces.
fn follows_line(above: &Patch<'_>, below: &Patch<'_>) -> bool {
    let texts = above.seen(0).all(|(_, p)| p.class == Class::Text);
    let values = below.seen(0).any(|(_, p)| p.class.is_value());
    let alike = (0..above.cols).all(|c| above.at(0, c).class == below.at(0, c).class);
    values && (texts || alike)
}

/// Whether the row has values where the columns above have values, and so is no header.
fn fits_under(above: &Patch<'_>, below: &Patch<'_>, row: usize, shift: usize) -> bool {
    let mut agree = 0;
    for (c, cell) in below.seen(row) {
        let values = above_values(above, c + shift);
        match cell.class {
            Class::Text if values => return false,
            class if class.is_value() && values => agree += 1,
            class if class.is_value() => return false,
            _ => {}
        }
    }
    agree > 0
}

fn above_values(above: &Patch<'_>, col: usize) -> bool {
    let classes = (0..above.rows).map(|r| above.at(r, col).class);
    let (values, texts) = classes.fold((0, 0), |(v, t), class| match class {
        Class::Text => (v, t + 1),
        class => (v + usize::from(class.is_value()), t),
    });
    values > 0 && values + 1 >= texts
}

fn col_bands(grid: &Grid, rect: Rect) -> Vec<Rect> {
    let mut bands: Vec<Rect> = Vec::new();
    for (left, right) in col_runs(grid, rect) {
        let Some(next) = trim(grid, Rect { left, right, ..rect }) else {
            continue;
        };
        match bands.last_mut() {
            Some(last) if goes_on_beside(*last, next) => {
                *last =
                    Rect::new(last.top.min(next.top), last.left, last.bottom.max(next.bottom), next.right);
            }
            _ => bands.push(next),
        }
    }
    bands
}

/// Whether an empty column between two pieces is only there for looks: one of them is a single column as
/// high as the other.
fn goes_on_beside(left: Rect, right: Rect) -> bool {
    if left.width() > 1 && right.width() > 1 {
        return false;
    }
    let common = left.bottom.min(right.bottom).saturating_sub(left.top.max(right.top)) + 1;
    let tall = left.height().max(right.height());
    tall > 2 && common * 10 >= tall * 7
}

/// A title row over two tables that stand side by side keeps them from being cut; takes it off.
fn below_title(grid: &Grid, rect: Rect) -> Vec<Rect> {
    let first = Patch::of_grid(grid, Rect { bottom: rect.top, ..rect });
    if rect.height() < 3 || !(first.rows == 1 && first.is_lone(0)) {
        return Vec::new();
    }
    let (title, rest) = (Rect { bottom: rect.top, ..rect }, Rect { top: rect.top + 1, ..rect });
    let crossing = grid.merges_in(title).iter().any(|m| m.bottom > rect.top);
    if crossing || col_bands(grid, rest).len() < 2 {
        return Vec::new();
    }
    vec![title, rest]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a1(rows: &[Vec<&str>]) -> Vec<(u32, u32, u32, u32)> {
        let grid = Grid::of_texts(rows);
        regions(&grid).iter().map(|r| (r.top, r.left, r.bottom, r.right)).collect()
    }

    #[test]
    fn finds_two_tables_side_by_side() {
        let rows = [vec!["a", "b", "", "c", "d"], vec!["1", "2", "", "3", "4"], vec!["1", "2", "", "3", "4"]];
        assert_eq!(a1(&rows), [(1, 1, 3, 2), (1, 4, 3, 5)]);
    }

    #[test]
    fn finds_two_tables_below_each_other() {
        let rows = [vec!["a", "b"], vec!["1", "2"], vec![], vec!["c", "d"], vec!["3", "4"]];
        assert_eq!(a1(&rows), [(1, 1, 2, 2), (4, 1, 5, 2)]);
    }

    #[test]
    fn keeps_a_table_with_an_empty_row_in_one_piece() {
        let rows = [vec!["a", "b"], vec!["x", "2"], vec![], vec!["y", "4"], vec!["z", "5"]];
        assert_eq!(a1(&rows), [(1, 1, 5, 2)]);
    }

    #[test]
    fn keeps_a_total_that_stands_apart() {
        let rows = [
            vec!["Date", "Text", "Amount"],
            vec!["2024-01-02", "x", "4"],
            vec!["2024-01-03", "y", "5"],
            vec![],
            vec!["Total", "", "9"],
        ];
        assert_eq!(a1(&rows), [(1, 1, 5, 3)]);
        let rows = [vec!["Region", "Sales"], vec!["a", "2"], vec!["b", "3"], vec![], vec!["", "5"]];
        assert_eq!(a1(&rows), [(1, 1, 5, 2)]);
    }

    #[test]
    fn takes_a_title_off_two_tables_side_by_side() {
        let mut grid =
            Grid::of_texts(&[["Report", "", "", "", ""], ["a", "b", "", "c", "d"], ["1", "2", "", "3", "4"]]);
        grid.finish(vec![Rect::new(1, 1, 1, 5)]);
        assert_eq!(regions(&grid).len(), 3);
    }
}
