//! A graph over rows, as it lies in its file: a head, then for each layer its rows and their links.

use super::rows::{Row, Rows};
use super::walk::{Layers, NONE, Scratch, Walk};
use crate::file::broken;
use crate::map::Map;
use crate::top::Scored;
use std::fs::File;
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use tabletalk_core::{Error, Result};

/// The first words of every file: a mark and the version.
pub(super) const MAGIC: [u32; 2] = [u32::from_le_bytes(*b"ttgr"), 1];
/// How many links a new row may get.
pub(super) const CONNECTIVITY: RangeInclusive<u32> = 2..=256;
/// More layers than any graph has.
const MOST_LAYERS: u32 = 32;

/// Where the parts of a layer are in the file, in words of four bytes.
#[derive(Debug, Clone)]
struct Part {
    /// The rows, in order. Empty in the lowest layer, where place and row are the same.
    rows: Range<usize>,
    links: Range<usize>,
    count: usize,
    /// Links of one place.
    width: usize,
}

/// A graph that is searched.
#[derive(Debug)]
pub(super) struct Graph {
    map: Map,
    parts: Vec<Part>,
}

impl Graph {
    /// Opens a graph of `bytes` bytes over `rows` rows.
    pub(super) fn open(path: &Path, bytes: u64, rows: u64) -> Result<Graph> {
        let file = File::open(path).map_err(|e| Error::from(e).at(path.display()))?;
        let map = Map::new(&file, bytes).map_err(|e| broken(path, e.message()))?;
        let words = bytemuck::try_cast_slice(map.bytes()).map_err(|e| broken(path, e))?;
        let parts = parts(words).ok_or_else(|| broken(path, "is not a graph or is damaged"))?;
        if parts.first().is_none_or(|base| base.count as u64 != rows) {
            return Err(broken(path, format!("is not a graph over {rows} vectors")));
        }
        Ok(Graph { map, parts })
    }

    /// How many rows it covers.
    pub(super) fn len(&self) -> usize {
        self.count(0)
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.map.bytes().len()
    }

    /// The rows nearest to `query` that pass, at most `wide`, best first. None when more than `budget` were compared.
    pub(super) fn search(
        &self,
        codes: &Rows,
        query: Row<'_>,
        wide: usize,
        budget: usize,
        passes: &dyn Fn(u32) -> bool,
    ) -> Option<Vec<Scored<u32>>> {
        let walk = Walk { layers: self, codes, query, wide, budget };
        let mut scratch = Scratch::default();
        let mut place = 0;
        for layer in (1..self.height()).rev() {
            place = walk.descend(layer, place, &mut scratch);
            place = self.row(layer, place).and_then(|row| self.place(layer - 1, row)).unwrap_or(0);
        }
        walk.spread(0, place, &mut scratch, passes)
    }

    fn words(&self) -> &[u32] {
        bytemuck::try_cast_slice(self.map.bytes()).unwrap_or_default()
    }

    /// The rows and the links of a layer, as they lie.
    pub(super) fn layer(&self, layer: usize) -> (&[u32], &[u32]) {
        let words = self.words();
        let part = self.parts.get(layer);
        let of = |range: Option<Range<usize>>| range.and_then(|range| words.get(range)).unwrap_or_default();
        (of(part.map(|p| p.rows.clone())), of(part.map(|p| p.links.clone())))
    }

    /// Links of one place in the layers above the lowest.
    pub(super) fn connectivity(&self) -> usize {
        self.parts.first().map_or(0, |base| base.width / 2)
    }
}

/// Finds the layers in the words of a file. None when they do not fit.
fn parts(words: &[u32]) -> Option<Vec<Part>> {
    let (head, _) = words.split_first_chunk::<4>()?;
    let [magic, version, height, connectivity] = *head;
    if [magic, version] != MAGIC
        || !(1..=MOST_LAYERS).contains(&height)
        || !CONNECTIVITY.contains(&connectivity)
    {
        return None;
    }
    let mut at = 4 + height as usize;
    let mut parts = Vec::new();
    for layer in 0..height as usize {
        let count = *words.get(4 + layer)? as usize;
        let width = connectivity as usize * if layer == 0 { 2 } else { 1 };
        let rows = at..at + if layer == 0 { 0 } else { count };
        let links = rows.end..rows.end.checked_add(count.checked_mul(width)?)?;
        at = links.end;
        parts.push(Part { rows, links, count, width });
    }
    (at == words.len()).then_some(parts)
}

impl Layers for Graph {
    fn height(&self) -> usize {
        self.parts.len()
    }

    fn count(&self, layer: usize) -> usize {
        self.parts.get(layer).map_or(0, |part| part.count)
    }

    fn row(&self, layer: usize, place: u32) -> Option<u32> {
        if layer == 0 {
            return Some(place);
        }
        self.layer(layer).0.get(place as usize).copied()
    }

    fn place(&self, layer: usize, row: u32) -> Option<u32> {
        if layer == 0 {
            return Some(row);
        }
        self.layer(layer).0.binary_search(&row).ok().map(|place| place as u32)
    }

    fn links(&self, layer: usize, place: u32, out: &mut Vec<u32>) {
        out.clear();
        let Some(part) = self.parts.get(layer) else { return };
        let from = part.links.start + place as usize * part.width;
        let links = self.words().get(from..(from + part.width).min(part.links.end)).unwrap_or_default();
        out.extend(links.iter().take_while(|link| **link != NONE));
    }
}
