//! Groups that a closure makes, which a program gives through the Rust library.

use super::command::chunk;
use super::split::{Chunk, Piece, whole};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;
use tabletalk_core::{Error, Result};

/// A node that is made of another: its text and its fields.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewNode {
    /// What it says.
    pub text: String,
    /// What is known of it.
    #[serde(default)]
    pub fields: Map<String, Value>,
}

impl From<&str> for NewNode {
    fn from(text: &str) -> Self {
        NewNode { text: text.to_owned(), ..NewNode::default() }
    }
}

/// What makes the nodes of a group of the text of a node of its parent.
type Make = dyn Fn(&str) -> Result<Vec<NewNode>> + Send + Sync;

/// A closure of the user's program.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closure {
    /// Changed when the closure is, so that its nodes are made again.
    #[serde(default)]
    version: String,
    #[serde(skip)]
    make: Option<Arc<Make>>,
}

impl Closure {
    /// One of this version.
    pub fn new(
        version: &str,
        make: impl Fn(&str) -> Result<Vec<NewNode>> + Send + Sync + 'static,
    ) -> Closure {
        Closure { version: version.to_owned(), make: Some(Arc::new(make)) }
    }

    /// Refuses what a configuration names and no program gave.
    pub(super) fn check(&self) -> Result<()> {
        self.given().map(|_| ())
    }

    /// What the closure makes of a node of the parent.
    pub(super) fn split(&self, pieces: &[Piece]) -> Result<Vec<Chunk>> {
        let whole = whole(pieces);
        if whole.text.is_empty() {
            return Ok(Vec::new());
        }
        let made = self.given()?(&whole.text)?;
        Ok(made.into_iter().filter_map(|node| chunk(node, pieces, &whole)).collect())
    }

    fn given(&self) -> Result<&Make> {
        self.make.as_deref().ok_or_else(|| {
            Error::input("a closure makes this group, and no program gave it")
                .hint("give it with `Library::register_group`, or write the transform as a `command`")
        })
    }
}

impl fmt::Debug for Closure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Closure").field("version", &self.version).finish_non_exhaustive()
    }
}

impl PartialEq for Closure {
    fn eq(&self, other: &Closure) -> bool {
        self.version == other.version
    }
}
