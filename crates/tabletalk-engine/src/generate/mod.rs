//! Having a language model make texts: many orders, several at once, each kept the moment it is made.
//!
//! What was made is kept by the content of its order, so that a run that was stopped, killed or repeated asks only
//! for what is missing.

pub mod group;

use crate::watch::{Watch, interrupted};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use tabletalk_core::chat::{ChatOptions, Finish, Message, Reply, Usage};
use tabletalk_core::seam::Chat;
use tabletalk_core::{Error, Result};
use tabletalk_store::Library;
use tabletalk_store::embedding::{Hash, hash};

/// Orders that may fail one after another before the model is taken to be out of reach.
const LOST: usize = 8;
const AGAIN: &str = "what was made is kept; run the same command again to go on";

/// How a model is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Requests that are under way at the same time.
    pub at_once: usize,
    /// How often one is tried.
    pub attempts: usize,
    /// Runs of more requests than this are asked about before they begin.
    pub ask_above: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { at_once: 4, attempts: 3, ask_above: 20 }
    }
}

/// One text that is wanted.
pub(crate) struct Order {
    pub(crate) talk: Vec<Message>,
    pub(crate) options: ChatOptions,
}

impl Order {
    /// Names the order by all that its text depends on.
    pub(crate) fn key(&self, chat: &dyn Chat) -> Hash {
        let said: Vec<&str> = self.talk.iter().map(|m| m.text.as_str()).collect();
        let options =
            format!("{} {} {:?}", self.options.temperature, self.options.max_tokens, self.options.seed);
        hash(&format!("{}\u{0}{options}\u{0}{}", chat.identity(), said.join("\u{0}")))
    }
}

/// What a run will about cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Requests.
    pub calls: u64,
    /// Tokens, read and written together.
    pub tokens: u64,
}

impl Estimate {
    pub(crate) fn add(&mut self, tokens: u64) {
        self.calls += 1;
        self.tokens += tokens;
    }
}

/// Says whether a run of this cost may begin.
pub type Confirm<'a> = &'a (dyn Fn(&Estimate) -> Result<bool> + Sync);

/// What came of the orders.
#[derive(Debug, Default)]
pub(crate) struct Made {
    /// The text of each order, or why there is none.
    pub(crate) texts: Vec<Result<String>>,
    pub(crate) usage: Usage,
}

/// A model that makes texts for a library.
pub(crate) struct Maker<'a> {
    pub(crate) chat: &'a dyn Chat,
    /// Whether a text is what was asked for; one that is not is asked for again and not kept.
    pub(crate) accepts: &'a (dyn Fn(&str) -> bool + Sync),
    pub(crate) library: &'a Library,
    pub(crate) settings: &'a Settings,
}

impl Maker<'_> {
    /// Whether the text of an order is kept.
    pub(crate) fn knows(&self, order: &Order) -> Result<bool> {
        Ok(self.library.catalog()?.made(&order.key(self.chat))?.is_some())
    }

    /// The texts of all orders. An order that fails fails alone; when many fail in a row, the run ends.
    pub(crate) fn make(
        &self,
        count: usize,
        order: &(dyn Fn(usize) -> Result<Order> + Sync),
        what: &str,
        watch: &dyn Watch,
    ) -> Result<Made> {
        let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (done, results) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.settings.at_once.clamp(1, 64).min(count) {
                let (next, over, done) = (&next, &over, done.clone());
                scope.spawn(move || {
                    while !over.load(Ordering::Relaxed) && !watch.stopped() {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        if i >= count || done.send((i, self.one(order, i, watch))).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(done);
            let made = self.collect(count, results, what, watch);
            over.store(true, Ordering::Relaxed);
            made
        })
    }

    /// Keeps each text as it comes.
    fn collect(
        &self,
        count: usize,
        results: Receiver<(usize, Result<One, Failure>)>,
        what: &str,
        watch: &dyn Watch,
    ) -> Result<Made> {
        let mut texts: Vec<Option<Result<String>>> = (0..count).map(|_| None).collect();
        let (mut usage, mut ready, mut lost) = (Usage::default(), 0, 0);
        let (mut new, mut unreachable) = (0u64, false);
        for (i, one) in results {
            ready += 1;
            watch.note(&format!("{what}: {ready} of {count}"));
            let text = match one {
                Ok(one) => {
                    lost = 0;
                    new += u64::from(!one.known);
                    usage += one.usage;
                    Ok(one.text)
                }
                Err(failure) => {
                    lost += 1;
                    unreachable |= failure.unreachable;
                    if lost >= LOST {
                        return Err(failure.error.hint(AGAIN));
                    }
                    Err(failure.error)
                }
            };
            if let Some(place) = texts.get_mut(i) {
                *place = Some(text);
            }
        }
        let texts = texts.into_iter().map(|t| t.ok_or_else(interrupted)).collect::<Result<Vec<_>>>()?;
        // When nothing comes from the model at all, what there is must not be replaced by something worse.
        if new == 0 && unreachable {
            return Err(texts.into_iter().find_map(Result::err).unwrap_or_else(interrupted).hint(AGAIN));
        }
        Ok(Made { texts, usage })
    }

    fn keep(&self, one: &One) -> Result<()> {
        let mut catalog = self.library.catalog()?;
        let change = catalog.side_change()?;
        change.put_made(&one.key, &one.text)?;
        change.commit()
    }

    fn one(
        &self,
        order: &(dyn Fn(usize) -> Result<Order> + Sync),
        i: usize,
        watch: &dyn Watch,
    ) -> Result<One, Failure> {
        let order = order(i)?;
        let key = order.key(self.chat);
        if let Some(text) = self.library.catalog()?.made(&key)? {
            return Ok(One { key, text, usage: Usage::default(), known: true });
        }
        let (mut usage, mut why) = (Usage::default(), Error::upstream("the model was not asked"));
        let mut unreachable = true;
        for attempt in 0..self.settings.attempts.max(1) {
            if watch.stopped() {
                return Err(interrupted().into());
            }
            // Another seed, or a cache would give the same bad reply again.
            let seed = if attempt == 0 { order.options.seed } else { Some(attempt as u64) };
            let options = ChatOptions { seed, ..order.options.clone() };
            match self.chat.chat(&order.talk, &options, &mut |_| {}) {
                Ok(reply) => {
                    usage += reply.usage;
                    match said(&reply).filter(|text| (self.accepts)(text)) {
                        Some(text) => {
                            let one = One { key, text, usage, known: false };
                            self.keep(&one)?;
                            return Ok(one);
                        }
                        None => {
                            unreachable = false;
                            why = Error::upstream("the model did not write what was asked for");
                        }
                    }
                }
                Err(e) => why = e,
            }
        }
        Err(Failure { error: why, unreachable })
    }
}

/// Why an order has no text.
struct Failure {
    error: Error,
    /// Whether no reply came, be it a bad one.
    unreachable: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { error, unreachable: false }
    }
}

/// A text that was made.
struct One {
    key: Hash,
    text: String,
    usage: Usage,
    known: bool,
}

/// The text of a reply; one that was cut off ends with its last whole sentence.
fn said(reply: &Reply) -> Option<String> {
    let text = reply.said().trim();
    let whole = match reply.finish {
        Finish::Length => text.rfind(['.', '!', '?', '。', '！', '？', '\n']).and_then(|end| {
            let sign = text.get(end..)?.chars().next()?;
            text.get(..end + sign.len_utf8())
        }),
        _ => None,
    };
    let text = whole.unwrap_or(text).trim();
    (!text.is_empty()).then(|| text.to_owned())
}
