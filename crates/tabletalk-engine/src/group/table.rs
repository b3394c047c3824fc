//! The nodes of a table: itself, its columns, values and rows, made when they are asked for.

use serde_json::{Map, json};
use tabletalk_core::{Batch, Column, Kind, Node, Place, Result};
use tabletalk_store::distinct::Distinct;
use tabletalk_store::{StoredTable, data};

/// Rows shown in the text of a table node.
const SHOWN_ROWS: usize = 5;

/// The node of a whole table: what it is called, its columns and its first rows.
pub fn table(stored: &StoredTable, rows: &[String]) -> Node {
    let t = &stored.table;
    let mut text = String::new();
    for line in [t.title(), t.context.as_str()] {
        push_line(&mut text, line);
    }
    push_line(&mut text, &header_line(&t.columns));
    for row in rows.iter().take(SHOWN_ROWS) {
        push_line(&mut text, row);
    }
    for note in &t.notes {
        push_line(&mut text, &note.text);
    }
    let mut fields = Map::new();
    fields.insert("table".into(), json!(stored.name));
    fields.insert("title".into(), json!(t.title()));
    fields.insert("rows".into(), json!(stored.rows));
    fields.insert("columns".into(), json!(t.columns.iter().map(|c| &c.name).collect::<Vec<_>>()));
    node(stored, "table", stored.id.clone(), t.place.clone(), text, fields)
}

/// Adds a line that is not empty.
pub fn push_line(text: &mut String, line: &str) {
    if !line.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
}

/// The names of the columns, joined by a bar.
pub fn header_line(columns: &[Column]) -> String {
    let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
    names.join(" | ")
}

/// The node of a column's description: name, type, and range or most frequent values.
pub fn schema(stored: &StoredTable, col: usize) -> Option<Node> {
    let column = stored.table.columns.get(col)?;
    let mut text = format!("{}: {}", column.name, column.kind.name());
    if let Some(unit) = &column.unit {
        text.push_str(&format!(", in {unit}"));
    }
    if let Some(stats) = &column.stats {
        match &stats.range {
            Some((low, high)) => text.push_str(&format!(", {low} to {high}")),
            None if !stats.frequent.is_empty() => {
                text.push_str(&format!(", such as {}", stats.frequent.join("; ")))
            }
            None => {}
        }
    }
    let id = format!("{}/s{}", stored.id, col + 1);
    Some(node(stored, "schema", id, column_place(stored, column), text, column_fields(stored, column)))
}

fn column_fields(stored: &StoredTable, column: &Column) -> Map<String, serde_json::Value> {
    let mut fields = Map::new();
    fields.insert("table".into(), json!(stored.name));
    fields.insert("column".into(), json!(column.name));
    fields.insert("type".into(), json!(column.kind.name()));
    if let Some(stats) = &column.stats {
        fields.insert("distinct".into(), json!(stats.distinct));
        if let Some((low, high)) = &stats.range {
            fields.insert("min".into(), json!(low));
            fields.insert("max".into(), json!(high));
        }
    }
    fields
}

fn column_place(stored: &StoredTable, column: &Column) -> Place {
    Place { cols: Some((column.col, column.col)), ..stored.table.place.clone() }
}

/// The node of a distinct value; its place is the first cell it stands in.
pub fn cell(stored: &StoredTable, col: usize, rank: u64, value: &Distinct, row: Option<u64>) -> Option<Node> {
    let column = stored.table.columns.get(col)?;
    let mut fields = column_fields(stored, column);
    fields.insert("value".into(), json!(value.text));
    fields.insert("count".into(), json!(value.count));
    let place = match row {
        Some(row) => stored.table.cell_place(row, column.col),
        None => column_place(stored, column),
    };
    let id = format!("{}/c{}/v{}", stored.id, col + 1, rank + 1);
    Some(node(stored, "cell", id, place, format!("{}: {}", column.name, value.text), fields))
}

/// The node that says from where to where a number or date column goes.
pub fn range(stored: &StoredTable, col: usize) -> Option<Node> {
    let column = stored.table.columns.get(col)?;
    let (low, high) = column.stats.as_ref()?.range.as_ref()?;
    let text = format!("{}: {low} to {high}", column.name);
    let id = format!("{}/c{}/range", stored.id, col + 1);
    Some(node(stored, "cell", id, column_place(stored, column), text, column_fields(stored, column)))
}

/// The node of a row: its values joined by a bar. `at` is its position in the table from 0.
pub fn row(stored: &StoredTable, batch: &Batch, i: usize, at: u64) -> Node {
    let place = row_place(stored, batch.rows.get(i).copied().unwrap_or(0));
    let mut fields = Map::new();
    fields.insert("table".into(), json!(stored.name));
    fields.insert("row".into(), json!(at + 1));
    let id = format!("{}/r{}", stored.id, at + 1);
    node(stored, "row", id, place, row_text(batch, i), fields)
}

fn row_place(stored: &StoredTable, row: u64) -> Place {
    stored.table.place_of((row, row), None)
}

/// The values of a row joined by a bar.
pub fn row_text(batch: &Batch, i: usize) -> String {
    let mut text = String::new();
    for (c, cells) in batch.columns.iter().enumerate() {
        if c > 0 {
            text.push_str(" | ");
        }
        text.push_str(&cells.text(i));
    }
    text
}

/// The node of a column with its most frequent values joined by a bar.
pub fn column(stored: &StoredTable, col: usize) -> Result<Option<Node>> {
    const MOST: usize = 1000;
    let Some(c) = stored.table.columns.get(col) else { return Ok(None) };
    let mut text = c.name.clone();
    let mut counter = tabletalk_store::distinct::Counter::new(c.kind, 1 << 20);
    let mut base = 0;
    for batch in data::open(&stored.table.columns, &stored.data, Some(&[col]))? {
        let batch = batch?;
        counter.add(&batch.columns[col], base)?;
        base += batch.len() as u64;
    }
    for value in counter.finish()?.take(MOST) {
        text.push_str(" | ");
        text.push_str(&value?.text);
    }
    let id = format!("{}/c{}", stored.id, col + 1);
    Ok(Some(node(stored, "column", id, column_place(stored, c), text, column_fields(stored, c))))
}

fn node(
    stored: &StoredTable,
    group: &str,
    id: String,
    place: Place,
    text: String,
    fields: Map<String, serde_json::Value>,
) -> Node {
    let parent = match group {
        "table" => tabletalk_core::node::document_of(&stored.id).to_owned(),
        _ => stored.id.clone(),
    };
    Node { id, group: group.into(), parent, place, text, fields }
}

/// Whether a column holds values that a range says something about.
pub fn has_range(column: &Column) -> bool {
    column.kind.is_ordered() && column.kind != Kind::Boolean
}
