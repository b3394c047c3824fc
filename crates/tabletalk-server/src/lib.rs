//! HTTP, MCP and the page over libraries: the only asynchronous crate.
//!
//! Requests are taken by `api`, `openai` and `mcp`, let through by `guard`, and answered by a [`Library`] on a
//! blocking thread (`work`). What takes long is a task (`task`): it is kept on disk, so that nothing that was
//! accepted is lost when the server ends.
//!
//! [`Library`]: tabletalk_library::Library

mod api;
mod app;
mod guard;
pub mod key;
mod log;
pub mod mcp;
mod measure;
mod openai;
mod page;
mod problem;
mod serve;
mod shelf;
mod task;
#[cfg(test)]
mod tests;
mod upload;
mod watch;
mod work;

pub use api::description;
pub use log::{Log, init as init_log};
pub use serve::{Setup, serve};
