//! How much the tokens of a text attend to each other.

use super::linear::{Gemm, misfit};
use super::rows;
use rten_gemm::{GemmInputA, GemmInputB, GemmOptions};
use rten_tensor::NdTensorView;
use tabletalk_core::Result;

/// Attention with several heads.
pub(super) struct Attention {
    heads: usize,
    /// Numbers of a head.
    size: usize,
}

impl Attention {
    /// Heads that share `dim` numbers evenly.
    pub(super) fn new(heads: usize, dim: usize) -> Option<Attention> {
        (heads > 0 && dim > 0 && dim.is_multiple_of(heads)).then(|| Attention { heads, size: dim / heads })
    }

    /// Mixes the values of a text's tokens. `asked` has a row of queries, keys and values for each token, of which
    /// the first `attended` are attended to; `mixed` has as many rows as are wanted, from token `from` on.
    pub(super) fn mix(
        &self,
        gemm: &Gemm,
        asked: &[f32],
        attended: usize,
        from: usize,
        scores: &mut Vec<f32>,
        mixed: &mut [f32],
    ) -> Result<()> {
        let dim = self.heads * self.size;
        let wanted = mixed.len() / dim;
        if wanted == 0 || attended == 0 {
            mixed.fill(0.0);
            return Ok(());
        }
        scores.resize(wanted * (attended + self.size), 0.0);
        let (scores, values) = scores.split_at_mut(wanted * attended);
        let scale = 1.0 / (self.size as f32).sqrt();
        for head in 0..self.heads {
            let of = |part: usize, token: usize| &asked[token * 3 * dim + part * dim + head * self.size..];
            let view = |part: usize, from: usize, rows: usize| {
                NdTensorView::from_slice_with_strides([rows, self.size], of(part, from), [3 * dim, 1])
                    .map_err(misfit)
            };
            let keys = NdTensorView::from_slice_with_strides([self.size, attended], of(1, 0), [1, 3 * dim])
                .map_err(misfit)?;
            let queries = GemmInputA::Unpacked(view(0, from, wanted)?);
            let options = GemmOptions { alpha: scale, ..GemmOptions::default() };
            gemm.floats.gemm(scores, queries, GemmInputB::Unpacked(keys), options).map_err(misfit)?;
            scores.chunks_exact_mut(attended).for_each(rows::softmax);
            let weights = NdTensorView::try_from_data([wanted, attended], &scores[..]).map_err(misfit)?;
            let told = GemmInputB::Unpacked(view(2, 0, attended)?);
            let options = GemmOptions::default();
            gemm.floats.gemm(values, GemmInputA::Unpacked(weights), told, options).map_err(misfit)?;
            let places = mixed.chunks_exact_mut(dim).zip(values.chunks_exact(self.size));
            places.for_each(|(row, value)| {
                row[head * self.size..(head + 1) * self.size].copy_from_slice(value);
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_mix_what_a_naive_loop_mixes() {
        let (heads, size, tokens, attended) = (3, 4, 7, 5);
        let dim = heads * size;
        let asked: Vec<f32> = (0..tokens * 3 * dim).map(|i| ((i * 37) as f32 * 0.1).sin()).collect();
        let part = |token: usize, part: usize, head: usize| {
            let at = token * 3 * dim + part * dim + head * size;
            &asked[at..at + size]
        };
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        for (from, wanted) in [(0, 1), (0, tokens), (3, 2)] {
            let mut mixed = vec![f32::NAN; wanted * dim];
            let attention = Attention::new(heads, dim).unwrap();
            attention.mix(&Gemm::default(), &asked, attended, from, &mut Vec::new(), &mut mixed).unwrap();
            for (token, head) in (0..wanted).flat_map(|t| (0..heads).map(move |h| (t, h))) {
                let score =
                    |other: usize| (dot(part(from + token, 0, head), part(other, 1, head)) / 2.0).exp();
                let total: f32 = (0..attended).map(score).sum();
                for i in 0..size {
                    let value: f32 = (0..attended).map(|o| score(o) / total * part(o, 2, head)[i]).sum();
                    let out = mixed[token * dim + head * size + i];
                    assert!((out - value).abs() < 1e-5, "{out} is not {value}");
                }
            }
        }
    }
}
