//! Embedders of an Ollama server.

use super::{Client, Endpoint, Remote};
use serde::Deserialize;
use serde_json::json;
use tabletalk_core::{
    Result,
    seam::{Embed, Embedding, Role, Want},
};

/// Posts to `{url}/api/embed`.
pub struct OllamaEmbed(Remote);

#[derive(Deserialize)]
struct Answer {
    embeddings: Vec<Vec<f32>>,
}

impl OllamaEmbed {
    /// An embedder; without `dim` the server is asked for the length of its vectors.
    pub fn new(endpoint: Endpoint) -> Result<OllamaEmbed> {
        Remote::new("ollama", endpoint, ask).map(OllamaEmbed)
    }
}

fn ask(client: &Client, endpoint: &Endpoint, texts: &[String]) -> Result<Vec<Vec<f32>>> {
    let body = json!({"model": endpoint.model, "input": texts});
    client.post("/api/embed", &body).map(|answer: Answer| answer.embeddings)
}

impl Embed for OllamaEmbed {
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
