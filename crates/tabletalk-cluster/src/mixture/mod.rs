//! A mixture of Gaussians with full covariances: how likely is it that a point belongs to each?
//!
//! Fitted by expectation and maximisation from clusters of k-means. Points are kept in blocks of sixteen that lie near
//! each other, dimension by dimension, so that one register holds sixteen points; a Gaussian that is too far from a
//! block to matter for any of its points is left as soon as that is known.

mod fit;
mod gaussians;
mod pass;
mod start;

use crate::random::Random;
use crate::rows::{finite, some};
use crate::{Stop, never};
use gaussians::{Blocks, Gaussians};
use rayon::prelude::*;
use tabletalk_core::Matrix;

/// More rows than this are not all looked at to choose a number of Gaussians: a sample of as many is.
pub const SAMPLE: usize = 10_000;

/// So many numbers of Gaussians with the lowest BIC are tried again ...
const CLOSE: usize = 8;
/// ... from so many other starts.
const STARTS: u64 = 3;

/// Gaussians, and how well they describe the points they were fitted to.
#[derive(Debug, Clone)]
pub struct Mixture {
    gaussians: Gaussians,
    log_likelihood: f64,
    rows: usize,
}

/// Fits `k` Gaussians, or as many as there are points if those are fewer.
pub fn fit(points: &Matrix, k: usize, seed: u64) -> Mixture {
    let points = finite(points);
    let k = k.clamp(1, points.len().clamp(1, usize::from(u16::MAX)));
    let start = start::Start::new(&points, k, seed);
    fitted(&start, points.len(), k, never()).unwrap_or_else(|| nothing(points.dim))
}

/// The mixture with the lowest BIC of all with 1 up to `max` Gaussians.
///
/// Every number is tried, and those that did best from several starts. Of more than [`SAMPLE`] points a sample decides which number it is, and that many Gaussians are
/// then fitted to all.
pub fn choose(points: &Matrix, max: usize, seed: u64) -> Mixture {
    choose_until(points, max, seed, never()).unwrap_or_else(|| nothing(points.dim))
}

/// The same, or `None` if stopped.
pub(crate) fn choose_until(points: &Matrix, max: usize, seed: u64, stopped: Stop) -> Option<Mixture> {
    let points = finite(points);
    if points.len() <= SAMPLE {
        return best(&points, max, seed, stopped);
    }
    let k = best(&some(&points, &sample(points.len(), seed)), max, seed, stopped)?.components();
    fitted(&start::Start::new(&points, k, seed), points.len(), k, stopped)
}

/// The best mixture of all numbers of Gaussians, with more starts for the numbers that did best: how well a fit ends depends
/// on where it begins.
fn best(points: &Matrix, max: usize, seed: u64, stopped: Stop) -> Option<Mixture> {
    let max = max.clamp(1, points.len().clamp(1, 1024));
    let first = start::Start::new(points, max, seed);
    let mut all = all(points, (1..=max).map(|k| (&first, k)).collect(), stopped)?;
    all.sort_by(|a, b| a.bic().total_cmp(&b.bic()));
    let close: Vec<usize> = all.iter().take(CLOSE).map(Mixture::components).collect();
    let most = close.iter().copied().max().unwrap_or(1);
    let starts: Vec<_> =
        (1..=STARTS).map(|i| start::Start::new(points, most, seed.wrapping_add(i))).collect();
    let again = starts.iter().flat_map(|start| close.iter().map(move |k| (start, *k))).collect();
    all.extend(self::all(points, again, stopped)?);
    all.into_iter().min_by(|a, b| a.bic().total_cmp(&b.bic()))
}

/// Mixtures from these starts, of so many Gaussians. The longest come first, so that none is waited for at the end.
fn all(points: &Matrix, mut wanted: Vec<(&start::Start, usize)>, stopped: Stop) -> Option<Vec<Mixture>> {
    wanted.sort_by_key(|(_, k)| std::cmp::Reverse(*k));
    wanted.par_iter().with_max_len(1).map(|(start, k)| fitted(start, points.len(), *k, stopped)).collect()
}

fn fitted(start: &start::Start, rows: usize, k: usize, stopped: Stop) -> Option<Mixture> {
    let (gaussians, log_likelihood) = fit::fit(start, k, stopped)?;
    Some(Mixture { gaussians, log_likelihood, rows })
}

fn nothing(dim: usize) -> Mixture {
    Mixture { gaussians: Gaussians::none(dim), log_likelihood: 0.0, rows: 0 }
}

/// Some rows, in order: one of each of as many equal stretches.
fn sample(rows: usize, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed, 0x5a3b);
    let bound = |i: usize| i * rows / SAMPLE;
    (0..SAMPLE).map(|i| (bound(i) + random.below(bound(i + 1) - bound(i))) as u32).collect()
}

impl Mixture {
    /// How many Gaussians there are.
    pub fn components(&self) -> usize {
        self.gaussians.k
    }

    /// The mean logarithm of the likelihood of a point it was fitted to.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// The Bayesian information criterion: lower is better.
    pub fn bic(&self) -> f64 {
        let (k, d, n) = (self.gaussians.k as f64, self.gaussians.dim as f64, self.rows as f64);
        let free = k * (d + d * (d + 1.0) / 2.0 + 1.0) - 1.0;
        free * n.max(1.0).ln() - 2.0 * n * self.log_likelihood
    }

    /// For each Gaussian the rows that belong to it: with a probability over `threshold`, or with no higher one elsewhere.
    /// With `single` only the latter. Gaussians without rows are left out.
    pub fn memberships(&self, points: &Matrix, threshold: f32, single: bool) -> Vec<Vec<u32>> {
        let points = finite(points);
        let mut rows_of = vec![Vec::new(); self.gaussians.k];
        if points.dim != self.gaussians.dim {
            return rows_of;
        }
        let blocks = Blocks::new(points.rows(), points.dim);
        for (row, of) in pass::memberships(&self.gaussians, &blocks, threshold, single).iter().enumerate() {
            of.iter().for_each(|k| rows_of[usize::from(*k)].push(row as u32));
        }
        rows_of.retain(|rows| !rows.is_empty());
        rows_of
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::blobs;

    #[test]
    fn the_lowest_bic_finds_the_number_of_blobs() {
        for k in [1, 2, 5, 9] {
            let points = blobs(600, k, 4, 0.3, k as u64);
            let mixture = choose(&points, 15, 1);
            assert_eq!(mixture.components(), k);
            let mut groups = mixture.memberships(&points, 0.1, true);
            groups.sort();
            assert!(groups.iter().enumerate().all(|(i, rows)| rows.iter().all(|row| *row as usize % k == i)));
        }
    }

    #[test]
    fn one_gaussian_is_the_mean_and_the_covariance() {
        // The mean log-likelihood of any data under its own Gaussian: -(d ln 2πe + ln det) / 2.
        let points = blobs(400, 1, 1, 2.0, 3);
        let mean = points.data.iter().sum::<f32>() / 400.0;
        let variance = f64::from(points.data.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 400.0);
        let wanted = -0.5 * ((2.0 * std::f64::consts::PI * variance).ln() + 1.0);
        assert!((fit(&points, 1, 1).log_likelihood() - wanted).abs() < 1e-3);
    }

    #[test]
    fn between_two_blobs_is_in_both() {
        let data = (0..200)
            .map(|i| if i % 2 == 0 { -2.0 } else { 2.0 } + (i / 2 % 10) as f32 * 0.2 - 0.9)
            .chain([0.0]);
        let points = Matrix { dim: 1, data: data.collect() };
        let groups = fit(&points, 2, 1).memberships(&points, 0.1, false);
        assert!(groups.iter().all(|rows| rows.contains(&200)), "{groups:?}");
        let alone = fit(&points, 2, 1).memberships(&points, 0.1, true);
        assert_eq!(alone.iter().map(Vec::len).sum::<usize>(), 201);
    }

    #[test]
    fn anything_can_be_fitted() {
        for data in [vec![], vec![1.0], vec![f32::NAN; 4], vec![3.0; 60], vec![1e30, -1e30, 0.0, 1e-30]] {
            let points = Matrix { dim: 2, data };
            for k in [0, 1, 2, 50] {
                let mixture = fit(&points, k, 1);
                assert!(mixture.log_likelihood().is_finite());
                let rows: usize = mixture.memberships(&points, 0.5, true).iter().map(Vec::len).sum();
                assert_eq!(rows, points.len());
            }
        }
        assert!(choose(&Matrix::default(), 5, 1).bic().is_finite());
    }
}
