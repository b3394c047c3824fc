//! Rows that are close, put together by random cuts.

use crate::products::dot;
use crate::random::Random;
use crate::rows::row_of;
use tabletalk_core::Matrix;

/// A leaf has at most so many rows.
const LEAF: usize = 320;

/// The leaves of one tree. Every row is in one of them.
pub(super) fn leaves(vectors: &Matrix, seed: u64, tree: u64) -> Vec<Vec<u32>> {
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
