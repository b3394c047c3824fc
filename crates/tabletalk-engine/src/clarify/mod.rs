//! Explaining a table to whoever reads it: what its terms mean, and what it is for.
//!
//! Both come from a language model and neither may state an answer. The terms are explained for a question; the
//! summary is made for one too, or without, so that it can be made when a table is added, and be indexed.

mod background;
mod group;
mod reply;
mod short;
mod summary;
mod terms;

pub use background::{Search, from_library};
pub use group::{GROUP, Job, Made, missing, run};

use crate::format;
use crate::prompt::{Name, Prompts};
use crate::{excerpt::Excerpt, format::Format};
use serde::{Deserialize, Serialize};
use tabletalk_core::chat::{ChatOptions, Finish, Usage};
use tabletalk_core::seam::Chat;
use tabletalk_core::{Citation, Result};

/// How long explanations are, and what they are made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Terms that are explained.
    pub terms: usize,
    /// Sentences of a summary.
    pub sentences: usize,
    /// The most tokens of an explanation.
    pub max_tokens: u32,
    /// Tokens for the table that the model is shown.
    pub table_tokens: usize,
    /// Tokens for the text around the table.
    pub context_tokens: usize,
    /// Tokens for background articles.
    pub background_tokens: usize,
    /// Rows that a summary is made from.
    pub rows: usize,
    /// Background articles that are read.
    pub articles: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            terms: 6,
            sentences: 4,
            max_tokens: 200,
            table_tokens: 1000,
            context_tokens: 300,
            background_tokens: 600,
            rows: 8,
            articles: 2,
        }
    }
}

/// An explanation.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Clarified {
    /// The explanation; empty when there is nothing to explain.
    pub text: String,
    /// The articles that the model was shown, each with its beginning.
    pub articles: Vec<Citation>,
    /// What was left out of the reply and why, and what could not be looked up.
    pub notes: Vec<String>,
    /// What it cost.
    pub usage: Usage,
}

/// What explaining needs.
pub struct Clarifier<'a> {
    /// The model.
    pub chat: &'a dyn Chat,
    /// The prompts.
    pub prompts: &'a Prompts,
    /// How long explanations are.
    pub settings: &'a Settings,
}

/// What a model said.
struct Said {
    text: String,
    is_cut: bool,
    usage: Usage,
}

impl Clarifier<'_> {
    /// A table as text, in at most so many tokens, less when the context of the model is small.
    fn shown(&self, table: &Excerpt) -> Result<String> {
        let budget = self.settings.table_tokens.min(self.chat.context() / 2);
        Ok(format::table(table, Format::Markdown, budget, &|text| self.chat.count(text))?.text)
    }

    fn ask(&self, name: Name, values: &[(&str, &str)]) -> Result<Said> {
        let talk = self.prompts.talk(name, values)?;
        let options = ChatOptions { max_tokens: self.settings.max_tokens, ..ChatOptions::default() };
        let reply = self.chat.chat(&talk, &options, &mut |_| {})?;
        let is_cut = reply.finish == Finish::Length;
        Ok(Said { text: reply::plain(reply.said()), is_cut, usage: reply.usage })
    }
}

#[cfg(test)]
mod tests;
