//! Centroids in two levels: a few coarse ones, and below each its own.
//!
//! With one level, learning and assigning cost tokens × centroids; ten million tokens and 32,768 centroids take the
//! better part of an hour. Two levels cost about the square root of that, and lose little: a token is compared with the
//! centroids below its few nearest coarse ones.

use super::dots::dots;
use half::f16;
use half::slice::HalfFloatSliceExt;
use rayon::prelude::*;

/// Rounds of learning for the coarse centroids and for those below each.
const ROUNDS: usize = 8;
/// Rows each centroid is learnt from at most.
const ROWS: usize = 256;
/// Coarse centroids looked below for each token.
const BELOW: usize = 4;
/// Rows compared with all centroids at once.
const CHUNK: usize = 256;

/// Two levels of centroids.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) dim: usize,
    /// Coarse centroids.
    pub(super) coarse: Points,
    /// Where the centroids below each coarse one begin, and where the last ones end.
    pub(super) starts: Vec<u32>,
    /// All centroids, in the order of the coarse ones they are below.
    pub(super) points: Points,
}

/// Points, with half of each one's squared length: the nearest one has the greatest dot product less that.
#[derive(Debug, Default)]
pub(super) struct Points {
    pub(super) rows: Vec<f32>,
    halves: Vec<f32>,
}

impl Points {
    pub(super) fn new(rows: Vec<f32>, dim: usize) -> Points {
        let half = |row: &[f32]| row.iter().map(|x| x * x).sum::<f32>() / 2.0;
        let halves = rows.chunks_exact(dim.max(1)).map(half).collect();
        Points { rows, halves }
    }

    pub(super) fn len(&self) -> usize {
        self.halves.len()
    }
}

impl Tree {
    /// Learns about `wanted` centroids, never more, from the rows of `sample`.
    pub(super) fn learn(sample: &[f16], dim: usize, wanted: usize, seed: u64) -> Tree {
        let tall = sample.len() / dim;
        let wide = (wanted as f64).sqrt().ceil() as usize;
        let picked = pick(tall, wide * ROWS, seed);
        let coarse = Points::new(lloyd(&gather(sample, &picked, dim), dim, wide, seed), dim);
        let cells = cells(sample, &coarse, dim);
        let spare = wanted.saturating_sub(coarse.len());
        let below: Vec<Vec<f32>> = cells
            .par_iter()
            .enumerate()
            .map(|(i, cell)| split(sample, cell, dim, 1 + spare * cell.len() / tall.max(1), seed ^ i as u64))
            .collect();
        let mut starts = vec![0];
        starts.extend(below.iter().scan(0, |end, rows| {
            *end += (rows.len() / dim) as u32;
            Some(*end)
        }));
        Tree { dim, coarse, starts, points: Points::new(below.concat(), dim) }
    }

    /// The centroid nearest to each of `rows`, as far as the coarse level leads to it.
    pub(super) fn assign(&self, rows: &[f32]) -> Vec<u16> {
        let mut lists = vec![Vec::new(); self.coarse.len()];
        for (row, cells) in self.cells_of(rows).iter().enumerate() {
            cells.iter().for_each(|cell| lists[*cell as usize].push(row as u32));
        }
        let found: Vec<Vec<(u32, f32, u16)>> =
            lists.par_iter().enumerate().map(|(cell, list)| self.below(cell, list, rows)).collect();
        let mut best = vec![(f32::NEG_INFINITY, 0); rows.len() / self.dim];
        for (row, score, centroid) in found.into_iter().flatten() {
            let best = &mut best[row as usize];
            if score > best.0 {
                *best = (score, centroid);
            }
        }
        best.into_iter().map(|(_, centroid)| centroid).collect()
    }

    /// The coarse centroids nearest to each row.
    fn cells_of(&self, rows: &[f32]) -> Vec<[u32; BELOW]> {
        let wide = self.coarse.len();
        rows.par_chunks(CHUNK * self.dim)
            .flat_map_iter(|rows| {
                let mut scores = vec![0.0; rows.len() / self.dim * wide];
                dots(rows, &self.coarse.rows, self.dim, &mut scores);
                scores
                    .chunks_exact(wide.max(1))
                    .map(|row| nearest(row, &self.coarse.halves))
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// The best centroid below one coarse one, for each row of the list.
    fn below(&self, cell: usize, list: &[u32], rows: &[f32]) -> Vec<(u32, f32, u16)> {
        let (start, end) = (self.starts[cell] as usize, self.starts[cell + 1] as usize);
        let (points, halves) =
            (&self.points.rows[start * self.dim..end * self.dim], &self.points.halves[start..end]);
        let (mut packed, mut scores, mut found) = (Vec::new(), Vec::new(), Vec::with_capacity(list.len()));
        for list in list.chunks(CHUNK) {
            packed.clear();
            list.iter().for_each(|i| packed.extend_from_slice(&rows[*i as usize * self.dim..][..self.dim]));
            scores.resize(list.len() * halves.len(), 0.0);
            dots(&packed, points, self.dim, &mut scores);
            for (row, scores) in list.iter().zip(scores.chunks_exact(halves.len().max(1))) {
                let (best, score) = greatest(scores, halves);
                found.push((*row, score, (start + best) as u16));
            }
        }
        found
    }
}

/// The rows of the sample nearest to each coarse centroid.
fn cells(sample: &[f16], coarse: &Points, dim: usize) -> Vec<Vec<u32>> {
    let nearest: Vec<u32> = sample
        .par_chunks(CHUNK * dim)
        .flat_map_iter(|rows| {
            let rows: Vec<f32> = rows.to_f32_vec();
            closest(&rows, coarse, dim)
        })
        .collect();
    let mut cells = vec![Vec::new(); coarse.len()];
    nearest.iter().enumerate().for_each(|(row, cell)| cells[*cell as usize].push(row as u32));
    cells
}

/// The centroids below one coarse one.
fn split(sample: &[f16], cell: &[u32], dim: usize, wanted: usize, seed: u64) -> Vec<f32> {
    let picked: Vec<u32> = pick(cell.len(), wanted * ROWS, seed).iter().map(|i| cell[*i as usize]).collect();
    lloyd(&gather(sample, &picked, dim), dim, wanted, seed)
}

/// Plain k-means, begun from rows picked at random.
fn lloyd(rows: &[f32], dim: usize, wanted: usize, seed: u64) -> Vec<f32> {
    let tall = rows.len() / dim;
    let first = pick(tall, wanted, seed);
    let mut points: Vec<f32> =
        first.iter().flat_map(|i| rows[*i as usize * dim..][..dim].iter().copied()).collect();
    if tall <= wanted {
        return points;
    }
    for _ in 0..ROUNDS {
        let known = Points::new(points, dim);
        let near: Vec<u32> =
            rows.par_chunks(CHUNK * dim).flat_map_iter(|rows| closest(rows, &known, dim)).collect();
        points = means(rows, &near, known, dim);
    }
    points
}

/// The mean of the rows nearest to each point; a point that has none stays where it is.
fn means(rows: &[f32], near: &[u32], known: Points, dim: usize) -> Vec<f32> {
    let mut sums = vec![0.0; known.rows.len()];
    let mut counts = vec![0u32; known.len()];
    for (row, near) in rows.chunks_exact(dim).zip(near) {
        let sum = &mut sums[*near as usize * dim..][..dim];
        sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        counts[*near as usize] += 1;
    }
    for ((sum, old), count) in sums.chunks_exact_mut(dim).zip(known.rows.chunks_exact(dim)).zip(counts) {
        match count {
            0 => sum.copy_from_slice(old),
            count => sum.iter_mut().for_each(|x| *x /= count as f32),
        }
    }
    sums
}

/// The point closest to each of a few rows.
fn closest(rows: &[f32], points: &Points, dim: usize) -> Vec<u32> {
    let wide = points.len().max(1);
    let mut scores = vec![0.0; rows.len() / dim * wide];
    dots(rows, &points.rows, dim, &mut scores);
    scores.chunks_exact(wide).map(|scores| greatest(scores, &points.halves).0 as u32).collect()
}

/// Where the greatest score stands, less half the squared length of its point, and that score.
fn greatest(scores: &[f32], halves: &[f32]) -> (usize, f32) {
    let mut best = (0, f32::NEG_INFINITY);
    for (i, (score, half)) in scores.iter().zip(halves).enumerate() {
        if score - half > best.1 {
            best = (i, score - half);
        }
    }
    best
}

/// The few nearest points; where there are fewer, the nearest again.
fn nearest(scores: &[f32], halves: &[f32]) -> [u32; BELOW] {
    let mut best = [(f32::NEG_INFINITY, 0); BELOW];
    for (i, (score, half)) in scores.iter().zip(halves).enumerate() {
        let score = score - half;
        if score > best[BELOW - 1].0 {
            let at = best.iter().position(|(other, _)| score > *other).unwrap_or(BELOW - 1);
            best.copy_within(at..BELOW - 1, at + 1);
            best[at] = (score, i as u32);
        }
    }
    best.map(|(_, i)| i)
}

fn gather(sample: &[f16], rows: &[u32], dim: usize) -> Vec<f32> {
    let mut out = vec![0.0; rows.len() * dim];
    for (out, row) in out.chunks_exact_mut(dim).zip(rows) {
        sample[*row as usize * dim..][..dim].convert_to_f32_slice(out);
    }
    out
}

/// Up to `most` different numbers below `all`, the same ones for the same seed.
pub(super) fn pick(all: usize, most: usize, seed: u64) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..all as u32).collect();
    let mut state = seed;
    for i in 0..most.min(all) {
        let other = i + (random(&mut state) % (all - i) as u64) as usize;
        numbers.swap(i, other);
    }
    numbers.truncate(most);
    numbers
}

/// The next number of the SplitMix64 sequence.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heaps(count: usize, each: usize) -> Vec<f16> {
        let mut state = 7;
        let mut noise = || (random(&mut state) % 1000) as f32 / 20_000.0;
        (0..count * each).flat_map(|i| [(i % count) as f32 + noise(), noise()]).map(f16::from_f32).collect()
    }

    #[test]
    fn finds_the_heaps_rows_lie_in() {
        let rows = heaps(4, 100);
        let tree = Tree::learn(&rows, 2, 16, 1);
        assert!(tree.points.len() <= 16 && tree.points.len() >= 4);
        let rows = rows.to_f32_vec();
        for (row, centroid) in rows.chunks(2).zip(tree.assign(&rows)) {
            let point = &tree.points.rows[centroid as usize * 2..][..2];
            assert!((row[0] - point[0]).abs() < 0.1, "{row:?} went to {point:?}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_centroids() {
        let rows = heaps(9, 30);
        assert_eq!(Tree::learn(&rows, 2, 8, 3).points.rows, Tree::learn(&rows, 2, 8, 3).points.rows);
    }

    #[test]
    fn fewer_rows_than_centroids_are_their_own() {
        let tree = Tree::learn(&heaps(3, 1), 2, 64, 1);
        assert_eq!(tree.points.len(), 3);
        assert_eq!(tree.assign(&heaps(3, 1).to_f32_vec()).len(), 3);
    }

    #[test]
    fn picks_each_number_once() {
        let mut picked = pick(10, 10, 5);
        picked.sort_unstable();
        assert_eq!(picked, (0..10).collect::<Vec<_>>());
        assert_eq!(pick(10, 3, 5).len(), 3);
    }
}
