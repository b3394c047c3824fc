//! How a library is served: the `[server]` and `[[watch]]` sections of the configuration.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How the server listens and what it lets pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// Address and port. Beyond loopback an API key is required.
    pub listen: String,
    /// Libraries besides the default one.
    pub library: Vec<Shelf>,
    /// A folder whose libraries are all served, and in which new ones are made.
    pub libraries_dir: Option<PathBuf>,
    /// Where hashed API keys are kept; beside the default library when there is none.
    pub keys: Option<PathBuf>,
    /// The largest file that may be uploaded.
    pub max_upload_bytes: u64,
    /// The largest body of any other request.
    pub max_body_bytes: usize,
    /// Searches and answers that run at once, and beside them as many statements, of one caller a quarter of that; 0 for two
    /// each core.
    pub at_once: usize,
    /// Requests that may be in work or waiting; more are turned away.
    pub waiting: usize,
    /// Requests a second of one caller; 0 for no limit.
    pub rate_per_s: u32,
    /// Requests that one caller may send at a time above that rate.
    pub burst: u32,
    /// Seconds after which a request is given up.
    pub request_timeout_s: u64,
    /// Origins of pages other than our own that may call the server.
    pub allow_origins: Vec<String>,
    /// Names under which the server may be addressed besides loopback ones; all when it needs keys.
    pub allow_hosts: Vec<String>,
    /// What is logged, such as `info` or `tabletalk_server=debug`.
    pub log: String,
    /// How it is written.
    pub log_format: LogFormat,
    /// Where traces are sent, such as `http://127.0.0.1:4318/v1/traces`; needs the feature `otel`.
    pub otlp: Option<String>,
}

impl Default for Server {
    fn default() -> Self {
        Server {
            listen: "127.0.0.1:7700".into(),
            library: Vec::new(),
            libraries_dir: None,
            keys: None,
            max_upload_bytes: 1 << 30,
            max_body_bytes: 1 << 20,
            at_once: 0,
            waiting: 1024,
            rate_per_s: 0,
            burst: 50,
            request_timeout_s: 300,
            allow_origins: Vec::new(),
            allow_hosts: Vec::new(),
            log: "info".into(),
            log_format: LogFormat::Text,
            otlp: None,
        }
    }
}

/// A library that is served under a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shelf {
    /// The name in requests.
    pub name: String,
    /// Its folder; made when there is none.
    pub path: PathBuf,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// A folder that is kept in step with a library while the server runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Watched {
    /// The folder.
    pub path: PathBuf,
    /// The library; the default one when there is none.
    #[serde(default)]
    pub library: Option<String>,
    /// Seconds after which it is looked through even when no change was seen.
    #[serde(default = "five_minutes")]
    pub every_s: u64,
    /// Patterns of files to take; all when empty.
    #[serde(default)]
    pub include: Vec<String>,
    /// Patterns of files to leave out.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Whether the tree of summaries is brought up to date when its files changed.
    #[serde(default)]
    pub use_raptor: bool,
}

fn five_minutes() -> u64 {
    300
}
