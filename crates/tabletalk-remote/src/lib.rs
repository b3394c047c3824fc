//! Stores that several machines share, each behind [`SegmentStore`](tabletalk_core::seam::SegmentStore),
//! [`VectorStore`](tabletalk_core::seam::VectorStore) or [`TableStore`](tabletalk_core::seam::TableStore).
//!
//! One file or folder for each engine, and a cargo feature: a program that needs no service is built without this crate. They
//! know keys, terms, fields and vectors, and nothing of what is kept in them. This crate must not know documents, models or files.

// Engines use a part each of what they share; whether something is used by none shows in a build with all of them.
#![cfg_attr(not(feature = "all"), allow(dead_code))]

#[cfg(any(feature = "chroma", feature = "qdrant"))]
mod bulk;
#[cfg(feature = "chroma")]
mod chroma;
#[cfg(any(feature = "chroma", feature = "qdrant"))]
mod facets;
#[cfg(feature = "http")]
mod http;
pub mod memory;
#[cfg(feature = "milvus")]
mod milvus;
#[cfg(any(feature = "chroma", feature = "qdrant"))]
mod names;
#[cfg(feature = "opensearch")]
mod opensearch;
#[cfg(any(feature = "chroma", feature = "qdrant"))]
mod points;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "qdrant")]
mod qdrant;
#[cfg(feature = "s3")]
mod s3;
mod secret;

#[cfg(feature = "chroma")]
pub use chroma::Chroma;
#[cfg(feature = "milvus")]
pub use milvus::Milvus;
#[cfg(feature = "opensearch")]
pub use opensearch::{OpenSearch, OpenSearchVectors};
#[cfg(feature = "qdrant")]
pub use qdrant::Qdrant;
#[cfg(feature = "s3")]
pub use s3::S3;
pub use tabletalk_core::seam::remote::{Client, Index, Metric, S3Settings, Settings};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The lock, even when another thread died with it: what is kept under our locks is always whole.
pub(crate) fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
