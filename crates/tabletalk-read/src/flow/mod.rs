//! Text and tables that follow each other on a page: gives tables their captions and what stands around them.
//!
//! Every format with running text (pages, Markdown, office documents, books) is read into one, so that
//! headings, captions and the context of tables are handled the same way everywhere.

mod mention;
#[cfg(test)]
mod tests;

use crate::understand::word;
use tabletalk_core::{Block, Document, Placed, Table};

/// What a table is told of the paragraph before it.
const MAX_CONTEXT: usize = 600;

/// The blocks of a page, in the order they come.
#[derive(Default)]
pub(crate) struct Flow {
    blocks: Vec<Block>,
    /// The headings that are open: a heading closes those of its level and below.
    headings: Vec<(u8, String)>,
    title: String,
    /// The block that the source marks as a caption and that no table has taken yet.
    caption: Option<usize>,
}

impl Flow {
    /// A heading of a level from 1.
    pub(crate) fn heading(&mut self, level: u8, text: Placed) {
        if text.text.is_empty() {
            return;
        }
        if level == 1 && self.title.is_empty() {
            self.title.clone_from(&text.text);
        }
        self.headings.retain(|(l, _)| *l < level);
        // Every table below is told of it.
        self.headings.push((level, text.text.chars().take(MAX_CONTEXT).collect()));
        self.blocks.push(Block::Heading(level, text));
    }
    /// A paragraph. What reads like a caption right below a table is its title.
    pub(crate) fn text(&mut self, text: Placed) {
        if text.text.is_empty() {
            return;
        }
        match self.table_above() {
            Some(table) if word::is_caption(&text.text) => table.title = Some(text),
            _ => self.blocks.push(Block::Text(text)),
        }
    }
    /// What the source marks as a caption: of the table right above or right below it, or of a picture that
    /// nothing else is known of.
    pub(crate) fn caption(&mut self, text: Placed) {
        if text.text.is_empty() {
            return;
        }
        let of_picture = mention::is_of_picture(&text.text);
        if !of_picture && let Some(table) = self.table_above() {
            table.title = Some(text);
            return;
        }
        if let Some(Block::Image(picture)) = self.blocks.last_mut()
            && picture.text.is_empty()
        {
            picture.text = text.text;
            return;
        }
        self.caption = (!of_picture).then_some(self.blocks.len());
        self.blocks.push(Block::Text(text));
    }
    /// An item of a list, from depth 1.
    pub(crate) fn item(&mut self, depth: u8, text: Placed) {
        if !text.text.is_empty() {
            self.blocks.push(Block::Item(depth.max(1), text));
        }
    }
    /// A footnote, a comment, the notes of a speaker.
    pub(crate) fn note(&mut self, text: Placed) {
        if !text.text.is_empty() {
            self.blocks.push(Block::Note(text));
        }
    }
    /// A picture. It is kept without a text too: that there is one, and where, is known.
    pub(crate) fn image(&mut self, text: Placed) {
        self.blocks.push(Block::Image(text));
    }
    /// A table. A caption right above it is its title; its context is the heading and the paragraph before.
    pub(crate) fn table(&mut self, mut table: Table) {
        // A title that is a cell of the table gives way to a caption.
        let is_open = table.title.as_ref().is_none_or(|t| t.place.rows.is_some());
        if is_open && let Some(caption) = self.caption_above() {
            // What would have been the title stands in the table and must not be lost.
            table.notes.extend(table.title.take());
            table.title = Some(caption);
        }
        let before = match self.last().and_then(|at| self.blocks.get(at)) {
            Some(Block::Text(text) | Block::Item(_, text)) => text.text.as_str(),
            _ => "",
        };
        let before: String = before.chars().take(MAX_CONTEXT).collect();
        let headings: Vec<&str> = self.headings.iter().map(|(_, h)| h.as_str()).collect();
        let lines = [headings.join(" / "), before];
        table.context = lines.into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join("\n");
        self.blocks.push(Block::Table(table));
    }
    /// The title of the page, where the source names it.
    pub(crate) fn name(&mut self, title: String) {
        self.title = title;
    }
    /// How many blocks there are so far.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }
    /// The page.
    pub(crate) fn finish(mut self) -> Document {
        mention::attach(&mut self.blocks);
        Document { title: self.title, blocks: self.blocks, ..Document::default() }
    }

    /// The last block that is no note: a footnote of a caption does not part it from its table.
    fn last(&self) -> Option<usize> {
        self.blocks.iter().rposition(|b| !matches!(b, Block::Note(_)))
    }
    /// The table right above, when it has no title yet.
    fn table_above(&mut self) -> Option<&mut Table> {
        let at = self.last()?;
        match self.blocks.get_mut(at) {
            Some(Block::Table(table)) if table.title.is_none() => Some(table),
            _ => None,
        }
    }
    /// Takes out the caption right above.
    fn caption_above(&mut self) -> Option<Placed> {
        let at = self.last()?;
        let marked = self.caption == Some(at);
        match self.blocks.get(at) {
            Some(Block::Text(text)) if marked || word::is_caption(&text.text) => {}
            _ => return None,
        }
        match self.blocks.remove(at) {
            Block::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Finds the line of a byte position.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        Lines(memchr::memchr_iter(b'\n', text.as_bytes()).collect())
    }
    /// The line, from 1, of a position.
    pub(crate) fn at(&self, position: usize) -> u64 {
        self.0.partition_point(|end| *end < position) as u64 + 1
    }
}
