//! A query laid out so that one number of a row meets all of its tokens at once.
//!
//! Sixteen tokens stand side by side: their first numbers, then their second ones, and so on. A row is multiplied number
//! by number, and its dot products with all sixteen come out side by side too: nothing has to be summed across lanes,
//! and the greatest of many rows is taken for all tokens at once.

use pulp::{Arch, Simd, WithSimd};

/// Tokens that stand side by side.
pub(super) const LANES: usize = 16;
/// Rows that are worked on together, so that every number of the query that is loaded is used that many times.
pub(super) const ROWS: usize = 8;

/// One number for each of the tokens side by side. Where there are fewer tokens the rest is 0.
pub(super) type Lanes = [f32; LANES];

/// Groups of tokens side by side; of each group, the lanes for every dimension.
pub(super) fn columns(query: &[f32], dim: usize) -> Vec<Vec<Lanes>> {
    query.chunks(LANES * dim).map(|tokens| side_by_side(tokens, dim)).collect()
}

/// The lanes of up to sixteen tokens, for every dimension.
pub(super) fn side_by_side(tokens: &[f32], dim: usize) -> Vec<Lanes> {
    let mut columns = vec![[0.0; LANES]; dim];
    for (lane, token) in tokens.chunks_exact(dim).enumerate() {
        columns.iter_mut().zip(token).for_each(|(column, x)| column[lane] = *x);
    }
    columns
}

/// Writes the dot products of every row with every token.
pub(super) fn products(rows: &[f32], columns: &[Lanes], out: &mut [Lanes]) {
    Arch::new().dispatch(Products { rows, columns, out });
}

struct Products<'a> {
    rows: &'a [f32],
    columns: &'a [Lanes],
    out: &'a mut [Lanes],
}

impl WithSimd for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let dim = self.columns.len();
        for (rows, out) in self.rows.chunks(ROWS * dim).zip(self.out.chunks_mut(ROWS)) {
            let block = block(simd, split(rows, dim), self.columns);
            out.iter_mut().zip(block).for_each(|(out, lanes)| *out = lanes);
        }
    }
}

/// The rows of a block; where there are fewer, the first stands in for those that are missing.
#[inline(always)]
pub(super) fn split(rows: &[f32], dim: usize) -> [&[f32]; ROWS] {
    std::array::from_fn(|i| rows.get(i * dim..(i + 1) * dim).or_else(|| rows.get(..dim)).unwrap_or_default())
}

/// The dot products of each row with each token. Rows are as long as there are columns.
#[inline(always)]
pub(super) fn block<S: Simd>(simd: S, rows: [&[f32]; ROWS], columns: &[Lanes]) -> [Lanes; ROWS] {
    let mut out = [[0.0; LANES]; ROWS];
    let (numbers, _) = S::as_simd_f32s(columns.as_flattened());
    let wide = LANES / S::F32_LANES;
    let dim = rows.iter().map(|row| row.len()).fold(columns.len(), usize::min);
    let [a, b, c, d, e, f, g, h] = rows;
    // Cut one by one: so the compiler sees that no index is out of bounds.
    let rows = [&a[..dim], &b[..dim], &c[..dim], &d[..dim], &e[..dim], &f[..dim], &g[..dim], &h[..dim]];
    let numbers = &numbers[..dim * wide];
    for part in 0..wide {
        let mut sums = [simd.splat_f32s(0.0); ROWS];
        for i in 0..dim {
            let number = numbers[i * wide + part];
            for (sum, row) in sums.iter_mut().zip(rows) {
                *sum = simd.mul_add_e_f32s(simd.splat_f32s(row[i]), number, *sum);
            }
        }
        for (out, sum) in out.iter_mut().zip(sums) {
            S::as_mut_simd_f32s(out).0[part] = sum;
        }
    }
    out
}

/// Replaces what is less than the new.
#[inline(always)]
pub(super) fn raise(best: &mut Lanes, new: &Lanes) {
    for lane in 0..LANES {
        best[lane] = if new[lane] > best[lane] { new[lane] } else { best[lane] };
    }
}

/// The sum over all tokens.
#[inline(always)]
pub(super) fn sum(lanes: &Lanes) -> f32 {
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_a_naive_loop(
            (dim, rows, query) in (1usize..70, 0usize..19, 1usize..40).prop_flat_map(|(dim, rows, tokens)| (
                Just(dim),
                prop::collection::vec(-1f32..1.0, rows * dim),
                prop::collection::vec(-1f32..1.0, tokens * dim),
            ))
        ) {
            let groups = columns(&query, dim);
            let mut out = vec![vec![[f32::NAN; LANES]; rows.len() / dim]; groups.len()];
            groups.iter().zip(&mut out).for_each(|(columns, out)| products(&rows, columns, out));
            for (i, row) in rows.chunks(dim).enumerate() {
                for lane in 0..groups.len() * LANES {
                    let token = query.chunks(dim).nth(lane).unwrap_or_default();
                    let wanted: f32 = row.iter().zip(token).map(|(x, y)| x * y).sum();
                    let got = out[lane / LANES][i][lane % LANES];
                    prop_assert!((got - wanted).abs() < 1e-4, "{got} is not {wanted}");
                }
            }
        }
    }
}
