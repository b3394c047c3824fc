//! How a local model is used.

use serde::{Deserialize, Serialize};

/// How the states of a text's tokens become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// The state of the first token.
    Cls,
}

impl Pooling {
    /// The word used for it in settings.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Pooling::Mean => "mean",
            Pooling::Cls => "cls",
        }
    }
}

/// How a local model is used. What is `None` is taken from the model's own files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How the states of a text's tokens become one vector.
    pub pooling: Option<Pooling>,
    /// What is put before a query.
    pub query_prefix: Option<String>,
    /// What is put before a passage.
    pub passage_prefix: Option<String>,
    /// The most tokens of a text that are read; the rest is cut off.
    pub max_tokens: Option<usize>,
    /// The most tokens, padding included, of one batch.
    pub batch_tokens: usize,
    /// How many threads are used; 0 means one for each processor.
    pub threads: usize,
    /// Whether the vectors by token include those of marks such as `[CLS]` and `[SEP]`.
    pub special_tokens: bool,
    /// Whether the vectors by token of a passage include those of punctuation. `None`: not of models trained for late
    /// interaction, which have a marker of passages.
    pub punctuation: Option<bool>,
    /// The token put after the first mark of a query, for models trained for late interaction.
    pub query_marker: Option<String>,
    /// The token put after the first mark of a passage, for models trained for late interaction.
    pub document_marker: Option<String>,
    /// The length to which queries are filled up with `[MASK]`, for models trained for late interaction.
    pub query_length: Option<usize>,
    /// Whether the scores of a cross-encoder are squeezed between 0 and 1.
    pub sigmoid: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            pooling: None,
            query_prefix: None,
            passage_prefix: None,
            max_tokens: None,
            batch_tokens: 384,
            threads: 0,
            special_tokens: true,
            punctuation: None,
            query_marker: None,
            document_marker: None,
            query_length: None,
            sigmoid: false,
        }
    }
}
