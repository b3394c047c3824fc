//! The crate as others use it: one binary, one file a subject.

mod attack;
mod common;
mod language;
mod lineage;
mod random;
mod stored;
