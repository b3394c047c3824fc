//! What is asked of a model, counted and limited.

use std::sync::{Mutex, MutexGuard, PoisonError};
use tabletalk_core::{
    Error, Result,
    chat::{ChatOptions, Message, Reply, Usage},
    seam::Chat,
};

/// Counts what a model is asked, for example for one question, and stops when a budget is spent.
///
/// The budget is looked at before each request: one that has begun is never cut off, so that the last one may go past it
/// by its own length.
pub struct Counted<'a> {
    chat: &'a dyn Chat,
    /// The most tokens, read and written together; replies from a cache are free.
    most: Option<u64>,
    spent: Mutex<Spent>,
}

#[derive(Default)]
struct Spent {
    usage: Usage,
    /// Tokens that a model was really asked for.
    tokens: u64,
}

impl<'a> Counted<'a> {
    /// Counts what `chat` is asked, and stops when `most` tokens are used up.
    pub fn new(chat: &'a dyn Chat, most: Option<u64>) -> Counted<'a> {
        Counted { chat, most, spent: Mutex::default() }
    }

    /// All that was used so far.
    pub fn usage(&self) -> Usage {
        self.spent().usage
    }

    fn spent(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there are tokens left.
    fn begin(&self) -> Result<()> {
        match self.most.filter(|most| self.spent().tokens >= *most) {
            Some(most) => Err(Error::limit(format!("{most} tokens of the language model are used up"))
                .hint("raise the budget of tokens")),
            None => Ok(()),
        }
    }

    fn end(&self, reply: &Result<Reply>) {
        let mut spent = self.spent();
        match reply {
            Ok(reply) => {
                spent.usage += reply.usage;
                if reply.usage.calls > 0 {
                    spent.tokens += reply.usage.prompt_tokens + reply.usage.completion_tokens;
                }
            }
            Err(_) => spent.usage.calls += 1,
        }
    }
}

impl Chat for Counted<'_> {
    fn identity(&self) -> &str {
        self.chat.identity()
    }

    fn context(&self) -> usize {
        self.chat.context()
    }

    fn count(&self, text: &str) -> usize {
        self.chat.count(text)
    }

    fn calls_tools(&self) -> bool {
        self.chat.calls_tools()
    }

    fn chat(&self, talk: &[Message], options: &ChatOptions, on_text: &mut dyn FnMut(&str)) -> Result<Reply> {
        self.begin()?;
        let reply = self.chat.chat(talk, options, on_text);
        self.end(&reply);
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::super::script::Scripted;
    use super::*;
    use tabletalk_core::Fault;

    fn say(chat: &dyn Chat) -> Result<Reply> {
        chat.chat(&[Message::user("q")], &ChatOptions::default(), &mut |_| {})
    }

    #[test]
    fn what_is_asked_is_counted() {
        let chat = Scripted::new(&["a b", "c"]);
        let counted = Counted::new(&chat, None);
        assert!(say(&counted).is_ok() && say(&counted).is_ok());
        assert_eq!(counted.usage(), Usage { calls: 2, cached: 0, prompt_tokens: 2, completion_tokens: 3 });
    }

    #[test]
    fn tokens_end_with_the_budget_but_those_of_a_cache_are_free() {
        let chat = Scripted::new(&["a b", "c"]);
        let counted = Counted::new(&chat, Some(3));
        assert!(say(&counted).is_ok());
        assert_eq!(say(&counted).unwrap_err().fault(), Fault::Limit);
        let folder = tempfile::tempdir().unwrap();
        let cached = super::super::Cached::open(folder.path().join("c"), Scripted::boxed(&["a b"])).unwrap();
        say(&cached).unwrap();
        let counted = Counted::new(&cached, Some(3));
        assert!((0..5).all(|_| say(&counted).is_ok()));
        assert_eq!((counted.usage().calls, counted.usage().cached), (0, 5));
    }

    #[test]
    fn a_failure_counts() {
        let chat = Scripted::new(&[]);
        let counted = Counted::new(&chat, None);
        assert!(say(&counted).is_err());
        assert_eq!(counted.usage().calls, 1);
    }
}
