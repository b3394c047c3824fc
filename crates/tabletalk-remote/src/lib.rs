//! Stores that several machines share, each behind [`SegmentStore`], [`VectorStore`] or [`TableStore`].
//!
//! One file or folder for each engine. They know keys, terms, fields and vectors, and nothing of what is kept in them.
//! This crate must not know documents, models or files.

mod bulk;
mod chroma;
mod facets;
mod http;
pub mod memory;
mod milvus;
mod names;
mod opensearch;
mod points;
pub mod postgres;
mod qdrant;
mod s3;
mod settings;

pub use chroma::Chroma;
pub use milvus::Milvus;
pub use opensearch::{OpenSearch, OpenSearchVectors};
pub use qdrant::Qdrant;
pub use s3::{S3, S3Settings};
pub use settings::{Client, Index, Metric, Settings};

use std::sync::Arc;
use tabletalk_core::seam::{SegmentStore, TableStore, VectorStore};
use tabletalk_core::{Error, Result};

/// The segment store that the settings name; `None` when it is the embedded one.
pub fn segment_store(settings: &Settings) -> Result<Option<Arc<dyn SegmentStore>>> {
    Ok(Some(match settings.r#type.as_str() {
        "embedded" => return Ok(None),
        "memory" => Arc::new(memory::Segments::new()),
        "opensearch" | "elasticsearch" => Arc::new(OpenSearch::new(settings)?),
        "postgres" => Arc::new(postgres::Segments::open(settings)?),
        other => {
            return Err(unknown(other, &["embedded", "memory", "opensearch", "elasticsearch", "postgres"]));
        }
    }))
}

/// The vector store that the settings name; `None` when it is the embedded one.
pub fn vector_store(settings: &Settings) -> Result<Option<Arc<dyn VectorStore>>> {
    Ok(Some(match settings.r#type.as_str() {
        "embedded" => return Ok(None),
        "memory" => Arc::new(memory::Vectors::new()),
        "chroma" => Arc::new(Chroma::open(settings)?),
        "milvus" => Arc::new(Milvus::new(settings)?),
        "opensearch" => Arc::new(OpenSearchVectors::new(settings)?),
        "postgres" => Arc::new(postgres::Vectors::open(settings)?),
        "qdrant" => Arc::new(Qdrant::open(settings)?),
        other => {
            let known = ["embedded", "memory", "chroma", "milvus", "opensearch", "postgres", "qdrant"];
            return Err(unknown(other, &known));
        }
    }))
}

/// The store of files that an address like `s3://bucket/folder` names; `None` when it is the path of a folder.
pub fn table_store(address: &str, s3: &S3Settings) -> Result<Option<Arc<dyn TableStore>>> {
    Ok(match address.strip_prefix("s3://") {
        Some(place) => Some(Arc::new(S3::open(place, s3)?)),
        None => None,
    })
}

fn unknown(name: &str, known: &[&str]) -> Error {
    Error::input(format!("there is no store of type `{name}`"))
        .hint(format!("`type` is one of {}", known.join(", ")))
}
