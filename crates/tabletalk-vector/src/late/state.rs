//! What the index is as of its last commit, and the small file that says so.

use super::codec::Codec;
use super::kmeans::{Points, Tree};
use super::sections::{Sections, write};
use super::segment::{Dead, Segment};
use crate::file::{broken, replace};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use tabletalk_core::{Error, Result};

/// The file that names all others. The index is what it says.
const META: &str = "late.json";
const VERSION: u32 = 2;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    version: u32,
    dim: usize,
    bits: u8,
    generation: u64,
    /// The number of the next file.
    next: u64,
    codec: Option<String>,
    made_for: usize,
    segments: Vec<Part>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    name: String,
    dead: Option<String>,
}

/// A codec, the file it is in, and how many tokens its number of centroids suits.
#[derive(Debug, Clone)]
pub(super) struct Trained {
    pub(super) codec: Arc<Codec>,
    pub(super) name: String,
    pub(super) made_for: usize,
}

/// What the index is made of.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) generation: u64,
    pub(super) next: u64,
    pub(super) trained: Option<Trained>,
    pub(super) segments: Vec<Segment>,
}

impl State {
    /// Reads the last commit; an empty index where there has been none.
    ///
    /// Another process may commit meanwhile and sweep away the files of the commit before: then its own is read.
    pub(super) fn load(dir: &Path, dim: usize, bits: u8) -> Result<State> {
        let path = dir.join(META);
        let mut text = read(&path)?;
        loop {
            let state = text.as_ref().map_or(Ok(State::default()), |text| State::parse(dir, text, dim, bits));
            let now = read(&path)?;
            if state.is_ok() || now == text {
                return state;
            }
            text = now;
        }
    }

    fn parse(dir: &Path, text: &[u8], dim: usize, bits: u8) -> Result<State> {
        let path = dir.join(META);
        let meta: Meta = serde_json::from_slice(text).map_err(|e| broken(&path, e))?;
        meta.check(dim, bits).map_err(|why| broken(&path, why))?;
        let trained =
            meta.codec.as_deref().map(|name| load(dir, name, dim, bits, meta.made_for)).transpose()?;
        let codec = trained.as_ref().map(|trained| &*trained.codec);
        let open =
            |part: &Part| Segment::open(dir, &part.name, dim, codec, Dead::open(dir, part.dead.as_deref())?);
        let segments = meta.segments.iter().map(open).collect::<Result<_>>()?;
        Ok(State { generation: meta.generation, next: meta.next, trained, segments })
    }

    /// Makes this what the index is. All files it speaks of are on the disk.
    pub(super) fn save(&mut self, dir: &Path, dim: usize, bits: u8) -> Result<()> {
        for i in 0..self.segments.len() {
            if self.segments[i].dead.is_new() {
                let name = self.name("dead");
                self.segments[i].dead.write(dir, name)?;
            }
        }
        let part = |s: &Segment| Part { name: s.name.clone(), dead: s.dead.name.clone() };
        let meta = Meta {
            version: VERSION,
            dim,
            bits,
            generation: self.generation,
            next: self.next,
            codec: self.trained.as_ref().map(|trained| trained.name.clone()),
            made_for: self.trained.as_ref().map_or(0, |trained| trained.made_for),
            segments: self.segments.iter().map(part).collect(),
        };
        replace(&dir.join(META), &serde_json::to_vec(&meta)?)
    }

    /// A name for a new file.
    pub(super) fn name(&mut self, kind: &str) -> String {
        self.next += 1;
        format!("{kind}-{}", self.next)
    }

    /// The files this is made of.
    pub(super) fn files(&self) -> Vec<String> {
        let dead = self.segments.iter().filter_map(|segment| segment.dead.name.clone());
        let codec = self.trained.iter().map(|trained| trained.name.clone());
        self.segments.iter().map(|segment| segment.name.clone()).chain(dead).chain(codec).collect()
    }

    /// Documents of these ids no longer count.
    pub(super) fn bury(&mut self, ids: &FxHashSet<u64>) {
        if ids.is_empty() {
            return;
        }
        for segment in &mut self.segments {
            let gone: Vec<u32> =
                segment.live().filter(|(_, id)| ids.contains(id)).map(|(place, _)| place).collect();
            gone.into_iter().for_each(|place| segment.dead.add(place));
        }
    }

    /// How many tokens the documents that count have.
    pub(super) fn tokens(&self) -> usize {
        self.segments.iter().map(Segment::live_tokens).sum()
    }
}

/// The bytes of a file, or nothing where there is none.
fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::from(e).at(path.display())),
    }
}

impl Meta {
    fn check(&self, dim: usize, bits: u8) -> Result<(), String> {
        if self.version != VERSION {
            return Err(format!("is of version {}; this program reads version {VERSION}", self.version));
        }
        if self.dim != dim {
            return Err(format!("holds vectors of {} dimensions, not {dim}", self.dim));
        }
        if self.codec.is_some() && self.bits != bits {
            return Err(format!("keeps {} bits of a number, not {bits}", self.bits));
        }
        Ok(())
    }
}

pub(super) fn store(dir: &Path, name: &str, codec: &Codec) -> Result<()> {
    let parts = [
        bytemuck::cast_slice(&codec.tree.coarse.rows),
        bytemuck::cast_slice(&codec.tree.starts),
        bytemuck::cast_slice(&codec.tree.points.rows),
        bytemuck::cast_slice(&codec.scales),
        bytemuck::bytes_of(&codec.distance),
    ];
    write(&dir.join(name), parts.len(), &parts.map(|part| vec![part]))
}

/// Reads a codec.
fn load(dir: &Path, name: &str, dim: usize, bits: u8, made_for: usize) -> Result<Trained> {
    let file = Sections::open(&dir.join(name))?;
    let floats = |section| Ok::<_, Error>(file.get::<f32>(section)?.to_vec());
    let (coarse, points) = (Points::new(floats(0)?, dim), Points::new(floats(2)?, dim));
    let (starts, scales, distance) = (file.get::<u32>(1)?.to_vec(), floats(3)?, floats(4)?);
    let fits = starts.len() == coarse.len() + 1
        && starts.is_sorted()
        && starts.last().is_some_and(|end| *end as usize == points.len())
        && scales.len() == dim
        && distance.len() == 1;
    if !fits {
        return Err(file.broken("does not fit the rest of the index"));
    }
    let tree = Tree { dim, coarse, starts, points };
    let codec = Codec { dim, bits, tree, scales, distance: distance[0] };
    Ok(Trained { codec: Arc::new(codec), name: name.to_string(), made_for })
}
