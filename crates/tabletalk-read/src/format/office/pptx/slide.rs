//! One slide.

use super::shape::Look;
use super::shape::{self, Shape};
use super::{Deck, table, text};
use crate::format::office::chart;
use crate::format::office::draft::tidy;
use crate::format::office::order;
use crate::format::office::package::Relation;
use crate::format::office::xml::Node;
use std::collections::HashMap;
use tabletalk_core::{Place, Placed, Result};

type Relations = HashMap<String, Relation>;

impl Deck<'_, '_> {
    /// Reads a slide with its notes and comments.
    pub(super) fn slide(&mut self, part: &str, root: &Node) -> Result<()> {
        let relations = self.package.relations(part)?;
        let look = self.look(&relations)?;
        if matches!(root.attr("show"), Some("0" | "false")) {
            self.package.warn(format!("slide {} is hidden", self.draft.page.unwrap_or(0)));
        }
        if let Some(tree) = root.path(&["cSld", "spTree"]) {
            let mut shapes = shape::shapes(tree, &look);
            shapes.retain(|s| !s.holder.as_ref().is_some_and(|h| h.is_frame()));
            for shape in &in_order(shapes) {
                self.shape(shape, &look, &relations)?;
            }
        }
        self.notes(&relations)
    }

    fn at(&self, shape: &Shape<'_>) -> Place {
        Place { bbox: shape.bbox, ..self.draft.place() }
    }

    fn shape(&mut self, shape: &Shape<'_>, look: &Look, relations: &Relations) -> Result<()> {
        match shape.node.name() {
            "pic" => self.picture(shape),
            "graphicFrame" => return self.graphic(shape, relations),
            _ => {
                if let Some(body) = shape.node.child("txBody") {
                    self.body(shape, body, look);
                }
            }
        }
        Ok(())
    }

    fn picture(&mut self, shape: &Shape<'_>) {
        let names = shape::names(shape.node);
        let names: Vec<Option<&str>> = names.iter().map(|n| Some(n.as_str())).collect();
        let place = self.at(shape);
        self.draft.picture(&names, place);
    }

    fn body(&mut self, shape: &Shape<'_>, body: &Node, look: &Look) {
        let place = self.at(shape);
        if shape.holder.as_ref().is_some_and(|h| h.is_title()) {
            let text = text::plain(body).split_whitespace().collect::<Vec<_>>().join(" ");
            self.draft.flow.heading(1, Placed { text, place });
            return;
        }
        for paragraph in text::paragraphs(body, shape.holder.as_ref(), look) {
            let placed = Placed { text: tidy(&paragraph.text), place: place.clone() };
            match paragraph.depth {
                Some(depth) => self.draft.flow.item(depth, placed),
                None => self.draft.flow.text(placed),
            }
        }
    }

    /// A table, a chart, a diagram, or a thing of another program that is shown as a picture.
    fn graphic(&mut self, shape: &Shape<'_>, relations: &Relations) -> Result<()> {
        let place = self.at(shape);
        let Some(data) = shape.node.find("graphicData") else { return Ok(()) };
        if let Some(node) = data.child("tbl") {
            let builder = table::read(node, place.page.unwrap_or(1), shape.bbox);
            return self.draft.table(builder, place);
        }
        let part = |id: Option<&str>| match id.and_then(|id| relations.get(id)) {
            Some(relation) => self.package.part(&relation.target),
            None => Ok(None),
        };
        if let Some(node) = data.child("chart")
            && let Some(mut builder) = part(node.relation("id"))?.as_ref().and_then(chart::read)
        {
            chart::name(&mut builder, &shape::names(shape.node));
            return self.draft.table(builder, place);
        }
        if let Some(node) = data.child("relIds") {
            let root = part(node.relation("dm"))?;
            for text in root.as_ref().map(chart::diagram).unwrap_or_default() {
                self.draft.flow.item(1, Placed { text, place: place.clone() });
            }
            return Ok(());
        }
        self.picture(shape);
        Ok(())
    }

    /// What the speaker notes, and what others remarked.
    fn notes(&mut self, relations: &Relations) -> Result<()> {
        for relation in relations.values().filter(|r| r.kind == "notesSlide") {
            let Some(root) = self.package.part(&relation.target)? else { continue };
            let Some(tree) = root.path(&["cSld", "spTree"]) else { continue };
            for shape in shape::shapes(tree, &Look::default()) {
                let frame = shape.holder.as_ref().is_some_and(|h| h.is_frame());
                if let (false, Some(body)) = (frame, shape.node.child("txBody")) {
                    let note = self.draft.placed(&text::plain(body));
                    self.draft.flow.note(note);
                }
            }
        }
        for relation in relations.values().filter(|r| r.kind == "comments") {
            let Some(root) = self.package.part(&relation.target)? else { continue };
            for comment in root.walk().filter(|n| n.is("cm") || n.is("reply")) {
                let text = comment.child("text").map(Node::text);
                let text = text.or_else(|| comment.child("txBody").map(text::plain)).unwrap_or_default();
                let author = comment.attr("authorId").and_then(|id| self.authors.get(id));
                let author = author.map(|a| format!("{a}: ")).unwrap_or_default();
                if !text.trim().is_empty() {
                    let note = self.draft.placed(&format!("{author}{text}"));
                    self.draft.flow.note(note);
                }
            }
        }
        Ok(())
    }
}

/// The title first, then the rest in reading order.
fn in_order(shapes: Vec<Shape<'_>>) -> Vec<Shape<'_>> {
    let is_title = |s: &Shape<'_>| s.holder.as_ref().is_some_and(|h| h.is_title());
    let (mut titles, rest): (Vec<_>, Vec<_>) = shapes.into_iter().partition(is_title);
    let boxes: Vec<Option<[f32; 4]>> = rest.iter().map(|s| s.bbox).collect();
    titles.extend(order::sorted(rest, &order::order(&boxes)));
    titles
}
