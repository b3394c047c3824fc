//! What is done to rows of numbers between the multiplications.

use pulp::Arch;
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_vecmath::{Gelu, MinMax, Softmax};

/// Added to a number of less than 22 bits, it leaves the number, rounded, in the lowest bits.
const ROUND: f32 = 12_582_912.0;

/// The vectors of words, places or kinds.
pub(super) struct Table {
    pub(super) rows: Rows,
    pub(super) dim: usize,
}

/// Rows in bytes, with the byte that is zero and what one is worth, or in full.
pub(super) enum Rows {
    Bytes(Vec<u8>, u8, f32),
    Floats(Vec<f32>),
}

impl Table {
    /// Adds a row to `out`; false when there is no such row.
    pub(super) fn add(&self, number: usize, out: &mut [f32]) -> bool {
        let range = number.saturating_mul(self.dim)..number.saturating_add(1).saturating_mul(self.dim);
        match &self.rows {
            Rows::Bytes(bytes, zero, scale) => bytes.get(range).map(|row| {
                let numbers = row.iter().map(|byte| (f32::from(*byte) - f32::from(*zero)) * scale);
                out.iter_mut().zip(numbers).for_each(|(out, x)| *out += x);
            }),
            Rows::Floats(floats) => {
                floats.get(range).map(|row| out.iter_mut().zip(row).for_each(|(out, x)| *out += x))
            }
        }
        .is_some()
    }
}

/// Layer normalisation.
pub(super) struct Norm {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
    pub(super) epsilon: f32,
}

impl Norm {
    /// Normalises a row.
    pub(super) fn apply(&self, row: &mut [f32]) {
        Arch::new().dispatch(|| self.one(row));
    }

    /// Adds rows to `states` and normalises them.
    pub(super) fn add(&self, rows: &[f32], states: &mut [f32]) {
        let dim = self.weight.len();
        Arch::new().dispatch(|| {
            for (state, row) in states.chunks_exact_mut(dim).zip(rows.chunks_exact(dim)) {
                state.iter_mut().zip(row).for_each(|(state, x)| *state += x);
                self.one(state);
            }
        });
    }

    #[inline(always)]
    fn one(&self, row: &mut [f32]) {
        let many = row.len() as f32;
        let mean = sum(row, |x| x) / many;
        let spread = sum(row, |x| (x - mean) * (x - mean)) / many;
        let scale = 1.0 / (spread + self.epsilon).sqrt();
        for ((x, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
            *x = (*x - mean) * scale * weight + bias;
        }
    }
}

/// The sum of `of` each number, in sixteen sums that are added at the end, as vectors of numbers are.
#[inline(always)]
fn sum(row: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0; 16];
    let (chunks, rest) = row.as_chunks::<16>();
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += of(*x));
    }
    sums.iter().sum::<f32>() + rest.iter().map(|x| of(*x)).sum::<f32>()
}

/// The error function's activation, in place.
pub(super) fn gelu(numbers: &mut [f32]) {
    Gelu {}.map_mut(numbers);
}

/// Makes a row shares of one.
pub(super) fn softmax(row: &mut [f32]) {
    Softmax::new_mut(row).dispatch();
}

/// Makes the numbers of each row bytes from 0 to `top`; for each row the byte that is zero and what one is worth.
pub(super) fn quantize(
    input: &[f32],
    dim: usize,
    top: f32,
    bytes: &mut [u8],
    zeros: &mut Vec<u8>,
    scales: &mut Vec<f32>,
) {
    zeros.clear();
    scales.clear();
    for (row, bytes) in input.chunks_exact(dim).zip(bytes.chunks_exact_mut(dim)) {
        let (low, high) = MinMax::new(row).dispatch();
        let (low, high) = (low.min(0.0), high.max(0.0));
        let scale = if high > low { (high - low) / top } else { 1.0 };
        let zero = (-low / scale).round().clamp(0.0, top);
        Arch::new().dispatch(|| to_bytes(row, 1.0 / scale, zero, top, bytes));
        zeros.push(zero as u8);
        scales.push(scale);
    }
}

#[inline(always)]
fn to_bytes(row: &[f32], worth: f32, zero: f32, top: f32, bytes: &mut [u8]) {
    for (byte, x) in bytes.iter_mut().zip(row) {
        *byte = ((x * worth + zero).max(0.0).min(top) + ROUND).to_bits() as u8;
    }
}

/// What the columns of products are finished with.
pub(super) struct Columns<'a> {
    /// What one is worth.
    pub(super) scales: &'a [f32],
    /// The sum of the weights.
    pub(super) sums: &'a [i32],
    pub(super) bias: &'a [f32],
}

/// From products of bytes back to numbers: the byte that is zero in a row is taken out of every product, and a bias
/// added to it.
pub(super) fn finish(products: &[i32], zeros: &[u8], worth: &[f32], columns: &Columns<'_>, out: &mut [f32]) {
    let wide = columns.bias.len();
    let rows = out.chunks_exact_mut(wide).zip(products.chunks_exact(wide)).zip(zeros.iter().zip(worth));
    for ((out, products), (zero, worth)) in rows {
        Arch::new().dispatch(|| finish_row(out, products, i32::from(*zero), *worth, columns));
    }
}

#[inline(always)]
fn finish_row(out: &mut [f32], products: &[i32], zero: i32, worth: f32, columns: &Columns<'_>) {
    let by_column = columns.scales.iter().zip(columns.sums).zip(columns.bias);
    for ((out, product), ((scale, sum), bias)) in out.iter_mut().zip(products).zip(by_column) {
        *out = (product - zero * sum) as f32 * (worth * scale) + bias;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stand_for_the_numbers_they_were_made_of() {
        let input: Vec<f32> = (0..96).map(|i| (i as f32 * 0.37).sin() * (1.0 + i as f32 / 48.0)).collect();
        for top in [127.0, 255.0] {
            let (mut bytes, mut zeros, mut scales) = (vec![0; 96], Vec::new(), Vec::new());
            quantize(&input, 48, top, &mut bytes, &mut zeros, &mut scales);
            for (i, (x, byte)) in input.iter().zip(&bytes).enumerate() {
                let back = (f32::from(*byte) - f32::from(zeros[i / 48])) * scales[i / 48];
                assert!((x - back).abs() <= scales[i / 48] * 1.01, "{x} came back as {back}");
            }
        }
    }

    #[test]
    fn rows_of_zeros_stay_so() {
        let (mut bytes, mut zeros, mut scales) = (vec![7; 4], Vec::new(), Vec::new());
        quantize(&[0.0; 4], 4, 255.0, &mut bytes, &mut zeros, &mut scales);
        assert_eq!((bytes, zeros, scales), (vec![0; 4], vec![0], vec![1.0]));
    }

    #[test]
    fn a_normalised_row_has_mean_nothing_and_spread_one() {
        let norm = Norm { weight: vec![1.0; 20], bias: vec![0.0; 20], epsilon: 1e-12 };
        let mut row: Vec<f32> = (0..20).map(|i| (i * i) as f32).collect();
        norm.apply(&mut row);
        let mean = row.iter().sum::<f32>() / 20.0;
        let spread = row.iter().map(|x| x * x).sum::<f32>() / 20.0;
        assert!(mean.abs() < 1e-5 && (spread - 1.0).abs() < 1e-5, "{mean} {spread}");
    }

    #[test]
    fn a_table_says_when_there_is_no_such_row() {
        let table = Table { rows: Rows::Bytes(vec![1, 2, 3, 4], 2, 0.5), dim: 2 };
        let mut out = vec![1.0; 2];
        assert!(table.add(1, &mut out) && !table.add(2, &mut out) && !table.add(usize::MAX, &mut out));
        assert_eq!(out, [1.5, 2.0]);
    }
}
