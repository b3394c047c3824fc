//! Where is the nearest vector? Dense, sparse and late-interaction indexes.
//!
//! The crate knows numbers of things (`u64`) and their vectors. It must not know texts, models, files of users or the
//! catalogue. Every index is a directory, derived from something else, and can be deleted at any time.

mod bits;
pub mod dense;
mod file;
mod ids;
pub mod late;
mod map;
mod simd;
pub mod sparse;
mod top;

pub use file::must_rebuild;

/// A predicate over ids: only those it holds for are found. It may be called from several threads.
pub type Filter<'a> = Option<&'a (dyn Fn(u64) -> bool + Sync)>;

/// What was found, and how well it matches: higher is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Which one.
    pub id: u64,
    /// How well it matches.
    pub score: f32,
}
