//! Points for tests.

use crate::random::Random;
use tabletalk_core::Matrix;

/// `n` points around `k` centres, row `i` around centre `i % k`.
pub(crate) fn blobs(n: usize, k: usize, dim: usize, spread: f32, seed: u64) -> Matrix {
    let mut random = Random::new(seed, 0xb10b);
    let centres: Vec<f32> = (0..k * dim).map(|_| 4.0 * random.bell()).collect();
    let data = (0..n * dim).map(|i| centres[i / dim % k * dim + i % dim] + spread * random.bell()).collect();
    Matrix { dim, data }
}
