//! A tree of summaries over a text group: nodes that belong together are summed up, and the summaries again.
//!
//! A tree is made from its leaves and from what is kept by content: vectors of texts and replies of a model. So a
//! build that was stopped goes on where it was, and one that is repeated changes nothing. When documents come, change
//! or go, only the paths above their leaves are made again.
//!
//! Texts of different embed keys cannot be compared, so each embed key has a tree of its own.

mod build;
mod extract;
mod grow;
mod job;
mod leaf;
mod partition;
mod summary;
#[cfg(test)]
mod tests;
mod tree;
mod update;

pub use crate::group::RAPTOR as GROUP;
pub use build::{build, cohesion};
pub use extract::extract;
pub use job::{Built, Job};
pub use tree::{By, Child, Summary, Tree, check_tree, children, trees};

use crate::generate;
use serde::{Deserialize, Serialize};
use tabletalk_core::{Error, Result};

/// The most tokens a summary may have.
const MOST_TOKENS: u32 = 2048;

/// What one tree is made over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// All documents.
    #[default]
    Library,
    /// Each document alone.
    Document,
}

/// What summaries are made by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Summaries {
    /// By the language model, where one is configured.
    #[default]
    Auto,
    /// By the language model.
    Model,
    /// By taking the most central sentences.
    Extract,
}

/// What becomes of a layer that is short enough to be summed up at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Small {
    /// It is clustered like any other, as the published method does, if it has more nodes than `n_components` and one.
    #[default]
    Cluster,
    /// It is one cluster.
    Gather,
}

/// How a tree is searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Traversal {
    /// All layers as one set.
    #[default]
    Collapsed,
    /// From the roots down, the best among the children of what was kept.
    Tree,
}

impl std::str::FromStr for Traversal {
    type Err = Error;
    fn from_str(name: &str) -> Result<Traversal> {
        match name {
            "collapsed" => Ok(Traversal::Collapsed),
            "tree" => Ok(Traversal::Tree),
            _ => Err(Error::input(format!("`{name}` is not a traversal")).hint("use collapsed or tree")),
        }
    }
}

/// How trees are made and searched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Whether a tree is built, or brought up to date, whenever documents are added.
    pub use_raptor: bool,
    /// Whether a search that names no group finds summaries beside passages, where there is a tree.
    pub in_search: bool,
    /// What one tree is made over.
    pub scope: Scope,
    /// What summaries are made by.
    pub summaries: Summaries,
    /// How nodes that belong together are found.
    pub cluster: tabletalk_cluster::Settings,
    /// The most layers above the leaves.
    pub max_layers: u32,
    /// The most tokens of a summary.
    pub max_token: u32,
    /// The most tokens that are summed up at once; a larger cluster is clustered again.
    pub cluster_token: usize,
    /// What becomes of a layer that is short enough to be summed up at once.
    pub small: Small,
    /// How the language model is asked.
    pub make: generate::Settings,
    /// How a tree is searched.
    pub traversal: Traversal,
    /// Nodes kept in each layer when a tree is searched from its roots.
    pub topk: usize,
    /// The most tokens that a search of a tree gives.
    pub budget_token: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            use_raptor: false,
            in_search: true,
            scope: Scope::Library,
            summaries: Summaries::Auto,
            cluster: Default::default(),
            max_layers: 8,
            max_token: 256,
            cluster_token: 3500,
            small: Small::Cluster,
            make: Default::default(),
            traversal: Traversal::Collapsed,
            topk: 5,
            budget_token: 2000,
        }
    }
}

impl Settings {
    /// Refuses what cannot be, naming the key.
    pub fn check(&self) -> Result<()> {
        if self.max_token == 0 || self.max_token > MOST_TOKENS {
            return Err(Error::input(format!("raptor.max_token must be from 1 to {MOST_TOKENS}")));
        }
        if self.max_layers == 0 {
            return Err(Error::input("raptor.max_layers must be 1 at least"));
        }
        if self.cluster_token <= 2 * self.max_token as usize {
            return Err(Error::input("raptor.cluster_token must be more than twice raptor.max_token")
                .hint("or no two summaries could be summed up together"));
        }
        self.cluster.check().map_err(|e| e.at("raptor.cluster"))
    }
}
