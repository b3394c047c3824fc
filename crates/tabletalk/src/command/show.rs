//! `show`.

mod picture;

use super::Context;
use super::list::{document_json, place_json, table_json};
use crate::args::{Format, Show};
use serde_json::{Value, json};
use tabletalk::store::{Piece, StoredTable, data};
use tabletalk::{Error, Library, Result, recall};

pub fn run(context: &Context<'_>, args: &Show) -> Result<u8> {
    let library = context.library()?;
    let is_picture = args.format == Format::Png;
    let format = if context.output.is_json() && !is_picture { Format::Json } else { args.format };
    let rows = if args.rows == 0 { usize::MAX } else { args.rows };
    let shown = match find(&library, &args.id)? {
        Found::Document(key) if format == Format::Png => picture::show(context, &library, key, args)?,
        _ if format == Format::Png => return Err(Error::input("only pages of documents have a picture")),
        Found::Document(key) => document(&library, key, format, rows, args.page)?,
        Found::Table(stored) => table(&stored, format, rows)?,
        Found::Node(node) => match format {
            Format::Json => Shown::Value(node_json(&node)),
            _ => Shown::Text(format!("{}\n\n{}", node.place, node.text)),
        },
    };
    match shown {
        Shown::Value(value) => context.output.value(&value),
        Shown::Text(text) => context.output.text(&text),
    }
    Ok(0)
}

enum Shown {
    Value(Value),
    Text(String),
}

enum Found {
    Document(i64),
    Table(Box<StoredTable>),
    Node(Box<tabletalk::Node>),
}

fn find(library: &Library, id: &str) -> Result<Found> {
    let catalog = library.store().catalog()?;
    if let Some(record) = catalog.record(id)? {
        return Ok(Found::Document(record.key));
    }
    if let Some(stored) = catalog.table_named(id)? {
        return Ok(Found::Table(Box::new(stored)));
    }
    if let Some((document, table)) = id.rsplit_once("/t")
        && let (Some(record), Ok(n)) = (catalog.record(document)?, table.parse::<usize>())
        && let Some(stored) = catalog.tables_of(record.key)?.into_iter().nth(n.wrapping_sub(1))
    {
        return Ok(Found::Table(Box::new(stored)));
    }
    let node = recall::node_by_id(library.store(), id)?;
    node.map(|node| Found::Node(Box::new(node))).ok_or_else(|| {
        Error::missing(format!("there is no document, table or node `{id}`"))
            .hint("`tabletalk docs` and `tabletalk tables` list what there is")
    })
}

fn node_json(node: &tabletalk::Node) -> Value {
    let mut value = serde_json::to_value(node).unwrap_or_default();
    value["place"] = place_json(&node.place);
    value
}

fn document(library: &Library, key: i64, format: Format, rows: usize, page: Option<u32>) -> Result<Shown> {
    let catalog = library.store().catalog()?;
    let record = catalog.record_by_key(key)?.ok_or_else(|| Error::missing("the document went"))?;
    let tables = catalog.tables_of(key)?;
    let mut outline = catalog.outline(key)?;
    if let Some(page) = page {
        outline.retain(|p| is_on(p, &tables, page));
        if outline.is_empty() {
            let message = format!("nothing was found on page {page} of `{}`", record.name);
            return Err(Error::missing(message).hint("`tabletalk docs` says how many pages a document has"));
        }
    }
    if format == Format::Json {
        let mut value = document_json(&record);
        let shown = tables.iter().filter(|t| page.is_none_or(|p| table_is_on(t, p)));
        let tables = shown.map(|t| full_table(t, rows, page)).collect::<Result<Vec<_>>>()?;
        value["blocks"] = outline.iter().map(piece_json).collect();
        value["tables"] = Value::Array(tables);
        return Ok(Shown::Value(value));
    }
    let (mut text, mut was_item) = (String::new(), false);
    for piece in &outline {
        let part = match piece {
            Piece::Heading(level, placed) => heading(format, *level, &placed.text),
            Piece::Text(placed) | Piece::Note(placed) => paragraph(format, &placed.text),
            Piece::Item(depth, placed) => item(format, *depth, &placed.text),
            Piece::Image(placed) if placed.text.is_empty() => paragraph(format, "[image]"),
            Piece::Image(placed) => paragraph(format, &format!("[image: {}]", placed.text)),
            Piece::Table(n) => match tables.get(*n as usize - 1) {
                Some(stored) => grid(stored, format, rows, page)?,
                None => continue,
            },
        };
        // Items of a list stand together.
        let is_item = matches!(piece, Piece::Item(..));
        if was_item && !is_item {
            text.push('\n');
        }
        text.push_str(&part);
        if !is_item {
            text.push('\n');
        }
        was_item = is_item;
    }
    Ok(Shown::Text(text))
}

/// Whether a piece stands on a page.
fn is_on(piece: &Piece, tables: &[StoredTable], page: u32) -> bool {
    match piece {
        Piece::Table(n) => tables.get((*n as usize).wrapping_sub(1)).is_some_and(|t| table_is_on(t, page)),
        Piece::Heading(_, p) | Piece::Item(_, p) => p.place.page == Some(page),
        Piece::Text(p) | Piece::Note(p) | Piece::Image(p) => p.place.page == Some(page),
    }
}

fn table_is_on(stored: &StoredTable, page: u32) -> bool {
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

fn piece_json(piece: &Piece) -> Value {
    let placed = |kind: &str, p: &tabletalk_core::Placed| json!({"kind": kind, "text": p.text, "place": place_json(&p.place)});
    match piece {
        Piece::Heading(level, p) => {
            let mut value = placed("heading", p);
            value["level"] = json!(level);
            value
        }
        Piece::Item(depth, p) => {
            let mut value = placed("item", p);
            value["depth"] = json!(depth);
            value
        }
        Piece::Text(p) => placed("text", p),
        Piece::Note(p) => placed("note", p),
        Piece::Image(p) => placed("image", p),
        Piece::Table(n) => json!({"kind": "table", "number": n}),
    }
}

fn heading(format: Format, level: u8, text: &str) -> String {
    match format {
        Format::Html => format!("<h{level}>{}</h{level}>\n", escape(text)),
        _ => format!("{} {text}\n", "#".repeat(level as usize)),
    }
}

fn paragraph(format: Format, text: &str) -> String {
    match format {
        Format::Html => format!("<p>{}</p>\n", escape(text)),
        _ => format!("{text}\n"),
    }
}

fn item(format: Format, depth: u8, text: &str) -> String {
    let indent = "  ".repeat(usize::from(depth.saturating_sub(1)));
    match format {
        Format::Html => format!("<li>{}</li>\n", escape(text)),
        _ => format!("{indent}- {text}\n"),
    }
}

fn table(stored: &StoredTable, format: Format, rows: usize) -> Result<Shown> {
    Ok(match format {
        Format::Json => Shown::Value(full_table(stored, rows, None)?),
        _ => Shown::Text(grid(stored, format, rows, None)?),
    })
}

/// A table with the place of every cell.
fn full_table(stored: &StoredTable, most: usize, page: Option<u32>) -> Result<Value> {
    let mut value = table_json(stored);
    let placed = |list: &[tabletalk_core::Placed]| -> Vec<Value> {
        list.iter().map(|p| json!({"text": p.text, "place": place_json(&p.place)})).collect()
    };
    value["title_place"] = stored.table.title.as_ref().map_or(Value::Null, |t| place_json(&t.place));
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

fn typed(cells: &tabletalk_core::Cells, kind: tabletalk_core::Kind, i: usize) -> Value {
    use tabletalk_core::Kind;
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

fn each_row(
    stored: &StoredTable,
    most: usize,
    mut each: impl FnMut(&tabletalk_core::Batch, usize),
) -> Result<()> {
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

fn grid(stored: &StoredTable, format: Format, most: usize, page: Option<u32>) -> Result<String> {
    let mut lines: Vec<Vec<String>> = vec![stored.table.columns.iter().map(|c| c.name.clone()).collect()];
    each_row(stored, most, |batch, i| {
        if row_is_on(stored, batch.rows.get(i).copied().unwrap_or(0), page) {
            lines.push(batch.columns.iter().map(|c| c.text(i).into_owned()).collect());
        }
    })?;
    let more = stored.rows.saturating_sub(most.max(lines.len() - 1) as u64);
    Ok(match format {
        Format::Csv => csv(&lines),
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

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn csv(lines: &[Vec<String>]) -> String {
    let cell = |c: &String| match c.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", c.replace('"', "\"\"")),
        false => c.clone(),
    };
    lines.iter().map(|l| l.iter().map(cell).collect::<Vec<_>>().join(",") + "\n").collect()
}
