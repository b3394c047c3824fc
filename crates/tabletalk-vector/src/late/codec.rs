//! A token vector as the number of its centroid and a few bits for each number of what is left over.

use super::kmeans::{Tree, pick};
use half::f16;
use half::slice::HalfFloatSliceExt;
use pulp::Arch;
use rayon::prelude::*;

/// Rows the steps of the leftovers are learnt from.
const ROWS: usize = 4096;
/// Tokens of the sample there must be for each centroid: with fewer, what is left over of the sample says little about
/// what will be left over of other tokens.
const EACH: usize = 8;
/// Numbers worked on at a time.
const LANES: usize = 16;
/// Rounds of moving the steps to where they err least.
const ROUNDS: usize = 20;
/// Every index begins from the same seed, so that the same documents give the same index.
const SEED: u64 = 0x7AB1_E7A1;

/// Turns token vectors into codes and back.
#[derive(Debug)]
pub(super) struct Codec {
    pub(super) dim: usize,
    pub(super) bits: u8,
    pub(super) tree: Tree,
    /// The usual size of what is left over, for each dimension: some are far wider than others.
    pub(super) scales: Vec<f32>,
    /// The values a leftover can have after compression, in ascending order, in units of its scale.
    pub(super) steps: Vec<f32>,
    /// The values of the leftovers in a byte, for every byte.
    table: Vec<f32>,
}

/// Compressed rows.
#[derive(Debug, Default)]
pub(super) struct Codes {
    /// The centroid of each row.
    pub(super) centroids: Vec<u16>,
    /// The leftovers, row after row.
    pub(super) rest: Vec<u8>,
}

impl Codec {
    /// Learns from the rows of `sample`, which are finite.
    pub(super) fn learn(sample: &[f16], dim: usize, centroids: usize, bits: u8) -> Codec {
        let tree = Tree::learn(sample, dim, centroids.min(sample.len() / dim / EACH).max(1), SEED);
        let picked = pick(sample.len() / dim, ROWS, SEED);
        let rows: Vec<f32> =
            picked.iter().flat_map(|i| sample[*i as usize * dim..][..dim].to_f32_vec()).collect();
        let mut rest = leftovers(&tree, &rows, &tree.assign(&rows));
        let scales = scales(&rest, dim);
        rest.chunks_exact_mut(dim).for_each(|row| row.iter_mut().zip(&scales).for_each(|(x, s)| *x /= s));
        Codec::new(dim, bits, tree, scales, steps(rest, 1 << bits))
    }

    /// A codec of known parts.
    pub(super) fn new(dim: usize, bits: u8, tree: Tree, scales: Vec<f32>, steps: Vec<f32>) -> Codec {
        let mask = (1usize << bits) - 1;
        let places = (0..8).step_by(usize::from(bits));
        let table = (0..256usize)
            .flat_map(|byte| places.clone().map(move |place| (byte >> place) & mask))
            .map(|code| steps.get(code).copied().unwrap_or(0.0))
            .collect();
        Codec { dim, bits, tree, scales, steps, table }
    }

    /// Bytes the leftovers of a row take.
    pub(super) fn bytes(&self) -> usize {
        bytes(self.dim, self.bits)
    }

    /// Compresses rows.
    pub(super) fn encode(&self, rows: &[f32]) -> Codes {
        let centroids = self.tree.assign(rows);
        let mut rest = vec![0; centroids.len() * self.bytes()];
        let cuts: Vec<f32> = self.steps.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0).collect();
        rest.par_chunks_exact_mut(self.bytes())
            .zip(rows.par_chunks_exact(self.dim))
            .zip(&centroids)
            .for_each(|((out, row), centroid)| self.pack(row, *centroid, &cuts, out));
        Codes { centroids, rest }
    }

    fn pack(&self, row: &[f32], centroid: u16, cuts: &[f32], out: &mut [u8]) {
        let point = &self.tree.points.rows[usize::from(centroid) * self.dim..][..self.dim];
        let per = 8 / usize::from(self.bits);
        let parts = row.chunks(per).zip(point.chunks(per)).zip(self.scales.chunks(per));
        for (byte, ((row, point), scales)) in out.iter_mut().zip(parts) {
            for (i, ((x, c), scale)) in row.iter().zip(point).zip(scales).enumerate() {
                *byte |= step(cuts, (x - c) / scale) << (i * usize::from(self.bits));
            }
        }
    }

    /// Replaces `out` by the rows of codes, their lengths one again. A centroid that does not exist gives zeros.
    pub(super) fn decode(&self, centroids: &[u16], rest: &[u8], out: &mut Vec<f32>) {
        out.clear();
        out.resize(centroids.len() * self.dim, 0.0);
        let decode = match self.bits {
            1 => Self::rows::<8>,
            2 => Self::rows::<4>,
            4 => Self::rows::<2>,
            _ => Self::rows::<1>,
        };
        decode(self, centroids, rest, out);
    }

    /// Rows with `PER` leftovers in a byte.
    fn rows<const PER: usize>(&self, centroids: &[u16], rest: &[u8], out: &mut [f32]) {
        let rows = out.chunks_exact_mut(self.dim).zip(rest.chunks_exact(self.bytes())).zip(centroids);
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for ((row, rest), centroid) in rows {
                    let first = usize::from(*centroid) * self.dim;
                    if let Some(point) = self.tree.points.rows.get(first..first + self.dim) {
                        self.row::<PER>(point, rest, row);
                    }
                }
            },
        );
    }

    /// A centroid and the leftovers of a token. A row is worked on sixteen numbers at a time, as processors do.
    #[inline(always)]
    fn row<const PER: usize>(&self, point: &[f32], rest: &[u8], row: &mut [f32]) {
        let table = self.table.as_chunks::<PER>().0;
        let (whole, part) = row.as_chunks_mut::<PER>();
        whole.iter_mut().zip(rest).for_each(|(values, byte)| *values = table[usize::from(*byte)]);
        if let Some(byte) = rest.get(whole.len()) {
            part.iter_mut().zip(table[usize::from(*byte)]).for_each(|(x, value)| *x = value);
        }
        let mut squares = [0f32; LANES];
        let (points, last_point) = point.as_chunks::<LANES>();
        let (scales, last_scales) = self.scales.as_chunks::<LANES>();
        let (rows, last_row) = row.as_chunks_mut::<LANES>();
        for ((row, point), scales) in rows.iter_mut().zip(points).zip(scales) {
            add(row, point, scales, &mut squares);
        }
        add(last_row, last_point, last_scales, &mut squares);
        let norm = squares.iter().sum::<f32>().sqrt();
        let inverse = if norm > 0.0 { 1.0 / norm } else { 0.0 };
        row.iter_mut().for_each(|x| *x *= inverse);
    }
}

/// Turns leftovers in units of their scale into the numbers of a row, and adds up their squares.
#[inline(always)]
fn add(row: &mut [f32], point: &[f32], scales: &[f32], squares: &mut [f32; LANES]) {
    for (((x, c), scale), square) in row.iter_mut().zip(point).zip(scales).zip(squares) {
        *x = c + scale * *x;
        *square += *x * *x;
    }
}

/// Bytes the leftovers of a row take.
pub(super) fn bytes(dim: usize, bits: u8) -> usize {
    (dim * usize::from(bits)).div_ceil(8)
}

/// What is left of each row when its centroid is taken away.
fn leftovers(tree: &Tree, rows: &[f32], centroids: &[u16]) -> Vec<f32> {
    let point = |centroid: &u16| &tree.points.rows[usize::from(*centroid) * tree.dim..][..tree.dim];
    let pairs = rows.chunks_exact(tree.dim).zip(centroids);
    pairs.flat_map(|(row, centroid)| row.iter().zip(point(centroid)).map(|(x, c)| x - c)).collect()
}

/// The root of the mean square of each dimension, and never so little that other tokens could not be told apart.
fn scales(rest: &[f32], dim: usize) -> Vec<f32> {
    let mut sums = vec![0f32; dim];
    for row in rest.chunks_exact(dim) {
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
    }
    let count = (rest.len() / dim).max(1) as f32;
    let mean = sums.iter().sum::<f32>() / count / dim as f32;
    let least = if mean * (dim as f32) < 1e-4 { 1.0 / (dim as f32).sqrt() } else { 0.1 * mean.sqrt() };
    sums.into_iter().map(|sum| (sum / count).sqrt().max(least)).collect()
}

/// The values that stand for all others with the least error: begun at quantiles, moved to the means of what falls to
/// them.
fn steps(mut values: Vec<f32>, count: usize) -> Vec<f32> {
    values.par_sort_unstable_by(f32::total_cmp);
    let mut sums = vec![0f64];
    sums.extend(values.iter().scan(0f64, |sum, x| {
        *sum += f64::from(*x);
        Some(*sum)
    }));
    let quantile = |i: usize| values.get((2 * i + 1) * values.len() / (2 * count)).copied().unwrap_or(0.0);
    let mut steps: Vec<f32> = (0..count).map(quantile).collect();
    if steps.first() == steps.last() {
        return (0..count).map(|i| 1.5 * ((2 * i + 1) as f32 / count as f32 - 1.0)).collect();
    }
    for _ in 0..ROUNDS {
        let cut = |pair: &[f32]| values.partition_point(|x| *x < (pair[0] + pair[1]) / 2.0);
        let mut ends: Vec<usize> = steps.windows(2).map(cut).collect();
        ends.push(values.len());
        let mut start = 0;
        for (step, end) in steps.iter_mut().zip(ends) {
            if end > start {
                *step = ((sums[end] - sums[start]) / (end - start) as f64) as f32;
            }
            start = end;
        }
    }
    steps
}

/// The step a value falls to.
fn step(cuts: &[f32], value: f32) -> u8 {
    match cuts.len() {
        ..=15 => cuts.iter().map(|cut| u8::from(value > *cut)).sum(),
        _ => cuts.partition_point(|cut| value > *cut) as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(rows: usize, dim: usize) -> Vec<f16> {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        let mut rows: Vec<f32> = (0..rows * dim).map(|_| next()).collect();
        rows.chunks_exact_mut(dim).for_each(tabletalk_core::matrix::normalize);
        rows.into_iter().map(f16::from_f32).collect()
    }

    #[test]
    fn rows_of_any_length_come_back_with_length_one() {
        for (dim, bits) in [(1, 2), (3, 4), (7, 1), (16, 8), (21, 2), (40, 4)] {
            let rows = sample(200, dim);
            let codec = Codec::learn(&rows, dim, 16, bits);
            let rows = rows.to_f32_vec();
            let codes = codec.encode(&rows);
            assert_eq!(codes.rest.len(), 200 * bytes(dim, bits));
            let mut back = Vec::new();
            codec.decode(&codes.centroids, &codes.rest, &mut back);
            assert_eq!(back.len(), rows.len());
            let alike = rows.iter().zip(&back).map(|(a, b)| a * b).sum::<f32>() / 200.0;
            assert!(alike > 0.7, "{dim} dimensions, {bits} bits: {alike}");
        }
    }

    #[test]
    fn a_centroid_that_does_not_exist_gives_zeros() {
        let codec = Codec::learn(&sample(50, 4), 4, 2, 2);
        let mut back = Vec::new();
        codec.decode(&[999], &[0], &mut back);
        assert_eq!(back, [0.0; 4]);
    }

    #[test]
    fn steps_lie_where_the_values_do() {
        let values: Vec<f32> = (0..1000).map(|i| if i % 2 == 0 { -1.0 } else { 3.0 }).collect();
        let steps = steps(values, 2);
        assert_eq!(steps, [-1.0, 3.0]);
        assert_eq!((step(&[1.0], 0.9), step(&[1.0], 1.1)), (0, 1));
    }

    #[test]
    fn a_sample_of_one_token_still_tells_others_apart() {
        let codec = Codec::learn(&sample(1, 32), 32, 64, 4);
        let rows = sample(20, 32).to_f32_vec();
        let codes = codec.encode(&rows);
        let mut back = Vec::new();
        codec.decode(&codes.centroids, &codes.rest, &mut back);
        let alike = rows.iter().zip(&back).map(|(a, b)| a * b).sum::<f32>() / 20.0;
        assert!(alike > 0.3, "{alike}");
    }
}
