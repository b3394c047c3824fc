//! What a language model made of texts, kept by content.

use crate::catalog::Catalog;
use crate::change::Change;
use crate::embedding::Hash;
use crate::error::sqlite;
use rusqlite::{OptionalExtension, params};
use tabletalk_core::Result;

impl Catalog {
    /// What was made for this order, where it was.
    pub fn made(&self, order: &Hash) -> Result<Option<String>> {
        let sql = "SELECT text FROM made WHERE hash=?1";
        self.one(sql, [order.as_slice()], |r| r.get(0)).optional().map_err(sqlite)
    }
}

impl Change<'_> {
    /// Keeps what was made for an order.
    pub fn put_made(&self, order: &Hash, text: &str) -> Result<()> {
        self.run("INSERT OR REPLACE INTO made(hash, text) VALUES(?1,?2)", params![order.as_slice(), text])
    }
}
