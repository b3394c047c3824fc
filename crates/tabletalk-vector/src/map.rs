//! Files seen as memory.
#![allow(unsafe_code)]
// Why unsafe: mapping a file is unsafe in every crate that does it, because another process could cut the file short.
// Ours are only ever appended to or replaced by files of another name, and what is mapped is never cut.

use memmap2::{Mmap, MmapOptions};
use std::fs::File;
use tabletalk_core::{Error, Result};

/// The first bytes of a file, as memory. Nothing is read before it is looked at.
#[derive(Debug, Default)]
pub(crate) struct Map(Option<Mmap>);

impl Map {
    /// The first `len` bytes of `file`, which must have that many.
    pub(crate) fn new(file: &File, len: u64) -> Result<Map> {
        if len == 0 {
            return Ok(Map(None));
        }
        let has = file.metadata()?.len();
        if has < len {
            return Err(Error::input(format!("has {has} bytes where {len} were written")));
        }
        let len = usize::try_from(len).map_err(|_| Error::limit("is larger than memory can address"))?;
        // SAFETY: see the head of this file: the first `len` bytes never change and are never cut.
        let map = unsafe { MmapOptions::new().len(len).map(file) }?;
        Ok(Map(Some(map)))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}
