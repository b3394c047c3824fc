//! A token vector as the number of its centroid and a few bits for each number of what is left over.

use super::kmeans::{Tree, pick};
use half::f16;
use half::slice::HalfFloatSliceExt;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// Rows the steps of the leftovers are learnt from.
const ROWS: usize = 4096;
/// Tokens of the sample there must be for each centroid: with fewer, what is left over of the sample says little about
/// what will be left over of other tokens.
const EACH: usize = 8;
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
        Codec { dim, bits, tree, scales, steps }
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

    /// Packs what is left over: first numbers in the lowest bits of all bytes, then the next bits. So numbers that stand
    /// side by side do so in bytes too, and are worked on together.
    fn pack(&self, row: &[f32], centroid: u16, cuts: &[f32], out: &mut [u8]) {
        let point = &self.tree.points.rows[usize::from(centroid) * self.dim..][..self.dim];
        let planes = row.chunks(out.len()).zip(point.chunks(out.len())).zip(self.scales.chunks(out.len()));
        for (plane, ((row, point), scales)) in planes.enumerate() {
            for (((byte, x), c), scale) in out.iter_mut().zip(row).zip(point).zip(scales) {
                *byte |= step(cuts, (x - c) / scale) << (plane * usize::from(self.bits));
            }
        }
    }

    /// Replaces `out` by the rows of codes, their lengths one again. A centroid that does not exist gives zeros.
    pub(super) fn decode(&self, centroids: &[u16], rest: &[u8], out: &mut Vec<f32>) {
        out.clear();
        out.resize(centroids.len() * self.dim, 0.0);
        Arch::new().dispatch(Decode { codec: self, centroids, rest, out });
    }

    /// The leftovers of a token, in units of their scale.
    #[inline(always)]
    fn unpack(&self, rest: &[u8], row: &mut [f32]) {
        let bits = u32::from(self.bits);
        for (shift, row) in (0..8).step_by(bits as usize).zip(row.chunks_mut(rest.len())) {
            match self.steps.first_chunk() {
                Some(steps) if bits == 2 => choose(*steps, rest, shift, row),
                _ => look_up(&self.steps, rest, shift, row),
            }
        }
    }
}

/// Rows to be decoded with the widest instructions the processor has.
struct Decode<'a> {
    codec: &'a Codec,
    centroids: &'a [u16],
    rest: &'a [u8],
    out: &'a mut [f32],
}

impl WithSimd for Decode<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Decode { codec, centroids, rest, out } = self;
        let rows = out.chunks_exact_mut(codec.dim).zip(rest.chunks_exact(codec.bytes())).zip(centroids);
        for ((row, rest), centroid) in rows {
            let first = usize::from(*centroid) * codec.dim;
            if let Some(point) = codec.tree.points.rows.get(first..first + codec.dim) {
                codec.unpack(rest, row);
                finish(simd, point, &codec.scales, row);
            }
        }
    }
}

/// Turns leftovers in units of their scale into a row of length one.
#[inline(always)]
fn finish<S: Simd>(simd: S, point: &[f32], scales: &[f32], row: &mut [f32]) {
    let (points, last_point) = S::as_simd_f32s(point);
    let (scales, last_scales) = S::as_simd_f32s(scales);
    let (rows, last_row) = S::as_mut_simd_f32s(row);
    let mut squares = simd.splat_f32s(0.0);
    for ((x, c), scale) in rows.iter_mut().zip(points).zip(scales) {
        *x = simd.mul_add_e_f32s(*scale, *x, *c);
        squares = simd.mul_add_e_f32s(*x, *x, squares);
    }
    let mut square = simd.reduce_sum_f32s(squares);
    for ((x, c), scale) in last_row.iter_mut().zip(last_point).zip(last_scales) {
        *x = c + scale * *x;
        square += *x * *x;
    }
    let inverse = if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
    let wide = simd.splat_f32s(inverse);
    rows.iter_mut().for_each(|x| *x = simd.mul_f32s(*x, wide));
    last_row.iter_mut().for_each(|x| *x *= inverse);
}

/// Values of two bits: two choices need no look at memory, and are made for many numbers at once.
#[inline(always)]
fn choose([a, b, c, d]: [f32; 4], rest: &[u8], shift: u32, row: &mut [f32]) {
    for (x, byte) in row.iter_mut().zip(rest) {
        let code = u32::from(*byte) >> shift;
        let low = if code & 1 == 0 { a } else { b };
        let high = if code & 1 == 0 { c } else { d };
        *x = if code & 2 == 0 { low } else { high };
    }
}

/// Values of any number of bits.
#[inline(always)]
fn look_up(steps: &[f32], rest: &[u8], shift: u32, row: &mut [f32]) {
    let last = steps.len() - 1;
    for (x, byte) in row.iter_mut().zip(rest) {
        *x = steps[usize::from(*byte) >> shift & last];
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
