//! Asking a library: questions, statements, SQL.

use crate::reference::Reference;
use crate::{Answer, Filter, Library, Mode, Watch, config, models, no_document};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};
use tabletalk_core::seam::Chat;
use tabletalk_core::{Error, Result};
use tabletalk_engine::answer::{self, Answering, Background, Question, Settings, Tables};
use tabletalk_engine::clarify::{self, Clarifier, Made, Search};
use tabletalk_model::chat::Counted;
use tabletalk_sql::{Ran, Sandbox, Stop};
use tabletalk_store::{Conversation, Turn};

/// A question, and of what it is asked.
#[derive(Debug, Clone, Default)]
pub struct Asking {
    /// The question or statement.
    pub text: String,
    /// What a language model sees, where it differs from what is configured.
    pub mode: Option<Mode>,
    /// The conversation it belongs to; `new` begins one.
    pub conversation: Option<String>,
    /// The tables it is asked of, by name; all when empty.
    pub tables: Vec<String>,
    /// Which documents may be used.
    pub filters: Vec<Filter>,
    /// How often a language model is asked, where it differs from what is configured.
    pub samples: Option<usize>,
    /// The group that passages come from, where it differs from what is configured.
    pub passages: Option<String>,
    /// Use the built-in question parser even when there is a language model.
    pub no_model: bool,
    /// The number of the reading that is meant, of those that were offered for this question. It is remembered.
    pub choose: Option<usize>,
    /// Whose conversation it is: nobody else finds it. None where a library has one user.
    pub owner: Option<String>,
    /// Raised by whoever does not want the answer any more.
    pub stop: Stop,
}

/// Answers a question, or judges a statement.
type By = fn(&Answering<'_>, &Question<'_>, &mut dyn FnMut(&str)) -> Result<Answer>;

impl Library {
    /// Runs a read-only statement over the tables.
    pub fn sql(&self, statement: &str) -> Result<Ran> {
        self.sql_until(statement, &Stop::new())
    }

    /// Runs a read-only statement over the tables until it is stopped.
    pub fn sql_until(&self, statement: &str, stop: &Stop) -> Result<Ran> {
        self.sandbox()?.run(&Tables::all(&self.store), statement, stop)
    }

    /// The turns of an owner's conversation, first to last; an error when there is none.
    pub fn turns(&self, owner: Option<&str>, id: &str) -> Result<Vec<Turn>> {
        let turns = self.store.catalog()?.turns(&kept(owner, id))?;
        if turns.is_empty() {
            return Err(Error::missing(format!("there is no conversation `{id}`"))
                .hint("`--conversation new` begins one, `tabletalk conversations` lists them"));
        }
        Ok(turns)
    }

    /// Forgets a conversation of an owner; whether there was one.
    pub fn forget_conversation(&self, owner: Option<&str>, id: &str) -> Result<bool> {
        self.store.catalog()?.forget_conversation(&kept(owner, id))
    }

    /// The conversations of an owner, the latest first; all where there is none.
    pub fn conversations(&self, owner: Option<&str>) -> Result<Vec<Conversation>> {
        let all = self.store.catalog()?.conversations()?;
        let Some(owner) = owner else { return Ok(all) };
        let own = |c: Conversation| {
            let id = c.id.strip_prefix(owner)?.strip_prefix('/')?.to_owned();
            Some(Conversation { id, ..c })
        };
        Ok(all.into_iter().filter_map(own).collect())
    }

    /// Whether a language model is configured.
    pub fn has_model(&self) -> bool {
        self.config.chat.is_some()
    }

    /// Answers a question. `on_text` is given what a model writes, as it writes it.
    pub fn ask(&self, asking: &Asking, on_text: &mut dyn FnMut(&str)) -> Result<Answer> {
        self.answer(asking, on_text, answer::ask)
    }

    /// Says whether a statement is supported or refuted.
    pub fn verify(&self, asking: &Asking, on_text: &mut dyn FnMut(&str)) -> Result<Answer> {
        self.answer(asking, on_text, answer::verify)
    }

    fn answer(&self, asking: &Asking, on_text: &mut dyn FnMut(&str), by: By) -> Result<Answer> {
        if asking.text.trim().is_empty() {
            return Err(Error::input("the question is empty"));
        }
        let settings = Settings {
            samples: asking.samples.unwrap_or(self.config.answer.samples),
            passage_group: match &asking.passages {
                Some(name) => self.groups.get(name)?.name.clone(),
                None => self.config.answer.passage_group.clone(),
            },
            ..self.config.answer.clone()
        };
        let chat = if asking.no_model { None } else { self.chat()? };
        let most = self.config.chat.as_ref().and_then(|c| c.budget_tokens);
        let counted = chat.map(|chat| Counted::new(chat, most));
        let reference = Reference::open(&self.config)?;
        let search = reference.as_ref().map(|r| move |about: &str| r.articles(about));
        let mut desk = self.answering(counted.as_ref().map(|c| c as &dyn Chat), &settings)?;
        desk.stop = asking.stop.clone();
        desk.reference = search.as_ref().map(|s| s as Background<'_>);
        let owner = asking.owner.as_deref();
        let conversation =
            asking.conversation.as_deref().map(|id| self.conversation(owner, id)).transpose()?;
        let turns = conversation.as_ref().map_or(&[][..], |(_, turns)| turns);
        let tables = self.table_keys(&asking.tables)?;
        let question = Question {
            text: asking.text.trim(),
            mode: asking.mode,
            tables: &tables,
            filters: &asking.filters,
            turns,
            choose: asking.choose,
        };
        let mut answer = by(&desk, &question, on_text)?;
        if let Some((id, _)) = &conversation {
            answer.conversation = Some(id.clone());
            let turn = Turn { question: asking.text.trim().to_owned(), answer: answer.clone() };
            self.store.catalog()?.put_turn(&kept(owner, id), &turn, now())?;
        }
        Ok(answer)
    }

    /// Says of every table what it is for, so that this is searched too.
    pub fn clarify(&self, watch: &dyn Watch) -> Result<Made> {
        let chat = self.needed_chat()?;
        let reference = Reference::open(&self.config)?;
        let search = reference.as_ref().map(|r| move |about: &str| r.articles(about));
        let settings = &self.config.answer.clarifying;
        let clarifier = Clarifier { chat, prompts: &self.prompts, settings };
        let _guard = self.store.lock()?;
        clarify::run(
            &clarify::Job {
                library: &self.store,
                groups: &self.groups,
                clarifier: &clarifier,
                reference: search.as_ref().map(|s| s as Search<'_>),
            },
            watch,
        )
    }

    /// What answering needs, with this model and these settings.
    pub fn answering<'a>(
        &'a self,
        chat: Option<&'a dyn Chat>,
        settings: &'a Settings,
    ) -> Result<Answering<'a>> {
        Ok(Answering {
            recall: self.recall(),
            sandbox: self.sandbox()?,
            prompts: &self.prompts,
            chat,
            locate: self.locate(),
            reference: None,
            settings,
            stop: Stop::new(),
        })
    }

    /// What finds rows and columns in other words than a table has; nothing without the models of the program.
    fn locate(&self) -> Option<&dyn tabletalk_core::seam::Locate> {
        #[cfg(feature = "bundled-models")]
        return self.config.answer.locate.then(|| tabletalk_model::Locator::bundled() as _);
        #[cfg(not(feature = "bundled-models"))]
        return None;
    }

    /// The language model, opened when it is first needed.
    pub fn chat(&self) -> Result<Option<&dyn Chat>> {
        let Some(settings) = &self.config.chat else { return Ok(None) };
        if self.chat.get().is_none() {
            let cache: PathBuf = self.store.dir().join("chat.sqlite");
            // Where nothing may be written, nothing is kept.
            let settings =
                &config::Chat { cache: settings.cache && !self.store.is_read_only(), ..settings.clone() };
            let chat = models::chat(settings, &cache, models::dir(&self.config).as_deref())?;
            let _ = self.chat.set(chat);
        }
        Ok(self.chat.get().map(Box::as_ref))
    }

    /// The language model; an error that says what to do when there is none.
    pub(crate) fn needed_chat(&self) -> Result<&dyn Chat> {
        self.chat()?.ok_or_else(|| {
            Error::missing("no language model is configured").hint("add a [chat] section to tabletalk.toml")
        })
    }

    fn sandbox(&self) -> Result<&Sandbox> {
        if self.sandbox.get().is_none() {
            let _ = self.sandbox.set(Sandbox::new(self.config.sql.clone())?);
        }
        self.sandbox.get().ok_or_else(|| Error::bug("the sandbox was not kept"))
    }

    /// A conversation and its turns so far; a new one for `new`.
    fn conversation(&self, owner: Option<&str>, id: &str) -> Result<(String, Vec<Turn>)> {
        if id == "new" {
            return Ok((new_id(&self.store.dir().to_string_lossy()), Vec::new()));
        }
        Ok((id.to_owned(), self.turns(owner, id)?))
    }

    /// The keys of tables by name; the name of a document stands for all its tables.
    fn table_keys(&self, names: &[String]) -> Result<Vec<i64>> {
        let catalog = self.store.catalog()?;
        let mut keys = Vec::new();
        for name in names {
            if let Some(stored) = catalog.table_named(name)? {
                keys.push(stored.key);
            } else {
                let record = catalog.record(name)?.ok_or_else(|| no_document(name))?;
                keys.extend(catalog.tables_of(record.key)?.iter().map(|t| t.key));
            }
        }
        Ok(keys)
    }
}

/// The name under which a conversation is kept. Names of keys have no `/` in them, so one owner's are never another's.
fn kept(owner: Option<&str>, id: &str) -> String {
    match owner {
        Some(owner) => format!("{owner}/{id}"),
        None => id.to_owned(),
    }
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() as i64)
}

/// Short enough to type, and not the same twice.
fn new_id(library: &str) -> String {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    let hash = blake3::hash(format!("{library} {nanos} {}", std::process::id()).as_bytes()).to_hex();
    hash.chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, open};

    #[test]
    fn a_conversation_is_its_owners_alone() {
        let dir = tempfile::tempdir().unwrap();
        let library = open(&Config::default(), dir.path(), true).unwrap();
        let turn = Turn { question: "how many?".into(), answer: Answer::default() };
        for owner in ["a~1", "a~12"] {
            library.store.catalog().unwrap().put_turn(&kept(Some(owner), "c"), &turn, 1).unwrap();
        }
        assert_eq!(library.turns(Some("a~1"), "c").unwrap().len(), 1);
        assert!(library.turns(Some("b~2"), "c").is_err() && library.turns(Some("b~2"), "a~1/c").is_err());
        let ids = |owner| library.conversations(owner).unwrap().into_iter().map(|c| c.id).collect::<Vec<_>>();
        assert_eq!(ids(Some("a~1")), ["c"]);
        assert_eq!(ids(Some("b~2")), Vec::<String>::new());
        assert_eq!(ids(None), ["a~1/c", "a~12/c"]);
        assert!(!library.forget_conversation(Some("b~2"), "c").unwrap());
        assert!(library.forget_conversation(Some("a~1"), "c").unwrap());
        assert_eq!(ids(Some("a~12")), ["c"]);
    }
}
