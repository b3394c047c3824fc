//! Text and tables that follow each other on a page: gives tables their captions and what stands around them.

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
        self.headings.push((level, text.text.clone()));
        self.blocks.push(Block::Heading(level, text));
    }
    /// A paragraph. A caption right below a table is its title.
    pub(crate) fn text(&mut self, text: Placed) {
        if text.text.is_empty() {
            return;
        }
        match self.blocks.last_mut() {
            Some(Block::Table(table)) if table.title.is_none() && word::is_caption(&text.text) => {
                table.title = Some(text);
            }
            _ => self.blocks.push(Block::Text(text)),
        }
    }
    /// A picture.
    pub(crate) fn image(&mut self, text: Placed) {
        if !text.text.is_empty() {
            self.blocks.push(Block::Image(text));
        }
    }
    /// A table. A caption right above it is its title; its context is the heading and the paragraph before.
    pub(crate) fn table(&mut self, mut table: Table) {
        if table.title.is_none()
            && let Some(Block::Text(text)) = self.blocks.last()
            && word::is_caption(&text.text)
            && let Some(Block::Text(text)) = self.blocks.pop()
        {
            table.title = Some(text);
        }
        let before = match self.blocks.last() {
            Some(Block::Text(text)) => text.text.as_str(),
            _ => "",
        };
        let before: String = before.chars().take(MAX_CONTEXT).collect();
        let headings = self.headings.iter().map(|(_, h)| h.as_str());
        let headings: Vec<&str> = headings.collect();
        let lines = [headings.join(" / "), before];
        table.context = lines.into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join("\n");
        self.blocks.push(Block::Table(table));
    }
    /// The title of the page, where the source names it.
    pub(crate) fn name(&mut self, title: String) {
        self.title = title;
    }
    /// The page.
    pub(crate) fn finish(self) -> Document {
        Document { title: self.title, blocks: self.blocks, ..Document::default() }
    }
}

/// Finds the line of a byte position.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    /// Of a text.
    pub(crate) fn of(text: &str) -> Self {
        Lines(memchr::memchr_iter(b'\n', text.as_bytes()).collect())
    }
    /// The line, from 1, of a position.
    pub(crate) fn at(&self, position: usize) -> u64 {
        self.0.partition_point(|end| *end < position) as u64 + 1
    }
}
