//! Embedders with the OpenAI shape.

use super::{Client, Endpoint, Remote, upstream};
use serde::Deserialize;
use serde_json::json;
use tabletalk_core::{
    Result,
    seam::{Embed, Embedding, Role, Want},
};

/// Posts to `{url}/embeddings`, as OpenAI, Jina, vLLM, llama.cpp and many others understand it.
pub struct OpenAiEmbed(Remote);

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl OpenAiEmbed {
    /// An embedder; without `dim` the server is asked for the length of its vectors.
    pub fn new(endpoint: Endpoint) -> Result<OpenAiEmbed> {
        Remote::new("openai", endpoint, ask).map(OpenAiEmbed)
    }
}

fn ask(client: &Client, endpoint: &Endpoint, texts: &[String]) -> Result<Vec<Vec<f32>>> {
    let body = json!({"model": endpoint.model, "input": texts, "encoding_format": "float"});
    let mut answer: Answer = client.post("/embeddings", &body)?;
    if answer.data.iter().all(|item| item.index.is_some()) {
        answer.data.sort_by_key(|item| item.index);
    }
    let repeated =
        answer.data.windows(2).any(|pair| matches!(pair, [a, b] if a.index.is_some() && a.index == b.index));
    if repeated {
        return Err(upstream(format!("{} gave two vectors for one text", endpoint.url)));
    }
    Ok(answer.data.into_iter().map(|item| item.embedding).collect())
}

impl Embed for OpenAiEmbed {
    fn identity(&self) -> &str {
        &self.0.identity
    }

    fn dim(&self) -> usize {
        self.0.dim
    }

    fn embed(&self, texts: &[&str], role: Role, want: Want) -> Result<Vec<Embedding>> {
        self.0.embed(texts, role, want, ask)
    }
}
