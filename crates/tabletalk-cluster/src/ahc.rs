//! Merging the two groups that differ least, again and again (Ward's method).
//!
//! All pairs are compared, so memory grows with the square of the rows. More than [`MOST`] rows are first cut into parts by
//! halving, and each part is clustered by itself: rows of different parts are never in one cluster.

use crate::halve::halve_normalized;
use crate::products::Packed;
use crate::rows::{normalized, some};
use crate::{Stop, never};
use kodama::{Dendrogram, Method, linkage};
use tabletalk_core::Matrix;

/// More rows than this are cut into parts first.
pub const MOST: usize = 8192;
/// Rows whose distances are made at a time.
const TALL: usize = 96;

/// At least two groups, if there are two different rows, and at most `most`: cut at the widest gap between the heights of
/// successive merges.
pub fn merge(vectors: &Matrix, most: usize, seed: u64) -> Vec<Vec<u32>> {
    groups(&normalized(vectors), most, seed, never()).unwrap_or_default()
}

/// The same for rows whose length is one, or zero. `None` if stopped.
pub(crate) fn groups(vectors: &Matrix, most: usize, seed: u64, stopped: Stop) -> Option<Vec<Vec<u32>>> {
    let mut groups = Vec::new();
    let mut parts = vec![(0..vectors.len() as u32).collect::<Vec<u32>>()];
    while let Some(part) = parts.pop() {
        if stopped() {
            return None;
        }
        let rows = some(vectors, &part);
        let name = |of: &[u32]| of.iter().map(|row| part[*row as usize]).collect::<Vec<u32>>();
        if part.len() > MOST {
            let (low, high) = halve_normalized(&rows, seed);
            parts.extend([name(&high), name(&low)]);
        } else {
            groups.extend(part_groups(&rows, most).iter().map(|group| name(group)));
        }
    }
    Some(groups)
}

fn part_groups(vectors: &Matrix, most: usize) -> Vec<Vec<u32>> {
    let n = vectors.len();
    if n < 2 || most < 2 {
        return vec![(0..n as u32).collect()];
    }
    let merges = linkage(&mut distances(vectors), n, Method::Ward);
    let heights: Vec<f32> = merges.steps().iter().map(|step| step.dissimilarity).collect();
    let groups = widest(&heights, n, most);
    assembled(&merges, n, n - groups)
}

/// The distances of all pairs, in the order (0, 1), (0, 2) ... (1, 2) ...
fn distances(vectors: &Matrix) -> Vec<f32> {
    let n = vectors.len();
    let packed = Packed::new(vectors.rows(), vectors.dim);
    let squares: Vec<f32> = vectors.rows().map(|row| row.iter().map(|x| x * x).sum()).collect();
    let mut all = Vec::with_capacity(n * (n - 1) / 2);
    let mut out = vec![0.0; TALL * packed.stride];
    for first in (0..n).step_by(TALL) {
        let rows = vectors.rows().skip(first).take(TALL);
        packed.multiply(rows, &mut out);
        for (row, products) in (first..n.min(first + TALL)).zip(out.chunks_exact(packed.stride)) {
            all.extend(
                (row + 1..n)
                    .map(|other| (squares[row] + squares[other] - 2.0 * products[other]).max(0.0).sqrt()),
            );
        }
    }
    all
}

/// How many groups there are if the merges end at the widest gap; one if all heights are zero.
fn widest(heights: &[f32], n: usize, most: usize) -> usize {
    if heights.last().is_none_or(|height| *height <= 1e-3) {
        return 1;
    }
    let gap = |groups: &usize| {
        let next = n - groups;
        heights[next] - if next == 0 { 0.0 } else { heights[next - 1] }
    };
    (2..=most.min(n)).rev().max_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap_or(1)
}

/// The groups after so many merges.
fn assembled(merges: &Dendrogram<f32>, n: usize, count: usize) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = (0..n as u32).map(|row| vec![row]).collect();
    for step in &merges.steps()[..count] {
        let (mut one, mut other) =
            (std::mem::take(&mut groups[step.cluster1]), std::mem::take(&mut groups[step.cluster2]));
        if one.len() < other.len() {
            std::mem::swap(&mut one, &mut other);
        }
        one.append(&mut other);
        groups.push(one);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::blobs;

    #[test]
    fn blobs_are_groups() {
        let mut groups = merge(&blobs(60, 3, 8, 0.2, 5), 20, 1);
        groups.iter_mut().for_each(|group| group.sort());
        groups.sort();
        assert_eq!(groups.len(), 3);
        assert!(groups.iter().enumerate().all(|(i, group)| group.iter().all(|row| *row as usize % 3 == i)));
    }

    #[test]
    fn equal_rows_are_one_group() {
        assert_eq!(merge(&Matrix { dim: 2, data: vec![0.3; 12] }, 10, 1).len(), 1);
        assert_eq!(merge(&Matrix::row(vec![f32::NAN]), 10, 1), [[0]]);
        assert_eq!(merge(&Matrix { dim: 1, data: vec![1.0, -1.0] }, 10, 1).len(), 2);
    }
}
