//! What speaks for a column: that it is asked for, or that rows are picked by it.

use super::view::View;
use super::{id, nearest, share, steps};
use crate::cue::Cue;
use crate::mask::{Mask, first};

impl View<'_> {
    pub(super) fn asked(&self, ask: u64, column: usize) -> Vec<u32> {
        let Some(named) = self.found.names.get(column) else { return Vec::new() };
        let (sort, share_step) = (self.sort(column), share(named.share));
        let is_best = u64::from(named.share > 0.0 && named.share >= self.best_share);
        let head = self.head.and_then(|h| self.stems.get(h)).copied().unwrap_or(0);
        let head_named = u64::from(self.head.is_some_and(|h| named.mask >> h & 1 == 1));
        let place = first(named.mask & !self.whole).map_or(9, |p| steps(p.abs_diff(self.head.unwrap_or(0))));
        let mut ids = vec![
            id(10, &[ask, share_step]),
            id(11, &[ask, is_best, share_step, head_named]),
            id(12, &[ask, sort]),
            id(13, &[ask, sort, self.wh]),
            id(14, &[sort, head]),
            id(15, &[ask, place]),
            id(16, &[ask, (column as u64).min(4)]),
            id(17, &[ask, head_named, is_best]),
            id(18, &[self.wh, sort, is_best]),
            id(25, &[ask, self.distance(named.mask)]),
            id(26, &[ask, u64::from(named.mask != 0 && self.is_nearest(named.mask)), share_step]),
            id(19, &[u64::from(column + 1 == self.names.len()), ask]),
        ];
        for stem in self.name(column) {
            ids.push(id(20, &[*stem, self.wh]));
            ids.push(id(21, &[*stem, head]));
            ids.push(id(22, &[*stem, ask]));
            ids.extend(self.content().map(|w| id(23, &[*stem, w])));
        }
        ids.extend(self.content().map(|w| id(24, &[sort, w, ask])));
        ids
    }

    /// How far a set of words is from the asking words.
    fn distance(&self, mask: Mask) -> u64 {
        if mask == 0 { 9 } else { steps(nearest(mask, self.asks)) }
    }

    /// Whether no other column is named nearer to the asking words.
    fn is_nearest(&self, mask: Mask) -> bool {
        let own = nearest(mask & !self.whole, self.asks);
        self.found
            .names
            .iter()
            .filter(|n| n.share > 0.3)
            .all(|n| nearest(n.mask & !self.whole, self.asks) >= own)
    }

    pub(super) fn picked(&self, pick: u64, column: usize) -> Vec<u32> {
        let Some(named) = self.found.names.get(column) else { return Vec::new() };
        let question = &self.found.question;
        let cues = question.cue(Cue::Most) | question.cue(Cue::Least);
        let sort = self.sort(column);
        let measured = self.found.grid.columns.iter().filter(|f| f.is_measured()).count();
        let near = if named.mask == 0 { 9 } else { steps(nearest(cues, named.mask)) };
        let is_best = u64::from(named.share > 0.0 && named.share >= self.best_share);
        let mut ids = vec![
            id(30, &[pick, sort]),
            id(31, &[share(named.share), is_best]),
            id(32, &[near, share(named.share)]),
            id(33, &[steps(measured), is_best]),
            id(34, &[(column as u64).min(4)]),
            id(35, &[u64::from(named.mask & self.whole != 0), is_best]),
        ];
        for (i, word) in self.stems.iter().enumerate().filter(|(i, _)| cues >> i & 1 == 1) {
            ids.push(id(36, &[pick, sort, *word]));
            let next = self.plain.get(i + 1).copied().unwrap_or(0);
            ids.push(id(37, &[sort, next]));
            for stem in self.name(column) {
                ids.push(id(38, &[*stem, *word]));
                ids.push(id(39, &[*stem, next]));
            }
        }
        for stem in self.name(column) {
            ids.extend(self.content().map(|w| id(40, &[*stem, w])));
        }
        ids
    }
}
