//! A linear layer that stands beside a graph, in a safetensors file.

use crate::safetensors::Tensors;
use serde_json::Value;
use std::path::Path;
use tabletalk_core::{Error, Result};

/// Multiplies by a matrix, adds a bias and may squeeze with tanh.
pub(crate) struct Dense {
    /// How many numbers come out.
    pub(crate) out: usize,
    inputs: usize,
    weight: Vec<f32>,
    bias: Vec<f32>,
    tanh: bool,
}

impl Dense {
    /// Reads `model.safetensors` and `config.json` in `path`.
    pub(crate) fn open(path: &Path) -> Result<Dense> {
        let file = path.join("model.safetensors");
        let bytes = std::fs::read(&file).map_err(|e| Error::from(e).at(file.display()))?;
        let config = std::fs::read(path.join("config.json")).unwrap_or_default();
        let config: Value = serde_json::from_slice(&config).unwrap_or(Value::Null);
        let activation = config.get("activation_function").and_then(Value::as_str).unwrap_or_default();
        let damaged = || {
            Error::input("is damaged or not a linear layer of 32-bit numbers")
                .at(file.display())
                .hint("download the file again")
        };
        Dense::parse(&bytes, activation.ends_with("Tanh")).ok_or_else(damaged)
    }

    fn parse(bytes: &[u8], tanh: bool) -> Option<Dense> {
        let tensors = Tensors::parse(bytes)?;
        let &[out, inputs] = tensors.shape("linear.weight")?.as_slice() else { return None };
        let weight = tensors.floats("linear.weight")?;
        let bias = tensors.floats("linear.bias").unwrap_or_else(|| vec![0.0; out]);
        let whole = weight.len() == out.checked_mul(inputs)? && bias.len() == out && inputs > 0;
        whole.then_some(Dense { out, inputs, weight, bias, tanh })
    }

    /// The rows of `states` through this layer, row after row; `None` when they have another length.
    pub(crate) fn apply(&self, states: &[f32], dim: usize) -> Option<Vec<f32>> {
        (dim == self.inputs).then(|| states.chunks_exact(dim).flat_map(|row| self.row(row)).collect())
    }

    fn row<'a>(&'a self, row: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
        self.weight.chunks_exact(self.inputs).zip(&self.bias).map(move |(weights, bias)| {
            let sum = bias + weights.iter().zip(row).map(|(w, x)| w * x).sum::<f32>();
            if self.tanh { sum.tanh() } else { sum }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let header = br#"{"linear.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}"#;
        let numbers = [1.0f32, 0.0, 0.0, 0.0, 2.0, 0.5];
        let length = (header.len() as u64).to_le_bytes();
        length.into_iter().chain(*header).chain(numbers.iter().flat_map(|n| n.to_le_bytes())).collect()
    }

    #[test]
    fn rows_are_multiplied() {
        let dense = Dense::parse(&file(), false).unwrap();
        assert_eq!(dense.apply(&[1.0, 2.0, 4.0, 0.0, 1.0, 0.0], 3).unwrap(), [1.0, 6.0, 0.0, 2.0]);
        assert!(dense.apply(&[1.0, 2.0], 2).is_none());
    }

    #[test]
    fn a_file_cut_short_is_refused() {
        let file = file();
        assert!((0..file.len()).all(|end| Dense::parse(&file[..end], false).is_none()));
    }
}
