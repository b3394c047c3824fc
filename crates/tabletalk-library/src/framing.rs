//! Adding what a program holds: rows as Arrow record batches, and files as bytes.

use crate::{AddOptions, Library, Outcome, Result, Watch, backup, files};
use arrow_schema::SchemaRef;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tabletalk_core::Error;
use tabletalk_core::seam::Source;
use tabletalk_engine::ingest::Item;
use tabletalk_read::RecordBatches;

/// The folder that frames are said to be in, so that tables among them are joined like those of one folder.
const FRAMES: &str = "frames";

/// Rows that a program holds, and what the table is called.
pub struct Frame {
    /// The name of the table and of its document.
    pub name: String,
    /// The columns.
    pub schema: SchemaRef,
    /// The rows, asked for one batch after the other.
    pub batches: RecordBatches,
    /// How many rows there are, where that is known.
    pub rows: Option<u64>,
}

impl Library {
    /// Adds the rows of a frame, in the place of an earlier one of this name. They are taken batch by batch.
    pub fn add_frame(&self, frame: Frame, options: &AddOptions, watch: &dyn Watch) -> Result<Outcome> {
        let Frame { name, schema, batches, rows } = frame;
        let item = self.frame_item(files::file_name(&name)?, options)?;
        let batches = Mutex::new(Some(batches));
        let read = |source: &Source<'_>| {
            let batches = batches.lock().unwrap_or_else(PoisonError::into_inner).take();
            let batches = batches.ok_or_else(|| Error::bug("a frame is read a second time"))?;
            tabletalk_read::read_batches(source, schema.clone(), batches, rows)
        };
        let outcome = self.ingest(&[item], &read, watch)?;
        self.settle(options, outcome, watch)
    }

    fn frame_item(&self, name: String, options: &AddOptions) -> Result<Item> {
        let mut fields = self.config.fields(&options.fields)?;
        let given = if fields.is_empty() { String::new() } else { json!(fields).to_string() };
        fields.insert("file_name".into(), json!(name));
        fields.insert("file_type".into(), json!("frame"));
        // Whether a frame is the one that was added before is only known when all of it has been read.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let state = blake3::hash(format!("{now} {}", std::process::id()).as_bytes()).to_hex();
        let path = PathBuf::from(FRAMES).join(&name);
        Ok(Item { path, name, fields, given, state: Some(state.as_str()[..32].to_owned()) })
    }

    /// Keeps the bytes of a file with the library and adds it, in the place of an earlier one of this name.
    pub fn add_bytes(
        &self,
        name: &str,
        bytes: &[u8],
        options: &AddOptions,
        watch: &dyn Watch,
    ) -> Result<Outcome> {
        let dir = self.store.dir().join(backup::UPLOADS);
        std::fs::create_dir_all(&dir)?;
        let path = dir.join(files::file_name(name)?);
        let mut file = tempfile::Builder::new().prefix(".").tempfile_in(&dir)?;
        std::io::Write::write_all(&mut file, bytes)?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|e| Error::from(e.error))?;
        self.add(&[path], options, watch)
    }

    /// Forgets documents by id, name or record id. A file that is kept with the library goes with the last document in it.
    pub fn forget_with_uploads(&self, names: &[String]) -> Result<Vec<String>> {
        let found = names.iter().map(|name| self.store.catalog()?.record(name));
        let sources: Vec<String> =
            found.collect::<Result<Vec<_>>>()?.into_iter().flatten().map(|r| r.source).collect();
        let ids = self.forget(names)?;
        let uploads = files::absolute(&self.store.dir().join(backup::UPLOADS));
        for source in sources {
            let is_upload = Path::new(&source).parent().is_some_and(|dir| files::absolute(dir) == uploads);
            if is_upload && self.store.catalog()?.records_of(&source)?.is_empty() {
                std::fs::remove_file(source)?;
            }
        }
        Ok(ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Status, Unwatched, open};
    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use std::sync::Arc;

    fn frame(name: &str, sold: Vec<i64>) -> Frame {
        let city: ArrayRef = Arc::new(StringArray::from(vec!["Oslo"; sold.len()]));
        let sold: ArrayRef = Arc::new(Int64Array::from(sold));
        let batch = RecordBatch::try_from_iter([("city", city), ("sold", sold)]).unwrap();
        let (schema, rows) = (batch.schema(), Some(batch.num_rows() as u64));
        Frame { name: name.into(), schema, batches: Box::new(std::iter::once(Ok(batch))), rows }
    }

    fn library(dir: &std::path::Path) -> Library {
        let config = Config { embed: Vec::new(), ..Config::default() };
        open(&config, dir, true).unwrap()
    }

    #[test]
    fn a_frame_takes_the_place_of_the_earlier_one_of_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let library = library(dir.path());
        let add = |frame| library.add_frame(frame, &AddOptions::default(), &Unwatched).unwrap();
        assert_eq!(add(frame("sales", vec![1, 2])).documents[0].status, Status::Added);
        let again = add(frame("sales", vec![1, 2, 3]));
        assert_eq!((again.documents[0].status, again.documents[0].rows_in), (Status::Updated, 3));
        let ran = library.sql("SELECT sum(sold), count(*) FROM sales").unwrap();
        let cells: Vec<String> = ran.rows[0].iter().map(|c| c.to_string()).collect();
        assert_eq!(cells, ["6", "3"]);
        assert_eq!(library.forget(&["sales".into()]).unwrap().len(), 1);
    }

    #[test]
    fn the_name_of_a_frame_leads_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let library = library(dir.path());
        let wrong = library.add_frame(frame("..", vec![1]), &AddOptions::default(), &Unwatched).unwrap_err();
        assert!(wrong.message().contains("is no name"), "{wrong}");
    }

    #[test]
    fn bytes_are_read_by_their_name_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        let library = library(dir.path());
        let options = AddOptions::default();
        library.add_bytes("sales.csv", b"city,sold\nOslo,5\nParis,7\n", &options, &Unwatched).unwrap();
        assert_eq!(library.sql("SELECT sum(sold) FROM sales").unwrap().rows[0][0].to_string(), "12");
        assert!(dir.path().join("uploads/sales.csv").is_file());
        let same = library.add_bytes("sales.csv", b"city,sold\nOslo,5\nParis,7\n", &options, &Unwatched);
        assert_eq!(same.unwrap().documents[0].status, Status::Unchanged);
        assert_eq!(library.forget_with_uploads(&["sales.csv".into()]).unwrap().len(), 1);
        assert!(!dir.path().join("uploads/sales.csv").exists());
    }
}
