//! Sparse vectors of a text-embeddings-inference server.

use super::{Client, Endpoint, distinct, filled, in_batches, upstream};
use serde::Deserialize;
use serde_json::json;
use tabletalk_core::{
    Error, Result,
    seam::{Embed, Embedding, Role, Want},
};

/// The most texts in one request that such a server takes unless it is told otherwise.
const MOST_TEXTS: usize = 32;

/// Posts to `{url}/embed_sparse`.
pub struct TeiEmbed {
    client: Client,
    endpoint: Endpoint,
    identity: String,
}

#[derive(Deserialize)]
struct Term {
    index: u32,
    value: f32,
}

impl TeiEmbed {
    /// An embedder that gives sparse vectors.
    pub fn new(endpoint: Endpoint) -> Result<TeiEmbed> {
        let endpoint = Endpoint { batch_texts: endpoint.batch_texts.min(MOST_TEXTS), ..endpoint };
        Ok(TeiEmbed { client: endpoint.client()?, identity: endpoint.identity("tei"), endpoint })
    }

    fn ask(&self, texts: &[String]) -> Result<Vec<Vec<(u32, f32)>>> {
        let body = json!({"inputs": texts, "truncate": true});
        let answer: Vec<Vec<Term>> = self.client.post("/embed_sparse", &body)?;
        let url = &self.endpoint.url;
        if answer.len() != texts.len() {
            return Err(upstream(format!("{url} gave {} vectors for {} texts", answer.len(), texts.len())));
        }
        if answer.iter().flatten().any(|term| !term.value.is_finite()) {
            return Err(upstream(format!("{url} gave a weight that is not finite")));
        }
        let weighty = |terms: Vec<Term>| {
            terms.into_iter().filter(|t| t.value > 0.0).map(|t| (t.index, t.value)).collect()
        };
        Ok(answer.into_iter().map(weighty).collect())
    }
}

impl Embed for TeiEmbed {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn dim(&self) -> usize {
        0
    }

    fn embed(&self, texts: &[&str], role: Role, want: Want) -> Result<Vec<Embedding>> {
        if want != Want::Sparse {
            return Err(Error::input("the provider tei gives sparse vectors alone").hint(
                "set `sparse = true`; for other vectors set `provider` to openai and end `url` in /v1",
            ));
        }
        let prefix = match role {
            Role::Query => &self.endpoint.query_prefix,
            Role::Passage => &self.endpoint.passage_prefix,
        };
        let (unique, places) = distinct(texts);
        let prefixed: Vec<String> = unique.iter().map(|text| filled(prefix, text)).collect();
        let vectors = in_batches(&self.endpoint, &prefixed, |batch| self.ask(batch))?;
        let embedding =
            |place: usize| vectors.get(place).map(|v| Embedding { sparse: v.clone(), ..Default::default() });
        Ok(places.into_iter().filter_map(embedding).collect())
    }
}
