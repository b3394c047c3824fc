//! What each layer of a search did.

use serde::Serialize;
use std::time::Instant;
use tabletalk_core::{Hit, Result};

/// One layer of a search.
#[derive(Debug, Clone, Serialize)]
pub struct Layer {
    /// Its name.
    pub name: String,
    /// Whether it ran.
    pub ran: bool,
    /// How much it found.
    pub hits: usize,
    /// How long it took, in thousandths of a second.
    pub ms: f64,
    /// Why it failed, when it did.
    pub error: Option<String>,
}

/// What was found, and how.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Recalled {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// The layers, in the order they came.
    pub layers: Vec<Layer>,
}

/// Notes what layers do.
#[derive(Default)]
pub(super) struct Trace {
    pub(super) layers: Vec<Layer>,
}

impl Trace {
    /// Runs a layer that others can stand in for: when it fails, that is noted and the search goes on.
    /// `None` means that it did not run.
    pub(super) fn layer<T>(
        &mut self,
        name: &str,
        run: impl FnOnce() -> Result<Option<T>>,
        count: impl FnOnce(&T) -> usize,
    ) -> Result<Option<T>> {
        let begun = Instant::now();
        let (found, error) = match run() {
            Ok(found) => (found, None),
            Err(e) => (None, Some(e.to_string())),
        };
        let hits = found.as_ref().map_or(0, count);
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        self.layers.push(Layer { name: name.to_owned(), ran: found.is_some(), hits, ms, error });
        Ok(found)
    }

    /// Runs a layer without which there is no answer.
    pub(super) fn must<T>(&mut self, name: &str, run: impl FnOnce() -> Result<Vec<T>>) -> Result<Vec<T>> {
        let begun = Instant::now();
        let found = run()?;
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        self.layers.push(Layer { name: name.to_owned(), ran: true, hits: found.len(), ms, error: None });
        Ok(found)
    }

    /// Notes a layer that was not needed.
    pub(super) fn skipped(&mut self, name: &str) {
        self.layers.push(Layer { name: name.to_owned(), ran: false, hits: 0, ms: 0.0, error: None });
    }
}
