//! Objects that are documents of their own: a table with `header` and `rows`, or a `text`.

use super::record::{self, Row};
use serde_json::{Map, Value};
use tabletalk_core::{Block, Document, Place, Placed};

/// Strings longer than this are content, not fields to filter on.
const LONGEST_FIELD: usize = 1000;

/// Whether a value is a document of its own.
pub(super) fn is_document(value: &Value) -> bool {
    value.as_object().is_some_and(is_document_map)
}

/// Whether an object is a document of its own.
pub(super) fn is_document_map(map: &Map<String, Value>) -> bool {
    let is_list = |key: &str| map.get(key).is_some_and(Value::is_array);
    (is_list("header") && is_list("rows")) || map.get("text").is_some_and(Value::is_string)
}

/// Whether records that are texts have further fields that a question may be about: then they are rows too.
/// A corpus of ids, titles and texts is a corpus alone.
pub(super) fn has_columns(values: &[Value]) -> bool {
    let texts: Vec<&Map<String, Value>> = values.iter().filter_map(Value::as_object).collect();
    let is_text = |map: &&Map<String, Value>| {
        map.get("text").is_some_and(Value::is_string) && !map.contains_key("rows")
    };
    let more = |map: &&Map<String, Value>| map.iter().any(|(name, value)| !is_own(name) && is_field(value));
    !texts.is_empty() && texts.iter().all(is_text) && texts.iter().any(more)
}

fn is_own(name: &str) -> bool {
    matches!(name, "id" | "title" | "text")
}

/// A text as a row: all but what it says.
pub(super) fn row(value: Value) -> Row {
    let mut row = record::flatten(value);
    row.retain(|(name, _, _)| name != "text");
    row
}

/// The document an object is; `number` is its line or place in the list.
pub(super) fn document(value: Value, file: &str, number: u64) -> Option<Document> {
    let Value::Object(mut map) = value else {
        return None;
    };
    let mut take = |key: &str| map.shift_remove(key).map(record::text).unwrap_or_default();
    let (id, title) = (take("id"), take("title"));
    let source_id = if id.is_empty() { number.to_string() } else { id };
    let place = Place::file(format!("{file}#{source_id}"));
    let block = match (map.shift_remove("header"), map.shift_remove("rows")) {
        (Some(header), Some(rows)) => table(header, rows, &title, &place),
        _ => Block::Text(Placed { text: record::text(map.shift_remove("text")?), place }),
    };
    Some(Document { source_id, title, fields: fields(map), blocks: vec![block], ..Document::default() })
}

fn table(header: Value, rows: Value, title: &str, place: &Place) -> Block {
    let header = names(header);
    let rows = match rows {
        Value::Array(rows) => rows.into_iter().map(texts).collect(),
        _ => Vec::new(),
    };
    let mut table = crate::understand::table(&header, &rows, place);
    if !title.is_empty() {
        table.title = Some(Placed { text: title.to_owned(), place: place.clone() });
    }
    Block::Table(table)
}

/// The names of columns; a header of several rows is joined.
fn names(header: Value) -> Vec<String> {
    match header {
        Value::Array(rows) if rows.first().is_some_and(Value::is_array) => {
            let rows: Vec<Vec<String>> = rows.into_iter().map(texts).collect();
            let width = rows.iter().map(Vec::len).max().unwrap_or(0);
            crate::understand::names(&rows, width)
        }
        header => texts(header),
    }
}

pub(super) fn texts(list: Value) -> Vec<String> {
    match list {
        Value::Array(items) => items.into_iter().map(record::text).collect(),
        Value::Object(map) => map.into_iter().map(|(_, v)| record::text(v)).collect(),
        other => vec![record::text(other)],
    }
}

/// What can be filtered on: single values that are not long.
fn fields(map: Map<String, Value>) -> Map<String, Value> {
    map.into_iter().filter(|(_, value)| is_field(value)).collect()
}

fn is_field(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty() && text.len() <= LONGEST_FIELD,
        Value::Number(_) | Value::Bool(_) => true,
        _ => false,
    }
}
