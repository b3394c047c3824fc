//! How alike two texts are, token by token.

use super::columns::{LANES, Lanes, ROWS, block, columns, raise, split, sum};
use pulp::{Arch, Simd, WithSimd};
use tabletalk_core::Matrix;

/// The sum, over the query's tokens, of the best dot product with any token of the document.
///
/// Nothing has been found when either side is empty or their rows differ in length: 0.
pub fn maxsim(query: &Matrix, document: &Matrix) -> f32 {
    if query.dim != document.dim || query.dim == 0 {
        return 0.0;
    }
    maxsim_rows(&columns(&query.data, query.dim), &document.data)
}

/// [`maxsim`] divided by the number of the query's tokens: with vectors of length one, at most 1.
pub fn maxsim_mean(query: &Matrix, document: &Matrix) -> f32 {
    maxsim(query, document) / query.len().max(1) as f32
}

/// [`maxsim`] of a query whose tokens stand side by side.
pub(super) fn maxsim_rows(query: &[Vec<Lanes>], document: &[f32]) -> f32 {
    if document.is_empty() {
        return 0.0;
    }
    query.iter().map(|columns| Arch::new().dispatch(Best { columns, document })).sum()
}

struct Best<'a> {
    columns: &'a [Lanes],
    document: &'a [f32],
}

impl WithSimd for Best<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f32 {
        let dim = self.columns.len();
        let mut best = [f32::NEG_INFINITY; LANES];
        for rows in self.document.chunks(ROWS * dim) {
            let block = block(simd, split(rows, dim), self.columns);
            block.iter().for_each(|lanes| raise(&mut best, lanes));
        }
        sum(&best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(query: &Matrix, document: &Matrix) -> f32 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let best = |q: &[f32]| document.rows().map(|d| dot(q, d)).fold(f32::NEG_INFINITY, f32::max);
        query.rows().map(best).sum()
    }

    proptest! {
        #[test]
        fn equals_a_naive_loop(
            (dim, query, document) in (1usize..40, 1usize..9, 1usize..9).prop_flat_map(|(dim, q, d)| (
                Just(dim),
                prop::collection::vec(-1f32..1.0, q * dim),
                prop::collection::vec(-1f32..1.0, d * dim),
            ))
        ) {
            let (query, document) = (Matrix { dim, data: query }, Matrix { dim, data: document });
            let (got, wanted) = (maxsim(&query, &document), naive(&query, &document));
            prop_assert!((got - wanted).abs() < 1e-3, "{got} is not {wanted}");
        }
    }

    #[test]
    fn an_empty_side_scores_nothing() {
        let one = Matrix::row(vec![1.0, 0.0]);
        assert_eq!(maxsim(&Matrix::default(), &one), 0.0);
        assert_eq!(maxsim(&one, &Matrix { dim: 2, data: vec![] }), 0.0);
        assert_eq!(maxsim_mean(&Matrix::default(), &Matrix::default()), 0.0);
    }

    #[test]
    fn the_mean_of_a_text_with_itself_is_one() {
        let text = Matrix { dim: 2, data: vec![1.0, 0.0, 0.6, 0.8] };
        assert!((maxsim_mean(&text, &text) - 1.0).abs() < 1e-6);
    }
}
