//! What can be chosen about a dense index.

use serde::{Deserialize, Serialize};

/// How alike two vectors are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// The cosine of the angle between them, from -1 to 1.
    #[default]
    Cosine,
    /// Their dot product.
    Dot,
    /// Their Euclidean distance. Scores are its negative, so that higher is better here too.
    L2,
}

/// How the numbers of a vector are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quantization {
    /// Four bytes each, as they came.
    F32,
    /// Two bytes each: about three decimal digits.
    #[default]
    F16,
    /// One byte each, and a scale for each vector.
    I8,
}

/// How a dense index is kept and searched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How alike two vectors are.
    pub metric: Metric,
    /// How the vectors that scores are computed from are kept.
    pub quantization: Quantization,
    /// Up to this many vectors are all compared with the query. Beyond, a graph finds those worth comparing.
    pub flat_limit: usize,
    /// The graph.
    pub hnsw: Hnsw,
    /// For each result wanted, so many candidates of the graph are scored again with the vectors as kept.
    pub rescore: usize,
}

/// The graph over many vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hnsw {
    /// Links that a new vector gets; it may come to have twice as many.
    pub connectivity: usize,
    /// Candidates looked at when a vector is added: more find better links and take longer.
    pub expansion_add: usize,
    /// Candidates looked at in a search: more find more and take longer. Of 55,885 pieces of tables, the right table was
    /// among the first ten in .568 of all searches with 96, in .600 with 512, and in .606 when all pieces are compared.
    pub expansion_search: usize,
    /// How the vectors that the graph is walked by are kept.
    pub quantization: Quantization,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            metric: Metric::default(),
            quantization: Quantization::default(),
            flat_limit: 20_000,
            hnsw: Hnsw::default(),
            rescore: 3,
        }
    }
}

impl Default for Hnsw {
    fn default() -> Self {
        Hnsw { connectivity: 12, expansion_add: 128, expansion_search: 512, quantization: Quantization::I8 }
    }
}
