//! Reads ODT and ODP.

mod draw;
mod inline;
mod list;
mod style;
mod table;
#[cfg(test)]
mod tests;

use super::docx::style::Role;
use super::draft::{Draft, Info};
use super::encrypted;
use super::package::Package;
use super::xml::Node;
use list::Lists;
use style::Styles;
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
