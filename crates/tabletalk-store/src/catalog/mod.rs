//! The catalogue: SQLite, the truth of a library. Everything else can be made again from it and the
//! table files beside it.
//!
//! What is asked and changed is grouped by what it is about: [`documents`], [`vectors`], [`sharing`] with other machines,
//! the [`tree`] of summaries.

mod adopt;
pub mod change;
mod conversation;
pub mod documents;
mod feedback;
mod foreign_key;
pub mod sharing;
pub mod tree;
pub mod vectors;

pub use change::{Change, Keys};
pub use conversation::{Choice, Conversation, Turn};
pub use documents::{Entry, Piece, Record, Report, SourceFile, StoredTable};
pub use feedback::Feedback;
pub use foreign_key::{ForeignKey, NewForeignKey};

use crate::error::sqlite;
use crate::files::Files;
use crate::shared::Keyring;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row};
use std::path::Path;
use std::sync::Arc;
use tabletalk_core::{Error, Fault, Result};

/// The version of the layout on disk. A library of a newer version is refused.
pub const FORMAT: i64 = 9;

pub(crate) const SCHEMA: &str = include_str!("schema.sql");

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
            // A log cannot be made beside it: nobody can write here. What can be done about that is said, where it is known.
            Err(e) if !create && e.fault() == Fault::Io => {
                Self::open_read_only(dir).map_err(|other| if other.cure().is_some() { other } else { e })
            }
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

    /// Formats 2 to 9 added tables and changed none, so an older library only needs those.
    fn check_format(&self) -> Result<()> {
        let format = self.meta("format")?.ok_or_else(|| Error::input("this is not a tabletalk library"))?;
        if format > FORMAT {
            return Err(Error::input(format!(
                "the library has format {format}, this program knows up to {FORMAT}"
            ))
            .hint("use the newer program that wrote it"));
        }
        if format < FORMAT && self.is_read_only() {
            return Err(Error::io(format!(
                "the library has format {format}, which must be brought up to {FORMAT}, and may only be read"
            ))
            .hint("run any command on it where it may be written, or on a copy"));
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
