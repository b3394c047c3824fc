//! Fewer dimensions, then a mixture of Gaussians: once, or once more within each cluster.

use crate::rows::some;
use crate::{Settings, Stop, mixture, umap};
use tabletalk_core::Matrix;

/// Neighbours within a cluster, as in the paper.
const LOCAL: usize = 10;

/// Clusters of all rows. `None` if stopped.
pub(crate) fn one_step(vectors: &Matrix, settings: &Settings, stopped: Stop) -> Option<Vec<Vec<u32>>> {
    parted(vectors, settings, usual(vectors.len(), 0.8, settings), stopped)
}

/// Clusters within clusters. `None` if stopped.
pub(crate) fn two_steps(vectors: &Matrix, settings: &Settings, stopped: Stop) -> Option<Vec<Vec<u32>>> {
    let mut clusters = Vec::new();
    for outer in parted(vectors, settings, usual(vectors.len(), 0.5, settings), stopped)? {
        let local = settings.n_neighbors.unwrap_or(LOCAL);
        let inner = parted(&some(vectors, &outer), settings, local, stopped)?;
        clusters.extend(inner.iter().map(|rows| rows.iter().map(|row| outer[*row as usize]).collect()));
    }
    Some(clusters)
}

/// Neighbours for so many rows.
fn usual(rows: usize, power: f64, settings: &Settings) -> usize {
    let usual = (rows.saturating_sub(1) as f64).powf(power) as usize;
    let most = if settings.max_neighbors == 0 { usize::MAX } else { settings.max_neighbors };
    settings.n_neighbors.unwrap_or(usual.max(2).min(most))
}

/// Clusters of rows; so few that they could not be reduced are one cluster.
fn parted(vectors: &Matrix, settings: &Settings, neighbours: usize, stopped: Stop) -> Option<Vec<Vec<u32>>> {
    let n = vectors.len();
    if n <= settings.n_components + 1 || n < 4 || same(vectors) {
        return Some(vec![(0..n as u32).collect()]);
    }
    let (components, seed) = (settings.n_components.min(n - 2), settings.random_seed);
    let how =
        umap::Settings { neighbours: neighbours.min(n - 1), components, seed, ..umap::Settings::default() };
    let points = umap::reduce_normalized(vectors, &how, stopped)?;
    let mixture = mixture::choose_until(&points, settings.max_cluster, seed, stopped)?;
    Some(mixture.memberships(&points, settings.threshold, settings.single))
}

/// Whether all rows are the same: nothing divides them.
fn same(vectors: &Matrix) -> bool {
    let mut rows = vectors.rows();
    let first = rows.next();
    rows.all(|row| Some(row) == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_may_go_uncapped() {
        let how = |max_neighbors| Settings { max_neighbors, ..Settings::default() };
        assert_eq!(usual(10_001, 0.8, &how(32)), 32);
        assert_eq!(usual(10_001, 0.8, &how(0)), 1584);
        assert_eq!(usual(2, 0.8, &how(0)), 2);
        assert!(how(0).check().is_ok() && how(1).check().is_err());
    }
}
