//! Files of large tables in memory.

use crate::held;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tabletalk_core::seam::TableStore;
use tabletalk_core::seam::store::StoredFile;
use tabletalk_core::{Error, Result};

/// Files in memory.
#[derive(Clone, Default)]
pub struct Tables(Arc<Mutex<BTreeMap<String, Kept>>>);

/// When a file was put, and its bytes.
type Kept = (Instant, Vec<u8>);

impl TableStore for Tables {
    fn name(&self) -> String {
        "memory".into()
    }

    fn put(&self, name: &str, from: &Path) -> Result<()> {
        let bytes = std::fs::read(from).map_err(|e| Error::from(e).at(from.display()))?;
        held(&self.0).insert(name.to_owned(), (Instant::now(), bytes));
        Ok(())
    }

    fn get(&self, name: &str, to: &Path) -> Result<bool> {
        let Some((_, bytes)) = held(&self.0).get(name).cloned() else { return Ok(false) };
        std::fs::write(to, bytes).map_err(|e| Error::from(e).at(to.display()))?;
        Ok(true)
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        Ok(held(&self.0).get(name).map(|file| file.1.len() as u64))
    }

    fn remove(&self, name: &str) -> Result<()> {
        held(&self.0).remove(name);
        Ok(())
    }

    fn files(&self) -> Result<Vec<StoredFile>> {
        let stored =
            |(name, file): (&String, &Kept)| StoredFile { name: name.clone(), age: file.0.elapsed() };
        Ok(held(&self.0).iter().map(stored).collect())
    }
}
