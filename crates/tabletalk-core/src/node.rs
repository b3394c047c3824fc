//! A node, and a node found.

use crate::Place;
use serde::{Deserialize, Serialize};

/// A piece of a document in a named group.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// `document/…`, unique in the library and the same after a rebuild of the same content.
    pub id: String,
    /// The group it belongs to.
    pub group: String,
    /// The node it was made from; empty for a root.
    pub parent: String,
    /// Where it stands.
    pub place: Place,
    /// What is matched and shown.
    pub text: String,
    /// What can be filtered on.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub fields: serde_json::Map<String, serde_json::Value>,
}

impl Node {
    /// The id of the document the node belongs to.
    pub fn document(&self) -> &str {
        document_of(&self.id)
    }
}

/// The document part of a node id.
pub fn document_of(id: &str) -> &str {
    id.split('/').next().unwrap_or(id)
}

/// A node that was found, its score, and what said so.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Hit {
    /// The node.
    pub node: Node,
    /// The score; higher is better.
    pub score: f32,
    /// The parts of the score.
    pub why: Vec<Score>,
    /// The layer that found it.
    pub layer: String,
    /// The number of that layer in its strategy, from 1; `None` without a strategy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer_number: Option<usize>,
    /// The query it was found with, when that is not the one that was asked.
    pub expanded_query: Option<String>,
    /// The library it is from; empty where only one is searched.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub library: String,
}

/// One reason for a hit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// What gave it: a field, a similarity, a layer.
    pub name: String,
    /// How much.
    pub value: f32,
    /// The word of the query that matched, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyword: Option<String>,
}
