//! Makes a table of one rectangle of a grid.

use super::build::Plan;
use super::patch::{Class, Patch};
use super::{header, name, word};
use crate::grid::{Cell, Grid, Line, Rect};
use crate::typing::Raw;
use tabletalk_core::{Place, Placed, Table};

/// Notes are looked for in no more rows than this at the end of a table.
const MAX_NOTES: usize = 12;

/// The table in a rectangle. All cells of the rectangle are in it. `header` is the number of rows of title
/// and header, where the source says so.
pub(super) fn table(grid: &Grid, rect: Rect, place: &Place, header: Option<usize>) -> Table {
    let patch = Patch::of_grid(grid, rect);
    let head = match header {
        Some(rows) => header::given(&patch, rows),
        None => header::head(&patch),
    };
    let body = head.skip + head.header_rows;
    let top = patch.numbers.get(head.skip).copied().unwrap_or(rect.top);
    let first = patch.numbers.get(body).copied().unwrap_or(rect.bottom + 1);
    let (bottom, below) = notes_below(grid, Rect { top: first.max(rect.top + 1), ..rect });
    let inner = Rect { top, bottom: bottom.max(top), ..rect };
    let (title, mut notes) = titles(grid, Rect { bottom: top.saturating_sub(1), ..rect }, place);
    notes.extend(below.iter().map(|&(row, col, cell)| placed(place, row, col, cell)));
    let lines: Vec<Line> = lines(grid, Rect { top: first, ..inner });
    let used = used_cols(grid, inner);
    let row_headers = header::row_headers(&patch, body);
    let named = name::joined(&patch, head.skip, body);
    let header = Rect { bottom: first.saturating_sub(1), ..inner };
    let at = |col: u32| (col - rect.left) as usize;
    let plan = Plan {
        place: place.clone().cells(inner.rows(), inner.cols()),
        title,
        notes,
        header: placed_cells(grid, header, place),
        header_rows: head.header_rows as u32,
        row_headers: Some(used.iter().filter(|&&c| at(c) < row_headers).count() as u32),
        names: used.iter().map(|&c| named.get(at(c)).cloned().unwrap_or_default()).collect(),
        hidden_cols: used.iter().map(|&c| grid.is_col_hidden(c)).collect(),
        rows: lines.iter().map(|l| u64::from(l.row)).collect(),
        hidden_rows: indices(&lines, |l| grid.is_row_hidden(l.row)),
        banners: indices(&lines, |l| is_banner(grid, l, inner)),
        semicolons: grid.has_semicolons(),
        cols: used.clone(),
    };
    let filler = Filler {
        grid,
        lines: &lines,
        first,
        rect: inner,
        banners: plan.banners.clone(),
        has_header: head.header_rows > 0,
    };
    plan.build(|i, raws| {
        if let Some(&col) = used.get(i) {
            filler.fill(col, at(col) < row_headers, raws);
        }
    })
}

fn indices(lines: &[Line], is: impl Fn(&Line) -> bool) -> Vec<usize> {
    lines.iter().enumerate().filter(|(_, l)| is(l)).map(|(i, _)| i).collect()
}

/// The rows of a rectangle that have a cell of their own in it.
fn lines(grid: &Grid, rect: Rect) -> Vec<Line> {
    if rect.top > rect.bottom {
        return Vec::new();
    }
    let used = |l: &&Line| grid.cols(l, rect.left, rect.right).next().is_some();
    grid.lines(rect.top, rect.bottom).iter().filter(used).copied().collect()
}

/// The columns of a rectangle that have a cell of their own: those that are only covered by merged cells say
/// nothing that the column before them does not.
fn used_cols(grid: &Grid, rect: Rect) -> Vec<u32> {
    let mut used = vec![false; rect.width() as usize];
    for line in grid.lines(rect.top, rect.bottom) {
        for col in grid.cols(line, rect.left, rect.right) {
            if let Some(u) = used.get_mut((col - rect.left) as usize) {
                *u = true;
            }
        }
    }
    (rect.left..).zip(used).filter(|(_, u)| *u).map(|(c, _)| c).collect()
}

/// A row of one cell that is merged over others or bold. Where a cell reaches into the row from above, there are two.
fn is_banner(grid: &Grid, line: &Line, rect: Rect) -> bool {
    let mut cols = grid.cols(line, rect.left, rect.right);
    let (Some(col), None) = (cols.next(), cols.next()) else {
        return false;
    };
    if grid.is_reached(line.row, rect.cols()) {
        return false;
    }
    let wide = grid.merge(line.row, col).is_some_and(|m| m.right > m.left);
    wide || grid.at(line, col).is_some_and(|c| c.bold)
}

pub(super) fn placed(place: &Place, row: u32, col: u32, cell: Cell<'_>) -> Placed {
    let place = place.clone().cells(u64::from(row)..=u64::from(row), col..=col);
    Placed { text: cell.text.trim().to_owned(), place }
}

fn placed_cells(grid: &Grid, rect: Rect, place: &Place) -> Vec<Placed> {
    if rect.top > rect.bottom {
        return Vec::new();
    }
    grid.cells(rect).map(|(row, col, cell)| placed(place, row, col, cell)).collect()
}

/// The title and the remarks in the rows above a header.
fn titles(grid: &Grid, rect: Rect, place: &Place) -> (Option<Placed>, Vec<Placed>) {
    let mut notes = placed_cells(grid, rect, place);
    let title = notes.iter().position(|p| !word::is_note(&p.text));
    (title.map(|i| notes.remove(i)), notes)
}

type At<'a> = (u32, u32, Cell<'a>);

/// The last row of the data, and the remarks that stand below it in the same rectangle.
fn notes_below<'a>(grid: &'a Grid, rect: Rect) -> (u32, Vec<At<'a>>) {
    let (mut bottom, mut notes) = (rect.bottom, Vec::new());
    if rect.top > rect.bottom {
        return (bottom, notes);
    }
    let lines = lines(grid, rect);
    for pair in lines.windows(2).rev().take(MAX_NOTES) {
        let [before, line] = pair else { break };
        let mut cells = grid.cells(Rect { top: line.row, bottom: line.row, ..rect });
        match (cells.next(), cells.next()) {
            (Some(at), None) if at.1 == rect.left && rect.width() > 1 && word::is_note(at.2.text) => {
                notes.insert(0, at);
                bottom = before.row;
            }
            _ => break,
        }
    }
    (bottom, notes)
}

/// Gives the cells of a column, merged ones filled.
struct Filler<'a, 'l> {
    grid: &'a Grid,
    lines: &'l [Line],
    /// The first row of data.
    first: u32,
    rect: Rect,
    banners: Vec<usize>,
    /// Without a header the table is a form: a long value is one value.
    has_header: bool,
}

impl<'a> Filler<'a, '_> {
    fn fill(&self, col: u32, names_rows: bool, raws: &mut Vec<Raw<'a>>) {
        let merges = !self.grid.merges().is_empty();
        for (i, line) in self.lines.iter().enumerate() {
            let own = self.grid.at(line, col);
            let cell = own.or_else(|| if merges { self.merged(i, line, col, names_rows) } else { None });
            raws.push(cell.map_or(Raw::default(), |c| Raw { text: c.text, value: c.value }));
        }
    }
    /// What a merged cell puts here. A number that is no name is not repeated: sums would count it twice.
    fn merged(&self, i: usize, line: &Line, col: u32, names_rows: bool) -> Option<Cell<'a>> {
        let merge = self.grid.merge(line.row, col)?;
        let inside = merge.top >= self.first && self.rect.contains(merge.top, merge.left);
        if !inside || merge.left < col && (!self.has_header || self.banners.binary_search(&i).is_ok()) {
            return None;
        }
        let cell = self.grid.get(merge.top, merge.left)?;
        let number = matches!(Class::of(cell.text, cell.value), Class::Number | Class::Small | Class::Year);
        (names_rows || !number).then_some(cell)
    }
}
