//! How a store on another machine is reached, and how what it keeps is indexed: what a configuration says of it.
//!
//! It stands here and not beside the stores, so that a configuration can be read, and what it names be refused by name, in a
//! program that was built without them.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// A store: `[store.segment]` or `[store.vector]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The engine: `embedded`, or one of those of `tabletalk-remote`.
    pub r#type: String,
    /// Where it is: `http://host:9200`, `postgres://user@host/database`.
    pub uri: Option<String>,
    /// Where it is, when it has several addresses; they take turns.
    pub uris: Vec<String>,
    /// Where it is, when an engine is to be run inside of this program over a folder: refused, with what to do instead.
    pub dir: Option<PathBuf>,
    /// What the names of everything in it begin with, so that several libraries can share an engine.
    pub prefix: String,
    /// How it is spoken to.
    pub client: Client,
    /// How vectors are indexed, for all embed keys.
    pub index: Index,
    /// How vectors are indexed under single embed keys: what is not said here is as in `index`.
    pub indexes: BTreeMap<String, Partial>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            r#type: "embedded".into(),
            uri: None,
            uris: Vec::new(),
            dir: None,
            prefix: "tabletalk".into(),
            client: Client::default(),
            index: Index::default(),
            indexes: BTreeMap::new(),
        }
    }
}

/// How a store is spoken to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Client {
    /// The user.
    pub user: Option<String>,
    /// The environment variable that holds the password.
    pub password_env: Option<String>,
    /// The environment variable that holds the key or token.
    pub api_key_env: Option<String>,
    /// A file with the certificates (PEM) that are trusted besides the usual ones.
    pub ca_file: Option<PathBuf>,
    /// Whether the server's certificate is checked.
    pub verify: bool,
    /// How long a request may take.
    pub timeout_s: u64,
    /// How often a request that failed for the moment is tried again.
    pub retries: u32,
    /// How many connections are kept, and requests made at once.
    pub connections: usize,
    /// How many points or entries are written in one request.
    pub batch: usize,
}

impl Default for Client {
    fn default() -> Self {
        Client {
            user: None,
            password_env: None,
            api_key_env: None,
            ca_file: None,
            verify: true,
            timeout_s: 30,
            retries: 4,
            connections: 4,
            batch: 1000,
        }
    }
}

impl Client {
    /// How long a request may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_s.max(1))
    }
}

/// How vectors are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// By their angle.
    #[default]
    Cosine,
    /// By their inner product: the same for vectors of length 1, and in some engines faster.
    Dot,
}

/// How vectors are indexed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Index {
    /// How they are compared.
    pub metric: Metric,
    /// Neighbours of a vector in the graph.
    pub m: usize,
    /// Vectors looked at when one is put into the graph.
    pub ef_construction: usize,
    /// Vectors looked at in a search, at least.
    pub ef: usize,
    /// Whether all vectors are compared, without a graph.
    pub exact: bool,
    /// Up to this many vectors are all compared with the query, where the engine can: a graph may not lead to the few that are
    /// unlike all others.
    pub flat_limit: usize,
}

impl Default for Index {
    fn default() -> Self {
        Index {
            metric: Metric::Cosine,
            m: 16,
            ef_construction: 128,
            ef: 512,
            exact: false,
            flat_limit: 20_000,
        }
    }
}

/// What differs for one embed key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Partial {
    metric: Option<Metric>,
    m: Option<usize>,
    ef_construction: Option<usize>,
    ef: Option<usize>,
    exact: Option<bool>,
    flat_limit: Option<usize>,
}

impl Settings {
    /// Where the store is: `uri`, then all of `uris`.
    pub fn addresses(&self) -> Result<Vec<&str>> {
        let all: Vec<&str> = self.uri.iter().chain(&self.uris).map(String::as_str).collect();
        match all.is_empty() {
            true => Err(Error::input(format!("the store of type `{}` has no `uri`", self.r#type))
                .hint("say where it is, such as uri = \"http://127.0.0.1:9200\"")),
            false => Ok(all),
        }
    }

    /// Refuses a folder in the place of an address: Chroma's and Milvus Lite's engines over a folder are Python's own.
    pub fn check_place(&self) -> Result<()> {
        let path = self.uri.iter().chain(&self.uris).find(|uri| !uri.contains("://"));
        let dir = self.dir.as_ref().map(|dir| dir.display().to_string());
        let Some(dir) = dir.or_else(|| path.filter(|uri| uri.ends_with(".db")).cloned()) else {
            return Ok(());
        };
        let name = self.r#type.as_str();
        let instead = match name {
            "embedded" => "the embedded store is in the library's own folder; leave `dir` out".to_owned(),
            "chroma" => {
                format!("serve it with `chroma run --path {dir}` and set uri = \"http://127.0.0.1:8000\"")
            }
            "milvus" => {
                "run a Milvus server and name it as `uri`, or use the embedded store: type = \"embedded\""
                    .into()
            }
            _ => "name a server as `uri`, or use the embedded store: type = \"embedded\"".into(),
        };
        Err(Error::input(format!(
            "a store of type `{name}` cannot be opened over the folder or file `{dir}`"
        ))
        .hint(instead))
    }

    /// How vectors under an embed key are indexed.
    pub fn index_of(&self, embed: &str) -> Index {
        let all = &self.index;
        let Some(own) = self.indexes.get(embed) else { return all.clone() };
        Index {
            metric: own.metric.unwrap_or(all.metric),
            m: own.m.unwrap_or(all.m),
            ef_construction: own.ef_construction.unwrap_or(all.ef_construction),
            ef: own.ef.unwrap_or(all.ef),
            exact: own.exact.unwrap_or(all.exact),
            flat_limit: own.flat_limit.unwrap_or(all.flat_limit),
        }
    }
}

/// How an object store is reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct S3Settings {
    /// Where it is; that of Amazon in the region, when nothing is named.
    pub uri: Option<String>,
    /// The region.
    pub region: String,
    /// Who one is (`user` is the access key, `password_env` names the secret one), certificates, time-outs.
    pub client: Client,
}

impl Default for S3Settings {
    fn default() -> Self {
        S3Settings { uri: None, region: "us-east-1".into(), client: Client::default() }
    }
}
