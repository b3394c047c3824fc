//! Writes of many documents at once.

use super::engine::{Engine, LINES, is_full, writing};
use serde_json::Value;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tabletalk_core::{Error, Result};

/// A request is ended when it has so many bytes.
const LARGE: usize = 8 << 20;
/// The first wait when the server is busy; each one after it is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// What became of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// Everything is written.
    All,
    /// The index is not there.
    NoIndex,
}

impl Engine {
    /// Writes items to an index, several batches at once. Of those with one key the last is written. `lines` says what is
    /// done with an item: a line with the action, and one with the document where there is one.
    pub(super) fn write<T: Sync, K: Hash + Eq>(
        &self,
        index: &str,
        items: &[T],
        key: impl Fn(&T) -> K,
        lines: impl Fn(&T) -> String + Sync,
    ) -> Result<Written> {
        let mut keys = HashSet::with_capacity(items.len());
        let mut items: Vec<&T> = items.iter().rev().filter(|item| keys.insert(key(item))).collect();
        items.reverse();
        let batches: Vec<&[&T]> = items.chunks(self.client.batch.max(1)).collect();
        let next = Mutex::new(batches.iter());
        let work = || -> Result<Written> {
            loop {
                let batch = next.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(batch) = batch else { return Ok(Written::All) };
                let written = self.write_batch(index, batch, &lines);
                if !matches!(written, Ok(Written::All)) {
                    // The others need not begin what is left.
                    *next.lock().unwrap_or_else(PoisonError::into_inner) = [].iter();
                    return written;
                }
            }
        };
        let threads = self.client.connections.clamp(1, batches.len().max(1));
        if threads == 1 {
            return work();
        }
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_fold(Written::All, |written, worker| {
                let part =
                    worker.join().unwrap_or_else(|_| Err(Error::bug("a thread that writes ended early")))?;
                Ok(if part == Written::All { written } else { part })
            })
        })
    }

    /// One batch, in requests that are not too large.
    fn write_batch<T>(&self, index: &str, batch: &[&T], lines: &impl Fn(&T) -> String) -> Result<Written> {
        let (mut items, mut bytes) = (Vec::new(), 0);
        for (at, item) in batch.iter().enumerate() {
            let item = lines(item);
            bytes += item.len();
            items.push(item);
            if bytes >= LARGE || at + 1 == batch.len() {
                let some = std::mem::take(&mut items);
                bytes = 0;
                if self.gate.pass(|| self.write_items(index, some))? == Written::NoIndex {
                    return Ok(Written::NoIndex);
                }
            }
        }
        Ok(Written::All)
    }

    /// One request; items that the server was too busy for are sent again.
    fn write_items(&self, index: &str, mut items: Vec<String>) -> Result<Written> {
        let path = format!(
            "/{}/_bulk?require_alias=true&filter_path=errors,items.*.status,items.*.error",
            writing(index)
        );
        let (mut wait, mut left) = (FIRST_WAIT, self.client.retries);
        loop {
            let said = self.http.send("POST", &path, LINES, Some(items.concat().as_bytes()))?;
            if !said.is_success() {
                return match said.status {
                    404 => Ok(Written::NoIndex),
                    _ => Err(self.refused(&said)),
                };
            }
            if said.body["errors"] != true {
                return Ok(Written::All);
            }
            let results = said.body["items"].as_array().map_or(&[][..], Vec::as_slice);
            let mut busy = Vec::new();
            for (item, result) in items.into_iter().zip(results) {
                match self.fate(result)? {
                    Fate::Done => {}
                    Fate::Busy(_) if left > 0 => busy.push(item),
                    Fate::Busy(error) => return Err(error),
                    Fate::NoIndex => return Ok(Written::NoIndex),
                }
            }
            if busy.is_empty() {
                return Ok(Written::All);
            }
            items = busy;
            left -= 1;
            std::thread::sleep(wait);
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    fn fate(&self, result: &Value) -> Result<Fate> {
        let Some(result) = result.as_object().and_then(|result| result.values().next()) else {
            return Ok(Fate::Done);
        };
        let error = &result["error"];
        if error.is_null() {
            return Ok(Fate::Done);
        }
        let text = || Error::upstream(format!("{} refuses to write: {error}", self.http.name()));
        let meaning = self.known(error).unwrap_or_else(text);
        match result["status"].as_u64() {
            Some(429 | 503) if !is_full(error) => Ok(Fate::Busy(meaning)),
            Some(404) if error["type"] == "index_not_found_exception" => Ok(Fate::NoIndex),
            _ => Err(meaning),
        }
    }
}

/// What became of an item.
enum Fate {
    Done,
    Busy(Error),
    NoIndex,
}
