//! The lists of a page, and what is a note on it.

use scraper::node::Element;

/// No item stands deeper.
const MAX_DEPTH: usize = 250;

/// The lists that are open.
#[derive(Default)]
pub(super) struct Lists {
    open: Vec<List>,
    /// How many items are open.
    items: usize,
}

struct List {
    /// The number of the next item, where items are numbered.
    next: Option<i64>,
    /// What is written before the text of the item that is open.
    label: String,
}

impl Lists {
    /// A list or an item begins.
    pub(super) fn open(&mut self, e: &Element) {
        let number = |key: &str| e.attr(key).and_then(|v| v.trim().parse::<i64>().ok());
        if e.name() != "li" {
            let next = (e.name() == "ol").then(|| number("start").unwrap_or(1));
            self.open.push(List { next, label: String::new() });
            return;
        }
        self.items += 1;
        let Some(list) = self.open.last_mut() else { return };
        if let Some(next) = &mut list.next {
            let own = number("value").unwrap_or(*next);
            list.label = format!("{own}. ");
            *next = own.saturating_add(1);
        }
    }
    /// A list or an item ends.
    pub(super) fn close(&mut self, e: &Element) {
        if e.name() == "li" {
            self.items = self.items.saturating_sub(1);
        } else {
            self.open.pop();
        }
    }
    /// How deep the open item stands, and what is written before its first text.
    pub(super) fn item(&mut self) -> Option<(u8, String)> {
        if self.items == 0 {
            return None;
        }
        let depth = self.open.len().clamp(1, MAX_DEPTH) as u8;
        Some((depth, self.open.last_mut().map(|l| std::mem::take(&mut l.label)).unwrap_or_default()))
    }
}

/// Whether an element is a footnote, by its role, its kind in books, or its class.
pub(super) fn is_note(e: &Element) -> bool {
    const KINDS: &[&str] = &["footnote", "endnote", "rearnote", "doc-footnote", "doc-endnote"];
    let kinds = [e.attr("role"), e.attr("epub:type"), e.attr("class")];
    let marked = kinds.into_iter().flatten().flat_map(str::split_whitespace).any(|w| KINDS.contains(&w));
    // A link to a note is none.
    marked && !matches!(e.name(), "a" | "sup" | "span")
}
