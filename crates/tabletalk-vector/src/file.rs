//! Files that only grow, and files that are replaced whole.

use crate::map::Map;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Fault, Result};

/// The cure of an error that says an index must be made again.
const REBUILD: &str = "delete this index and build it again";

/// How often opening is tried again when a commit replaces files while they are being opened.
const TRIES: usize = 16;

/// An index that cannot be used and must be built again from what it was made of.
pub(crate) fn broken(path: &Path, why: impl std::fmt::Display) -> Error {
    Error::input(why.to_string()).at(path.display()).hint(REBUILD)
}

/// Whether `error` says that an index is damaged, or was made for other settings: it must be deleted and built again.
pub fn must_rebuild(error: &Error) -> bool {
    error.cure() == Some(REBUILD)
}

/// A file that only grows. What stands beyond the length it was opened with is the rest of a change never committed.
#[derive(Debug)]
pub(crate) struct Growing {
    path: PathBuf,
    len: u64,
    writer: Option<File>,
    map: Map,
}

impl Growing {
    /// The file at `path`, of which the first `len` bytes count.
    pub(crate) fn open(path: PathBuf, len: u64) -> Result<Growing> {
        let map = match len {
            0 => Map::default(),
            _ => Map::new(&existing(&path)?, len).map_err(|e| broken(&path, e.message()))?,
        };
        Ok(Growing { path, len, writer: None, map })
    }

    /// An empty file. What a change that was never committed left at `path` would be appended to.
    pub(crate) fn begin(path: PathBuf) -> Result<Growing> {
        let _ = fs::remove_file(&path);
        Growing::open(path, 0)
    }

    /// The bytes that count.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.map.bytes()
    }

    /// Appends the bytes that `write` writes, and sees them.
    pub(crate) fn append(&mut self, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        let mut buffer = BufWriter::with_capacity(1 << 18, self.writer()?);
        write(&mut buffer)?;
        let file = buffer.into_inner().map_err(|e| Error::io(e.to_string()))?;
        let len = file.metadata()?.len();
        self.map = Map::new(file, len)?;
        self.len = len;
        Ok(())
    }

    /// Forgets what was appended beyond `len` bytes and was never committed.
    pub(crate) fn cut(&mut self, len: u64) -> Result<()> {
        if len < self.len {
            self.map = Map::new(&File::open(&self.path)?, len)?;
            self.len = len;
        }
        Ok(())
    }

    /// Puts all of it on the disk.
    pub(crate) fn sync(&self) -> Result<()> {
        if let Some(file) = &self.writer {
            file.sync_data()?;
        }
        Ok(())
    }

    /// The file, open for appending, without the rest of a change never committed.
    fn writer(&mut self) -> Result<&mut File> {
        let file = match self.writer.take() {
            Some(file) => file,
            None => OpenOptions::new().create(true).read(true).append(true).open(&self.path)?,
        };
        if file.metadata()?.len() > self.len {
            file.set_len(self.len)?;
        }
        Ok(self.writer.insert(file))
    }
}

/// Opens a file that should be there.
fn existing(path: &Path) -> Result<File> {
    File::open(path).map_err(|e| Error::from(e).at(path.display()))
}

/// Writes a file whole and puts it on the disk. Its name must not be in use.
pub(crate) fn write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut buffer = BufWriter::with_capacity(1 << 18, File::create(path)?);
    write(&mut buffer)?;
    let file = buffer.into_inner().map_err(|e| Error::io(e.to_string()).at(path.display()))?;
    Ok(file.sync_all()?)
}

/// Replaces the file at `path` so that it is seen as it was or as it is now, and never in between.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let new = path.with_extension("new");
    write_whole(&new, |w| Ok(w.write_all(bytes)?))?;
    fs::rename(&new, path)?;
    if let Some(dir) = path.parent() {
        sync_dir(dir)?;
    }
    Ok(())
}

/// Reads a small file of JSON, if it is there.
pub(crate) fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let bytes = match fs::read(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|e| Error::from(e).at(path.display()))?,
    };
    serde_json::from_slice(&bytes).map_err(|e| broken(path, format!("is damaged: {e}")))
}

/// Opens the files that `meta` speaks of, again and again while commits replace them under our hands.
pub(crate) fn settled<M: PartialEq + Clone, T>(
    dir: &Path,
    meta: impl Fn() -> Result<M>,
    open: impl Fn(M) -> Result<T>,
) -> Result<T> {
    let mut seen = None;
    for _ in 0..TRIES {
        let meta = meta()?;
        match open(meta.clone()) {
            // A file is missing for good when nothing was committed meanwhile.
            Err(e) if e.fault() == Fault::Missing && seen.as_ref() == Some(&meta) => {
                return Err(broken(dir, e.message()));
            }
            Err(e) if e.fault() == Fault::Missing => seen = Some(meta),
            other => return other,
        }
    }
    Err(Error::io("is changed faster than it can be opened").at(dir.display()))
}

/// Puts the names in a directory on the disk. Windows does so by itself and has no call for it.
fn sync_dir(dir: &Path) -> Result<()> {
    if cfg!(unix) {
        File::open(dir)?.sync_all()?;
    }
    Ok(())
}

/// Deletes the files of `dir` that begin with one of `prefixes` and are not in `keep`. What cannot be deleted stays:
/// it is in no one's way, and the next change tries again.
pub(crate) fn sweep(dir: &Path, prefixes: &[&str], keep: &[String]) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if prefixes.iter().any(|p| name.starts_with(p)) && !keep.contains(&name) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
