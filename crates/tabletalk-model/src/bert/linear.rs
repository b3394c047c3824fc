//! Linear layers, with weights in bytes or in full.

use super::rows;
use rten_gemm::{BiasVector, GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_tensor::NdTensorView;
use tabletalk_core::{Error, Result};

/// What multiplies matrices.
#[derive(Default)]
pub(super) struct Gemm {
    bytes: GemmExecutor<u8, i8, i32>,
    pub(super) floats: GemmExecutor<f32, f32, f32>,
}

/// A linear layer.
pub(super) struct Linear {
    weights: Weights,
    bias: Vec<f32>,
    inputs: usize,
}

enum Weights {
    /// Bytes, and for each output what one is worth and the sum of them.
    Bytes(PackedBMatrix<i8>, Vec<f32>, Vec<i32>),
    Floats(PackedBMatrix<f32>),
}

/// Weights as they are read, the outputs of an input one after the other.
pub(super) enum Raw {
    Bytes(Vec<i8>, Vec<f32>),
    Floats(Vec<f32>),
}

/// The bytes of rows, and what comes of them.
#[derive(Default)]
pub(super) struct Scratch {
    bytes: Vec<u8>,
    zeros: Vec<u8>,
    scales: Vec<f32>,
    products: Vec<i32>,
}

impl Gemm {
    /// The greatest byte a number may become: where sums of products of bytes do not fit in what the processor adds them
    /// up in, only half of them are used.
    fn top(&self) -> f32 {
        if self.bytes.may_saturate() { 127.0 } else { 255.0 }
    }
}

impl Linear {
    /// A layer from `inputs` numbers to as many as `bias` has.
    pub(super) fn new(gemm: &Gemm, raw: &Raw, bias: Vec<f32>, inputs: usize) -> Option<Linear> {
        let shape = [inputs, bias.len()];
        let weights = match raw {
            Raw::Bytes(bytes, scales) => {
                let matrix = NdTensorView::try_from_data(shape, bytes.as_slice()).ok()?;
                if scales.len() != bias.len() {
                    return None;
                }
                Weights::Bytes(gemm.bytes.prepack_b(matrix), scales.clone(), sums(bytes, bias.len()))
            }
            Raw::Floats(floats) => {
                let matrix = NdTensorView::try_from_data(shape, floats.as_slice()).ok()?;
                Weights::Floats(gemm.floats.prepack_b(matrix))
            }
        };
        Some(Linear { weights, bias, inputs })
    }

    /// How many numbers come out for a row.
    pub(super) fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Writes what comes of the rows of `input` to `out`, which has room for just that.
    pub(super) fn apply(
        &self,
        gemm: &Gemm,
        input: &[f32],
        scratch: &mut Scratch,
        out: &mut [f32],
    ) -> Result<()> {
        let rows = input.len() / self.inputs.max(1);
        match &self.weights {
            Weights::Bytes(packed, scales, sums) => {
                self.in_bytes(gemm, packed, scales, sums, input, scratch, out)
            }
            Weights::Floats(packed) => {
                let bias = Some(BiasVector::Row(&self.bias));
                let options = GemmOptions { bias, ..GemmOptions::default() };
                let input = NdTensorView::try_from_data([rows, self.inputs], input).map_err(misfit)?;
                let packed = GemmInputB::Packed(packed);
                gemm.floats.gemm(out, GemmInputA::Unpacked(input), packed, options).map_err(misfit)
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn in_bytes(
        &self,
        gemm: &Gemm,
        packed: &PackedBMatrix<i8>,
        scales: &[f32],
        sums: &[i32],
        input: &[f32],
        scratch: &mut Scratch,
        out: &mut [f32],
    ) -> Result<()> {
        let Scratch { bytes, zeros, scales: worth, products } = scratch;
        bytes.resize(input.len(), 0);
        rows::quantize(input, self.inputs, gemm.top(), bytes, zeros, worth);
        products.resize(out.len(), 0);
        let input = NdTensorView::try_from_data([zeros.len(), self.inputs], &bytes[..]).map_err(misfit)?;
        let (input, packed) = (GemmInputA::Unpacked(input), GemmInputB::Packed(packed));
        gemm.bytes.gemm(products, input, packed, GemmOptions::default()).map_err(misfit)?;
        // The byte that is zero differs from row to row. It is taken out here: the multiplication knows one for all rows.
        let columns = rows::Columns { scales, sums, bias: &self.bias };
        rows::finish(products, zeros, worth, &columns, out);
        Ok(())
    }
}

/// The sum of the weights of each output.
fn sums(bytes: &[i8], outputs: usize) -> Vec<i32> {
    let mut sums = vec![0; outputs];
    for row in bytes.chunks_exact(outputs.max(1)) {
        sums.iter_mut().zip(row).for_each(|(sum, byte)| *sum += i32::from(*byte));
    }
    sums
}

/// The error of matrices that do not fit: it cannot happen, since shapes are checked when weights are read.
pub(super) fn misfit(e: impl std::fmt::Display) -> Error {
    Error::bug(format!("matrices of an encoder do not fit: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers between -1 and 1 that look like chance.
    fn numbers(many: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..many).map(|_| next()).collect()
    }

    fn naive(input: &[f32], weights: &[f32], bias: &[f32]) -> Vec<f32> {
        let inputs = weights.len() / bias.len();
        let one = |row: &[f32], o: usize| {
            bias[o] + row.iter().enumerate().map(|(i, x)| x * weights[i * bias.len() + o]).sum::<f32>()
        };
        input.chunks_exact(inputs).flat_map(|row| (0..bias.len()).map(move |o| one(row, o))).collect()
    }

    #[test]
    fn bytes_and_floats_give_what_a_naive_loop_gives() {
        for (rows, inputs, outputs) in [(1, 64, 32), (5, 384, 96), (37, 1536, 384), (100, 100, 7)] {
            let (input, bias) = (numbers(rows * inputs, 1), numbers(outputs, 2));
            let bytes: Vec<i8> = numbers(inputs * outputs, 3).iter().map(|x| (x * 127.0) as i8).collect();
            let scales: Vec<f32> = numbers(outputs, 4).iter().map(|x| 0.001 + x.abs() / 1000.0).collect();
            let weights: Vec<f32> =
                bytes.iter().enumerate().map(|(i, b)| f32::from(*b) * scales[i % outputs]).collect();
            let wanted = naive(&input, &weights, &bias);
            let most = wanted.iter().fold(0f32, |most, x| most.max(x.abs()));
            let gemm = Gemm::default();
            for (raw, close) in [(Raw::Bytes(bytes, scales), 0.02), (Raw::Floats(weights), 1e-4)] {
                let linear = Linear::new(&gemm, &raw, bias.clone(), inputs).unwrap();
                let mut out = vec![f32::NAN; wanted.len()];
                linear.apply(&gemm, &input, &mut Scratch::default(), &mut out).unwrap();
                for (out, wanted) in out.iter().zip(&wanted) {
                    assert!((out - wanted).abs() <= close * most, "{out} is not {wanted}");
                }
            }
        }
    }
}
