//! Documents, and changes in the order of their numbers.
//!
//! Every version of a document is kept under its key and its change, and is seen when the number of the last change is
//! not smaller. So a commit writes its versions first, which nobody sees; then one step inside the server moves the last
//! change on, and all are seen at once; then the versions before them are removed. There is one who commits at a time.
//! If it goes away before that step, its number is given up for ever: what has it is never seen, however late it is
//! written. If it goes away after the step, the next one to commit tidies up, and until then readers leave out what was
//! replaced.

use super::bulk::Written;
use super::engine::{Engine, hits};
use super::filter::among;
use super::state::Turn;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};
use tabletalk_core::seam::store::Segment;
use tabletalk_core::{Error, Result};

/// How long a turn to commit lasts; it is renewed after every part.
const TURN: Duration = Duration::from_secs(60);
/// How many documents are written before the turn is renewed.
const PART: usize = 2000;
/// How many times a commit is begun anew after its turn was lost.
const TRIES: usize = 5;
/// How many documents are read at once: they may be large.
const PAGE: usize = 64;
/// How many keys are looked up at once.
const KEYS: usize = 10_000;
/// How many ids are looked up at once.
const IDS: usize = 64;

impl Engine {
    fn documents_index(&self) -> String {
        format!("{}-documents", self.prefix)
    }

    /// Makes the index.
    pub(super) fn make_documents(&self) -> Result<()> {
        let body = json!({
            "settings": {"number_of_shards": 1, "auto_expand_replicas": "0-1", "refresh_interval": "-1"},
            "mappings": {
                "dynamic": false,
                "properties": {
                    "key": {"type": "long"},
                    "change": {"type": "long"},
                    "id": {"type": "keyword", "doc_values": false, "ignore_above": 8000},
                    "gone": {"type": "boolean"},
                    "body": {"type": "binary"},
                },
            },
        });
        let index = self.documents_index();
        self.make(&index, &format!("{index}-all"), body)
    }

    /// The indexes of documents and of what workers agree on.
    pub(super) fn own_indexes(&self) -> Vec<String> {
        vec![self.documents_index(), self.state()]
    }

    /// Puts documents under one new change.
    pub(super) fn commit_all(&self, segments: &[Segment]) -> Result<i64> {
        let holder = unique();
        for _ in 0..TRIES {
            let turn = self.wait_for_turn(&holder)?;
            match self.commit_as(&holder, &turn, segments) {
                Ok(true) => return Ok(turn.number),
                // It took so long that somebody else went on.
                Ok(false) => {
                    self.remove(&self.documents_index(), &json!({"term": {"change": turn.number}}))?;
                }
                Err(error) => {
                    // Where this fails too the turn runs out by itself: the first error is the one to tell.
                    let _ = self.end(&holder, false);
                    return Err(error);
                }
            }
        }
        Err(Error::upstream(format!("{} is too slow to commit to: the turn was lost", self.http.name()))
            .hint("commit fewer documents at once"))
    }

    fn wait_for_turn(&self, holder: &str) -> Result<Turn> {
        let (begun, mut wait) = (Instant::now(), Duration::from_millis(20));
        loop {
            if let Some(turn) = self.begin(holder, TURN)? {
                return Ok(turn);
            }
            if begun.elapsed() > TURN * 3 {
                let text = format!("others kept committing to {} for minutes", self.http.name());
                return Err(Error::upstream(text).hint("try again later, or with fewer workers"));
            }
            std::thread::sleep(wait);
            wait = (wait * 2).min(Duration::from_millis(500));
        }
    }

    /// Writes, makes seen, tidies up. False when the turn was lost before anything was seen.
    fn commit_as(&self, holder: &str, turn: &Turn, segments: &[Segment]) -> Result<bool> {
        if turn.untidy {
            self.tidy(turn.last)?;
        }
        if turn.number > turn.last + 1 {
            self.remove(&self.documents_index(), &among("change", &turn.given_up))?;
        }
        for (at, part) in segments.chunks(PART).enumerate() {
            if at > 0 && self.begin(holder, TURN)?.is_none_or(|now| now.number != turn.number) {
                return Ok(false);
            }
            self.write_versions(part, turn.number)?;
        }
        self.refresh(&self.documents_index())?;
        let replaces = self.replaces(segments, turn.number)?;
        if !self.publish(holder, turn.number, replaces)? {
            return Ok(false);
        }
        if replaces {
            // The change is there. What fails from here on is left to the next commit.
            let tidy = self.tidy(turn.number).is_ok();
            let _ = self.end(holder, tidy);
        }
        Ok(true)
    }

    fn write_versions(&self, segments: &[Segment], number: i64) -> Result<()> {
        let index = self.documents_index();
        let write =
            || self.write(&index, segments, |segment| segment.key, |segment| version(segment, number));
        if write()? == Written::NoIndex {
            self.make_documents()?;
            write()?;
        }
        Ok(())
    }

    /// Whether there are older versions of documents.
    fn replaces(&self, segments: &[Segment], number: i64) -> Result<bool> {
        for some in segments.chunks(KEYS) {
            let keys: Vec<i64> = some.iter().map(|segment| segment.key).collect();
            let older =
                json!({"bool": {"filter": [among("key", &keys), {"range": {"change": {"lt": number}}}]}});
            if self.count(&self.documents_index(), &older)? > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes what a change replaced.
    fn tidy(&self, number: i64) -> Result<()> {
        let index = self.documents_index();
        let mut after = i64::MIN;
        loop {
            let query = json!({"bool": {"filter": [
                {"term": {"change": number}}, {"range": {"key": {"gt": after}}},
            ]}});
            let body = json!({"size": KEYS, "_source": false, "query": query, "sort": [{"key": "asc"}]});
            let found = self.call_if_there("POST", &format!("/{index}/_search"), Some(&body))?;
            let found = found.unwrap_or_default();
            let keys: Vec<i64> = hits(&found).iter().filter_map(|hit| hit["sort"][0].as_i64()).collect();
            let Some(last) = keys.last() else { return Ok(()) };
            after = *last;
            let older = json!({"bool": {"filter": [
                among("key", &keys), {"range": {"change": {"lt": number}}},
            ]}});
            self.remove(&index, &older)?;
        }
    }

    /// Up to `limit` documents of changes greater than `after`.
    pub(super) fn changes_after(&self, after: i64, limit: usize) -> Result<Vec<Segment>> {
        let turn = self.turn()?;
        let (mut found, mut from) = (Vec::new(), json!([after, i64::MAX]));
        while found.len() < limit {
            let size = PAGE.min(limit - found.len());
            let (page, next) = self.page(&turn, json!({"match_all": {}}), size, &from)?;
            found.extend(page);
            match next {
                Some(next) => from = next,
                None => break,
            }
        }
        Ok(found)
    }

    /// The documents with these ids that are there.
    pub(super) fn with_ids(&self, ids: &[String]) -> Result<Vec<Segment>> {
        let mut found = Vec::new();
        for ids in ids.chunks(IDS) {
            let query = json!({"bool": {"filter": [among("id", ids), {"term": {"gone": false}}]}});
            found.extend(self.steady(|turn| {
                let (mut found, mut from) = (Vec::new(), json!([i64::MIN, i64::MIN]));
                loop {
                    let (page, next) = self.page(turn, query.clone(), PAGE, &from)?;
                    found.extend(page);
                    match next {
                        Some(next) => from = next,
                        None => return Ok(found),
                    }
                }
            })?);
        }
        Ok(found)
    }

    pub(super) fn documents_there(&self) -> Result<u64> {
        self.steady(|turn| {
            if turn.untidy {
                // Not done, some are counted twice for a while.
                let _ = self.tidy(turn.last);
            }
            self.count(&self.documents_index(), &seen(turn, json!({"term": {"gone": false}})))
        })
    }

    /// Reads while nothing is committed: again when something was, because what is replaced is removed.
    fn steady<R>(&self, read: impl Fn(&Turn) -> Result<R>) -> Result<R> {
        let mut turn = self.turn()?;
        for _ in 0..TRIES {
            let found = read(&turn)?;
            let now = self.turn()?;
            if now.last == turn.last {
                return Ok(found);
            }
            turn = now;
        }
        read(&turn)
    }

    /// Documents in the order of changes from a place on, and the next place if there is more.
    fn page(
        &self,
        turn: &Turn,
        query: Value,
        size: usize,
        from: &Value,
    ) -> Result<(Vec<Segment>, Option<Value>)> {
        let body = json!({
            "size": size,
            "query": seen(turn, query),
            "sort": [{"change": "asc"}, {"key": "asc"}],
            "search_after": from,
        });
        let path = format!("/{}/_search", self.documents_index());
        let Some(said) = self.call_if_there("POST", &path, Some(&body))? else {
            return Ok((Vec::new(), None));
        };
        let hits = hits(&said);
        let next = hits.last().filter(|_| hits.len() == size).map(|hit| hit["sort"].clone());
        let found = hits.iter().map(|hit| self.segment(&hit["_source"])).collect::<Result<Vec<_>>>()?;
        Ok((if turn.untidy { self.not_replaced(turn, found)? } else { found }, next))
    }

    /// Leaves out documents that have a later version.
    fn not_replaced(&self, turn: &Turn, mut found: Vec<Segment>) -> Result<Vec<Segment>> {
        let keys: Vec<i64> = found.iter().map(|segment| segment.key).collect();
        let body = json!({
            "size": KEYS,
            "_source": ["key", "change"],
            "query": seen(turn, json!({"bool": {"filter": [among("key", &keys), {"term": {"change": turn.last}}]}})),
        });
        let path = format!("/{}/_search", self.documents_index());
        let said = self.call_if_there("POST", &path, Some(&body))?.unwrap_or_default();
        let number = |hit: &Value, name: &str| hit["_source"][name].as_i64().unwrap_or(0);
        let latest: HashMap<i64, i64> =
            hits(&said).iter().map(|hit| (number(hit, "key"), number(hit, "change"))).collect();
        found.retain(|segment| latest.get(&segment.key).is_none_or(|change| *change <= segment.change));
        Ok(found)
    }

    fn segment(&self, source: &Value) -> Result<Segment> {
        let read = || {
            Some(Segment {
                key: source["key"].as_i64()?,
                id: source["id"].as_str()?.to_owned(),
                change: source["change"].as_i64()?,
                gone: source["gone"].as_bool()?,
                body: STANDARD.decode(source["body"].as_str()?).ok()?,
            })
        };
        read().ok_or_else(|| Error::upstream(format!("{} holds a broken document", self.http.name())))
    }
}

/// What a query may find when commits stand so.
fn seen(turn: &Turn, query: Value) -> Value {
    let given_up = among("change", &turn.given_up);
    json!({"bool": {"filter": [query, {"range": {"change": {"lte": turn.last}}}], "must_not": [given_up]}})
}

fn version(segment: &Segment, number: i64) -> String {
    let action = json!({"index": {"_id": format!("{}.{number}", segment.key)}});
    let body = json!({
        "key": segment.key,
        "id": segment.id,
        "change": number,
        "gone": segment.gone,
        "body": STANDARD.encode(&segment.body),
    });
    format!("{action}\n{body}\n")
}

/// A name that nobody else has.
fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    format!("{:x}-{now:x}-{count:x}", std::process::id())
}
