//! A document: what a reader makes of one source file or record.

use crate::place::{Placed, Rejection};
use crate::table::Table;
use serde::{Deserialize, Serialize};

/// One source file or record, read.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Document {
    /// The id of the record in its file, in formats that hold many documents; empty otherwise.
    #[serde(default)]
    pub source_id: String,
    /// The title, where the source has one.
    #[serde(default)]
    pub title: String,
    /// What the source says about the document beside its content, to filter on.
    #[serde(default)]
    pub fields: serde_json::Map<String, serde_json::Value>,
    /// The content in reading order.
    pub blocks: Vec<Block>,
    /// Data rows that could not be taken, each with its place and the reason.
    #[serde(skip)]
    pub rejected: Vec<Rejection>,
    /// What the user should know though nothing was lost.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

/// A piece of a document.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(clippy::large_enum_variant, reason = "most blocks of most documents are tables")]
pub enum Block {
    /// A heading and its level from 1.
    Heading(u8, Placed),
    /// A paragraph, a line.
    Text(Placed),
    /// An item of a list and how deep it stands, from 1.
    Item(u8, Placed),
    /// What stands apart from the text: a footnote, the notes of a speaker.
    Note(Placed),
    /// A table.
    Table(Table),
    /// A picture: its alternative text or caption, or nothing where the source has neither.
    Image(Placed),
}

impl Block {
    /// The text of a block that is not a table.
    pub fn text(&self) -> Option<&Placed> {
        match self {
            Block::Heading(_, text) | Block::Item(_, text) => Some(text),
            Block::Text(text) | Block::Note(text) | Block::Image(text) => Some(text),
            Block::Table(_) => None,
        }
    }
}
