//! The dense, late and sparse indexes of a library: one directory for each embed key of each group.

use crate::catalog::vectors::Space;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tabletalk_core::Result;
use tabletalk_vector::must_rebuild;

pub use tabletalk_vector::dense::{self, Dense};
pub use tabletalk_vector::late::{self, Late};
pub use tabletalk_vector::sparse::Sparse;

/// The vector indexes of a library. Those that were opened stay open for the next search.
pub struct Vectors {
    dir: PathBuf,
    dense: Mutex<HashMap<Space, Arc<Dense>>>,
    late: Mutex<HashMap<Space, Arc<Late>>>,
    sparse: Mutex<HashMap<Space, Arc<Sparse>>>,
}

/// The kinds of indexes, as their folders are called.
const KINDS: [&str; 3] = ["dense", "late", "sparse"];

impl Vectors {
    pub(crate) fn new(dir: PathBuf) -> Self {
        Vectors { dir, dense: Mutex::default(), late: Mutex::default(), sparse: Mutex::default() }
    }

    fn place(&self, kind: &str, space: &Space) -> PathBuf {
        self.dir.join(kind).join(&space.embed).join(&space.group)
    }

    /// The dense index of a space as of `state`, or the newest there is; `None` when none was made yet.
    pub fn dense(
        &self,
        space: &Space,
        dim: usize,
        settings: &dense::Settings,
        state: u64,
    ) -> Result<Option<Arc<Dense>>> {
        let place = self.place("dense", space);
        let open = || Dense::open(&place, dim, settings);
        cached(&self.dense, space, &place, |index| index.generation() == state, open)
    }

    /// The late index of a space as of `state`, or the newest there is; `None` when none was made yet.
    pub fn late(
        &self,
        space: &Space,
        dim: usize,
        settings: &late::Settings,
        state: u64,
    ) -> Result<Option<Arc<Late>>> {
        let place = self.place("late", space);
        let open = || Late::open(&place, dim, settings);
        cached(&self.late, space, &place, |index| index.generation() == state, open)
    }

    /// The sparse index of a space as of `state`, or the newest there is; `None` when none was made yet.
    pub fn sparse(&self, space: &Space, state: u64) -> Result<Option<Arc<Sparse>>> {
        let place = self.place("sparse", space);
        cached(&self.sparse, space, &place, |index| index.generation() == state, || Sparse::open(&place))
    }

    /// The dense index of a space for writing; one that is damaged or of another kind is begun anew.
    pub fn write_dense(&self, space: &Space, dim: usize, settings: &dense::Settings) -> Result<Dense> {
        let place = self.place("dense", space);
        anew_if_broken(&place, || Dense::open(&place, dim, settings))
    }

    /// The late index of a space for writing; one that is damaged or of another kind is begun anew.
    pub fn write_late(&self, space: &Space, dim: usize, settings: &late::Settings) -> Result<Late> {
        let place = self.place("late", space);
        anew_if_broken(&place, || Late::open(&place, dim, settings))
    }

    /// The sparse index of a space for writing; one that is damaged is begun anew.
    pub fn write_sparse(&self, space: &Space) -> Result<Sparse> {
        let place = self.place("sparse", space);
        anew_if_broken(&place, || Sparse::open(&place))
    }

    /// Removes the indexes of a space.
    pub fn drop_space(&self, space: &Space) -> Result<()> {
        self.dense.lock().unwrap_or_else(PoisonError::into_inner).remove(space);
        self.late.lock().unwrap_or_else(PoisonError::into_inner).remove(space);
        self.sparse.lock().unwrap_or_else(PoisonError::into_inner).remove(space);
        for kind in KINDS {
            remove(&self.place(kind, space))?;
        }
        Ok(())
    }

    /// The spaces that have an index, each once for every kind of index.
    pub fn spaces(&self) -> Vec<Space> {
        let mut spaces = Vec::new();
        for dir in KINDS.iter().map(|kind| self.dir.join(kind)) {
            for embed in names(&dir) {
                for group in names(&dir.join(&embed)) {
                    spaces.push(Space { embed: embed.clone(), group });
                }
            }
        }
        spaces
    }
}

fn cached<T>(
    open_ones: &Mutex<HashMap<Space, Arc<T>>>,
    space: &Space,
    place: &Path,
    is_fresh: impl Fn(&T) -> bool,
    open: impl FnOnce() -> Result<T>,
) -> Result<Option<Arc<T>>> {
    let mut open_ones = open_ones.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(index) = open_ones.get(space).filter(|index| is_fresh(index)) {
        return Ok(Some(index.clone()));
    }
    if !place.exists() {
        return Ok(None);
    }
    let index = Arc::new(open()?);
    open_ones.insert(space.clone(), index.clone());
    Ok(Some(index))
}

fn anew_if_broken<T>(place: &Path, open: impl Fn() -> Result<T>) -> Result<T> {
    match open() {
        Err(e) if must_rebuild(&e) => {
            remove(place)?;
            open()
        }
        other => other,
    }
}

fn remove(place: &Path) -> Result<()> {
    match std::fs::remove_dir_all(place) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e.into()),
        _ => Ok(()),
    }
}

fn names(dir: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut names: Vec<String> = entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort();
    names
}
