//! Which rows are nearest to each row, by cosine?
//!
//! Up to [`EXACT`] rows every pair is compared. Above that, trees of random cuts put rows that are close into the same
//! leaf, all pairs in a leaf are compared, and then neighbours of neighbours: near-linear time, most of the truth.

use crate::products::{Packed, dot};
use crate::random::Random;
use crate::rows::{normalized, row_of};
use rayon::prelude::*;
use tabletalk_core::Matrix;

/// Up to so many rows the answer is exact.
pub const EXACT: usize = 8192;
/// Trees of random cuts.
const TREES: u64 = 6;
/// Rows whose products a thread makes at a time.
const TALL: usize = 96;
/// Rows they are multiplied with at a time.
const WIDE: usize = 1024;

/// The nearest rows of each row, nearest first, without the row itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    /// How many neighbours each row has.
    pub k: usize,
    /// Their numbers, row after row.
    pub ids: Vec<u32>,
    /// Their distances: 1 minus the cosine, never negative.
    pub distances: Vec<f32>,
}

/// The `k` nearest rows of each row, fewer where there are fewer others. Rows of zeros are as far from all as can be.
pub fn nearest(vectors: &Matrix, k: usize, seed: u64) -> Neighbours {
    nearest_normalized(&normalized(vectors), k, seed)
}

/// The same for rows whose length is one, or zero.
pub(crate) fn nearest_normalized(vectors: &Matrix, k: usize, seed: u64) -> Neighbours {
    let k = k.min(vectors.len().saturating_sub(1));
    if k == 0 {
        return Neighbours { k, ids: Vec::new(), distances: Vec::new() };
    }
    let lists = if vectors.len() <= EXACT { exact(vectors, k) } else { approximate(vectors, k, seed) };
    let ids = lists.iter().flat_map(|list| list.ids()).collect();
    let distances =
        lists.iter().flat_map(|list| list.scores()).map(|cosine| (1.0 - cosine).max(0.0)).collect();
    Neighbours { k, ids, distances }
}

/// Compares every pair.
fn exact(vectors: &Matrix, k: usize) -> Vec<Best> {
    let rows: Vec<u32> = (0..vectors.len() as u32).collect();
    let packed: Vec<Packed> = rows.par_chunks(WIDE).map(|part| pack(vectors, part)).collect();
    let parts: Vec<Vec<Best>> = rows
        .par_chunks(TALL)
        .map(|part| {
            let mut best = vec![Best::new(k); part.len()];
            let mut out = Vec::new();
            for (others, packed) in rows.chunks(WIDE).zip(&packed) {
                compare(vectors, part, others, packed, &mut out, &mut best);
            }
            best
        })
        .collect();
    parts.into_iter().flatten().collect()
}

fn pack(vectors: &Matrix, rows: &[u32]) -> Packed {
    Packed::new(rows.iter().map(|row| row_of(vectors, *row as usize)), vectors.dim)
}

/// Compares each of `part` with each of `others`, which are packed.
fn compare(v: &Matrix, part: &[u32], others: &[u32], packed: &Packed, out: &mut Vec<f32>, best: &mut [Best]) {
    out.resize(part.len() * packed.stride, 0.0);
    packed.multiply(part.iter().map(|row| row_of(v, *row as usize)), out);
    for ((row, list), products) in part.iter().zip(best).zip(out.chunks_exact(packed.stride)) {
        list.offer_all(*row, others, &products[..packed.rows]);
    }
}

/// Trees, then neighbours of neighbours.
fn approximate(vectors: &Matrix, k: usize, seed: u64) -> Vec<Best> {
    let mut best = vec![Best::new(k); vectors.len()];
    for tree in 0..TREES {
        let leaves = leaves(vectors, seed, tree);
        let found: Vec<Vec<Best>> = leaves.par_iter().map(|leaf| within(vectors, leaf, k)).collect();
        let mut of_row = vec![Best::default(); vectors.len()];
        for (row, list) in leaves.iter().flatten().zip(found.into_iter().flatten()) {
            of_row[*row as usize] = list;
        }
        best.par_iter_mut().zip(of_row).for_each(|(best, other)| best.merge(&other));
    }
    refine(vectors, best)
}

/// Compares the rows of a leaf with each other.
fn within(vectors: &Matrix, leaf: &[u32], k: usize) -> Vec<Best> {
    let packed = pack(vectors, leaf);
    let (mut best, mut out) = (vec![Best::new(k); leaf.len()], Vec::new());
    for (part, best) in leaf.chunks(TALL).zip(best.chunks_mut(TALL)) {
        compare(vectors, part, leaf, &packed, &mut out, best);
    }
    best
}

/// The `k` with the highest scores, best first; among equals the lowest numbers, whatever the order in which they came.
#[derive(Debug, Clone, Default)]
struct Best {
    k: usize,
    found: Vec<(f32, u32)>,
}

impl Best {
    fn new(k: usize) -> Best {
        Best { k, found: Vec::with_capacity(k) }
    }

    fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.found.iter().map(|(_, id)| *id)
    }

    fn scores(&self) -> impl Iterator<Item = f32> + '_ {
        self.found.iter().map(|(score, _)| *score)
    }

    /// The score that the next must reach.
    #[inline(always)]
    fn least(&self) -> f32 {
        if self.found.len() < self.k {
            f32::NEG_INFINITY
        } else {
            self.found.last().map_or(f32::INFINITY, |f| f.0)
        }
    }

    /// Takes one that is not there yet, if it is good enough.
    #[inline]
    fn offer(&mut self, id: u32, score: f32) {
        let better = |other: &(f32, u32)| other.0 > score || other.0 == score && other.1 < id;
        let at = self.found.partition_point(better);
        if at >= self.k {
            return;
        }
        if self.found.len() == self.k {
            self.found.pop();
        }
        self.found.insert(at, (score, id));
    }

    /// Takes the good ones of many that are not there yet, but never `own`. Most are dismissed sixteen at a time.
    fn offer_all(&mut self, own: u32, ids: &[u32], scores: &[f32]) {
        for (ids, scores) in ids.chunks(16).zip(scores.chunks(16)) {
            let least = self.least();
            if scores.iter().fold(false, |any, score| any | (*score >= least)) {
                for (id, score) in ids.iter().zip(scores) {
                    if *id != own && *score >= self.least() {
                        self.offer(*id, *score);
                    }
                }
            }
        }
    }

    /// Takes the good ones of another list. Those in both count once, as they are here.
    fn merge(&mut self, other: &Best) {
        for (score, id) in &other.found {
            if *score >= self.least() && !self.found.iter().any(|(_, mine)| mine == id) {
                self.offer(*id, *score);
            }
        }
    }
}

/// A leaf has at most so many rows.
const LEAF: usize = 320;

/// The leaves of one tree. Every row is in one of them.
fn leaves(vectors: &Matrix, seed: u64, tree: u64) -> Vec<Vec<u32>> {
    grow(vectors, (0..vectors.len() as u32).collect(), Random::new(seed, 0x7ee0 + tree).next())
}

fn grow(vectors: &Matrix, rows: Vec<u32>, key: u64) -> Vec<Vec<u32>> {
    if rows.len() <= LEAF {
        return vec![rows];
    }
    let mut random = Random::new(key, rows.len() as u64);
    let (low, high) = cut(vectors, rows, &mut random);
    let (left, right) = (random.next(), random.next());
    let (mut low, high) = rayon::join(|| grow(vectors, low, left), || grow(vectors, high, right));
    low.extend(high);
    low
}

/// Cuts between two rows, where about as many are nearer to the one as to the other: at the median, so that the depth is bounded.
fn cut(vectors: &Matrix, rows: Vec<u32>, random: &mut Random) -> (Vec<u32>, Vec<u32>) {
    let [a, b] = [0; 2].map(|_| row_of(vectors, rows[random.below(rows.len())] as usize));
    let direction: Vec<f32> = a.iter().zip(b).map(|(x, y)| x - y).collect();
    let mut placed: Vec<(f32, u32)> =
        rows.into_iter().map(|row| (dot(&direction, row_of(vectors, row as usize)), row)).collect();
    let middle = placed.len() / 2;
    placed.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut low: Vec<u32> = placed[..middle].iter().map(|p| p.1).collect();
    let mut high: Vec<u32> = placed[middle..].iter().map(|p| p.1).collect();
    low.sort_unstable();
    high.sort_unstable();
    (low, high)
}

/// How often neighbours of neighbours are looked at.
const ROUNDS: usize = 2;
/// So many nearest neighbours of as many nearest neighbours are looked at.
const NEAR: usize = 12;

/// Looks at the neighbours of neighbours, in both directions.
fn refine(vectors: &Matrix, mut best: Vec<Best>) -> Vec<Best> {
    for _ in 0..ROUNDS {
        let near = near(&best);
        best = (0..best.len())
            .into_par_iter()
            .map_init(Vec::new, |seen, row| improved(vectors, &best, &near, row, seen))
            .collect();
    }
    best
}

/// The nearest few of each row, and some of those it is near to.
fn near(best: &[Best]) -> Vec<Vec<u32>> {
    let mut near: Vec<Vec<u32>> = best.iter().map(|list| list.ids().take(NEAR).collect()).collect();
    for (row, list) in best.iter().enumerate() {
        for id in list.ids().take(NEAR) {
            let near = &mut near[id as usize];
            if near.len() < 2 * NEAR && !near.contains(&(row as u32)) {
                near.push(row as u32);
            }
        }
    }
    near
}

fn improved(vectors: &Matrix, best: &[Best], near: &[Vec<u32>], row: usize, seen: &mut Vec<u32>) -> Best {
    let mut list = best[row].clone();
    seen.clear();
    seen.extend(near[row].iter().flat_map(|id| &near[*id as usize]));
    seen.sort_unstable();
    seen.dedup();
    for id in seen {
        if *id as usize != row && !best[row].ids().any(|known| known == *id) {
            let score = dot(row_of(vectors, row), row_of(vectors, *id as usize));
            if score >= list.least() {
                list.offer(*id, score);
            }
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::blobs;

    #[test]
    fn nearest_are_those_of_a_plain_search() {
        let vectors = normalized(&blobs(200, 4, 10, 0.5, 1));
        let found = nearest(&vectors, 5, 1);
        for row in 0..200 {
            let cosine = |i: u32| crate::products::dot(row_of(&vectors, row), row_of(&vectors, i as usize));
            let mut all: Vec<f32> = (0..200).filter(|i| *i != row as u32).map(cosine).collect();
            all.sort_by(|a, b| b.total_cmp(a));
            let got: Vec<f32> = found.ids[row * 5..(row + 1) * 5].iter().map(|i| cosine(*i)).collect();
            assert!(got.iter().zip(&all).all(|(a, b)| (a - b).abs() < 1e-5), "{got:?} {all:?}");
        }
    }

    #[test]
    fn many_rows_are_found_nearly_all() {
        let vectors = blobs(9000, 20, 16, 0.7, 3);
        let (some, all) = (nearest(&vectors, 10, 1), exact(&normalized(&vectors), 10));
        let hits: usize = all
            .iter()
            .zip(some.ids.chunks(10))
            .map(|(all, some)| all.ids().filter(|id| some.contains(id)).count())
            .sum();
        assert!(hits > 81_000, "{hits}");
    }

    #[test]
    fn few_rows_have_few_neighbours() {
        assert_eq!(nearest(&Matrix::default(), 5, 1).k, 0);
        assert_eq!(nearest(&Matrix::row(vec![1.0]), 5, 1).k, 0);
        let two = nearest(&Matrix { dim: 1, data: vec![1.0, f32::NAN] }, 5, 1);
        assert_eq!((two.k, two.ids, two.distances), (1, vec![1, 0], vec![1.0, 1.0]));
    }
}
