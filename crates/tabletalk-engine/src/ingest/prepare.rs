//! From a document as it was read to an entry of the library, ready to be put and indexed.

use super::Origin;
use crate::group::{Groups, text};
use crate::take::{Taken, take};
use crate::watch::Watch;
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
    let mut rows_in = rejected.len() as u64;
    for block in document.blocks {
        let piece = match block {
            Block::Heading(level, placed) => Piece::Heading(level, placed),
            Block::Text(placed) => Piece::Text(placed),
            Block::Item(depth, placed) => Piece::Item(depth, placed),
            Block::Note(placed) => Piece::Note(placed),
            Block::Image(placed) => Piece::Image(placed),
            Block::Table(table) => {
                let (counted, refused) = prepared.take_table(table, tables_dir, watch)?;
                rows_in += counted;
                rejected.extend(refused);
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
    entry.report.rows_in = rows_in;
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
    /// Takes the rows of a table. Gives back how many the source has, and those that could not be taken.
    fn take_table(&mut self, table: Table, dir: &Path, watch: &dyn Watch) -> Result<(u64, Vec<Rejection>)> {
        let number = self.values.len() + 1;
        let unique = blake3::hash(format!("{:?}{}", std::time::SystemTime::now(), self.entry.id).as_bytes());
        let file = dir.join(format!("{}-{number}-{}.parquet", self.entry.id, &unique.to_hex()[..8]));
        let Taken { mut table, rows, rows_in, data, values, rejected, warnings, draft } =
            take(table, &file, watch)?;
        self.entry.report.warnings.extend(warnings);
        let told = rows + rejected.len() as u64;
        let rows_in = rows_in.unwrap_or(told);
        self.entry.report.warnings.extend(unaccounted(rows_in, told));
        table.set_file("");
        self.entry.tables.push((table, rows, data));
        self.values.push(values);
        self.drafts.extend(draft);
        Ok((rows_in, rejected))
    }
}

/// What is said where the source has more or fewer rows than were taken or refused.
fn unaccounted(rows_in: u64, told: u64) -> Option<String> {
    (rows_in != told).then(|| {
        format!(
            "the source has {rows_in} rows, but {told} were taken or refused: a mistake of the program, or the file \
             changed while it was read"
        )
    })
}

fn fill_report(report: &mut Report, mut rejected: Vec<Rejection>, rows: u64) {
    report.rows_indexed = rows;
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
    if in_files {
        // Rows in files are not compared: another version may read them otherwise.
        hasher.update(&origin.version.to_le_bytes());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unwatched;
    use tabletalk_core::{Batch, Column, Kind, RowStream, Rows};

    /// A source that says that it has three rows and gives none.
    struct Short;

    impl RowStream for Short {
        fn next_batch(&mut self) -> Result<Option<Batch>> {
            Ok(None)
        }
        fn rows_in(&self) -> Option<u64> {
            Some(3)
        }
    }

    #[test]
    fn rows_that_the_source_has_and_nobody_took_are_said() {
        let mut prepared = Prepared { entry: Entry::default(), values: Vec::new(), drafts: Vec::new() };
        let columns = vec![Column::new("a", Kind::Integer, 1)];
        let table = Table { columns, rows: Rows::Stream(Box::new(Short)), ..Table::default() };
        let (rows_in, rejected) = prepared.take_table(table, Path::new("."), &Unwatched).unwrap();
        assert_eq!((rows_in, rejected.len()), (3, 0));
        assert!(prepared.entry.report.warnings[0].starts_with("the source has 3 rows, but 0 were taken"));
    }
}
