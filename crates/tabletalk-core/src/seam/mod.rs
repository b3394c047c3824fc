//! Every trait another crate, or a user of the library, can implement.

pub mod database;
pub mod remote;
pub mod store;

pub use store::{ChangeLog, Coordinator, EntryReader, EntryWriter, SegmentStore, TableStore, VectorStore};

use crate::chat::{ChatOptions, Message, Reply};
use crate::{Document, Error, Hit, Matrix, Result};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where the bytes of a source are and what may be done with them.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    /// The file on disk.
    pub path: &'a Path,
    /// The name shown to people and used in places: usually the file name.
    pub name: &'a str,
    /// What reading may cost.
    pub limits: &'a Limits,
    /// What reads pages that are pictures, where there is one.
    pub ocr: Option<Arc<dyn Ocr>>,
    /// What sees the structure of tables that rules are unsure of, where there is one.
    pub structure: Option<Arc<dyn Structure>>,
    /// Asked now and then by whoever reads, and obeyed.
    pub stop: Stop,
}

/// A request to stop reading, which may come at any time from another thread. Clones are the same request.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks to stop.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
    /// Whether to stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
    /// An error when it is time to stop.
    pub fn check(&self) -> Result<()> {
        match self.is_set() {
            true => Err(Error::limit("interrupted").hint("run the same command again to go on")),
            false => Ok(()),
        }
    }
}

impl<'a> Source<'a> {
    /// A file to be read without the help of models.
    pub fn new(path: &'a Path, name: &'a str, limits: &'a Limits) -> Self {
        Source { path, name, limits, ocr: None, structure: None, stop: Stop::default() }
    }
}

/// A picture: three bytes (red, green, blue) a pixel, row by row from the top.
#[derive(Clone, Default)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows of pixels.
    pub height: u32,
    /// The pixels.
    pub rgb: Vec<u8>,
}

/// A line of text seen on a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// The text.
    pub text: String,
    /// Left, top, right, bottom, in pixels.
    pub bbox: [f32; 4],
    /// How sure the reading is, from 0 to 1.
    pub confidence: f32,
}

/// Reads the text on a picture.
pub trait Ocr: Send + Sync + std::fmt::Debug {
    /// The lines of text, from top to bottom.
    fn lines(&self, picture: &Picture) -> Result<Vec<Seen>>;
}

/// A cell seen on the picture of a table; rows and columns count from 0, both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeenCell {
    /// First and last row.
    pub rows: (u32, u32),
    /// First and last column.
    pub cols: (u32, u32),
    /// Left, top, right, bottom, in pixels.
    pub bbox: [f32; 4],
}

/// Sees the rows, columns and spanning cells on the picture of one table.
pub trait Structure: Send + Sync + std::fmt::Debug {
    /// The cells; none where no table is seen.
    fn cells(&self, picture: &Picture) -> Result<Vec<SeenCell>>;
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

/// Whether a text is asked or answered with: some models want a different prefix for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// What is looked for.
    Query,
    /// What is looked through.
    Passage,
}

/// What is wanted of an embedding model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Want {
    /// One vector for the whole text.
    Pooled,
    /// One vector for each token.
    Tokens,
    /// A vector for the whole text and one for each token.
    Both,
    /// A sparse vector: some terms and their weights.
    Sparse,
}

/// A text as vectors; those of the whole text and of its tokens have length one. What was not wanted is empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Embedding {
    /// The vector of the whole text.
    pub pooled: Vec<f32>,
    /// The vectors of its tokens.
    pub tokens: Matrix,
    /// Terms of the model's vocabulary, each once, and their weights, which are above zero.
    pub sparse: Vec<(u32, f32)>,
}

/// Turns texts into vectors.
pub trait Embed: Send + Sync {
    /// Names the model and all that changes its vectors, so that vectors can be kept under it.
    fn identity(&self) -> &str;
    /// The length of a pooled vector; 0 for a model that gives none.
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

/// How likely each row, column or program is the one that a question asks for, and how likely none is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Likely {
    /// One for each of what was given, in its order.
    pub each: Vec<f32>,
    /// That it is none of them.
    pub none: f32,
}

/// Says which rows and columns of a table a question asks for, and which of several programs over it is meant. The cell where
/// a row and a column cross is what is looked up.
pub trait Locate: Send + Sync {
    /// Of these rows, each as a text.
    fn rows(&self, question: &str, texts: &[String]) -> Result<Likely>;
    /// Of these columns, each as a text.
    fn columns(&self, question: &str, texts: &[String]) -> Result<Likely>;
    /// Of these programs, each as a text.
    fn programs(&self, question: &str, texts: &[String]) -> Result<Likely>;
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
    fn chat(&self, talk: &[Message], options: &ChatOptions, on_text: &mut dyn FnMut(&str)) -> Result<Reply>;
}
