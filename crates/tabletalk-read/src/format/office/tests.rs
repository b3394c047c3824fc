//! What the golden tests of all office formats share: they write small archives and draw what was read.

use std::fmt::Write as _;
use std::io::Write as _;
use tabletalk_core::seam::{Documents, Limits, Source};
use tabletalk_core::{Block, Document, Placed, Result, Rows, Table};

/// An archive of parts.
pub(super) fn zipped(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in parts {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Reads bytes as a file of a name.
pub(crate) fn read(read: fn(&Source<'_>) -> Result<Documents>, name: &str, bytes: &[u8]) -> Result<Document> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let limits = Limits::default();
    read(&Source::new(file.path(), name, &limits))?.next().unwrap()
}

/// One line a block, tables as grids.
pub(crate) fn picture(document: &Document) -> String {
    let mut out = format!("title: {}\n", document.title);
    document.fields.iter().for_each(|(key, value)| writeln!(out, "{key}: {value}").unwrap());
    for block in &document.blocks {
        match block {
            Block::Heading(level, text) => line(&mut out, &format!("heading {level}"), text),
            Block::Text(text) => line(&mut out, "text", text),
            Block::Item(depth, text) => line(&mut out, &format!("item {depth}"), text),
            Block::Note(text) => line(&mut out, "note", text),
            Block::Image(text) => line(&mut out, "image", text),
            Block::Table(table) => draw(&mut out, table),
        }
    }
    document.warnings.iter().for_each(|w| writeln!(out, "warning: {w}").unwrap());
    out
}

fn line(out: &mut String, kind: &str, text: &Placed) {
    let bbox = text.place.bbox.map(|b| format!(" {b:?}")).unwrap_or_default();
    writeln!(out, "{kind} @ {}{bbox}: {}", text.place, text.text.replace('\n', "⏎")).unwrap();
}

fn draw(out: &mut String, table: &Table) {
    let bbox = table.place.bbox.map(|b| format!(" {b:?}")).unwrap_or_default();
    writeln!(out, "table @ {}{bbox} ({} header rows)", table.place, table.header_rows).unwrap();
    table.title.iter().for_each(|t| writeln!(out, "  title: {}", t.text).unwrap());
    table.notes.iter().for_each(|n| writeln!(out, "  note: {}", n.text).unwrap());
    if !table.context.is_empty() {
        writeln!(out, "  context: {}", table.context.replace('\n', "⏎")).unwrap();
    }
    let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    writeln!(out, "  [{}]", names.join(" | ")).unwrap();
    let Rows::Memory(batches) = &table.rows else { return };
    for (batch, i) in batches.iter().flat_map(|b| (0..b.len()).map(move |i| (b, i))) {
        let cells: Vec<String> = batch.columns.iter().map(|c| c.text(i).replace('\n', "⏎")).collect();
        writeln!(out, "  {}", cells.join(" | ")).unwrap();
    }
}
