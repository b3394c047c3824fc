//! Reads DOCX.

mod anchor;
mod inline;
mod number;
pub(super) mod style;
mod table;
#[cfg(test)]
mod tests;

use super::draft::{Draft, Info};
use super::package::{Package, Relation};
use super::xml::{Node, chosen};
use number::Numbers;
use std::collections::HashMap;
use style::{Role, Styles};
use tabletalk_core::seam::Source;
use tabletalk_core::{Document, Error, Result};

/// Tables in tables, text boxes in text boxes: what is deeper than this is plain text.
const MAX_NESTING: usize = 12;

/// Reads the document in an archive.
pub(super) fn document<'a>(package: &Package<'a>, source: &Source<'a>) -> Result<Document> {
    let main = package.main_part()?.unwrap_or_else(|| "word/document.xml".into());
    let root = package.main(&main, "the document's main part")?;
    let body = root.child("body").or_else(|| root.find("body"));
    let body = body.ok_or_else(|| Error::input("is damaged: the document's main part has no body"))?;
    let relations = package.relations(&main)?;
    let mut word = Word::open(package, relations, Draft::new(source))?;
    word.pages = Pages::of(body);
    word.draft.page = (word.pages != Pages::Unknown).then_some(1);
    word.blocks(body)?;
    word.loose_notes();
    let info = package.part("docProps/core.xml")?.map(|n| Info::of(&n)).unwrap_or_default();
    Ok(word.draft.finish(&info))
}

/// What tells where a page ends.
#[derive(Clone, Copy, PartialEq)]
enum Pages {
    /// The program that saved the document noted where pages ended on the screen.
    Rendered,
    /// Only breaks that the author set.
    Set,
    Unknown,
}

impl Pages {
    fn of(body: &Node) -> Pages {
        let mut pages = Pages::Unknown;
        for node in body.walk() {
            match node.name() {
                "lastRenderedPageBreak" => return Pages::Rendered,
                "br" if node.attr("type") == Some("page") => pages = Pages::Set,
                "pageBreakBefore" => pages = Pages::Set,
                _ => {}
            }
        }
        pages
    }
}

/// A document that is being read.
struct Word<'p, 'a> {
    package: &'p Package<'a>,
    relations: HashMap<String, Relation>,
    styles: Styles,
    numbers: Numbers,
    /// Footnotes, endnotes and comments by their kind and id.
    notes: HashMap<(&'static str, String), Node>,
    draft: Draft<'a>,
    pages: Pages,
    /// The fields that are open: whether their code, which is not shown, is being read.
    fields: Vec<bool>,
    /// How many notes have been referred to.
    noted: u32,
    nesting: usize,
}

impl<'p, 'a> Word<'p, 'a> {
    fn open(
        package: &'p Package<'a>,
        relations: HashMap<String, Relation>,
        draft: Draft<'a>,
    ) -> Result<Self> {
        let part = |kind: &str| match relations.values().find(|r| r.kind == kind) {
            Some(relation) => package.part(&relation.target),
            None => Ok(None),
        };
        let styles = part("styles")?.map(|n| Styles::of(&n)).unwrap_or_default();
        let numbers = part("numbering")?.map(|n| Numbers::of(&n)).unwrap_or_default();
        let mut notes = HashMap::new();
        for (kind, name) in [("footnotes", "footnote"), ("endnotes", "endnote"), ("comments", "comment")] {
            if let Some(root) = part(kind)? {
                anchor::take_notes(root, name, &mut notes);
            }
        }
        Ok(Word {
            package,
            relations,
            styles,
            numbers,
            notes,
            draft,
            pages: Pages::Unknown,
            fields: Vec::new(),
            noted: 0,
            nesting: 0,
        })
    }

    /// Reads paragraphs and tables, and those in what may stand around them.
    fn blocks(&mut self, node: &Node) -> Result<()> {
        for child in node.nodes() {
            match child.name() {
                "p" => self.paragraph(child)?,
                "tbl" => self.table(child)?,
                "AlternateContent" => {
                    if let Some(chosen) = chosen(child) {
                        self.blocks(chosen)?;
                    }
                }
                "sdt" => {
                    if let Some(content) = child.child("sdtContent") {
                        self.blocks(content)?;
                    }
                }
                "customXml" | "ins" | "moveTo" | "smartTag" | "sdtContent" => self.blocks(child)?,
                "oMathPara" | "oMath" => {
                    let text = self.draft.placed(&super::math::text(child));
                    self.draft.flow.text(text);
                }
                "altChunk" => {
                    self.package.warn("a part that was inserted from another file was not read".into())
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A paragraph, and what hangs on it: pictures, text boxes, notes.
    fn paragraph(&mut self, node: &Node) -> Result<()> {
        let properties = node.child("pPr");
        let before = properties.and_then(|p| p.switch("pageBreakBefore")).unwrap_or(false);
        if before && self.pages == Pages::Set && self.draft.flow.len() > 0 {
            self.turn_page();
        }
        let line = self.line(node, true);
        let style = properties.and_then(|p| p.value("pStyle")).unwrap_or_default();
        let empty = line.text.trim().is_empty();
        let role = self.styles.role(style, properties);
        // A paragraph may leave the list that its style puts it in.
        let left = own_list(properties).is_some_and(|id| id == "0");
        let role = if left && matches!(role, Role::Item(_)) { Role::Plain } else { role };
        let number = if empty { None } else { self.number(style, properties) };
        self.pictures(&line, true)?;
        if !empty {
            self.write(role, number, &line);
        }
        self.pictures(&line, false)?;
        self.notes(&line)?;
        self.boxes(&line)
    }

    fn number(&mut self, style: &str, properties: Option<&Node>) -> Option<number::Label> {
        let own = properties.and_then(|p| p.child("numPr"));
        let own =
            own.map(|n| (n.value("numId").map(str::to_owned), n.value("ilvl").and_then(|v| v.parse().ok())));
        let (id, level) = own.unwrap_or((None, None));
        let (id, level) = match id {
            Some(id) => (id, level),
            None => {
                let (id, of_style) = self.styles.number(style)?;
                let level = level.or(of_style).or_else(|| self.numbers.level_of(&id, style));
                (id, level)
            }
        };
        self.numbers.next(&id, level.unwrap_or(0))
    }

    fn write(&mut self, role: Role, number: Option<number::Label>, line: &inline::Line) {
        let text = match number.as_ref().map(|n| n.text.as_str()) {
            Some(label) if !label.is_empty() => format!("{label} {}", line.text.trim_start()),
            _ => line.text.clone(),
        };
        let placed = self.draft.placed_on(line.page, &text);
        let flow = &mut self.draft.flow;
        match (role, number) {
            (Role::Heading(level), _) => flow.heading(level, placed),
            (Role::Caption, _) => flow.caption(placed),
            (_, Some(number)) => flow.item(number.level.saturating_add(1), placed),
            (Role::Item(depth), None) => flow.item(depth, placed),
            (Role::Plain, None) => flow.text(placed),
        }
    }

    fn turn_page(&mut self) {
        self.draft.page = self.draft.page.map(|p| p.saturating_add(1));
    }
}

/// The list that a paragraph itself names.
fn own_list(properties: Option<&Node>) -> Option<&str> {
    properties?.child("numPr")?.value("numId")
}
