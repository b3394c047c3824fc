//! The styles of an open document.

use crate::format::office::count::Style as Count;
use crate::format::office::docx::style::{Role, role_of};
use crate::format::office::xml::Node;
use std::collections::HashMap;

/// Styles that are based on each other in a circle end here.
const MAX_CHAIN: usize = 20;
/// Lists have ten levels.
pub(super) const LEVELS: usize = 10;

/// The styles by their names.
#[derive(Debug, Default)]
pub(super) struct Styles {
    texts: HashMap<String, Style>,
    lists: HashMap<String, Vec<Level>>,
}

#[derive(Debug, Default)]
struct Style {
    name: String,
    parent: Option<String>,
    outline: Option<u8>,
    hidden: bool,
    bold: bool,
}

/// How a level of a list is numbered.
#[derive(Debug, Clone, Default)]
pub(super) struct Level {
    pub(super) count: Option<Count>,
    pub(super) start: u32,
    pub(super) before: String,
    pub(super) after: String,
    /// How many levels are written.
    pub(super) shown: usize,
}

impl Styles {
    /// From the parts that hold styles; the later part wins.
    pub(super) fn of<'n>(parts: impl Iterator<Item = &'n Node>) -> Self {
        let mut styles = Styles::default();
        for folder in parts.flat_map(Node::nodes).filter(|n| n.is("styles") || n.is("automatic-styles")) {
            for node in folder.nodes() {
                let Some(name) = node.attr("name") else { continue };
                match node.name() {
                    "style" => drop(styles.texts.insert(name.to_owned(), Style::of(node, name))),
                    "list-style" => drop(styles.lists.insert(name.to_owned(), levels(node))),
                    _ => {}
                }
            }
        }
        styles
    }
    fn chain<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s Style> {
        let mut next = self.texts.get(name);
        let step = move || {
            let style = next?;
            next = style.parent.as_ref().and_then(|name| self.texts.get(name));
            Some(style)
        };
        std::iter::from_fn(step).take(MAX_CHAIN)
    }
    /// What a paragraph of a style is.
    pub(super) fn role(&self, name: &str) -> Role {
        if let Some(level) = self.chain(name).find_map(|s| s.outline).filter(|l| *l > 0) {
            return Role::Heading(level.min(9));
        }
        let named = self.chain(name).map(|s| role(&s.name)).find(|r| *r != Role::Plain);
        named.unwrap_or_else(|| role(name))
    }
    /// Whether text of a style is hidden.
    pub(super) fn is_hidden(&self, name: &str) -> bool {
        self.chain(name).any(|s| s.hidden)
    }
    /// Whether text of a style is bold.
    pub(super) fn is_bold(&self, name: &str) -> bool {
        self.chain(name).any(|s| s.bold)
    }
    /// A level, counted from 0, of a style of lists.
    pub(super) fn level(&self, list: &str, at: usize) -> Option<&Level> {
        self.lists.get(list)?.get(at)
    }
}

/// Blanks in names are written as `_20_`.
fn role(name: &str) -> Role {
    match name.replace("_20_", " ").as_str() {
        // What captions of tables are called; `Text` and `Drawing` are too common to tell.
        "Table" | "Illustration" | "Figure" => Role::Caption,
        name => match role_of(name) {
            // A paragraph that looks like a list is only in one when it stands in one.
            Role::Item(_) => Role::Plain,
            role => role,
        },
    }
}

impl Style {
    fn of(node: &Node, name: &str) -> Style {
        let text = node.child("text-properties");
        Style {
            name: name.to_owned(),
            parent: node.attr("parent-style-name").map(str::to_owned),
            outline: node.attr("default-outline-level").and_then(|v| v.parse().ok()),
            hidden: text.is_some_and(|t| t.attr("display") == Some("none")),
            bold: text.is_some_and(|t| t.attr("font-weight") == Some("bold")),
        }
    }
}

fn levels(node: &Node) -> Vec<Level> {
    let mut levels = vec![Level::default(); LEVELS];
    for child in node.nodes() {
        let at = child.number("level").and_then(|n| usize::try_from(n.checked_sub(1)?).ok());
        let Some(slot) = at.and_then(|at| levels.get_mut(at)) else { continue };
        let text = |key: &str| child.attr(key).unwrap_or_default().to_owned();
        let is_number = child.is("list-level-style-number");
        *slot = Level {
            count: is_number.then(|| Count::of_sign(&text("num-format"))),
            start: child.number("start-value").and_then(|n| u32::try_from(n).ok()).unwrap_or(1),
            before: text("num-prefix"),
            after: text("num-suffix"),
            shown: child.number("display-levels").unwrap_or(1).clamp(1, LEVELS as i64) as usize,
        };
    }
    levels
}
