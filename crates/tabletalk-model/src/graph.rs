//! A model as a graph that is run on batches.

use crate::{folder::Weights, tokens::Sequence};
use rten::{Dimension, Model, ModelOptions, NodeId, RunOptions, ThreadPool};
use rten_tensor::{NdTensor, prelude::*};
use std::sync::Arc;
use tabletalk_core::{Error, Result};

/// What an input of a graph is fed with.
#[derive(Clone, Copy)]
enum Feed {
    Ids,
    Mask,
    Types,
    Positions,
}

/// A loaded model.
pub(crate) struct Graph {
    model: Model,
    inputs: Vec<(NodeId, Feed)>,
    output: NodeId,
    pad: i32,
}

/// What comes out of a batch: for each sequence `rows` rows of `dim` numbers.
pub(crate) struct Output {
    pub(crate) rows: usize,
    pub(crate) dim: usize,
    pub(crate) data: Vec<f32>,
    /// Whether there is a row for each token, or one for each sequence.
    pub(crate) by_token: bool,
}

impl Graph {
    /// Loads `weights`; batches are filled up with `pad`.
    pub(crate) fn load(name: &str, weights: &Weights, pad: i32) -> Result<Graph> {
        let mut options = ModelOptions::with_all_ops();
        options.prepack_weights(true);
        let model = match weights {
            Weights::File(path) => {
                options.load_file(path).map_err(|e| damaged(&path.display().to_string(), &e))?
            }
            Weights::Program(bytes) => options.load_static_slice(bytes).map_err(|e| damaged(name, &e))?,
        };
        let inputs = model
            .input_ids()
            .iter()
            .map(|id| feed(&model, *id))
            .collect::<Result<_>>()
            .map_err(|e| e.at(name))?;
        let output = output(&model).ok_or_else(|| Error::input("the model has no output").at(name))?;
        Ok(Graph { model, inputs, output, pad })
    }

    /// Whether sequences of different lengths can be run together: whether the graph is told where padding is.
    pub(crate) fn pads(&self) -> bool {
        self.inputs.iter().any(|(_, feed)| matches!(feed, Feed::Mask))
    }

    /// Runs sequences together, on the threads of `pool`.
    pub(crate) fn run(&self, batch: &[&Sequence], pool: &Arc<ThreadPool>) -> Result<Output> {
        let length = batch.iter().map(|s| s.ids.len()).max().unwrap_or(0);
        let inputs = self.inputs.iter().map(|(id, feed)| {
            let rows = batch.iter().flat_map(|s| self.row(s, *feed, length)).collect::<Vec<i32>>();
            (*id, NdTensor::from_data([batch.len(), length], rows).into())
        });
        let options = RunOptions::default().with_thread_pool(Some(pool.clone()));
        let failed = |e: String| Error::input(format!("the model cannot be run: {e}"));
        let mut outputs = self
            .model
            .run(inputs.collect(), &[self.output], Some(options))
            .map_err(|e| failed(e.to_string()))?;
        let value = outputs.pop().ok_or_else(|| failed("no output".into()))?;
        let tensor: rten_tensor::Tensor<f32> =
            value.try_into().map_err(|_| failed("its output is not f32".into()))?;
        let (rows, dim, by_token) = match *tensor.shape() {
            [_, rows, dim] => (rows, dim, true),
            [_, dim] => (1, dim, false),
            [_] => (1, 1, false),
            _ => return Err(failed("its output has neither two nor three dimensions".into())),
        };
        Ok(Output { rows, dim, data: tensor.into_data(), by_token })
    }

    fn row(&self, sequence: &Sequence, feed: Feed, length: usize) -> Vec<i32> {
        let count = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        let (mut row, filling) = match feed {
            Feed::Ids => (sequence.ids.clone(), self.pad),
            Feed::Mask => (vec![1; sequence.attended], 0),
            Feed::Types => (sequence.types.clone(), 0),
            Feed::Positions => ((0..count(length)).collect(), 0),
        };
        row.resize(length, filling);
        row
    }
}

impl Output {
    /// The rows of each sequence.
    pub(crate) fn sequences(&self) -> impl Iterator<Item = &[f32]> {
        self.data.chunks_exact((self.rows * self.dim).max(1))
    }
}

/// The error of a file that is no model.
pub(crate) fn damaged(name: &str, e: &rten::LoadError) -> Error {
    Error::input(format!("{name}: not a model that can be loaded: {e}"))
        .hint("the file may be damaged: download it again, and check its sha256")
}

fn feed(model: &Model, id: NodeId) -> Result<(NodeId, Feed)> {
    let name = model.node_info(id).and_then(|info| info.name()).unwrap_or_default();
    let feed = match name {
        "input_ids" => Feed::Ids,
        "attention_mask" | "input_mask" => Feed::Mask,
        "token_type_ids" | "segment_ids" => Feed::Types,
        "position_ids" => Feed::Positions,
        _ => {
            return Err(Error::input(format!(
                "the model asks for an input `{name}` that an encoder does not have"
            ))
            .hint("export the model as an encoder: input_ids, attention_mask, token_type_ids"));
        }
    };
    Ok((id, feed))
}

/// The states of tokens by name, else the first output by token, else the first.
fn output(model: &Model) -> Option<NodeId> {
    let outputs = model.output_ids();
    let named = |id: &&NodeId| {
        let name = model.node_info(**id).and_then(|info| info.name());
        matches!(name, Some("last_hidden_state" | "token_embeddings" | "logits"))
    };
    let by_token = |id: &&NodeId| {
        let shape: Option<Vec<Dimension>> = model.node_info(**id).and_then(|info| info.shape());
        shape.is_some_and(|shape| shape.len() == 3)
    };
    outputs.iter().find(named).or_else(|| outputs.iter().find(by_token)).or(outputs.first()).copied()
}
