//! Figures of merit, with confidence intervals.

use serde::Serialize;

/// A mean with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Mean {
    /// The mean of some values; the interval is found by drawing them again a thousand times.
    pub fn of(values: &[f64]) -> Mean {
        let mean = |v: &mut dyn Iterator<Item = f64>| v.sum::<f64>() / values.len().max(1) as f64;
        let centre = mean(&mut values.iter().copied());
        if values.len() < 2 {
            return Mean { mean: centre, low: centre, high: centre };
        }
        let mut draw = Draw(0x9E37_79B9_7F4A_7C15);
        let mut means: Vec<f64> = (0..1000)
            .map(|_| mean(&mut (0..values.len()).map(|_| values[draw.below(values.len())])))
            .collect();
        means.sort_by(f64::total_cmp);
        Mean { mean: centre, low: means[25], high: means[974] }
    }
}

/// A small generator with a fixed seed, so that a report can be made again to the digit.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// The ranks (from 0) at which the relevant documents were found, and how many there are.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranks {
    /// Ranks of relevant documents, ascending.
    pub found: Vec<usize>,
    /// How many documents are relevant.
    pub relevant: usize,
}

impl Ranks {
    /// The share of the relevant documents among the first `k`.
    pub fn recall(&self, k: usize) -> f64 {
        self.within(k) as f64 / self.relevant.max(1) as f64
    }

    /// The share of the first `k` that is relevant.
    pub fn precision(&self, k: usize) -> f64 {
        self.within(k) as f64 / k.max(1) as f64
    }

    /// One over the rank of the first relevant document.
    pub fn reciprocal(&self) -> f64 {
        self.found.first().map_or(0.0, |r| 1.0 / (*r as f64 + 1.0))
    }

    /// Normalised discounted cumulative gain among the first `k`.
    pub fn ndcg(&self, k: usize) -> f64 {
        let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
        let ideal: f64 = (0..self.relevant.min(k)).map(gain).sum();
        let got: f64 = self.found.iter().filter(|r| **r < k).map(|r| gain(*r)).sum();
        if ideal == 0.0 { 0.0 } else { got / ideal }
    }

    fn within(&self, k: usize) -> usize {
        self.found.iter().filter(|r| **r < k).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_a_ranking() {
        let ranks = Ranks { found: vec![0, 3], relevant: 2 };
        assert_eq!(ranks.recall(1), 0.5);
        assert_eq!(ranks.recall(10), 1.0);
        assert_eq!(ranks.precision(4), 0.5);
        assert_eq!(ranks.reciprocal(), 1.0);
        let ideal = 1.0 + 1.0 / 3f64.log2();
        assert!((ranks.ndcg(10) - (1.0 + 1.0 / 5f64.log2()) / ideal).abs() < 1e-12);
        assert_eq!(Ranks { found: vec![], relevant: 1 }.ndcg(10), 0.0);
    }

    #[test]
    fn the_interval_holds_the_mean_and_shrinks_with_more_values() {
        let some: Vec<f64> = (0..50).map(|i| f64::from(i % 2)).collect();
        let many: Vec<f64> = (0..5000).map(|i| f64::from(i % 2)).collect();
        let (some, many) = (Mean::of(&some), Mean::of(&many));
        assert!(some.low < 0.5 && 0.5 < some.high);
        assert!(many.high - many.low < some.high - some.low);
    }
}
