//! Late interaction: a text is as many vectors as it has tokens, and two texts are compared token by token.
//!
//! A token is kept as the number of the nearest centroid and a few bits for each number of what is left over. A search
//! compares the query's tokens with the centroids, looks up the documents near the best of them, and guesses their
//! scores: from centroids alone, then from the one token nearest to each of the query's. The most promising ones are
//! scored with all their tokens, which are never turned back into vectors. A small index keeps tokens whole and scores
//! all of them.
//!
//! ```text
//! late.json   names the files below; replaced whole at every commit
//! codec-N     centroids, and the steps of what is left over
//! seg-N       documents written together; never changed
//! dead-N      which of them no longer count
//! ```
//!
//! *Invariant: only `late.json` is ever replaced, and only when all files it names are on the disk.* A kill at any
//! instant leaves the last commit; files it does not name are swept away by the next.

mod candidates;
mod change;
mod codec;
mod columns;
mod dots;
mod kmeans;
mod maxsim;
mod query;
mod search;
mod sections;
mod segment;
mod settings;
mod stage;
mod state;

pub use crate::{Filter, Found};
pub use maxsim::{maxsim, maxsim_mean};
pub use settings::Settings;

use rustc_hash::FxHashMap;
use stage::Pending;
use state::State;
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result};

/// An index of documents by their token vectors.
#[derive(Debug)]
pub struct Late {
    dir: PathBuf,
    dim: usize,
    settings: Settings,
    state: State,
    /// Where each document is: its segment, and its place there.
    places: FxHashMap<u64, (u32, u32)>,
    pending: Pending,
}

impl Late {
    /// Opens the index in `dir`, for vectors of length `dim`; an empty one where there is none.
    ///
    /// [`must_rebuild`](crate::must_rebuild) holds for the error when the index is damaged, or is of another length or
    /// number of bits.
    pub fn open(dir: &Path, dim: usize, settings: &Settings) -> Result<Late> {
        settings.check()?;
        if dim == 0 {
            return Err(Error::input("vectors of no dimensions cannot be indexed"));
        }
        std::fs::create_dir_all(dir).map_err(|e| Error::from(e).at(dir.display()))?;
        let state = State::load(dir, dim, settings.bits)?;
        let places = places(&state);
        let settings = settings.clone();
        Ok(Late { dir: dir.to_path_buf(), dim, settings, state, places, pending: Pending::default() })
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The length of a vector.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The generation given to the last commit; 0 before the first.
    pub fn generation(&self) -> u64 {
        self.state.generation
    }

    /// Whether there is a document of this id.
    pub fn contains(&self, id: u64) -> bool {
        self.places.contains_key(&id)
    }

    /// The ids of all documents, in no order.
    pub fn ids(&self) -> impl Iterator<Item = u64> {
        self.places.keys().copied()
    }

    /// How many tokens there are.
    pub fn tokens(&self) -> usize {
        self.state.tokens()
    }

    /// How many centroids there are; 0 while tokens are kept whole.
    pub fn centroids(&self) -> usize {
        self.state.trained.as_ref().map_or(0, |trained| trained.codec.tree.points.len())
    }

    /// How hard is looked from now on. The number of bits stays what it was.
    pub fn set_effort(&mut self, probe: usize, refine: usize, candidates: usize) {
        let settings = &mut self.settings;
        (settings.probe, settings.refine, settings.candidates) =
            (probe.max(1), refine.max(1), candidates.max(1));
    }
}

fn places(state: &State) -> FxHashMap<u64, (u32, u32)> {
    let segments = (0..).zip(&state.segments);
    segments.flat_map(|(number, s)| s.live().map(move |(place, id)| (id, (number, place)))).collect()
}

#[cfg(test)]
mod tests;
