//! How good a ranking is.

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

    /// The share of the first `k` that is relevant. Where fewer than `k` were returned it is still divided by
    /// `k`: a place that stays empty counts as one that is not relevant, so that figures of different
    /// searches can be compared.
    pub fn precision(&self, k: usize) -> f64 {
        self.within(k) as f64 / k.max(1) as f64
    }

    /// The harmonic mean of precision and recall among the first `k`; 0 where nothing relevant is among them.
    pub fn f1(&self, k: usize) -> f64 {
        2.0 * self.within(k) as f64 / (k + self.relevant).max(1) as f64
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
        // An empty sum is minus zero.
        if ideal == 0.0 { 0.0 } else { got / ideal + 0.0 }
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
    fn f1_is_the_harmonic_mean_of_precision_and_recall() {
        let ranks = Ranks { found: vec![0, 3], relevant: 3 };
        let (p, r) = (ranks.precision(5), ranks.recall(5));
        assert!((ranks.f1(5) - 2.0 * p * r / (p + r)).abs() < 1e-12);
        let none = Ranks { found: vec![], relevant: 0 };
        assert_eq!((none.f1(5), none.f1(0), none.precision(0)), (0.0, 0.0, 0.0));
    }
}
