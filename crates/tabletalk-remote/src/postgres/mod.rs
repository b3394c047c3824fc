//! PostgreSQL: documents and words in [`Segments`], vectors in [`Vectors`] with the extension pgvector.
//!
//! All tables are in a schema that is named by the prefix; both stores may share it. PostgreSQL 15 or newer
//! is needed, and pgvector 0.8 or newer for vectors.
//!
//! Words are kept as postings: a row for each term in each field of each entry. A search reads the postings
//! of its words and computes BM25F from them in SQL, exactly as it is defined; so it takes longer the more
//! entries have its words. Everything is written in transactions: what was put is seen as soon as the call
//! returns, and `settle` has nothing to do.
//!
//! Vectors of more than 2000 numbers cannot be indexed by pgvector: they need `exact`.
//!
//! PostgreSQL knows no text with the character 0, and its indexes no long texts: both are kept in another
//! form, of which nobody outside sees anything but that very long terms are only found as a whole.

mod connect;
mod copy;
mod db;
mod fail;
mod filter;
mod segment;
#[cfg(feature = "source-postgres")]
mod source;
mod text;
mod vector;

pub use segment::Segments;
#[cfg(feature = "source-postgres")]
pub use source::Postgres;
pub use vector::Vectors;
