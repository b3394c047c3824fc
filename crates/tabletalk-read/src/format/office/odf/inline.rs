//! What stands on the line of a paragraph.

use super::Open;
use super::draw::is_drawing;
use crate::format::office::xml::{Child, Node};
use tabletalk_core::Result;

/// The line of a paragraph.
#[derive(Default)]
pub(super) struct Line<'n> {
    pub(super) text: String,
    pub(super) drawings: Vec<&'n Node>,
    /// Notes and comments with their marks.
    pub(super) notes: Vec<(String, &'n Node)>,
    /// The page of its first character.
    pub(super) page: Option<u32>,
    pub(super) bold: bool,
    /// Whether marks of notes are shown.
    marks: bool,
    started: bool,
}

impl Line<'_> {
    /// Runs of blanks in the source are one blank.
    fn push(&mut self, text: &str, page: Option<u32>, bold: bool) {
        if !text.trim().is_empty() {
            if !self.started {
                (self.started, self.page, self.bold) = (true, page, true);
            }
            self.bold &= bold;
        }
        for c in text.chars() {
            let c = if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c };
            if c != ' ' || !self.text.ends_with([' ', '\n']) {
                self.text.push(c);
            }
        }
    }
}

impl Open<'_, '_> {
    /// The line of a paragraph. `marks`: with the marks of its notes.
    pub(super) fn line<'n>(&mut self, node: &'n Node, marks: bool) -> Line<'n> {
        let mut line = Line { marks, page: self.draft.page, ..Line::default() };
        let bold = self.styles.is_bold(node.attr("style-name").unwrap_or_default());
        self.inlines(node, bold, &mut line);
        line
    }

    fn inlines<'n>(&mut self, node: &'n Node, bold: bool, line: &mut Line<'n>) {
        for child in node.children() {
            match child {
                Child::Text(text) => line.push(text, self.draft.page, bold),
                Child::Node(node) => self.inline(node, bold, line),
            }
        }
    }

    fn inline<'n>(&mut self, node: &'n Node, bold: bool, line: &mut Line<'n>) {
        match node.name() {
            "s" => line.push(" ", self.draft.page, bold),
            "tab" => line.text.push('\t'),
            "line-break" => line.text.push('\n'),
            "soft-page-break" => self.turn_page(),
            "span" | "a" => {
                let style = node.attr("style-name").unwrap_or_default();
                if !self.styles.is_hidden(style) {
                    self.inlines(node, bold || self.styles.is_bold(style), line);
                }
            }
            "ruby" => {
                if let Some(base) = node.child("ruby-base") {
                    self.inlines(base, bold, line);
                }
            }
            "note" => self.noted(node, line),
            "annotation" => line.notes.push((String::new(), node)),
            "hidden-text" | "hidden-paragraph" | "annotation-end" | "script" | "tracked-changes" => {}
            name if is_drawing(name) => line.drawings.push(node),
            _ => self.inlines(node, bold, line),
        }
    }

    fn noted<'n>(&mut self, node: &'n Node, line: &mut Line<'n>) {
        self.noted += 1;
        let mark = format!("[{}]", self.noted);
        if line.marks {
            line.push(&mark, self.draft.page, false);
        }
        line.notes.push((mark, node));
    }

    /// What hangs on a paragraph: notes, then drawings.
    pub(super) fn hanging(&mut self, line: &Line<'_>) -> Result<()> {
        for (mark, node) in &line.notes {
            match node.child("note-body") {
                Some(body) => {
                    let text = self.plain(body);
                    let placed = self.draft.placed_on(line.page, &format!("{mark} {text}"));
                    if !text.is_empty() {
                        self.draft.flow.note(placed);
                    }
                }
                None => self.remark(node),
            }
        }
        let lists = self.lists.aside();
        for drawing in &line.drawings {
            self.drawing(drawing)?;
        }
        self.lists.back(lists);
        Ok(())
    }

    /// A comment, with its author.
    pub(super) fn remark(&mut self, node: &Node) {
        let author = node.child("creator").map(Node::text).filter(|a| !a.trim().is_empty());
        let author = author.map(|a| format!("{}: ", a.trim())).unwrap_or_default();
        let text = self.plain(node);
        if !text.is_empty() {
            let placed = self.draft.placed(&format!("{author}{text}"));
            self.draft.flow.note(placed);
        }
    }

    /// All paragraphs inside as one text.
    pub(super) fn plain(&mut self, node: &Node) -> String {
        let mut lines = Vec::new();
        for p in node.walk().filter(|n| n.is("p") || n.is("h")) {
            lines.push(self.line(p, false).text.trim().to_owned());
        }
        lines.retain(|l| !l.is_empty());
        lines.join("\n")
    }
}
