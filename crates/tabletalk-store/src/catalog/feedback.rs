//! What users thought of answers.

use crate::catalog::Catalog;
use crate::error::sqlite;
use rusqlite::params;
use serde::{Deserialize, Serialize};
use tabletalk_core::Result;

/// What a user thought of an answer. The reading is kept by its statement: that is what a reading comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// The question as it was asked.
    pub question: String,
    /// How it was read, in words.
    pub words: String,
    /// The table that it was read over.
    pub table: String,
    /// The statement that answered it; empty where none did.
    pub sql: String,
    /// The answer.
    pub answer: String,
    /// Whether that was right.
    pub good: bool,
    /// When that was said, in seconds since 1970.
    pub at: i64,
}

impl Catalog {
    /// What was thought of answers, by question.
    pub fn feedback(&self) -> Result<Vec<(String, Feedback)>> {
        let sql = "SELECT question, feedback FROM feedback ORDER BY question, sql";
        let rows: Vec<(String, String)> = self.list(sql, [], |r| Ok((r.get(0)?, r.get(1)?)))?;
        rows.into_iter().map(|(key, text)| Ok((key, serde_json::from_str(&text)?))).collect()
    }

    /// Remembers what was thought of an answer, under the key of its question; what was thought of it before is forgotten.
    pub fn put_feedback(&mut self, key: &str, feedback: &Feedback) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO feedback(question, sql, feedback) VALUES(?1, ?2, ?3)";
        let text = serde_json::to_string(feedback)?;
        self.db.execute(sql, params![key, feedback.sql, text]).map(drop).map_err(sqlite)
    }

    /// Forgets what was thought of an answer.
    pub fn forget_feedback(&mut self, key: &str, sql: &str) -> Result<()> {
        let gone = self.db.execute("DELETE FROM feedback WHERE question=?1 AND sql=?2", [key, sql]);
        gone.map(drop).map_err(sqlite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_on_a_reading_counts_and_can_be_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let mut catalog = Catalog::open(dir.path(), true).unwrap();
        let said = |sql: &str, good| Feedback { sql: sql.into(), good, ..Feedback::default() };
        catalog.put_feedback("q", &said("SELECT 1", true)).unwrap();
        catalog.put_feedback("q", &said("SELECT 1", false)).unwrap();
        catalog.put_feedback("q", &said("SELECT 2", true)).unwrap();
        let all = catalog.feedback().unwrap();
        assert_eq!(
            all.iter().map(|(_, f)| (f.sql.as_str(), f.good)).collect::<Vec<_>>(),
            [("SELECT 1", false), ("SELECT 2", true)]
        );
        catalog.forget_feedback("q", "SELECT 1").unwrap();
        assert_eq!(catalog.feedback().unwrap().len(), 1);
    }
}
