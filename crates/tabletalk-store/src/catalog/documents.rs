//! The catalogue: SQLite, the truth of a library. Everything else can be made again from it and the
//! table files beside it.

use crate::change::Change;
use crate::data::Data;
use crate::error::sqlite;
use crate::files::Files;
use crate::shared::Keyring;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tabletalk_core::{Error, Fault, Node, Placed, Rejection, Result, Table};

/// The version of the layout on disk. A library of a newer version is refused.
pub const FORMAT: i64 = 7;

pub(crate) const SCHEMA: &str = include_str!("catalog.sql");

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

/// A connection to the catalogue.
pub struct Catalog {
    pub(crate) db: Connection,
    files: Files,
    keyring: Option<Arc<Keyring>>,
}

impl Catalog {
    /// Opens the catalogue in `dir`, making it when `create` is set.
    pub fn open(dir: &Path, create: bool) -> Result<Self> {
        let path = dir.join("library.sqlite");
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        if create {
            flags |= OpenFlags::SQLITE_OPEN_CREATE;
        }
        let db = Connection::open_with_flags(&path, flags).map_err(sqlite)?;
        match Self::with(db, dir, create) {
            // A log cannot be made beside it: nobody can write here.
            Err(e) if !create && e.fault() == Fault::Io => Self::open_read_only(dir).map_err(|_| e),
            opened => opened,
        }
    }

    /// Opens a catalogue beside which nothing may be written. Nobody else may write it either while it is read so.
    pub(crate) fn open_read_only(dir: &Path) -> Result<Self> {
        let path = dir.join("library.sqlite");
        let log = dir.join("library.sqlite-wal");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        if log.metadata().is_ok_and(|m| m.len() > 0) {
            // What was committed last stands in the log, and must not be passed over.
            return Self::with(Connection::open_with_flags(&path, flags).map_err(sqlite)?, dir, false);
        }
        let uri = format!("file:{}?immutable=1", escaped(&std::path::absolute(&path)?));
        let flags = flags | OpenFlags::SQLITE_OPEN_URI;
        Self::with(Connection::open_with_flags(uri, flags).map_err(sqlite)?, dir, false)
    }

    fn with(db: Connection, dir: &Path, create: bool) -> Result<Self> {
        db.busy_timeout(std::time::Duration::from_secs(10)).map_err(sqlite)?;
        db.execute_batch("PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY;")
            .map_err(sqlite)?;
        db.set_prepared_statement_cache_capacity(64);
        // A plan does not depend on values, so a statement is not prepared anew for each.
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(sqlite)?;
        let catalog = Catalog { db, files: Files::beside(dir), keyring: None };
        if create {
            catalog.create()?;
        }
        catalog.check_format()?;
        Ok(catalog)
    }

    /// Whether nothing can be changed in it.
    pub(crate) fn is_read_only(&self) -> bool {
        self.db.is_readonly("main").unwrap_or(false)
    }

    /// A catalogue whose library is shared: keys are given by others, and files of tables may be elsewhere.
    pub(crate) fn shared(self, files: Files, keyring: Option<Arc<Keyring>>) -> Self {
        Catalog { files, keyring, ..self }
    }

    fn create(&self) -> Result<()> {
        self.db.execute_batch("PRAGMA journal_mode=WAL;").map_err(sqlite)?;
        self.db.execute_batch(SCHEMA).map_err(sqlite)?;
        self.db
            .execute("INSERT OR IGNORE INTO meta(key, value) VALUES('format', ?1)", [FORMAT])
            .map(drop)
            .map_err(sqlite)
    }

    /// Formats 2 to 7 added tables and changed none, so an older library only needs those.
    fn check_format(&self) -> Result<()> {
        let format = self.meta("format")?.ok_or_else(|| Error::input("this is not a tabletalk library"))?;
        if format > FORMAT {
            return Err(Error::input(format!(
                "the library has format {format}, this program knows up to {FORMAT}"
            ))
            .hint("use the newer program that wrote it"));
        }
        if format < FORMAT {
            self.db.execute_batch(SCHEMA).map_err(sqlite)?;
            self.db.execute("UPDATE meta SET value=?1 WHERE key='format'", [FORMAT]).map_err(sqlite)?;
        }
        Ok(())
    }

    /// Writes a copy of the catalogue, as it is at this moment, to a file that does not exist yet.
    pub fn copy_to(&self, file: &Path) -> Result<()> {
        let name = file.to_string_lossy();
        self.db.execute("VACUUM INTO ?1", [name.as_ref()]).map(drop).map_err(sqlite)
    }

    /// A number kept in the catalogue.
    pub fn meta(&self, key: &str) -> Result<Option<i64>> {
        self.db
            .query_row("SELECT value FROM meta WHERE key=?1", [key], |r| r.get(0))
            .optional()
            .map_err(sqlite)
    }

    /// The number of the last committed change.
    pub fn generation(&self) -> Result<i64> {
        Ok(self.meta("generation")?.unwrap_or(0))
    }

    /// Begins a change. All of it becomes visible at once, under a new generation.
    pub fn change(&mut self) -> Result<Change<'_>> {
        Change::begin(&mut self.db, 1, &self.files, self.keyring.clone())
    }

    /// Begins a change that no keyword index needs to see: it makes no new generation.
    pub fn side_change(&mut self) -> Result<Change<'_>> {
        Change::begin(&mut self.db, 0, &self.files, self.keyring.clone())
    }

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

    fn stored_table(&self, r: &Row<'_>) -> rusqlite::Result<StoredTable> {
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

    /// What SQLite finds wrong with itself; empty when nothing.
    pub fn integrity(&self) -> Result<Vec<String>> {
        let mut found: Vec<String> = self.list("PRAGMA integrity_check(20)", [], |r| r.get(0))?;
        found.retain(|line| line != "ok");
        Ok(found)
    }

    /// Reads several things as they are at one moment, which also takes less time than one by one.
    pub fn at_once<T>(&self, read: impl FnOnce(&Catalog) -> Result<T>) -> Result<T> {
        let transaction = self.db.unchecked_transaction().map_err(sqlite)?;
        let done = read(self)?;
        transaction.commit().map_err(sqlite)?;
        Ok(done)
    }

    pub(crate) fn one<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        row: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        self.db.prepare_cached(sql)?.query_row(params, row)
    }

    pub(crate) fn list<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.db.prepare_cached(sql).map_err(sqlite)?;
        let rows = statement.query_map(params, row).map_err(sqlite)?;
        rows.collect::<rusqlite::Result<_>>().map_err(sqlite)
    }
}

/// A path as it stands in a URI.
fn escaped(path: &Path) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_' | b'.');
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes.map(|&b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

const RECORD: &str =
    "SELECT key, id, source, source_id, name, title, hash, fields, report, tables FROM document";
const TABLE: &str = "SELECT t.key, t.document, d.id, t.number, t.name, t.meta, t.rows, t.data, t.file, d.name AS file_name, d.source_id
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
