//! The paragraphs and tables of rich text.

use super::table::Rows;
use crate::format::office::docx::style::{Role, role_of};
use crate::format::office::draft::{Draft, Info, tidy};
use crate::format::office::over;
use std::collections::HashMap;
use tabletalk_core::{Document, Result};

/// Tables in tables: no deeper than this.
const MAX_LEVEL: usize = 16;

/// What holds for the paragraph that is being read.
#[derive(Debug, Clone, Copy, Default)]
struct Paragraph {
    style: Option<i32>,
    outline: Option<u8>,
    in_table: bool,
    /// How deep in tables it stands, where that is said.
    depth: usize,
    list: bool,
    level: u8,
}

pub(super) struct Page<'a> {
    draft: Draft<'a>,
    /// The text of the open paragraph.
    pub(super) text: String,
    /// The number that is written before it.
    pub(super) label: String,
    /// Notes that it refers to.
    pub(super) notes: Vec<String>,
    pictures: Vec<String>,
    /// What the next picture shows.
    description: String,
    paragraph: Paragraph,
    styles: HashMap<i32, Role>,
    /// The tables that are open, and the text of the cell that is open in each.
    tables: Vec<(Rows, String)>,
    /// Tables that stood in cells.
    nested: Vec<Rows>,
    noted: u32,
}

impl<'a> Page<'a> {
    pub(super) fn new(draft: Draft<'a>) -> Self {
        Page {
            draft,
            text: String::new(),
            label: String::new(),
            notes: Vec::new(),
            pictures: Vec::new(),
            description: String::new(),
            paragraph: Paragraph::default(),
            styles: HashMap::new(),
            tables: Vec::new(),
            nested: Vec::new(),
            noted: 0,
        }
    }

    /// Whether the open paragraph stands in a cell, where a mark would spoil a number.
    pub(super) fn in_table(&self) -> bool {
        self.paragraph.in_table
    }
    /// The mark of the next footnote.
    pub(super) fn noted(&mut self) -> String {
        self.noted += 1;
        format!("[{}]", self.noted)
    }
    /// A style is described.
    pub(super) fn style(&mut self, number: i32, name: &str, outline: Option<u8>) {
        let role = match outline.filter(|l| *l < 9) {
            Some(level) => Role::Heading(level + 1),
            None => role_of(name),
        };
        self.styles.insert(number, role);
    }
    pub(super) fn describe(&mut self, text: &str) {
        text.clone_into(&mut self.description);
    }
    /// A picture stands here.
    pub(super) fn picture(&mut self) {
        let text = std::mem::take(&mut self.description);
        if self.pictures.len() < 10_000 {
            self.pictures.push(text);
        }
    }

    /// A word that shapes paragraphs or tables.
    pub(super) fn word(&mut self, word: &str, number: Option<i32>) -> Result<()> {
        let at = self.paragraph.depth.saturating_sub(1);
        match word {
            "par" | "sect" | "page" | "column" => return self.end_paragraph(),
            "pard" => self.paragraph = Paragraph::default(),
            "s" => self.paragraph.style = number,
            "outlinelevel" => self.paragraph.outline = number.and_then(|n| u8::try_from(n).ok()),
            "intbl" => self.paragraph.in_table = true,
            "itap" => {
                self.paragraph.depth = number.unwrap_or(0).clamp(0, MAX_LEVEL as i32) as usize;
                self.paragraph.in_table |= self.paragraph.depth > 0;
            }
            "ls" => self.paragraph.list = number.unwrap_or(0) > 0,
            "ilvl" => self.paragraph.level = number.unwrap_or(0).clamp(0, 8) as u8,
            "cell" => return self.end_cell(0),
            "nestcell" => return self.end_cell(at.max(1)),
            "row" => self.rows(0, Rows::row),
            "nestrow" => self.rows(at.max(1), Rows::row),
            "trowd" => self.rows(at, Rows::define),
            "trleft" | "trhdr" | "cellx" | "clmrg" | "clvmrg" => {
                self.rows(at, |rows| rows.word(word, number))
            }
            _ => {}
        }
        Ok(())
    }

    /// The table that is open at a level, and the text of its open cell.
    fn open(&mut self, level: usize) -> Option<&mut (Rows, String)> {
        let level = level.min(MAX_LEVEL);
        if self.tables.len() <= level {
            self.tables.resize_with(level + 1, Default::default);
        }
        self.tables.get_mut(level)
    }

    /// Does something with the table that is open at a level.
    fn rows(&mut self, level: usize, act: impl FnOnce(&mut Rows)) {
        if let Some((rows, _)) = self.open(level) {
            act(rows);
        }
    }

    fn end_cell(&mut self, level: usize) -> Result<()> {
        let line = self.take_line();
        let most = self.draft.limits.max_cells;
        if let Some((rows, text)) = self.open(level) {
            text.push_str(&line);
            rows.cell(tidy(&std::mem::take(text)));
            if rows.count > most {
                return Err(over(self.draft.limits));
            }
        }
        let inner = self.tables.split_off((level + 1).min(self.tables.len()));
        self.nested.extend(inner.into_iter().map(|(rows, _)| rows).filter(Rows::is_open));
        Ok(())
    }

    /// The text of the open paragraph with its number.
    fn take_line(&mut self) -> String {
        let (text, label) = (std::mem::take(&mut self.text), std::mem::take(&mut self.label));
        let label = label.trim();
        if text.trim().is_empty() || !label.contains(char::is_alphanumeric) {
            return text;
        }
        format!("{label} {}", text.trim_start())
    }

    fn end_paragraph(&mut self) -> Result<()> {
        if self.paragraph.in_table {
            let level = self.paragraph.depth.saturating_sub(1);
            let line = self.take_line();
            if let Some((_, text)) = self.open(level) {
                text.push_str(&line);
                text.push('\n');
            }
            return Ok(());
        }
        self.end_tables()?;
        let role = self.role();
        let is_item = self.paragraph.list || !self.label.is_empty();
        let line = self.take_line();
        let placed = self.draft.placed(&line);
        let flow = &mut self.draft.flow;
        match role {
            Role::Heading(level) => flow.heading(level, placed),
            Role::Caption => flow.caption(placed),
            _ if is_item => flow.item(self.paragraph.level + 1, placed),
            Role::Item(depth) => flow.item(depth, placed),
            Role::Plain => flow.text(placed),
        }
        self.hanging();
        Ok(())
    }

    fn role(&self) -> Role {
        match self.paragraph.outline {
            Some(level) if level < 9 => Role::Heading(level + 1),
            _ => self.paragraph.style.and_then(|s| self.styles.get(&s)).copied().unwrap_or(Role::Plain),
        }
    }

    /// Pictures and notes of what was just read.
    fn hanging(&mut self) {
        let place = self.draft.place();
        for text in std::mem::take(&mut self.pictures) {
            self.draft.picture(&[Some(&text)], place.clone());
        }
        for note in std::mem::take(&mut self.notes) {
            let placed = self.draft.placed(&note);
            self.draft.flow.note(placed);
        }
    }

    /// Running text ends a table.
    fn end_tables(&mut self) -> Result<()> {
        let open = std::mem::take(&mut self.tables).into_iter().map(|(rows, _)| rows);
        let nested = std::mem::take(&mut self.nested);
        let mut any = false;
        for rows in open.chain(nested).filter(Rows::is_open) {
            any = true;
            let place = self.draft.place();
            self.draft.table(rows.builder(), place)?;
        }
        if any {
            self.hanging();
        }
        Ok(())
    }

    pub(super) fn finish(mut self, info: &Info) -> Result<Document> {
        self.paragraph.in_table = false;
        self.end_tables()?;
        self.end_paragraph()?;
        Ok(self.draft.finish(info))
    }
}
