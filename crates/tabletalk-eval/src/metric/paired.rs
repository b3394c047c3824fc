//! Whether one run is better than another on the same questions.

use super::mean::{Draw, Mean};
use serde::{Deserialize, Serialize};

/// How often signs are flipped at random.
const FLIPS: u32 = 10_000;
/// Up to so many pairs that differ, all ways to flip their signs are tried.
const ALL: usize = 12;

/// The difference between two runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Paired {
    /// By how much the later one is higher, on average.
    pub difference: f64,
    /// The lower end of its 95 % confidence interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// How likely a difference at least so large, either way, is if the runs are equally good.
    pub p: f64,
}

impl Paired {
    /// Whether chance alone would seldom give such a difference.
    pub fn is_clear(&self) -> bool {
        self.p < 0.05
    }

    /// Compares two runs question by question; what one has more than the other is left out.
    ///
    /// If the runs are equally good, each difference might as well have the other sign. `p` is the share of
    /// all ways to choose the signs that give a mean at least as far from 0: of all of them where few
    /// questions differ, of ten thousand random ones otherwise, the one that is there counted among them, so
    /// that it is never 0.
    pub fn of(before: &[f64], after: &[f64]) -> Paired {
        let differences: Vec<f64> = before.iter().zip(after).map(|(before, after)| after - before).collect();
        let mean = Mean::of(&differences);
        let moved: Vec<f64> = differences.into_iter().filter(|difference| *difference != 0.0).collect();
        let p = if moved.len() <= ALL { exact(&moved) } else { random(&moved) };
        Paired { difference: mean.mean, low: mean.low, high: mean.high, p }
    }
}

/// The least sum that is as far from 0 as that of the differences, but for the noise of adding in another
/// order.
fn bound(moved: &[f64]) -> f64 {
    let size: f64 = moved.iter().map(|difference| difference.abs()).sum();
    moved.iter().sum::<f64>().abs() - 1e-12 * size
}

fn exact(moved: &[f64]) -> f64 {
    let (bound, all) = (bound(moved), 1u64 << moved.len());
    let far = (0..all).filter(|signs| flipped(moved, *signs).abs() >= bound).count();
    far as f64 / all as f64
}

fn random(moved: &[f64]) -> f64 {
    let bound = bound(moved);
    let mut draw = Draw::new();
    let size = moved.first().map_or(0.0, |first| first.abs());
    let is_even = moved.iter().all(|difference| difference.abs() == size);
    let mut sum = || {
        if is_even { size * walk(moved.len(), &mut draw) } else { flipped_all(moved, &mut draw) }
    };
    let far = (0..FLIPS).filter(|_| sum().abs() >= bound).count();
    (far + 1) as f64 / f64::from(FLIPS + 1)
}

/// The sum with the signs flipped where a bit is set; up to 64 differences.
fn flipped(moved: &[f64], signs: u64) -> f64 {
    let sign = |at: usize| ((signs >> at) & 1) << 63;
    moved.iter().enumerate().map(|(at, difference)| f64::from_bits(difference.to_bits() ^ sign(at))).sum()
}

fn flipped_all(moved: &[f64], draw: &mut Draw) -> f64 {
    moved.chunks(64).map(|part| flipped(part, draw.bits())).sum()
}

/// Where one stands after so many steps of one length forwards or backwards.
fn walk(steps: usize, draw: &mut Draw) -> f64 {
    let whole: u64 = (0..steps / 64).map(|_| u64::from(draw.bits().count_ones())).sum();
    let rest = draw.bits() & ((1u64 << (steps % 64)) - 1);
    2.0 * (whole + u64::from(rest.count_ones())) as f64 - steps as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_runs_do_not_differ() {
        let same = Paired::of(&[1.0, 0.0, 1.0], &[1.0, 0.0, 1.0]);
        assert_eq!(same, Paired { difference: 0.0, low: 0.0, high: 0.0, p: 1.0 });
        assert_eq!(Paired::of(&[], &[]).p, 1.0);
    }

    #[test]
    fn few_differences_are_judged_exactly() {
        assert_eq!(Paired::of(&[0.0; 3], &[1.0; 3]).p, 0.25);
        assert_eq!(Paired::of(&[0.0, 0.0, 0.0, 1.0], &[1.0, 1.0, 1.0, 0.0]).p, 10.0 / 16.0);
        // Of the eight sums of 1, 2 and 4 with either sign only 7, -7, 5 and -5 are as far as 5.
        assert_eq!(Paired::of(&[1.0, 0.0, 0.0], &[0.0, 2.0, 4.0]).p, 0.5);
        assert_eq!(Paired::of(&[0.1, 0.2, 0.3], &[0.0, 0.0, 0.0]).p, 0.25);
    }

    #[test]
    fn a_clear_difference_is_unlikely_by_chance() {
        let before: Vec<f64> = (0..200).map(|i| f64::from(u8::from(i % 2 == 0))).collect();
        let better = Paired::of(&before, &vec![1.0; 200]);
        assert!(better.p <= 1.0 / 10_000.0 && better.p > 0.0);
        assert!(better.low > 0.4 && better.high < 0.6 && better.difference == 0.5);
        let slower: Vec<f64> = (0..200).map(|i| f64::from(i) * 1.01 + 1.0).collect();
        let fast: Vec<f64> = (0..200).map(f64::from).collect();
        assert!(Paired::of(&fast, &slower).p < 0.001);
    }

    #[test]
    fn random_flips_come_near_to_the_exact_value() {
        // 9 of 13 go up: the chance of at least 9 or at most 4 of 13 is 0.2668.
        let after: Vec<f64> = (0..13).map(|i| if i < 9 { 1.0 } else { -1.0 }).collect();
        assert!((Paired::of(&[0.0; 13], &after).p - 0.2668).abs() < 0.015);
        let uneven: Vec<f64> = after.iter().enumerate().map(|(i, v)| v + 1e-7 * i as f64).collect();
        assert!((Paired::of(&[0.0; 13], &uneven).p - exact(&uneven)).abs() < 0.015);
    }
}
