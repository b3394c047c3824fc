//! Replies that are recorded, and said again.

use super::{count, key::key};
use serde::{Deserialize, Serialize};
use std::{
    collections::{HashMap, VecDeque},
    fs::File,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};
use tabletalk_core::{
    Error, Result,
    chat::{ChatOptions, Message, Reply, Speaker},
    seam::Chat,
};

/// What is said of the model in the first line of a recording.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Model {
    identity: String,
    context: usize,
    calls_tools: bool,
}

/// Every other line.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    talk: Vec<Message>,
    #[serde(alias = "wish")]
    options: ChatOptions,
    reply: Reply,
}

/// Writes every request and its reply to a file, one JSON line each.
///
/// It counts tokens by estimate and not by the model's own tokenizer, since a replay has none, and what is asked may
/// depend on the count.
pub struct Recorded {
    chat: Box<dyn Chat>,
    file: Mutex<File>,
    path: PathBuf,
}

impl Recorded {
    /// Records what `chat` says in a new file at `path`.
    pub fn create(path: impl AsRef<Path>, chat: Box<dyn Chat>) -> Result<Recorded> {
        let path = path.as_ref().to_owned();
        let file = File::create(&path).map_err(|e| Error::from(e).at(path.display()))?;
        let model = Model {
            identity: chat.identity().to_owned(),
            context: chat.context(),
            calls_tools: chat.calls_tools(),
        };
        let recorded = Recorded { chat, file: Mutex::new(file), path };
        recorded.write(&model)?;
        Ok(recorded)
    }

    fn write(&self, line: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_vec(line)?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line).map_err(|e| Error::from(e).at(self.path.display()))
    }
}

impl Chat for Recorded {
    fn identity(&self) -> &str {
        self.chat.identity()
    }

    fn context(&self) -> usize {
        self.chat.context()
    }

    fn count(&self, text: &str) -> usize {
        count::tokens(text)
    }

    fn calls_tools(&self) -> bool {
        self.chat.calls_tools()
    }

    fn chat(&self, talk: &[Message], options: &ChatOptions, on_text: &mut dyn FnMut(&str)) -> Result<Reply> {
        let reply = self.chat.chat(talk, options, on_text)?;
        let line = Line { talk: talk.to_vec(), options: options.clone(), reply };
        self.write(&line)?;
        Ok(line.reply)
    }
}

/// Says what was recorded, and nothing else. A request that was recorded several times is answered in that order, and
/// then with the last of them.
pub struct Replay {
    model: Model,
    path: PathBuf,
    replies: Mutex<HashMap<blake3::Hash, VecDeque<Reply>>>,
}

impl Replay {
    /// Reads the recording at `path`.
    pub fn open(path: impl AsRef<Path>) -> Result<Replay> {
        let path = path.as_ref().to_owned();
        let at = |number: usize| format!("{}:{number}", path.display());
        let file = File::open(&path).map_err(|e| Error::from(e).at(path.display()))?;
        let mut lines = BufReader::new(file).lines();
        let first = lines.next().transpose()?.unwrap_or_default();
        let model = serde_json::from_str(&first).map_err(|e| Error::from(e).at(at(1)))?;
        let mut replies: HashMap<_, VecDeque<Reply>> = HashMap::new();
        for (number, line) in lines.enumerate() {
            let line: Line = serde_json::from_str(&line?).map_err(|e| Error::from(e).at(at(number + 2)))?;
            replies.entry(key("", &line.talk, &line.options)).or_default().push_back(line.reply);
        }
        Ok(Replay { model, path, replies: Mutex::new(replies) })
    }

    fn unheard(&self, talk: &[Message]) -> Error {
        let last = talk.iter().rev().find(|message| message.speaker == Speaker::User);
        let asked: String = last.map_or("", |message| message.text.trim()).chars().take(200).collect();
        Error::missing(format!("{} has no reply to: {asked}", self.path.display()))
            .hint("record it again with the model it was made with")
    }
}

impl Chat for Replay {
    fn identity(&self) -> &str {
        &self.model.identity
    }

    fn context(&self) -> usize {
        self.model.context
    }

    fn count(&self, text: &str) -> usize {
        count::tokens(text)
    }

    fn calls_tools(&self) -> bool {
        self.model.calls_tools
    }

    fn chat(&self, talk: &[Message], options: &ChatOptions, on_text: &mut dyn FnMut(&str)) -> Result<Reply> {
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = replies.get_mut(&key("", talk, options)).ok_or_else(|| self.unheard(talk))?;
        let reply = if kept.len() > 1 { kept.pop_front() } else { kept.front().cloned() };
        let reply = reply.ok_or_else(|| self.unheard(talk))?;
        drop(replies);
        on_text(&reply.text);
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::super::script::Scripted;
    use super::*;
    use tabletalk_core::Fault;

    fn say(chat: &dyn Chat, text: &str) -> Result<String> {
        chat.chat(&[Message::user(text)], &ChatOptions::default(), &mut |_| {}).map(|reply| reply.text)
    }

    #[test]
    fn what_was_recorded_is_said_again_in_its_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("talk.jsonl");
        let recorded = Recorded::create(&path, Scripted::boxed(&["one", "two", "three"])).unwrap();
        for (asked, said) in [("a", "one"), ("a", "two"), ("b", "three")] {
            assert_eq!(say(&recorded, asked).unwrap(), said);
        }
        let replay = Replay::open(&path).unwrap();
        assert_eq!((replay.identity(), replay.context()), (recorded.identity(), recorded.context()));
        for (asked, said) in [("b", "three"), ("a", "one"), ("a", "two"), ("a", "two")] {
            assert_eq!(say(&replay, asked).unwrap(), said);
        }
        let error = say(&replay, "what is new?").unwrap_err();
        assert_eq!(error.fault(), Fault::Missing);
        assert!(error.message().ends_with("has no reply to: what is new?"), "{error}");
    }

    #[test]
    fn a_damaged_recording_is_named_by_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("talk.jsonl");
        drop(Recorded::create(&path, Scripted::boxed(&[])).unwrap());
        File::options().append(true).open(&path).unwrap().write_all(b"{\n").unwrap();
        assert!(Replay::open(&path).err().unwrap().message().contains("talk.jsonl:2"));
        assert_eq!(Replay::open(folder.path().join("none")).err().unwrap().fault(), Fault::Missing);
    }
}
