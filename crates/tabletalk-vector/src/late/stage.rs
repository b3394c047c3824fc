//! Documents that wait in memory to be written.

use super::segment::{Outline, Segment};
use super::state::Trained;
use half::f16;
use half::slice::HalfFloatSliceExt;
use rustc_hash::{FxHashMap, FxHashSet};
use tabletalk_core::matrix::normalize;
use tabletalk_core::{Error, Matrix, Result};

/// What has changed since the last commit.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) stage: Stage,
    /// Documents of the last commit that no longer count.
    pub(super) removed: FxHashSet<u64>,
    /// Where documents stand that have been written already; the last commit does not speak of them.
    pub(super) places: FxHashMap<u64, (usize, u32)>,
    pub(super) segments: Vec<Segment>,
    pub(super) trained: Option<Trained>,
}

/// Documents in the order they came; one that came again or was removed is left out when they are taken.
#[derive(Debug, Default)]
pub(super) struct Stage {
    documents: Vec<(u64, usize)>,
    rows: Vec<f16>,
    last: FxHashMap<u64, usize>,
}

impl Stage {
    /// Adds a document whose rows have been checked.
    pub(super) fn push(&mut self, id: u64, rows: &[f16], dim: usize) {
        self.last.insert(id, self.documents.len());
        self.documents.push((id, rows.len() / dim));
        self.rows.extend_from_slice(rows);
    }

    /// Removes a document.
    pub(super) fn remove(&mut self, id: u64) {
        self.last.remove(&id);
    }

    /// How many tokens wait.
    pub(super) fn tokens(&self, dim: usize) -> usize {
        self.rows.len() / dim
    }

    /// Takes all that waits.
    pub(super) fn take(&mut self, dim: usize) -> (Outline, Vec<f16>) {
        let stage = std::mem::take(self);
        let all = stage.last.len() == stage.documents.len();
        let (mut outline, mut rows, mut at) = (Outline::default(), Vec::new(), 0);
        for (i, (id, tokens)) in stage.documents.iter().enumerate() {
            let end = at + tokens * dim;
            if all || stage.last.get(id) == Some(&i) {
                outline.push(*id, *tokens);
                if !all {
                    rows.extend_from_slice(&stage.rows[at..end]);
                }
            }
            at = end;
        }
        (outline, if all { stage.rows } else { rows })
    }
}

/// The rows of a document, each of length one, in half precision.
pub(super) fn prepare(id: u64, document: &Matrix, dim: usize) -> Result<Vec<f16>> {
    check(document, dim).map_err(|e| e.at(format!("document {id}")))?;
    let mut rows = document.data.clone();
    rows.chunks_exact_mut(dim).for_each(normalize);
    let mut out = vec![f16::ZERO; rows.len()];
    out.convert_from_f32_slice(&rows);
    Ok(out)
}

/// An error unless the rows are finite and of the length wanted. A matrix without rows may say any length.
pub(super) fn check(matrix: &Matrix, dim: usize) -> Result<()> {
    if matrix.data.is_empty() {
        return Ok(());
    }
    if matrix.dim != dim {
        return Err(Error::input(format!("has vectors of {} dimensions, the index {dim}", matrix.dim))
            .hint("build the index again with the model that makes them"));
    }
    if !matrix.data.len().is_multiple_of(dim) {
        return Err(Error::input(format!("has {} numbers, no multiple of {dim}", matrix.data.len())));
    }
    if !matrix.data.iter().all(|x| x.is_finite()) {
        return Err(Error::input("has a vector with a number that is not finite"));
    }
    Ok(())
}
