//! One vector for each id: exact comparison while they are few, a graph when they are many.
//!
//! A directory holds the vectors one after the other (`rows`), their ids (`ids`), which are removed (`removed`) and, once
//! there are many, a graph (`graph`) over a smaller copy of the vectors (`codes`). All are seen as memory and opened
//! without being read. `meta.json` names them and says how much of each counts.
//!
//! One process may write while many read. A reader sees what was committed when it opened the index.

mod build;
mod commit;
mod graph;
mod meta;
mod rows;
mod search;
mod settings;
#[cfg(test)]
mod tests;
mod walk;

pub use settings::{Hnsw, Metric, Quantization, Settings};

use crate::file::{Growing, broken, settled};
use crate::ids::Ids;
use graph::Graph;
use meta::Meta;
use rows::{Code, Rows};
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result};

/// How many vectors are turned into bytes before they are written.
const BATCH: usize = 4096;

/// An index of vectors.
#[derive(Debug)]
pub struct Dense {
    dir: PathBuf,
    settings: Settings,
    /// What was committed last.
    meta: Meta,
    ids: Ids,
    rows: Rows,
    /// What the graph is walked by: a row for each that it covers. None when the rows themselves serve.
    codes: Option<Rows>,
    graph: Option<Graph>,
}

impl Dense {
    /// Opens the index in `dir`, or begins one there.
    ///
    /// An index that is damaged, or holds vectors of another kind, is an error for which [`crate::must_rebuild`] holds.
    pub fn open(dir: &Path, dim: usize, settings: &Settings) -> Result<Dense> {
        if dim == 0 || dim > 1 << 16 {
            return Err(Error::input(format!("vectors of {dim} numbers cannot be indexed")));
        }
        std::fs::create_dir_all(dir).map_err(|e| Error::from(e).at(dir.display()))?;
        let meta = || {
            let meta = Meta::read(dir)?.unwrap_or_else(|| Meta::empty(dim, settings));
            meta.check(dir, dim, settings)?;
            Ok(meta)
        };
        settled(dir, meta, |meta| Dense::open_files(dir, settings, meta))
    }

    /// Opens the files that `meta` speaks of.
    fn open_files(dir: &Path, settings: &Settings, meta: Meta) -> Result<Dense> {
        let code = Code { dim: meta.dim, metric: meta.metric, quantization: meta.quantization };
        let open = |name: &str, rows: u64, stride: usize| {
            let len = rows.checked_mul(stride as u64).filter(|_| rows < u64::from(u32::MAX));
            let len = len.ok_or_else(|| broken(dir, format!("speaks of {rows} vectors")))?;
            Growing::open(meta.growing(dir, name), len)
        };
        let removed = meta.removed.map(|commit| dir.join(format!("removed-{commit}")));
        let ids = Ids::open(meta.growing(dir, "ids"), meta.rows, removed.as_deref())?;
        let rows = Rows { code, file: open("rows", meta.rows, code.stride())? };
        let (mut codes, mut graph) = (None, None);
        if let Some(of) = &meta.graph {
            if of.rows > meta.rows {
                return Err(broken(dir, "speaks of a graph over more vectors than there are"));
            }
            let code = Code { quantization: of.quantization, ..code };
            if code != rows.code {
                codes = Some(Rows { code, file: open(&of.codes(), of.rows, code.stride())? });
            }
            graph = Some(Graph::open(&dir.join(format!("graph-{}", of.commit)), of.bytes, of.rows)?);
        }
        let (dir, settings) = (dir.to_path_buf(), settings.clone());
        Ok(Dense { dir, settings, meta, ids, rows, codes, graph })
    }

    /// How many vectors it holds.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many numbers a vector has.
    pub fn dim(&self) -> usize {
        self.meta.dim
    }

    /// What the last commit said the index holds.
    pub fn generation(&self) -> u64 {
        self.meta.generation
    }

    /// Whether it holds a vector for `id`.
    pub fn contains(&self, id: u64) -> bool {
        self.ids.row(id).is_some()
    }

    /// The ids it holds vectors for, in the order in which they were added.
    pub fn ids(&self) -> impl Iterator<Item = u64> {
        self.ids.live().map(|(_, id)| id)
    }

    /// The vector of `id` as it is kept: under the cosine, of length one.
    pub fn vector(&self, id: u64) -> Option<Vec<f32>> {
        let row = self.rows.row(self.ids.row(id)?)?;
        let mut vector = Vec::new();
        self.rows.code.decode(row, &mut vector);
        Some(vector)
    }

    /// Adds vectors, each in place of the one its id had. When one is refused, none is added.
    ///
    /// Searches find them at once; other processes do after [`Dense::commit`].
    pub fn add<'a>(&mut self, vectors: impl IntoIterator<Item = (u64, &'a [f32])>) -> Result<()> {
        let first = self.ids.all().len();
        if let Err(e) = self.append(vectors.into_iter()) {
            self.ids.cut(first)?;
            self.rows.file.cut((first * self.rows.code.stride()) as u64)?;
            return Err(e);
        }
        self.ids.take_over(first);
        Ok(())
    }

    /// Removes the vectors of `ids`. Those it does not hold are left out.
    pub fn remove(&mut self, ids: &[u64]) -> Result<()> {
        self.ids.remove(ids);
        Ok(())
    }

    /// Bytes of memory that hold the index when all of it has been looked at: what it allocates, and those of its files
    /// that every search walks through. Files are mapped, so the system may take that memory back when it is short.
    pub fn memory(&self) -> usize {
        let walked = match (&self.graph, &self.codes) {
            (None, _) => self.rows.file.bytes().len(),
            (Some(graph), Some(codes)) => graph.memory() + codes.file.bytes().len(),
            (Some(graph), None) => graph.memory() + self.rows.file.bytes().len(),
        };
        walked + self.ids.memory()
    }

    /// Bytes of all its files, also of the exact vectors of which a search looks at a few.
    pub fn bytes(&self) -> usize {
        let codes = self.codes.as_ref().map_or(0, |codes| codes.file.bytes().len());
        let graph = self.graph.as_ref().map_or(0, Graph::memory);
        self.ids.bytes() + self.rows.file.bytes().len() + codes + graph
    }

    /// Appends rows and ids.
    fn append<'a>(&mut self, mut vectors: impl Iterator<Item = (u64, &'a [f32])>) -> Result<()> {
        let code = self.rows.code;
        loop {
            let (mut ids, mut bytes) = (Vec::new(), Vec::new());
            for (id, vector) in vectors.by_ref().take(BATCH) {
                code.encode(vector, &mut bytes).map_err(|e| e.at(format!("vector of {id}")))?;
                ids.push(id);
            }
            if ids.is_empty() {
                return Ok(());
            }
            self.ids.append(&ids)?;
            self.rows.file.append(|w| Ok(w.write_all(&bytes)?))?;
        }
    }
}
