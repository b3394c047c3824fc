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
use rayon::prelude::*;
use rows::{Norm, Table};
use std::cell::RefCell;
use std::ops::Range;
use tabletalk_core::{Error, Result};

/// Rows that go through the wide layer together, so that what comes out of it stays in the cache.
const TOGETHER: usize = 96;

/// The fewest tokens that are worth a thread of their own: with fewer, a single multiplication is shared instead.
const SHARED: usize = 48;

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
    /// while in use: a thread that waits for others may begin another batch meanwhile.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
    /// The queries, keys and values of a batch.
    static ASKED: RefCell<Vec<f32>> = RefCell::default();
}

/// What multiplies, and numbers that are needed for a while.
#[derive(Default)]
struct Scratch {
    gemm: Gemm,
    linear: linear::Scratch,
    scores: Vec<f32>,
    joined: Vec<f32>,
    wide: Vec<f32>,
    out: Vec<f32>,
}

impl Scratch {
    /// Does `work` with what the thread keeps.
    fn with<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
        let mut scratch = SCRATCH.take();
        let done = work(&mut scratch);
        SCRATCH.set(scratch);
        done
    }
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
        let mut asked = ASKED.take();
        let all = shares(&texts, |text| text.tokens.clone());
        for layer in layers {
            self.layer(layer, &all, &mut states, &mut asked)?;
        }
        if first {
            let firsts = |text: &Text| text.tokens.start..text.tokens.end.min(text.tokens.start + 1);
            self.layer(last, &shares(&texts, firsts), &mut states, &mut asked)?;
        } else {
            self.layer(last, &all, &mut states, &mut asked)?;
        }
        ASKED.set(asked);
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

    /// One layer. Afterwards there are states of the tokens in `shares` alone.
    fn layer(
        &self,
        layer: &Layer,
        shares: &[Vec<Part>],
        states: &mut Vec<f32>,
        asked: &mut Vec<f32>,
    ) -> Result<()> {
        let (dim, tokens) = (self.dim, states.len() / self.dim);
        asked.resize(3 * states.len(), 0.0);
        let each = tokens.div_ceil(threads(tokens)).max(1);
        let rows = asked.par_chunks_mut(each * 3 * dim).zip(states.par_chunks(each * dim));
        rows.try_for_each(|(asked, states)| {
            Scratch::with(|scratch| layer.asked.apply(&scratch.gemm, states, &mut scratch.linear, asked))
        })?;
        let wanted = || shares.iter().flatten().map(|part| part.tokens.clone());
        if wanted().map(|tokens| tokens.len()).sum::<usize>() < tokens {
            *states = wanted().flat_map(|t| &states[t.start * dim..t.end * dim]).copied().collect();
        }
        let (mut rest, mut work) = (states.as_mut_slice(), Vec::with_capacity(shares.len()));
        for parts in shares {
            let (own, after) = rest.split_at_mut(rows_of(parts) * dim);
            rest = after;
            work.push((parts, own));
        }
        work.into_par_iter().try_for_each(|(parts, states)| {
            Scratch::with(|scratch| self.share(layer, parts, asked, states, scratch))
        })
    }

    /// What one thread does of a layer once all tokens have asked: `states` are those of the tokens of `parts`.
    fn share(
        &self,
        layer: &Layer,
        parts: &[Part],
        asked: &[f32],
        states: &mut [f32],
        scratch: &mut Scratch,
    ) -> Result<()> {
        let Scratch { gemm, linear, scores, joined, wide, out } = scratch;
        joined.resize(states.len(), 0.0);
        let mut rest = joined.as_mut_slice();
        for part in parts {
            let (mixed, after) = rest.split_at_mut(part.tokens.len() * self.dim);
            rest = after;
            let width = 3 * self.dim;
            let of_text = &asked[part.text.start * width..part.text.end * width];
            let from = part.tokens.start - part.text.start;
            self.attention.mix(gemm, of_text, part.attended, from, scores, mixed)?;
        }
        out.resize(states.len(), 0.0);
        layer.joined.apply(gemm, joined, linear, out)?;
        layer.joined_norm.add(out, states);
        for states in states.chunks_mut(TOGETHER * self.dim) {
            wide.resize(states.len() / self.dim * layer.wide.outputs(), 0.0);
            layer.wide.apply(gemm, states, linear, wide)?;
            rows::gelu(wide);
            let out = &mut out[..states.len()];
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

/// Tokens of a text whose states are worked out by one thread.
struct Part {
    tokens: Range<usize>,
    text: Range<usize>,
    attended: usize,
}

/// The tokens that are `wanted` of each text, shared out evenly among the threads.
fn shares(texts: &[Text], wanted: impl Fn(&Text) -> Range<usize>) -> Vec<Vec<Part>> {
    let all: usize = texts.iter().map(|text| wanted(text).len()).sum();
    let each = all.div_ceil(threads(all)).max(1);
    let (mut shares, mut share, mut room) = (Vec::new(), Vec::new(), each);
    for text in texts {
        let mut tokens = wanted(text);
        while !tokens.is_empty() {
            let end = tokens.end.min(tokens.start + room);
            room -= end - tokens.start;
            share.push(Part {
                tokens: tokens.start..end,
                text: text.tokens.clone(),
                attended: text.attended,
            });
            tokens.start = end;
            if room == 0 {
                shares.push(std::mem::take(&mut share));
                room = each;
            }
        }
    }
    shares.push(share);
    shares
}

/// How many threads are worth having for so many tokens.
fn threads(tokens: usize) -> usize {
    rayon::current_num_threads().min(tokens / SHARED).max(1)
}

fn rows_of(parts: &[Part]) -> usize {
    parts.iter().map(|part| part.tokens.len()).sum()
}
