//! All dot products between the rows of two matrices.
//!
//! The second matrix is packed into panels as wide as two registers of the processor, and six rows of the first go over
//! a panel at a time. The sums of a pair are always made in the same order, whatever rows stand beside it.

use pulp::{Arch, Simd, WithSimd};

/// Rows of the first matrix that are multiplied at a time.
const TALL: usize = 6;
/// Rows of the first matrix that are kept in the cache while the panels go by.
const BLOCK: usize = 96;

/// Rows packed for multiplication.
pub(crate) struct Packed {
    pub(crate) rows: usize,
    /// The length of a row of products: `rows`, rounded up to whole panels.
    pub(crate) stride: usize,
    dim: usize,
    width: usize,
    data: Vec<f32>,
}

impl Packed {
    /// Packs rows of length `dim`.
    pub(crate) fn new<'a>(rows: impl ExactSizeIterator<Item = &'a [f32]>, dim: usize) -> Packed {
        let (count, width) = (rows.len(), 2 * Arch::new().dispatch(Lanes));
        let stride = count.next_multiple_of(width);
        let mut data = vec![0.0; stride * dim];
        for (at, row) in rows.enumerate() {
            let panel = &mut data[at / width * width * dim..];
            row.iter().enumerate().for_each(|(i, x)| panel[i * width + at % width] = *x);
        }
        Packed { rows: count, stride, dim, width, data }
    }

    /// Some of the rows, by whole panels from a row that begins one: the products with `a` are written row by row,
    /// with a stride of `stride`, into `out`.
    pub(crate) fn multiply<'a>(&self, a: impl ExactSizeIterator<Item = &'a [f32]>, out: &mut [f32]) {
        let count = a.len();
        let mut tiles = vec![0.0; BLOCK.min(count.next_multiple_of(TALL)) * self.dim];
        let mut done = 0;
        let mut a = a.peekable();
        while a.peek().is_some() {
            let mut block = 0;
            for row in a.by_ref().take(BLOCK) {
                let tile = &mut tiles[block / TALL * TALL * self.dim..];
                row.iter().enumerate().for_each(|(i, x)| tile[i * TALL + block % TALL] = *x);
                block += 1;
            }
            let out = &mut out[done * self.stride..(done + block) * self.stride];
            Arch::new().dispatch(Multiply { tiles: &tiles, packed: self, out });
            done += block;
        }
    }
}

struct Lanes;

impl WithSimd for Lanes {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        S::F32_LANES
    }
}

struct Multiply<'a> {
    tiles: &'a [f32],
    packed: &'a Packed,
    out: &'a mut [f32],
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Packed { stride, dim, width, .. } = *self.packed;
        for (at, panel) in self.packed.data.chunks_exact((dim * width).max(1)).enumerate() {
            let (panel, _) = S::as_simd_f32s(panel);
            let (panel, _) = panel.as_chunks::<2>();
            for (tile, out) in self.tiles.chunks_exact(TALL * dim).zip(self.out.chunks_mut(TALL * stride)) {
                let sums = tile_sums(simd, tile, panel);
                for (row, sums) in out.chunks_exact_mut(stride).zip(&sums) {
                    let (row, _) = S::as_mut_simd_f32s(&mut row[at * width..(at + 1) * width]);
                    row.copy_from_slice(sums);
                }
            }
        }
    }
}

#[inline(always)]
fn tile_sums<S: Simd>(simd: S, tile: &[f32], panel: &[[S::f32s; 2]]) -> [[S::f32s; 2]; TALL] {
    let mut sums = [[simd.splat_f32s(0.0); 2]; TALL];
    let (tile, _) = tile.as_chunks::<TALL>();
    for (a, b) in tile.iter().zip(panel) {
        for i in 0..TALL {
            let x = simd.splat_f32s(a[i]);
            sums[i][0] = simd.mul_add_e_f32s(x, b[0], sums[i][0]);
            sums[i][1] = simd.mul_add_e_f32s(x, b[1], sums[i][1]);
        }
    }
    sums
}

pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    Arch::new().dispatch(Dot { a, b })
}

struct Dot<'a> {
    a: &'a [f32],
    b: &'a [f32],
}

impl WithSimd for Dot<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f32 {
        dot_in(simd, self.a, self.b)
    }
}

/// One dot product, for loops that know the processor already.
#[inline(always)]
pub(crate) fn dot_in<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_tail), (b, b_tail)) = (S::as_simd_f32s(a), S::as_simd_f32s(b));
    let ((a4, a1), (b4, b1)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [simd.splat_f32s(0.0); 4];
    for (x, y) in a4.iter().zip(b4) {
        for i in 0..4 {
            sums[i] = simd.mul_add_e_f32s(x[i], y[i], sums[i]);
        }
    }
    for (x, y) in a1.iter().zip(b1) {
        sums[0] = simd.mul_add_e_f32s(*x, *y, sums[0]);
    }
    let sum = simd.add_f32s(simd.add_f32s(sums[0], sums[1]), simd.add_f32s(sums[2], sums[3]));
    let mut total = simd.reduce_sum_f32s(sum);
    for (x, y) in a_tail.iter().zip(b_tail) {
        total += x * y;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use tabletalk_core::Matrix;

    fn random(rows: usize, dim: usize, seed: u64) -> Matrix {
        let mut random = Random::new(seed, 0);
        Matrix { dim, data: (0..rows * dim).map(|_| random.bell()).collect() }
    }

    #[test]
    fn products_are_those_of_a_plain_loop() {
        for (rows, others, dim) in [(1, 1, 1), (5, 33, 7), (97, 70, 20), (200, 3, 384)] {
            let (a, b) = (random(rows, dim, 1), random(others, dim, 2));
            let packed = Packed::new(b.rows(), dim);
            let mut out = vec![0.0; rows * packed.stride];
            packed.multiply(a.rows(), &mut out);
            for (i, x) in a.rows().enumerate() {
                for (j, y) in b.rows().enumerate() {
                    let plain: f32 = x.iter().zip(y).map(|(x, y)| x * y).sum();
                    assert!((out[i * packed.stride + j] - plain).abs() < 1e-3);
                    assert!((dot(x, y) - plain).abs() < 1e-3);
                }
            }
        }
    }
}
