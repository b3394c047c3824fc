//! Tables of PPTX.

use super::text;
use crate::builder::{SpanCell, TableBuilder};
use crate::format::office::xml::Node;
use tabletalk_core::table::Layout;

/// A point has so many units.
const UNITS: f64 = 12_700.0;

/// The cells of a table, and where its rows and columns stand on the slide.
pub(super) fn read(node: &Node, page: u32, bbox: Option<[f32; 4]>) -> TableBuilder {
    let has_header = node.child("tblPr").is_some_and(|p| matches!(p.attr("firstRow"), Some("1" | "true")));
    let mut builder = TableBuilder::new(usize::from(has_header));
    for (row, tr) in (1..).zip(node.all("tr")) {
        for (col, tc) in (1..).zip(tr.all("tc")) {
            let is = |key: &str| matches!(tc.attr(key), Some("1" | "true"));
            if is("hMerge") || is("vMerge") {
                continue;
            }
            let span = |key: &str| tc.number(key).and_then(|n| u32::try_from(n).ok()).unwrap_or(1);
            let body = tc.child("txBody");
            builder.push(SpanCell {
                row,
                col,
                down: span("rowSpan"),
                right: span("gridSpan"),
                text: body.map(|b| crate::format::office::draft::tidy(&text::plain(b))).unwrap_or_default(),
                bold: body.is_some_and(is_bold),
            });
        }
    }
    if let Some(bbox) = bbox {
        builder.layout = Some(layout(node, page, bbox));
    }
    builder
}

fn is_bold(body: &Node) -> bool {
    let mut runs = body.walk().filter(|n| n.is("r")).peekable();
    let bold = |r: &Node| r.child("rPr").is_some_and(|p| matches!(p.attr("b"), Some("1" | "true")));
    runs.peek().is_some() && runs.all(bold)
}

fn layout(node: &Node, page: u32, bbox: [f32; 4]) -> Layout {
    let [left, top, _, _] = bbox;
    let widths = node.child("tblGrid").into_iter().flat_map(|g| g.all("gridCol")).map(|c| size(c, "w"));
    let heights = node.all("tr").map(|r| size(r, "h"));
    Layout {
        sideways: false,
        rows: edges(top, heights).into_iter().map(|(a, b)| (page, a, b)).collect(),
        cols: edges(left, widths),
        spans: Vec::new(),
    }
}

fn size(node: &Node, key: &str) -> f32 {
    let units = node.attr(key).and_then(|v| v.trim().parse::<f64>().ok()).unwrap_or(0.0);
    (units / UNITS * 100.0).round() as f32 / 100.0
}

fn edges(start: f32, sizes: impl Iterator<Item = f32>) -> Vec<(f32, f32)> {
    let mut at = start;
    let step = |size: f32| {
        let from = at;
        at += size;
        (from, at)
    };
    sizes.map(step).collect()
}
