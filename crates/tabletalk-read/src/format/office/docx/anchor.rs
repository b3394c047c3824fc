//! What is anchored in a paragraph: pictures, charts, text boxes, notes.

use super::{MAX_NESTING, Word, inline};
use crate::format::office::chart;
use crate::format::office::xml::Node;
use std::collections::HashMap;
use tabletalk_core::Result;

impl Word<'_, '_> {
    /// The pictures and charts of a paragraph: those before its text, or those after its beginning.
    pub(super) fn pictures(&mut self, line: &inline::Line<'_>, before: bool) -> Result<()> {
        for thing in line.things.iter().filter(|t| t.before == before) {
            let place = self.draft.place();
            match thing.kind {
                inline::Kind::Picture => {
                    let names: Vec<Option<&str>> = thing.names.iter().map(|n| Some(n.as_str())).collect();
                    self.draft.picture(&names, place);
                }
                inline::Kind::Chart => {
                    let part = self.part(&thing.relation)?;
                    if let Some(mut chart) = part.as_ref().and_then(chart::read) {
                        chart::name(&mut chart, &thing.names);
                        self.draft.table(chart, place)?;
                    }
                }
                inline::Kind::Diagram => {
                    let part = self.part(&thing.relation)?;
                    for text in part.as_ref().map(chart::diagram).unwrap_or_default() {
                        let placed = self.draft.placed(&text);
                        self.draft.flow.item(1, placed);
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn part(&self, relation: &str) -> Result<Option<Node>> {
        match self.relations.get(relation) {
            Some(relation) => self.package.part(&relation.target),
            None => Ok(None),
        }
    }

    /// The text boxes of a paragraph, after it.
    pub(super) fn boxes(&mut self, line: &inline::Line<'_>) -> Result<()> {
        if self.nesting >= MAX_NESTING {
            line.boxes.iter().for_each(|content| self.flat(content));
            return Ok(());
        }
        self.nesting += 1;
        for content in &line.boxes {
            let fields = std::mem::take(&mut self.fields);
            self.blocks(content)?;
            self.fields = fields;
        }
        self.nesting -= 1;
        Ok(())
    }

    /// All text of what is nested too deep.
    pub(super) fn flat(&mut self, node: &Node) {
        let mut text = String::new();
        for node in node.walk() {
            match node.name() {
                "p" => text.push('\n'),
                "t" => text.push_str(&node.text()),
                _ => {}
            }
        }
        let placed = self.draft.placed(&text);
        self.draft.flow.text(placed);
    }

    /// The notes that a paragraph refers to, after it.
    pub(super) fn notes(&mut self, line: &inline::Line<'_>) -> Result<()> {
        if self.nesting >= MAX_NESTING {
            return Ok(());
        }
        self.nesting += 1;
        for (mark, key) in &line.notes {
            let Some(note) = self.notes.remove(key) else { continue };
            let mut text = mark.clone();
            if key.0 == "comment"
                && let Some(author) = note.attr("author").filter(|a| !a.trim().is_empty())
            {
                text.push_str(&format!("{author}:"));
            }
            let body = self.plain(&note);
            let placed = self.draft.placed_on(line.page, format!("{text} {body}").trim());
            if !body.trim().is_empty() {
                self.draft.flow.note(placed);
            }
        }
        self.nesting -= 1;
        Ok(())
    }

    /// Notes that nothing refers to are not lost.
    pub(super) fn loose_notes(&mut self) {
        let mut left: Vec<_> = std::mem::take(&mut self.notes).into_iter().collect();
        left.sort_by(|a, b| a.0.cmp(&b.0));
        for (key, note) in left {
            if key.0 == "comment" {
                let text = self.plain(&note);
                let placed = self.draft.placed(&text);
                self.draft.flow.note(placed);
            }
        }
    }

    /// The paragraphs of a note or a cell as one text.
    pub(super) fn plain(&mut self, node: &Node) -> String {
        let mut out = String::new();
        for p in node.walk().filter(|n| n.is("p")) {
            let line = self.line(p, false);
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(line.text.trim());
        }
        out
    }
}

/// Takes the notes out of their part; separators are no notes.
pub(super) fn take_notes(root: Node, name: &'static str, notes: &mut HashMap<(&'static str, String), Node>) {
    for node in root.into_nodes().filter(|n| n.is(name)) {
        let special =
            matches!(node.attr("type"), Some("separator" | "continuationSeparator" | "continuationNotice"));
        if let (false, Some(id)) = (special, node.attr("id").map(str::to_owned)) {
            notes.insert((name, id), node);
        }
    }
}
