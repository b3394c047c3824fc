//! Cutting a set in two where nothing else divides it.

use crate::products::dot;
use crate::random::Random;
use crate::rows::{CHUNK, normalized, row_of};
use rayon::prelude::*;
use tabletalk_core::Matrix;

/// How often the direction is improved.
const ROUNDS: usize = 12;

/// Two halves of about the same size, by the direction in which the vectors differ most. For a set that clustering leaves whole.
/// Of an odd number the second half has one more; equal vectors are divided by their order.
pub fn halve(vectors: &Matrix, seed: u64) -> (Vec<u32>, Vec<u32>) {
    halve_normalized(&normalized(vectors), seed)
}

pub(crate) fn halve_normalized(vectors: &Matrix, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let direction = direction(vectors, seed);
    let place = |row: usize| (dot(row_of(vectors, row), &direction), row as u32);
    let mut placed: Vec<(f32, u32)> = (0..vectors.len()).into_par_iter().map(place).collect();
    placed.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (low, high) = placed.split_at(placed.len() / 2);
    (sorted(low), sorted(high))
}

fn sorted(placed: &[(f32, u32)]) -> Vec<u32> {
    let mut rows: Vec<u32> = placed.iter().map(|p| p.1).collect();
    rows.sort_unstable();
    rows
}

/// The direction of the largest variance, by power iteration.
fn direction(vectors: &Matrix, seed: u64) -> Vec<f32> {
    let mean = weighted(vectors, |_| 1.0 / vectors.len().max(1) as f32);
    let mut random = Random::new(seed, 0x4a1f);
    let mut direction: Vec<f32> = (0..vectors.dim).map(|_| random.bell()).collect();
    for _ in 0..ROUNDS {
        let shift = dot(&mean, &direction);
        let next = weighted(vectors, |row| dot(row, &direction) - shift);
        let norm = next.iter().map(|x| x * x).sum::<f32>().sqrt();
        if norm <= f32::MIN_POSITIVE {
            break;
        }
        direction = next.into_iter().map(|x| x / norm).collect();
    }
    direction
}

/// The sum of all rows, each as often as `weight` says.
fn weighted(vectors: &Matrix, weight: impl Fn(&[f32]) -> f32 + Sync) -> Vec<f32> {
    let dim = vectors.dim.max(1);
    let parts: Vec<Vec<f32>> = vectors
        .data
        .par_chunks(CHUNK * dim)
        .map(|chunk| {
            let mut sum = vec![0f32; dim];
            for row in chunk.chunks_exact(dim) {
                let weight = weight(row);
                sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += weight * x);
            }
            sum
        })
        .collect();
    let mut total = vec![0f32; vectors.dim];
    parts.iter().for_each(|part| total.iter_mut().zip(part).for_each(|(sum, x)| *sum += x));
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_part_what_differs_most() {
        let data =
            (0..20).flat_map(|i| if i % 2 == 0 { [1.0, 0.01 * i as f32] } else { [0.01 * i as f32, 1.0] });
        let (low, high) = halve(&Matrix { dim: 2, data: data.collect() }, 1);
        assert_eq!((low.len(), high.len()), (10, 10));
        assert!(low.iter().all(|row| row % 2 == low[0] % 2), "{low:?}");
    }

    #[test]
    fn anything_can_be_halved() {
        assert_eq!(halve(&Matrix::default(), 1), (vec![], vec![]));
        assert_eq!(halve(&Matrix::row(vec![f32::NAN]), 1), (vec![], vec![0]));
        assert_eq!(halve(&Matrix { dim: 2, data: vec![0.5; 8] }, 1), (vec![0, 1], vec![2, 3]));
    }
}
