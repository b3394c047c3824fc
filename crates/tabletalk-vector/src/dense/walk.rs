//! Walking a graph towards a query.

use super::rows::{Row, Rows};
use crate::top::{Scored, Top};
use std::collections::BinaryHeap;

/// Stands where there is no link.
pub(super) const NONE: u32 = u32::MAX;

/// Layers of rows and their links. The lowest holds every row; each above holds a part of the one below. Within a layer
/// rows go by their place in it, and places are in the order of rows.
pub(super) trait Layers {
    /// How many layers there are.
    fn height(&self) -> usize;
    /// How many rows a layer holds.
    fn count(&self, layer: usize) -> usize;
    /// The row at a place.
    fn row(&self, layer: usize, place: u32) -> Option<u32>;
    /// The place of a row.
    fn place(&self, layer: usize, row: u32) -> Option<u32>;
    /// Puts the places that a place is linked to into `out`.
    fn links(&self, layer: usize, place: u32, out: &mut Vec<u32>);
}

/// What a walk writes on, kept from one walk to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    seen: Vec<u64>,
    touched: Vec<u32>,
    open: BinaryHeap<Scored<u32>>,
    links: Vec<u32>,
}

impl Scratch {
    /// Makes it ready for a layer of `count` places.
    fn reset(&mut self, count: usize) {
        for word in self.touched.drain(..) {
            if let Some(word) = self.seen.get_mut(word as usize) {
                *word = 0;
            }
        }
        if self.seen.len() * 64 < count {
            self.seen.resize(count.div_ceil(64), 0);
        }
        self.open.clear();
    }

    /// Whether a place is seen for the first time.
    fn is_new(&mut self, place: u32) -> bool {
        let at = place / 64;
        let Some(word) = self.seen.get_mut(at as usize) else { return false };
        if *word == 0 {
            self.touched.push(at);
        }
        let bit = 1 << (place % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}

/// One walk: what it compares, how wide it looks and when it stops.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a, L> {
    pub(super) layers: &'a L,
    pub(super) codes: &'a Rows,
    pub(super) query: Row<'a>,
    /// How many of the best it keeps.
    pub(super) wide: usize,
    /// How many rows it may compare.
    pub(super) budget: usize,
}

impl<L: Layers> Walk<'_, L> {
    fn score(&self, layer: usize, place: u32) -> f32 {
        self.layers.row(layer, place).map_or(f32::MIN, |row| self.codes.score(self.query, row))
    }

    /// The best place of `layer` that steps from `start` lead to, each step to a better one.
    pub(super) fn descend(&self, layer: usize, start: u32, scratch: &mut Scratch) -> u32 {
        let (mut best, mut score) = (start, self.score(layer, start));
        loop {
            let from = best;
            self.layers.links(layer, from, &mut scratch.links);
            for place in &scratch.links {
                let other = self.score(layer, *place);
                if other > score {
                    (best, score) = (*place, other);
                }
            }
            if best == from {
                return best;
            }
        }
    }

    /// The places of `layer` nearest to the query whose row `passes`, best first. None when the budget is spent.
    pub(super) fn spread(
        &self,
        layer: usize,
        start: u32,
        scratch: &mut Scratch,
        passes: &dyn Fn(u32) -> bool,
    ) -> Option<Vec<Scored<u32>>> {
        scratch.reset(self.layers.count(layer));
        let mut best = Top::new(self.wide);
        let mut compared = 0;
        let mut links = vec![start];
        loop {
            links.retain(|place| scratch.is_new(*place));
            self.warm(layer, &links);
            compared += links.len();
            for place in &links {
                let score = self.score(layer, *place);
                if best.is_full() && best.worst().is_some_and(|worst| score <= worst) {
                    continue;
                }
                scratch.open.push(Scored { score, at: *place });
                if self.layers.row(layer, *place).is_some_and(passes) {
                    best.push(score, *place);
                }
            }
            if compared > self.budget {
                return None;
            }
            match scratch.open.pop() {
                Some(next) if !(best.is_full() && best.worst().is_some_and(|worst| next.score < worst)) => {
                    self.layers.links(layer, next.at, &mut links);
                }
                _ => return Some(best.into_sorted()),
            }
        }
    }

    /// Touches the rows about to be compared, so that memory brings them while the first is still being compared.
    fn warm(&self, layer: usize, places: &[u32]) {
        let mut sum = 0u8;
        for place in places {
            if let Some(bytes) = self.layers.row(layer, *place).and_then(|row| self.codes.bytes(row)) {
                sum ^= bytes.first().copied().unwrap_or(0) ^ bytes.get(bytes.len() / 2).copied().unwrap_or(0);
            }
        }
        std::hint::black_box(sum);
    }
}
