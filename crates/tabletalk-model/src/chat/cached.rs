//! Replies that are kept on disk.

use super::key::key;
use rusqlite::{Connection, OptionalExtension, params};
use std::{
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tabletalk_core::{
    Error, Result,
    chat::{ChatOptions, Message, Reply, Usage},
    seam::Chat,
};

/// Asks a model only what it was not asked before. The same model, talk and options, seed included, are the same request.
///
/// A request for variety (a temperature above 0) without a seed wants another reply each time, and is never kept. A cache
/// that can no longer be read or written while it is used is passed by: then the model is asked.
pub struct Cached {
    chat: Box<dyn Chat>,
    kept: Mutex<Connection>,
}

impl Cached {
    /// Keeps the replies of `chat` in the file at `path`, which is made when it is not there.
    pub fn open(path: impl AsRef<Path>, chat: Box<dyn Chat>) -> Result<Cached> {
        let path = path.as_ref();
        let kept = opened(path).map_err(|e| {
            Error::io(format!("the cache {} cannot be opened: {e}", path.display()))
                .hint("delete it; it is made again")
        })?;
        Ok(Cached { chat, kept: Mutex::new(kept) })
    }

    fn kept(&self) -> MutexGuard<'_, Connection> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: &blake3::Hash) -> Option<Reply> {
        let kept = self.kept();
        let mut find = kept.prepare_cached("SELECT reply FROM reply WHERE key = ?1").ok()?;
        let found: Option<String> = find.query_row([key.as_bytes()], |row| row.get(0)).optional().ok()?;
        serde_json::from_str(&found?).ok()
    }

    fn keep(&self, key: &blake3::Hash, reply: &Reply) {
        if let Ok(reply) = serde_json::to_string(reply) {
            let keep = "INSERT OR REPLACE INTO reply (key, reply) VALUES (?1, ?2)";
            let _ = self.kept().execute(keep, params![key.as_bytes(), reply]);
        }
    }
}

fn opened(path: &Path) -> rusqlite::Result<Connection> {
    let kept = Connection::open(path)?;
    // Several processes may share it.
    kept.busy_timeout(Duration::from_secs(5))?;
    kept.pragma_update(None, "journal_mode", "WAL")?;
    kept.pragma_update(None, "synchronous", "NORMAL")?;
    kept.execute_batch(
        "CREATE TABLE IF NOT EXISTS reply (key BLOB PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID",
    )?;
    Ok(kept)
}

impl Chat for Cached {
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
        if options.temperature > 0.0 && options.seed.is_none() {
            return self.chat.chat(talk, options, on_text);
        }
        let key = key(self.identity(), talk, options);
        if let Some(reply) = self.find(&key) {
            on_text(&reply.text);
            return Ok(Reply { usage: Usage { calls: 0, cached: 1, ..reply.usage }, ..reply });
        }
        let reply = self.chat.chat(talk, options, on_text)?;
        self.keep(&key, &reply);
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::super::script::Scripted;
    use super::*;

    fn say(chat: &dyn Chat, text: &str, options: &ChatOptions) -> (String, u64) {
        let reply = chat.chat(&[Message::user(text)], options, &mut |_| {}).unwrap();
        (reply.text, reply.usage.cached)
    }

    #[test]
    fn the_same_request_is_asked_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.sqlite");
        let cached = Cached::open(&path, Scripted::boxed(&["one", "two", "three"])).unwrap();
        let options = |seed| ChatOptions { seed: Some(seed), temperature: 0.7, ..ChatOptions::default() };
        assert_eq!(say(&cached, "q", &options(1)), ("one".into(), 0));
        assert_eq!(say(&cached, "q", &options(1)), ("one".into(), 1));
        assert_eq!(say(&cached, "q", &options(2)), ("two".into(), 0));
        assert_eq!(say(&cached, "other", &options(1)), ("three".into(), 0));
        drop(cached);
        let again = Cached::open(&path, Scripted::boxed(&[])).unwrap();
        let mut heard = String::new();
        let reply = again.chat(&[Message::user("q")], &options(2), &mut |text| heard.push_str(text)).unwrap();
        assert_eq!((heard.as_str(), reply.usage.calls, reply.usage.prompt_tokens), ("two", 0, 1));
    }

    #[test]
    fn variety_without_a_seed_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let cached = Cached::open(folder.path().join("c"), Scripted::boxed(&["one", "two"])).unwrap();
        let options = ChatOptions { temperature: 0.7, ..ChatOptions::default() };
        assert_eq!(
            (say(&cached, "q", &options).0, say(&cached, "q", &options).0),
            ("one".into(), "two".into())
        );
    }

    #[test]
    fn a_file_that_is_no_cache_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        std::fs::write(&path, "these are notes and no database at all, to be sure".repeat(100)).unwrap();
        let error = Cached::open(&path, Scripted::boxed(&[])).err().unwrap();
        assert!(error.message().contains("notes.txt") && error.cure().is_some());
    }
}
