//! Every trait another crate, or a user of the library, can implement.

use crate::{Document, Node, Result};
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
