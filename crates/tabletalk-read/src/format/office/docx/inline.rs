//! What stands on the line of a paragraph.

use super::{Pages, Word};
use crate::format::office::xml::{Node, chosen};
use crate::format::office::{math, symbol};

/// What hangs on a paragraph beside its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Picture,
    Chart,
    Diagram,
}

/// A picture or a chart on a line.
pub(super) struct Thing {
    pub(super) kind: Kind,
    /// What it may be called, best first.
    pub(super) names: Vec<String>,
    /// The relation to its part.
    pub(super) relation: String,
    /// Whether it comes before all text of the line.
    pub(super) before: bool,
}

/// The line of a paragraph.
#[derive(Default)]
pub(super) struct Line<'n> {
    pub(super) text: String,
    pub(super) things: Vec<Thing>,
    pub(super) boxes: Vec<&'n Node>,
    /// Marks of notes, and their kinds and ids.
    pub(super) notes: Vec<(String, (&'static str, String))>,
    /// The page of its first character.
    pub(super) page: Option<u32>,
    /// Whether all of its text is bold.
    pub(super) bold: bool,
    /// Whether marks of notes are shown.
    marks: bool,
    started: bool,
}

impl Line<'_> {
    fn push(&mut self, text: &str, page: Option<u32>, bold: bool) {
        if !text.trim().is_empty() {
            if !self.started {
                (self.started, self.page, self.bold) = (true, page, true);
            }
            self.bold &= bold;
        }
        self.text.push_str(text);
    }
}

impl Word<'_, '_> {
    /// The line of a paragraph. `marks`: with the marks of its notes.
    pub(super) fn line<'n>(&mut self, node: &'n Node, marks: bool) -> Line<'n> {
        let mut line = Line { marks, page: self.draft.page, ..Line::default() };
        self.inlines(node, &mut line);
        line
    }

    fn inlines<'n>(&mut self, node: &'n Node, line: &mut Line<'n>) {
        for child in node.nodes() {
            match child.name() {
                "r" => self.run(child, line),
                "oMath" | "oMathPara" => {
                    let text = math::text(child);
                    line.push(&text, self.draft.page, false);
                }
                "AlternateContent" => {
                    if let Some(chosen) = chosen(child) {
                        self.inlines(chosen, line);
                    }
                }
                "del" | "moveFrom" | "pPr" | "rPr" | "sdtPr" | "sdtEndPr" | "rt" | "p" | "tbl" => {}
                "br" | "drawing" | "pict" | "object" => self.piece(child, "", false, line),
                _ => self.inlines(child, line),
            }
        }
    }

    fn run<'n>(&mut self, node: &'n Node, line: &mut Line<'n>) {
        let properties = node.child("rPr");
        let style = properties.and_then(|p| p.value("rStyle"));
        let hidden = properties.and_then(|p| p.switch("vanish"));
        if hidden.unwrap_or_else(|| style.is_some_and(|s| self.styles.is_hidden(s))) {
            // A field may begin or end in hidden text.
            node.all("fldChar").for_each(|n| self.field(n));
            return;
        }
        let bold = properties.and_then(|p| p.switch("b")).unwrap_or(false);
        let font =
            properties.and_then(|p| p.child("rFonts")).and_then(|f| f.attr("ascii")).unwrap_or_default();
        for child in node.nodes() {
            self.piece(child, font, bold, line);
        }
    }

    fn piece<'n>(&mut self, node: &'n Node, font: &str, bold: bool, line: &mut Line<'n>) {
        match node.name() {
            "fldChar" => return self.field(node),
            "lastRenderedPageBreak" if self.pages == Pages::Rendered => return self.turn_page(),
            "br" if node.attr("type") == Some("page") && self.pages == Pages::Set => return self.turn_page(),
            _ => {}
        }
        if self.fields.last().copied().unwrap_or(false) {
            return;
        }
        let page = self.draft.page;
        match node.name() {
            "t" => line.push(&fonted(&node.text(), font), page, bold),
            "tab" | "ptab" => line.push("\t", page, bold),
            "br" | "cr" => line.push("\n", page, bold),
            "noBreakHyphen" => line.push("-", page, bold),
            "sym" => {
                let code = node.attr("char").and_then(|c| u32::from_str_radix(c, 16).ok());
                let found = code.and_then(|c| symbol::plain(node.attr("font").unwrap_or_default(), c));
                found.into_iter().for_each(|c| line.push(c.encode_utf8(&mut [0; 4]), page, bold));
            }
            "footnoteReference" => self.noted("footnote", node, line),
            "endnoteReference" => self.noted("endnote", node, line),
            "commentReference" => self.noted("comment", node, line),
            "drawing" | "pict" | "object" => self.drawing(node, line),
            "AlternateContent" => {
                for child in chosen(node).into_iter().flat_map(Node::nodes) {
                    self.piece(child, font, bold, line);
                }
            }
            "ruby" => {
                if let Some(base) = node.child("rubyBase") {
                    self.inlines(base, line);
                }
            }
            _ => {}
        }
    }

    fn field(&mut self, node: &Node) {
        match node.attr("fldCharType") {
            Some("begin") if self.fields.len() < 256 => self.fields.push(true),
            Some("separate") => {
                // A field in the code of another is code too.
                let outer = self.fields.len() > 1 && self.fields.iter().rev().skip(1).any(|code| *code);
                if let Some(last) = self.fields.last_mut() {
                    *last = outer;
                }
            }
            Some("end") => drop(self.fields.pop()),
            _ => {}
        }
    }

    fn noted(&mut self, kind: &'static str, node: &Node, line: &mut Line<'_>) {
        let Some(id) = node.attr("id") else { return };
        let key = (kind, id.to_owned());
        if !self.notes.contains_key(&key) {
            return;
        }
        let mut mark = String::new();
        if kind != "comment" {
            self.noted += 1;
            mark = format!("[{}]", self.noted);
            if line.marks {
                line.push(&mark, self.draft.page, false);
            }
        }
        line.notes.push((mark, key));
    }

    /// A drawing: pictures, charts, diagrams, and the text boxes in it.
    fn drawing<'n>(&mut self, node: &'n Node, line: &mut Line<'n>) {
        let before = !line.started;
        let mut names = Vec::new();
        let mut stack = vec![node];
        while let Some(next) = stack.pop() {
            let mut thing = |kind, names: Vec<String>, relation: Option<&str>| {
                let relation = relation.unwrap_or_default().to_owned();
                line.things.push(Thing { kind, names, relation, before });
            };
            match next.name() {
                "docPr" => names = called(next),
                "txbxContent" => line.boxes.push(next),
                "AlternateContent" => stack.extend(chosen(next)),
                "pic" => {
                    let own = next.find("cNvPr").map(called).unwrap_or_default();
                    thing(Kind::Picture, names.iter().cloned().chain(own).collect(), None);
                }
                "imagedata" => thing(Kind::Picture, called(next), None),
                "chart" if next.relation("id").is_some() => {
                    thing(Kind::Chart, names.clone(), next.relation("id"))
                }
                "relIds" => thing(Kind::Diagram, names.clone(), next.relation("dm")),
                _ => {
                    let from = stack.len();
                    stack.extend(next.nodes());
                    if let Some(added) = stack.get_mut(from..) {
                        added.reverse();
                    }
                }
            }
        }
    }
}

/// What a picture may be called: its description comes before its name.
fn called(node: &Node) -> Vec<String> {
    let keys = ["descr", "alt", "title", "name"];
    keys.iter().filter_map(|k| node.attr(k)).filter(|v| !v.trim().is_empty()).map(str::to_owned).collect()
}

/// Text in a symbol font as plain characters.
fn fonted(text: &str, font: &str) -> String {
    if !text.contains(|c| ('\u{f000}'..='\u{f0ff}').contains(&c)) {
        return text.to_owned();
    }
    text.chars()
        .filter_map(|c| symbol::plain(if font.is_empty() { "Symbol" } else { font }, u32::from(c)))
        .collect()
}
