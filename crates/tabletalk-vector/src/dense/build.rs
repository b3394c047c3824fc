//! Linking rows into a graph, many at a time.

use super::Hnsw;
use super::graph::{CONNECTIVITY, Graph, MAGIC};
use super::rows::{Row, Rows};
use super::walk::{Layers, NONE, Scratch, Walk};
use crate::top::Scored;
use rayon::prelude::*;
use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use tabletalk_core::Result;

/// Locks that the places share: the links of a place are changed by one thread at a time.
const LOCKS: usize = 4096;

/// A layer whose links are being made.
struct Layer {
    rows: Vec<u32>,
    links: Vec<AtomicU32>,
    count: usize,
    width: usize,
}

/// A graph that is being made.
pub(super) struct Building<'a> {
    codes: &'a Rows,
    connectivity: usize,
    wide: usize,
    layers: Vec<Layer>,
    locks: Vec<Mutex<()>>,
}

/// The graph `old`, or an empty one, with all of `codes` in it.
pub(super) fn extend<'a>(old: Option<&Graph>, codes: &'a Rows, hnsw: &Hnsw) -> Building<'a> {
    let wanted = (hnsw.connectivity.min(1 << 20) as u32).clamp(*CONNECTIVITY.start(), *CONNECTIVITY.end());
    let connectivity = old.map_or(wanted as usize, Graph::connectivity);
    let locks = (0..LOCKS).map(|_| Mutex::new(())).collect();
    let wide = hnsw.expansion_add.max(connectivity);
    let mut graph = Building { codes, connectivity, wide, layers: Vec::new(), locks };
    let (first, last) = (old.map_or(0, Graph::len) as u32, codes.len() as u32);
    graph.make_room(old, first..last);
    graph.insert_all(old, first..last);
    graph
}

/// The highest layer a row is in. It depends on the row alone, so that a graph built twice has the same layers.
fn level(row: u32, connectivity: usize) -> usize {
    let mut x = u64::from(row).wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    let share = ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
    (-share.max(1e-12).ln() / (connectivity as f64).ln()) as usize
}

impl Building<'_> {
    /// Copies the layers of `old` and makes room for the links of the new rows.
    fn make_room(&mut self, old: Option<&Graph>, new: std::ops::Range<u32>) {
        let highest = new.clone().map(|row| level(row, self.connectivity)).max().unwrap_or(0);
        let height = old.map_or(0, |old| old.height()).max(highest + 1);
        for at in 0..height {
            let (rows, links) = old.map_or((&[][..], &[][..]), |old| old.layer(at));
            let mut rows = rows.to_vec();
            if at > 0 {
                rows.extend(new.clone().filter(|row| level(*row, self.connectivity) >= at));
            }
            let count = if at == 0 { new.end as usize } else { rows.len() };
            let width = self.connectivity * if at == 0 { 2 } else { 1 };
            let mut links: Vec<AtomicU32> = links.iter().map(|link| AtomicU32::new(*link)).collect();
            links.resize_with(count * width, || AtomicU32::new(NONE));
            self.layers.push(Layer { rows, links, count, width });
        }
    }

    /// Links the new rows, first of all the one that every walk begins at.
    fn insert_all(&self, old: Option<&Graph>, new: std::ops::Range<u32>) {
        let top = self.height() - 1;
        let Some(entry) = self.row(top, 0) else { return };
        if let Some(old) = old.filter(|_| new.contains(&entry)) {
            let from = old.height() - 1;
            let begin = old.row(from, 0).and_then(|row| self.place(from, row));
            self.insert(entry, from, begin.unwrap_or(0), &mut Scratch::default());
        }
        new.into_par_iter().filter(|row| *row != entry).for_each_init(Scratch::default, |scratch, row| {
            self.insert(row, top, 0, scratch);
        });
    }

    /// Links one row, walking from place `begin` of layer `from`.
    fn insert(&self, row: u32, from: usize, begin: u32, scratch: &mut Scratch) {
        let Some(query) = self.codes.row(row) else { return };
        let walk = Walk { layers: self, codes: self.codes, query, wide: self.wide, budget: usize::MAX };
        let own = level(row, self.connectivity);
        let (mut place, mut chosen) = (begin, Vec::new());
        for layer in (0..=from).rev() {
            if layer > own {
                place = walk.descend(layer, place, scratch);
            } else {
                let found = walk.spread(layer, place, scratch, &|other| other != row).unwrap_or_default();
                place = found.first().map_or(place, |best| best.at);
                chosen.push((layer, self.choose(layer, &found, self.connectivity)));
            }
            if layer > 0 {
                let below = self.row(layer, place).and_then(|row| self.place(layer - 1, row));
                place = below.unwrap_or(0);
            }
        }
        // From the lowest layer up: who meets the row in one layer must find it linked in those below.
        for (layer, links) in chosen.into_iter().rev() {
            self.publish(layer, row, &links);
        }
    }

    /// Of places by their score, best first, those that none already chosen is nearer to: links in all directions.
    fn choose(&self, layer: usize, found: &[Scored<u32>], most: usize) -> Vec<u32> {
        let mut chosen: Vec<(u32, Row<'_>)> = Vec::with_capacity(most);
        for one in found {
            if chosen.len() == most {
                break;
            }
            let Some(row) = self.row(layer, one.at).and_then(|row| self.codes.row(row)) else { continue };
            if chosen.iter().all(|(_, other)| self.codes.code.score(row, *other) < one.score) {
                chosen.push((one.at, row));
            }
        }
        chosen.into_iter().map(|(place, _)| place).collect()
    }

    /// Gives a row its links, then links those back to it.
    fn publish(&self, layer: usize, row: u32, links: &[u32]) {
        let Some(place) = self.place(layer, row) else { return };
        self.with_lock(layer, place, || self.store(layer, place, links));
        for other in links {
            self.with_lock(layer, *other, || self.link_back(layer, *other, place));
        }
    }

    /// Links `place` to `to`; when it has no room, it keeps the best choice of all.
    fn link_back(&self, layer: usize, place: u32, to: u32) {
        let mut links = Vec::new();
        self.links(layer, place, &mut links);
        if links.contains(&to) {
            return;
        }
        links.push(to);
        let Some(at) = self.layers.get(layer) else { return };
        if links.len() > at.width {
            links = self.choose(layer, &self.by_score(layer, place, &links), at.width);
        }
        self.store(layer, place, &links);
    }

    /// Places by how near they are to `place`, nearest first.
    fn by_score(&self, layer: usize, place: u32, others: &[u32]) -> Vec<Scored<u32>> {
        let row = |place| self.row(layer, place).and_then(|row| self.codes.row(row));
        let Some(own) = row(place) else { return Vec::new() };
        let score = |at: &u32| Some(Scored { score: self.codes.code.score(own, row(*at)?), at: *at });
        let mut scored: Vec<Scored<u32>> = others.iter().filter_map(score).collect();
        scored.sort_unstable_by(|a, b| b.cmp(a));
        scored
    }

    fn store(&self, layer: usize, place: u32, links: &[u32]) {
        let links = links.iter().copied().chain(std::iter::repeat(NONE));
        self.slots(layer, place).iter().zip(links).for_each(|(slot, link)| slot.store(link, Relaxed));
    }

    fn slots(&self, layer: usize, place: u32) -> &[AtomicU32] {
        let Some(layer) = self.layers.get(layer) else { return &[] };
        let from = place as usize * layer.width;
        layer.links.get(from..from + layer.width).unwrap_or_default()
    }

    fn with_lock(&self, layer: usize, place: u32, change: impl FnOnce()) {
        let lock = self.locks.get((place as usize + layer * 31) % LOCKS);
        let _guard = lock.map(|lock| lock.lock().unwrap_or_else(PoisonError::into_inner));
        change();
    }

    /// Writes the graph as it is opened.
    pub(super) fn write(&self, w: &mut dyn Write) -> Result<()> {
        let mut head = MAGIC.to_vec();
        head.extend([self.layers.len() as u32, self.connectivity as u32]);
        head.extend(self.layers.iter().map(|layer| layer.count as u32));
        w.write_all(bytemuck::cast_slice(&head))?;
        for layer in &self.layers {
            w.write_all(bytemuck::cast_slice(&layer.rows))?;
            for links in layer.links.chunks(1 << 14) {
                let links: Vec<u32> = links.iter().map(|link| link.load(Relaxed)).collect();
                w.write_all(bytemuck::cast_slice(&links))?;
            }
        }
        Ok(())
    }
}

impl Layers for Building<'_> {
    fn height(&self) -> usize {
        self.layers.len()
    }

    fn count(&self, layer: usize) -> usize {
        self.layers.get(layer).map_or(0, |layer| layer.count)
    }

    fn row(&self, layer: usize, place: u32) -> Option<u32> {
        match layer {
            0 => Some(place),
            _ => self.layers.get(layer)?.rows.get(place as usize).copied(),
        }
    }

    fn place(&self, layer: usize, row: u32) -> Option<u32> {
        match layer {
            0 => Some(row),
            _ => self.layers.get(layer)?.rows.binary_search(&row).ok().map(|place| place as u32),
        }
    }

    fn links(&self, layer: usize, place: u32, out: &mut Vec<u32>) {
        out.clear();
        let links = self.slots(layer, place).iter().map(|slot| slot.load(Relaxed));
        out.extend(links.take_while(|link| *link != NONE));
    }
}
