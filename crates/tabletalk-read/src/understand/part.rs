//! Makes a table of one rectangle of a grid.

use super::build::Plan;
use super::patch::{Class, Patch};
use super::{header, label, name, word};
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
    let (title, mut notes) =
        titles(placed_cells(grid, Rect { bottom: top.saturating_sub(1), ..rect }, place));
    notes.extend(below.iter().map(|&(row, col, cell)| placed(place, row, col, cell)));
    let names = names_once(grid, inner, &patch, head);
    let repeats = |l: &Line| !names.is_empty() && repeats(grid, inner, &names, l);
    let (again, lines): (Vec<Line>, Vec<Line>) =
        lines(grid, Rect { top: first, ..inner }).into_iter().partition(repeats);
    let used = used_cols(grid, inner);
    let row_headers = header::row_headers(&patch, body);
    let named = name::joined(&patch, head.skip, body);
    let mut header = placed_cells(grid, Rect { bottom: first.saturating_sub(1), ..inner }, place);
    for line in again {
        header.extend(placed_cells(grid, Rect { top: line.row, bottom: line.row, ..inner }, place));
    }
    let at = |col: u32| (col - rect.left) as usize;
    let plan = Plan {
        place: place.clone().cells(inner.rows(), inner.cols()),
        title,
        notes,
        header,
        header_rows: head.header_rows as u32,
        row_headers: Some(used.iter().filter(|&&c| at(c) < row_headers).count() as u32),
        names: used.iter().map(|&c| named.get(at(c)).cloned().unwrap_or_default()).collect(),
        hidden_cols: used.iter().map(|&c| grid.is_col_hidden(c)).collect(),
        rows: lines.iter().map(|l| u64::from(l.row)).collect(),
        hidden_rows: indices(&lines, |l| grid.is_row_hidden(l.row)),
        banners: indices(&lines, |l| is_banner(grid, l, inner)),
        semicolons: grid.has_semicolons(),
        after_gap: after_gap(&lines),
        cols: used.clone(),
    };
    let filler = Filler {
        grid,
        group_col: used.first().copied(),
        carried: carried(grid, &lines, &used, head.header_rows > 0),
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

/// The cells of a header of one row, if it has names enough to be known again.
fn names_once<'a>(grid: &'a Grid, rect: Rect, patch: &Patch<'_>, head: header::Head) -> Vec<(u32, &'a str)> {
    let row = patch.numbers.get(head.skip).filter(|_| head.header_rows == 1);
    let Some(&row) = row else { return Vec::new() };
    let is_name = |cell: &&(u32, &str)| Class::of(cell.1, None) == Class::Text;
    let cells = grid.cells(Rect { top: row, bottom: row, ..rect });
    let names: Vec<(u32, &str)> = cells.map(|(_, col, cell)| (col, cell.text)).collect();
    if names.iter().filter(is_name).count() > 1 { names } else { Vec::new() }
}

/// Whether a row says again what the header says, as where files were put one after the other.
fn repeats(grid: &Grid, rect: Rect, names: &[(u32, &str)], line: &Line) -> bool {
    let is_same = |(col, text): &(u32, &str)| grid.at(line, *col).is_some_and(|c| c.text == *text);
    names.iter().all(is_same) && grid.cols(line, rect.left, rect.right).count() == names.len()
}

/// The rows that stand below an empty one.
fn after_gap(lines: &[Line]) -> Vec<usize> {
    let is_apart = |(_, pair): &(usize, &[Line])| matches!(pair, [a, b] if b.row > a.row + 1);
    (1..).zip(lines.windows(2)).filter(is_apart).map(|(i, _)| i).collect()
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

/// The title and the remarks in the rows above a header. A title stands alone in its row.
pub(super) fn titles(mut notes: Vec<Placed>) -> (Option<Placed>, Vec<Placed>) {
    let is_alone = |p: &Placed| notes.iter().filter(|q| q.place.rows == p.place.rows).count() == 1;
    let only = matches!(&notes[..], [p] if !word::is_note(&p.text)).then_some(0);
    let title = notes.iter().position(|p| is_title(&p.text) && is_alone(p)).or(only);
    (title.map(|i| notes.remove(i)), notes)
}

/// Whether a line above a table may be its name: no remark, and no `Account: 1234`.
fn is_title(text: &str) -> bool {
    let is_fact = text.split_once([':', '：']).is_some_and(|(label, _)| label.split_whitespace().count() < 3);
    !word::is_note(text) && !is_fact
}

type At<'a> = (u32, u32, Cell<'a>);

/// The last row of the data, and the remarks that stand below it in the same rectangle.
fn notes_below<'a>(grid: &'a Grid, rect: Rect) -> (u32, Vec<At<'a>>) {
    let (mut bottom, mut notes) = (rect.bottom, Vec::new());
    if rect.top > rect.bottom || rect.width() < 2 {
        return (bottom, notes);
    }
    let lines = lines(grid, rect);
    for pair in lines.windows(2).rev().take(MAX_NOTES) {
        let [before, line] = pair else { break };
        let cells: Vec<At<'a>> = grid.cells(Rect { top: line.row, bottom: line.row, ..rect }).collect();
        if !is_remark(&cells, rect, line.row > before.row + 1) {
            break;
        }
        notes.splice(0..0, cells);
        bottom = before.row;
    }
    (bottom, notes)
}

/// Whether the cells of a row below a table are remarks on it: they read so, or a lone text stands apart.
fn is_remark(cells: &[At<'_>], rect: Rect, stands_apart: bool) -> bool {
    let Some((first, rest)) = cells.split_first() else { return false };
    let is_text = |at: &At<'_>| Class::of(at.2.text, at.2.value) == Class::Text;
    let reads_so = word::is_note(first.2.text);
    let pair = || {
        rest.len() == 1
            && rest.iter().all(|at| at.1 == first.1 + 1)
            && first.2.text.trim().ends_with([':', '：'])
    };
    first.1 == rect.left
        && is_text(first)
        && match rest.len() {
            0 => reads_so || stands_apart && is_sentence(first.2.text),
            _ => reads_so && pair() && rect.width() > 2,
        }
}

/// Whether a text is more than a name.
fn is_sentence(text: &str) -> bool {
    let text = text.trim();
    label::way(text).is_none() && (text.contains([' ', ':', '：', '，', '。']) || text.chars().count() > 20)
}

/// For each row, the row whose first cell names its group too: `North | Oslo`, then ` | Bergen`. Empty unless the rows
/// are clearly grouped: names that differ, and below them rows that are as full as theirs.
fn carried(grid: &Grid, lines: &[Line], used: &[u32], has_header: bool) -> Vec<Option<usize>> {
    let [group, next, last, ..] = *used else { return Vec::new() };
    if !has_header || lines.iter().all(|l| grid.at(l, group).is_some()) {
        return Vec::new();
    }
    let text =
        |line: &Line, col: u32| grid.at(line, col).filter(|c| Class::of(c.text, c.value) == Class::Text);
    let names: Vec<&str> = lines.iter().filter_map(|l| text(l, group)).map(|c| c.text).collect();
    let filled = lines.iter().filter(|l| grid.at(l, group).is_some()).count();
    let is_member = |l: &Line| grid.at(l, group).is_none() && text(l, next).is_some();
    let members = lines.iter().filter(|l| is_member(l)).count();
    let mut distinct: Vec<&str> = names.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let clear = !grid.merges().iter().any(|m| m.left == group && m.bottom > m.top)
        && names.len() == filled
        && names.len() > 1
        && distinct.len() == names.len()
        && members > 1
        // All but a total have a name of their own.
        && filled + members + 1 >= lines.len()
        && members * 2 >= names.len()
        && lines.iter().filter(|l| is_member(l)).all(|l| grid.at(l, last).is_some())
        && lines.first().is_some_and(|l| grid.at(l, group).is_some());
    if !clear {
        return Vec::new();
    }
    let mut first = None;
    let mut own = |(i, line): (usize, &Line)| {
        if grid.at(line, group).is_some() {
            first = Some(i);
        }
        first.filter(|_| is_member(line))
    };
    lines.iter().enumerate().map(&mut own).collect()
}

/// Gives the cells of a column, merged ones filled.
struct Filler<'a, 'l> {
    grid: &'a Grid,
    lines: &'l [Line],
    /// The first row of data.
    first: u32,
    rect: Rect,
    /// The column that names groups.
    group_col: Option<u32>,
    /// For each row, the row whose first cell names its group too; empty where rows are not grouped.
    carried: Vec<Option<usize>>,
    banners: Vec<usize>,
    /// Without a header the table is a form: a long value is one value.
    has_header: bool,
}

impl<'a> Filler<'a, '_> {
    fn fill(&self, col: u32, names_rows: bool, raws: &mut Vec<Raw<'a>>) {
        let merges = !self.grid.merges().is_empty();
        for (i, line) in self.lines.iter().enumerate() {
            let own = self.grid.at(line, col);
            let merged = || if merges { self.merged(i, line, col, names_rows) } else { None };
            let cell = own.or_else(merged).or_else(|| self.carried(i, col));
            raws.push(cell.map_or(Raw::default(), |c| Raw { text: c.text, value: c.value }));
        }
    }
    /// The name of the group, where it is written in the group's first row alone.
    fn carried(&self, i: usize, col: u32) -> Option<Cell<'a>> {
        let line = self.lines.get(self.carried.get(i).copied().flatten()?)?;
        self.grid.at(line, col).filter(|_| self.group_col == Some(col))
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
