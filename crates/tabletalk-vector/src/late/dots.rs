//! Dot products of many rows with many rows, with the widest instructions the processor has.

use super::columns::{LANES, ROWS, block, side_by_side, split};
use pulp::{Arch, Simd, WithSimd};

/// Writes the dot product of every row of `a` with every row of `b` to `out`, the rows of `a` outermost.
///
/// Rows that do not fill `dim` are left out; `out` holds `rows of a × rows of b` numbers. The rows of `b` are laid out
/// anew at every call, which is worth it where there are many of `a`.
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

impl WithSimd for Dots<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Dots { a, b, dim, wide, out } = self;
        for (group, b) in b.chunks(LANES * dim).enumerate() {
            let columns = side_by_side(b, dim);
            for (rows, out) in a.chunks(ROWS * dim).zip(out.chunks_mut(ROWS * wide)) {
                let block = block(simd, split(rows, dim), &columns);
                for (lanes, out) in block.iter().zip(out.chunks_exact_mut(wide)) {
                    out[group * LANES..].iter_mut().zip(lanes).for_each(|(out, dot)| *out = *dot);
                }
            }
        }
    }
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
