//! Means with confidence intervals.

use serde::{Deserialize, Serialize};

/// How often values are drawn again for an interval.
const DRAWS: usize = 1000;

/// A mean, or another figure over many questions, with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Mean {
    /// Whether it can be drawn.
    pub fn is_finite(&self) -> bool {
        [self.mean, self.low, self.high].iter().all(|v| v.is_finite())
    }

    /// The mean of some values, 0 for none; the interval is found by drawing them again a thousand times.
    pub fn of(values: &[f64]) -> Mean {
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        if values.len() < 2 {
            return Mean { mean, low: mean, high: mean };
        }
        let mut draw = Draw::new();
        if values.iter().all(|value| matches!(value, 0.0 | 1.0)) {
            let ones = values.iter().filter(|value| **value == 1.0).count();
            return Mean::within(mean, Hits::new(ones, values.len()).shares(&mut draw));
        }
        Mean::within(mean, (0..DRAWS).map(|_| drawn_mean(values, &mut draw)).collect())
    }

    /// A figure over `n` questions that is no mean of theirs; it is computed for the places of those drawn.
    pub fn of_statistic(n: usize, statistic: &dyn Fn(&[usize]) -> f64) -> Mean {
        let mut places: Vec<usize> = (0..n).collect();
        let mean = statistic(&places);
        if n < 2 {
            return Mean { mean, low: mean, high: mean };
        }
        let mut draw = Draw::new();
        let mut again = || {
            places.iter_mut().for_each(|place| *place = draw.below(n));
            statistic(&places)
        };
        Mean::within(mean, (0..DRAWS).map(|_| again()).collect())
    }

    /// With the interval that holds the middle 95 % of the figures drawn.
    fn within(mean: f64, mut drawn: Vec<f64>) -> Mean {
        drawn.sort_by(f64::total_cmp);
        let at = |place: usize| drawn.get(place).copied().unwrap_or(mean);
        Mean { mean, low: at(DRAWS / 40), high: at(DRAWS - DRAWS / 40 - 1) }
    }
}

/// The mean of as many values, each drawn from all.
fn drawn_mean(values: &[f64], draw: &mut Draw) -> f64 {
    let n = values.len();
    let (mut even, mut odd) = (0.0, 0.0);
    for _ in 0..n / 2 {
        let (one, two) = draw.two_below(n);
        even += values[one];
        odd += values[two];
    }
    if n % 2 == 1 {
        even += values[draw.below(n)];
    }
    (even + odd) / n as f64
}

/// How many ones come when a set of noughts and ones is drawn again. Their number follows the binomial
/// distribution, so one draw by its cumulative chances stands for drawing each value.
struct Hits {
    /// For each number of ones, how likely so many or fewer are; not yet divided by the last.
    chances: Vec<f64>,
}

impl Hits {
    /// The likeliest number is the one there is; others follow from it by the ratio of neighbours.
    fn new(ones: usize, n: usize) -> Hits {
        let (hits, misses) = (ones as f64, (n - ones) as f64);
        let mut chances = vec![0.0; n + 1];
        chances[ones] = 1.0;
        for k in ones..n {
            chances[k + 1] = chances[k] * ((n - k) as f64 * hits) / ((k + 1) as f64 * misses.max(1.0));
        }
        for k in (1..=ones).rev() {
            chances[k - 1] = chances[k] * (k as f64 * misses) / ((n - k + 1) as f64 * hits.max(1.0));
        }
        let mut sum = 0.0;
        chances.iter_mut().for_each(|chance| {
            sum += *chance;
            *chance = sum;
        });
        Hits { chances }
    }

    /// Shares of ones, drawn again and again.
    fn shares(&self, draw: &mut Draw) -> Vec<f64> {
        let (n, all) = (self.chances.len() - 1, self.chances.last().copied().unwrap_or(1.0));
        let mut one = || {
            let at = draw.share() * all;
            self.chances.partition_point(|chance| *chance <= at).min(n) as f64 / n as f64
        };
        (0..DRAWS).map(|_| one()).collect()
    }
}

/// A small generator with a fixed seed, so that a report can be made again to the digit: a counter whose bits
/// are mixed well.
pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn new() -> Draw {
        Draw(STEP)
    }

    /// 64 random bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`; sets have fewer than four thousand million questions.
    fn below(&mut self, n: usize) -> usize {
        self.two_below(n).0
    }

    fn two_below(&mut self, n: usize) -> (usize, usize) {
        let (bits, n) = (self.bits(), n as u64);
        ((((bits >> 32) * n) >> 32) as usize, (((bits & 0xFFFF_FFFF) * n) >> 32) as usize)
    }

    /// A number from 0 up to but not including 1.
    fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_holds_the_mean_and_shrinks_with_more_values() {
        let some: Vec<f64> = (0..50).map(|i| f64::from(i % 2)).collect();
        let many: Vec<f64> = (0..5000).map(|i| f64::from(i % 2)).collect();
        let (some, many) = (Mean::of(&some), Mean::of(&many));
        assert!(some.low < 0.5 && 0.5 < some.high);
        assert!(many.high - many.low < some.high - some.low);
    }

    #[test]
    fn few_values_have_no_interval() {
        assert_eq!(Mean::of(&[]), Mean { mean: 0.0, low: 0.0, high: 0.0 });
        assert_eq!(Mean::of(&[3.0]), Mean { mean: 3.0, low: 3.0, high: 3.0 });
        assert_eq!(Mean::of(&[1.0; 9]), Mean { mean: 1.0, low: 1.0, high: 1.0 });
        assert_eq!(Mean::of(&[0.0; 9]), Mean { mean: 0.0, low: 0.0, high: 0.0 });
    }

    #[test]
    fn noughts_and_ones_have_the_interval_of_all_values() {
        for (n, every) in [(40, 3), (999, 10), (12_792, 2)] {
            let values: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % every == 0))).collect();
            let quick = Mean::of(&values);
            let mut draw = Draw::new();
            let slow = Mean::within(quick.mean, (0..DRAWS).map(|_| drawn_mean(&values, &mut draw)).collect());
            let width = 1.96 * (quick.mean * (1.0 - quick.mean) / f64::from(n)).sqrt();
            assert!((quick.low - slow.low).abs() < 0.25 * width, "{quick:?} {slow:?}");
            assert!((quick.high - slow.high).abs() < 0.25 * width, "{quick:?} {slow:?}");
        }
    }

    #[test]
    fn a_figure_made_again_is_the_same_to_the_digit() {
        let values: Vec<f64> = (0..321).map(|i| f64::from(i).sqrt()).collect();
        assert_eq!(Mean::of(&values), Mean::of(&values));
        let statistic = |drawn: &[usize]| drawn.iter().map(|i| values[*i]).sum::<f64>() / 321.0;
        let other = Mean::of_statistic(321, &statistic);
        assert!((other.mean - Mean::of(&values).mean).abs() < 1e-12);
        assert!((other.low - Mean::of(&values).low).abs() < 0.1);
    }
}
