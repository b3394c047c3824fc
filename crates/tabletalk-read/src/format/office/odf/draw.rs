//! Drawings of open documents: frames, shapes, pictures, charts; and the slides they stand on.

use super::Open;
use crate::builder::{SpanCell, TableBuilder};
use crate::format::office::order;
use crate::format::office::package::joined;
use crate::format::office::xml::Node;
use tabletalk_core::{Placed, Result};

/// Whether an element is drawn.
pub(super) fn is_drawing(name: &str) -> bool {
    const SHAPES: &[&str] = &[
        "frame",
        "g",
        "custom-shape",
        "rect",
        "ellipse",
        "circle",
        "line",
        "polyline",
        "polygon",
        "path",
        "connector",
        "caption",
        "regular-polygon",
        "measure",
        "control",
    ];
    SHAPES.contains(&name)
}

impl Open<'_, '_> {
    pub(super) fn drawing(&mut self, node: &Node) -> Result<()> {
        match node.name() {
            "frame" => self.frame(node),
            "g" => self.blocks(node),
            "control" => Ok(()),
            _ => {
                let inner = node.nodes().filter(|n| matches!(n.name(), "p" | "h" | "list"));
                for child in inner {
                    self.block(child)?;
                }
                Ok(())
            }
        }
    }

    /// A frame holds one thing in several forms; the first that is known is taken.
    fn frame(&mut self, node: &Node) -> Result<()> {
        for child in node.nodes() {
            match child.name() {
                "text-box" => return self.blocks(child),
                "table" => return self.table(child),
                "object" if self.object(node, child)? => return Ok(()),
                "image" | "plugin" | "object-ole" => {
                    self.picture(node);
                    return Ok(());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn picture(&mut self, frame: &Node) {
        let text = |name: &str| frame.child(name).map(Node::text);
        let names = [text("desc"), text("title"), frame.attr("name").map(str::to_owned)];
        let names: Vec<Option<&str>> = names.iter().map(Option::as_deref).collect();
        let place = self.draft.place();
        self.draft.picture(&names, place);
    }

    /// A chart or an equation that has a part of its own; says whether anything was taken.
    fn object(&mut self, frame: &Node, node: &Node) -> Result<bool> {
        let Some(href) = node.attr("href") else { return Ok(false) };
        let Some(root) = self.package.part(&format!("{}/content.xml", joined("", href)))? else {
            return Ok(false);
        };
        if root.is("math") {
            let text = root.find("annotation").unwrap_or(&root).text();
            let placed = self.draft.placed(&text);
            self.draft.flow.text(placed);
            return Ok(true);
        }
        let Some(chart) = root.walk().find(|n| n.is("chart") && n.child("plot-area").is_some()) else {
            return Ok(false);
        };
        let Some(table) = chart.child("table") else { return Ok(false) };
        let mut builder = data(table);
        builder.title =
            chart.child("title").map(|n| crate::format::office::draft::tidy(&n.text())).unwrap_or_default();
        crate::format::office::chart::name(
            &mut builder,
            &frame.attr("name").map(str::to_owned).into_iter().collect::<Vec<_>>(),
        );
        let place = self.draft.place();
        self.draft.table(builder, place)?;
        Ok(true)
    }

    /// Slides, each with its notes.
    pub(super) fn slides(&mut self, body: &Node) -> Result<()> {
        for (number, page) in (1..).zip(body.all("page")) {
            self.draft.page = Some(number);
            self.slide(page)?;
        }
        Ok(())
    }

    fn slide(&mut self, page: &Node) -> Result<()> {
        let frame =
            |n: &&Node| matches!(n.attr("class"), Some("date-time" | "footer" | "header" | "page-number"));
        let shapes = page.nodes().filter(|n| is_drawing(n.name()) && !frame(n));
        let (titles, rest): (Vec<&Node>, Vec<&Node>) = shapes.partition(|n| n.attr("class") == Some("title"));
        let boxes: Vec<Option<[f32; 4]>> = rest.iter().map(|n| bbox(n)).collect();
        for node in titles {
            self.draft.bbox = bbox(node);
            let text = self.plain(node).split_whitespace().collect::<Vec<_>>().join(" ");
            let place = self.draft.place();
            self.draft.flow.heading(1, Placed { text, place });
        }
        for node in order::sorted(rest, &order::order(&boxes)) {
            self.draft.bbox = bbox(node);
            self.drawing(node)?;
        }
        self.draft.bbox = None;
        for node in page.nodes() {
            match node.name() {
                "notes" => {
                    let frames = node.all("frame").filter(|n| n.attr("class") == Some("notes"));
                    for frame in frames {
                        let text = self.plain(frame);
                        let placed = self.draft.placed(&text);
                        self.draft.flow.note(placed);
                    }
                }
                "annotation" => self.remark(node),
                _ => {}
            }
        }
        Ok(())
    }
}

/// The table of a chart: plain cells.
fn data(table: &Node) -> TableBuilder {
    let mut builder = TableBuilder::new(1);
    let rows = table.walk().filter(|n| n.is("table-row")).take(100_000);
    for (row, node) in (1..).zip(rows) {
        for (col, cell) in (1..).zip(node.all("table-cell").take(1000)) {
            let text = cell.child("p").map(Node::text).unwrap_or_default();
            // Empty numbers are written so.
            let text = if text == "NaN" { String::new() } else { text };
            builder.push(SpanCell { row, col, text, ..SpanCell::default() });
        }
    }
    builder
}

/// Left, top, right, bottom in points.
fn bbox(node: &Node) -> Option<[f32; 4]> {
    let [x, y, w, h] = ["x", "y", "width", "height"].map(|key| node.attr(key).and_then(points));
    Some([x?, y?, x? + w?, y? + h?])
}

/// A length in points: `2.54cm` is 72.
fn points(length: &str) -> Option<f32> {
    let length = length.trim();
    let unit = length.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = length.split_at(unit);
    let factor = match unit {
        "cm" => 72.0 / 2.54,
        "mm" => 72.0 / 25.4,
        "in" => 72.0,
        "pt" => 1.0,
        "pc" => 12.0,
        "px" => 0.75,
        _ => return None,
    };
    Some((number.trim().parse::<f32>().ok()? * factor * 100.0).round() / 100.0)
}
