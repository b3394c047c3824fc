//! Tables with their rows.

use super::{place, table};
use crate::Result;
use crate::chart::escape;
use serde_json::{Value, json};
use tabletalk_core::{Batch, Cells, Kind, Placed};
use tabletalk_store::{StoredTable, data};

/// How text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown.
    Md,
    /// HTML.
    Html,
    /// CSV.
    Csv,
}

/// Whether a part of a table stands on a page.
pub(super) fn table_is_on(stored: &StoredTable, page: u32) -> bool {
    match &stored.table.layout {
        Some(layout) => layout.rows.iter().any(|r| r.0 == page),
        None => stored.table.place.page == Some(page),
    }
}

/// Whether a row stands on the page that is asked for.
fn row_is_on(stored: &StoredTable, row: u64, page: Option<u32>) -> bool {
    let Some(page) = page else { return true };
    let Some(layout) = &stored.table.layout else { return true };
    layout.cell(row, 1).is_none_or(|found| found.0 == page)
}

/// A table with the place of every cell.
pub fn full_table(stored: &StoredTable, most: usize, page: Option<u32>) -> Result<Value> {
    let mut value = table(stored);
    let placed = |list: &[Placed]| -> Vec<Value> {
        list.iter().map(|p| json!({"text": p.text, "place": place(&p.place)})).collect()
    };
    value["title_place"] = stored.table.title.as_ref().map_or(Value::Null, |t| place(&t.place));
    value["header"] = placed(&stored.table.header).into();
    value["notes"] = placed(&stored.table.notes).into();
    value["context"] = json!(stored.table.context);
    let mut rows = Vec::new();
    each_row(stored, most, |batch, i| {
        let number = batch.rows.get(i).copied().unwrap_or(0);
        if !row_is_on(stored, number, page) {
            return;
        }
        let cells: Vec<Value> = batch
            .columns
            .iter()
            .zip(&stored.table.columns)
            .map(|(cells, column)| {
                let a1 = format!("{}{number}", tabletalk_core::place::column_letters(column.col));
                let mut cell =
                    json!({"a1": a1, "text": cells.text(i), "value": typed(cells, column.kind, i)});
                if let Some((page, bbox)) = boxed(stored, number, column.col) {
                    (cell["page"], cell["bbox"]) = (json!(page), json!(bbox));
                }
                cell
            })
            .collect();
        rows.push(json!({"row": number, "mark": batch.mark(i), "cells": cells}));
    })?;
    value["cells"] = Value::Array(rows);
    Ok(value)
}

fn boxed(stored: &StoredTable, row: u64, col: u32) -> Option<(u32, [f32; 4])> {
    stored.table.layout.as_ref()?.cell(row, col)
}

fn typed(cells: &Cells, kind: Kind, i: usize) -> Value {
    let text = tabletalk_core::table::plain(&cells.value, i);
    if text.is_empty() {
        return Value::Null;
    }
    match kind {
        Kind::Integer => text.parse::<i64>().map_or(Value::Null, Value::from),
        Kind::Decimal => text.parse::<f64>().map_or(Value::Null, Value::from),
        Kind::Boolean => json!(text == "true"),
        _ => json!(text),
    }
}

fn each_row(stored: &StoredTable, most: usize, mut each: impl FnMut(&Batch, usize)) -> Result<()> {
    let mut left = most;
    for batch in data::open(&stored.table.columns, &stored.data, None)? {
        let batch = batch?;
        for i in 0..batch.len().min(left) {
            each(&batch, i);
        }
        left = left.saturating_sub(batch.len());
        if left == 0 {
            break;
        }
    }
    Ok(())
}

/// So many rows from a position on, each with its number in the source, its mark and what is written in it.
pub fn rows(stored: &StoredTable, offset: u64, limit: usize) -> Result<Value> {
    let mut rows = Vec::new();
    let end = offset.saturating_add(limit as u64).min(stored.rows);
    if offset < end {
        for (first, batch) in data::open_at(&stored.table.columns, &stored.data, None, offset)? {
            let batch = batch?;
            let from = offset.saturating_sub(first).min(batch.len() as u64) as usize;
            let to = end.saturating_sub(first).min(batch.len() as u64) as usize;
            rows.extend((from..to).map(|i| row(&batch, i)));
            if first + batch.len() as u64 >= end {
                break;
            }
        }
    }
    Ok(json!({"offset": offset, "total": stored.rows, "rows": rows}))
}

fn row(batch: &Batch, i: usize) -> Value {
    let cells: Vec<_> = batch.columns.iter().map(|c| c.text(i)).collect();
    json!({"row": batch.rows.get(i), "mark": batch.mark(i), "cells": cells})
}

/// The position of the row with this number in the source, or of the next one after it.
pub fn position_of(stored: &StoredTable, number: u64) -> Result<u64> {
    for (first, batch) in data::open_at(&stored.table.columns, &stored.data, Some(&[]), 0)? {
        let batch = batch?;
        if batch.rows.last().is_some_and(|last| *last >= number) {
            return Ok(first + batch.rows.partition_point(|row| *row < number) as u64);
        }
    }
    Ok(stored.rows.saturating_sub(1))
}

/// A table as text.
pub fn table_text(stored: &StoredTable, format: Format, most: usize) -> Result<String> {
    grid(stored, format, most, None)
}

pub(super) fn grid(stored: &StoredTable, format: Format, most: usize, page: Option<u32>) -> Result<String> {
    let mut lines: Vec<Vec<String>> = vec![stored.table.columns.iter().map(|c| c.name.clone()).collect()];
    each_row(stored, most, |batch, i| {
        if row_is_on(stored, batch.rows.get(i).copied().unwrap_or(0), page) {
            lines.push(batch.columns.iter().map(|c| c.text(i).into_owned()).collect());
        }
    })?;
    let more = stored.rows.saturating_sub(most.max(lines.len() - 1) as u64);
    Ok(match format {
        Format::Csv => lines.iter().map(|l| crate::export::csv_line(l)).collect(),
        Format::Html => html(stored, &lines),
        _ => markdown(stored, &lines, more),
    })
}

fn markdown(stored: &StoredTable, lines: &[Vec<String>], more: u64) -> String {
    let cell = |c: &String| c.replace('|', "\\|").replace('\n', " ");
    let line = |l: &Vec<String>| format!("| {} |\n", l.iter().map(cell).collect::<Vec<_>>().join(" | "));
    let mut text = format!("**{}** ({})\n\n", stored.table.title(), stored.table.place);
    for (i, l) in lines.iter().enumerate() {
        text.push_str(&line(l));
        if i == 0 {
            text.push_str(&format!("|{}\n", " --- |".repeat(l.len())));
        }
    }
    if more > 0 {
        text.push_str(&format!("\n… {more} more rows; --rows 0 shows all\n"));
    }
    for note in &stored.table.notes {
        text.push_str(&format!("\n{}\n", note.text));
    }
    text
}

fn html(stored: &StoredTable, lines: &[Vec<String>]) -> String {
    let mut text = format!("<table>\n<caption>{}</caption>\n", escape(stored.table.title()));
    for (i, l) in lines.iter().enumerate() {
        let tag = if i == 0 { "th" } else { "td" };
        let cells: String = l.iter().map(|c| format!("<{tag}>{}</{tag}>", escape(c))).collect();
        text.push_str(&format!("<tr>{cells}</tr>\n"));
    }
    text.push_str("</table>\n");
    text
}

/// Every row of a table as it is written, the names of its columns first; at most so many. Whoever takes them may say that it is
/// enough.
pub fn written_rows(
    stored: &StoredTable,
    most: usize,
    take: &mut dyn FnMut(Vec<String>) -> bool,
) -> Result<()> {
    if !take(stored.table.columns.iter().map(|c| c.name.clone()).collect()) {
        return Ok(());
    }
    let mut left = most;
    for batch in data::open(&stored.table.columns, &stored.data, None)? {
        let batch = batch?;
        for i in 0..batch.len().min(left) {
            if !take(batch.columns.iter().map(|c| c.text(i).into_owned()).collect()) {
                return Ok(());
            }
        }
        left = left.saturating_sub(batch.len());
        if left == 0 {
            break;
        }
    }
    Ok(())
}
