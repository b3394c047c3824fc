//! The one small file that says which files an index is made of, and how much of each counts.

use crate::file::{broken, read_json};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tabletalk_core::Result;

/// The version of all files together.
const FORMAT: u32 = 1;
/// How names of files begin that a commit may leave behind.
pub(super) const PREFIXES: [&str; 5] = ["ids-", "ends-", "lists-", "removed-", "postings-"];

/// What was committed last.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Meta {
    pub(super) format: u32,
    pub(super) generation: u64,
    pub(super) commit: u64,
    pub(super) epoch: u64,
    pub(super) rows: u64,
    /// Terms of all lists together.
    pub(super) terms: u64,
    pub(super) removed: Option<u64>,
    pub(super) postings: Option<PostingsMeta>,
}

/// The postings, which cover the first rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PostingsMeta {
    pub(super) commit: u64,
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

impl Meta {
    /// What was committed to `dir` last, or what an empty index has.
    pub(super) fn read(dir: &Path) -> Result<Meta> {
        let path = dir.join("meta.json");
        let empty = Meta { format: FORMAT, ..Meta::default() };
        let meta = read_json::<Meta>(&path)?.unwrap_or(empty);
        if meta.format != FORMAT || meta.covered() > meta.rows {
            return Err(broken(&path, "is damaged or of another format"));
        }
        Ok(meta)
    }

    /// The file that begins with `name` and grows.
    pub(super) fn growing(&self, dir: &Path, name: &str) -> PathBuf {
        dir.join(format!("{name}-{}", self.epoch))
    }

    /// How many rows the postings cover.
    pub(super) fn covered(&self) -> u64 {
        self.postings.as_ref().map_or(0, |of| of.rows)
    }

    pub(super) fn files(&self) -> Vec<String> {
        let mut files: Vec<String> =
            ["ids", "ends", "lists"].iter().map(|name| format!("{name}-{}", self.epoch)).collect();
        files.extend(self.removed.map(|commit| format!("removed-{commit}")));
        files.extend(self.postings.as_ref().map(|of| format!("postings-{}", of.commit)));
        files
    }
}
