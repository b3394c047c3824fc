//! Typed tables and read-only SQL in a sandbox.
//!
//! A statement is read, every name in it is found among the relations, and only then is it planned; what
//! the walk of names does not know is refused. The planner sees a catalogue of exactly the relations that
//! the statement names and a list of functions that are allowed: there is nothing else to be reached.
//!
//! This crate must not know how relations are stored or found, nor models or HTTP. It is synchronous.

mod cell;
mod engine;
mod fault;
mod file;
mod function;
mod limits;
mod lineage;
mod meter;
mod names;
mod parse;
mod planner;
mod ran;
mod relation;
mod resolve;
mod run;
mod runtime;
mod sandbox;
mod scope;
mod stop;
mod table;
mod trace;
mod weight;

pub use cell::Cell;
pub use limits::Limits;
pub use ran::{Output, Ran, Used};
pub use relation::{ALL_ROWS, Relation, Relations, Source, TEXT};
pub use sandbox::Sandbox;
pub use stop::Stop;
pub use table::ROW_ID;
