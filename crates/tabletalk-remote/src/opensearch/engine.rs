//! Speaks to the server: requests, what its refusals mean, and indexes.

use super::names;
use crate::http::{Http, Said};
use crate::secret;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use std::sync::{Condvar, Mutex, PoisonError};
use tabletalk_core::seam::remote::{Client, Settings};
use tabletalk_core::{Error, Result};

/// The form of what is kept. Indexes of another form are refused.
const FORM: u64 = 1;
/// The most documents removed by one request, so that none takes too long.
const MOST_REMOVED: usize = 10_000;
/// The most searches in one request.
const MOST_SEARCHES: usize = 500;
/// The most hits of one search; also a setting of the indexes.
pub(super) const MOST_HITS: usize = 1_000_000;
const JSON: &str = "application/json";
/// Many JSON values in one body.
pub(super) const LINES: &str = "application/x-ndjson";

/// Lets so many threads pass at once.
pub(super) struct Gate {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Gate {
    fn new(places: usize) -> Self {
        Gate { free: Mutex::new(places.max(1)), freed: Condvar::new() }
    }

    pub(super) fn pass<R>(&self, work: impl FnOnce() -> R) -> R {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.freed.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        drop(free);
        let done = work();
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.freed.notify_one();
        done
    }
}

/// A server and what the names in it begin with.
pub(super) struct Engine {
    pub(super) http: Http,
    pub(super) prefix: String,
    pub(super) client: Client,
    pub(super) gate: Gate,
}

impl Engine {
    /// For the server that the settings name: OpenSearch, or Elasticsearch when they say so.
    pub(super) fn new(settings: &Settings) -> Result<Self> {
        let elastic = settings.r#type == "elasticsearch";
        let (engine, scheme) = if elastic { ("elasticsearch", "ApiKey") } else { ("opensearch", "Bearer") };
        let prefix = names::prefix(settings)?;
        let http = Http::new(engine, settings, credentials(&settings.client, scheme)?)?;
        let gate = Gate::new(settings.client.connections);
        Ok(Engine { http, prefix, client: settings.client.clone(), gate })
    }

    /// The name of an index.
    pub(super) fn index(&self, kind: &str, of: &[&str]) -> Result<String> {
        names::index(&self.prefix, kind, of)
    }

    /// A request that must succeed.
    pub(super) fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let bytes = body.map(serde_json::to_vec).transpose()?;
        let said = self.http.send(method, path, JSON, bytes.as_deref())?;
        match said.is_success() {
            true => Ok(said.body),
            false => Err(self.refused(&said)),
        }
    }

    /// A request about something that may not be there: then `None`.
    pub(super) fn call_if_there(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Option<Value>> {
        let bytes = body.map(serde_json::to_vec).transpose()?;
        let said = self.http.send(method, path, JSON, bytes.as_deref())?;
        match said.status {
            404 => Ok(None),
            _ if said.is_success() => Ok(Some(said.body)),
            _ => Err(self.refused(&said)),
        }
    }

    /// What the answer to a request means that was not a success.
    pub(super) fn refused(&self, said: &Said) -> Error {
        let (error, name) = (&said.body["error"], self.http.name());
        self.known(error).unwrap_or_else(|| match said.status {
            413 => Error::upstream(format!("{name} refuses a request for its size"))
                .hint("lower `client.batch`, or raise http.max_content_length of the server"),
            _ => self.http.refused(said),
        })
    }

    /// Errors that have a cure: `None` for all others.
    pub(super) fn known(&self, error: &Value) -> Option<Error> {
        let (text, name) = (error.to_string(), self.http.name());
        if is_full(error) {
            return Some(
                Error::upstream(format!("{name} has made an index read-only: its disk is full"))
                    .hint("give it room; then set index.blocks.read_only_allow_delete to null"),
            );
        }
        if text.contains("circuit_breaking_exception") {
            return Some(Error::upstream(format!("{name} is short of memory")).hint("give it a larger heap"));
        }
        if text.contains("rejected_execution_exception") {
            let error = Error::upstream(format!("{name} is overloaded"));
            return Some(
                error.hint("lower `client.connections` or `client.batch`, or give it more machines"),
            );
        }
        None
    }

    /// Makes an index, if it is not there. It can be written to under the alias of [`writing`] alone, so that a write
    /// never makes an index of its own, and is found with its like under `alias`.
    pub(super) fn make(&self, index: &str, alias: &str, mut body: Value) -> Result<()> {
        body["aliases"] = json!({writing(index): {}, alias: {}});
        body["mappings"]["_meta"]["form"] = json!(FORM);
        let bytes = serde_json::to_vec(&body)?;
        let said = self.http.send("PUT", &format!("/{index}"), JSON, Some(&bytes))?;
        let there = said.body["error"]["type"] == "resource_already_exists_exception";
        match said.is_success() || there {
            true => Ok(()),
            false => Err(self.refused(&said)),
        }
    }

    /// What is noted about the indexes behind a name, by index. One of another form is an error.
    pub(super) fn notes(&self, name: &str) -> Result<Map<String, Value>> {
        let path = format!("/{name}/_mapping?ignore_unavailable=true");
        let mut found = Map::new();
        let Some(Value::Object(indexes)) = self.call_if_there("GET", &path, None)? else { return Ok(found) };
        for (index, about) in indexes {
            let note = &about["mappings"]["_meta"];
            if note["form"] != FORM {
                let text =
                    format!("the index `{index}` of {} is not of this library's form", self.http.name());
                return Err(Error::input(text).hint("choose another `prefix`, or remove the index"));
            }
            found.insert(index, note.clone());
        }
        Ok(found)
    }

    /// Makes what was written to the indexes behind a name seen by searches.
    pub(super) fn refresh(&self, name: &str) -> Result<()> {
        self.call_if_there("POST", &format!("/{name}/_refresh"), None).map(drop)
    }

    /// How many documents match; none when the index is not there.
    pub(super) fn count(&self, name: &str, query: &Value) -> Result<u64> {
        let body = json!({"query": query});
        let said = self.call_if_there("POST", &format!("/{name}/_count"), Some(&body))?;
        Ok(said.and_then(|said| said["count"].as_u64()).unwrap_or(0))
    }

    /// Removes what matches, and makes that seen by searches.
    pub(super) fn remove(&self, name: &str, query: &Value) -> Result<()> {
        let path = format!("/{name}/_delete_by_query?conflicts=proceed&refresh=true");
        let body = json!({"query": query, "max_docs": MOST_REMOVED});
        self.refresh(name)?;
        loop {
            let Some(said) = self.call_if_there("POST", &path, Some(&body))? else { return Ok(()) };
            let number = |key: &str| said[key].as_u64().unwrap_or(0);
            if let Some(failure) = said["failures"].as_array().and_then(|all| all.first()) {
                let text = format!("{} could not remove: {failure}", self.http.name());
                return Err(self.known(failure).unwrap_or_else(|| Error::upstream(text)));
            }
            // What was changed at the same time is looked at again.
            if number("deleted") < MOST_REMOVED as u64 && number("version_conflicts") == 0 {
                return Ok(());
            }
            if number("version_conflicts") > 0 {
                self.refresh(name)?;
            }
        }
    }

    /// Removes indexes by their exact names.
    pub(super) fn drop_indexes(&self, indexes: &[String]) -> Result<()> {
        indexes
            .iter()
            .try_for_each(|index| self.call_if_there("DELETE", &format!("/{index}"), None).map(drop))
    }

    /// Several searches in an index; `None` when it is not there.
    pub(super) fn searches(&self, index: &str, searches: &[Value]) -> Result<Option<Vec<Value>>> {
        let mut answers = Vec::with_capacity(searches.len());
        for some in searches.chunks(MOST_SEARCHES) {
            let body: String = some.iter().map(|search| format!("{{}}\n{search}\n")).collect();
            let said = self.http.send("POST", &format!("/{index}/_msearch"), LINES, Some(body.as_bytes()))?;
            let responses = said.body["responses"].as_array().filter(|_| said.is_success());
            let Some(responses) = responses else {
                return if said.status == 404 { Ok(None) } else { Err(self.refused(&said)) };
            };
            for response in responses {
                if response["error"]["type"] == "index_not_found_exception" {
                    return Ok(None);
                }
                if !response["error"].is_null() {
                    let status =
                        response["status"].as_u64().and_then(|s| u16::try_from(s).ok()).unwrap_or(500);
                    return Err(self.refused(&Said { status, body: response.clone(), text: String::new() }));
                }
                answers.push(response.clone());
            }
        }
        Ok(Some(answers))
    }
}

/// Whether the server writes nothing more because its disk is full.
pub(super) fn is_full(error: &Value) -> bool {
    let text = error.to_string();
    text.contains("cluster_block_exception") && (text.contains("read-only") || text.contains("flood"))
}

/// The alias under which an index is written to.
pub(super) fn writing(index: &str) -> String {
    format!("{index}-in")
}

pub(super) fn hits(said: &Value) -> &[Value] {
    said["hits"]["hits"].as_array().map_or(&[], Vec::as_slice)
}

/// The header that says who asks.
fn credentials(client: &Client, scheme: &str) -> Result<Vec<(&'static str, String)>> {
    if let Some(key) = secret::api_key(client)? {
        return Ok(vec![("authorization", format!("{scheme} {key}"))]);
    }
    let Some(user) = &client.user else { return Ok(Vec::new()) };
    let password = secret::password(client)?.unwrap_or_default();
    Ok(vec![("authorization", format!("Basic {}", STANDARD.encode(format!("{user}:{password}").as_bytes())))])
}
