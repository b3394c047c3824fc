//! Prints every cell that was read from a file, one JSON object a line: `{"sheet", "a1", "text", "in"}`.
//!
//! `cargo run -p tabletalk-read --example dump_cells -- FILE... [--blocks]`
//!
//! `in` says where the cell ended up: `row`, `header`, `title`, `note` or `text`. Cells that only a merged
//! range filled come with their own address, as the rows of the table have them. With `--blocks` a readable
//! picture of the tables is printed instead. Files that cannot be read give one line with `error`.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;
use tabletalk_core::place::column_letters;
use tabletalk_core::seam::{Limits, Source};
use tabletalk_core::{Block, Document, Place, Placed, Rows, Table};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let picture = args.iter().any(|a| a == "--blocks");
    let limits = Limits::default();
    for path in args.iter().filter(|a| !a.starts_with("--")) {
        let name = Path::new(path).file_name().map_or(path.as_str(), |n| n.to_str().unwrap_or(path));
        let source = Source::new(Path::new(path), name, &limits);
        match read(&source) {
            Ok(documents) if picture => documents.iter().for_each(|d| show(path, d)),
            Ok(documents) => documents.iter().for_each(dump),
            Err(e) => println!("{}", serde_json::json!({ "file": path, "error": e.to_string() })),
        }
    }
}

fn read(source: &Source<'_>) -> tabletalk_core::Result<Vec<Document>> {
    tabletalk_read::read(source)?.collect()
}

fn dump(document: &Document) {
    for block in &document.blocks {
        match block {
            Block::Table(table) => dump_table(table),
            other => other.text().into_iter().for_each(|p| line("text", p)),
        }
    }
}

fn line(what: &str, placed: &Placed) {
    print_cell(what, &placed.place, placed.place.a1().unwrap_or_default(), &placed.text);
}

fn print_cell(what: &str, place: &Place, a1: String, text: &str) {
    println!("{}", serde_json::json!({ "sheet": place.sheet, "a1": a1, "text": text, "in": what }));
}

fn dump_table(table: &Table) {
    table.title.iter().for_each(|p| line("title", p));
    table.header.iter().for_each(|p| line("header", p));
    table.notes.iter().for_each(|p| line("note", p));
    let Rows::Memory(batches) = &table.rows else {
        return;
    };
    for batch in batches {
        for (column, cells) in table.columns.iter().zip(&batch.columns) {
            for (i, row) in batch.rows.iter().enumerate().filter(|(i, _)| !cells.is_empty(*i)) {
                print_cell(
                    "row",
                    &table.place,
                    format!("{}{row}", column_letters(column.col)),
                    &cells.text(i),
                );
            }
        }
    }
}

fn show(path: &str, document: &Document) {
    println!("# {path} {:?}", document.warnings);
    for block in &document.blocks {
        match block {
            Block::Table(table) => show_table(table),
            other => println!("  text {:?}", other.text().map(|t| (t.place.a1(), &t.text))),
        }
    }
}

fn show_table(table: &Table) {
    let notes: Vec<&str> = table.notes.iter().map(|n| n.text.as_str()).collect();
    println!(
        "  table {} title {:?} notes {notes:?} header_rows {} row_headers {}",
        table.place.a1().unwrap_or_default(),
        table.title(),
        table.header_rows,
        table.row_headers
    );
    let cut = |s: &str| s.chars().take(18).collect::<String>().replace('\n', "⏎");
    for c in &table.columns {
        print!(
            "    [{}: {} {}{}]",
            column_letters(c.col),
            cut(&c.name).trim(),
            c.kind.name(),
            c.unit.as_ref().map(|u| format!(" {u}")).unwrap_or_default()
        );
    }
    println!();
    let Rows::Memory(batches) = &table.rows else {
        return;
    };
    for batch in batches {
        let len = batch.len();
        for i in (0..len).filter(|i| *i < 4 || i + 3 > len) {
            let cells: Vec<String> = batch.columns.iter().map(|c| cut(&c.text(i))).collect();
            println!("    {:>4} {:?} | {}", batch.rows[i], batch.mark(i), cells.join(" | "));
        }
    }
}
