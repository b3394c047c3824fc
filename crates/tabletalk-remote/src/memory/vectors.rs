//! Vectors in memory: every search compares all of them.

use super::Gate;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tabletalk_core::seam::VectorStore;
use tabletalk_core::seam::store::{Allow, Near, Point, Space};
use tabletalk_core::{Error, Result};

/// Keeps vectors in memory. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Vectors {
    kept: Arc<RwLock<BTreeMap<Space, Kept>>>,
}

/// What a space holds.
#[derive(Debug)]
struct Kept {
    dim: usize,
    model: String,
    points: BTreeMap<u64, Point>,
}

impl Vectors {
    /// A store that is empty.
    pub fn new() -> Self {
        Self::default()
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<Space, Kept>> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<Space, Kept>> {
        self.kept.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Refuses a vector of another length.
    fn check(&self, vector: &[f32]) -> Result<()> {
        match vector.len() == self.dim {
            true => Ok(()),
            false => Err(Error::input(format!(
                "a vector has {} numbers, and those in memory have {}",
                vector.len(),
                self.dim
            ))
            .hint("is it made by the same model?")),
        }
    }

    /// Refuses vectors of another length or model.
    fn fits(&self, space: &Space, dim: usize, model: &str) -> Result<()> {
        let held = format!("memory: the space `{}` of `{}` holds", space.embed, space.group);
        let hint = "embed everything again, or give the library another prefix";
        if self.dim != dim {
            let message = format!("{held} vectors of {} numbers, not of {dim}", self.dim);
            return Err(Error::input(message).hint(hint));
        }
        if self.model != model {
            return Err(
                Error::input(format!("{held} vectors of `{}`, not of `{model}`", self.model)).hint(hint)
            );
        }
        Ok(())
    }
}

impl VectorStore for Vectors {
    fn name(&self) -> String {
        "memory".into()
    }

    fn prepare(&self, space: &Space, dim: usize, model: &str) -> Result<()> {
        let make = || Kept { dim, model: model.into(), points: BTreeMap::new() };
        self.write().entry(space.clone()).or_insert_with(make).fits(space, dim, model)
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        Ok(self.read().keys().cloned().collect())
    }

    fn put(&self, space: &Space, points: &[Point]) -> Result<()> {
        let mut kept = self.write();
        let Some(own) = kept.get_mut(space) else {
            return Err(Error::missing(format!(
                "the space `{}` of `{}` is not there",
                space.embed, space.group
            )));
        };
        points.iter().try_for_each(|p| own.check(&p.vector))?;
        own.points.extend(points.iter().map(|p| (p.key, p.clone())));
        Ok(())
    }

    fn remove(&self, space: &Space, keys: &[u64]) -> Result<()> {
        if let Some(own) = self.write().get_mut(space) {
            keys.iter().for_each(|key| drop(own.points.remove(key)));
        }
        Ok(())
    }

    fn remove_documents(&self, space: &Space, documents: &[i64]) -> Result<()> {
        let gone: HashSet<i64> = documents.iter().copied().collect();
        if let Some(own) = self.write().get_mut(space) {
            own.points.retain(|_, p| !gone.contains(&p.document));
        }
        Ok(())
    }

    fn search(&self, space: &Space, query: &[f32], k: usize, allow: &Allow) -> Result<Option<Vec<Near>>> {
        let kept = self.read();
        let Some(own) = kept.get(space) else { return Ok(None) };
        own.check(query)?;
        let gate = Gate::new(allow);
        let allowed = own.points.values().filter(|p| gate.lets(p.document, &p.facets));
        let mut all: Vec<Near> =
            allowed.map(|p| Near { key: p.key, score: cosine(&p.vector, query) }).collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
        all.truncate(k);
        Ok(Some(all))
    }

    fn vectors(&self, space: &Space, keys: &[u64]) -> Result<Vec<(u64, Vec<f32>)>> {
        let kept = self.read();
        let Some(own) = kept.get(space) else { return Ok(Vec::new()) };
        let found = keys.iter().filter_map(|key| own.points.get(key));
        Ok(found.map(|p| (p.key, p.vector.clone())).collect())
    }

    fn keys(&self, space: &Space, after: Option<u64>, limit: usize) -> Result<Vec<(u64, i64)>> {
        let kept = self.read();
        let Some(own) = kept.get(space) else { return Ok(Vec::new()) };
        let later = own.points.values().filter(|p| after.is_none_or(|after| p.key > after));
        Ok(later.take(limit).map(|p| (p.key, p.document)).collect())
    }

    fn count(&self, space: &Space) -> Result<u64> {
        Ok(self.read().get(space).map_or(0, |own| own.points.len() as u64))
    }

    fn drop_space(&self, space: &Space) -> Result<()> {
        self.write().remove(space);
        Ok(())
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths > 0.0 { dot(a, b) / lengths } else { 0.0 }
}
