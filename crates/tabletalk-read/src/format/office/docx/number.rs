//! The numbers of lists and headings, counted as the word processor does.

use crate::format::office::count::Style;
use crate::format::office::xml::Node;
use std::collections::HashMap;

/// Lists have nine levels.
const LEVELS: usize = 9;

/// A level of a list.
#[derive(Debug, Clone, Default)]
struct Level {
    start: u32,
    style: Style,
    /// How a number is written: `%1.%2`.
    text: String,
    /// The paragraph style that stands at this level.
    of_style: Option<String>,
    /// All numbers in digits, whatever their own levels say.
    legal: bool,
}

/// What is written before an item.
#[derive(Debug, PartialEq)]
pub(super) struct Label {
    /// The level from 0.
    pub(super) level: u8,
    /// The number; empty for bullets.
    pub(super) text: String,
}

/// The lists of a document.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// What lists look like.
    forms: HashMap<String, Vec<Level>>,
    /// The lists: their form and what they change in it.
    lists: HashMap<String, List>,
    /// How far each form has counted.
    counts: HashMap<String, [Option<u32>; LEVELS]>,
}

#[derive(Debug, Default)]
struct List {
    form: String,
    starts: HashMap<usize, u32>,
    changed: HashMap<usize, Level>,
    begun: bool,
}

impl Numbers {
    pub(super) fn of(root: &Node) -> Self {
        let mut numbers = Numbers::default();
        let mut links: HashMap<&str, &str> = HashMap::new();
        let mut linked = Vec::new();
        for node in root.all("abstractNum") {
            let Some(id) = node.attr("abstractNumId") else { continue };
            let mut levels = vec![Level::default(); LEVELS];
            for level in node.all("lvl") {
                if let Some(slot) = index(level).and_then(|at| levels.get_mut(at)) {
                    *slot = Level::of(level);
                }
            }
            links.extend(node.value("styleLink").map(|style| (style, id)));
            linked.extend(node.value("numStyleLink").map(|style| (id, style)));
            numbers.forms.insert(id.to_owned(), levels);
        }
        for (id, style) in linked {
            if let Some(levels) = links.get(style).and_then(|form| numbers.forms.get(*form)).cloned() {
                numbers.forms.insert(id.to_owned(), levels);
            }
        }
        for node in root.all("num") {
            if let (Some(id), Some(form)) = (node.attr("numId"), node.value("abstractNumId")) {
                numbers.lists.insert(id.to_owned(), List::of(node, form));
            }
        }
        numbers
    }

    /// The level at which paragraphs of a style stand in a list.
    pub(super) fn level_of(&self, list: &str, style: &str) -> Option<u8> {
        let form = self.forms.get(&self.lists.get(list)?.form)?;
        form.iter().position(|l| l.of_style.as_deref() == Some(style)).map(|at| at as u8)
    }

    /// Counts an item of a list; `None` when the paragraph is in no list after all.
    pub(super) fn next(&mut self, list: &str, level: u8) -> Option<Label> {
        let at = (level as usize).min(LEVELS - 1);
        let list = self.lists.get_mut(list)?;
        let form = self.forms.get(&list.form)?;
        let counts = self.counts.entry(list.form.clone()).or_default();
        if !list.begun {
            list.begun = true;
            for level in list.starts.keys() {
                counts.iter_mut().skip(*level).for_each(|c| *c = None);
            }
        }
        let level_at = |i: usize| list.changed.get(&i).or_else(|| form.get(i));
        let start =
            |i: usize| list.starts.get(&i).copied().or_else(|| level_at(i).map(|l| l.start)).unwrap_or(1);
        for (i, count) in counts.iter_mut().enumerate() {
            match i.cmp(&at) {
                std::cmp::Ordering::Less => *count = Some(count.unwrap_or_else(|| start(i))),
                std::cmp::Ordering::Equal => {
                    *count = Some(count.map_or_else(|| start(i), |n| n.saturating_add(1)))
                }
                std::cmp::Ordering::Greater => *count = None,
            }
        }
        let own = level_at(at)?;
        let style = |i: usize| {
            if own.legal { Style::Decimal } else { level_at(i).map(|l| l.style).unwrap_or_default() }
        };
        let text = if own.style == Style::Bullet && !own.text.contains('%') {
            String::new()
        } else {
            written(&own.text, counts, style)
        };
        Some(Label { level: at as u8, text })
    }
}

/// Puts the numbers into `%1.%2`.
fn written(text: &str, counts: &[Option<u32>; LEVELS], style: impl Fn(usize) -> Style) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let level = chars.peek().and_then(|d| d.to_digit(10)).filter(|d| c == '%' && *d > 0);
        match level {
            Some(level) => {
                chars.next();
                let at = level as usize - 1;
                let n = counts.get(at).copied().flatten().unwrap_or(1);
                out.push_str(&style(at).write(n));
            }
            None => out.push(c),
        }
    }
    out.trim().to_owned()
}

fn index(node: &Node) -> Option<usize> {
    node.attr("ilvl")?.trim().parse().ok()
}

impl Level {
    fn of(node: &Node) -> Level {
        Level {
            start: node.value("start").and_then(|v| v.parse().ok()).unwrap_or(1),
            style: node.value("numFmt").map(Style::of_word).unwrap_or_default(),
            text: node.value("lvlText").unwrap_or_default().to_owned(),
            of_style: node.value("pStyle").map(str::to_owned),
            legal: node.switch("isLgl").unwrap_or(false),
        }
    }
}

impl List {
    fn of(node: &Node, form: &str) -> List {
        let mut list = List { form: form.to_owned(), ..List::default() };
        for change in node.all("lvlOverride") {
            let Some(at) = index(change).filter(|at| *at < LEVELS) else { continue };
            if let Some(start) = change.value("startOverride").and_then(|v| v.parse().ok()) {
                list.starts.insert(at, start);
            }
            if let Some(level) = change.child("lvl") {
                list.changed.insert(at, Level::of(level));
            }
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::office::xml;

    #[test]
    fn counts_levels_and_starts_again() {
        let xml = "<numbering><abstractNum abstractNumId='0'>
            <lvl ilvl='0'><start val='1'/><numFmt val='decimal'/><lvlText val='%1.'/></lvl>
            <lvl ilvl='1'><start val='1'/><numFmt val='lowerLetter'/><lvlText val='%1.%2)'/></lvl></abstractNum>
            <abstractNum abstractNumId='1'><lvl ilvl='0'><numFmt val='bullet'/><lvlText val='x'/></lvl></abstractNum>
            <num numId='5'><abstractNumId val='0'/></num><num numId='7'><abstractNumId val='1'/></num>
            <num numId='6'><abstractNumId val='0'/><lvlOverride ilvl='0'><startOverride val='4'/></lvlOverride></num>
            </numbering>";
        let mut numbers = Numbers::of(&xml::parse(xml.as_bytes()).unwrap().root);
        let mut next = |list: &str, level| numbers.next(list, level).map(|l| l.text);
        let found: Vec<_> =
            [("5", 0), ("5", 1), ("5", 1), ("5", 0), ("5", 1), ("6", 0), ("6", 0), ("7", 0), ("9", 0)]
                .iter()
                .map(|(list, level)| next(list, *level).unwrap_or_else(|| "-".into()))
                .collect();
        assert_eq!(found, ["1.", "1.a)", "1.b)", "2.", "2.a)", "4.", "5.", "", "-"]);
    }
}
