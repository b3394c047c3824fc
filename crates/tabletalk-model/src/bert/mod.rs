//! BERT encoders, run directly.
//!
//! A general runtime goes through such a model node by node, over a batch that is filled up to one length. Here the
//! tokens of all texts stand one after the other, nothing is filled up, and what is done to a row is done while it is
//! in the cache. Where weights are bytes, the numbers of each token are made bytes by themselves, so a text has the
//! same vector whatever it is run together with.

mod attention;
mod linear;
mod read;
mod rows;

use crate::tokens::Sequence;
use attention::Attention;
use linear::{Gemm, Linear};
use rows::{Norm, Table};
use std::cell::RefCell;
use std::ops::Range;
use tabletalk_core::{Error, Result};

/// Rows that go through the wide layer together, so that what comes out of it stays in the cache.
const TOGETHER: usize = 96;

/// What `config.json` says that the weights do not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shape {
    pub(crate) heads: usize,
    pub(crate) epsilon: f32,
}

/// A loaded encoder.
pub(crate) struct Bert {
    words: Table,
    positions: Table,
    kinds: Table,
    norm: Norm,
    layers: Vec<Layer>,
    attention: Attention,
    dim: usize,
}

struct Layer {
    /// Queries, keys and values, one beside the other.
    asked: Linear,
    joined: Linear,
    joined_norm: Norm,
    wide: Linear,
    narrow: Linear,
    norm: Norm,
}

thread_local! {
    /// Each thread keeps its own from batch to batch: making room anew costs a twentieth of the time. It is taken out
    /// while in use: a thread that waits for its share of a multiplication may begin another batch meanwhile.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// What multiplies, and numbers that are needed for a while.
#[derive(Default)]
struct Scratch {
    gemm: Gemm,
    linear: linear::Scratch,
    scores: Vec<f32>,
    asked: Vec<f32>,
    joined: Vec<f32>,
    wide: Vec<f32>,
    out: Vec<f32>,
}

impl Bert {
    /// The length of a state.
    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// The states of the tokens of all sequences, one after the other; with `first`, of the first token of each alone.
    pub(crate) fn run(&self, batch: &[&Sequence], first: bool) -> Result<Vec<f32>> {
        let mut end = 0;
        let mut range = |sequence: &&Sequence| {
            let start = end;
            end += sequence.ids.len();
            Text { tokens: start..end, attended: sequence.attended.min(sequence.ids.len()) }
        };
        let texts: Vec<Text> = batch.iter().map(&mut range).collect();
        let mut states = self.embedded(batch)?;
        let (last, layers) =
            self.layers.split_last().ok_or_else(|| Error::input("the model has no layers"))?;
        let mut scratch = SCRATCH.take();
        for layer in layers {
            self.layer(layer, &texts, &mut states, false, &mut scratch)?;
        }
        self.layer(last, &texts, &mut states, first, &mut scratch)?;
        SCRATCH.set(scratch);
        Ok(states)
    }

    fn embedded(&self, batch: &[&Sequence]) -> Result<Vec<f32>> {
        let tokens: usize = batch.iter().map(|sequence| sequence.ids.len()).sum();
        let mut states = vec![0.0; tokens * self.dim];
        let places = batch.iter().flat_map(|s| s.ids.iter().zip(&s.types).enumerate());
        for (row, (at, (id, kind))) in states.chunks_exact_mut(self.dim).zip(places) {
            let number = |n: &i32| usize::try_from(*n).unwrap_or(usize::MAX);
            let known = self.words.add(number(id), row)
                && self.kinds.add(number(kind), row)
                && self.positions.add(at, row);
            if !known {
                return Err(Error::input(format!(
                    "the model does not know token {id} of kind {kind} at place {at}"
                ))
                .hint("tokenizer.json may be of another model"));
            }
            self.norm.apply(row);
        }
        Ok(states)
    }

    /// One layer. With `first`, the states of first tokens alone are worked out: nothing after the last layer asks for
    /// the others.
    fn layer(
        &self,
        layer: &Layer,
        texts: &[Text],
        states: &mut Vec<f32>,
        first: bool,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let Scratch { gemm, linear, scores, asked, joined, wide, out } = scratch;
        layer.asked.apply(gemm, states, linear, asked)?;
        let told = |text: &Text| if first { 1.min(text.tokens.len()) } else { text.tokens.len() };
        joined.resize(texts.iter().map(told).sum::<usize>() * self.dim, 0.0);
        let mut rest = joined.as_mut_slice();
        for text in texts {
            let (mixed, after) = rest.split_at_mut(told(text) * self.dim);
            rest = after;
            let width = 3 * self.dim;
            let of_text = &asked[text.tokens.start * width..text.tokens.end * width];
            self.attention.mix(gemm, of_text, text.attended, scores, mixed)?;
        }
        if first {
            let dim = self.dim;
            let firsts = texts.iter().filter(|t| !t.tokens.is_empty()).map(|t| t.tokens.start * dim);
            *states = firsts.flat_map(|at| &states[at..at + dim]).copied().collect();
        }
        layer.joined.apply(gemm, joined, linear, out)?;
        layer.joined_norm.add(out, states);
        for states in states.chunks_mut(TOGETHER * self.dim) {
            layer.wide.apply(gemm, states, linear, wide)?;
            rows::gelu(wide);
            layer.narrow.apply(gemm, wide, linear, out)?;
            layer.norm.add(out, states);
        }
        Ok(())
    }
}

/// Where the tokens of a text stand, and how many of them are attended to.
struct Text {
    tokens: Range<usize>,
    attended: usize,
}
