//! The crate as others use it: one binary, one file a subject.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
mod language;
mod lineage;
mod mutate;
mod random;
mod stored;
