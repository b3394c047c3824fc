//! Which model is used and how, as it stands in a configuration file.

use crate::{
    CrossEncoder, Encoder, Options, Pooling,
    remote::{Endpoint, OllamaEmbed, OpenAiEmbed, Rerank, TeiEmbed},
};
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};
use tabletalk_core::{
    Error, Result,
    seam::{Embed, Scorer},
};

/// Who runs a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// This program.
    #[default]
    Local,
    /// A server with the OpenAI shape: `/embeddings`, and `/rerank` where it has one.
    OpenAi,
    /// An Ollama server: `/api/embed`.
    Ollama,
    /// A server with the Jina and Cohere shape: `/embeddings` and `/rerank`.
    Jina,
    /// A text-embeddings-inference server that gives sparse vectors: `/embed_sparse`.
    Tei,
}

/// A key that is never printed.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Keeps `key`.
    pub fn new(key: impl Into<String>) -> Secret {
        Secret(key.into())
    }

    /// The key itself.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// The key as the value of the header `Authorization`.
    pub(crate) fn bearer(&self) -> Secret {
        Secret(format!("Bearer {}", self.0.trim()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Which model is used and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Who runs the model.
    pub provider: Provider,
    /// `bundled:NAME`, the path of a folder, or the name that a remote provider knows it by.
    pub model: String,
    /// Where a remote provider is, such as `http://localhost:11434`.
    pub url: Option<String>,
    /// The key for a remote provider. Never written out.
    #[serde(skip_serializing)]
    pub api_key: Option<Secret>,
    /// How the states of a text's tokens become one vector, where it differs from what the model says.
    pub pooling: Option<Pooling>,
    /// What is put before a query, where it differs from what the model says.
    pub query_prefix: Option<String>,
    /// What is put before a passage, where it differs from what the model says.
    pub passage_prefix: Option<String>,
    /// The most tokens of a text that are read, where it is less than the model can.
    pub max_tokens: Option<usize>,
    /// The most tokens, padding included, that are run together.
    pub batch_tokens: usize,
    /// How many threads a local model uses; 0 means one for each processor.
    pub threads: usize,
    /// Whether vectors by token include those of marks such as `[CLS]` and `[SEP]`.
    pub special_tokens: bool,
    /// Whether vectors by token of passages include those of punctuation, where it differs from what the model was trained with.
    pub punctuation: Option<bool>,
    /// The token that marks a query, for models trained for late interaction.
    pub query_marker: Option<String>,
    /// The token that marks a passage, for models trained for late interaction.
    pub document_marker: Option<String>,
    /// The length to which queries are filled up, for models trained for late interaction.
    pub query_length: Option<usize>,
    /// Whether the scores of a local cross-encoder are squeezed between 0 and 1.
    pub sigmoid: bool,
    /// The length of a remote model's vectors; when it is left out the server is asked once.
    pub dim: Option<usize>,
    /// How many texts are sent to a server in one request.
    pub batch_texts: usize,
    /// How many requests are under way at once.
    pub requests_at_once: usize,
    /// How many seconds a request may take.
    pub timeout_s: f64,
    /// How often a request that failed for the moment is tried again.
    pub retries: u32,
}

impl Default for Settings {
    fn default() -> Self {
        let local = Options::default();
        Settings {
            provider: Provider::Local,
            model: "bundled:bge-small-en-v1.5".to_owned(),
            url: None,
            api_key: None,
            pooling: local.pooling,
            query_prefix: local.query_prefix,
            passage_prefix: local.passage_prefix,
            max_tokens: local.max_tokens,
            batch_tokens: local.batch_tokens,
            threads: local.threads,
            special_tokens: local.special_tokens,
            punctuation: local.punctuation,
            query_marker: local.query_marker,
            document_marker: local.document_marker,
            query_length: local.query_length,
            sigmoid: local.sigmoid,
            dim: None,
            batch_texts: 64,
            requests_at_once: 4,
            timeout_s: 60.0,
            retries: 3,
        }
    }
}

impl Settings {
    /// A local model: `bundled:NAME` or the path of a folder.
    pub fn local(model: impl Into<String>) -> Settings {
        Settings { model: model.into(), ..Settings::default() }
    }

    fn options(&self) -> Options {
        Options {
            pooling: self.pooling,
            query_prefix: self.query_prefix.clone(),
            passage_prefix: self.passage_prefix.clone(),
            max_tokens: self.max_tokens,
            batch_tokens: self.batch_tokens,
            threads: self.threads,
            special_tokens: self.special_tokens,
            punctuation: self.punctuation,
            query_marker: self.query_marker.clone(),
            document_marker: self.document_marker.clone(),
            query_length: self.query_length,
            sigmoid: self.sigmoid,
        }
    }

    fn endpoint(&self) -> Result<Endpoint> {
        let url = self.url.clone().ok_or_else(|| {
            Error::input(format!("no url for the model {}", self.model))
                .hint("set `url` to where its server is")
        })?;
        let timeout = Duration::try_from_secs_f64(self.timeout_s)
            .map_err(|_| Error::input("timeout_s is not a number of seconds").hint("set it to, say, 60"))?;
        Ok(Endpoint {
            url,
            model: self.model.clone(),
            api_key: self.api_key.clone(),
            timeout,
            retries: self.retries,
            batch_texts: self.batch_texts.max(1),
            requests_at_once: self.requests_at_once.max(1),
            query_prefix: self.query_prefix.clone().unwrap_or_default(),
            passage_prefix: self.passage_prefix.clone().unwrap_or_default(),
            dim: self.dim,
        })
    }
}

/// The model that turns texts into vectors.
pub fn embedder(settings: &Settings) -> Result<Box<dyn Embed>> {
    Ok(match settings.provider {
        Provider::Local => Box::new(local(settings)?),
        Provider::OpenAi | Provider::Jina => Box::new(OpenAiEmbed::new(settings.endpoint()?)?),
        Provider::Ollama => Box::new(OllamaEmbed::new(settings.endpoint()?)?),
        Provider::Tei => Box::new(TeiEmbed::new(settings.endpoint()?)?),
    })
}

/// The model that says how well a passage answers a query.
pub fn scorer(settings: &Settings) -> Result<Box<dyn Scorer>> {
    match settings.provider {
        Provider::Local if settings.model.starts_with("bundled:") => {
            Err(Error::missing(format!("{} is no reranker", settings.model))
                .hint("run scripts/fetch-models and give the folder of a reranker"))
        }
        Provider::Local => Ok(Box::new(CrossEncoder::open(&settings.model, &settings.options())?)),
        Provider::OpenAi | Provider::Jina => Ok(Box::new(Rerank::new(settings.endpoint()?)?)),
        Provider::Ollama | Provider::Tei => {
            Err(Error::input("this provider has no reranker").hint("set `provider` to jina, openai or local"))
        }
    }
}

fn local(settings: &Settings) -> Result<Encoder> {
    match settings.model.strip_prefix("bundled:") {
        #[cfg(feature = "bundled-models")]
        Some(name) => Encoder::bundled(name, &settings.options()),
        #[cfg(not(feature = "bundled-models"))]
        Some(name) => Err(Error::missing(format!("this program was built without the model {name}"))
            .hint("build it with the feature bundled-models, or give the folder of a model")),
        None => Encoder::open(&settings.model, &settings.options()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::Fault;

    #[test]
    fn a_key_is_neither_printed_nor_written() {
        let settings = Settings { api_key: Some(Secret::new("sk-very-secret")), ..Settings::default() };
        assert!(!format!("{settings:?}").contains("very"));
        assert!(!serde_json::to_string(&settings).unwrap().contains("very"));
    }

    #[test]
    fn settings_come_back_as_they_were_written() {
        let settings =
            Settings { pooling: Some(Pooling::Cls), timeout_s: 2.5, ..Settings::local("models/x") };
        let written = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&written).unwrap(), settings);
        assert!(serde_json::from_str::<Settings>(r#"{"modle": "x"}"#).is_err());
    }

    #[test]
    fn what_is_missing_is_named() {
        let gone = embedder(&Settings::local("/nowhere/model")).err().unwrap();
        assert_eq!(gone.fault(), Fault::Missing);
        assert!(gone.to_string().contains("/nowhere/model") && gone.cure().is_some());
        let nameless =
            embedder(&Settings { provider: Provider::OpenAi, ..Settings::default() }).err().unwrap();
        assert!(nameless.to_string().contains("url"));
        assert_eq!(scorer(&Settings::default()).err().unwrap().fault(), Fault::Missing);
        assert!(
            embedder(&Settings {
                timeout_s: f64::NAN,
                url: Some("http://x".into()),
                provider: Provider::Ollama,
                ..Settings::default()
            })
            .is_err()
        );
    }
}
