//! Narrowing a table down to what a question may need: by meaning, or by a program that a model writes.

mod meaning;
mod model;
mod program;
#[cfg(test)]
pub(crate) mod script;
mod vote;

pub use meaning::{Nearest, meaning, slot};
pub use model::{ByModel, Filtered, Ran, Sampling};
