//! The rows of an index on disk: the id of each, which are removed, and where the row of an id is. Dense and sparse vectors
//! are kept by them.

use crate::bits::Bits;
use crate::file::{Growing, broken, write_whole};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tabletalk_core::{Error, Result};

#[derive(Debug)]
pub(crate) struct Ids {
    file: Growing,
    removed: Bits,
    /// The row of each id. Made when first asked for: a search does not need it.
    rows: OnceLock<FxHashMap<u64, u32>>,
}

impl Ids {
    /// The first `rows` rows of a file; those in the file `removed` do not count.
    pub(crate) fn open(path: PathBuf, rows: u64, removed: Option<&Path>) -> Result<Ids> {
        let len = rows.checked_mul(8).filter(|_| rows < u64::from(u32::MAX));
        let len = len.ok_or_else(|| broken(&path, format!("speaks of {rows} vectors")))?;
        let removed = removed.map(|path| read_removed(path, rows)).transpose()?.unwrap_or_default();
        Ok(Ids { file: Growing::open(path, len)?, removed, rows: OnceLock::new() })
    }

    /// The id of each row, removed ones too.
    pub(crate) fn all(&self) -> &[u64] {
        bytemuck::try_cast_slice(self.file.bytes()).unwrap_or_default()
    }

    /// The rows that count, with their ids.
    pub(crate) fn live(&self) -> impl Iterator<Item = (u32, u64)> {
        (0u32..).zip(self.all()).filter(|(row, _)| !self.is_removed(*row)).map(|(row, id)| (row, *id))
    }

    /// How many rows count.
    pub(crate) fn len(&self) -> usize {
        self.all().len().saturating_sub(self.removed.len())
    }

    pub(crate) fn is_removed(&self, row: u32) -> bool {
        self.removed.contains(row)
    }

    pub(crate) fn has_removed(&self) -> bool {
        self.removed.len() > 0
    }

    /// Whether more than half of the rows are removed.
    pub(crate) fn is_worn(&self) -> bool {
        self.removed.len() * 2 > self.all().len()
    }

    pub(crate) fn row(&self, id: u64) -> Option<u32> {
        self.rows().get(&id).copied()
    }

    fn rows(&self) -> &FxHashMap<u64, u32> {
        self.rows.get_or_init(|| self.live().map(|(row, id)| (id, row)).collect())
    }

    /// Appends rows, which are known by their ids only after [`Ids::take_over`].
    pub(crate) fn append(&mut self, ids: &[u64]) -> Result<()> {
        // An id that comes again must be known by its old row.
        self.rows();
        if self.all().len() + ids.len() >= u32::MAX as usize {
            return Err(Error::limit("an index holds at most four thousand million vectors"));
        }
        self.file.append(|w| Ok(w.write_all(bytemuck::cast_slice(ids))?))
    }

    /// Lets the rows from `first` on take the place of those that their ids had.
    pub(crate) fn take_over(&mut self, first: usize) {
        let mut rows = self.rows.take().unwrap_or_default();
        let new = self.all().get(first..).unwrap_or_default().to_vec();
        for (row, id) in (first as u32..).zip(new) {
            if let Some(old) = rows.insert(id, row) {
                self.removed.insert(old);
            }
        }
        self.rows = OnceLock::from(rows);
    }

    /// Forgets the rows from `first` on, which were appended and not taken over.
    pub(crate) fn cut(&mut self, first: usize) -> Result<()> {
        self.file.cut(first as u64 * 8)
    }

    /// Removes the rows of `ids`. Those it does not hold are left out.
    pub(crate) fn remove(&mut self, ids: &[u64]) {
        self.rows();
        let mut rows = self.rows.take().unwrap_or_default();
        for row in ids.iter().filter_map(|id| rows.remove(id)) {
            self.removed.insert(row);
        }
        self.rows = OnceLock::from(rows);
    }

    pub(crate) fn sync(&self) -> Result<()> {
        self.file.sync()
    }

    /// Writes which rows are removed to a new file.
    pub(crate) fn write_removed(&self, path: &Path) -> Result<()> {
        let mut words = self.removed.words().to_vec();
        words.resize(self.all().len().div_ceil(64), 0);
        write_whole(path, |w| Ok(w.write_all(bytemuck::cast_slice(&words))?))
    }

    /// The ids of the rows that count, in a new file.
    pub(crate) fn compacted(&self, path: PathBuf) -> Result<Ids> {
        let mut file = Growing::begin(path)?;
        file.append(|w| self.live().try_for_each(|(_, id)| Ok(w.write_all(&id.to_le_bytes())?)))?;
        Ok(Ids { file, removed: Bits::default(), rows: OnceLock::new() })
    }

    /// Bytes of the file of ids.
    pub(crate) fn bytes(&self) -> usize {
        self.file.bytes().len()
    }

    /// Bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        let rows = self.rows.get().map_or(0, |rows| rows.capacity() * 17);
        self.bytes() + self.removed.words().len() * 8 + rows
    }
}

fn read_removed(path: &Path, rows: u64) -> Result<Bits> {
    let bytes = std::fs::read(path).map_err(|e| Error::from(e).at(path.display()))?;
    if bytes.len() as u64 != rows.div_ceil(64) * 8 {
        return Err(broken(path, format!("has {} bytes, which do not fit {rows} rows", bytes.len())));
    }
    Ok(Bits::new(bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect()))
}
