//! wip
use tabletalk_core::seam::{Documents, Reader, Source};
use tabletalk_core::{Error, Result};

/// Reads it.
#[derive(Debug)]
pub struct Parquet;

impl Reader for Parquet {
    fn format(&self) -> &'static str {
        "parquet"
    }
    fn reads(&self, _: &str, _: &[u8]) -> bool {
        false
    }
    fn read(&self, _: &Source<'_>) -> Result<Documents> {
        Err(Error::input("cannot be read yet"))
    }
}
