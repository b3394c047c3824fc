//! Language models: over HTTP, in process, from a recording, and what can be put around any of them.
//!
//! All stand behind the seam [`Chat`](tabletalk_core::seam::Chat). [`chat`] makes one from [`ChatSettings`]; [`Cached`],
//! [`Recorded`], [`Replay`] and [`Counted`] are put around one; [`structured`] asks one for JSON.

mod cached;
mod count;
mod counted;
mod draft;
mod events;
#[cfg(feature = "gguf")]
mod gguf;
mod key;
mod list;
#[cfg(any(test, feature = "gguf"))]
mod pieces;
mod replay;
mod said;
mod schema;
mod server;
mod settings;
mod shape;
mod structured;
mod tolerant;

#[cfg(test)]
mod script;
#[cfg(test)]
mod server_tests;

pub use cached::Cached;
pub use count::tokens;
pub use counted::Counted;
pub use list::models;
pub use replay::{Recorded, Replay};
pub use settings::{ChatProvider, ChatSettings, Structured, ToolCalls, chat};
pub use structured::structured;
pub use tolerant::json as tolerant_json;
