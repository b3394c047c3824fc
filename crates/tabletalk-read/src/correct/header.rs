//! Makes a header deeper or flatter: rows of data become levels of names, or levels rows of data.

use super::front::{Front, Line};
use crate::understand;
use std::collections::{BTreeMap, HashMap};
use tabletalk_core::{Column, Error, Placed, Result, Table};

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
