//! How often what is said of statements is right.
//!
//! A pair holds the right label and the given one. A label that is given but never right (or an empty one,
//! where nothing was said) makes a miss and has no figure of its own.

use super::mean::Mean;

/// The mean over all labels that are right somewhere of their F1, so that a rare label counts as much as
/// others.
pub fn macro_f1<L: PartialEq>(pairs: &[(L, L)]) -> f64 {
    let codes = Codes::of(pairs);
    codes.macro_f1(&mut (0..pairs.len()))
}

/// The same with its confidence interval.
pub fn macro_f1_mean<L: PartialEq>(pairs: &[(L, L)]) -> Mean {
    let codes = Codes::of(pairs);
    Mean::of_statistic(pairs.len(), &|drawn| codes.macro_f1(&mut drawn.iter().copied()))
}

/// Labels as numbers: those that are right somewhere from 0, all others the number after them.
struct Codes {
    pairs: Vec<(usize, usize)>,
    labels: usize,
}

impl Codes {
    fn of<L: PartialEq>(pairs: &[(L, L)]) -> Codes {
        let mut labels: Vec<&L> = Vec::new();
        for (gold, _) in pairs {
            if !labels.contains(&gold) {
                labels.push(gold);
            }
        }
        let code = |label: &L| labels.iter().position(|one| *one == label).unwrap_or(labels.len());
        let codes = pairs.iter().map(|(gold, given)| (code(gold), code(given))).collect();
        Codes { pairs: codes, labels: labels.len() }
    }

    /// Over the pairs at some places, and the labels that are right among them.
    fn macro_f1(&self, places: &mut dyn Iterator<Item = usize>) -> f64 {
        let (mut right, mut gold, mut given) =
            (vec![0u32; self.labels + 1], vec![0u32; self.labels + 1], vec![0u32; self.labels + 1]);
        for (is, said) in places.filter_map(|place| self.pairs.get(place)) {
            gold[*is] += 1;
            given[*said] += 1;
            right[*is] += u32::from(is == said);
        }
        let f1 = |label: usize| 2.0 * f64::from(right[label]) / f64::from(gold[label] + given[label]);
        let figures: Vec<f64> = (0..self.labels).filter(|label| gold[*label] > 0).map(f1).collect();
        figures.iter().sum::<f64>() / figures.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_labels_count_as_much_as_others() {
        let pairs = [("yes", "yes"), ("yes", "yes"), ("yes", "no"), ("no", "yes")];
        assert!((macro_f1(&pairs) - (2.0 * 2.0 / 6.0) / 2.0).abs() < 1e-12);
        assert_eq!(macro_f1(&[("yes", "yes"), ("no", "no")]), 1.0);
    }

    #[test]
    fn a_label_that_is_never_right_has_no_figure() {
        let pairs = [("yes", "yes"), ("yes", "unknown"), ("no", "no"), ("no", "")];
        assert!((macro_f1(&pairs) - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(macro_f1::<&str>(&[]), 0.0);
    }

    #[test]
    fn the_interval_holds_the_figure() {
        let pairs: Vec<(u8, u8)> = (0..200u8).map(|i| (i % 3, if i % 5 == 0 { 0 } else { i % 3 })).collect();
        let mean = macro_f1_mean(&pairs);
        assert_eq!(mean.mean, macro_f1(&pairs));
        assert!(mean.low < mean.mean && mean.mean < mean.high && mean.high - mean.low < 0.2);
    }
}
