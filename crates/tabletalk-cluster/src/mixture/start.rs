//! Where Gaussians begin: clusters of k-means.

use super::gaussians::{Blocks, LANES};
use crate::random::Random;
use crate::rows::{CHUNK, row_of, some};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use tabletalk_core::Matrix;

/// How often centres are moved.
const ROUNDS: usize = 30;

/// Points in an order in which neighbours are near each other, and first centres for any number of clusters.
pub(super) struct Start {
    pub(super) blocks: Blocks,
    centres: Matrix,
}

impl Start {
    /// For up to `most` clusters. Fewer of them begin with the first of the same centres.
    pub(super) fn new(points: &Matrix, most: usize, seed: u64) -> Start {
        let mut blocks = Blocks::new(points.rows(), points.dim);
        let centres = some(points, &spread(points, &blocks, most, seed));
        if centres.len() > 1 {
            let labels = nearest(&blocks, &centres.data);
            let mut order: Vec<u32> = (0..points.len() as u32).collect();
            order.sort_by_key(|row| labels[*row as usize]);
            blocks = Blocks::new(order.iter().map(|row| row_of(points, *row as usize)), points.dim);
        }
        Start { blocks, centres }
    }

    /// The centres of `k` clusters, and the cluster of each point, after some rounds of Lloyd's method.
    pub(super) fn clusters(&self, k: usize) -> (Vec<f32>, Vec<u16>) {
        let dim = self.blocks.dim;
        let mut centres = self.centres.data[..k.min(self.centres.len()) * dim].to_vec();
        let mut labels = nearest(&self.blocks, &centres);
        for _ in 0..ROUNDS {
            self.centre(&labels, &mut centres);
            let moved = nearest(&self.blocks, &centres);
            let changed = labels.iter().zip(&moved).filter(|(a, b)| a != b).count();
            labels = moved;
            if changed * 1000 <= labels.len() {
                break;
            }
        }
        (centres, labels)
    }

    /// Moves each centre to the mean of its points.
    fn centre(&self, labels: &[u16], centres: &mut [f32]) {
        let dim = self.blocks.dim;
        let (mut sums, mut counts) = (vec![0f64; centres.len()], vec![0usize; centres.len() / dim.max(1)]);
        for (row, label) in labels.iter().enumerate() {
            let (block, lane, label) = (self.blocks.block(row / LANES), row % LANES, usize::from(*label));
            counts[label] += 1;
            (0..dim).for_each(|i| sums[label * dim + i] += f64::from(block[i * LANES + lane]));
        }
        for (at, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let of = at * dim..(at + 1) * dim;
            centres[of.clone()]
                .iter_mut()
                .zip(&sums[of])
                .for_each(|(centre, sum)| *centre = (sum / *count as f64) as f32);
        }
    }
}

/// Rows that are far from each other: each is drawn with a chance that grows with the square of the distance from those
/// before, and is the best of a few drawn so (k-means++).
fn spread(points: &Matrix, blocks: &Blocks, most: usize, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed, 0x6d65);
    let tries = 2 + (most.max(1) as f64).ln() as usize;
    let mut chosen: Vec<u32> = Vec::new();
    let mut squares = vec![f32::MAX; points.len()];
    while chosen.len() < most.min(points.len()) {
        let drawn: Vec<usize> = if chosen.is_empty() {
            vec![random.below(points.len())]
        } else {
            draw(&squares, tries, &mut random)
        };
        let nearer: Vec<(f64, Vec<f32>)> =
            drawn.par_iter().map(|row| closer(blocks, row_of(points, *row), &squares)).collect();
        let Some((row, (_, best))) = drawn.iter().zip(nearer).min_by(|a, b| a.1.0.total_cmp(&b.1.0)) else {
            break;
        };
        chosen.push(*row as u32);
        squares = best;
    }
    chosen
}

/// Rows, drawn by their squares; any row if all squares are zero.
fn draw(squares: &[f32], tries: usize, random: &mut Random) -> Vec<usize> {
    let mut total = 0f64;
    let ends: Vec<f64> = squares
        .iter()
        .map(|square| {
            total += f64::from(*square);
            total
        })
        .collect();
    (0..tries)
        .map(|_| {
            let (any, at) = (random.below(squares.len()), random.unit() * total);
            if total > 0.0 { ends.partition_point(|end| *end <= at).min(squares.len() - 1) } else { any }
        })
        .collect()
}

/// The squares of the distances to the nearest centre if a row becomes one, and their sum.
fn closer(blocks: &Blocks, centre: &[f32], squares: &[f32]) -> (f64, Vec<f32>) {
    let mut nearer = squares.to_vec();
    for (at, nearer) in nearer.chunks_mut(LANES).enumerate() {
        let mut distances = [0f32; LANES];
        for (x, centre) in blocks.block(at).as_chunks::<LANES>().0.iter().zip(centre) {
            (0..LANES).for_each(|lane| distances[lane] += (x[lane] - centre) * (x[lane] - centre));
        }
        nearer.iter_mut().zip(distances).for_each(|(square, distance)| *square = square.min(distance));
    }
    (nearer.iter().map(|x| f64::from(*x)).sum(), nearer)
}

/// For each point the nearest centre.
fn nearest(blocks: &Blocks, centres: &[f32]) -> Vec<u16> {
    let mut labels = vec![0u16; blocks.rows];
    labels.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, labels)| {
        Arch::new().dispatch(Nearest { blocks, centres, first: chunk * CHUNK / LANES, labels });
    });
    labels
}

struct Nearest<'a> {
    blocks: &'a Blocks,
    centres: &'a [f32],
    first: usize,
    labels: &'a mut [u16],
}

impl WithSimd for Nearest<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (at, labels) in self.labels.chunks_mut(LANES).enumerate() {
            let (mut least, mut best) = ([f32::MAX; LANES], [0u16; LANES]);
            for (k, centre) in self.centres.chunks_exact(self.blocks.dim.max(1)).enumerate() {
                let squares = squares(simd, self.blocks.block(self.first + at), centre);
                for lane in 0..LANES {
                    best[lane] = if squares[lane] < least[lane] { k as u16 } else { best[lane] };
                    least[lane] = least[lane].min(squares[lane]);
                }
            }
            labels.copy_from_slice(&best[..labels.len()]);
        }
    }
}

/// The squares of the distances of sixteen points from a centre.
#[inline(always)]
fn squares<S: Simd>(simd: S, block: &[f32], centre: &[f32]) -> [f32; LANES] {
    let mut out = [0f32; LANES];
    let (sums, _) = S::as_mut_simd_f32s(&mut out);
    for (x, centre) in block.chunks_exact(LANES).zip(centre) {
        let (x, _) = S::as_simd_f32s(x);
        let centre = simd.splat_f32s(*centre);
        for (sum, x) in sums.iter_mut().zip(x) {
            let by = simd.sub_f32s(*x, centre);
            *sum = simd.mul_add_e_f32s(by, by, *sum);
        }
    }
    out
}
