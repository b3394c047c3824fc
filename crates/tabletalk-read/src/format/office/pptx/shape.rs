//! The shapes of a slide: what they are and where they stand.

use crate::format::office::count::Style;
use crate::format::office::xml::{Node, chosen};

/// Lengths are kept in units of which a point has so many.
const UNITS: f64 = 12_700.0;

/// A place that the layout holds open.
#[derive(Debug, PartialEq)]
pub(super) struct Holder {
    kind: String,
    index: Option<String>,
}

impl Holder {
    /// What it holds: `title`, `body`.
    pub(super) fn kind(&self) -> &str {
        &self.kind
    }
    /// Whether it is the same place on another layer: of the same index, or else of the same kind.
    pub(super) fn is_like(&self, other: &Holder) -> bool {
        match (&self.index, &other.index) {
            (Some(a), Some(b)) => a == b,
            _ => self.is_kind_of(other),
        }
    }
    /// Whether it holds the same kind of thing.
    pub(super) fn is_kind_of(&self, other: &Holder) -> bool {
        let plain = |h: &Holder| match h.kind.as_str() {
            "ctrTitle" => "title".to_owned(),
            "obj" | "subTitle" | "" | "tbl" | "chart" | "pic" => "body".to_owned(),
            kind => kind.to_owned(),
        };
        plain(self) == plain(other)
    }
    /// Whether it is the title of the slide.
    pub(super) fn is_title(&self) -> bool {
        matches!(self.kind.as_str(), "title" | "ctrTitle")
    }
    /// Whether it is on every slide: its number, the date, header and footer.
    pub(super) fn is_frame(&self) -> bool {
        matches!(self.kind.as_str(), "sldNum" | "dt" | "ftr" | "hdr" | "sldImg")
    }
}

/// A shape of a slide.
pub(super) struct Shape<'n> {
    pub(super) node: &'n Node,
    pub(super) holder: Option<Holder>,
    /// Left, top, right, bottom in points.
    pub(super) bbox: Option<[f32; 4]>,
}

/// How the inside of a group is moved and stretched.
#[derive(Clone, Copy)]
struct Frame {
    scale: [f64; 2],
    shift: [f64; 2],
}

const WHOLE: Frame = Frame { scale: [1.0, 1.0], shift: [0.0, 0.0] };

/// All shapes of a tree of shapes, those in groups too.
pub(super) fn shapes<'n>(tree: &'n Node, look: &Look) -> Vec<Shape<'n>> {
    let mut out = Vec::new();
    collect(tree, look, WHOLE, &mut out);
    out
}

fn collect<'n>(tree: &'n Node, look: &Look, frame: Frame, out: &mut Vec<Shape<'n>>) {
    for node in tree.nodes() {
        match node.name() {
            "AlternateContent" => {
                if let Some(chosen) = chosen(node) {
                    collect(chosen, look, frame, out);
                }
            }
            _ if is_hidden(node) => {}
            "grpSp" => collect(node, look, inside(node, frame), out),
            "sp" | "pic" | "graphicFrame" => {
                let holder = holder(node);
                let behind = holder.iter().flat_map(|h| look.behind(h));
                let bbox = std::iter::once(node).chain(behind).find_map(corners).map(|c| moved(c, frame));
                out.push(Shape { node, holder, bbox });
            }
            _ => {}
        }
    }
}

/// What a shape says about itself beside its content.
fn own(node: &Node) -> Option<&Node> {
    node.nodes().find(|n| n.name().starts_with("nv"))
}

/// Its name and description.
pub(super) fn names(node: &Node) -> Vec<String> {
    let Some(own) = own(node).and_then(|n| n.child("cNvPr")) else { return Vec::new() };
    let names = ["descr", "title", "name"].iter().filter_map(|k| own.attr(k));
    names.filter(|v| !v.trim().is_empty()).map(str::to_owned).collect()
}

fn is_hidden(node: &Node) -> bool {
    let own = own(node).and_then(|n| n.child("cNvPr"));
    own.is_some_and(|n| matches!(n.attr("hidden"), Some("1" | "true")))
}

/// The place of the layout that a shape fills.
pub(super) fn holder(node: &Node) -> Option<Holder> {
    let ph = own(node)?.path(&["nvPr", "ph"])?;
    let kind = ph.attr("type").unwrap_or_default().to_owned();
    Some(Holder { kind, index: ph.attr("idx").map(str::to_owned) })
}

fn transform(node: &Node) -> Option<&Node> {
    let direct = node.child("xfrm");
    direct.or_else(|| node.nodes().find(|n| matches!(n.name(), "spPr" | "grpSpPr"))?.child("xfrm"))
}

fn pair(node: &Node, name: &str, keys: [&str; 2]) -> Option<[f64; 2]> {
    let node = node.child(name)?;
    let [x, y] = keys.map(|k| node.attr(k).and_then(|v| v.trim().parse::<f64>().ok()));
    Some([x?, y?])
}

/// Left, top, right, bottom in the units of the slide.
fn corners(node: &Node) -> Option<[f64; 4]> {
    let transform = transform(node)?;
    let ([x, y], [w, h]) = (pair(transform, "off", ["x", "y"])?, pair(transform, "ext", ["cx", "cy"])?);
    Some([x, y, x + w, y + h])
}

fn inside(group: &Node, outer: Frame) -> Frame {
    let Some(transform) = transform(group) else { return outer };
    let parts = || {
        let off = pair(transform, "off", ["x", "y"])?;
        let size = pair(transform, "ext", ["cx", "cy"])?;
        Some((off, size, pair(transform, "chOff", ["x", "y"])?, pair(transform, "chExt", ["cx", "cy"])?))
    };
    let Some((off, size, inner_off, inner_size)) = parts() else { return outer };
    let mut frame = outer;
    for (i, (((off, size), inner_off), inner_size)) in
        off.iter().zip(size).zip(inner_off).zip(inner_size).enumerate()
    {
        let scale = if inner_size == 0.0 { 1.0 } else { size / inner_size };
        let (Some(to_scale), Some(to_shift)) = (frame.scale.get_mut(i), frame.shift.get_mut(i)) else {
            continue;
        };
        *to_shift += *to_scale * (off - inner_off * scale);
        *to_scale *= scale;
    }
    frame
}

fn moved(corners: [f64; 4], frame: Frame) -> [f32; 4] {
    let ([sx, sy], [dx, dy]) = (frame.scale, frame.shift);
    let [l, t, r, b] = corners;
    [l * sx + dx, t * sy + dy, r * sx + dx, b * sy + dy].map(|v| (v / UNITS * 100.0).round() as f32 / 100.0)
}

/// A layout and the master behind it.
#[derive(Default)]
pub(super) struct Look {
    pub(super) layout: Option<Node>,
    pub(super) master: Option<Node>,
}

/// What stands before a paragraph.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Bullet {
    /// Nothing.
    None,
    /// The same mark for all.
    Mark,
    /// A number: how it counts, where it starts, what stands before and after it.
    Number(Style, u32, &'static str, &'static str),
}

impl Look {
    /// The placeholders of the layout and the master that a placeholder takes after.
    pub(super) fn behind(&self, holder: &Holder) -> Vec<&Node> {
        let layout = self.layout.as_ref().and_then(|root| holder_in(root, |h| h.is_like(holder)));
        let master = self.master.as_ref().and_then(|root| holder_in(root, |h| h.is_kind_of(holder)));
        layout.into_iter().chain(master).collect()
    }
    /// Where lists of the body are described for all slides.
    pub(super) fn body_style(&self) -> Option<&Node> {
        self.master.as_ref()?.path(&["txStyles", "bodyStyle"])
    }
}

fn holder_in(root: &Node, is: impl Fn(&Holder) -> bool) -> Option<&Node> {
    let tree = root.path(&["cSld", "spTree"])?;
    tree.nodes().find(|n| holder(n).is_some_and(|h| is(&h)))
}

/// The bullet that properties of a paragraph or a level name.
pub(super) fn bullet(properties: &Node) -> Option<Bullet> {
    properties.nodes().find_map(|n| match n.name() {
        "buNone" => Some(Bullet::None),
        "buChar" | "buBlip" => Some(Bullet::Mark),
        "buAutoNum" => Some(number(n)),
        _ => None,
    })
}

fn number(node: &Node) -> Bullet {
    let scheme = node.attr("type").unwrap_or("arabicPeriod");
    let style = match scheme {
        s if s.starts_with("alphaLc") => Style::LowerLetter,
        s if s.starts_with("alphaUc") => Style::UpperLetter,
        s if s.starts_with("romanLc") => Style::LowerRoman,
        s if s.starts_with("romanUc") => Style::UpperRoman,
        s if s.starts_with("circleNum") => Style::Circled,
        s if s.starts_with("ea1") => Style::Chinese,
        _ => Style::Decimal,
    };
    let (before, after) = match scheme {
        s if s.ends_with("ParenBoth") => ("(", ")"),
        s if s.ends_with("ParenR") => ("", ")"),
        s if s.ends_with("Period") => ("", "."),
        _ => ("", ""),
    };
    let start = node.number("startAt").and_then(|n| u32::try_from(n).ok()).unwrap_or(1);
    Bullet::Number(style, start, before, after)
}

/// The bullet that a list style gives to a level counted from 0.
pub(super) fn bullet_at(list: &Node, level: u8) -> Option<Bullet> {
    const LEVELS: [&str; 9] =
        ["lvl1pPr", "lvl2pPr", "lvl3pPr", "lvl4pPr", "lvl5pPr", "lvl6pPr", "lvl7pPr", "lvl8pPr", "lvl9pPr"];
    bullet(list.child(LEVELS.get(level as usize)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::office::xml;

    #[test]
    fn shapes_in_groups_stand_where_they_are_seen() {
        let xml = "<spTree><grpSp><grpSpPr><xfrm><off x='127000' y='0'/><ext cx='254000' cy='127000'/>
            <chOff x='0' y='0'/><chExt cx='127000' cy='127000'/></xfrm></grpSpPr><sp><nvSpPr><cNvPr id='1' name='a'/></nvSpPr>
            <spPr><xfrm><off x='12700' y='12700'/><ext cx='12700' cy='12700'/></xfrm></spPr></sp></grpSp></spTree>";
        let root = xml::parse(xml.as_bytes()).unwrap().root;
        let shapes = shapes(&root, &Look::default());
        assert_eq!(shapes[0].bbox, Some([12.0, 1.0, 14.0, 2.0]));
    }
}
