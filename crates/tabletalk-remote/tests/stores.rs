//! One conformance suite over every store. Those in memory are always tested; the others when an environment variable says where
//! a server is: `scripts/check-stores` starts the servers and runs this.

#![allow(unreachable_pub, reason = "a test exports nothing")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failure is what a test is for")]
#![allow(clippy::print_stderr, reason = "a test says what it does not test")]

#[path = "stores/suite/mod.rs"]
mod suite;

#[cfg(any(feature = "chroma", feature = "milvus", feature = "qdrant"))]
#[path = "stores/live/mod.rs"]
mod live;

#[cfg(feature = "chroma")]
#[path = "stores/chroma.rs"]
mod chroma;
#[path = "stores/memory.rs"]
mod memory;
#[cfg(feature = "milvus")]
#[path = "stores/milvus.rs"]
mod milvus;
#[cfg(feature = "opensearch")]
#[path = "stores/opensearch.rs"]
mod opensearch;
#[cfg(feature = "postgres")]
#[path = "stores/postgres.rs"]
mod postgres;
#[cfg(feature = "qdrant")]
#[path = "stores/qdrant.rs"]
mod qdrant;
#[cfg(feature = "s3")]
#[path = "stores/s3.rs"]
mod s3;
