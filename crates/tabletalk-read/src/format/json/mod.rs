//! JSON and JSON lines.
//!
//! A line (or an object) with `header` and `rows` is one table, one with `text` is one text; each is a
//! document of its own. Other objects are the rows of one table, nested ones flattened with dotted names.

mod corpus;
mod lines;
mod record;

use crate::source;
use crate::source::Look;
use crate::understand::Marker;
use record::Records;
use serde_json::Value;
use std::io::Read;
use tabletalk_core::seam::{Documents, Limits, Source};
use tabletalk_core::{Block, Document, Error, Place, Placed, Result, Rows, Table};

/// Whether a text has the name of such a file, or begins as one does.
pub(crate) fn looks(look: Look<'_>) -> bool {
    source::encoding_of(look.head).is_some_and(|(_, mark)| {
        let body = look.head.get(mark..).unwrap_or_default().trim_ascii_start();
        look.is_named || begins_as_json(body)
    })
}

/// Reads JSON and JSON lines.
pub(crate) fn read(source: &Source<'_>) -> Result<Documents> {
    let head = source::head(source, source::HEAD)?;
    let (encoding, mark) = source::encoding_of(&head).ok_or_else(|| Error::input("is not text"))?;
    let wide = encoding != encoding_rs::UTF_8;
    let body = if wide {
        source::decode(&head, None).into_bytes()
    } else {
        head.get(mark..).unwrap_or(&head).to_vec()
    };
    if !wide && are_lines(&body, head.len() == source::HEAD, source)? {
        return lines::read(source, mark);
    }
    let document = whole(source)?;
    Ok(Box::new(document.into_iter().map(Ok)))
}

fn begins_as_json(body: &[u8]) -> bool {
    let after = |n: usize| body.get(n..).unwrap_or_default().trim_ascii_start().first();
    match body.first() {
        Some(b'{') => matches!(after(1), Some(b'"' | b'}')),
        Some(b'[') => matches!(after(1), Some(b'{' | b'[')),
        _ => false,
    }
}

/// Whether the first line is a value of its own and more lines follow.
fn are_lines(body: &[u8], goes_on: bool, source: &Source<'_>) -> Result<bool> {
    let body = body.trim_ascii_start();
    if body.first() != Some(&b'{') {
        return Ok(false);
    }
    let line = body.split(|b| *b == b'\n').next().unwrap_or(body);
    if line.len() == body.len() {
        // One line longer than the head: as a rule a line of many, for whole files are written in many.
        let named = |name: &str| name.contains(".jsonl") || name.contains(".ndjson");
        return Ok(goes_on && (named(source.name) || second_line(source)?));
    }
    Ok(serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok())
}

/// Whether a file whose first line is very long has a second one.
fn second_line(source: &Source<'_>) -> Result<bool> {
    let mut reader = source::open(source)?.take(source.limits.max_cell_bytes as u64);
    let mut piece = vec![0; 1 << 20];
    loop {
        let n = reader.read(&mut piece).map_err(source::fault)?;
        if n == 0 {
            return Ok(false);
        }
        if memchr::memchr(b'\n', piece.get(..n).unwrap_or_default()).is_some() {
            return Ok(true);
        }
    }
}

/// The documents of a file that is one JSON value.
fn whole(source: &Source<'_>) -> Result<Vec<Document>> {
    let bytes = source::bytes(source)?;
    if bytes.len() as u64 > source.limits.max_memory_file_bytes / 4 {
        return Err(Error::limit("is too large for a single JSON value")
            .hint("write it as JSON lines, which can be of any size, or raise max_memory_file_bytes"));
    }
    let text = source::decode(&bytes, None);
    drop(bytes);
    if text.trim().is_empty() {
        return Err(Error::input("is empty"));
    }
    let value: Value = serde_json::from_str(&text)?;
    drop(text);
    documents(value, source)
}

fn documents(value: Value, source: &Source<'_>) -> Result<Vec<Document>> {
    let place = Place::file(source.name);
    match value {
        Value::Array(items) if items.iter().all(corpus::is_document) && !items.is_empty() => {
            let table = match corpus::has_columns(&items) {
                true => Some(of_rows(items.iter().cloned().map(corpus::row), place, source.limits)?),
                false => None,
            };
            let numbered = (1..).zip(items);
            let texts = numbered.filter_map(|(i, v)| corpus::document(v, source.name, i));
            Ok(texts.chain(table.map(|table| of_blocks(vec![Block::Table(table)]))).collect())
        }
        Value::Array(items) => Ok(vec![of_blocks(vec![Block::Table(table(items, place, source.limits)?)])]),
        Value::Object(map) if corpus::is_document_map(&map) => {
            Ok(corpus::document(Value::Object(map), source.name, 1).into_iter().collect())
        }
        Value::Object(map) => object(map, &place, source.limits).map(|document| vec![document]),
        other => {
            let text = record::text(other);
            Ok(vec![of_blocks(vec![Block::Text(Placed { text, place })])])
        }
    }
}

fn of_blocks(blocks: Vec<Block>) -> Document {
    Document { blocks, ..Document::default() }
}

/// An object: each list of objects in it is a table named by its key, what is left is one row.
fn object(map: serde_json::Map<String, Value>, place: &Place, limits: &Limits) -> Result<Document> {
    let mut blocks = Vec::new();
    let mut rest = serde_json::Map::new();
    for (key, value) in map {
        match value {
            Value::Array(items) if items.len() > 1 && items.iter().any(|v| v.is_object() || v.is_array()) => {
                let place = place.clone().sheet(&key);
                let mut table = table(items, place.clone(), limits)?;
                table.title = Some(Placed { text: key, place });
                blocks.push(Block::Table(table));
            }
            value => {
                rest.insert(key, value);
            }
        }
    }
    if !rest.is_empty() {
        blocks.push(Block::Table(table(vec![Value::Object(rest)], place.clone(), limits)?));
    }
    if blocks.is_empty() {
        return Err(Error::input("is empty").hint("it holds an empty JSON value"));
    }
    Ok(of_blocks(blocks))
}

/// A list: of objects, its rows; of lists, a header and rows; of anything else, one column.
fn table(items: Vec<Value>, place: Place, limits: &Limits) -> Result<Table> {
    if items.is_empty() {
        return Err(Error::input("is empty").hint("it holds an empty JSON list"));
    }
    if items.iter().all(Value::is_array) {
        let rows: Vec<Vec<String>> = items.into_iter().map(corpus::texts).collect();
        return Ok(crate::understand::table(&[], &rows, &place));
    }
    of_rows(items.into_iter().map(record::flatten), place, limits)
}

fn of_rows(rows: impl Iterator<Item = record::Row>, place: Place, limits: &Limits) -> Result<Table> {
    let mut records = Records::new();
    let rows: Vec<_> = rows.collect();
    for row in &rows {
        records.see(row);
    }
    // Before there is a cell for every row and column.
    crate::guard::check_size(rows.len(), records.width(), limits)?;
    let (columns, shapes) = (records.columns(), records.shapes());
    let mut batch = records.batch(&shapes, (1..).zip(rows));
    Marker::new(&columns).mark(&mut batch);
    Ok(Table { place, columns, rows: Rows::Memory(vec![batch]), ..Table::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::seam::Limits;
    use tabletalk_core::{Kind, Mark};

    fn read(name: &str, text: &str) -> Result<Vec<Document>> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        super::read(&Source::new(file.path(), name, &Limits::default()))?.collect()
    }

    fn cells(document: Document) -> Vec<Vec<String>> {
        let mut all = Vec::new();
        for block in document.blocks {
            let Block::Table(table) = block else { continue };
            all.push(table.columns.iter().map(|c| c.name.clone()).collect());
            let batches = match table.rows {
                Rows::Memory(batches) => batches,
                Rows::Stream(mut stream) => std::iter::from_fn(|| stream.next_batch().unwrap()).collect(),
            };
            for batch in &batches {
                for i in 0..batch.len() {
                    all.push(batch.columns.iter().map(|c| c.text(i).into_owned()).collect());
                }
            }
        }
        all
    }

    #[test]
    fn flattens_records() {
        let text = r#"[{"a":1,"b":{"c":"x","d":[1,2]}},{"a":2.5,"e":[{"f":1}],"b":null}]"#;
        let mut documents = read("a.json", text).unwrap();
        let expected = [["a", "b.c", "b.d", "e"], ["1", "x", "1; 2", ""], ["2.5", "", "", r#"[{"f":1}]"#]];
        assert_eq!(cells(documents.remove(0)), expected);
    }

    #[test]
    fn takes_each_list_in_an_object_as_a_table() {
        let documents = read("a.json", r#"{"people":[{"n":"A"},{"n":"B"}],"year":2023}"#).unwrap();
        let titles: Vec<_> = documents[0]
            .blocks
            .iter()
            .map(|b| match b {
                Block::Table(t) => t.title().to_owned(),
                _ => String::new(),
            })
            .collect();
        assert_eq!(titles, ["people", ""]);
    }

    #[test]
    fn takes_a_header_and_rows_as_a_table() {
        let text = r#"{"id":"t1","title":"Sales","header":["city","sold"],"rows":[["Oslo","1,200"],["Paris",950]],"year":2023,"deep":{"x":1}}"#;
        let documents = read("a.json", text).unwrap();
        let document = &documents[0];
        assert_eq!((document.source_id.as_str(), document.title.as_str()), ("t1", "Sales"));
        assert_eq!(document.fields.keys().collect::<Vec<_>>(), ["year"]);
        let Block::Table(table) = &document.blocks[0] else { panic!("no table") };
        assert_eq!((table.title(), table.columns[1].kind), ("Sales", Kind::Integer));
        assert_eq!(table.place.file, "a.json#t1");
    }

    #[test]
    fn takes_each_line_of_a_corpus_as_a_document() {
        let text = "{\"id\":\"1\",\"text\":\"first\"}\n{\"id\":\"2\",\"header\":[\"a\"],\"rows\":[[\"x\"]]}\nbroken\n";
        let documents = read("c.jsonl", text).unwrap();
        let ids: Vec<_> = documents.iter().map(|d| d.source_id.as_str()).collect();
        assert_eq!(ids, ["1", "2", ""]);
        assert_eq!(documents[2].rejected[0].place.to_string(), "c.jsonl:3");
    }

    #[test]
    fn texts_with_further_fields_are_documents_and_a_table() {
        let lines = "{\"id\":\"a\",\"text\":\"first\",\"hours\":2}\n{\"id\":\"b\",\"text\":\"second\",\"hours\":3.5}\n";
        let list = format!("[{}]", lines.trim().replace('\n', ","));
        for (name, text) in [("c.jsonl", lines), ("c.json", &list)] {
            let mut documents = read(name, text).unwrap();
            let ids: Vec<_> = documents.iter().map(|d| d.source_id.clone()).collect();
            assert_eq!(ids, ["a", "b", ""], "{name}");
            let expected = [["id", "hours"], ["a", "2"], ["b", "3.5"]];
            assert_eq!(cells(documents.remove(2)), expected, "{name}");
        }
        let corpus =
            "{\"id\":\"a\",\"title\":\"t\",\"text\":\"first\"}\n{\"id\":\"b\",\"text\":\"second\"}\n";
        assert_eq!(read("c.jsonl", corpus).unwrap().len(), 2);
    }

    #[test]
    fn a_total_is_found_by_adding() {
        let lines = "{\"r\":\"North\",\"n\":10}\n{\"r\":\"South\",\"n\":20}\n{\"r\":\"Total\",\"n\":30}\n";
        let list = format!("[{}]", lines.trim().replace('\n', ","));
        for (name, text) in [("c.jsonl", lines), ("c.json", &list)] {
            let Block::Table(table) = read(name, text).unwrap().remove(0).blocks.remove(0) else {
                panic!("no table")
            };
            let batch = match table.rows {
                Rows::Memory(mut batches) => batches.remove(0),
                Rows::Stream(mut stream) => stream.next_batch().unwrap().unwrap(),
            };
            assert_eq!(batch.marks, [Mark::Data, Mark::Data, Mark::Total], "{name}");
        }
    }

    #[test]
    fn a_field_or_a_decimal_that_comes_late_is_typed_as_others_are() {
        let mut text = "{\"a\":1}\n".repeat(25_000);
        text.push_str("{\"a\":9.5,\"late\":\"2023-09-01\"}\n");
        let mut documents = read("c.jsonl", &text).unwrap();
        let Block::Table(table) = &documents[0].blocks[0] else { panic!("no table") };
        assert_eq!(table.columns.iter().map(|c| c.kind).collect::<Vec<_>>(), [Kind::Decimal, Kind::Date]);
        assert_eq!(cells(documents.remove(0)).last().unwrap()[..], ["9.5", "2023-09-01"]);
    }

    #[test]
    fn streams_records_and_rejects_broken_lines() {
        let text = "{\"a\":1,\"b\":\"x\"}\nnot json\n\n{\"a\":2,\"c\":true}\n";
        let mut documents = read("c.jsonl", text).unwrap();
        let Block::Table(table) = documents[0].blocks.remove(0) else { panic!("no table") };
        assert_eq!(
            table.columns.iter().map(|c| c.kind).collect::<Vec<_>>(),
            [Kind::Integer, Kind::Text, Kind::Boolean]
        );
        let Rows::Stream(mut stream) = table.rows else { panic!("no stream") };
        let batch = stream.next_batch().unwrap().unwrap();
        assert_eq!(batch.rows, [1, 4]);
        assert!(stream.next_batch().unwrap().is_none());
        assert_eq!(stream.rejected()[0].place.to_string(), "c.jsonl:2");
    }

    #[test]
    fn says_what_is_wrong_with_broken_json() {
        let e = read("a.json", "{\"a\": [1, 2").unwrap_err();
        assert!(e.message().starts_with("not valid JSON"), "{e}");
        assert!(read("a.json", "[]").is_err());
    }
}
