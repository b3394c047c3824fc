//! What is wrong with a library.

use serde::Serialize;

/// Something wrong with a library.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Where.
    pub part: String,
    /// What is wrong.
    pub problem: String,
    /// Whether it was mended.
    pub repaired: bool,
}
