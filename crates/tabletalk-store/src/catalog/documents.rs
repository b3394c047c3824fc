//! The documents of a catalogue, with their sources, tables and nodes.

use super::Catalog;
use crate::data::Data;
use crate::error::sqlite;
use rusqlite::{OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use tabletalk_core::correct::Correction;
use tabletalk_core::{Error, Node, Placed, Rejection, Result, Table};

/// What happened to the rows of a document when it was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Data rows in the source.
    pub rows_in: u64,
    /// Data rows in the library.
    pub rows_indexed: u64,
    /// Rows that could not be taken.
    pub rows_rejected: Vec<Rejection>,
    /// What the user should know though nothing was lost.
    pub warnings: Vec<String>,
}

/// One piece of a document in reading order; tables by number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Piece {
    /// A heading and its level.
    Heading(u8, Placed),
    /// A paragraph.
    Text(Placed),
    /// An item of a list and how deep it stands.
    Item(u8, Placed),
    /// A footnote, the notes of a speaker.
    Note(Placed),
    /// The table of this number, from 1.
    Table(u32),
    /// A picture.
    Image(Placed),
}

/// A document on its way into the library.
#[derive(Debug, Default)]
pub struct Entry {
    /// The id, the same after every edit of the source.
    pub id: String,
    /// The path of the source file.
    pub source: String,
    /// The id of the record in its file, or empty.
    pub source_id: String,
    /// The name shown to people.
    pub name: String,
    /// The title, or empty.
    pub title: String,
    /// The hash of the content.
    pub hash: String,
    /// Fields to filter on.
    pub fields: Map<String, Value>,
    /// What happened to its rows.
    pub report: Report,
    /// Its pieces in reading order.
    pub outline: Vec<Piece>,
    /// Its tables, numbered from 1 in this order.
    pub tables: Vec<(Table, u64, Data)>,
    /// Its nodes in stored groups.
    pub nodes: Vec<Node>,
}

/// A document in the library.
#[derive(Debug, Clone)]
pub struct Record {
    /// Its number inside this library.
    pub key: i64,
    /// Its id.
    pub id: String,
    /// The path of its source file.
    pub source: String,
    /// The id of the record in its file, or empty.
    pub source_id: String,
    /// The name shown to people.
    pub name: String,
    /// The title, or empty.
    pub title: String,
    /// The hash of its content.
    pub hash: String,
    /// Fields to filter on.
    pub fields: Map<String, Value>,
    /// What happened to its rows.
    pub report: Report,
    /// How many tables it has.
    pub tables: u64,
}

/// A table in the library.
#[derive(Debug)]
pub struct StoredTable {
    /// Its number inside this library.
    pub key: i64,
    /// The key of its document.
    pub document: i64,
    /// The id: `document/t1`.
    pub id: String,
    /// The name of the document.
    pub file: String,
    /// The id of the record in its file, or empty.
    pub source_id: String,
    /// A short name, unique in the library, by which programs can speak of it.
    pub name: String,
    /// What was understood of it, without rows.
    pub table: Table,
    /// How many rows it has.
    pub rows: u64,
    /// Where the rows are.
    pub data: Data,
}

/// A file as it was when it was last added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The hash of its bytes.
    pub hash: String,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last changed, in nanoseconds since 1970.
    pub modified: i64,
}

impl Catalog {
    /// The file at this path as it was when it was last added.
    pub fn source(&self, path: &str) -> Result<Option<SourceFile>> {
        self.db
            .prepare_cached("SELECT hash, size, modified FROM source WHERE path=?1")
            .map_err(sqlite)?
            .query_row([path], |r| Ok(SourceFile { hash: r.get(0)?, size: r.get(1)?, modified: r.get(2)? }))
            .optional()
            .map_err(sqlite)
    }

    /// The paths of all sources.
    pub fn sources(&self) -> Result<Vec<String>> {
        self.list("SELECT DISTINCT source FROM document WHERE source <> '' ORDER BY 1", [], |r| r.get(0))
    }

    /// The sources whose hash does not begin with a mark, and how many documents each has.
    pub fn sources_without(&self, mark: &str) -> Result<Vec<(String, u64)>> {
        let sql = "SELECT s.path, count(*) FROM source s JOIN document d ON d.source = s.path \
                   WHERE substr(s.hash, 1, length(?1)) <> ?1 GROUP BY s.path ORDER BY s.path";
        self.list(sql, [mark], |r| Ok((r.get(0)?, r.get(1)?)))
    }

    /// The hash of every document of a source, by the id of its record.
    pub fn hashes(&self, source: &str) -> Result<Vec<(String, String, String)>> {
        self.list("SELECT source_id, hash, id FROM document WHERE source=?1", [source], |r| {
            Ok((r.get(0)?, r.get(1)?, r.get(2)?))
        })
    }

    /// The documents, a page at a time, in the order they were added. Those of the library's own are left out.
    pub fn records(&self, after: i64, limit: usize) -> Result<Vec<Record>> {
        let sql = format!("{RECORD} WHERE key > ?1 AND source <> '' ORDER BY key LIMIT ?2");
        self.list(&sql, params![after, limit], record)
    }

    /// The documents of one source.
    pub fn records_of(&self, source: &str) -> Result<Vec<Record>> {
        self.list(&format!("{RECORD} WHERE source=?1 ORDER BY key"), [source], record)
    }

    /// The document with this id, or the only one with this name or record id.
    pub fn record(&self, name: &str) -> Result<Option<Record>> {
        for column in ["id", "name", "source_id"] {
            // A document of the library's own has an id only.
            let whose = if column == "id" { "" } else { "AND source <> ''" };
            let found: Vec<Record> =
                self.list(&format!("{RECORD} WHERE {column}=?1 {whose} LIMIT 2"), [name], record)?;
            match found.len() {
                0 => continue,
                1 => return Ok(found.into_iter().next()),
                _ => {
                    return Err(Error::input(format!("several documents are named `{name}`"))
                        .hint("name one by its id; `tabletalk docs` lists them"));
                }
            }
        }
        Ok(None)
    }

    /// The document with this key.
    pub fn record_by_key(&self, key: i64) -> Result<Option<Record>> {
        Ok(self.list(&format!("{RECORD} WHERE key=?1"), [key], record)?.into_iter().next())
    }

    /// The name and the record id of the document with this id.
    pub fn name_of(&self, id: &str) -> Result<Option<(String, String)>> {
        let sql = "SELECT name, source_id FROM document WHERE id=?1";
        Ok(self.list(sql, [id], |r| Ok((r.get(0)?, r.get(1)?)))?.into_iter().next())
    }

    /// The pieces of a document in reading order.
    pub fn outline(&self, key: i64) -> Result<Vec<Piece>> {
        let sql = "SELECT outline FROM document WHERE key=?1";
        let found = self.db.query_row(sql, [key], |r| json(r, "outline")).optional().map_err(sqlite)?;
        Ok(found.unwrap_or_default())
    }

    /// Keys of documents that changed after `generation`, and of documents that went.
    pub fn changed_since(&self, generation: i64) -> Result<(Vec<i64>, Vec<i64>)> {
        let changed =
            self.list("SELECT key FROM document WHERE generation > ?1 ORDER BY key", [generation], |r| {
                r.get(0)
            })?;
        let gone =
            self.list("SELECT document FROM gone WHERE generation > ?1", [generation], |r| r.get(0))?;
        Ok((changed, gone))
    }

    /// The tables, a page at a time.
    pub fn tables(&self, after: i64, limit: usize) -> Result<Vec<StoredTable>> {
        let sql = format!("{TABLE} WHERE t.key > ?1 ORDER BY t.key LIMIT ?2");
        self.list(&sql, params![after, limit], |r| self.stored_table(r))
    }

    /// The tables of a document.
    pub fn tables_of(&self, document: i64) -> Result<Vec<StoredTable>> {
        self.list(&format!("{TABLE} WHERE t.document=?1 ORDER BY t.number"), [document], |r| {
            self.stored_table(r)
        })
    }

    /// The table with this key.
    pub fn table(&self, key: i64) -> Result<Option<StoredTable>> {
        Ok(self.list(&format!("{TABLE} WHERE t.key=?1"), [key], |r| self.stored_table(r))?.into_iter().next())
    }

    /// Whether there is still a table with this key.
    pub fn has_table(&self, key: i64) -> Result<bool> {
        let sql = "SELECT 1 FROM \"table\" WHERE key=?1";
        self.db.prepare_cached(sql).and_then(|mut s| s.exists([key])).map_err(sqlite)
    }

    /// The table with this name.
    pub fn table_named(&self, name: &str) -> Result<Option<StoredTable>> {
        Ok(self
            .list(&format!("{TABLE} WHERE t.name=?1"), [name], |r| self.stored_table(r))?
            .into_iter()
            .next())
    }

    /// The names of all tables.
    pub fn table_names(&self) -> Result<Vec<String>> {
        self.list("SELECT name FROM \"table\" ORDER BY key", [], |r| r.get(0))
    }

    pub(super) fn stored_table(&self, r: &Row<'_>) -> rusqlite::Result<StoredTable> {
        let mut table: Table = json(r, "meta")?;
        let data = match r.get::<_, Option<String>>("file")? {
            Some(file) => Data::File(self.files.file(&file)),
            None => Data::Inline(r.get("data")?),
        };
        let number: i64 = r.get("number")?;
        table.set_file(&r.get::<_, String>("file_name")?);
        Ok(StoredTable {
            key: r.get("key")?,
            document: r.get("document")?,
            id: format!("{}/t{number}", r.get::<_, String>("id")?),
            file: r.get("file_name")?,
            source_id: r.get("source_id")?,
            name: r.get("name")?,
            table,
            rows: r.get("rows")?,
            data,
        })
    }

    /// The stored nodes of a document, of one group or of all.
    pub fn nodes_of(&self, document: i64, group: Option<&str>) -> Result<Vec<(i64, Node)>> {
        let sql = format!("{NODE} WHERE n.document=?1 AND (?2 IS NULL OR n.grp=?2) ORDER BY n.key");
        self.list(&sql, params![document, group], node)
    }

    /// The ids and keys of the documents that have nodes of a group.
    pub fn documents_with(&self, group: &str) -> Result<Vec<(String, i64)>> {
        let sql = "SELECT id, key FROM document d
             WHERE EXISTS (SELECT 1 FROM node n WHERE n.document=d.key AND n.grp=?1) ORDER BY key";
        self.list(sql, [group], |r| Ok((r.get(0)?, r.get(1)?)))
    }

    /// The stored node with this key.
    pub fn node(&self, key: i64) -> Result<Option<Node>> {
        Ok(self.list(&format!("{NODE} WHERE n.key=?1"), [key], node)?.into_iter().next().map(|n| n.1))
    }

    /// The stored node with this id.
    pub fn node_by_id(&self, id: &str) -> Result<Option<Node>> {
        Ok(self.list(&format!("{NODE} WHERE n.id=?1"), [id], node)?.into_iter().next().map(|n| n.1))
    }

    /// The definition each group was last made with.
    pub fn groups(&self) -> Result<Vec<(String, String)>> {
        self.list("SELECT name, definition FROM grp", [], |r| Ok((r.get(0)?, r.get(1)?)))
    }

    /// How many stored nodes each group has.
    pub fn node_counts(&self) -> Result<Vec<(String, u64)>> {
        self.list("SELECT grp, count(*) FROM node GROUP BY grp", [], |r| Ok((r.get(0)?, r.get(1)?)))
    }

    /// Counts: documents, tables, rows, columns.
    pub fn counts(&self) -> Result<[u64; 4]> {
        self.db
            .query_row(
                "SELECT (SELECT count(*) FROM document WHERE source <> ''), count(*), coalesce(sum(rows),0), coalesce(sum(columns),0) FROM \"table\"",
                [],
                |r| Ok([r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?]),
            )
            .map_err(sqlite)
    }

    /// The keys of the documents that pass a test on their fields.
    pub fn select(&self, mut pass: impl FnMut(&Record) -> bool) -> Result<Vec<i64>> {
        let mut keys = Vec::new();
        let mut statement = self.db.prepare_cached(RECORD).map_err(sqlite)?;
        let rows = statement.query_map([], record).map_err(sqlite)?;
        for r in rows {
            let r = r.map_err(sqlite)?;
            if pass(&r) {
                keys.push(r.key);
            }
        }
        Ok(keys)
    }

    /// Table files that the catalogue speaks of.
    pub fn files(&self) -> Result<Vec<String>> {
        self.list("SELECT file FROM \"table\" WHERE file IS NOT NULL", [], |r| r.get(0))
    }

    /// The names of the documents of which something cannot be read.
    pub fn unreadable(&self) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for (sql, is_sound) in KEPT {
            let found = self.list(sql, [], |r| {
                let is_sound = r.get_ref(1)?.as_bytes().is_ok_and(is_sound);
                (!is_sound).then(|| r.get::<_, String>(0)).transpose()
            })?;
            names.extend(found.into_iter().flatten());
        }
        Ok(names)
    }
}

const RECORD: &str =
    "SELECT key, id, source, source_id, name, title, hash, fields, report, tables FROM document";
pub(super) const TABLE: &str = "SELECT t.key, t.document, d.id, t.number, t.name, t.meta, t.rows, t.data, t.file, d.name AS file_name, d.source_id
     FROM \"table\" t JOIN document d ON d.key = t.document";
const NODE: &str = "SELECT n.key, n.id, n.grp, n.parent, n.place, n.text, n.fields FROM node n";

/// What is kept as JSON. What cannot be read is empty: one damaged document must not keep the others from being found, nor
/// itself from being forgotten. [`Catalog::unreadable`] tells of it.
fn json<T: serde::de::DeserializeOwned + Default>(r: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    let text = r.get_ref(column)?;
    Ok(text.as_bytes().ok().and_then(|text| serde_json::from_slice(text).ok()).unwrap_or_default())
}

/// A query for names and JSON, and whether that JSON can be read.
type Kept = (&'static str, fn(&[u8]) -> bool);

/// What of a document is kept as JSON, by a query for its name and the JSON.
const KEPT: [Kept; 6] = [
    ("SELECT name, fields FROM document", is_json::<Map<String, Value>>),
    ("SELECT name, report FROM document", is_json::<Report>),
    ("SELECT name, outline FROM document", is_json::<Vec<Piece>>),
    ("SELECT d.name, t.meta FROM \"table\" t JOIN document d ON d.key = t.document", is_json::<Table>),
    (
        "SELECT d.name, n.place FROM node n JOIN document d ON d.key = n.document",
        is_json::<tabletalk_core::Place>,
    ),
    (
        "SELECT d.name, n.fields FROM node n JOIN document d ON d.key = n.document",
        is_json::<Map<String, Value>>,
    ),
];

fn is_json<T: serde::de::DeserializeOwned>(text: &[u8]) -> bool {
    serde_json::from_slice::<T>(text).is_ok()
}

fn record(r: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record {
        key: r.get("key")?,
        id: r.get("id")?,
        source: r.get("source")?,
        source_id: r.get("source_id")?,
        name: r.get("name")?,
        title: r.get("title")?,
        hash: r.get("hash")?,
        fields: json(r, "fields")?,
        report: json(r, "report")?,
        tables: r.get("tables")?,
    })
}

fn node(r: &Row<'_>) -> rusqlite::Result<(i64, Node)> {
    let node = Node {
        id: r.get("id")?,
        group: r.get("grp")?,
        parent: r.get("parent")?,
        place: json(r, "place")?,
        text: r.get("text")?,
        fields: json(r, "fields")?,
    };
    Ok((r.get("key")?, node))
}

impl Catalog {
    /// The corrections of a document's tables, by the number of the table.
    pub fn corrections(&self, document: &str) -> Result<Vec<(u32, Correction)>> {
        let sql = "SELECT number, correction FROM correction WHERE document=?1 ORDER BY number";
        let rows: Vec<(u32, String)> = self.list(sql, [document], |r| Ok((r.get(0)?, r.get(1)?)))?;
        rows.into_iter().map(|(number, text)| Ok((number, serde_json::from_str(&text)?))).collect()
    }

    /// The documents whose tables are corrected.
    pub fn corrected(&self) -> Result<Vec<String>> {
        self.list("SELECT DISTINCT document FROM correction", [], |r| r.get(0))
    }

    /// The correction of a table.
    pub fn correction(&self, document: &str, number: u32) -> Result<Option<Correction>> {
        let sql = "SELECT correction FROM correction WHERE document=?1 AND number=?2";
        let found: Option<String> =
            self.db.query_row(sql, params![document, number], |r| r.get(0)).optional().map_err(sqlite)?;
        Ok(found.map(|text| serde_json::from_str(&text)).transpose()?)
    }

    /// Keeps the correction of a table; an empty one is taken away.
    pub fn put_correction(&mut self, document: &str, number: u32, correction: &Correction) -> Result<()> {
        let sql = match correction.is_empty() {
            true => "DELETE FROM correction WHERE document=?1 AND number=?2 AND ?3 IS NOT NULL",
            false => "INSERT OR REPLACE INTO correction(document, number, correction) VALUES(?1, ?2, ?3)",
        };
        let text = serde_json::to_string(correction)?;
        self.db.execute(sql, params![document, number, text]).map(drop).map_err(sqlite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_is_kept_and_an_empty_one_takes_it_away() {
        let dir = tempfile::tempdir().unwrap();
        let mut catalog = Catalog::open(dir.path(), true).unwrap();
        let correction = Correction { title: Some("Sales".into()), ..Correction::default() };
        catalog.put_correction("d1", 2, &correction).unwrap();
        assert_eq!(catalog.correction("d1", 2).unwrap(), Some(correction.clone()));
        assert_eq!(catalog.corrections("d1").unwrap(), [(2, correction)]);
        assert_eq!(catalog.corrected().unwrap(), ["d1"]);
        catalog.put_correction("d1", 2, &Correction::default()).unwrap();
        assert_eq!(catalog.correction("d1", 2).unwrap(), None);
    }
}
