//! Models: texts to vectors, how well a passage answers a query, what to say next, and what a picture shows.
//!
//! Local models are BERT-family encoders as ONNX files with their own tokenizer and run inside the process; remote
//! ones are reached over HTTP. Both stand behind the seams of `tabletalk_core`: [`Embed`](tabletalk_core::seam::Embed),
//! [`Scorer`](tabletalk_core::seam::Scorer), [`Chat`](tabletalk_core::seam::Chat),
//! [`Ocr`](tabletalk_core::seam::Ocr) and [`Structure`](tabletalk_core::seam::Structure). This crate knows no documents and no indexes, and reads no environment.
//!
//! ```no_run
//! use tabletalk_core::seam::{Role, Want};
//!
//! let model = tabletalk_model::embedder(&tabletalk_model::Settings::default())?;
//! let found = model.embed(&["total revenue in 2023"], Role::Query, Want::Pooled)?;
//! assert_eq!(found[0].pooled.len(), model.dim());
//! # Ok::<(), tabletalk_core::Error>(())
//! ```

mod about;
mod batch;
mod bert;
#[cfg(feature = "bundled-models")]
mod bundled;
pub mod chat;
mod cross;
mod dense;
mod encoder;
#[cfg(test)]
mod encoder_tests;
mod folder;
mod graph;
#[cfg(feature = "bundled-models")]
mod locator;
pub mod ocr;
mod options;
mod pool;
pub mod remote;
mod safetensors;
mod settings;
mod sparse;
pub mod structure;
#[cfg(test)]
mod tiny;
mod tokens;
mod vision;
mod workers;

pub use chat::{ChatProvider, ChatSettings, chat};
pub use cross::CrossEncoder;
pub use encoder::Encoder;
#[cfg(feature = "bundled-models")]
pub use locator::Locator;
pub use options::{Options, Pooling};
pub use settings::{Provider, Secret, Settings, embedder, scorer};

/// The names of the models inside the program; empty without the feature `bundled-models`.
pub fn bundled() -> Vec<&'static str> {
    #[cfg(feature = "bundled-models")]
    return bundled::MODELS.iter().map(|model| model.name).collect();
    #[cfg(not(feature = "bundled-models"))]
    return Vec::new();
}
