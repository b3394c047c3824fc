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
        for (values, byte) in row.chunks_mut(PER).zip(rest) {
            values.copy_from_slice(&table[usize::from(*byte)][..values.len()]);
        }
        let mut squares = [0f32; LANES];
        let parts = row.chunks_mut(LANES).zip(point.chunks(LANES)).zip(self.scales.chunks(LANES));
        for ((row, point), scales) in parts {
            for (((x, c), scale), square) in row.iter_mut().zip(point).zip(scales).zip(&mut squares) {
                *x = c + scale * *x;
                *square += *x * *x;
            }
        }
        let norm = squares.iter().sum::<f32>().sqrt();
        let inverse = if norm > 0.0 { 1.0 / norm } else { 0.0 };
        row.iter_mut().for_each(|x| *x *= inverse);
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
    let least = (0.1 * mean.sqrt()).max(0.1 / (dim as f32).sqrt());
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
