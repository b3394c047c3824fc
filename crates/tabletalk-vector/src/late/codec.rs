//! A token vector as the number of its centroid and a few bits for each number of what is left over.
//!
//! What a number leaves over is one of a few levels that lie at equal distances. So the dot product with a query is that
//! of the centroid, and that of the levels with the query in units of a level: codes need not be turned back into
//! vectors to be compared.

use super::kmeans::{Tree, pick};
use crate::simd::widen;
use half::f16;
use half::slice::HalfFloatSliceExt;
use rayon::prelude::*;
use tabletalk_core::matrix::normalize;

/// Rows the distance of levels is learnt from.
const ROWS: usize = 4096;
/// Tokens of the sample there must be for each centroid: with fewer, what is left over of the sample says little about
/// what will be left over of other tokens.
const EACH: usize = 8;
/// Bytes before the codes of a row: how much its centroid counts, and its levels.
const HEAD: usize = 4;
/// Sums that are kept side by side.
const WIDE: usize = 32;
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
    /// How far two levels are apart, in units of the scales and of how much a row leaves over.
    pub(super) distance: f32,
}

/// Compressed rows.
#[derive(Debug, Default)]
pub(super) struct Codes {
    /// The centroid of each row.
    pub(super) centroids: Vec<u16>,
    /// The leftovers, row after row.
    pub(super) rest: Vec<u8>,
}

/// A row is its centroid times the one number, and its levels times their scales times the other.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Weights {
    pub(super) centroid: f32,
    pub(super) levels: f32,
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
        for row in rest.chunks_exact_mut(dim) {
            row.iter_mut().zip(&scales).for_each(|(x, scale)| *x /= scale);
            let size = size(row);
            row.iter_mut().for_each(|x| *x /= size);
        }
        let distance = distance(&rest, bits);
        Codec { dim, bits, tree, scales, distance }
    }

    /// Bytes the leftovers of a row take.
    pub(super) fn bytes(&self) -> usize {
        bytes(self.dim, self.bits)
    }

    /// A centroid; nothing where there is none of this number.
    pub(super) fn point(&self, centroid: u16) -> Option<&[f32]> {
        let first = usize::from(centroid) * self.dim;
        self.tree.points.rows.get(first..first + self.dim)
    }

    /// Compresses rows.
    pub(super) fn encode(&self, rows: &[f32]) -> Codes {
        let centroids = self.tree.assign(rows);
        let mut rest = vec![0; centroids.len() * self.bytes()];
        rest.par_chunks_exact_mut(self.bytes())
            .zip(rows.par_chunks_exact(self.dim))
            .zip(&centroids)
            .for_each_init(Vec::new, |levels, ((out, row), centroid)| {
                let point = self.point(*centroid).unwrap_or_default();
                self.pack(row, point, levels, out);
            });
        Codes { centroids, rest }
    }

    /// Packs what is left over: first numbers in the lowest bits of all bytes, then the next bits. So numbers that stand
    /// side by side do so in bytes too, and are worked on together.
    fn pack(&self, row: &[f32], point: &[f32], levels: &mut Vec<f32>, out: &mut [u8]) {
        let middle = middle(self.bits);
        levels.clear();
        levels.extend(row.iter().zip(point).zip(&self.scales).map(|((x, c), scale)| (x - c) / scale));
        let apart = size(levels) * self.distance;
        levels.iter_mut().for_each(|x| *x = level(*x / apart, middle));
        let (head, codes) = out.split_at_mut(HEAD);
        for (plane, levels) in levels.chunks(codes.len()).enumerate() {
            for (byte, level) in codes.iter_mut().zip(levels) {
                *byte |= ((level + middle) as u8) << (plane * usize::from(self.bits));
            }
        }
        head.copy_from_slice(&self.weigh(row, point, levels).to_bytes());
    }

    /// How much the centroid and the levels count: the levels so that they come nearest to what is left over, both so
    /// that the dot product with the row itself is what it was. Otherwise rows that are far from their centroid would
    /// seem less alike to everything.
    fn weigh(&self, row: &[f32], point: &[f32], levels: &[f32]) -> Weights {
        let (mut cc, mut cv, mut vv, mut xc, mut xv) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (((x, c), level), scale) in row.iter().zip(point).zip(levels).zip(&self.scales) {
            let v = level * scale;
            cc += c * c;
            cv += c * v;
            vv += v * v;
            xc += x * c;
            xv += x * v;
        }
        let gain: f32 = if vv > 0.0 { (xv - cv) / vv } else { 0.0 };
        let length = (cc + 2.0 * gain * cv + gain * gain * vv).max(0.0).sqrt();
        let alike = (xc + gain * xv).max(length / 2.0);
        let centroid = if alike > 0.0 { 1.0 / alike } else { 0.0 };
        Weights { centroid, levels: centroid * gain }
    }

    /// The weights of a row, and its levels, which replace what is in `row`.
    #[inline(always)]
    pub(super) fn unpack(&self, rest: &[u8], row: &mut [f32]) -> Weights {
        let codes = rest.get(HEAD..).unwrap_or_default();
        let (middle, last) = (middle(self.bits), i32::from(u8::MAX >> (8 - self.bits)));
        for (plane, row) in row.chunks_mut(codes.len().max(1)).enumerate() {
            let shift = plane * usize::from(self.bits);
            for (x, byte) in row.iter_mut().zip(codes) {
                *x = (i32::from(*byte) >> shift & last) as f32 - middle;
            }
        }
        Weights::of(rest)
    }

    /// The dot product of the levels of a row with a token of a query.
    #[inline(always)]
    pub(super) fn product(&self, rest: &[u8], token: &[f32]) -> f32 {
        let codes = rest.get(HEAD..).unwrap_or_default();
        let (middle, last) = (middle(self.bits), i32::from(u8::MAX >> (8 - self.bits)));
        let plane = |(plane, token)| {
            let shift = plane * usize::from(self.bits);
            product(codes, token, |byte| (i32::from(byte) >> shift & last) as f32 - middle)
        };
        token.chunks(codes.len().max(1)).enumerate().map(plane).sum()
    }

    /// Replaces `out` by the rows of codes, their lengths one again. A centroid that does not exist gives zeros.
    pub(super) fn decode(&self, centroids: &[u16], rest: &[u8], out: &mut Vec<f32>) {
        out.clear();
        out.resize(centroids.len() * self.dim, 0.0);
        let rows = out.chunks_exact_mut(self.dim).zip(rest.chunks_exact(self.bytes())).zip(centroids);
        for ((row, rest), centroid) in rows {
            if let Some(point) = self.point(*centroid) {
                let weights = self.unpack(rest, row);
                for ((x, c), scale) in row.iter_mut().zip(point).zip(&self.scales) {
                    *x = weights.centroid * c + weights.levels * scale * *x;
                }
                normalize(row);
            }
        }
    }
}

impl Weights {
    fn to_bytes(self) -> [u8; HEAD] {
        let ([a, b], [c, d]) =
            (f16::from_f32(self.centroid).to_le_bytes(), f16::from_f32(self.levels).to_le_bytes());
        [a, b, c, d]
    }

    /// The weights of a row; none where it has no bytes.
    #[inline(always)]
    pub(super) fn of(rest: &[u8]) -> Weights {
        let Some([a, b, c, d]) = rest.first_chunk::<HEAD>().copied() else { return Weights::default() };
        Weights { centroid: widen(u16::from_le_bytes([a, b])), levels: widen(u16::from_le_bytes([c, d])) }
    }
}

/// The dot product of what bytes stand for with numbers.
#[inline(always)]
fn product(bytes: &[u8], numbers: &[f32], level: impl Fn(u8) -> f32) -> f32 {
    let (bytes, last_bytes) = bytes.as_chunks::<WIDE>();
    let (numbers, last_numbers) = numbers.as_chunks::<WIDE>();
    let mut sums = [0.0; WIDE];
    for (bytes, numbers) in bytes.iter().zip(numbers) {
        for lane in 0..WIDE {
            sums[lane] += level(bytes[lane]) * numbers[lane];
        }
    }
    let tail: f32 = last_bytes.iter().zip(last_numbers).map(|(byte, x)| level(*byte) * x).sum();
    sums.iter().sum::<f32>() + tail
}

/// Bytes the leftovers of a row take.
pub(super) fn bytes(dim: usize, bits: u8) -> usize {
    HEAD + (dim * usize::from(bits)).div_ceil(8)
}

/// The greatest level: they lie on both sides of 0, at distances of 1.
fn middle(bits: u8) -> f32 {
    f32::from(u8::MAX >> (8 - bits)) / 2.0
}

/// The level nearest to a value.
fn level(value: f32, middle: f32) -> f32 {
    (value + middle).round().clamp(0.0, 2.0 * middle) - middle
}

/// The root of the mean square, and never 0.
fn size(row: &[f32]) -> f32 {
    let sum: f32 = row.iter().map(|x| x * x).sum();
    (sum / row.len().max(1) as f32).sqrt().max(f32::MIN_POSITIVE)
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

/// The distance of levels that stand for the values with the least error.
fn distance(values: &[f32], bits: u8) -> f32 {
    let middle = middle(bits);
    let error = |apart: f32| -> f64 {
        let error = |x: &f32| f64::from(x - apart * level(x / apart, middle)).powi(2);
        values.par_iter().map(error).sum()
    };
    let tried = (8..80u8).map(|i| f32::from(i) / 4.0 / (2.0 * middle + 1.0));
    tried
        .map(|apart| (error(apart), apart))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(1.0, |(_, apart)| apart)
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
        codec.decode(&[999], &[0; 5], &mut back);
        assert_eq!(back, [0.0; 4]);
    }

    #[test]
    fn levels_lie_where_the_values_do() {
        let values: Vec<f32> = (0..1000).map(|i| [-1.5, -0.5, 0.5, 1.5][i % 4]).collect();
        assert_eq!(distance(&values, 2), 1.0);
        assert_eq!([-9.0, -0.9, 0.1, 1.1].map(|x| level(x, 1.5)), [-1.5, -0.5, 0.5, 1.5]);
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
