//! Prints what was read of files as JSON, one line a file: blocks in order, tables with the box of every cell.
//!
//! `cargo run --release -p tabletalk-read --example dump_document -- [--ocr DIR] [--structure DIR] FILE...`
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tabletalk_core::seam::{Limits, Ocr, Source, Structure};
use tabletalk_core::{Block, Place, Placed, Rows, Table};

/// The models to read with.
#[derive(Default)]
struct Models {
    ocr: Option<Arc<dyn Ocr>>,
    structure: Option<Arc<dyn Structure>>,
}

fn main() {
    let mut models = Models::default();
    let mut args = std::env::args().skip(1);
    while let Some(path) = args.next() {
        let mut dir = || PathBuf::from(args.next().unwrap());
        match path.as_str() {
            "--ocr" => models.ocr = Some(Arc::new(tabletalk_model::ocr::PpOcr::load(&dir()).unwrap())),
            "--structure" => {
                models.structure = Some(Arc::new(tabletalk_model::structure::SlaNet::load(&dir()).unwrap()));
            }
            _ => print(&path, &models),
        }
    }
}

fn print(path: &str, models: &Models) {
    let start = Instant::now();
    let mut line = dump(path, models);
    line["file"] = json!(path);
    line["ms"] = json!(start.elapsed().as_secs_f64() * 1000.0);
    println!("{line}");
}

fn dump(path: &str, models: &Models) -> Value {
    let limits = Limits::default();
    let name = Path::new(path).file_name().map_or(path.into(), |n| n.to_string_lossy());
    let mut source = Source::new(Path::new(path), &name, &limits);
    (source.ocr, source.structure) = (models.ocr.clone(), models.structure.clone());
    let documents = match tabletalk_read::read(&source) {
        Ok(documents) => documents,
        Err(error) => return json!({"error": error.to_string()}),
    };
    let (mut blocks, mut warnings, mut fields, mut title) =
        (Vec::new(), Vec::new(), Value::Null, String::new());
    for document in documents {
        match document {
            Ok(document) => {
                blocks.extend(document.blocks.into_iter().map(block));
                warnings.extend(document.warnings);
                (fields, title) = (Value::Object(document.fields), document.title);
            }
            Err(error) => return json!({"error": error.to_string()}),
        }
    }
    json!({"title": title, "fields": fields, "blocks": blocks, "warnings": warnings})
}

fn block(block: Block) -> Value {
    match block {
        Block::Heading(level, text) => merge(json!({"kind": "heading", "level": level}), &text),
        Block::Text(text) => merge(json!({"kind": "text"}), &text),
        Block::Item(depth, text) => merge(json!({"kind": "item", "depth": depth}), &text),
        Block::Note(text) => merge(json!({"kind": "note"}), &text),
        Block::Image(text) => merge(json!({"kind": "image"}), &text),
        Block::Table(table) => of_table(table),
    }
}

fn merge(mut value: Value, text: &Placed) -> Value {
    value["text"] = json!(text.text);
    at(&mut value, &text.place);
    value
}

fn at(value: &mut Value, place: &Place) {
    value["page"] = json!(place.page);
    value["bbox"] = json!(place.bbox);
}

/// Rows and columns count from 0 here; of a spanning cell only the first address is given.
fn of_table(mut table: Table) -> Value {
    table.rows = match std::mem::take(&mut table.rows) {
        Rows::Stream(mut stream) => {
            let batches = std::iter::from_fn(|| stream.next_batch().ok().flatten());
            Rows::Memory(batches.collect())
        }
        rows => rows,
    };
    let mut value = json!({
        "kind": "table", "title": table.title(), "context": table.context, "header_rows": table.header_rows,
        "columns": table.columns.iter().map(|c| &c.name).collect::<Vec<_>>(),
        "notes": table.notes.iter().map(|n| &n.text).collect::<Vec<_>>(),
    });
    at(&mut value, &table.place);
    let mut cells = Vec::new();
    for (header, placed) in [(true, &table.header), (false, &table.notes)] {
        for p in placed {
            let (Some((r, _)), Some((c, _))) = (p.place.rows, p.place.cols) else { continue };
            cells.push(cell(&table, r, c, &p.text, header));
        }
    }
    if let Some(title) = &table.title
        && let (Some((r, _)), Some((c, _))) = (title.place.rows, title.place.cols)
    {
        cells.push(cell(&table, r, c, &title.text, true));
    }
    if let Rows::Memory(batches) = &table.rows {
        for batch in batches {
            for (column, values) in table.columns.iter().zip(&batch.columns) {
                for (i, row) in batch.rows.iter().enumerate().filter(|(i, _)| !values.is_empty(*i)) {
                    cells.push(cell(&table, *row, column.col, &values.text(i), false));
                }
            }
        }
    }
    cells.retain(|c| !c.is_null());
    cells.sort_by_key(|c| (c["r"].as_u64(), c["c"].as_u64()));
    value["cells"] = cells.into();
    value
}

fn cell(table: &Table, row: u64, col: u32, text: &str, header: bool) -> Value {
    let spans = table.layout.iter().flat_map(|l| &l.spans);
    let inside =
        |s: &&[u32; 4]| (u64::from(s[0])..=u64::from(s[2])).contains(&row) && (s[1]..=s[3]).contains(&col);
    let [r, c, r2, c2] =
        spans.into_iter().find(inside).copied().unwrap_or([row as u32, col, row as u32, col]);
    // What was filled down or right from a spanning cell is no cell of its own.
    if u64::from(r) != row || c != col {
        return Value::Null;
    }
    let place = table.cell_place(row, col);
    let mut value =
        json!({"r": r - 1, "c": c - 1, "r2": r2 - 1, "c2": c2 - 1, "text": text, "header": header});
    at(&mut value, &place);
    value
}
