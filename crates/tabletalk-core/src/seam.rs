//! Every trait another crate, or a user of the library, can implement.

use crate::chat::{Message, Reply, Wish};
use crate::{Document, Hit, Matrix, Node, Result};
use std::path::Path;

/// Where the bytes of a source are and what may be done with them.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    /// The file on disk.
    pub path: &'a Path,
    /// The name shown to people and used in places: usually the file name.
    pub name: &'a str,
    /// What reading may cost.
    pub limits: &'a Limits,
}

/// What reading one file may cost. Reaching a limit is an error that names it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The most bytes a compressed file or archive may unpack to.
    pub max_unpacked_bytes: u64,
    /// How many times its own size a compressed file or archive may unpack to, once it is past 64 MiB.
    pub max_unpack_ratio: u64,
    /// The most cells a format that must be held in memory (workbooks, pages) may have.
    pub max_cells: u64,
    /// The most columns a table may have.
    pub max_columns: u32,
    /// The most bytes one cell or one line of text may have.
    pub max_cell_bytes: usize,
    /// The most bytes a format that must be held in memory may have.
    pub max_memory_file_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_unpacked_bytes: 64 << 30,
            max_unpack_ratio: 200,
            max_cells: 50_000_000,
            max_columns: 16_384,
            max_cell_bytes: 16 << 20,
            max_memory_file_bytes: 2 << 30,
        }
    }
}

/// The documents of one source, one at a time. Most sources hold one.
pub type Documents = Box<dyn Iterator<Item = Result<Document>> + Send>;

/// Turns the bytes of one format into documents.
pub trait Reader: Send + Sync {
    /// The name of the format, such as `csv`.
    fn format(&self) -> &'static str;
    /// Whether a file of this name that begins with these bytes is of this format.
    fn reads(&self, name: &str, head: &[u8]) -> bool;
    /// Reads it.
    fn read(&self, source: &Source<'_>) -> Result<Documents>;
}

/// Makes the nodes of one group from one node of its parent group.
pub trait Transform: Send + Sync {
    /// The nodes made from `parent`, in order. The caller gives them ids and the group's name.
    fn apply(&self, parent: &Node) -> Result<Vec<Node>>;
}

/// Whether a text is asked or answered with: some models want a different prefix for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// What is looked for.
    Query,
    /// What is looked through.
    Passage,
}

/// What is wanted of an embedding model. One call gives both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// One vector for the whole text.
    Pooled,
    /// One vector for each token.
    Tokens,
    /// Both.
    Both,
}

/// A text as vectors, each of length one. What was not wanted is empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Embedding {
    /// The vector of the whole text.
    pub pooled: Vec<f32>,
    /// The vectors of its tokens.
    pub tokens: Matrix,
}

/// Turns texts into vectors.
pub trait Embed: Send + Sync {
    /// Names the model and all that changes its vectors, so that vectors can be kept under it.
    fn identity(&self) -> &str;
    /// The length of a pooled vector.
    fn dim(&self) -> usize;
    /// The length of a token's vector.
    fn token_dim(&self) -> usize {
        self.dim()
    }
    /// The embeddings of `texts`, in their order.
    fn embed(&self, texts: &[&str], role: Role, want: Want) -> Result<Vec<Embedding>>;
}

/// Says how well passages answer a query.
pub trait Scorer: Send + Sync {
    /// Names the model.
    fn identity(&self) -> &str;
    /// A score for each of `passages`, in their order; higher is better.
    fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>>;
}

/// Puts hits in a better order, and may drop some.
pub trait Rerank: Send + Sync {
    /// The name shown in scores and layers.
    fn name(&self) -> &str;
    /// The hits in their new order, best first, with their new scores.
    fn rerank(&self, query: &str, hits: Vec<Hit>) -> Result<Vec<Hit>>;
}

/// A language model.
pub trait Chat: Send + Sync {
    /// Names the model and where it runs.
    fn identity(&self) -> &str;
    /// The most tokens of a talk and its reply together.
    fn context(&self) -> usize;
    /// How many tokens a text is; an estimate where the model's own tokenizer is not known.
    fn count(&self, text: &str) -> usize;
    /// Whether it calls tools by itself, and need not be asked to write them as text.
    fn calls_tools(&self) -> bool {
        false
    }
    /// What the model says next. `on_text` is given the reply as it is written.
    fn chat(&self, talk: &[Message], wish: &Wish, on_text: &mut dyn FnMut(&str)) -> Result<Reply>;
}
