//! Makes a header deeper or flatter: rows of data become levels of names, or levels rows of data.

use super::front::{Front, Line};
use crate::understand;
use std::collections::{BTreeMap, HashMap};
use tabletalk_core::{Column, Error, Placed, Result, Table};

/// So many rows at most stand above a header that is said to be further down.
const MAX_ABOVE: usize = 1000;

/// Gives a table a header of so many rows. Where that is a change, gives back the names the columns have now,
/// not yet unique and empty where there is none, and the rows that were header rows before.
pub(super) fn set_depth(
    table: &mut Table,
    depth: u32,
    front: &mut Front,
) -> Result<(Option<Vec<String>>, Vec<Line>)> {
    if depth == table.header_rows {
        return Ok((None, Vec::new()));
    }
    let more = depth.saturating_sub(table.header_rows) as usize;
    let rows = front.pull(more.max(1))?;
    if rows < more {
        return Err(Error::input(format!("the header cannot have {depth} rows: only {rows} follow it"))
            .hint(format!("it can have {} at most", table.header_rows as usize + rows)));
    }
    let mut levels = levels(table, front.first_row());
    let given = if levels.is_empty() { given(&table.columns) } else { Vec::new() };
    let freed = levels.split_off(levels.len().min(depth as usize));
    free(table, &freed);
    let mut texts: Vec<Vec<String>> = levels.into_iter().map(|line| filled(line, &table.columns)).collect();
    for line in front.take(more) {
        add(table, &line);
        texts.push(line.texts);
    }
    table.header_rows = depth;
    table.columns.iter_mut().for_each(|column| column.stats = None);
    let mut names = understand::joined(&texts, table.columns.len());
    names.iter_mut().zip(given).for_each(|(name, given)| put_below(name, given));
    Ok((Some(names), freed))
}

/// The row of the source that the header begins in.
pub(super) fn top(table: &Table) -> Option<u64> {
    table.header.iter().filter_map(|cell| cell.place.rows).map(|(row, _)| row).min()
}

/// Lets the header begin in row `top` of the source. What stands above it becomes notes, what stands below it data.
pub(super) fn move_to(
    table: &mut Table,
    top: u64,
    depth: u32,
    front: &mut Front,
) -> Result<(Option<Vec<String>>, Vec<Line>)> {
    front.pull(1)?;
    let first = front.first_row().unwrap_or(u64::MAX);
    let between = usize::try_from(top.saturating_sub(first)).unwrap_or(usize::MAX).min(MAX_ABOVE);
    front.pull(between + depth as usize + 1)?;
    let mut lines = lift(table, first);
    lines.extend(front.take(front.rows_before(top)));
    let mut below = lines.split_off(lines.partition_point(|line| line.row < top));
    let missing = (depth as usize).saturating_sub(below.len());
    below.extend(front.take(missing));
    if below.len() < depth as usize || depth > 0 && below.first().is_none_or(|line| line.row != top) {
        return Err(Error::input(format!("the header cannot be row {top}: the table has no cell there"))
            .hint(format!("name a row with the names of the columns, among its first {MAX_ABOVE}")));
    }
    let freed = below.split_off(depth as usize);
    put_above(table, &lines);
    below.iter().for_each(|line| add(table, line));
    table.header_rows = depth;
    table.columns.iter_mut().for_each(|column| column.stats = None);
    if let Some(rows) = &mut table.place.rows {
        rows.0 = top.min(rows.1);
    }
    let texts: Vec<Vec<String>> = below.into_iter().map(|line| line.texts).collect();
    Ok((Some(understand::joined(&texts, table.columns.len())), freed))
}

/// Takes the cells above the data out of title, notes and header, as rows.
fn lift(table: &mut Table, first_row: u64) -> Vec<Line> {
    let positions = positions(&table.columns);
    let mut lines: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    let width = table.columns.len();
    let mut keep = |cell: &Placed| {
        let is_cell =
            cell.place.rows.is_some_and(|(a, b)| a == b) && cell.place.cols.is_some_and(|(a, b)| a == b);
        let Some((row, i)) = slot(cell, &positions).filter(|(row, _)| is_cell && *row < first_row) else {
            return true;
        };
        let texts = lines.entry(row).or_insert_with(|| vec![String::new(); width]);
        match texts.get_mut(i).filter(|text| text.is_empty()) {
            Some(text) => text.clone_from(&cell.text),
            None => return true,
        }
        false
    };
    table.title = table.title.take().filter(&mut keep);
    table.notes.retain(&mut keep);
    table.header.retain(&mut keep);
    lines.into_iter().map(|(row, texts)| Line { row, texts }).collect()
}

/// Puts rows above the header: as the title, where one reads so and there is none, and as notes.
fn put_above(table: &mut Table, lines: &[Line]) {
    let mut above = Vec::new();
    for line in lines {
        let filled = table.columns.iter().zip(&line.texts).filter(|(_, text)| !text.trim().is_empty());
        above.extend(filled.map(|(column, text)| Placed {
            text: text.trim().to_owned(),
            place: table.cell_place(line.row, column.col),
        }));
    }
    let (title, notes) = match table.title.take() {
        Some(title) => (Some(title), above),
        None => understand::titles(above),
    };
    table.title = title;
    table.notes.splice(0..0, notes);
}

/// Where each source column stands among the columns.
fn positions(columns: &[Column]) -> HashMap<u32, usize> {
    columns.iter().enumerate().map(|(i, c)| (c.col, i)).collect()
}

/// The row and the column a header cell stands in; `None` where it stands in no column of the table.
fn slot(cell: &Placed, positions: &HashMap<u32, usize>) -> Option<(u64, usize)> {
    Some((cell.place.rows?.0, *positions.get(&cell.place.cols?.0)?))
}

/// The rows of the header. Those below the first row of data repeat it on a later page and are not among them.
fn levels(table: &Table, first_row: Option<u64>) -> Vec<Line> {
    let positions = positions(&table.columns);
    let mut lines: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for cell in &table.header {
        let Some((row, i)) = slot(cell, &positions) else { continue };
        if first_row.is_some_and(|first| row >= first) {
            continue;
        }
        let texts = lines.entry(row).or_insert_with(|| vec![String::new(); table.columns.len()]);
        if let Some(text) = texts.get_mut(i).filter(|text| text.is_empty()) {
            text.clone_from(&cell.text);
        }
    }
    let lines = lines.into_iter().take(table.header_rows as usize);
    lines.map(|(row, texts)| Line { row, texts }).collect()
}

/// A level of names, with those that reach over several columns in each of them: the name of a column tells
/// whether it had the text to the left of a gap.
fn filled(line: Line, columns: &[Column]) -> Vec<String> {
    let mut left = String::new();
    let mut texts = line.texts;
    for (text, column) in texts.iter_mut().zip(columns) {
        if !text.is_empty() {
            left.clone_from(text);
        } else if has_level(&column.name, &understand::tidy(&left)) {
            text.clone_from(&left);
        }
    }
    texts
}

fn has_level(name: &str, level: &str) -> bool {
    !level.is_empty() && format!(" / {name} / ").contains(&format!(" / {level} / "))
}

/// The names a source gives though it has no header rows.
fn given(columns: &[Column]) -> Vec<String> {
    let is_made = |c: &Column| c.name == understand::nameless(c.col);
    columns.iter().map(|c| if is_made(c) { String::new() } else { c.name.clone() }).collect()
}

fn put_below(name: &mut String, upper: String) {
    match (upper.is_empty(), name.is_empty()) {
        (true, _) => {}
        (false, true) => *name = upper,
        (false, false) => *name = format!("{upper} / {name}"),
    }
}

/// Takes the cells of rows that are data now out of the header.
fn free(table: &mut Table, freed: &[Line]) {
    let positions = positions(&table.columns);
    let is_free = |cell: &Placed| {
        let Some((row, i)) = slot(cell, &positions) else { return false };
        freed.iter().any(|line| line.row == row && line.text(i) == cell.text)
    };
    table.header.retain(|cell| !is_free(cell));
}

/// Adds the cells of a row to the header.
fn add(table: &mut Table, line: &Line) {
    for (i, text) in line.texts.iter().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let Some(col) = table.columns.get(i).map(|c| c.col) else { continue };
        let place = table.cell_place(line.row, col);
        table.header.push(Placed { text: text.trim().to_owned(), place });
    }
    table.header.sort_by_key(|cell| (cell.place.rows, cell.place.cols));
}
