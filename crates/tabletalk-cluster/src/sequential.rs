//! Rows in the order of a document, cut where the subject changes.

use crate::products::dot;
use crate::rows::{normalized, row_of};
use tabletalk_core::Matrix;

/// Rows on either side that are compared.
const WINDOW: usize = 3;

/// Runs of rows that follow each other, by how much the rows before and after a gap have in common: a gap is cut where that
/// is lowest nearby, and the dip is deeper than most. The time grows with the number of rows.
pub fn cut(vectors: &Matrix) -> Vec<Vec<u32>> {
    runs(&normalized(vectors))
}

/// The same for rows whose length is one, or zero.
pub(crate) fn runs(vectors: &Matrix) -> Vec<Vec<u32>> {
    let n = vectors.len();
    let alike: Vec<f32> = (1..n).map(|gap| alike(vectors, gap)).collect();
    let depths = depths(&alike);
    let least = usual(&depths);
    let mut runs: Vec<Vec<u32>> = Vec::new();
    for row in 0..n {
        let begins = row == 0 || depths[row - 1] > least && is_lowest(&alike, row - 1);
        match runs.last_mut() {
            Some(run) if !begins => run.push(row as u32),
            _ => runs.push(vec![row as u32]),
        }
    }
    runs
}

/// The cosine between the sums of the rows before and after a gap.
fn alike(vectors: &Matrix, gap: usize) -> f32 {
    let before = sum(vectors, gap.saturating_sub(WINDOW), gap);
    let after = sum(vectors, gap, (gap + WINDOW).min(vectors.len()));
    let norms = (dot(&before, &before) * dot(&after, &after)).sqrt();
    if norms > 0.0 { dot(&before, &after) / norms } else { 0.0 }
}

fn sum(vectors: &Matrix, from: usize, to: usize) -> Vec<f32> {
    let mut sum = vec![0.0; vectors.dim];
    (from..to).for_each(|row| sum.iter_mut().zip(row_of(vectors, row)).for_each(|(sum, x)| *sum += x));
    sum
}

/// How far each value lies below the nearest hilltops on both sides.
fn depths(alike: &[f32]) -> Vec<f32> {
    let left = hilltops(alike.iter().copied());
    let mut right = hilltops(alike.iter().rev().copied());
    right.reverse();
    alike.iter().zip(left.iter().zip(&right)).map(|(x, (left, right))| left + right - 2.0 * x).collect()
}

/// For each value the top of the slope that leads down to it.
fn hilltops(values: impl Iterator<Item = f32>) -> Vec<f32> {
    let (mut top, mut last) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    let mut found = Vec::new();
    for x in values {
        if x > last {
            top = x;
        }
        last = x;
        found.push(top);
    }
    found
}

fn is_lowest(alike: &[f32], at: usize) -> bool {
    (at == 0 || alike[at] <= alike[at - 1]) && (at + 1 >= alike.len() || alike[at] < alike[at + 1])
}

/// The mean, less half of the standard deviation, of depths that are any; at least a little.
fn usual(depths: &[f32]) -> f32 {
    let dips: Vec<f32> = depths.iter().copied().filter(|depth| *depth > 0.0).collect();
    let n = dips.len().max(1) as f32;
    let mean = dips.iter().sum::<f32>() / n;
    let variance = dips.iter().map(|depth| (depth - mean).powi(2)).sum::<f32>() / n;
    (mean - variance.sqrt() / 2.0).max(1e-4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_end_where_the_subject_changes() {
        let subject = |row: usize| {
            if row < 5 {
                [1.0, 0.0, 0.1]
            } else if row < 9 {
                [0.0, 1.0, 0.1]
            } else {
                [0.3, 0.0, 1.0]
            }
        };
        let data = (0..14).flat_map(subject).collect();
        let runs = cut(&Matrix { dim: 3, data });
        assert_eq!(runs, [(0..5).collect::<Vec<u32>>(), (5..9).collect(), (9..14).collect()]);
    }

    #[test]
    fn equal_rows_are_one_run() {
        assert_eq!(cut(&Matrix { dim: 2, data: vec![0.3; 20] }).len(), 1);
        assert!(cut(&Matrix::default()).is_empty());
        assert_eq!(cut(&Matrix::row(vec![f32::NAN])), [[0]]);
    }
}
