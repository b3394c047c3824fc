//! A model that is run on batches.

use crate::{
    bert::{Bert, Shape},
    folder::Weights,
    tokens::Sequence,
};
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

/// A loaded model: one of the kind that is run directly, or any other as a graph.
pub(crate) enum Graph {
    Bert(Box<Bert>),
    Nodes(Box<Nodes>),
}

/// A graph of nodes for the general runtime.
pub(crate) struct Nodes {
    model: Model,
    inputs: Vec<(NodeId, Feed)>,
    output: NodeId,
    pad: i32,
}

/// What comes out of a batch: for each sequence some rows of `dim` numbers.
pub(crate) struct Output {
    /// How many rows there are for each sequence.
    rows: Vec<usize>,
    pub(crate) dim: usize,
    data: Vec<f32>,
    /// Whether there is a row for each token, or one for each sequence.
    pub(crate) by_token: bool,
}

impl Graph {
    /// Loads `weights`, to be run directly where that can be done for what `bert` says; batches are filled up with `pad`.
    pub(crate) fn load(name: &str, weights: &Weights, pad: i32, bert: Option<Shape>) -> Result<Graph> {
        let direct = bert.and_then(|shape| match weights {
            Weights::File(path) => Bert::read(&std::fs::read(path).ok()?, shape),
            Weights::Program(bytes) => Bert::read(bytes, shape),
        });
        match direct {
            Some(bert) => Ok(Graph::Bert(Box::new(bert))),
            None => Ok(Graph::Nodes(Box::new(Nodes::load(name, weights, pad)?))),
        }
    }

    /// Whether sequences of different lengths can be run together.
    pub(crate) fn mixes(&self) -> bool {
        match self {
            Graph::Bert(_) => true,
            Graph::Nodes(nodes) => nodes.pads(),
        }
    }

    /// Runs sequences together, on the threads of `pool`. With `first`, a model that can gives the states of first
    /// tokens alone.
    pub(crate) fn run(&self, batch: &[&Sequence], first: bool, pool: &Arc<ThreadPool>) -> Result<Output> {
        match self {
            Graph::Bert(bert) => {
                let rows = batch.iter().map(|s| if first { 1 } else { s.ids.len() }).collect();
                let data = pool.run(|| bert.run(batch, first))?;
                Ok(Output { rows, dim: bert.dim(), data, by_token: !first })
            }
            Graph::Nodes(nodes) => nodes.run(batch, pool),
        }
    }
}

impl Nodes {
    fn load(name: &str, weights: &Weights, pad: i32) -> Result<Nodes> {
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
        Ok(Nodes { model, inputs, output, pad })
    }

    /// Whether the graph is told where padding is.
    fn pads(&self) -> bool {
        self.inputs.iter().any(|(_, feed)| matches!(feed, Feed::Mask))
    }

    fn run(&self, batch: &[&Sequence], pool: &Arc<ThreadPool>) -> Result<Output> {
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
        let rows = vec![rows; batch.len()];
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
        let mut rest = self.data.as_slice();
        self.rows.iter().map_while(move |rows| rest.split_off(..rows * self.dim))
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const SHAPE: Shape = Shape { heads: 8, epsilon: 1e-12 };

    fn model(bert: Option<Shape>) -> Graph {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/bge-small-zh-v1.5"));
        Graph::load("zh", &Weights::File(folder.join("model.onnx")), 0, bert).unwrap()
    }

    fn sequence(tokens: usize, attended: usize) -> Sequence {
        let ids = (0..tokens).map(|i| 101 + (i * i * 31 % 5000) as i32).collect();
        Sequence { ids, types: vec![0; tokens], special: vec![false; tokens], attended }
    }

    fn states(graph: &Graph, batch: &[&Sequence], first: bool) -> Vec<Vec<f32>> {
        let pool = Arc::new(ThreadPool::with_num_threads(2));
        graph.run(batch, first, &pool).unwrap().sequences().map(<[f32]>::to_vec).collect()
    }

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    }

    #[test]
    fn run_directly_a_bert_gives_the_states_that_the_general_runtime_gives() {
        let (direct, general) = (model(Some(SHAPE)), model(None));
        assert!(matches!((&direct, &general), (Graph::Bert(_), Graph::Nodes(_))));
        for tokens in [1, 2, 17, 130] {
            let text = sequence(tokens, tokens);
            let (direct, general) = (states(&direct, &[&text], false), states(&general, &[&text], false));
            assert_eq!((direct[0].len(), general[0].len()), (tokens * 512, tokens * 512));
            for (a, b) in direct[0].chunks_exact(512).zip(general[0].chunks_exact(512)) {
                // Both round, each in its way, and such texts make no sense.
                assert!(cosine(a, b) > 0.97, "{} with {tokens} tokens", cosine(a, b));
            }
            let all = cosine(&direct[0], &general[0]);
            assert!(all > 0.98, "{all} with {tokens} tokens");
        }
    }

    #[test]
    fn run_directly_a_text_is_the_same_in_any_company_and_by_its_first_token_alone() {
        let graph = model(Some(SHAPE));
        let texts = [sequence(40, 40), sequence(3, 3), sequence(97, 97), sequence(32, 9)];
        let all: Vec<&Sequence> = texts.iter().collect();
        let (together, firsts) = (states(&graph, &all, false), states(&graph, &all, true));
        for (i, text) in texts.iter().enumerate() {
            assert!(states(&graph, &[text], false)[0] == together[i]);
            let differ = firsts[i].iter().zip(&together[i]).map(|(a, b)| (a - b).abs());
            assert!(differ.fold(0.0, f32::max) < 1e-5);
        }
    }

    #[test]
    fn many_can_ask_at_once_on_the_same_threads() {
        let (graph, pool) = (model(Some(SHAPE)), Arc::new(ThreadPool::with_num_threads(2)));
        let text = sequence(300, 300);
        let alone = states(&graph, &[&text], false);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    for _ in 0..4 {
                        let output = graph.run(&[&text], false, &pool).unwrap();
                        assert!(output.sequences().eq(alone.iter().map(Vec::as_slice)));
                    }
                });
            }
        });
    }

    #[test]
    fn tokens_that_are_not_attended_to_change_nothing() {
        let graph = model(Some(SHAPE));
        let (short, filled) = (sequence(9, 9), sequence(32, 9));
        let (short, filled) = (states(&graph, &[&short], false), states(&graph, &[&filled], false));
        assert!(cosine(&short[0], &filled[0][..9 * 512]) > 0.9999);
    }

    #[test]
    fn a_token_that_the_model_does_not_know_is_an_error() {
        let graph = model(Some(SHAPE));
        let text = Sequence { ids: vec![101, 999_999], ..sequence(2, 2) };
        let pool = Arc::new(ThreadPool::with_num_threads(1));
        let error = graph.run(&[&text], false, &pool).err().unwrap().to_string();
        assert!(error.contains("token 999999"), "{error}");
    }

    #[test]
    fn a_model_of_another_shape_is_left_to_the_general_runtime() {
        assert!(matches!(model(Some(Shape { heads: 7, ..SHAPE })), Graph::Nodes(_)));
    }
}
