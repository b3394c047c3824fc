//! What a slide takes from its layout and master: where placeholders stand and which texts have bullets.

use super::shape::{self, Holder};
use crate::office::count::Style;
use crate::office::xml::Node;

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
    tree.nodes().find(|n| shape::holder(n).is_some_and(|h| is(&h)))
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
