//! Lists of open documents.

use super::style::LEVELS;
use super::{Open, style::Styles};
use crate::office::count::Style as Count;
use crate::office::xml::Node;
use std::collections::HashMap;
use tabletalk_core::Result;

/// The lists that are open, and how far lists have counted.
#[derive(Default)]
pub(super) struct Lists {
    /// The style of the outermost list.
    style: String,
    depth: usize,
    /// How far each style has counted.
    counts: HashMap<String, [Option<u32>; LEVELS]>,
    /// What is written before the next text.
    label: String,
}

impl Lists {
    /// How deep the open item stands; 0 outside of lists.
    pub(super) fn depth(&self) -> u8 {
        self.depth.min(250) as u8
    }
    /// What is written before the text of the open item; once.
    pub(super) fn label(&mut self) -> String {
        std::mem::take(&mut self.label)
    }
    /// Sets the lists aside, for what stands in a box or a cell.
    pub(super) fn aside(&mut self) -> Lists {
        let counts = std::mem::take(&mut self.counts);
        std::mem::replace(self, Lists { counts, ..Lists::default() })
    }
    /// Takes up the lists that were set aside.
    pub(super) fn back(&mut self, mut lists: Lists) {
        lists.counts = std::mem::take(&mut self.counts);
        *self = lists;
    }

    fn count(&mut self, styles: &Styles, start: Option<u32>) {
        let at = self.depth.saturating_sub(1).min(LEVELS - 1);
        let counts = self.counts.entry(self.style.clone()).or_default();
        counts.iter_mut().skip(at + 1).for_each(|c| *c = None);
        let Some(level) = styles.level(&self.style, at) else { return };
        let Some(style) = level.count.filter(|c| *c != Count::Bullet) else { return };
        let Some(count) = counts.get_mut(at) else { return };
        let n = start.unwrap_or_else(|| count.map_or(level.start, |n| n.saturating_add(1)));
        *count = Some(n);
        let first = (at + 1).saturating_sub(level.shown);
        let mut numbers = Vec::new();
        for (i, count) in counts.iter().enumerate().take(at).skip(first) {
            let style = styles.level(&self.style, i).and_then(|l| l.count);
            numbers.extend(style.map(|s| s.write(count.unwrap_or(1))));
        }
        numbers.push(style.write(n));
        self.label = format!("{}{}{} ", level.before, numbers.join("."), level.after);
    }
}

impl Open<'_, '_> {
    /// A list: its items stand one deeper.
    pub(super) fn list(&mut self, node: &Node) -> Result<()> {
        self.items(node, &mut |open, item| open.blocks(item))
    }

    /// Does something with every item of a list, counting them.
    pub(super) fn items<'n>(
        &mut self,
        node: &'n Node,
        act: &mut dyn FnMut(&mut Self, &'n Node) -> Result<()>,
    ) -> Result<()> {
        let outer = self.lists.style.clone();
        if let Some(style) = node.attr("style-name").filter(|_| self.lists.depth == 0) {
            self.lists.style = style.to_owned();
        }
        let goes_on = node.attr("continue-numbering") == Some("true") || node.attr("continue-list").is_some();
        if !goes_on && self.lists.depth == 0 {
            self.lists.counts.remove(&self.lists.style);
        }
        self.lists.depth += 1;
        for item in node.nodes() {
            if item.is("list-item") {
                let start = item.number("start-value").and_then(|n| u32::try_from(n).ok());
                // An item that only holds a deeper list is not counted.
                if item.nodes().any(|n| n.is("p") || n.is("h")) {
                    self.lists.count(&self.styles, start);
                }
            }
            act(self, item)?;
            self.lists.label.clear();
        }
        self.lists.depth -= 1;
        self.lists.style = outer;
        Ok(())
    }
}
