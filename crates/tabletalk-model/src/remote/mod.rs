//! Models that other servers run, reached over HTTP.

pub(crate) mod client;
mod gate;
mod ollama;
mod openai;
mod rerank;
#[cfg(test)]
pub(crate) mod stub;
mod tei;
#[cfg(test)]
mod tests;
mod wikipedia;

pub use ollama::OllamaEmbed;
pub use openai::OpenAiEmbed;
pub use rerank::Rerank;
pub use tei::TeiEmbed;
pub use wikipedia::Wikipedia;

use crate::{Secret, encoder::distinct};
use client::{Client, Target};
use std::{sync::Mutex, time::Duration};
use tabletalk_core::{
    Error, Fault, Result,
    matrix::normalize,
    seam::{Embedding, Role, Want},
};

/// Where a remote model is and how it is asked.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The beginning of its address, such as `http://localhost:11434`.
    pub url: String,
    /// The name that the server knows the model by.
    pub model: String,
    /// The key, where the server wants one.
    pub api_key: Option<Secret>,
    /// How long a request may take.
    pub timeout: Duration,
    /// How often a request that failed for the moment is tried again.
    pub retries: u32,
    /// How many texts are sent in one request.
    pub batch_texts: usize,
    /// How many requests are under way at once.
    pub requests_at_once: usize,
    /// What is put before a query.
    pub query_prefix: String,
    /// What is put before a passage.
    pub passage_prefix: String,
    /// The length of the model's vectors; when it is left out the server is asked once.
    pub dim: Option<usize>,
}

impl Endpoint {
    /// An endpoint without a key and with the usual limits.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Endpoint {
        Endpoint {
            url: url.into(),
            model: model.into(),
            api_key: None,
            timeout: Duration::from_secs(60),
            retries: 3,
            batch_texts: 64,
            requests_at_once: 4,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            dim: None,
        }
    }

    fn client(&self) -> Result<Client> {
        let bearer = |key: &Secret| ("authorization".to_owned(), key.bearer());
        Client::new(Target {
            url: self.url.clone(),
            headers: self.api_key.iter().map(bearer).collect(),
            timeout: self.timeout,
            silence: None,
            retries: self.retries,
            requests_at_once: self.requests_at_once,
        })
    }

    fn identity(&self, kind: &str) -> String {
        format!(
            "{kind}:{}@{} query={:?} passage={:?}",
            self.model, self.url, self.query_prefix, self.passage_prefix
        )
    }
}

/// A failure of another server.
pub(crate) fn upstream(message: impl Into<String>) -> Error {
    Error::new(Fault::Upstream, message)
}

/// What all remote embedders share: batches, prefixes, and the check of what comes back.
struct Remote {
    client: Client,
    endpoint: Endpoint,
    identity: String,
    dim: usize,
}

/// Asks for the vectors of one batch of texts.
type Ask = fn(&Client, &Endpoint, &[String]) -> Result<Vec<Vec<f32>>>;

impl Remote {
    fn new(kind: &str, endpoint: Endpoint, ask: Ask) -> Result<Remote> {
        let client = endpoint.client()?;
        let dim = match endpoint.dim {
            Some(dim) => dim,
            None => ask(&client, &endpoint, &["length".to_owned()])?.pop().map_or(0, |vector| vector.len()),
        };
        if dim == 0 {
            return Err(upstream(format!("{} gave an empty vector", endpoint.url)));
        }
        Ok(Remote { client, identity: endpoint.identity(kind), dim, endpoint })
    }

    fn embed(&self, texts: &[&str], role: Role, want: Want, ask: Ask) -> Result<Vec<Embedding>> {
        match want {
            Want::Pooled => {}
            Want::Sparse => {
                return Err(Error::input("this provider gives no sparse vectors")
                    .hint("set `provider` to tei, or use a local model that gives them"));
            }
            Want::Tokens | Want::Both => {
                return Err(Error::input("a remote embedder gives no vectors by token")
                    .hint("use a local model for late interaction"));
            }
        }
        let prefix =
            if role == Role::Query { &self.endpoint.query_prefix } else { &self.endpoint.passage_prefix };
        let (unique, places) = distinct(texts);
        let prefixed: Vec<String> = unique.iter().map(|text| filled(prefix, text)).collect();
        let vectors = in_batches(&self.endpoint, &prefixed, |batch| {
            self.checked(ask(&self.client, &self.endpoint, batch)?, batch.len())
        })?;
        let embedding =
            |place: usize| vectors.get(place).map(|v| Embedding { pooled: v.clone(), ..Default::default() });
        Ok(places.into_iter().filter_map(embedding).collect())
    }

    fn checked(&self, mut vectors: Vec<Vec<f32>>, wanted: usize) -> Result<Vec<Vec<f32>>> {
        let url = &self.endpoint.url;
        if vectors.len() != wanted {
            return Err(upstream(format!("{url} gave {} vectors for {wanted} texts", vectors.len())));
        }
        if let Some(other) = vectors.iter().find(|vector| vector.len() != self.dim) {
            let (dim, model) = (self.dim, &self.endpoint.model);
            return Err(upstream(format!(
                "{url} gave a vector of {} numbers where {model} has {dim}",
                other.len()
            ))
            .hint("set `dim` to the length of the model's vectors, and index again"));
        }
        if vectors.iter().flatten().any(|x| !x.is_finite()) {
            return Err(upstream(format!("{url} gave a vector with a number that is not finite")));
        }
        vectors.iter_mut().for_each(|vector| normalize(vector));
        Ok(vectors)
    }
}

/// What is asked for each of all texts, several requests at once.
fn in_batches<T: Send>(
    endpoint: &Endpoint,
    texts: &[String],
    ask: impl Fn(&[String]) -> Result<Vec<T>> + Sync,
) -> Result<Vec<T>> {
    let batch_texts = endpoint.batch_texts.max(1);
    let queue = Mutex::new(texts.chunks(batch_texts).enumerate());
    let work = || -> Result<Vec<(usize, Vec<T>)>> {
        let mut done = Vec::new();
        loop {
            let Some((at, batch)) = queue.lock().ok().and_then(|mut queue| queue.next()) else {
                return Ok(done);
            };
            done.push((at, ask(batch)?));
        }
    };
    let threads = endpoint.requests_at_once.min(texts.len().div_ceil(batch_texts));
    let mut done = std::thread::scope(|scope| -> Result<Vec<_>> {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut done = Vec::new();
        for thread in threads {
            done.extend(thread.join().map_err(|_| Error::bug("a request thread panicked"))??);
        }
        Ok(done)
    })?;
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().flat_map(|(_, made)| made).collect())
}

/// Servers refuse empty texts, so one becomes a space.
fn filled(prefix: &str, text: &str) -> String {
    let text = format!("{prefix}{text}");
    if text.is_empty() { " ".to_owned() } else { text }
}
