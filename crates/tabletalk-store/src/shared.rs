//! What a library keeps in stores that other machines use too.
//!
//! The catalogue beside it is then what this machine knows of it: documents others wrote are taken over, those written
//! here are published, and what is found in the stores is looked up in the catalogue.

use crate::files::Tables;
use std::sync::{Arc, Mutex, PoisonError};
use tabletalk_core::Result;
use tabletalk_core::seam::{Coordinator, SegmentStore, VectorStore};

/// The stores that others use too; what is not named here is kept beside the catalogue.
#[derive(Clone, Default)]
pub struct Shared {
    /// Documents and words.
    pub segment: Option<Arc<dyn SegmentStore>>,
    /// Vectors.
    pub vector: Option<Arc<dyn VectorStore>>,
    /// Files of large tables.
    pub tables: Option<Tables>,
}

/// Keys that are asked for at a time.
const BLOCK: u64 = 4096;

/// Gives keys that nobody else is given.
pub(crate) struct Keyring {
    store: Arc<dyn Coordinator>,
    /// The next key and the end of those that were reserved.
    range: Mutex<(i64, i64)>,
}

impl Keyring {
    pub(crate) fn new(store: Arc<dyn Coordinator>) -> Self {
        Keyring { store, range: Mutex::new((0, 0)) }
    }

    pub(crate) fn next(&self) -> Result<i64> {
        let mut range = self.range.lock().unwrap_or_else(PoisonError::into_inner);
        if range.0 == range.1 {
            let first = self.store.reserve("key", BLOCK)?;
            *range = (first, first + BLOCK as i64);
        }
        range.0 += 1;
        Ok(range.0 - 1)
    }
}
