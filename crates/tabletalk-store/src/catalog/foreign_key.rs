//! Foreign keys: columns that name rows of other tables, as they were found and as users say.

use super::documents::TABLE;
use crate::error::sqlite;
use crate::{Catalog, StoredTable};
use rusqlite::params;
use serde::Serialize;
use tabletalk_core::Result;

/// A column that names rows of another table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForeignKey {
    /// The table that refers.
    pub table: String,
    /// Its column.
    pub column: String,
    /// The table that is referred to.
    pub to_table: String,
    /// The key of its rows.
    pub to_column: String,
    /// How many of the distinct values of the column are there, from 0 to 1.
    pub share: f32,
    /// Whether a user said so.
    pub said: bool,
}

/// A foreign key as it is found, by the keys of its tables.
#[derive(Debug, Clone, PartialEq)]
pub struct NewForeignKey {
    /// The table that refers.
    pub table: i64,
    /// Its column.
    pub column: String,
    /// The table that is referred to.
    pub to_table: i64,
    /// The key of its rows.
    pub to_column: String,
    /// How many of the distinct values of the column are there, from 0 to 1.
    pub share: f32,
}

/// The name under which the generation is kept up to which foreign keys were looked for.
const SEEN: &str = "foreign_keys";

impl Catalog {
    /// The generation up to which foreign keys were looked for.
    pub fn foreign_keys_seen(&self) -> Result<i64> {
        Ok(self.meta(SEEN)?.unwrap_or(0))
    }

    /// All foreign keys, what users say in the place of what was found.
    pub fn foreign_keys(&self) -> Result<Vec<ForeignKey>> {
        let found = "SELECT f.name, k.from_column, t.name, k.to_column, k.share FROM foreign_key k \
                     JOIN \"table\" f ON f.key=k.from_table JOIN \"table\" t ON t.key=k.to_table \
                     ORDER BY k.from_table, k.from_column";
        let mut keys: Vec<ForeignKey> = self.list(found, [], |r| {
            let said = false;
            Ok(ForeignKey {
                table: r.get(0)?,
                column: r.get(1)?,
                to_table: r.get(2)?,
                to_column: r.get(3)?,
                share: r.get(4)?,
                said,
            })
        })?;
        let said = "SELECT s.from_table, s.from_column, s.to_table, s.to_column FROM said_key s \
                    JOIN \"table\" f ON f.name=s.from_table ORDER BY f.key, s.from_column";
        let said: Vec<ForeignKey> = self.list(said, [], |r| {
            let (share, said) = (1.0, true);
            Ok(ForeignKey {
                table: r.get(0)?,
                column: r.get(1)?,
                to_table: r.get(2)?,
                to_column: r.get(3)?,
                share,
                said,
            })
        })?;
        keys.retain(|k| !said.iter().any(|s| s.table == k.table && s.column == k.column));
        keys.extend(said.into_iter().filter(|s| !s.to_table.is_empty()));
        Ok(keys)
    }

    /// Keeps what was found among these tables up to a generation; what was found of them before is forgotten.
    pub fn put_foreign_keys(
        &mut self,
        tables: &[i64],
        found: &[NewForeignKey],
        generation: i64,
    ) -> Result<()> {
        let tx = self.db.transaction().map_err(sqlite)?;
        for table in tables {
            tx.execute("DELETE FROM foreign_key WHERE from_table=?1", [table]).map_err(sqlite)?;
        }
        for key in found {
            let sql = "INSERT OR REPLACE INTO foreign_key(from_table, from_column, to_table, to_column, share) \
                       VALUES(?1, ?2, ?3, ?4, ?5)";
            tx.execute(sql, params![key.table, key.column, key.to_table, key.to_column, key.share])
                .map_err(sqlite)?;
        }
        let sql = "INSERT OR REPLACE INTO meta(key, value) VALUES(?1, ?2)";
        tx.execute(sql, params![SEEN, generation]).map_err(sqlite)?;
        tx.commit().map_err(sqlite)
    }

    /// Keeps what a user says: which key of which table a column names, or that it names none.
    pub fn say_foreign_key(&mut self, table: &str, column: &str, to: Option<(&str, &str)>) -> Result<()> {
        let (to_table, to_column) = to.unwrap_or_default();
        let sql = "INSERT OR REPLACE INTO said_key(from_table, from_column, to_table, to_column) VALUES(?1, ?2, ?3, ?4)";
        self.db.execute(sql, params![table, column, to_table, to_column]).map(drop).map_err(sqlite)
    }

    /// Forgets what a user said of a column; whether something was said.
    pub fn unsay_foreign_key(&mut self, table: &str, column: &str) -> Result<bool> {
        let sql = "DELETE FROM said_key WHERE from_table=?1 AND from_column=?2";
        self.db.execute(sql, params![table, column]).map(|n| n > 0).map_err(sqlite)
    }

    /// The tables of files below a folder, as far as there are not more than `most`; none where there are.
    pub fn tables_below(&self, folder: &str, most: usize) -> Result<Vec<StoredTable>> {
        let folder = folder.trim_end_matches('/');
        let (first, end) = (format!("{folder}/"), format!("{folder}0"));
        let count: usize = self
            .db
            .query_row(
                "SELECT coalesce(sum(tables), 0) FROM document WHERE source >= ?1 AND source < ?2",
                params![first, end],
                |r| r.get(0),
            )
            .map_err(sqlite)?;
        if count > most {
            return Ok(Vec::new());
        }
        let sql = format!("{TABLE} WHERE d.source >= ?1 AND d.source < ?2 ORDER BY t.key");
        self.list(&sql, params![first, end], |r| self.stored_table(r))
    }

    /// The folders of documents with tables that changed after a generation, and the documents with several.
    pub fn changed_folders(&self, generation: i64) -> Result<(Vec<String>, Vec<i64>)> {
        let sql = "SELECT DISTINCT rtrim(source, replace(source, '/', '')) FROM document \
                   WHERE generation > ?1 AND tables > 0";
        let folders = self.list(sql, [generation], |r| r.get(0))?;
        let sql = "SELECT key FROM document WHERE generation > ?1 AND tables > 1";
        Ok((folders, self.list(sql, [generation], |r| r.get(0))?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_table_that_is_not_there_waits() {
        let dir = tempfile::tempdir().unwrap();
        let mut catalog = Catalog::open(dir.path(), true).unwrap();
        catalog.say_foreign_key("orders", "product", Some(("products", "id"))).unwrap();
        assert_eq!(catalog.foreign_keys().unwrap(), []);
        assert!(catalog.unsay_foreign_key("orders", "product").unwrap());
        assert!(!catalog.unsay_foreign_key("orders", "product").unwrap());
    }

    #[test]
    fn the_generation_that_was_seen_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let mut catalog = Catalog::open(dir.path(), true).unwrap();
        assert_eq!(catalog.foreign_keys_seen().unwrap(), 0);
        catalog.put_foreign_keys(&[], &[], 7).unwrap();
        assert_eq!(catalog.foreign_keys_seen().unwrap(), 7);
    }
}
