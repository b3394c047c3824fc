//! Bytes in JSON.

use ::base64::Engine;
use ::base64::engine::general_purpose::STANDARD;

/// Bytes as text.
pub(super) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bytes of a text; `None` when it is not of this form.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}
