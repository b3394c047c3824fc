//! What is asked of a model, counted and limited.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tabletalk_core::{
    Error, Result,
    chat::{Message, Reply, Usage, Wish},
    seam::Chat,
};

/// What may be spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// The most requests that go to the model; replies from a cache are free.
    pub calls: Option<u64>,
    /// The most tokens, read and written together.
    pub tokens: Option<u64>,
}

/// One request and what came of it.
#[derive(Debug, Clone)]
pub struct Asked {
    /// What was said.
    pub talk: Vec<Message>,
    /// How a reply was wanted.
    pub wish: Wish,
    /// The reply, or why there is none.
    pub reply: Result<Reply>,
    /// How long it took.
    pub time: Duration,
}

/// Counts what a model is asked, for example for one question, and stops when a budget is spent.
///
/// The budget is looked at before each request: one that has begun is never cut off, so that the last one may go past it
/// by its own length.
pub struct Counted<'a> {
    chat: &'a dyn Chat,
    budget: Budget,
    spent: Mutex<Spent>,
}

#[derive(Default)]
struct Spent {
    usage: Usage,
    /// Tokens that a model was really asked for.
    tokens: u64,
    under_way: u64,
    asked: Vec<Asked>,
}

impl<'a> Counted<'a> {
    /// Counts what `chat` is asked, and stops at `budget`.
    pub fn new(chat: &'a dyn Chat, budget: Budget) -> Counted<'a> {
        Counted { chat, budget, spent: Mutex::default() }
    }

    /// All that was used so far.
    pub fn usage(&self) -> Usage {
        self.spent().usage
    }

    /// All that was asked so far, in the order in which replies came.
    pub fn asked(&self) -> Vec<Asked> {
        self.spent().asked.clone()
    }

    fn spent(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one call out of the budget. Those under way count, so that many at once do not go past it.
    fn begin(&self) -> Result<()> {
        let mut spent = self.spent();
        let calls = spent.usage.calls + spent.under_way;
        if let Some(most) = self.budget.calls.filter(|most| calls >= *most) {
            return Err(Error::limit(format!("{most} calls of the language model are used up"))
                .hint("raise the budget of calls"));
        }
        if let Some(most) = self.budget.tokens.filter(|most| spent.tokens >= *most) {
            return Err(Error::limit(format!("{most} tokens of the language model are used up"))
                .hint("raise the budget of tokens"));
        }
        spent.under_way += 1;
        Ok(())
    }

    fn end(&self, asked: Asked) {
        let mut spent = self.spent();
        spent.under_way -= 1;
        match &asked.reply {
            Ok(reply) => {
                spent.usage += reply.usage;
                if reply.usage.calls > 0 {
                    spent.tokens += reply.usage.prompt_tokens + reply.usage.completion_tokens;
                }
            }
            // It was asked, and what is not counted could be asked for ever.
            Err(_) => spent.usage.calls += 1,
        }
        spent.asked.push(asked);
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

    fn chat(&self, talk: &[Message], wish: &Wish, on_text: &mut dyn FnMut(&str)) -> Result<Reply> {
        self.begin()?;
        let begun = Instant::now();
        let reply = self.chat.chat(talk, wish, on_text);
        let (talk, wish) = (talk.to_vec(), wish.clone());
        self.end(Asked { talk, wish, reply: reply.clone(), time: begun.elapsed() });
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::super::script::Scripted;
    use super::*;
    use tabletalk_core::Fault;

    fn say(chat: &dyn Chat) -> Result<Reply> {
        chat.chat(&[Message::user("q")], &Wish::default(), &mut |_| {})
    }

    #[test]
    fn calls_end_with_the_budget() {
        let chat = Scripted::new(&["a b", "c", "d"]);
        let counted = Counted::new(&chat, Budget { calls: Some(2), tokens: None });
        assert!(say(&counted).is_ok() && say(&counted).is_ok());
        let error = say(&counted).unwrap_err();
        assert_eq!(error.fault(), Fault::Limit);
        assert!(error.message().contains("2 calls"));
        let usage = Usage { calls: 2, cached: 0, prompt_tokens: 2, completion_tokens: 3 };
        assert_eq!((counted.usage(), counted.asked().len()), (usage, 2));
    }

    #[test]
    fn tokens_end_with_the_budget_but_those_of_a_cache_are_free() {
        let chat = Scripted::new(&["a b", "c"]);
        let counted = Counted::new(&chat, Budget { calls: None, tokens: Some(3) });
        assert!(say(&counted).is_ok());
        assert_eq!(say(&counted).unwrap_err().fault(), Fault::Limit);
        let folder = tempfile::tempdir().unwrap();
        let cached = super::super::Cached::open(folder.path().join("c"), Scripted::boxed(&["a b"])).unwrap();
        say(&cached).unwrap();
        let counted = Counted::new(&cached, Budget { calls: Some(1), tokens: Some(3) });
        assert!((0..5).all(|_| say(&counted).is_ok()));
        assert_eq!((counted.usage().calls, counted.usage().cached), (0, 5));
    }

    #[test]
    fn a_failure_is_remembered_and_counts() {
        let chat = Scripted::new(&[]);
        let counted = Counted::new(&chat, Budget { calls: Some(1), tokens: None });
        assert!(say(&counted).is_err());
        assert!(counted.asked()[0].reply.is_err());
        assert_eq!(say(&counted).unwrap_err().fault(), Fault::Limit);
    }
}
