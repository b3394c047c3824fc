//! Asking a library: questions, statements, SQL.

use crate::reference::Reference;
use crate::{Answer, AskRequest, Library, Watch, models, view};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tabletalk_core::seam::Chat;
use tabletalk_core::{Error, Fault, Result};
use tabletalk_engine::answer::{self, Answering, Articles, BuiltIn, Explain, Question, Settings, Tables};
use tabletalk_engine::clarify::{self, Clarifier, Made, Search};
use tabletalk_model::chat::Counted;
use tabletalk_sql::{Ran, Sandbox, Stop};
use tabletalk_store::{Conversation, Feedback, Turn};

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

    /// Calls a conversation of an owner something; an error when there is none.
    pub fn call_conversation(&self, owner: Option<&str>, id: &str, title: &str) -> Result<()> {
        self.turns(owner, id)?;
        self.store.catalog()?.call_conversation(&kept(owner, id), title)
    }

    /// Remembers whether a turn of a conversation, counted from 1, was answered right; `None` takes that back. The next time
    /// the same is asked, a reading that was right is preferred, and one that was wrong is not.
    pub fn judge_turn(&self, owner: Option<&str>, id: &str, turn: usize, good: Option<bool>) -> Result<()> {
        let turns = self.turns(owner, id)?;
        let Turn { question, answer } = turn
            .checked_sub(1)
            .and_then(|i| turns.get(i))
            .ok_or_else(|| Error::missing(format!("the conversation `{id}` has no turn {turn}")))?;
        let program = answer.program.clone().unwrap_or_default();
        let mut catalog = self.store.catalog()?;
        let key = answer::question_key(question);
        let Some(good) = good else { return catalog.forget_feedback(&key, &program.sql) };
        let cited = answer.citations.first().and_then(|c| view::table_of(&c.id));
        let table = match cited {
            Some(id) => view::table_named(self, id).map(|t| t.name).unwrap_or_default(),
            None => String::new(),
        };
        let (words, sql, answer) = (program.words, program.sql, answer.answer.clone());
        let said = Feedback { question: question.clone(), words, table, sql, answer, good, at: now() };
        catalog.put_feedback(&key, &said)
    }

    /// What was thought of answers, by question.
    pub fn feedback(&self) -> Result<Vec<Feedback>> {
        Ok(self.store.catalog()?.feedback()?.into_iter().map(|(_, said)| said).collect())
    }

    /// Whether a language model is configured.
    pub fn has_model(&self) -> bool {
        self.config.chat.is_some()
    }

    /// Answers a question. `on_text` is given what a model writes, as it writes it.
    pub fn ask(&self, request: &AskRequest, on_text: &mut dyn FnMut(&str)) -> Result<Answer> {
        self.answer(request, on_text, answer::ask)
    }

    /// Says whether a statement is supported or refuted.
    pub fn verify(&self, request: &AskRequest, on_text: &mut dyn FnMut(&str)) -> Result<Answer> {
        self.answer(request, on_text, answer::verify)
    }

    fn answer(&self, request: &AskRequest, on_text: &mut dyn FnMut(&str), by: By) -> Result<Answer> {
        if request.question.trim().is_empty() {
            return Err(Error::input("the question is empty"));
        }
        request.strategy.iter().try_for_each(|name| self.config.strategy.get(name).map(|_| ()))?;
        let strategy =
            if request.strategy.is_empty() { &self.config.answer.strategy } else { &request.strategy };
        let settings = Settings {
            strategy: strategy.clone(),
            samples: request.samples.unwrap_or(self.config.answer.samples),
            passage_group: match &request.passages {
                Some(name) => self.groups.get(name)?.name.clone(),
                None => self.config.answer.passage_group.clone(),
            },
            ..self.config.answer.clone()
        };
        let (chat, mut notice) = self.chat_or_notice(request.no_model)?;
        let most = self.config.chat.as_ref().and_then(|c| c.budget_tokens);
        let counted = chat.map(|chat| Counted::new(chat, most));
        let mut context = self.answering(counted.as_ref().map(|c| c as &dyn Chat), &settings)?;
        context.stop = request.stop.clone();
        let owner = request.owner.as_deref();
        let conversation =
            request.conversation.as_deref().map(|id| self.conversation(owner, id)).transpose()?;
        let turns = conversation.as_ref().map_or(&[][..], |(_, turns)| turns);
        let tables = self.table_keys(&request.tables)?;
        let question = Question {
            text: request.question.trim(),
            mode: request.mode,
            tables: &tables,
            filters: &request.filters,
            turns,
            choose: request.choose,
        };
        let mut answer = match by(&context, &question, on_text) {
            Err(e) if context.chat.is_some() && e.fault() == Fault::Upstream && self.may_answer_alone() => {
                (context.chat, notice) = (None, Some(stepped_in(&e)));
                by(&context, &question, on_text)?
            }
            done => done?,
        };
        answer.notice = notice.or(answer.notice);
        if let Some((id, _)) = conversation.as_ref().filter(|_| request.choose != Some(0)) {
            answer.conversation = Some(id.clone());
            let turn = Turn { question: request.question.trim().to_owned(), answer: answer.clone() };
            self.store.catalog()?.put_turn(&kept(owner, id), &turn, now())?;
        }
        Ok(answer)
    }

    /// The language model. One that cannot be used takes no answers away: then there is a notice in its place.
    fn chat_or_notice(&self, no_model: bool) -> Result<(Option<&dyn Chat>, Option<String>)> {
        if no_model {
            return Ok((None, None));
        }
        match self.chat() {
            Err(e) if self.may_answer_alone() => Ok((None, Some(stepped_in(&e)))),
            chat => Ok((chat?, None)),
        }
    }

    /// Whether the built-in parser may answer where a language model does not.
    fn may_answer_alone(&self) -> bool {
        self.config.answer.built_in != BuiltIn::Never
    }

    /// Says of every table what it is for, so that this is searched too.
    pub fn clarify(&self, watch: &dyn Watch) -> Result<Made> {
        let chat = self.needed_chat()?;
        let reference = self.reference()?;
        let search = reference.map(|r| move |about: &str| r.articles(about));
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
            reference: match chat.is_some() && matches!(settings.clarify, Explain::Summary | Explain::Both) {
                true => self.reference()?.map(|reference| reference as &dyn Articles),
                false => None,
            },
            settings,
            stop: Stop::new(),
        })
    }

    /// Where background articles on tables come from, opened when it is first needed.
    fn reference(&self) -> Result<Option<&Reference>> {
        if self.reference.get().is_none() {
            let _ = self.reference.set(Reference::open(&self.config)?);
        }
        Ok(self.reference.get().and_then(Option::as_ref))
    }

    /// What finds rows and columns in other words than a table has; nothing without the models of the program.
    fn locate(&self) -> Option<&dyn tabletalk_core::seam::Locate> {
        #[cfg(feature = "bundled-models")]
        return self.config.answer.locate.then(|| tabletalk_model::Locator::bundled() as _);
        #[cfg(not(feature = "bundled-models"))]
        return None;
    }

    /// The language model, made when it is first needed.
    pub fn chat(&self) -> Result<Option<&dyn Chat>> {
        Ok(self.chat.get()?.map(Arc::as_ref))
    }

    /// The language model; an error that says what to do when there is none.
    pub(crate) fn needed_chat(&self) -> Result<&dyn Chat> {
        self.chat()?.ok_or_else(models::no_chat)
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
                let record = match catalog.record(name)? {
                    Some(record) => record,
                    None => return Err(view::no_table(&catalog, name)?),
                };
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

/// What is said where the built-in parser answered in the place of a language model.
fn stepped_in(error: &Error) -> String {
    format!("the language model did not answer, so the built-in parser did: {error}")
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
