//! Changing the catalogue: a transaction that becomes visible at once.

use super::Catalog;
use super::documents::{Entry, SourceFile};
use crate::data::Data;
use crate::error::sqlite;
use crate::files::Files;
use crate::shared::Keyring;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use tabletalk_core::{Node, Result, Table};

/// The keys a stored document was given.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    /// Of the document.
    pub document: i64,
    /// Whether it replaced an earlier state.
    pub replaced: bool,
    /// Of its tables.
    pub tables: Vec<i64>,
    /// Of its stored nodes.
    pub nodes: Vec<i64>,
}

/// A change under way; nothing of it is visible before [`Change::commit`].
pub struct Change<'a> {
    tx: Transaction<'a>,
    generation: i64,
    files: Files,
    keyring: Option<Arc<Keyring>>,
    dead: Vec<String>,
    /// Ids of documents that were there before and changed or went.
    changed: HashSet<String>,
}

impl<'a> Change<'a> {
    /// Begins the change that makes the generation `steps` after the last one. Large tables are in `files`.
    pub(crate) fn begin(
        db: &'a mut Connection,
        steps: i64,
        files: &Files,
        keyring: Option<Arc<Keyring>>,
    ) -> Result<Self> {
        let tx = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(sqlite)?;
        // Read before the transaction, it could be that of a change that another connection had not ended yet.
        let last: Option<i64> = tx
            .query_row("SELECT value FROM meta WHERE key='generation'", [], |r| r.get(0))
            .optional()
            .map_err(sqlite)?;
        let (files, generation) = (files.clone(), last.unwrap_or(0) + steps);
        Ok(Change { tx, generation, files, keyring, dead: Vec::new(), changed: HashSet::new() })
    }

    /// A key for a new row: one that nobody else is given, where a library is shared; else the catalogue gives one.
    pub(crate) fn new_key(&self) -> Result<Option<i64>> {
        self.keyring.as_ref().map(|ring| ring.next()).transpose()
    }

    /// The generation this change will make.
    pub fn generation(&self) -> i64 {
        self.generation
    }

    /// Puts a document, in the place of its earlier state where there is one.
    pub fn put(&mut self, entry: &Entry) -> Result<Keys> {
        // Until its file has been read to the end, what is known of it is true no more.
        self.forget_source(&entry.source)?;
        let old = self.key_of(&entry.id)?;
        if let Some(key) = old {
            self.clear(key)?;
            self.changed.insert(entry.id.clone());
        }
        let document = self.put_document(entry, old)?;
        let mut keys = Keys { document, replaced: old.is_some(), ..Keys::default() };
        for (i, (table, rows, data)) in entry.tables.iter().enumerate() {
            keys.tables.push(self.put_table(document, i as u32 + 1, entry, table, *rows, data)?);
        }
        for node in &entry.nodes {
            keys.nodes.push(self.put_node(document, node)?);
        }
        Ok(keys)
    }

    fn key_of(&self, id: &str) -> Result<Option<i64>> {
        self.tx
            .prepare_cached("SELECT key FROM document WHERE id=?1")
            .and_then(|mut s| s.query_row([id], |r| r.get(0)).optional())
            .map_err(sqlite)
    }

    fn put_document(&self, e: &Entry, key: Option<i64>) -> Result<i64> {
        let sql = "INSERT INTO document(key, id, source, source_id, name, title, hash, fields, report, outline, tables, generation)
             VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)
             ON CONFLICT(key) DO UPDATE SET source=excluded.source, name=excluded.name, title=excluded.title, hash=excluded.hash, fields=excluded.fields,
             report=excluded.report, outline=excluded.outline, tables=excluded.tables, generation=excluded.generation";
        let new = if key.is_some() { key } else { self.new_key()? };
        let (fields, report, outline) = (
            serde_json::to_string(&e.fields)?,
            serde_json::to_string(&e.report)?,
            serde_json::to_string(&e.outline)?,
        );
        self.tx
            .prepare_cached(sql)
            .and_then(|mut s| {
                s.execute(params![
                    new,
                    e.id,
                    e.source,
                    e.source_id,
                    e.name,
                    e.title,
                    e.hash,
                    fields,
                    report,
                    outline,
                    e.tables.len(),
                    self.generation
                ])
            })
            .map_err(sqlite)?;
        Ok(key.unwrap_or_else(|| self.tx.last_insert_rowid()))
    }

    fn put_table(
        &self,
        document: i64,
        number: u32,
        e: &Entry,
        table: &Table,
        rows: u64,
        data: &Data,
    ) -> Result<i64> {
        let meta = serde_json::to_string(table)?;
        let (inline, file) = match data {
            Data::Inline(bytes) => (Some(bytes.as_slice()), None),
            Data::File(file) => (None, file.name()),
        };
        let name = self.free_name(&table_name(e, table, number))?;
        let key = self.new_key()?;
        let sql = "INSERT INTO \"table\"(key, document, number, name, meta, rows, columns, data, file) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9)";
        self.tx
            .prepare_cached(sql)
            .and_then(|mut s| {
                let columns = table.columns.len();
                s.execute(params![key, document, number, name, meta, rows, columns, inline, file])
            })
            .map_err(sqlite)?;
        Ok(self.tx.last_insert_rowid())
    }

    pub(crate) fn free_name(&self, wanted: &str) -> Result<String> {
        let mut name = wanted.to_owned();
        let mut n = 1;
        let mut taken = self.tx.prepare_cached("SELECT 1 FROM \"table\" WHERE name=?1").map_err(sqlite)?;
        while taken.exists([&name]).map_err(sqlite)? {
            n += 1;
            name = format!("{wanted} ({n})");
        }
        Ok(name)
    }

    /// Puts one node.
    pub fn put_node(&self, document: i64, node: &Node) -> Result<i64> {
        let (place, fields) = (serde_json::to_string(&node.place)?, serde_json::to_string(&node.fields)?);
        let sql = "INSERT INTO node(key, document, id, grp, parent, place, text, fields)
             VALUES(?1,?2,?3,?4,?5,?6,?7,?8)";
        let key = self.new_key()?;
        self.tx
            .prepare_cached(sql)
            .and_then(|mut s| {
                s.execute(params![key, document, node.id, node.group, node.parent, place, node.text, fields])
            })
            .map_err(sqlite)?;
        Ok(self.tx.last_insert_rowid())
    }

    /// Puts nodes of one group of a document in the place of those it had. Indexes will look at it again.
    pub fn replace_nodes(&self, document: i64, group: &str, nodes: &[Node]) -> Result<()> {
        for table in ["node", "embedded"] {
            self.run(&format!("DELETE FROM {table} WHERE document=?1 AND grp=?2"), params![document, group])?;
        }
        for node in nodes {
            self.put_node(document, node)?;
        }
        self.touch(document)
    }

    /// The files of a document's tables, which go when the change is made.
    pub(crate) fn drop_files(&mut self, document: i64) -> Result<()> {
        let files: Vec<String> = self
            .tx
            .prepare_cached("SELECT file FROM \"table\" WHERE document=?1 AND file IS NOT NULL")
            .and_then(|mut s| s.query_map([document], |r| r.get(0))?.collect())
            .map_err(sqlite)?;
        self.dead.extend(files);
        Ok(())
    }

    /// A file that is spoken of again.
    pub(crate) fn keep_file(&mut self, file: &str) {
        self.dead.retain(|dead| dead != file);
    }

    fn clear(&mut self, key: i64) -> Result<()> {
        self.drop_files(key)?;
        for table in ["\"table\"", "vector", "embedded"] {
            self.run(&format!("DELETE FROM {table} WHERE document=?1"), [key])?;
        }
        // Summaries of what stays as it is are kept; the others go when the change is made.
        self.run("DELETE FROM node WHERE document=?1 AND instr(fields, '\"children\"') = 0", [key])
    }

    pub(crate) fn transaction(&self) -> &Transaction<'a> {
        &self.tx
    }

    /// Indexes will look at the document again.
    pub(crate) fn touch(&self, document: i64) -> Result<()> {
        self.run("UPDATE document SET generation=?2 WHERE key=?1", [document, self.generation])
    }

    pub(crate) fn run(&self, sql: &str, params: impl rusqlite::Params) -> Result<()> {
        self.tx.prepare_cached(sql).and_then(|mut s| s.execute(params)).map(drop).map_err(sqlite)
    }

    pub(crate) fn last_key(&self) -> i64 {
        self.tx.last_insert_rowid()
    }

    /// Forgets a file, so that adding it again reads it again.
    pub fn forget_source(&self, path: &str) -> Result<()> {
        self.tx
            .prepare_cached("DELETE FROM source WHERE path=?1")
            .and_then(|mut s| s.execute([path]))
            .map(drop)
            .map_err(sqlite)
    }

    /// Forgets the file a document came from.
    pub fn forget_source_of(&self, id: &str) -> Result<()> {
        let path: Option<String> = self
            .tx
            .query_row("SELECT source FROM document WHERE id=?1", [id], |r| r.get(0))
            .optional()
            .map_err(sqlite)?;
        path.map_or(Ok(()), |path| self.forget_source(&path))
    }

    /// The documents of a file that are not among those `seen`.
    pub fn unseen(&self, path: &str, seen: &HashSet<String>) -> Result<Vec<String>> {
        let ids: Vec<String> = self
            .tx
            .prepare_cached("SELECT id FROM document WHERE source=?1")
            .and_then(|mut s| s.query_map([path], |r| r.get(0))?.collect())
            .map_err(sqlite)?;
        Ok(ids.into_iter().filter(|id| !seen.contains(id)).collect())
    }

    /// Forgets a document. Its key is returned, so that indexes can forget it too.
    pub fn forget(&mut self, id: &str) -> Result<Option<i64>> {
        let Some(key) = self.key_of(id)? else { return Ok(None) };
        self.clear(key)?;
        self.changed.insert(id.to_owned());
        self.tx.execute("DELETE FROM document WHERE key=?1", [key]).map_err(sqlite)?;
        self.tx
            .execute("INSERT INTO gone(document, generation) VALUES(?1,?2)", [key, self.generation])
            .map_err(sqlite)?;
        Ok(Some(key))
    }

    /// Remembers what a file was when it was added.
    pub fn put_source(&self, path: &str, file: &SourceFile) -> Result<()> {
        self.tx
            .prepare_cached("INSERT OR REPLACE INTO source(path, hash, size, modified) VALUES(?1,?2,?3,?4)")
            .and_then(|mut s| s.execute(params![path, file.hash, file.size, file.modified]))
            .map(drop)
            .map_err(sqlite)
    }

    /// Drops the stored nodes of a group.
    pub fn clear_group(&self, group: &str) -> Result<()> {
        self.tx.execute("DELETE FROM node WHERE grp=?1", [group]).map(drop).map_err(sqlite)
    }

    /// Remembers the definition a group was made with; `None` forgets the group.
    pub fn put_group(&self, name: &str, definition: Option<&str>) -> Result<()> {
        match definition {
            Some(d) => {
                self.tx.execute("INSERT OR REPLACE INTO grp(name, definition) VALUES(?1,?2)", [name, d])
            }
            None => self.tx.execute("DELETE FROM grp WHERE name=?1", [name]),
        }
        .map(drop)
        .map_err(sqlite)
    }

    /// Makes the change visible, then removes table files nobody speaks of any more.
    pub fn commit(self) -> Result<()> {
        if !self.changed.is_empty() {
            self.drop_stale_summaries(&self.changed)?;
        }
        self.tx
            .execute("INSERT OR REPLACE INTO meta(key, value) VALUES('generation', ?1)", [self.generation])
            .map_err(sqlite)?;
        self.tx.commit().map_err(sqlite)?;
        for file in self.dead {
            self.files.leave(&file);
        }
        Ok(())
    }
}

impl Catalog {
    /// Begins a change. All of it becomes visible at once, under a new generation.
    pub fn change(&mut self) -> Result<Change<'_>> {
        Change::begin(&mut self.db, 1, &self.files, self.keyring.clone())
    }

    /// Begins a change that no keyword index needs to see: it makes no new generation.
    pub fn side_change(&mut self) -> Result<Change<'_>> {
        Change::begin(&mut self.db, 0, &self.files, self.keyring.clone())
    }
}

/// A readable name for a table: the record's id or the file's stem, then sheet or number where there are several.
fn table_name(e: &Entry, table: &Table, number: u32) -> String {
    let base = match e.source_id.is_empty() {
        true => Path::new(&e.name).file_name().map_or(e.name.clone(), |n| n.to_string_lossy().into_owned()),
        false => e.source_id.clone(),
    };
    let base = base
        .split('.')
        .next()
        .filter(|s| !s.is_empty() && e.source_id.is_empty())
        .unwrap_or(&base)
        .to_owned();
    let same_sheet = e.tables.iter().filter(|t| t.0.place.sheet == table.place.sheet).count();
    match &table.place.sheet {
        Some(sheet) if e.tables.len() > 1 && same_sheet == 1 => format!("{base}.{sheet}"),
        Some(sheet) if e.tables.len() > 1 => format!("{base}.{sheet}.{number}"),
        _ if e.tables.len() > 1 => format!("{base}.{number}"),
        _ => base,
    }
}

#[cfg(test)]
mod tests {
    use crate::catalog::Catalog;

    #[test]
    fn a_change_that_waits_for_another_has_a_generation_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let mut one = Catalog::open(dir.path(), true).unwrap();
        let mut two = Catalog::open(dir.path(), false).unwrap();
        let first = one.change().unwrap();
        let second = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| two.change().map(|change| change.generation()).unwrap());
            std::thread::sleep(std::time::Duration::from_millis(300));
            first.commit().unwrap();
            waiting.join().unwrap()
        });
        assert_eq!((second, one.generation().unwrap()), (2, 1));
    }
}
