//! Choices: which of several readings of a question a person meant.

use crate::Catalog;
use crate::error::sqlite;
use rusqlite::params;
use serde::{Deserialize, Serialize};
use tabletalk_core::Result;

/// Which of several readings of a question was chosen. Readings are kept in words: numbers of columns change when a
/// file does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The table of the reading.
    pub table: String,
    /// The reading as a whole, such as `the sum of revenue by city`.
    pub words: String,
    /// What it asks, by which groups, and by which columns its rows are chosen.
    pub aim: Vec<String>,
    /// The same of the readings over that table that were not chosen.
    pub over: Vec<Vec<String>>,
}

impl Catalog {
    /// What was chosen, with the question it was chosen for.
    pub fn choices(&self) -> Result<Vec<(String, Choice)>> {
        let sql = "SELECT question, choice FROM choice ORDER BY question";
        let rows: Vec<(String, String)> = self.list(sql, [], |r| Ok((r.get(0)?, r.get(1)?)))?;
        rows.into_iter().map(|(question, text)| Ok((question, serde_json::from_str(&text)?))).collect()
    }

    /// Remembers what was chosen for a question; what was chosen for it before is forgotten.
    pub fn put_choice(&mut self, question: &str, choice: &Choice) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO choice(question, choice) VALUES(?1, ?2)";
        let text = serde_json::to_string(choice)?;
        self.db.execute(sql, params![question, text]).map(drop).map_err(sqlite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_choice_for_a_question_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let mut catalog = Catalog::open(dir.path(), true).unwrap();
        let choice = |words: &str| Choice {
            table: "orders".into(),
            words: words.into(),
            aim: vec![words.into()],
            over: vec![vec!["the number of rows".into()]],
        };
        catalog.put_choice("orders by city", &choice("the sum of revenue")).unwrap();
        catalog.put_choice("orders by city", &choice("the sum of quantity")).unwrap();
        assert_eq!(
            catalog.choices().unwrap(),
            [("orders by city".to_owned(), choice("the sum of quantity"))]
        );
    }
}
