//! What workers agree on: numbers, leases, and whose turn it is to commit.
//!
//! Each is one small document that a script changes inside the server, all at once and by the server's clock.

use super::engine::Engine;
use super::names::in_path;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use tabletalk_core::{Error, Result};

/// How often the server itself tries a change again that another one came before.
const CONFLICTS: u32 = 32;
/// The document of the turn to commit.
const TURN: &str = "turn";

const RESERVE: &str = "
    def s = ctx._source;
    if (s.next == null) { s.next = 1L; }
    s.first = s.next;
    s.next += params.count;";

const LEASE: &str = "
    def s = ctx._source;
    if (s.holder != null && s.holder != params.holder && s.until > ctx._now) { ctx.op = 'none'; }
    else { s.holder = params.holder; s.until = ctx._now + params.millis; }";

const RELEASE: &str = "ctx.op = ctx._source.holder == params.holder ? 'delete' : 'none';";

/// Takes or renews the turn. Whoever had it and did not end it is taken to be gone, and its number is given up.
const BEGIN: &str = "
    def s = ctx._source;
    if (s.last == null) { s.last = 0L; s.number = 0L; s.given_up = []; s.untidy = false; }
    if (s.holder != null && s.holder != params.holder && s.until > ctx._now) { ctx.op = 'none'; return; }
    if (s.holder != params.holder) {
        if (s.holder != null && s.number > s.last) { s.given_up.add(s.number); }
        if (s.given_up.size() > params.most) { s.given_up.remove(0); }
        s.number += 1;
        s.holder = params.holder;
    }
    s.until = ctx._now + params.millis;";

/// Makes the change seen, and ends the turn where it replaces nothing. Nothing happens to a turn that somebody else has
/// taken over.
const PUBLISH: &str = "
    def s = ctx._source;
    if (s.holder != params.holder || s.number != params.number) { ctx.op = 'none'; return; }
    s.last = s.number;
    s.untidy = params.replaces;
    if (!params.replaces) { s.holder = null; }";

/// Ends the turn. A number that was not made seen is given up.
const END: &str = "
    def s = ctx._source;
    if (s.holder != params.holder) { ctx.op = 'none'; return; }
    s.holder = null;
    if (s.number > s.last) { s.given_up.add(s.number); }
    else if (params.tidy) { s.untidy = false; }";

/// The turn to commit.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Turn {
    /// The last change that may be seen.
    pub(super) last: i64,
    /// The number of the change that is being written, or was.
    pub(super) number: i64,
    /// Who writes it.
    pub(super) holder: Option<String>,
    /// Numbers whose writers never came to an end: what has them is not there.
    pub(super) given_up: Vec<i64>,
    /// Whether documents that the last change replaced may still be there.
    pub(super) untidy: bool,
}

/// How many numbers that were given up are remembered.
const MOST_GIVEN_UP: usize = 100;

impl Engine {
    /// The index of all this.
    pub(super) fn state(&self) -> String {
        format!("{}-state", self.prefix)
    }

    /// Makes the index.
    pub(super) fn make_state(&self) -> Result<()> {
        let body = json!({
            "settings": {"number_of_shards": 1, "auto_expand_replicas": "0-1"},
            "mappings": {"enabled": false},
        });
        let state = self.state();
        self.make(&state, &format!("{state}-all"), body)
    }

    /// Runs a script on a document, which is made if need be. `None` when the script left it as it was.
    fn change(&self, id: &str, script: &str, params: Value) -> Result<Option<Value>> {
        let path =
            format!("/{}/_update/{}?_source=true&retry_on_conflict={CONFLICTS}", self.state(), in_path(id));
        let body = json!({
            "scripted_upsert": true,
            "upsert": {},
            "script": {"lang": "painless", "source": script, "params": params},
        });
        let mut said = self.call("POST", &path, Some(&body))?;
        match said["result"].as_str() {
            Some("noop") => Ok(None),
            Some(_) => Ok(said.pointer_mut("/get/_source").map(Value::take)),
            None => Err(Error::upstream(format!("{} answers an update with {said}", self.http.name()))),
        }
    }

    /// The first of some numbers that nobody else is given.
    pub(super) fn numbers(&self, name: &str, count: u64) -> Result<i64> {
        let said = self.change(&format!("number {name}"), RESERVE, json!({"count": count}))?;
        said.and_then(|said| said["first"].as_i64())
            .ok_or_else(|| Error::upstream(format!("{} gives no number for `{name}`", self.http.name())))
    }

    /// Takes or renews a lease; false while somebody else holds it.
    pub(super) fn take(&self, name: &str, holder: &str, seconds: u64) -> Result<bool> {
        let params = json!({"holder": holder, "millis": seconds.min(u64::from(u32::MAX)) * 1000});
        self.change(&format!("lease {name}"), LEASE, params).map(|said| said.is_some())
    }

    /// Gives a lease back.
    pub(super) fn give_back(&self, name: &str, holder: &str) -> Result<()> {
        self.change(&format!("lease {name}"), RELEASE, json!({"holder": holder})).map(drop)
    }

    /// How commits stand.
    pub(super) fn turn(&self) -> Result<Turn> {
        let said = self.call_if_there("GET", &format!("/{}/_doc/{TURN}", self.state()), None)?;
        let source = said.as_ref().and_then(|said| said.get("_source"));
        Ok(source.map(Turn::deserialize).transpose()?.unwrap_or_default())
    }

    /// Takes or renews the turn to commit; `None` while somebody else has it.
    pub(super) fn begin(&self, holder: &str, time: Duration) -> Result<Option<Turn>> {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let params = json!({"holder": holder, "millis": millis, "most": MOST_GIVEN_UP});
        let said = self.change(TURN, BEGIN, params)?;
        Ok(said.map(serde_json::from_value).transpose()?)
    }

    /// Makes a change seen; false when the turn was lost to somebody else.
    pub(super) fn publish(&self, holder: &str, number: i64, replaces: bool) -> Result<bool> {
        let params = json!({"holder": holder, "number": number, "replaces": replaces});
        if self.change(TURN, PUBLISH, params)?.is_some() {
            return Ok(true);
        }
        // It may have been done by a request whose answer was lost.
        let turn = self.turn()?;
        Ok(turn.last >= number && !turn.given_up.contains(&number))
    }

    /// Ends the turn. `tidy` says that what its change replaced is removed.
    pub(super) fn end(&self, holder: &str, tidy: bool) -> Result<()> {
        self.change(TURN, END, json!({"holder": holder, "tidy": tidy})).map(drop)
    }
}
