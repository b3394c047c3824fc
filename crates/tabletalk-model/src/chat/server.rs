//! A language model that a server runs.

use super::{
    count::Counter,
    draft::Draft,
    events::{Events, Part},
    said::Said,
    schema::{Form, told},
    shape::{Request, Shape},
};
use crate::remote::{
    client::{Client, Failure},
    upstream,
};
use serde_json::Value;
use std::{
    borrow::Cow,
    collections::BTreeSet,
    io::{BufReader, Read},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use tabletalk_core::{
    Error, Result,
    chat::{ChatOptions, Message, Reply},
    seam::Chat,
};

/// Parameters that some servers do not take, and without which a reply is still of use.
const SPARED: [&str; 5] = ["stream_options", "max_tokens", "temperature", "seed", "response_format"];

/// A model behind HTTP.
pub(crate) struct Server {
    pub(crate) shape: Box<dyn Shape>,
    pub(crate) client: Client,
    pub(crate) identity: String,
    pub(crate) model: String,
    pub(crate) context: usize,
    pub(crate) counter: Counter,
    pub(crate) calls_tools: bool,
    pub(crate) timeout: Duration,
    /// Whether a weaker way of asking for JSON is tried when the server refuses.
    pub(crate) yields: bool,
    pub(crate) manners: Mutex<Manners>,
}

/// How the server wants to be asked, as far as it is known.
#[derive(Debug, Clone)]
pub(crate) struct Manners {
    pub(crate) form: Form,
    pub(crate) without: BTreeSet<&'static str>,
}

impl Manners {
    /// Asks for less after a refusal; false when there is nothing left to do without.
    fn yielded(&mut self, refusal: &str, options: &ChatOptions, weaker: bool) -> bool {
        let named = SPARED.iter().find(|name| !self.without.contains(**name) && refusal.contains(**name));
        match named {
            Some(&"response_format") | None if weaker && options.schema.is_some() => {
                self.form.weaker().map(|form| self.form = form).is_some()
            }
            Some(&"response_format") | None => false,
            Some(name) => self.without.insert(name),
        }
    }
}

impl Server {
    fn ask(
        &self,
        manners: &Manners,
        until: Instant,
        talk: &[Message],
        options: &ChatOptions,
        said: &mut Said<'_>,
    ) -> Result<Draft, Failure> {
        let talk = match &options.schema {
            Some(schema) if manners.form != Form::Schema => Cow::Owned(told(talk, schema)),
            _ => Cow::Borrowed(talk),
        };
        let (form, without) = (manners.form, &manners.without);
        let body = self.shape.body(&Request { model: &self.model, talk: &talk, options, form, without });
        let path = self.shape.path(&self.model);
        self.client.stream(until, &path, &body, &mut |body| {
            said.again();
            self.listen(&path, body, said)
        })
    }

    /// Reads a reply to its end.
    fn listen(&self, path: &str, body: impl Read, said: &mut Said<'_>) -> Result<Draft, Failure> {
        let mut draft = Draft::default();
        let mut events = Events::new(BufReader::new(body));
        loop {
            let part = match events.next() {
                Ok(Some(Part::Event(data))) if data.trim() == "[DONE]" => None,
                Ok(part) => part,
                // The reply is whole; what breaks off is only its usage.
                Err(_) if draft.finish.is_some() => None,
                Err(e) => return Err(self.client.unread(e)),
            };
            let Some(part) = part else { return self.ended(draft) };
            self.read(path, part, &mut draft)?;
            said.hear(draft.fresh());
        }
    }

    fn read(&self, path: &str, part: Part, draft: &mut Draft) -> Result<(), Failure> {
        let (json, whole) = match part {
            Part::Event(json) => (json, false),
            Part::Whole(json) => (json, true),
            Part::Other(text) => return Err(self.client.misshapen(path, &text)),
        };
        let value: Value = serde_json::from_str(&json).map_err(|e| self.unread(path, &json, &e))?;
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            return Err(self.client.refused(status(error), &error.to_string(), None));
        }
        let read = if whole { self.shape.whole(&value, draft) } else { self.shape.event(&value, draft) };
        read.map_err(|why| self.client.misshapen(path, &why))
    }

    /// What it means that a part is no JSON: it was cut off, or never was any.
    fn unread(&self, path: &str, json: &str, e: &serde_json::Error) -> Failure {
        let beginning: String = json.chars().take(80).collect();
        if e.is_eof() { self.broken() } else { self.client.misshapen(path, &format!("{e}: {beginning}")) }
    }

    fn broken(&self) -> Failure {
        let shown = self.client.shown();
        Failure::Passing(upstream(format!("{shown} broke off in the middle of a reply")), None)
    }

    /// Whether a reply whose stream has ended is whole.
    fn ended(&self, draft: Draft) -> Result<Draft, Failure> {
        let shown = self.client.shown();
        if let Some(reason) = &draft.withheld {
            let reason = self.client.short(reason);
            return Err(Failure::Lasting(upstream(format!("{shown} keeps the reply back: {reason}"))));
        }
        if draft.finish.is_none() {
            return Err(self.broken());
        }
        Ok(draft)
    }

    fn reply(&self, draft: Draft, talk: &[Message]) -> Result<Reply> {
        let prompt = || talk.iter().map(|message| 4 + self.count(&message.text)).sum();
        draft
            .reply(prompt, |text| self.count(text))
            .map_err(|why| upstream(format!("{}: {why}", self.identity)))
    }

    fn hinted(&self, error: Error, options: &ChatOptions) -> Error {
        match error.cure() {
            None if !options.tools.is_empty() && error.message().contains("tool") => {
                error.hint("set `tools` to \"text\"")
            }
            _ => error,
        }
    }
}

/// The status that an error in a stream stands for: one that passes, unless it says otherwise.
fn status(error: &Value) -> u16 {
    let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let lasting = matches!(error.get("type").and_then(Value::as_str), Some("invalid_request_error"));
    code.filter(|code| (400..600).contains(code)).unwrap_or(if lasting { 400 } else { 500 })
}

impl Chat for Server {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn context(&self) -> usize {
        self.context
    }

    fn count(&self, text: &str) -> usize {
        self.counter.count(text)
    }

    fn calls_tools(&self) -> bool {
        self.calls_tools
    }

    fn chat(&self, talk: &[Message], options: &ChatOptions, on_text: &mut dyn FnMut(&str)) -> Result<Reply> {
        let until = Instant::now() + self.timeout;
        let mut said = Said::new(on_text);
        let mut manners = self.manners.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut refusal: Option<Error> = None;
        loop {
            let error = match self.ask(&manners, until, talk, options, &mut said) {
                Ok(draft) => {
                    // Tools and JSON together are refused by some that take either.
                    if refusal.is_some() && options.tools.is_empty() {
                        *self.manners.lock().unwrap_or_else(PoisonError::into_inner) = manners;
                    }
                    return self.reply(draft, talk);
                }
                Err(Failure::Refused(error)) => error,
                Err(failure) => return Err(self.hinted(failure.error(), options)),
            };
            let yielded = manners.yielded(error.message(), options, self.yields);
            // The first refusal is about what was really asked.
            let first = refusal.get_or_insert(error);
            if !yielded {
                return Err(self.hinted(first.clone(), options));
            }
        }
    }
}
