//! A local model that turns texts into vectors.

use crate::{
    Options, Pooling, batch,
    dense::Dense,
    folder::Folder,
    graph::{Graph, Output},
    pool,
    sparse::Terms,
    tokens::{Sequence, Tokens},
    workers::Workers,
};
use rten::ThreadPool;
use rustc_hash::{FxHashMap, FxHashSet};
use std::{path::Path, sync::Arc};
use tabletalk_core::{
    Error, Matrix, Result,
    matrix::normalize,
    seam::{Embed, Embedding, Role, Want},
};

/// How many texts are cut into tokens and sorted by length at a time: enough for full batches, little memory.
const WINDOW: usize = 2048;

/// A local BERT-family encoder.
pub struct Encoder {
    identity: String,
    dim: usize,
    graph: Graph,
    tokens: Tokens,
    terms: Terms,
    workers: Workers,
    pooling: Pooling,
    query: Start,
    passage: Start,
    fill: Option<(usize, i32)>,
    token_layer: Option<Dense>,
    pooled_layer: Option<Dense>,
    special_tokens: bool,
    /// Tokens whose vectors a passage goes without.
    unseen: FxHashSet<i32>,
    batch_tokens: usize,
}

/// How a text of one role begins.
struct Start {
    prefix: String,
    marker: Option<i32>,
}

impl Encoder {
    /// Opens a folder with `model.onnx`, `tokenizer.json` and `config.json`.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Encoder> {
        let path = path.as_ref();
        Folder::open(path).and_then(|folder| Encoder::start(folder, options))
    }

    /// Starts a model inside the program, such as `bge-small-en-v1.5`.
    #[cfg(feature = "bundled-models")]
    pub fn bundled(name: &str, options: &Options) -> Result<Encoder> {
        Encoder::start(crate::bundled::folder(name)?, options)
    }

    fn start(folder: Folder, options: &Options) -> Result<Encoder> {
        let said = |own: &Option<String>, model: &Option<String>| own.clone().or(model.clone());
        let about = &folder.about;
        let query_prefix = said(&options.query_prefix, &about.query_prefix).unwrap_or_default();
        let passage_prefix = said(&options.passage_prefix, &about.passage_prefix).unwrap_or_default();
        let query_marker = said(&options.query_marker, &about.query_marker);
        let document_marker = said(&options.document_marker, &about.document_marker);
        let pooling = options.pooling.or(about.pooling).unwrap_or(Pooling::Mean);
        let max_tokens = limit(options.max_tokens, about.max_tokens);
        let fill = options.query_length.or(about.query_length).filter(|_| query_marker.is_some());

        let reserved = usize::from(query_marker.is_some() || document_marker.is_some());
        let tokens = Tokens::new(&folder.tokenizer, max_tokens, reserved).map_err(|e| e.at(&folder.name))?;
        let graph = Graph::load(&folder.name, &folder.weights, tokens.pad, about.bert)?;
        let marker = |name: &Option<String>| name.as_deref().map(|name| tokens.token(name)).transpose();
        let punctuation = options.punctuation.unwrap_or(document_marker.is_none());
        let mut identity = format!(
            "{}@{} {} max={max_tokens} query={query_prefix:?}+{query_marker:?}*{fill:?} passage={passage_prefix:?}+{document_marker:?} special={}",
            folder.name,
            folder.hash.get(..16).unwrap_or_default(),
            pooling.word(),
            options.special_tokens,
        );
        if !punctuation {
            identity.push_str(" punctuation=false");
        }
        let mut encoder = Encoder {
            identity,
            dim: 0,
            graph,
            workers: Workers::new(options.threads),
            pooling,
            query: Start { prefix: query_prefix, marker: marker(&query_marker)? },
            passage: Start { prefix: passage_prefix, marker: marker(&document_marker)? },
            fill: fill
                .map(|length| Ok::<_, Error>((length.min(max_tokens), tokens.token("[MASK]")?)))
                .transpose()?,
            terms: Terms::new(&tokens),
            unseen: if punctuation { FxHashSet::default() } else { tokens.punctuation() },
            tokens,
            token_layer: folder.token_layer,
            pooled_layer: folder.pooled_layer,
            special_tokens: options.special_tokens,
            batch_tokens: options.batch_tokens,
        };
        encoder.dim = encoder.try_out().map_err(|e| e.at(&folder.name))?;
        Ok(encoder)
    }

    /// Runs the model once: a graph that cannot be run is found when it is opened, and the length of its vectors. One
    /// that gives weights of terms has none.
    fn try_out(&self) -> Result<usize> {
        let first = self.window(&["a"], Role::Passage, Want::Pooled)?.pop();
        let dim = first.map_or(0, |embedding| embedding.pooled.len());
        if dim == 0 {
            self.window(&["a"], Role::Passage, Want::Sparse)?;
        }
        Ok(dim)
    }

    fn sequence(&self, text: &str, role: Role) -> Result<Sequence> {
        let start = if role == Role::Query { &self.query } else { &self.passage };
        let mut sequence = match start.prefix.as_str() {
            "" => self.tokens.text(text)?,
            prefix => self.tokens.text(&format!("{prefix}{text}"))?,
        };
        start.marker.into_iter().for_each(|marker| sequence.mark(marker));
        if let (Role::Query, Some((length, mask))) = (role, self.fill) {
            sequence.fill(length, mask);
        }
        Ok(sequence)
    }

    /// The embeddings of some texts, which are cut into tokens before the first is run.
    fn window(&self, texts: &[&str], role: Role, want: Want) -> Result<Vec<Embedding>> {
        let parts: Vec<&[&str]> = texts.chunks(64).collect();
        let cut = |part: &&[&str], _: &_| {
            part.iter().map(|text| self.sequence(text, role)).collect::<Result<Vec<_>>>()
        };
        let sequences = self.workers.each(&parts, cut)?.concat();
        let lengths: Vec<usize> = sequences.iter().map(|s| s.ids.len()).collect();
        let batches: Vec<Vec<(usize, &Sequence)>> =
            batch::plan(&lengths, self.batch_tokens, self.graph.mixes())
                .into_iter()
                .map(|batch| batch.into_iter().filter_map(|at| Some((at, sequences.get(at)?))).collect())
                .collect();
        let done = self.workers.each(&batches, |batch, pool| self.run(batch, role, want, pool))?;
        let mut done: Vec<(usize, Embedding)> = done.into_iter().flatten().collect();
        done.sort_by_key(|(at, _)| *at);
        Ok(done.into_iter().map(|(_, embedding)| embedding).collect())
    }

    fn run(
        &self,
        batch: &[(usize, &Sequence)],
        role: Role,
        want: Want,
        pool: &Arc<ThreadPool>,
    ) -> Result<Vec<(usize, Embedding)>> {
        let sequences: Vec<&Sequence> = batch.iter().map(|(_, sequence)| *sequence).collect();
        let first = want == Want::Pooled && self.pooling == Pooling::Cls;
        let output = self.graph.run(&sequences, first, pool)?;
        batch
            .iter()
            .zip(output.sequences())
            .map(|((at, sequence), states)| {
                Ok((*at, self.embedding(sequence, states, &output, (role, want))?))
            })
            .collect()
    }

    fn embedding(
        &self,
        sequence: &Sequence,
        states: &[f32],
        output: &Output,
        (role, want): (Role, Want),
    ) -> Result<Embedding> {
        let mut embedding = Embedding::default();
        if want == Want::Sparse {
            embedding.sparse = self.terms.of(sequence, states, output)?;
        }
        if matches!(want, Want::Pooled | Want::Both) && !self.terms.are_in(output) {
            let pooling = if output.by_token { self.pooling } else { Pooling::Cls };
            embedding.pooled = pool::pooled(states, output.dim, sequence.attended, pooling);
            if let Some(layer) = &self.pooled_layer {
                embedding.pooled = layer.apply(&embedding.pooled, output.dim).ok_or_else(misfit)?;
                normalize(&mut embedding.pooled);
            }
        }
        if matches!(want, Want::Tokens | Want::Both) {
            embedding.tokens = self.by_token(sequence, states, output, role)?;
        }
        Ok(embedding)
    }

    fn by_token(&self, sequence: &Sequence, states: &[f32], output: &Output, role: Role) -> Result<Matrix> {
        if !output.by_token {
            return Err(Error::input("the model gives one vector a text and none by token")
                .hint("use a model whose ONNX file has the output last_hidden_state"));
        }
        let is_seen = |id: &i32| role == Role::Query || !self.unseen.contains(id);
        // A passage of nothing but punctuation keeps it.
        let marked = || sequence.ids.iter().zip(&sequence.special);
        let has_words = marked().any(|(id, special)| !special && is_seen(id));
        let rows = states.chunks_exact(output.dim.max(1)).zip(marked());
        let kept = rows.filter(|(_, (id, special))| match special {
            true => self.special_tokens,
            false => !has_words || is_seen(id),
        });
        let mut data: Vec<f32> = kept.flat_map(|(row, _)| row).copied().collect();
        let mut dim = output.dim;
        if let Some(layer) = &self.token_layer {
            data = layer.apply(&data, dim).ok_or_else(misfit)?;
            dim = layer.out;
        }
        data.chunks_exact_mut(dim.max(1)).for_each(normalize);
        Ok(Matrix { dim, data })
    }
}

impl Embed for Encoder {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn embed(&self, texts: &[&str], role: Role, want: Want) -> Result<Vec<Embedding>> {
        if self.dim == 0 && want != Want::Sparse {
            return Err(Error::input("the model gives weights of terms, and no other vectors")
                .hint("set `sparse = true` and search by `sparse`, or use another model"));
        }
        let (unique, places) = distinct(texts);
        let mut done = Vec::with_capacity(unique.len());
        for window in unique.chunks(WINDOW) {
            done.extend(self.window(window, role, want)?);
        }
        if unique.len() == texts.len() {
            return Ok(done);
        }
        Ok(places.into_iter().filter_map(|place| done.get(place).cloned()).collect())
    }
}

/// The different texts in order, and for each text which of them it is.
pub(crate) fn distinct<'a>(texts: &[&'a str]) -> (Vec<&'a str>, Vec<usize>) {
    let mut unique = Vec::new();
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    let place = |text: &&'a str| {
        *seen.entry(*text).or_insert_with(|| {
            unique.push(*text);
            unique.len() - 1
        })
    };
    let places = texts.iter().map(place).collect();
    (unique, places)
}

/// The most tokens that are read: what is asked for, no more than the model can.
pub(crate) fn limit(asked: Option<usize>, model: Option<usize>) -> usize {
    let model = model.unwrap_or(512);
    asked.map_or(model, |asked| asked.min(model)).max(4)
}

fn misfit() -> Error {
    Error::input("the linear layer beside the model has another length than its states")
        .hint("download all files of the model again, from one place")
}
