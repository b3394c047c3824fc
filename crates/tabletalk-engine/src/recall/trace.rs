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
    /// Its number in the strategy, from 1; of a search without a strategy there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// The best and the lowest score that it gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f32; 2]>,
    /// All scores that it gave.
    #[serde(skip)]
    pub scores: Vec<f32>,
    /// Why it failed, when it did.
    pub error: Option<String>,
}

impl Layer {
    /// One that did not run, yet.
    fn idle(name: &str) -> Layer {
        let (ran, hits, ms, number, range) = (false, 0, 0.0, None, None);
        Layer { name: name.to_owned(), ran, hits, ms, number, range, scores: Vec::new(), error: None }
    }

    /// One that gave these scores.
    fn gave(self, scores: Vec<f32>) -> Layer {
        let (low, high) = scores.iter().fold((f32::MAX, f32::MIN), |(l, h), s| (l.min(*s), h.max(*s)));
        let range = (!scores.is_empty()).then_some([high, low]);
        Layer { ran: true, hits: scores.len(), range, scores, ..self }
    }
}

/// Something that was found, with a score.
pub(super) trait Scored {
    /// The score.
    fn score(&self) -> f32;
}

impl Scored for Hit {
    fn score(&self) -> f32 {
        self.score
    }
}

impl Scored for super::Candidate {
    fn score(&self) -> f32 {
        self.score
    }
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
    /// The number of the layer of a strategy that is at work.
    pub(super) number: Option<usize>,
}

impl Trace {
    /// Runs a layer that others can stand in for: when it fails, that is noted and the search goes on.
    /// `None` means that it did not run.
    pub(super) fn layer<T: Scored>(
        &mut self,
        name: &str,
        run: impl FnOnce() -> Result<Option<Vec<T>>>,
    ) -> Result<Option<Vec<T>>> {
        let begun = Instant::now();
        let (found, error) = match run() {
            Ok(found) => (found, None),
            Err(e) => (None, Some(e.to_string())),
        };
        let idle = Layer { error, ..Layer::idle(name) };
        let layer = match &found {
            Some(found) => idle.gave(found.iter().map(Scored::score).collect()),
            None => idle,
        };
        self.note(layer, begun);
        Ok(found)
    }

    /// Runs a layer without which there is no answer.
    pub(super) fn must<T: Scored>(
        &mut self,
        name: &str,
        run: impl FnOnce() -> Result<Vec<T>>,
    ) -> Result<Vec<T>> {
        let begun = Instant::now();
        let found = run()?;
        self.note(Layer::idle(name).gave(found.iter().map(Scored::score).collect()), begun);
        Ok(found)
    }

    /// Notes a layer that was not needed.
    pub(super) fn skipped(&mut self, name: &str) {
        self.layers.push(Layer { number: self.number, ..Layer::idle(name) });
    }

    fn note(&mut self, layer: Layer, begun: Instant) {
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        self.layers.push(Layer { ms, number: self.number, ..layer });
    }
}
