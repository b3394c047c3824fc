//! Conversations: questions asked one after another, kept so that they can be gone on with.

use crate::Catalog;
use crate::error::sqlite;
use rusqlite::params;
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
    /// The first of them.
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
               (SELECT question FROM turn f WHERE f.conversation=t.conversation AND f.number=1)
             FROM turn t GROUP BY conversation ORDER BY max(asked) DESC, conversation";
        self.list(sql, [], |r| {
            let question = r.get::<_, Option<String>>(3)?.unwrap_or_default();
            Ok(Conversation { id: r.get(0)?, turns: r.get(1)?, asked: r.get(2)?, question })
        })
    }

    /// Forgets a conversation; whether there was one.
    pub fn forget_conversation(&mut self, conversation: &str) -> Result<bool> {
        let gone = self.db.execute("DELETE FROM turn WHERE conversation=?1", [conversation]);
        Ok(gone.map_err(sqlite)? > 0)
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
        assert!(catalog.forget_conversation("c1").unwrap() && !catalog.forget_conversation("c1").unwrap());
        assert!(catalog.turns("c1").unwrap().is_empty());
    }
}
