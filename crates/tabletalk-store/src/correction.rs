//! Corrections: what users say of tables that were understood otherwise.

use crate::Catalog;
use crate::error::sqlite;
use rusqlite::{OptionalExtension, params};
use tabletalk_core::Result;
use tabletalk_core::correct::Correction;

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
