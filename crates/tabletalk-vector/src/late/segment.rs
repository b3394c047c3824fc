//! Documents written together: their ids, where their tokens begin, and the tokens, whole or compressed.

use super::codec;
use super::codec::Codec;
use super::sections::{Parts, Sections, write};
use crate::bits::Bits;
use half::f16;
use half::slice::{HalfBitsSliceExt, HalfFloatSliceExt};
use std::path::Path;
use std::sync::Arc;
use tabletalk_core::Result;

const IDS: usize = 0;
const STARTS: usize = 1;
/// Of tokens kept whole: their numbers. Of compressed ones: their centroids.
const TOKENS: usize = 2;
const REST: usize = 3;
const LIST_STARTS: usize = 4;
const LISTS: usize = 5;
/// Ids and starts are checked on opening.
const CHECKED: usize = 2;

/// Some documents of the index, and which of them no longer count.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) name: String,
    file: Arc<Sections>,
    dim: usize,
    /// Bytes of the leftovers of a token; 0 where tokens are kept whole.
    bytes: usize,
    pub(super) dead: Dead,
}

/// Documents that are not written yet: ids, and how many tokens each has.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) ids: Vec<u64>,
    pub(super) starts: Vec<u64>,
}

impl Outline {
    /// Adds a document of so many tokens.
    pub(super) fn push(&mut self, id: u64, tokens: usize) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let end = self.starts.last().copied().unwrap_or(0) + tokens as u64;
        self.ids.push(id);
        self.starts.push(end);
    }
}

/// Writes documents whose tokens are kept whole.
pub(super) fn write_flat(path: &Path, outline: &Outline, rows: &[f16]) -> Result<()> {
    let bits: &[u16] = rows.reinterpret_cast();
    write(path, CHECKED, &[one(&outline.ids), one(&outline.starts), one(bits)])
}

/// Writes compressed documents; the centroids and leftovers of their tokens come in parts.
pub(super) fn write_coded(
    path: &Path,
    outline: &Outline,
    centroids: &[u16],
    rest: Parts<'_>,
    points: usize,
) -> Result<()> {
    let (starts, lists) = invert(&outline.starts, centroids, points);
    let sections = [one(&outline.ids), one(&outline.starts), one(centroids), rest, one(&starts), one(&lists)];
    write(path, CHECKED, &sections)
}

fn one<T: bytemuck::Pod>(array: &[T]) -> Parts<'_> {
    vec![bytemuck::cast_slice(array)]
}

/// For each centroid, the documents that have a token near it, each once.
fn invert(starts: &[u64], centroids: &[u16], points: usize) -> (Vec<u32>, Vec<u32>) {
    let documents =
        || starts.windows(2).map(|pair| &centroids[pair[0] as usize..pair[1] as usize]).enumerate();
    let mut seen = vec![u32::MAX; points];
    let mut ends = vec![0u32; points + 1];
    for (document, tokens) in documents() {
        for centroid in tokens.iter().map(|c| usize::from(*c)) {
            ends[centroid + 1] += u32::from(seen[centroid] != document as u32);
            seen[centroid] = document as u32;
        }
    }
    (0..points).for_each(|i| ends[i + 1] += ends[i]);
    let mut next = ends.clone();
    let mut lists = vec![0u32; ends[points] as usize];
    seen.fill(u32::MAX);
    for (document, tokens) in documents() {
        for centroid in tokens.iter().map(|c| usize::from(*c)) {
            if seen[centroid] != document as u32 {
                lists[next[centroid] as usize] = document as u32;
                next[centroid] += 1;
                seen[centroid] = document as u32;
            }
        }
    }
    (ends, lists)
}

impl Segment {
    /// Opens a segment of whole tokens, or of compressed ones where there is a codec.
    pub(super) fn open(
        dir: &Path,
        name: &str,
        dim: usize,
        codec: Option<&Codec>,
        dead: Dead,
    ) -> Result<Segment> {
        let file = Arc::new(Sections::open(&dir.join(name))?);
        let bytes = codec.map_or(0, |codec| codec::bytes(codec.dim, codec.bits));
        let segment = Segment { name: name.to_string(), file, dim, bytes, dead };
        segment.check(codec.map(|codec| codec.tree.points.len()))?;
        Ok(segment)
    }

    fn check(&self, points: Option<usize>) -> Result<()> {
        let (ids, starts) = (self.file.get::<u64>(IDS)?, self.file.get::<u64>(STARTS)?);
        let tokens = starts.last().copied().unwrap_or(0) as usize;
        let whole = self.file.get::<u16>(TOKENS)?.len();
        let ok = (starts.len() == ids.len() + 1 || ids.is_empty())
            && starts.is_sorted()
            && self.dead.fits(ids.len())
            && match points {
                None => whole == tokens * self.dim,
                Some(points) => {
                    whole == tokens
                        && self.file.get::<u8>(REST)?.len() == tokens * self.bytes
                        && self.file.get::<u32>(LIST_STARTS)?.len() == points + 1
                        && self.file.get::<u32>(LISTS).is_ok()
                }
            };
        if ok { Ok(()) } else { Err(self.file.broken("does not fit the rest of the index")) }
    }

    pub(super) fn is_flat(&self) -> bool {
        self.bytes == 0
    }

    /// The ids of all documents, those that no longer count too.
    pub(super) fn ids(&self) -> &[u64] {
        self.file.peek(IDS).unwrap_or_default()
    }

    /// The documents that count: where they stand, and their ids.
    pub(super) fn live(&self) -> impl Iterator<Item = (u32, u64)> {
        let ids = self.ids().iter().enumerate();
        ids.map(|(i, id)| (i as u32, *id)).filter(|(i, _)| !self.dead.has(*i))
    }

    /// Where a document's tokens are, or nothing if there is no such document.
    fn range(&self, document: u32) -> std::ops::Range<usize> {
        let starts: &[u64] = self.file.peek(STARTS).unwrap_or_default();
        match starts.get(document as usize..document as usize + 2) {
            Some([start, end]) => *start as usize..*end as usize,
            _ => 0..0,
        }
    }

    /// How many tokens a document has.
    pub(super) fn tokens(&self, document: u32) -> usize {
        self.range(document).len()
    }

    /// How many tokens the documents that count have.
    pub(super) fn live_tokens(&self) -> usize {
        self.live().map(|(document, _)| self.tokens(document)).sum()
    }

    /// The centroids of a document's tokens; none where tokens are kept whole.
    pub(super) fn centroids(&self, document: u32) -> &[u16] {
        let centroids = if self.is_flat() { None } else { self.file.peek(TOKENS) };
        centroids.and_then(|all: &[u16]| all.get(self.range(document))).unwrap_or_default()
    }

    /// The leftovers of a document's tokens.
    pub(super) fn rest(&self, document: u32) -> &[u8] {
        let range = self.range(document);
        let rest: &[u8] = self.file.peek(REST).unwrap_or_default();
        rest.get(range.start * self.bytes..range.end * self.bytes).unwrap_or_default()
    }

    /// A document's tokens where they are kept whole.
    pub(super) fn whole(&self, document: u32) -> &[f16] {
        let range = self.range(document);
        let bits: &[u16] = if self.is_flat() { self.file.peek(TOKENS).unwrap_or_default() } else { &[] };
        bits.get(range.start * self.dim..range.end * self.dim).unwrap_or_default().reinterpret_cast()
    }

    /// The documents with a token near a centroid.
    pub(super) fn list(&self, centroid: usize) -> &[u32] {
        let starts: &[u32] = self.file.peek(LIST_STARTS).unwrap_or_default();
        let lists: &[u32] = self.file.peek(LISTS).unwrap_or_default();
        match starts.get(centroid..centroid + 2) {
            Some([start, end]) => lists.get(*start as usize..*end as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Replaces `out` by a document's tokens.
    pub(super) fn decode(&self, document: u32, codec: Option<&Codec>, out: &mut Vec<f32>) {
        out.clear();
        match codec {
            Some(codec) => codec.decode(self.centroids(document), self.rest(document), out),
            None => {
                let whole = self.whole(document);
                out.resize(whole.len(), 0.0);
                whole.convert_to_f32_slice(out);
            }
        }
    }
}

/// A set of places in a segment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Dead {
    /// The file it is kept in, once it is.
    pub(super) name: Option<String>,
    bits: Bits,
}

impl Dead {
    /// Reads a set.
    pub(super) fn open(dir: &Path, name: Option<&str>) -> Result<Dead> {
        let Some(name) = name else { return Ok(Dead::default()) };
        let bits = Bits::new(Sections::open(&dir.join(name))?.get::<u64>(0)?.to_vec());
        Ok(Dead { name: Some(name.to_string()), bits })
    }

    /// Writes the set to a new file.
    pub(super) fn write(&mut self, dir: &Path, name: String) -> Result<()> {
        write(&dir.join(&name), 1, &[vec![bytemuck::cast_slice(self.bits.words())]])?;
        self.name = Some(name);
        Ok(())
    }

    /// Whether it has changed since it was written.
    pub(super) fn is_new(&self) -> bool {
        self.count() > 0 && self.name.is_none()
    }

    /// Whether all places are below `len`.
    pub(super) fn fits(&self, len: usize) -> bool {
        self.bits.words().len() <= len.div_ceil(64)
    }

    /// How many places it has.
    pub(super) fn count(&self) -> usize {
        self.bits.len()
    }

    pub(super) fn has(&self, place: u32) -> bool {
        self.bits.contains(place)
    }

    pub(super) fn add(&mut self, place: u32) {
        if self.bits.insert(place) {
            self.name = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let mut dead = Dead::default();
        [3, 64, 3, 200].into_iter().for_each(|place| dead.add(place));
        assert!(dead.is_new() && dead.count() == 3);
        dead.write(dir.path(), "dead-1".into()).unwrap();
        let read = Dead::open(dir.path(), Some("dead-1")).unwrap();
        assert_eq!(read, dead);
        assert!(read.has(64) && read.has(200) && !read.has(4) && !read.has(9999) && !read.is_new());
        assert!(read.fits(201) && !read.fits(100));
    }
}
