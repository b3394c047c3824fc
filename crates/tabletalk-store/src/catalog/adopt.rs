//! Taking over a catalogue that somebody else may have written.
//!
//! Of what such a catalogue says, content is believed and places are not: where a document's file is, is
//! derived from what lies beside the catalogue.

use crate::catalog::Catalog;
use crate::error::sqlite;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, params};
use std::path::Path;
use tabletalk_core::{Error, Result};

/// Before the name of a file that is not among those that came along: no absolute path, so never read.
const ELSEWHERE: &str = "restored";

impl Catalog {
    /// Makes a catalogue of strangers in `dir` one of ours. Files of documents are looked for in `uploads`, a
    /// folder as it will be called, `has` says which are there.
    pub fn adopt(dir: &Path, uploads: &Path, has: &dyn Fn(&str) -> bool) -> Result<()> {
        let mut db = strict(&dir.join("library.sqlite"))?;
        check_schema(&db)?;
        let tx = db.transaction().map_err(sqlite)?;
        let list = "SELECT DISTINCT source FROM document WHERE source <> ''";
        let sources: Vec<String> =
            tx.prepare(list).and_then(|mut s| s.query_map([], |r| r.get(0))?.collect()).map_err(sqlite)?;
        for source in sources {
            let place = derived(&source, uploads, has);
            tx.execute("UPDATE document SET source=?2 WHERE source=?1", params![source, place])
                .map_err(sqlite)?;
        }
        // Nothing is known of files elsewhere: what is added again is read again.
        tx.execute("DELETE FROM source", []).map_err(sqlite)?;
        tx.commit().map_err(sqlite)?;
        drop(db);
        // Only now may it be opened as ours, which brings an older layout up to date.
        Catalog::open(dir, false).map(drop)
    }
}

/// A connection that runs nothing which the database itself brings along.
fn strict(file: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(file, flags).map_err(sqlite)?;
    for (option, on) in [
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    ] {
        db.set_db_config(option, on).map_err(sqlite)?;
    }
    Ok(db)
}

/// A catalogue has tables and indexes, and every table is one of ours, declared as we declare it.
fn check_schema(db: &Connection) -> Result<()> {
    let ours = Connection::open_in_memory().map_err(sqlite)?;
    ours.execute_batch(crate::catalog::SCHEMA).map_err(sqlite)?;
    let known = declared(&ours)?;
    for declaration in declared(db)? {
        if !known.contains(&declaration) {
            let (kind, name, _) = declaration;
            return Err(Error::input(format!("the catalogue has a {kind} `{name}` that no catalogue has"))
                .hint("it was not written by this program, or by a newer one"));
        }
    }
    Ok(())
}

/// What a database declares: kind, name, statement without spaces. Indexes that SQLite makes itself have none, and
/// statistics are its own.
fn declared(db: &Connection) -> Result<Vec<(String, String, String)>> {
    let sql = "SELECT type, name, sql FROM sqlite_schema
         WHERE NOT (type = 'index' AND sql IS NULL) AND NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4'))";
    let plain = |text: String| text.split_whitespace().collect::<String>();
    db.prepare(sql)
        .and_then(|mut s| {
            s.query_map([], |r| {
                Ok((r.get(0)?, r.get(1)?, plain(r.get::<_, Option<String>>(2)?.unwrap_or_default())))
            })?
            .collect()
        })
        .map_err(sqlite)
}

/// Where the file of a document is that was at `source` elsewhere: among what came along, or nowhere.
fn derived(source: &str, uploads: &Path, has: &dyn Fn(&str) -> bool) -> String {
    let path = Path::new(source);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let was_uploaded = path.parent().and_then(Path::file_name) == uploads.file_name();
    match was_uploaded && has(&name) {
        true => uploads.join(&name).to_string_lossy().into_owned(),
        false => format!("{ELSEWHERE}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog(statement: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let catalog = Catalog::open(dir.path(), true).unwrap();
        for (i, source) in
            ["/etc/passwd", "/old/uploads/a.csv", "/old/uploads/../../etc/shadow"].iter().enumerate()
        {
            let sql = "INSERT INTO document(id, source, source_id, name, title, hash, fields, report, outline, tables, generation)
                 VALUES(?1, ?2, '', ?1, '', '', '{}', '{}', '[]', 0, 1)";
            catalog.db.execute(sql, params![format!("d{i}"), source]).unwrap();
        }
        catalog.db.execute_batch(statement).unwrap();
        dir
    }

    #[test]
    fn places_are_derived_and_never_read() {
        let dir = catalog("INSERT INTO source VALUES('/etc/passwd', 'x', 1, 1)");
        Catalog::adopt(dir.path(), Path::new("/new/uploads"), &|name| name == "a.csv").unwrap();
        let catalog = Catalog::open(dir.path(), false).unwrap();
        assert_eq!(catalog.sources().unwrap(), ["/new/uploads/a.csv", "restored/passwd", "restored/shadow"]);
        assert!(catalog.source("/etc/passwd").unwrap().is_none());
    }

    #[test]
    fn a_catalogue_brings_no_program_along() {
        for statement in [
            "CREATE TRIGGER t AFTER INSERT ON document BEGIN DELETE FROM document; END",
            "CREATE VIEW v AS SELECT 1",
            "ALTER TABLE turn RENAME TO turned; CREATE VIEW turn AS SELECT * FROM turned",
            "CREATE TABLE more(x)",
            "CREATE INDEX i ON document(abs(key))",
        ] {
            let dir = catalog(statement);
            let error = Catalog::adopt(dir.path(), Path::new("/new/uploads"), &|_| true).unwrap_err();
            assert!(error.to_string().contains("that no catalogue has"), "{statement}: {error}");
        }
    }
}
