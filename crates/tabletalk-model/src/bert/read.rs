//! An encoder out of an ONNX file, when it is a plain BERT.

use super::linear::{Gemm, Linear, Raw};
use super::rows::{Norm, Rows, Table};
use super::{Attention, Bert, Layer, Shape};
use crate::safetensors::Tensors;
use rten_onnx::onnx::{DataType, GraphProto, ModelProto, NodeProto, TensorProto};
use rustc_hash::FxHashMap;

impl Bert {
    /// The encoder in an ONNX file. Nothing when it is not a BERT as the hubs export it: then the general runtime can
    /// make something of it, or say what is wrong.
    pub(crate) fn read(file: &[u8], shape: Shape) -> Option<Bert> {
        let graph = ModelProto::parse_buf(file).ok()?.graph?;
        let source = Source::new(&graph)?;
        source.bert(shape, &source)
    }

    /// The embeddings of an ONNX file under layers that were trained for something else, in a safetensors file.
    pub(crate) fn trained(file: &[u8], layers: &Tensors<'_>, shape: Shape) -> Option<Bert> {
        let graph = ModelProto::parse_buf(file).ok()?.graph?;
        Source::new(&graph)?.bert(shape, layers)
    }
}

/// Where the numbers of layers come from.
trait Parts {
    /// The numbers of a tensor in full precision.
    fn numbers(&self, name: &str) -> Option<Vec<f32>>;
    /// The weights and the bias of a linear layer.
    fn linear(&self, name: &str) -> Option<(Raw, Vec<f32>)>;
}

impl Parts for Tensors<'_> {
    fn numbers(&self, name: &str) -> Option<Vec<f32>> {
        self.floats(name)
    }

    fn linear(&self, name: &str) -> Option<(Raw, Vec<f32>)> {
        let bytes = self.bytes(&format!("{name}.weight"))?.iter().map(|b| b.cast_signed()).collect();
        let scales = self.floats(&format!("{name}.weight_scale"))?;
        Some((Raw::Bytes(bytes, scales), self.floats(&format!("{name}.bias"))?))
    }
}

/// A graph by names.
struct Source<'a> {
    graph: &'a GraphProto,
    tensors: FxHashMap<&'a str, &'a TensorProto>,
    /// The matrix multiplications by where they stand: `encoder/layer.0/output/dense`.
    products: FxHashMap<&'a str, &'a NodeProto>,
}

impl<'a> Source<'a> {
    fn new(graph: &'a GraphProto) -> Option<Source<'a>> {
        let named = |tensor: &'a TensorProto| Some((tensor.name.as_deref()?, tensor));
        let tensors = graph.initializer.iter().filter_map(named).collect();
        let product = |node: &'a NodeProto| {
            let is = matches!(node.op_type.as_deref(), Some("MatMul" | "MatMulInteger"));
            let (place, _) = node.name.as_deref().filter(|_| is)?.trim_start_matches('/').rsplit_once('/')?;
            Some((place, node))
        };
        let products = graph.node.iter().filter_map(product).collect();
        Some(Source { graph, tensors, products })
    }

    /// The encoder, with the layers of `parts`.
    fn bert(&self, shape: Shape, parts: &dyn Parts) -> Option<Bert> {
        let many = (0..).take_while(|i| self.tensors.contains_key(self.bias(*i).as_str())).count();
        self.ends_with_layer(many.checked_sub(1)?)?;
        let dim = self.numbers("embeddings.LayerNorm.weight")?.len();
        let attention = Attention::new(shape.heads, dim)?;
        let norm = norm(self, "embeddings.LayerNorm", dim, shape)?;
        let gemm = Gemm::default();
        let layer = |i: usize| layer(parts, &gemm, i, dim, shape);
        let layers = (0..many).map(layer).collect::<Option<Vec<_>>>()?;
        let table = |name: &str| self.table(&format!("embeddings.{name}_embeddings.weight"), dim);
        Some(Bert {
            words: table("word")?,
            positions: table("position")?,
            kinds: table("token_type")?,
            attention,
            norm,
            layers,
            dim,
        })
    }

    fn bias(&self, layer: usize) -> String {
        format!("encoder.layer.{layer}.output.dense.bias")
    }

    /// Whether the states that are given out are those of this layer, with nothing after it, and the activations are
    /// those of the error function.
    fn ends_with_layer(&self, last: usize) -> Option<()> {
        let out = self.graph.output.first()?.name.as_deref()?;
        let made = self.graph.node.iter().find(|node| node.output.iter().any(|o| o == out))?;
        let place = format!("encoder/layer.{last}/output/LayerNorm/");
        let erf = self.graph.node.iter().filter(|node| node.op_type.as_deref() == Some("Erf")).count();
        (made.name.as_deref()?.contains(&place) && erf == last + 1).then_some(())
    }

    fn table(&self, name: &str, dim: usize) -> Option<Table> {
        let rows = match self.numbers(name) {
            Some(floats) => Rows::Floats(floats),
            None => {
                let bytes = self.bytes(&format!("{name}_quantized"), DataType::UINT8)?;
                let zero = *self.bytes(&format!("{name}_zero_point"), DataType::UINT8)?.first()?;
                Rows::Bytes(bytes, zero, *self.numbers(&format!("{name}_scale"))?.first()?)
            }
        };
        Some(Table { rows, dim })
    }

    /// The bytes of a tensor of this type.
    fn bytes(&self, name: &str, of: DataType) -> Option<Vec<u8>> {
        let tensor = self.tensors.get(name).filter(|t| t.data_type == Some(of))?;
        match &tensor.raw_data {
            Some(raw) => Some(raw.borrow().clone()),
            None => Some(tensor.int32_data.iter().map(|n| *n as u8).collect()),
        }
    }
}

impl Parts for Source<'_> {
    fn numbers(&self, name: &str) -> Option<Vec<f32>> {
        let tensor = self.tensors.get(name).filter(|t| t.data_type == Some(DataType::FLOAT))?;
        match &tensor.raw_data {
            Some(raw) => {
                Some(raw.borrow().as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
            }
            None => Some(tensor.float_data.clone()).filter(|data| !data.is_empty()),
        }
    }

    fn linear(&self, name: &str) -> Option<(Raw, Vec<f32>)> {
        let bias = self.numbers(&format!("{name}.bias"))?;
        let node = self.products.get(name.replace(".", "/").replace("layer/", "layer.").as_str())?;
        let weight = node.input.get(1)?;
        if node.op_type.as_deref() == Some("MatMul") {
            return Some((Raw::Floats(self.numbers(weight)?), bias));
        }
        let zeros = self.bytes(node.input.get(3)?, DataType::INT8)?;
        if zeros.iter().any(|zero| *zero != 0) {
            return None;
        }
        let mut scales = self.numbers(&format!("{}_scale", weight.strip_suffix("_quantized")?))?;
        if let [one] = scales[..] {
            scales = vec![one; bias.len()];
        }
        let bytes = self.bytes(weight, DataType::INT8)?;
        Some((Raw::Bytes(bytes.into_iter().map(u8::cast_signed).collect(), scales), bias))
    }
}

fn layer(parts: &dyn Parts, gemm: &Gemm, number: usize, dim: usize, shape: Shape) -> Option<Layer> {
    let at = |name: &str| format!("encoder.layer.{number}.{name}");
    // Everything after this takes the sizes for granted, so a layer of another size is refused here.
    let sized = |(raw, bias): (Raw, Vec<f32>), inputs: usize, outputs: usize| {
        Linear::new(gemm, &raw, bias, inputs).filter(|_| inputs > 0).filter(|l| l.outputs() == outputs)
    };
    let linear = |name: &str, inputs: usize, outputs: usize| sized(parts.linear(&at(name))?, inputs, outputs);
    let asked = ["query", "key", "value"]
        .map(|name| parts.linear(&at(&format!("attention.self.{name}"))))
        .into_iter()
        .collect::<Option<Vec<_>>>()?;
    let many = parts.numbers(&at("intermediate.dense.bias"))?.len();
    Some(Layer {
        asked: sized(beside(asked, dim)?, dim, 3 * dim)?,
        joined: linear("attention.output.dense", dim, dim)?,
        joined_norm: norm(parts, &at("attention.output.LayerNorm"), dim, shape)?,
        wide: linear("intermediate.dense", dim, many)?,
        narrow: linear("output.dense", many, dim)?,
        norm: norm(parts, &at("output.LayerNorm"), dim, shape)?,
    })
}

fn norm(parts: &dyn Parts, name: &str, dim: usize, shape: Shape) -> Option<Norm> {
    let weight = parts.numbers(&format!("{name}.weight"))?;
    let bias = parts.numbers(&format!("{name}.bias"))?;
    (weight.len() == dim && bias.len() == dim).then_some(Norm { weight, bias, epsilon: shape.epsilon })
}

/// Layers over the same numbers as one: their outputs one beside the other.
fn beside(layers: Vec<(Raw, Vec<f32>)>, inputs: usize) -> Option<(Raw, Vec<f32>)> {
    fn woven<T: Copy>(parts: &[Vec<T>], inputs: usize) -> Option<Vec<T>> {
        let wide: Vec<usize> = parts.iter().map(|part| part.len() / inputs).collect();
        let row =
            |i: usize| parts.iter().zip(&wide).map(move |(part, wide)| part.get(i * wide..(i + 1) * wide));
        Some((0..inputs).flat_map(row).collect::<Option<Vec<&[T]>>>()?.concat())
    }
    let (mut bytes, mut floats, mut scales, mut bias) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let many = layers.len();
    for (raw, more) in layers {
        bias.extend(more);
        match raw {
            Raw::Bytes(part, worth) => {
                bytes.push(part);
                scales.extend(worth);
            }
            Raw::Floats(part) => floats.push(part),
        }
    }
    match (bytes.len() == many, floats.len() == many) {
        (true, _) => Some((Raw::Bytes(woven(&bytes, inputs)?, scales), bias)),
        (_, true) => Some((Raw::Floats(woven(&floats, inputs)?), bias)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { heads: 8, epsilon: 1e-12 };

    /// The Chinese encoder with the numbers of one tensor cut to so many bytes.
    fn cut(name: &str, bytes: usize) -> Option<Bert> {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/bge-small-zh-v1.5/model.onnx");
        let mut graph = ModelProto::parse_buf(&std::fs::read(file).unwrap()).unwrap().graph.unwrap();
        let tensor = graph.initializer.iter_mut().find(|t| t.name.as_deref() == Some(name)).unwrap();
        tensor.raw_data.as_ref().unwrap().borrow_mut().truncate(bytes);
        let source = Source::new(&graph)?;
        source.bert(SHAPE, &source)
    }

    #[test]
    fn a_model_whose_sizes_do_not_fit_is_not_taken() {
        assert!(cut("embeddings.LayerNorm.weight", usize::MAX).is_some());
        for name in [
            "embeddings.LayerNorm.weight",
            "embeddings.LayerNorm.bias",
            "encoder.layer.1.attention.self.query.bias",
            "encoder.layer.1.attention.self.value.bias",
            "encoder.layer.1.attention.output.dense.bias",
            "encoder.layer.1.attention.output.LayerNorm.weight",
            "encoder.layer.1.intermediate.dense.bias",
            "encoder.layer.1.output.dense.bias",
            "encoder.layer.1.output.LayerNorm.bias",
        ] {
            for bytes in [0, 4, 1024] {
                assert!(cut(name, bytes).is_none(), "{name} of {bytes} bytes");
            }
        }
    }
}
