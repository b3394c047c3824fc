//! What makes two requests the same.

use tabletalk_core::chat::{ChatOptions, Message};

/// A hash of a talk and how its reply is wanted, and of the model where that matters.
pub(crate) fn key(identity: &str, talk: &[Message], options: &ChatOptions) -> blake3::Hash {
    // All of it can be written as JSON, so that the empty text stands for no request.
    blake3::hash(&serde_json::to_vec(&(identity, talk, options)).unwrap_or_default())
}
