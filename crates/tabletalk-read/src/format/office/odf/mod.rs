//! Reads ODT and ODP.

mod draw;
mod inline;
mod style;
mod table;
#[cfg(test)]
mod tests;

use super::docx::style::Role;
use super::draft::{Draft, Info};
use super::package::{Package, encrypted};
use super::xml::Node;
use crate::format::office::count::Style as Count;
use std::collections::HashMap;
use style::{LEVELS, Styles};
use tabletalk_core::seam::Source;
use tabletalk_core::{Document, Error, Result};

/// Lists in lists, boxes in boxes: what is deeper than this is plain text.
const MAX_NESTING: usize = 80;

/// Reads the document in an archive.
pub(super) fn document<'a>(package: &Package<'a>, source: &Source<'a>) -> Result<Document> {
    if package.part("META-INF/manifest.xml")?.is_some_and(|m| m.find("encryption-data").is_some()) {
        return Err(encrypted());
    }
    let root = package.main("content.xml", "the document's main part")?;
    let shared = package.part("styles.xml")?;
    let body = root.child("body").and_then(|b| b.nodes().next());
    let body = body.ok_or_else(|| Error::input("is damaged: the document's main part has no body"))?;
    let mut open = Open {
        package,
        draft: Draft::new(source),
        styles: Styles::of(shared.iter().chain([&root])),
        lists: Lists::default(),
        noted: 0,
        nesting: 0,
        copied: 0,
    };
    if matches!(body.name(), "presentation" | "drawing") {
        open.slides(body)?;
    } else {
        open.draft.page = body.find("soft-page-break").map(|_| 1);
        open.blocks(body)?;
    }
    let info = package.part("meta.xml")?;
    let info = info.as_ref().and_then(|m| m.find("meta")).map(Info::of).unwrap_or_default();
    Ok(open.draft.finish(&info))
}

/// A document that is being read.
struct Open<'p, 'a> {
    package: &'p Package<'a>,
    draft: Draft<'a>,
    styles: Styles,
    lists: Lists,
    /// How many notes have been referred to.
    noted: u32,
    nesting: usize,
    /// What repeated rows and cells have taken.
    copied: usize,
}

impl Open<'_, '_> {
    /// Reads paragraphs, lists, tables and drawings, and those in what may stand around them.
    fn blocks(&mut self, node: &Node) -> Result<()> {
        if self.nesting >= MAX_NESTING {
            let text = self.plain(node);
            let placed = self.draft.placed(&text);
            self.draft.flow.text(placed);
            return Ok(());
        }
        self.nesting += 1;
        for child in node.nodes() {
            self.block(child)?;
        }
        self.nesting -= 1;
        Ok(())
    }

    fn block(&mut self, node: &Node) -> Result<()> {
        match node.name() {
            "p" | "h" => self.paragraph(node),
            "list" => self.list(node),
            "table" => self.table(node),
            "soft-page-break" => {
                self.turn_page();
                Ok(())
            }
            "section" if node.attr("display") == Some("none") => Ok(()),
            "tracked-changes" | "forms" | "sequence-decls" | "variable-decls" | "user-field-decls"
            | "event-listeners" => Ok(()),
            "annotation" => {
                self.remark(node);
                Ok(())
            }
            name if draw::is_drawing(name) => self.drawing(node),
            _ => self.blocks(node),
        }
    }

    /// A paragraph or heading, and what hangs on it.
    fn paragraph(&mut self, node: &Node) -> Result<()> {
        let line = self.line(node, true);
        if !line.text.trim().is_empty() {
            let role = self.role(node);
            let label = self.lists.label();
            let placed = self.draft.placed_on(line.page, &format!("{label}{}", line.text.trim()));
            let flow = &mut self.draft.flow;
            match role {
                Role::Heading(level) => flow.heading(level, placed),
                Role::Caption => flow.caption(placed),
                _ => match self.lists.depth() {
                    0 => flow.text(placed),
                    depth => flow.item(depth, placed),
                },
            }
        }
        self.hanging(&line)
    }

    fn role(&self, node: &Node) -> Role {
        if node.is("h") {
            let level = node.number("outline-level").unwrap_or(1).clamp(1, 9);
            return Role::Heading(level as u8);
        }
        self.styles.role(node.attr("style-name").unwrap_or_default())
    }

    fn turn_page(&mut self) {
        self.draft.page = self.draft.page.map(|p| p.saturating_add(1));
    }
}

/// The lists that are open, and how far lists have counted.
#[derive(Default)]
pub(super) struct Lists {
    /// The style of the outermost list.
    style: String,
    depth: usize,
    /// How far each style has counted.
    counts: HashMap<String, [Option<u32>; LEVELS]>,
    /// What is written before the next text.
    label: String,
}

impl Lists {
    /// How deep the open item stands; 0 outside of lists.
    pub(super) fn depth(&self) -> u8 {
        self.depth.min(250) as u8
    }
    /// What is written before the text of the open item; once.
    pub(super) fn label(&mut self) -> String {
        std::mem::take(&mut self.label)
    }
    /// Sets the lists aside, for what stands in a box or a cell.
    pub(super) fn aside(&mut self) -> Lists {
        let counts = std::mem::take(&mut self.counts);
        std::mem::replace(self, Lists { counts, ..Lists::default() })
    }
    /// Takes up the lists that were set aside.
    pub(super) fn back(&mut self, mut lists: Lists) {
        lists.counts = std::mem::take(&mut self.counts);
        *self = lists;
    }

    fn count(&mut self, styles: &Styles, start: Option<u32>) {
        let at = self.depth.saturating_sub(1).min(LEVELS - 1);
        let counts = self.counts.entry(self.style.clone()).or_default();
        counts.iter_mut().skip(at + 1).for_each(|c| *c = None);
        let Some(level) = styles.level(&self.style, at) else { return };
        let Some(style) = level.count.filter(|c| *c != Count::Bullet) else { return };
        let Some(count) = counts.get_mut(at) else { return };
        let n = start.unwrap_or_else(|| count.map_or(level.start, |n| n.saturating_add(1)));
        *count = Some(n);
        let first = (at + 1).saturating_sub(level.shown);
        let mut numbers = Vec::new();
        for (i, count) in counts.iter().enumerate().take(at).skip(first) {
            let style = styles.level(&self.style, i).and_then(|l| l.count);
            numbers.extend(style.map(|s| s.write(count.unwrap_or(1))));
        }
        numbers.push(style.write(n));
        self.label = format!("{}{}{} ", level.before, numbers.join("."), level.after);
    }
}

impl Open<'_, '_> {
    /// A list: its items stand one deeper.
    pub(super) fn list(&mut self, node: &Node) -> Result<()> {
        self.items(node, &mut |open, item| open.blocks(item))
    }

    /// Does something with every item of a list, counting them.
    pub(super) fn items<'n>(
        &mut self,
        node: &'n Node,
        act: &mut dyn FnMut(&mut Self, &'n Node) -> Result<()>,
    ) -> Result<()> {
        let outer = self.lists.style.clone();
        if let Some(style) = node.attr("style-name").filter(|_| self.lists.depth == 0) {
            self.lists.style = style.to_owned();
        }
        let goes_on = node.attr("continue-numbering") == Some("true") || node.attr("continue-list").is_some();
        if !goes_on && self.lists.depth == 0 {
            self.lists.counts.remove(&self.lists.style);
        }
        self.lists.depth += 1;
        for item in node.nodes() {
            if item.is("list-item") {
                let start = item.number("start-value").and_then(|n| u32::try_from(n).ok());
                // An item that only holds a deeper list is not counted.
                if item.nodes().any(|n| n.is("p") || n.is("h")) {
                    self.lists.count(&self.styles, start);
                }
            }
            act(self, item)?;
            self.lists.label.clear();
        }
        self.lists.depth -= 1;
        self.lists.style = outer;
        Ok(())
    }
}
