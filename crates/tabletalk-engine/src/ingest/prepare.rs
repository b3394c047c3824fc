//! From a document as it was read to an entry of the library, ready to be put and indexed.

use super::take::{Taken, take};
use super::{Origin, Watch};
use crate::group::{Groups, text};
use std::path::Path;
use tabletalk_core::{Block, Document, Rejection, Result, Table};
use tabletalk_store::distinct::Values;
use tabletalk_store::{Data, Draft, Entry, Piece, Report};

/// A document ready to be put.
pub(super) struct Prepared {
    /// What goes into the catalogue.
    pub entry: Entry,
    /// The distinct values of the columns of each table, for the index.
    pub values: Vec<Vec<Values>>,
    /// The files of its tables, which go unless it is put.
    pub drafts: Vec<Draft>,
}

/// The most rejected rows a report lists one by one.
const LISTED: usize = 1000;

/// Makes a document ready.
pub(super) fn prepare(
    document: Document,
    origin: &Origin<'_>,
    groups: &Groups,
    tables_dir: &Path,
    watch: &dyn Watch,
) -> Result<Prepared> {
    let id = document_id(origin.path, &document.source_id);
    let mut prepared = Prepared {
        entry: Entry { id: id.clone(), ..Entry::default() },
        values: Vec::new(),
        drafts: Vec::new(),
    };
    prepared.entry.report.warnings = document.warnings;
    let mut rejected = document.rejected;
    for block in document.blocks {
        let piece = match block {
            Block::Heading(level, placed) => Piece::Heading(level, placed),
            Block::Text(placed) => Piece::Text(placed),
            Block::Item(depth, placed) => Piece::Item(depth, placed),
            Block::Note(placed) => Piece::Note(placed),
            Block::Image(placed) => Piece::Image(placed),
            Block::Table(table) => {
                rejected.extend(prepared.take_table(table, tables_dir, watch)?);
                Piece::Table(prepared.values.len() as u32)
            }
        };
        prepared.entry.outline.push(piece);
    }
    let entry = &mut prepared.entry;
    entry.source = origin.path.to_owned();
    entry.name = match document.source_id.is_empty() {
        true => origin.name.to_owned(),
        false => format!("{}#{}", origin.name, document.source_id),
    };
    entry.source_id = document.source_id;
    entry.title = document.title;
    entry.fields = document.fields;
    fill_report(&mut entry.report, rejected, entry.tables.iter().map(|t| t.1).sum());
    entry.hash = content_hash(entry, origin);
    // What the file system says of the file is no part of what the document says.
    for (name, value) in origin.fields {
        entry.fields.entry(name.clone()).or_insert_with(|| value.clone());
    }
    entry.nodes = text::nodes(entry, groups)?;
    for node in &mut entry.nodes {
        entry.name.clone_into(&mut node.place.file);
    }
    Ok(prepared)
}

impl Prepared {
    fn take_table(&mut self, table: Table, dir: &Path, watch: &dyn Watch) -> Result<Vec<Rejection>> {
        let number = self.values.len() + 1;
        let unique = blake3::hash(format!("{:?}{}", std::time::SystemTime::now(), self.entry.id).as_bytes());
        let file = dir.join(format!("{}-{number}-{}.parquet", self.entry.id, &unique.to_hex()[..8]));
        let Taken { mut table, rows, data, values, rejected, warnings, draft } = take(table, &file, watch)?;
        self.entry.report.warnings.extend(warnings);
        table.set_file("");
        self.entry.tables.push((table, rows, data));
        self.values.push(values);
        self.drafts.extend(draft);
        Ok(rejected)
    }
}

fn fill_report(report: &mut Report, mut rejected: Vec<Rejection>, rows: u64) {
    report.rows_indexed = rows;
    report.rows_in = rows + rejected.len() as u64;
    if rejected.len() > LISTED {
        report.warnings.push(format!("{} rows were rejected; the first {LISTED} are listed", rejected.len()));
        rejected.truncate(LISTED);
    }
    report.rows_rejected = rejected;
}

/// The id of a document: the same for the same place, whatever stands there.
pub fn document_id(path: &str, source_id: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(path.as_bytes()).update(&[0]).update(source_id.as_bytes());
    hasher.finalize().to_hex()[..16].to_owned()
}

/// The hash of what a document says. That of a file's only document covers the file's bytes, so that rows
/// in a table file need not be read again.
fn content_hash(entry: &Entry, origin: &Origin<'_>) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(origin.given.as_bytes());
    let in_files = entry.tables.iter().any(|t| matches!(t.2, Data::File(_)));
    if entry.source_id.is_empty() || in_files {
        hasher.update(origin.hash.as_bytes());
    }
    for part in [
        serde_json::to_vec(&entry.outline),
        serde_json::to_vec(&entry.fields),
        serde_json::to_vec(&entry.title),
        serde_json::to_vec(&entry.name),
    ] {
        hasher.update(&part.unwrap_or_default());
    }
    for (table, rows, data) in &entry.tables {
        hasher.update(&serde_json::to_vec(table).unwrap_or_default()).update(&rows.to_le_bytes());
        if let Data::Inline(bytes) = data {
            hasher.update(bytes);
        }
    }
    hasher.finalize().to_hex()[..32].to_owned()
}
