//! The paragraphs of a shape.

use super::shape::Holder;
use super::shape::{Bullet, Look, bullet, bullet_at};
use crate::format::office::math;
use crate::format::office::xml::{Node, chosen};

#[derive(Debug, PartialEq)]
pub(super) struct Paragraph {
    pub(super) text: String,
    /// How deep it stands in a list, from 1; `None` when it is no item.
    pub(super) depth: Option<u8>,
    pub(super) bold: bool,
}

/// The paragraphs of a body of text that are not empty.
pub(super) fn paragraphs(body: &Node, holder: Option<&Holder>, look: &Look) -> Vec<Paragraph> {
    let is_body = holder.is_some_and(|h| matches!(h.kind(), "body" | "obj" | ""));
    let mut lists: Vec<&Node> = body.child("lstStyle").into_iter().collect();
    let behind = holder.iter().flat_map(|h| look.behind(h));
    lists.extend(behind.filter_map(|n| n.path(&["txBody", "lstStyle"])));
    if is_body {
        lists.extend(look.body_style());
    }
    let mut counts = Counts::default();
    let mut out = Vec::new();
    for p in body.all("p") {
        let mut text = String::new();
        inlines(p, &mut text);
        if text.trim().is_empty() {
            continue;
        }
        let properties = p.child("pPr");
        let level = properties.and_then(|n| n.number("lvl")).unwrap_or(0).clamp(0, 8) as u8;
        let own = properties.and_then(bullet);
        let found = own.or_else(|| lists.iter().find_map(|list| bullet_at(list, level)));
        // Without a master to ask, the text of a body is a list.
        let usual = if is_body { Bullet::Mark } else { Bullet::None };
        let bullet = found.unwrap_or(usual);
        let depth = (bullet != Bullet::None).then_some(level + 1);
        let text = format!("{}{}", counts.label(&bullet, level), text.trim());
        out.push(Paragraph { text, depth, bold: is_bold(p) });
    }
    out
}

/// How far each level has counted.
#[derive(Default)]
struct Counts([Option<u32>; 9]);

impl Counts {
    fn label(&mut self, bullet: &Bullet, level: u8) -> String {
        let at = level as usize;
        self.0.iter_mut().skip(at + 1).for_each(|c| *c = None);
        let Some(count) = self.0.get_mut(at) else { return String::new() };
        match bullet {
            Bullet::Number(style, start, before, after) => {
                let n = count.map_or(*start, |n| n.saturating_add(1));
                *count = Some(n);
                format!("{before}{}{after} ", style.write(n))
            }
            _ => {
                *count = None;
                String::new()
            }
        }
    }
}

/// All text of a body, one line a paragraph.
pub(super) fn plain(body: &Node) -> String {
    let mut out = String::new();
    for p in body.all("p") {
        if !out.is_empty() {
            out.push('\n');
        }
        inlines(p, &mut out);
    }
    out
}

/// Whether all text of a paragraph is bold.
fn is_bold(p: &Node) -> bool {
    let mut runs = p.all("r").peekable();
    let bold = |r: &Node| r.child("rPr").is_some_and(|p| matches!(p.attr("b"), Some("1" | "true")));
    runs.peek().is_some() && runs.all(bold)
}

fn inlines(node: &Node, out: &mut String) {
    for child in node.nodes() {
        match child.name() {
            "r" => out.push_str(&child.child("t").map(Node::text).unwrap_or_default()),
            "br" => out.push('\n'),
            "tab" => out.push('\t'),
            "fld" if child.attr("type") != Some("slidenum") => {
                out.push_str(&child.child("t").map(Node::text).unwrap_or_default());
            }
            "AlternateContent" => {
                if let Some(chosen) = chosen(child) {
                    inlines(chosen, out);
                }
            }
            "m" | "oMath" | "oMathPara" => out.push_str(&math::text(child)),
            _ => {}
        }
    }
}
