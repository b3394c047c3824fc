//! The second stage: what was found, as it is read. The parser is shown tables, prepared (`over`); a language model is shown
//! what the plan of the mode says of tables and passages.

mod expand;
pub(super) mod grid;
mod joined;
mod over;
mod prepared;

pub(super) use over::Over;
pub(super) use prepared::Prepared;

use super::mode::Shows;
use super::recall::{Evidence, Found};
use super::tool::Tools;
use super::trace::Trace;
use super::{Answering, Explain, Narrow, Question};
use crate::clarify::{Clarified, Clarifier, Search};
use crate::excerpt::{Excerpt, Pick};
use crate::filter::{self, ByModel, Nearest};
use crate::format::{self, Formatted};
use crate::prompt::Name;
use serde_json::json;
use tabletalk_core::chat::{Message, Usage};
use tabletalk_core::seam::Chat;
use tabletalk_core::{Citation, Error, Fault, Hit, Result};

/// What the parser is shown.
pub(super) fn to_parser<'a>(
    context: &'a Answering<'a>,
    question: &'a Question<'a>,
    evidence: &'a Evidence,
) -> Result<Prepared<'a>> {
    Prepared::new(context, question, evidence)
}

/// What a language model is shown: the beginning of the talk.
pub(super) struct Talk {
    pub(super) messages: Vec<Message>,
    /// The articles that explanations were made with.
    pub(super) articles: Vec<Citation>,
    /// What explanations cost.
    pub(super) usage: Usage,
}

/// What a language model is shown, with a prompt that says what to do with it.
pub(super) fn to_model(
    context: &Answering<'_>,
    chat: &dyn Chat,
    question: &Question<'_>,
    evidence: &Evidence,
    tools: &Tools<'_>,
    prompt: Name,
    trace: &mut Trace,
) -> Result<Talk> {
    let mut usage = Usage::default();
    let shown = show(context, chat, question, evidence, tools, trace, &mut usage)?;
    let values = [
        ("tables", shown.tables.as_str()),
        ("passages", &shown.passages),
        ("terms", &shown.terms),
        ("background", &shown.background),
        ("question", question.text),
    ];
    Ok(Talk { messages: context.prompts.talk(prompt, &values)?, articles: shown.articles, usage })
}

/// What goes into a prompt.
#[derive(Debug, Default)]
struct Shown {
    tables: String,
    passages: String,
    terms: String,
    background: String,
    /// The articles that explanations were made with.
    articles: Vec<Citation>,
}

/// Rows that are shown of a table that is described by look-ups, so that a model sees how values are written.
const GLIMPSE: usize = 3;

/// Writes what was found, within the budget of the prompt.
fn show(
    context: &Answering<'_>,
    chat: &dyn Chat,
    question: &Question<'_>,
    evidence: &Evidence,
    tools: &Tools<'_>,
    trace: &mut Trace,
    usage: &mut Usage,
) -> Result<Shown> {
    let plan = question.mode.unwrap_or(context.settings.mode).plan();
    let most = context.settings.prompt_tokens.min(chat.context() * 3 / 4);
    let budget = if evidence.passages.is_empty() { most } else { most * 2 / 3 };
    let mut shown = Shown { passages: passages(chat, &evidence.passages, most / 3), ..Shown::default() };
    let Some(shows) = plan.tables else { return Ok(shown) };
    let mut writer = Writer { context, chat, question, tools, trace, usage, guesses: None };
    let share = budget / evidence.tables.len().max(1);
    for found in &evidence.tables {
        let text = writer.table(found, shows, share)?;
        shown.tables.push_str(&text);
        shown.tables.push_str("\n\n");
    }
    let several = evidence.tables.len() > 1;
    for found in &evidence.tables {
        let name = several.then_some(found.stored.name.as_str());
        writer.clarified(found, name, &mut shown)?;
    }
    let tokens = chat.count(&shown.tables) + chat.count(&shown.passages);
    trace.note(
        "format",
        json!({"tokens": tokens, "tables": evidence.tables.len(), "passages": evidence.passages.len()}),
    );
    Ok(shown)
}

struct Writer<'a> {
    context: &'a Answering<'a>,
    chat: &'a dyn Chat,
    question: &'a Question<'a>,
    tools: &'a Tools<'a>,
    trace: &'a mut Trace,
    usage: &'a mut Usage,
    /// Guesses are the same for all tables of one question.
    guesses: Option<expand::Guesses>,
}

impl Writer<'_> {
    fn table(&mut self, found: &Found, shows: Shows, budget: usize) -> Result<String> {
        if shows != Shows::Schema
            && let Some(narrowed) = self.narrowed(found)?
        {
            return self.described(found, &narrowed, budget);
        }
        match shows {
            Shows::All => self.all(found, budget),
            Shows::AllOrFound => match self.whole(found, budget)? {
                Some(text) => Ok(text),
                None => self.found(found, budget),
            },
            Shows::Schema => self.schema(found, budget),
            Shows::Sample => {
                let pick = Pick::Sample { rows: self.context.settings.sample_rows, seed: 1 };
                self.described(found, &Excerpt::of(&found.stored, None, &pick)?, budget)
            }
            Shows::Nearest => {
                let near = self.nearest(found, false)?;
                self.described(found, &near, budget)
            }
            Shows::Found => self.found(found, budget),
        }
    }

    /// The part of the table that the configured filter keeps.
    fn narrowed(&mut self, found: &Found) -> Result<Option<Excerpt>> {
        let begun = std::time::Instant::now();
        let narrow = self.context.settings.filter;
        let kept = match narrow {
            Narrow::None => return Ok(None),
            Narrow::Meaning => self.nearest(found, false)?,
            Narrow::Late => self.nearest(found, true)?,
            Narrow::Model => self.by_model(found)?,
        };
        let about = json!({"by": narrow, "rows": kept.rows.len(), "columns": kept.columns.len(), "took_ms": begun.elapsed().as_secs_f64() * 1e3});
        self.trace.note("filter", about);
        Ok(Some(kept))
    }

    fn by_model(&mut self, found: &Found) -> Result<Excerpt> {
        let stored = &found.stored;
        let run = |sql: &str| {
            let ran = self.tools.run(sql)?;
            let rows = ran.used.iter().find_map(|used| used.per_result.clone()).unwrap_or_default();
            Ok(filter::Ran { columns: ran.columns.iter().map(|c| c.name.clone()).collect(), rows })
        };
        let rows = |numbers: &[u64]| Excerpt::of(stored, None, &Pick::Numbers(numbers.to_vec()));
        let sampling = &self.context.settings.sampling;
        let by = ByModel { chat: self.chat, prompts: self.context.prompts, run: &run, rows: &rows, sampling };
        let filtered = by.filter(&Excerpt::of(stored, None, &Pick::Head(sampling.rows))?, self.question.text);
        *self.usage += filtered.usage;
        let about = json!({"program": filtered.program, "votes": filtered.votes, "samples": filtered.samples, "unfiltered": filtered.unfiltered});
        self.trace.note("filter", about);
        Ok(filtered.table)
    }

    /// The rows and columns nearest to the question.
    fn nearest(&self, found: &Found, late: bool) -> Result<Excerpt> {
        let nearest = &Nearest { late, ..self.context.settings.nearest.clone() };
        let encoded = (nearest.max_encode_cell / 2 / found.stored.table.columns.len().max(1)).max(1);
        let table = Excerpt::of(&found.stored, None, &Pick::Head(encoded))?;
        let slot = filter::slot(self.context.recall.embedders, None, self.question.text)?;
        filter::meaning(&table, self.question.text, slot, nearest)
    }

    /// The whole table; an error when it does not fit.
    fn all(&self, found: &Found, budget: usize) -> Result<String> {
        self.whole(found, budget)?.ok_or_else(|| {
            let (name, rows) = (&found.stored.name, found.stored.rows);
            Error::limit(format!("the table `{name}` with {rows} rows does not fit into {budget} tokens"))
                .hint("use --mode table-rag or hybrid, or raise answer.prompt_tokens")
        })
    }

    /// The whole table, if it fits.
    fn whole(&self, found: &Found, budget: usize) -> Result<Option<String>> {
        let cells = found.stored.rows.saturating_mul(found.stored.table.columns.len() as u64);
        // A cell is a token at least, so what has more cells need not be read.
        if cells > budget as u64 {
            return Ok(None);
        }
        match self.write(&Excerpt::of(&found.stored, None, &Pick::All)?, budget) {
            Ok(written) => Ok(written.complete.then_some(written.text)),
            Err(e) if e.fault() == Fault::Limit => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// The descriptions of the columns.
    fn schema(&self, found: &Found, budget: usize) -> Result<String> {
        let excerpt = Excerpt::of(&found.stored, None, &Pick::None)?;
        Ok(format::schema(&excerpt, budget, &|text| self.chat.count(text))?.text)
    }

    /// The descriptions of the columns, and some rows.
    fn described(&self, found: &Found, excerpt: &Excerpt, budget: usize) -> Result<String> {
        let schema = self.schema(found, budget / 2)?;
        Ok(format!("{schema}\n{}", self.write(excerpt, budget / 2)?.text))
    }

    /// The columns and cells that guesses find, and a glimpse of the rows.
    fn found(&mut self, found: &Found, budget: usize) -> Result<String> {
        let guesses = self.guesses(found)?;
        let hits = expand::look_up(
            self.tools,
            &found.stored.name,
            &guesses,
            self.context.settings.look_up_in,
            self.trace,
        )?;
        let columns = hits.columns(&found.stored);
        let named = Excerpt::of(&found.stored, Some(&columns), &Pick::Head(GLIMPSE))?;
        let schema = format::schema(&named, budget / 2, &|text| self.chat.count(text))?.text;
        let rows = self.write(&named, budget / 4)?.text;
        let cells = hits.cells_text(budget / 4, &|text| self.chat.count(text));
        Ok(format!("{schema}\n{rows}\n{cells}"))
    }

    /// Adds what the terms of a table mean, and what it is for; below its name where there are several.
    fn clarified(&mut self, found: &Found, name: Option<&str>, shown: &mut Shown) -> Result<()> {
        let settings = self.context.settings;
        let (terms, summary) = match settings.clarify {
            Explain::None => return Ok(()),
            Explain::Terms => (true, false),
            Explain::Summary => (false, true),
            Explain::Both => (true, true),
        };
        let (chat, prompts, question) = (self.chat, self.context.prompts, self.question.text);
        let clarifier = Clarifier { chat, prompts, settings: &settings.clarifying };
        let pick = Pick::Sample { rows: settings.clarifying.rows, seed: 1 };
        let table = Excerpt::of(&found.stored, None, &pick)?;
        if terms {
            let said = clarifier.terms(&table, question)?;
            self.explained("terms", found, said, name, shown);
        }
        if summary {
            let search = self.context.reference.map(|r| move |about: &str| r.articles(about));
            let said = clarifier.summary(&table, Some(question), search.as_ref().map(|s| s as Search<'_>))?;
            self.explained("summary", found, said, name, shown);
        }
        Ok(())
    }

    fn explained(
        &mut self,
        what: &str,
        found: &Found,
        clarified: Clarified,
        name: Option<&str>,
        shown: &mut Shown,
    ) {
        *self.usage += clarified.usage;
        let articles: Vec<String> = clarified.articles.iter().map(|a| a.place.to_string()).collect();
        let about = json!({"table": found.stored.name, what: clarified.text, "articles": articles, "notes": clarified.notes});
        self.trace.note("clarify", about);
        let text = if what == "terms" { &mut shown.terms } else { &mut shown.background };
        if clarified.text.is_empty() {
            return;
        }
        let head = name.map_or(String::new(), |name| format!("Table \"{name}\":\n"));
        let tail =
            if articles.is_empty() { String::new() } else { format!(" (after {})", articles.join("; ")) };
        let gap = if text.is_empty() { "" } else { "\n\n" };
        text.push_str(&format!("{gap}{head}{}{tail}", clarified.text));
        shown.articles.extend(
            clarified.articles.into_iter().filter(|a| !shown.articles.contains(a)).collect::<Vec<_>>(),
        );
    }

    fn guesses(&mut self, found: &Found) -> Result<expand::Guesses> {
        if let Some(guesses) = &self.guesses {
            return Ok(guesses.clone());
        }
        let made = expand::guess(self.context, self.chat, self.question.text, found, self.trace, self.usage)?;
        self.guesses = Some(made.clone());
        Ok(made)
    }

    fn write(&self, excerpt: &Excerpt, budget: usize) -> Result<Formatted> {
        format::table(excerpt, self.context.settings.format, budget, &|text| self.chat.count(text))
    }
}

/// Passages with their places, as many as fit.
fn passages(chat: &dyn Chat, hits: &[Hit], budget: usize) -> String {
    let mut text = String::new();
    for hit in hits {
        let next = format!("{text}[{}] {}\n\n", hit.node.place, hit.node.text);
        if chat.count(&next) > budget {
            break;
        }
        text = next;
    }
    text
}
