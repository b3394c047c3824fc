//! Whoever watches long work, and can stop it.

use tabletalk_core::Error;

/// Sees how the work goes on, and can stop it.
pub trait Watch: Sync {
    /// So many files were found.
    fn found(&self, _files: u64) {}
    /// So many rows were read.
    fn rows(&self, _rows: u64) {}
    /// So many bytes were read.
    fn bytes(&self, _bytes: u64) {}
    /// A file is done.
    fn file(&self, _name: &str) {}
    /// So many documents of all have their vectors in a space.
    fn embedded(&self, _space: &str, _ready: u64, _total: u64, _took: std::time::Duration) {}
    /// What goes on besides reading, such as bringing an index up to date.
    fn note(&self, _text: &str) {}
    /// Whether files are being read from now on. What else goes on, such as writing an index, comes to its end soon.
    fn reading(&self, _is_reading: bool) {}
    /// Whether to stop. Whoever works asks this between two pieces of work, and may be made to wait.
    fn stopped(&self) -> bool {
        false
    }
    /// Whether to stop, for those who only look on.
    fn is_stopped(&self) -> bool {
        self.stopped()
    }
}

/// Nobody watches.
pub struct Unwatched;

impl Watch for Unwatched {}

/// The error of work that was stopped.
pub fn interrupted() -> Error {
    Error::limit("interrupted").hint("run the same command again to go on")
}
