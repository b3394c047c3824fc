//! Documents with what is in them.

use super::table::{Format, full_table, grid, table_is_on};
use super::{place, record};
use crate::chart::escape;
use crate::{Error, Library, Result};
use serde_json::{Value, json};
use tabletalk_core::Placed;
use tabletalk_store::{Piece, Record, StoredTable};

/// What a document is made of.
struct Parts {
    record: Record,
    outline: Vec<Piece>,
    tables: Vec<StoredTable>,
}

/// The parts of a document, or those on one page.
fn parts(library: &Library, key: i64, page: Option<u32>) -> Result<Parts> {
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
    Ok(Parts { record, outline, tables })
}

/// A document with its blocks, and its tables with at most so many rows.
pub fn document(library: &Library, key: i64, rows: usize, page: Option<u32>) -> Result<Value> {
    let parts = parts(library, key, page)?;
    let mut value = record(&parts.record);
    let shown = parts.tables.iter().filter(|t| page.is_none_or(|p| table_is_on(t, p)));
    let tables = shown.map(|t| full_table(t, rows, page)).collect::<Result<Vec<_>>>()?;
    value["blocks"] = parts.outline.iter().map(piece).collect();
    value["tables"] = Value::Array(tables);
    Ok(value)
}

/// A document as text.
pub fn document_text(
    library: &Library,
    key: i64,
    format: Format,
    rows: usize,
    page: Option<u32>,
) -> Result<String> {
    let Parts { outline, tables, .. } = parts(library, key, page)?;
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
    Ok(text)
}

/// Whether a piece stands on a page.
fn is_on(piece: &Piece, tables: &[StoredTable], page: u32) -> bool {
    match piece {
        Piece::Table(n) => tables.get((*n as usize).wrapping_sub(1)).is_some_and(|t| table_is_on(t, page)),
        Piece::Heading(_, p) | Piece::Item(_, p) => p.place.page == Some(page),
        Piece::Text(p) | Piece::Note(p) | Piece::Image(p) => p.place.page == Some(page),
    }
}

fn piece(piece: &Piece) -> Value {
    let placed = |kind: &str, p: &Placed| json!({"kind": kind, "text": p.text, "place": place(&p.place)});
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
