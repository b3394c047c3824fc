//! One file a family of commands.

pub mod context;
pub mod experiment;
pub mod sets;
