//! What the terms of a table mean that a question touches.

use super::reply::item;
use super::short::{Most, Secrets, holds};
use super::{Clarified, Clarifier};
use crate::excerpt::Excerpt;
use crate::prompt::Name;
use tabletalk_core::Result;

/// Characters that a term may have: what is longer is a sentence.
const TERM: usize = 60;

impl Clarifier<'_> {
    /// Explains the terms and abbreviations of a table that a question touches, one on a line. A term that does not
    /// stand in the table is left out, and so is an explanation that gives away what stands in its cells.
    pub fn terms(&self, table: &Excerpt, question: &str) -> Result<Clarified> {
        let shown = self.shown(table)?;
        let most = self.settings.terms.to_string();
        let values = [("table", shown.as_str()), ("question", question), ("most", most.as_str())];
        let said = self.ask(Name::Terms, &values)?;
        let mut clarified = Clarified { usage: said.usage, ..Clarified::default() };
        let words = words(table);
        let secrets = Secrets::cells(table, question);
        let mut lines: Vec<String> = Vec::new();
        for (term, meaning) in said.text.lines().filter_map(split) {
            match self.checked(&term, &meaning, &words, &secrets) {
                Ok(line) if lines.len() < self.settings.terms && !lines.contains(&line) => lines.push(line),
                Ok(_) => {}
                Err(why) => clarified.notes.push(why),
            }
        }
        clarified.text = lines.join("\n");
        Ok(clarified)
    }

    /// A line that explains a term, or why there is none.
    fn checked(&self, term: &str, meaning: &str, words: &str, secrets: &Secrets) -> Result<String, String> {
        if !holds(words, &term.to_lowercase()) {
            return Err(format!("`{term}` does not stand in the table"));
        }
        if let Some(told) = secrets.told(meaning, term) {
            return Err(format!("the explanation of `{term}` gives away `{told}`"));
        }
        let tokens = self.settings.max_tokens as usize / self.settings.terms.max(1);
        let most = Most { sentences: 1, tokens: tokens.max(24), count: &|text| self.chat.count(text) };
        Ok(format!("{term}: {}", most.short(meaning, |_| true)))
    }
}

/// The term and its meaning of a line such as `- term: meaning`.
fn split(line: &str) -> Option<(String, String)> {
    let line = item(line);
    let (term, meaning) = [": ", "：", " - ", " – ", " — "].iter().find_map(|sign| line.split_once(sign))?;
    let (term, meaning) = (term.trim().trim_matches('"'), meaning.trim());
    let is_term = !term.is_empty() && term.chars().count() <= TERM && !meaning.is_empty();
    is_term.then(|| (term.to_owned(), meaning.to_owned()))
}

/// All that is written in a table and around it, in small letters.
fn words(table: &Excerpt) -> String {
    let columns = table.columns.iter().flat_map(|c| [Some(c.name.as_str()), c.unit.as_deref()]).flatten();
    let around = [table.title.as_str(), table.context.as_str()];
    let cells = table.rows.iter().flat_map(|r| &r.cells).chain(&table.notes).map(String::as_str);
    columns.chain(around).chain(cells).collect::<Vec<_>>().join("\n").to_lowercase()
}
