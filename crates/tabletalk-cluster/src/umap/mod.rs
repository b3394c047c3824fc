//! Fewer dimensions, in which rows that are close stay close: UMAP.
//!
//! The method is that of McInnes, Healy and Melville (2018). What differs from the usual programs: every point feels the
//! forces upon itself from where the others were one round before, and what it is repelled by depends on nothing but
//! seed, round and point. So all points move at once, and the result does not depend on the number of threads.

mod graph;
mod layout;
mod start;

use crate::neighbours::nearest_normalized;
use crate::rows::normalized;
use crate::{Stop, never};
use graph::Graph;
use tabletalk_core::Matrix;

/// More dimensions than this are not made.
pub const MOST_COMPONENTS: usize = 64;

/// How dimensions are reduced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Neighbours of a row, the row itself counted.
    pub neighbours: usize,
    /// Dimensions of the result, at most 64.
    pub components: usize,
    /// Rounds in which points move; by default fewer for many rows.
    pub epochs: Option<usize>,
    /// How close points may come.
    pub min_dist: f32,
    /// How far apart they are on the whole.
    pub spread: f32,
    /// Points that repel for each that attracts, at most 7.
    pub negative_samples: usize,
    /// Where randomness begins.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            neighbours: 15,
            components: 2,
            epochs: None,
            min_dist: 0.1,
            spread: 1.0,
            negative_samples: 5,
            seed: 224,
        }
    }
}

/// The rows in fewer dimensions. Cosine is what counts as close.
pub fn reduce(vectors: &Matrix, settings: &Settings) -> Matrix {
    reduce_normalized(&normalized(vectors), settings, never()).unwrap_or_default()
}

/// The same for rows whose length is one, or zero. `None` if stopped.
pub(crate) fn reduce_normalized(vectors: &Matrix, settings: &Settings, stopped: Stop) -> Option<Matrix> {
    let components = settings.components.clamp(1, MOST_COMPONENTS);
    if vectors.len() < 3 {
        return Some(Matrix { dim: components, data: vec![0.0; vectors.len() * components] });
    }
    let k = settings.neighbours.clamp(2, vectors.len());
    let near = nearest_normalized(vectors, k - 1, settings.seed);
    if stopped() {
        return None;
    }
    let graph = Graph::new(&near, k);
    drop(near);
    let mut places = start::start(vectors, &graph, components, settings.seed);
    if stopped() {
        return None;
    }
    let curve = layout::Curve::fit(settings.min_dist, settings.spread);
    layout::layout(&graph, &mut places, curve, settings, stopped)?;
    Some(places.narrow(components))
}

/// Places of points, in rows padded with zeros to a width that the processor likes.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    width: usize,
    data: Vec<f32>,
}

impl Places {
    fn new(rows: usize, components: usize) -> Places {
        let width = if components <= 16 { 16 } else { MOST_COMPONENTS };
        Places { width, data: vec![0.0; rows * width] }
    }

    fn narrow(&self, components: usize) -> Matrix {
        let rows = self.data.chunks_exact(self.width);
        let clean = |x: &f32| if x.is_finite() { *x } else { 0.0 };
        Matrix { dim: components, data: rows.flat_map(|row| row[..components].iter().map(clean)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::blobs;

    #[test]
    fn blobs_stay_apart() {
        let points = reduce(&blobs(300, 3, 20, 0.3, 1), &Settings { components: 3, ..Settings::default() });
        let distance = |a: usize, b: usize| -> f32 {
            (0..3).map(|i| (points.data[a * 3 + i] - points.data[b * 3 + i]).powi(2)).sum::<f32>().sqrt()
        };
        let same = (3..297).map(|i| distance(i, i + 3)).sum::<f32>() / 294.0;
        let other = (3..297).map(|i| distance(i, i + 1)).sum::<f32>() / 294.0;
        assert!(other > 3.0 * same, "{same} {other}");
    }

    #[test]
    fn any_number_of_rows_and_dimensions_is_reduced() {
        for n in [0, 1, 2, 3, 4, 7, 40] {
            for components in [1, 2, 16, 17, 100] {
                let points = reduce(&blobs(n, 2, 5, 0.1, 9), &Settings { components, ..Settings::default() });
                assert_eq!((points.len(), points.dim), (n, components.min(64)));
                assert!(points.data.iter().all(|x| x.is_finite()));
            }
        }
    }

    #[test]
    fn equal_rows_are_no_trouble() {
        let same = Matrix { dim: 3, data: [1.0, 2.0, 3.0].repeat(50) };
        assert!(reduce(&same, &Settings::default()).data.iter().all(|x| x.is_finite()));
    }
}
