//! A model for tests that says what was written for it.

use std::sync::Mutex;
use tabletalk_core::chat::{ChatOptions, Message, Reply, Usage};
use tabletalk_core::seam::Chat;
use tabletalk_core::{Error, Result};

/// Answers from a list: by the seed of what is wished where there is one, else one after the other. An answer
/// that begins with `error:` fails.
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) answers: Vec<String>,
    /// What it was shown and how the reply was wished, in the order it was asked.
    pub(crate) seen: Mutex<Vec<(Vec<Message>, ChatOptions)>>,
    /// The most tokens of a talk.
    pub(crate) context: usize,
}

impl Script {
    pub(crate) fn new(answers: &[&str]) -> Script {
        let answers = answers.iter().map(|a| a.to_string()).collect();
        Script { answers, context: 8192, ..Script::default() }
    }

    /// How often it was asked.
    pub(crate) fn asked(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    /// All that was said to it the last time.
    pub(crate) fn last(&self) -> String {
        let seen = self.seen.lock().unwrap();
        let talk = seen.last().map(|s| s.0.as_slice()).unwrap_or_default();
        talk.iter().map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n\n---\n\n")
    }
}

impl Chat for Script {
    fn identity(&self) -> &str {
        "script"
    }
    fn context(&self) -> usize {
        self.context
    }
    fn count(&self, text: &str) -> usize {
        crate::group::tokens::count(text)
    }
    fn chat(&self, talk: &[Message], options: &ChatOptions, on_text: &mut dyn FnMut(&str)) -> Result<Reply> {
        let mut seen = self.seen.lock().unwrap();
        seen.push((talk.to_vec(), options.clone()));
        let at = options.seed.map_or(seen.len(), |s| s as usize).saturating_sub(1);
        let text = self.answers.get(at).cloned().unwrap_or_else(|| "error: nothing is left to say".into());
        if let Some(error) = text.strip_prefix("error:") {
            return Err(Error::upstream(error.trim()));
        }
        on_text(&text);
        let usage = Usage { calls: 1, prompt_tokens: 10, completion_tokens: 2, cached: 0 };
        Ok(Reply { text, usage, ..Reply::default() })
    }
}
