//! Conversations with their turns, and what was chosen where a question could mean several things.

use crate::catalog::Catalog;
use crate::error::sqlite;
use rusqlite::params;
use serde::{Deserialize, Serialize};
use tabletalk_core::{Answer, Result};

/// One question of a conversation and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// What was asked.
    pub question: String,
    /// What came of it.
    pub answer: Answer,
}

/// A conversation in a list of them.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Conversation {
    /// Its id.
    pub id: String,
    /// How many questions were asked.
    pub turns: u64,
    /// What it was called by a user, else the first of them.
    pub question: String,
    /// When the last one was asked, in seconds since 1970.
    pub asked: i64,
}

impl Catalog {
    /// The turns of a conversation, first to last.
    pub fn turns(&self, conversation: &str) -> Result<Vec<Turn>> {
        let sql = "SELECT question, answer FROM turn WHERE conversation=?1 ORDER BY number";
        let rows: Vec<(String, String)> = self.list(sql, [conversation], |r| Ok((r.get(0)?, r.get(1)?)))?;
        let turn = |(question, answer): (String, String)| {
            Ok(Turn { question, answer: serde_json::from_str(&answer)? })
        };
        rows.into_iter().map(turn).collect()
    }

    /// Adds a turn to a conversation, which begins with its first.
    pub fn put_turn(&mut self, conversation: &str, turn: &Turn, asked: i64) -> Result<()> {
        let answer = serde_json::to_string(&turn.answer)?;
        let sql = "INSERT INTO turn(conversation, number, question, answer, asked)
             SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4 FROM turn WHERE conversation=?1";
        self.db.execute(sql, params![conversation, turn.question, answer, asked]).map(drop).map_err(sqlite)
    }

    /// The conversations there are, the latest first.
    pub fn conversations(&self) -> Result<Vec<Conversation>> {
        let sql = "SELECT conversation, count(*), max(asked),
               coalesce((SELECT title FROM title n WHERE n.conversation=t.conversation),
                 (SELECT question FROM turn f WHERE f.conversation=t.conversation AND f.number=1))
             FROM turn t GROUP BY conversation ORDER BY max(asked) DESC, conversation";
        self.list(sql, [], |r| {
            let question = r.get::<_, Option<String>>(3)?.unwrap_or_default();
            Ok(Conversation { id: r.get(0)?, turns: r.get(1)?, asked: r.get(2)?, question })
        })
    }

    /// Calls a conversation something; its first question again where that is empty.
    pub fn call_conversation(&mut self, conversation: &str, title: &str) -> Result<()> {
        let done = match title.trim() {
            "" => self.db.execute("DELETE FROM title WHERE conversation=?1", [conversation]),
            title => self.db.execute("INSERT OR REPLACE INTO title VALUES(?1, ?2)", [conversation, title]),
        };
        done.map(drop).map_err(sqlite)
    }

    /// Forgets a conversation; whether there was one.
    pub fn forget_conversation(&mut self, conversation: &str) -> Result<bool> {
        self.call_conversation(conversation, "")?;
        let gone = self.db.execute("DELETE FROM turn WHERE conversation=?1", [conversation]);
        Ok(gone.map_err(sqlite)? > 0)
    }
}

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
    fn a_conversation_is_kept_in_order_and_can_be_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let mut catalog = Catalog::open(dir.path(), true).unwrap();
        for (i, question) in ["how many sites?", "and in Norway?"].iter().enumerate() {
            let turn = Turn { question: (*question).to_owned(), answer: Answer::default() };
            catalog.put_turn("c1", &turn, i as i64).unwrap();
        }
        let turns = catalog.turns("c1").unwrap();
        assert_eq!(
            turns.iter().map(|t| t.question.as_str()).collect::<Vec<_>>(),
            ["how many sites?", "and in Norway?"]
        );
        let list = catalog.conversations().unwrap();
        assert_eq!((list[0].turns, list[0].question.as_str(), list[0].asked), (2, "how many sites?", 1));
        catalog.call_conversation("c1", " Sites ").unwrap();
        assert_eq!(catalog.conversations().unwrap()[0].question, "Sites");
        catalog.call_conversation("c1", "").unwrap();
        assert_eq!(catalog.conversations().unwrap()[0].question, "how many sites?");
        assert!(catalog.forget_conversation("c1").unwrap() && !catalog.forget_conversation("c1").unwrap());
        assert!(catalog.turns("c1").unwrap().is_empty());
    }
}

#[cfg(test)]
mod choice_tests {
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
