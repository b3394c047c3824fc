//! Arrow tables that pass between Python and the engine without a copy, by the Arrow C stream interface
//! (<https://arrow.apache.org/docs/format/CStreamInterface.html>) in capsules of Python.
//!
//! These are the only files of the project with `unsafe` code: memory that belongs to another library comes in as pointers, and there
//! is no safe way to look at it. `abi.rs` has the structures, `read.rs` takes them in and checks all that can be checked (lengths,
//! offsets, UTF-8), `write.rs` gives them out. Arrow's own crates have this behind a feature that would be compiled into every
//! program of the workspace; the part that is needed here is small.
#![allow(unsafe_code, reason = "memory of other libraries can only be reached through their pointers")]

mod abi;
mod format;
mod read;
mod write;

pub(crate) use read::import;
pub(crate) use write::export;
