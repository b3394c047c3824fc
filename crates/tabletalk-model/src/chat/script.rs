//! A model that says what a test wants it to say.

use std::{collections::VecDeque, sync::Mutex};
use tabletalk_core::{
    Error, Result,
    chat::{ChatOptions, Finish, Message, Reply, Usage},
    seam::Chat,
};

/// Says its lines in order, and fails when there are none left. A line that ends with `…` was cut off there.
pub(crate) struct Scripted {
    lines: Mutex<VecDeque<String>>,
    /// The talks it heard.
    pub(crate) heard: Mutex<Vec<Vec<Message>>>,
}

impl Scripted {
    pub(crate) fn new(lines: &[&str]) -> Scripted {
        let lines = lines.iter().map(|&line| line.to_owned()).collect();
        Scripted { lines: Mutex::new(lines), heard: Mutex::default() }
    }

    pub(crate) fn boxed(lines: &[&str]) -> Box<dyn Chat> {
        Box::new(Scripted::new(lines))
    }
}

impl Chat for Scripted {
    fn identity(&self) -> &str {
        "scripted"
    }

    fn context(&self) -> usize {
        1000
    }

    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn chat(&self, talk: &[Message], _: &ChatOptions, on_text: &mut dyn FnMut(&str)) -> Result<Reply> {
        self.heard.lock().unwrap().push(talk.to_vec());
        let line = self.lines.lock().unwrap().pop_front();
        let text = line.ok_or_else(|| Error::upstream("the script is over"))?;
        let (text, finish) = match text.strip_suffix('…') {
            Some(cut) => (cut.to_owned(), Finish::Length),
            None => (text, Finish::Stop),
        };
        on_text(&text);
        let prompt_tokens = talk.iter().map(|message| self.count(&message.text) as u64).sum();
        let usage = Usage { calls: 1, cached: 0, prompt_tokens, completion_tokens: self.count(&text) as u64 };
        Ok(Reply { text, finish, usage, ..Reply::default() })
    }
}
