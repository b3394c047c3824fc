//! How strongly rows belong together: each row's neighbours, weighed by its own scale of distance, made mutual.

use crate::neighbours::Neighbours;
use rayon::prelude::*;

/// For each row the rows it belongs together with, and how strongly: over 0, at most 1. The same in both directions.
#[derive(Debug, Clone)]
pub(super) struct Graph {
    /// Where the edges of each row begin, and after the last where they end.
    pub(super) starts: Vec<usize>,
    pub(super) ids: Vec<u32>,
    pub(super) weights: Vec<f32>,
}

impl Graph {
    /// `k` counts the row itself.
    pub(super) fn new(near: &Neighbours, k: usize) -> Graph {
        let mean =
            near.distances.iter().map(|d| f64::from(*d)).sum::<f64>() / near.distances.len().max(1) as f64;
        let weights: Vec<f32> = near
            .distances
            .par_chunks(near.k.max(1))
            .flat_map_iter(|d| strengths(d, k, mean as f32))
            .collect();
        mutual(near, &weights)
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The edges of a row.
    #[inline(always)]
    pub(super) fn of(&self, row: usize) -> (&[u32], &[f32]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.ids[range.clone()], &self.weights[range])
    }
}

/// Strengths that fall from 1 at the nearest, at a rate that makes their sum the binary logarithm of `k`.
fn strengths(distances: &[f32], k: usize, mean: f32) -> Vec<f32> {
    let nearest = distances.iter().copied().find(|d| *d > 0.0).unwrap_or(0.0);
    let wanted = (k as f32).log2();
    let strength = |d: f32, scale: f32| if d <= nearest { 1.0 } else { (-(d - nearest) / scale).exp() };
    let (mut low, mut high, mut scale) = (0f32, f32::INFINITY, 1f32);
    for _ in 0..64 {
        let sum: f32 = distances.iter().map(|d| strength(*d, scale)).sum();
        if (sum - wanted).abs() < 1e-5 {
            break;
        }
        if sum > wanted {
            high = scale
        } else {
            low = scale
        }
        scale = if high.is_finite() { (low + high) / 2.0 } else { scale * 2.0 };
    }
    let own = distances.iter().sum::<f32>() / distances.len().max(1) as f32;
    let scale = scale.max(1e-3 * if nearest > 0.0 { own } else { mean }).max(f32::MIN_POSITIVE);
    distances.iter().map(|d| strength(*d, scale)).collect()
}

/// Either direction is enough, as for chances that do not depend on each other.
fn mutual(near: &Neighbours, weights: &[f32]) -> Graph {
    let n = near.ids.len() / near.k.max(1);
    let (back_starts, back) = reversed(near, weights, n);
    let joined: Vec<Vec<(u32, f32)>> = (0..n)
        .into_par_iter()
        .map(|row| {
            let own = row * near.k..(row + 1) * near.k;
            let mut all: Vec<(u32, f32)> =
                near.ids[own.clone()].iter().copied().zip(weights[own].iter().copied()).collect();
            all.extend_from_slice(&back[back_starts[row]..back_starts[row + 1]]);
            all.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            all.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 = kept.1 + next.1 - kept.1 * next.1;
                }
                same
            });
            all.retain(|(_, weight)| *weight > 0.0);
            all
        })
        .collect();
    let mut starts = vec![0];
    starts.extend(joined.iter().scan(0, |end, edges| {
        *end += edges.len();
        Some(*end)
    }));
    let (ids, weights) = joined.into_iter().flatten().unzip();
    Graph { starts, ids, weights }
}

/// For each row those whose neighbour it is.
fn reversed(near: &Neighbours, weights: &[f32], n: usize) -> (Vec<usize>, Vec<(u32, f32)>) {
    let mut starts = vec![0usize; n + 1];
    near.ids.iter().for_each(|id| starts[*id as usize + 1] += 1);
    (0..n).for_each(|row| starts[row + 1] += starts[row]);
    let mut next = starts.clone();
    let mut edges = vec![(0, 0.0); near.ids.len()];
    for (at, (id, weight)) in near.ids.iter().zip(weights).enumerate() {
        let place = &mut next[*id as usize];
        edges[*place] = ((at / near.k) as u32, *weight);
        *place += 1;
    }
    (starts, edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strengths_sum_to_the_logarithm() {
        let sum: f32 = strengths(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], 8, 0.4).iter().sum();
        assert!((sum - 3.0).abs() < 1e-3, "{sum}");
        assert!(strengths(&[0.0; 5], 6, 0.0).iter().all(|w| *w == 1.0));
    }

    #[test]
    fn edges_are_mutual() {
        let near = Neighbours { k: 1, ids: vec![1, 2, 1], distances: vec![0.5, 0.1, 0.1] };
        let graph = Graph::new(&near, 2);
        assert_eq!(graph.of(0), (&[1][..], &[1.0][..]));
        assert_eq!(graph.of(1).0, [0, 2]);
        assert_eq!(graph.of(2).0, [1]);
    }
}
