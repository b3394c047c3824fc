//! Dot products of many rows with many rows, with the widest instructions the processor has.

use pulp::{Arch, Simd, WithSimd};

/// Writes the dot product of every row of `a` with every row of `b` to `out`, the rows of `a` outermost.
///
/// Rows that do not fill `dim` are left out; `out` holds `rows of a × rows of b` numbers.
pub(super) fn dots(a: &[f32], b: &[f32], dim: usize, out: &mut [f32]) {
    let wide = b.len().checked_div(dim).unwrap_or(0);
    if wide > 0 {
        Arch::new().dispatch(Dots { a, b, dim, wide, out });
    }
}

struct Dots<'a> {
    a: &'a [f32],
    b: &'a [f32],
    dim: usize,
    wide: usize,
    out: &'a mut [f32],
}

/// Rows of each side that are worked on together, so that every number loaded is used that many times.
const BLOCK: usize = 4;

impl WithSimd for Dots<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Dots { a, b, dim, wide, out } = self;
        for (rows, out) in a.chunks(BLOCK * dim).zip(out.chunks_mut(BLOCK * wide)) {
            for (j, columns) in b.chunks(BLOCK * dim).enumerate() {
                let block = block(simd, rows, columns, dim);
                place(&block, out, j * BLOCK, wide);
            }
        }
    }
}

type Block = [[f32; BLOCK]; BLOCK];

/// Puts a block where it belongs; what stands beyond the edge is dropped.
#[inline(always)]
fn place(block: &Block, out: &mut [f32], column: usize, wide: usize) {
    for (row, out) in block.iter().zip(out.chunks_exact_mut(wide)) {
        for (value, out) in row.iter().zip(&mut out[column..]) {
            *out = *value;
        }
    }
}

/// The dot products of up to four rows with up to four rows.
#[inline(always)]
fn block<S: Simd>(simd: S, rows: &[f32], columns: &[f32], dim: usize) -> Block {
    let row = |side, i| -> &[f32] { self::row(side, i, dim) };
    let (a0, a1, a2, a3) = (row(rows, 0), row(rows, 1), row(rows, 2), row(rows, 3));
    let (b0, b1, b2, b3) = (row(columns, 0), row(columns, 1), row(columns, 2), row(columns, 3));
    let [(a0, x0), (a1, x1), (a2, x2), (a3, x3)] = [a0, a1, a2, a3].map(S::as_simd_f32s);
    let [(b0, y0), (b1, y1), (b2, y2), (b3, y3)] = [b0, b1, b2, b3].map(S::as_simd_f32s);
    let mut sums = [[simd.splat_f32s(0.0); BLOCK]; BLOCK];
    let left = a0.iter().zip(a1).zip(a2).zip(a3);
    let right = b0.iter().zip(b1).zip(b2).zip(b3);
    for ((((a0, a1), a2), a3), (((b0, b1), b2), b3)) in left.zip(right) {
        let (a, b) = ([*a0, *a1, *a2, *a3], [*b0, *b1, *b2, *b3]);
        for i in 0..BLOCK {
            for j in 0..BLOCK {
                sums[i][j] = simd.mul_add_e_f32s(a[i], b[j], sums[i][j]);
            }
        }
    }
    let (x, y) = ([x0, x1, x2, x3], [y0, y1, y2, y3]);
    let mut block = [[0.0; BLOCK]; BLOCK];
    for i in 0..BLOCK {
        for j in 0..BLOCK {
            let tail: f32 = x[i].iter().zip(y[j]).map(|(a, b)| a * b).sum();
            block[i][j] = simd.reduce_sum_f32s(sums[i][j]) + tail;
        }
    }
    block
}

/// A row of a block; at the edge the first stands in for those that are missing.
#[inline(always)]
fn row(side: &[f32], i: usize, dim: usize) -> &[f32] {
    side.get(i * dim..(i + 1) * dim).or_else(|| side.get(..dim)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(a: &[f32], b: &[f32], dim: usize) -> Vec<f32> {
        let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x * y).sum();
        a.chunks_exact(dim).flat_map(|x| b.chunks_exact(dim).map(move |y| dot(x, y))).collect()
    }

    proptest! {
        #[test]
        fn equals_a_naive_loop(
            (dim, a, b) in (1usize..70, 0usize..11, 0usize..11).prop_flat_map(|(dim, a, b)| (
                Just(dim),
                prop::collection::vec(-1f32..1.0, a * dim),
                prop::collection::vec(-1f32..1.0, b * dim),
            ))
        ) {
            let wanted = naive(&a, &b, dim);
            let mut out = vec![f32::NAN; wanted.len()];
            dots(&a, &b, dim, &mut out);
            for (out, wanted) in out.iter().zip(&wanted) {
                prop_assert!((out - wanted).abs() < 1e-4, "{out} is not {wanted}");
            }
        }
    }
}
