//! A filter program that a model writes, chosen by vote among several samples.

use super::program::{normal, statement};
use super::vote::winner;
use crate::excerpt::Excerpt;
use crate::format::{self, Format};
use crate::prompt::{Name, Prompts};
use serde::{Deserialize, Serialize};
use tabletalk_core::chat::{ChatOptions, Message, Reply, Usage};
use tabletalk_core::seam::Chat;
use tabletalk_core::{Error, Result};

/// How programs are asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sampling {
    /// How many programs are asked for; fewer when those that came first decide the vote.
    pub samples: usize,
    /// The temperature: above 0, or all samples are the same.
    pub temperature: f32,
    /// The seed of the first sample; the others follow.
    pub seed: u64,
    /// The most tokens of a program.
    pub max_tokens: u32,
    /// Tokens for the columns and rows that the model is shown.
    pub tokens: usize,
    /// Rows that the model is shown.
    pub shown: usize,
    /// Rows that are kept at most.
    pub rows: usize,
}

impl Default for Sampling {
    fn default() -> Self {
        let (samples, temperature, seed) = (5, 0.8, 1);
        Sampling { samples, temperature, seed, max_tokens: 256, tokens: 1500, shown: 5, rows: 1000 }
    }
}

/// What a filter program gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ran {
    /// The names of the columns of its result.
    pub columns: Vec<String>,
    /// The row numbers, in the source, of the rows of its result.
    pub rows: Vec<u64>,
}

/// What came of filtering by a model.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Filtered {
    /// What is left of the table; all that was given when the filter did not work.
    pub table: Excerpt,
    /// Why the table was kept as it was, when it was.
    pub unfiltered: Option<String>,
    /// The program that was run.
    pub program: Option<String>,
    /// How many samples agree on it.
    pub votes: usize,
    /// What each sample gave: a program, or why there is none.
    pub samples: Vec<String>,
    /// How many rows the program keeps.
    pub rows: usize,
    /// What the samples cost.
    pub usage: Usage,
}

/// What filtering by a model needs.
pub struct ByModel<'a> {
    /// The model.
    pub chat: &'a dyn Chat,
    /// The prompts.
    pub prompts: &'a Prompts,
    /// Runs a program over the whole table, where it can do no harm.
    pub run: &'a dyn Fn(&str) -> Result<Ran>,
    /// The rows with these row numbers, with all columns of the table that is filtered.
    pub rows: &'a dyn Fn(&[u64]) -> Result<Excerpt>,
    /// How programs are asked for.
    pub sampling: &'a Sampling,
}

impl ByModel<'_> {
    /// Drops what the model is sure a question does not need. It never fails: on any error, or when nothing would
    /// be left, the table is kept as it is and the reason given.
    pub fn filter(&self, table: &Excerpt, question: &str) -> Filtered {
        let mut filtered = Filtered { table: table.clone(), ..Filtered::default() };
        match self.narrowed(table, question, &mut filtered) {
            Ok(narrowed) => filtered.table = narrowed,
            Err(e) => filtered.unfiltered = Some(e.to_string()),
        }
        filtered
    }

    fn narrowed(&self, table: &Excerpt, question: &str, filtered: &mut Filtered) -> Result<Excerpt> {
        let talk = self.talk(table, question)?;
        let program = self.vote(&talk, filtered)?;
        let program = filtered.program.insert(program);
        let ran = (self.run)(program)?;
        filtered.rows = ran.rows.len();
        self.kept(&ran)
    }

    fn talk(&self, table: &Excerpt, question: &str) -> Result<Vec<Message>> {
        let count = |text: &str| self.chat.count(text);
        let render = |columns: &str, rows: &str| {
            let values = [
                ("relation", table.relation.as_str()),
                ("columns", columns),
                ("rows", rows),
                ("question", question),
            ];
            self.prompts.talk(Name::Filter, &values)
        };
        let bare: usize = render("-", "-")?.iter().map(|m| count(&m.text)).sum();
        let reserved = bare + self.sampling.max_tokens as usize;
        let room = self.chat.context().saturating_sub(reserved).min(self.sampling.tokens);
        let columns = format::schema(table, room * 2 / 3, &count)?;
        let shown: Vec<usize> = (0..self.sampling.shown).collect();
        let some = table.keep(&(0..table.columns.len()).collect::<Vec<_>>(), &shown).bare();
        // Rows help, but the names of the columns are enough.
        let rows = format::table(&some, Format::Csv, room.saturating_sub(columns.tokens), &count);
        render(&columns.text, &rows.map(|r| r.text).unwrap_or_default())
    }

    /// The most frequent program. Samples are asked for in two waves: when most agree in the first, the second
    /// cannot change the vote.
    fn vote(&self, talk: &[Message], filtered: &mut Filtered) -> Result<String> {
        let samples = self.sampling.samples.max(1);
        let first = samples / 2 + 1;
        let mut programs: Vec<String> = Vec::new();
        for wave in [0..first, first..samples] {
            let left = wave.len();
            let normals: Vec<String> = programs.iter().map(|p| normal(p)).collect();
            if winner(&normals).is_some_and(|(_, votes)| votes > left && votes * 2 > samples) {
                break;
            }
            for reply in self.ask(talk, wave) {
                programs.extend(note(reply, filtered));
            }
        }
        let normals: Vec<String> = programs.iter().map(|p| normal(p)).collect();
        let (at, votes) = winner(&normals).ok_or_else(|| no_program(&filtered.samples))?;
        filtered.votes = votes;
        Ok(programs.swap_remove(at))
    }

    /// Asks for samples side by side. The model, or what stands before it, limits how many are made at a time.
    fn ask(&self, talk: &[Message], samples: std::ops::Range<usize>) -> Vec<Result<Reply>> {
        let one = |i: usize| {
            let options = ChatOptions {
                temperature: self.sampling.temperature,
                max_tokens: self.sampling.max_tokens,
                seed: Some(self.sampling.seed.wrapping_add(i as u64)),
                ..ChatOptions::default()
            };
            self.chat.chat(talk, &options, &mut |_| {})
        };
        let lost = || Error::bug("asking for a filter program panicked");
        std::thread::scope(|scope| {
            let asked: Vec<_> = samples.map(|i| scope.spawn(move || one(i))).collect();
            asked.into_iter().map(|a| a.join().unwrap_or_else(|_| Err(lost()))).collect()
        })
    }

    /// The rows and columns that a program kept, and those columns that name the row.
    fn kept(&self, ran: &Ran) -> Result<Excerpt> {
        if ran.rows.is_empty() {
            return Err(Error::missing("the program keeps no row"));
        }
        let most = ran.rows.len().min(self.sampling.rows.max(1));
        let found = (self.rows)(ran.rows.get(..most).unwrap_or_default())?;
        if found.rows.is_empty() {
            return Err(Error::missing("the program keeps no row of this table"));
        }
        let is_named = |c: &usize| {
            let name = found.columns.get(*c).map_or("", |c| c.name.as_str());
            ran.columns.iter().any(|kept| kept == name || kept.to_lowercase() == name.to_lowercase())
        };
        let mut columns: Vec<usize> = (0..found.columns.len()).filter(is_named).collect();
        if columns.is_empty() {
            return Err(Error::missing("the program keeps no column of this table"));
        }
        columns.extend(found.naming());
        Ok(found.keep(&columns, &(0..found.rows.len()).collect::<Vec<_>>()))
    }
}

/// Notes what a sample gave, and gives its program.
fn note(reply: Result<Reply>, filtered: &mut Filtered) -> Option<String> {
    let program = reply.map(|reply| {
        filtered.usage += reply.usage;
        statement(reply.said())
    });
    filtered.samples.push(match &program {
        Ok(Some(program)) => program.clone(),
        Ok(None) => "the reply holds no program".into(),
        Err(e) => e.to_string(),
    });
    program.ok().flatten()
}

fn no_program(samples: &[String]) -> Error {
    let last = samples.last().map_or("none was asked for", String::as_str);
    Error::upstream(format!("the model wrote no filter program: {last}"))
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
