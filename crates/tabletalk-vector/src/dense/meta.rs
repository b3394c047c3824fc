//! The one small file that says which files an index is made of, and how much of each counts.

use super::{Metric, Quantization, Settings};
use crate::file::{broken, read_json, replace};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tabletalk_core::Result;

/// The version of all files together.
const FORMAT: u32 = 1;
/// Its name in the directory.
const NAME: &str = "meta.json";
/// How names of files begin that a commit may leave behind.
pub(super) const PREFIXES: [&str; 5] = ["ids-", "rows-", "codes-", "removed-", "graph-"];

/// What was committed last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Meta {
    pub(super) format: u32,
    pub(super) dim: usize,
    pub(super) metric: Metric,
    pub(super) quantization: Quantization,
    /// What the caller said the index holds.
    pub(super) generation: u64,
    /// Counts commits; names the files that commits replace.
    pub(super) commit: u64,
    /// Counts compactions; names the files that grow.
    pub(super) epoch: u64,
    /// Rows that count, with those removed.
    pub(super) rows: u64,
    /// The commit that wrote which rows are removed.
    pub(super) removed: Option<u64>,
    pub(super) graph: Option<GraphMeta>,
}

/// The graph, which covers the first rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GraphMeta {
    /// The commit that wrote it.
    pub(super) commit: u64,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) quantization: Quantization,
}

/// The name of the rows that a graph is walked by. Those kept in another way have another, so that what was committed
/// stays while they are written.
pub(super) fn codes(quantization: Quantization) -> String {
    format!("codes-{quantization:?}").to_lowercase()
}

impl GraphMeta {
    /// The name of the rows it is walked by.
    pub(super) fn codes(&self) -> String {
        codes(self.quantization)
    }
}

impl Meta {
    /// That of an index without rows.
    pub(super) fn empty(dim: usize, settings: &Settings) -> Meta {
        Meta {
            format: FORMAT,
            dim,
            metric: settings.metric,
            quantization: settings.quantization,
            generation: 0,
            commit: 0,
            epoch: 0,
            rows: 0,
            removed: None,
            graph: None,
        }
    }

    /// What was committed to `dir` last, if anything was.
    pub(super) fn read(dir: &Path) -> Result<Option<Meta>> {
        let path = dir.join(NAME);
        let Some(meta) = read_json::<Meta>(&path)? else { return Ok(None) };
        if meta.format != FORMAT {
            return Err(broken(&path, format!("is of format {} and not {FORMAT}", meta.format)));
        }
        Ok(Some(meta))
    }

    /// Makes this what was committed last.
    pub(super) fn write(&self, dir: &Path) -> Result<()> {
        replace(&dir.join(NAME), &serde_json::to_vec_pretty(self)?)
    }

    /// Refuses vectors of another kind than those wanted.
    pub(super) fn check(&self, dir: &Path, dim: usize, settings: &Settings) -> Result<()> {
        let differs = |what: &str, has: String, wanted: String| {
            Err(broken(dir, format!("holds vectors of {what} {has} where {wanted} is wanted")))
        };
        if self.dim != dim {
            return differs("dimension", self.dim.to_string(), dim.to_string());
        }
        if self.metric != settings.metric {
            return differs("metric", format!("{:?}", self.metric), format!("{:?}", settings.metric));
        }
        if self.quantization != settings.quantization {
            return differs(
                "quantization",
                format!("{:?}", self.quantization),
                format!("{:?}", settings.quantization),
            );
        }
        Ok(())
    }

    /// The names of the files it speaks of.
    pub(super) fn files(&self) -> Vec<String> {
        let names =
            ["ids".into(), "rows".into()].into_iter().chain(self.graph.as_ref().map(GraphMeta::codes));
        let mut files: Vec<String> = names.map(|name| format!("{name}-{}", self.epoch)).collect();
        files.extend(self.removed.map(|commit| format!("removed-{commit}")));
        files.extend(self.graph.as_ref().map(|graph| format!("graph-{}", graph.commit)));
        files
    }

    /// The file that begins with `name` and grows.
    pub(super) fn growing(&self, dir: &Path, name: &str) -> PathBuf {
        dir.join(format!("{name}-{}", self.epoch))
    }
}
