//! What Parquet files say of themselves at their end: columns, row groups and pages. Of a large table that is
//! megabytes, more than the row that is looked for, so it is read once. A file never changes under its name.

use crate::error::parquet;
use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use ::parquet::file::metadata::PageIndexPolicy;
use quick_cache::Weighter;
use quick_cache::sync::Cache as Quick;
use std::fs::File;
use std::path::{Path, PathBuf};
use tabletalk_core::Result;

/// The most bytes that are kept.
const MOST_BYTES: u64 = 64 << 20;
/// About how many bytes one takes.
const BYTES_OF_ONE: u64 = 64 << 10;

/// Footers of files that were read lately.
pub(crate) struct Footers(Quick<PathBuf, Footer, Bytes>);

/// A footer, and the size of its file: one of another size is another file.
#[derive(Clone)]
struct Footer {
    size: u64,
    read: ArrowReaderMetadata,
}

impl Default for Footers {
    fn default() -> Self {
        Footers(Quick::with_weighter((MOST_BYTES / BYTES_OF_ONE) as usize, MOST_BYTES, Bytes))
    }
}

impl Footers {
    /// The footer of a file, with the places of its pages.
    pub(crate) fn of(&self, path: &Path, file: &File) -> Result<ArrowReaderMetadata> {
        let size = file.metadata()?.len();
        if let Some(known) = self.0.get(path).filter(|known| known.size == size) {
            return Ok(known.read);
        }
        let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
        let read = ArrowReaderMetadata::load(file, options).map_err(parquet)?;
        self.0.insert(path.to_owned(), Footer { size, read: read.clone() });
        Ok(read)
    }
}

/// Counts the bytes of footers.
#[derive(Clone)]
struct Bytes;

impl Weighter<PathBuf, Footer> for Bytes {
    fn weight(&self, _: &PathBuf, footer: &Footer) -> u64 {
        footer.read.metadata().memory_size() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::arrow::arrow_writer::ArrowWriter;
    use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
    use std::sync::Arc;

    fn write(path: &Path, rows: u64) {
        let column: ArrayRef = Arc::new(UInt64Array::from_iter_values(0..rows));
        let batch = RecordBatch::try_from_iter([("n", column)]).unwrap();
        let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }

    #[test]
    fn a_footer_is_read_once_and_again_when_the_file_is_another() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.parquet");
        let footers = Footers::default();
        let of = || footers.of(&path, &File::open(&path).unwrap()).unwrap();
        write(&path, 3);
        assert!(Arc::ptr_eq(of().metadata(), of().metadata()));
        assert!(of().metadata().offset_index().is_some());
        write(&path, 1000);
        assert_eq!(of().metadata().file_metadata().num_rows(), 1000);
    }
}
