//! Files of large tables: beside the catalogue, in a folder that all workers see, or in a store from which each worker brings
//! those that it reads. A file never changes under its name.

use crate::footer::Footers;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tabletalk_core::seam::TableStore;
use tabletalk_core::{Error, Result};

/// Where all workers keep the files of large tables.
#[derive(Clone)]
pub enum Tables {
    /// In a folder that all see.
    Folder(PathBuf),
    /// In a store.
    Store(Arc<dyn TableStore>),
}

/// The files of large tables of a library.
#[derive(Clone)]
pub struct Files {
    dir: PathBuf,
    shared: Option<Tables>,
    footers: Arc<Footers>,
}

/// A file that no table speaks of may be one that another worker is about to publish; it is so for no longer than this.
const ABOUT_TO_BE: Duration = Duration::from_secs(24 * 60 * 60);

impl Files {
    /// The files of the library in `library`.
    pub(crate) fn new(library: &Path, shared: Option<Tables>) -> Result<Self> {
        let dir = match &shared {
            Some(Tables::Folder(folder)) => folder.clone(),
            _ => library.join("tables"),
        };
        let made = std::fs::create_dir_all(&dir).map_err(|e| Error::from(e).at(dir.display()));
        // A library that may only be read has no files where it has no folder for them.
        if shared.is_some() {
            made?;
        }
        Ok(Files { dir, shared, footers: Arc::default() })
    }

    /// The files beside a catalogue.
    pub(crate) fn beside(library: &Path) -> Self {
        Files { dir: library.join("tables"), shared: None, footers: Arc::default() }
    }

    /// Where files are written and read.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The file of this name.
    pub fn file(&self, name: &str) -> TableFile {
        let from = match &self.shared {
            Some(Tables::Store(store)) => Some(store.clone()),
            _ => None,
        };
        TableFile { path: self.place(name), from, footers: self.footers.clone() }
    }

    /// Where a file of this name is. The catalogue may have been written by a stranger, so of what it says only
    /// the last part counts: there is no path that leads out of the folder.
    fn place(&self, name: &str) -> PathBuf {
        let last = Path::new(name).file_name().unwrap_or("nameless".as_ref());
        self.dir.join(last)
    }

    /// Lets every worker have a file that was written here.
    pub fn share(&self, name: &str) -> Result<()> {
        let Some(Tables::Store(store)) = &self.shared else { return Ok(()) };
        let path = self.place(name);
        let there = store.size(name)?;
        match std::fs::metadata(&path) {
            Ok(here) if there == Some(here.len()) => Ok(()),
            Ok(_) => store.put(name, &path),
            Err(_) if there.is_some() => Ok(()),
            Err(e) => Err(Error::from(e).at(path.display())),
        }
    }

    /// Takes a file over from elsewhere, unless it is there already; true when it was not.
    pub fn take(&self, from: &TableFile) -> Result<bool> {
        let Some(name) = from.name() else { return Ok(false) };
        let (place, file) = (self.place(name), from.here()?);
        let size = |path: &Path| path.metadata().map(|m| m.len()).ok();
        let is_new = size(&place).is_none() || size(&place) != size(file);
        if is_new {
            let copy = |draft: &Path| std::fs::copy(file, draft).map(drop);
            settle(&place, |draft| copy(draft).map_err(|e| Error::from(e).at(file.display())))?;
        }
        self.share(name)?;
        Ok(is_new)
    }

    /// Removes a file that nobody here speaks of any more. In a folder of all it stays until all know.
    pub(crate) fn leave(&self, name: &str) {
        if !matches!(self.shared, Some(Tables::Folder(_))) {
            // A file that stays behind is only lost space; `doctor` removes it.
            let _ = std::fs::remove_file(self.place(name));
        }
    }

    /// Removes a file for everybody.
    pub fn remove(&self, name: &str) -> Result<()> {
        let path = self.place(name);
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::from(e).at(path.display()))?,
            _ => {}
        }
        match &self.shared {
            Some(Tables::Store(store)) => store.remove(name),
            _ => Ok(()),
        }
    }

    /// Removes what an earlier process left here when it was killed or the disk was full: files that no table speaks of. The
    /// caller holds the lock, so nobody is about to speak of them.
    pub fn sweep(&self, known: &HashSet<String>) -> Result<()> {
        // In a folder of all, others write too; beside a store, others bring files.
        if self.shared.is_some() {
            return Ok(());
        }
        for name in self.settled()?.iter().filter(|name| !known.contains(*name)) {
            // One that stays behind is only lost space; the next writer tries again.
            let _ = std::fs::remove_file(self.dir.join(name));
        }
        Ok(())
    }

    /// The files that are there and can be nobody's but that of a table: those of other workers count once they are old enough.
    pub fn settled(&self) -> Result<Vec<String>> {
        let is_folder = matches!(self.shared, Some(Tables::Folder(_)));
        let mut names = Vec::new();
        for entry in
            std::fs::read_dir(&self.dir).map_err(|e| Error::from(e).at(self.dir.display()))?.flatten()
        {
            let age = entry.metadata().and_then(|m| m.modified()).ok().and_then(|m| m.elapsed().ok());
            if !is_folder || age.is_some_and(|age| age > ABOUT_TO_BE) {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        if let Some(Tables::Store(store)) = &self.shared {
            let old = store.files()?.into_iter().filter(|file| file.age > ABOUT_TO_BE);
            names.extend(old.map(|file| file.name));
        }
        names.sort();
        names.dedup();
        Ok(names)
    }
}

/// The file of a large table. It may have to be brought from the store of all workers first.
#[derive(Clone)]
pub struct TableFile {
    path: PathBuf,
    from: Option<Arc<dyn TableStore>>,
    footers: Arc<Footers>,
}

impl TableFile {
    /// One that is nowhere else.
    pub fn at(path: PathBuf) -> Self {
        TableFile { path, from: None, footers: Arc::default() }
    }

    /// Its name.
    pub fn name(&self) -> Option<&str> {
        self.path.file_name().and_then(|name| name.to_str())
    }

    pub(crate) fn footers(&self) -> &Footers {
        &self.footers
    }

    /// Where it is, or will be once it is read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file, brought here when it was not.
    pub fn here(&self) -> Result<&Path> {
        let (Some(store), Some(name)) = (&self.from, self.name()) else { return Ok(&self.path) };
        if self.path.is_file() {
            return Ok(&self.path);
        }
        settle(&self.path, |draft| match store.get(name, draft)? {
            true => Ok(()),
            false => Err(Error::missing(format!("{} has no file {name}", store.name()))
                .hint("its document may have changed: try again; else add it again")),
        })?;
        Ok(&self.path)
    }
}

impl std::fmt::Debug for TableFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TableFile").field(&self.path).finish()
    }
}

/// Makes a file that has its name only when all of it is on disk; what did not get so far is removed.
fn settle(path: &Path, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let draft = draft(path);
    let guard = Draft::at(&draft);
    write(&draft)?;
    let named = || {
        std::fs::File::open(&draft)?.sync_all()?;
        std::fs::rename(&draft, path)
    };
    named().map_err(|e| Error::from(e).at(path.display()))?;
    guard.keep();
    sync_dir(path)
}

/// A file that nobody speaks of yet. Unless it is kept, it goes when this does: on an error, a full disk, a panic.
#[derive(Debug)]
pub struct Draft(Option<PathBuf>);

impl Draft {
    /// The file at `path`, which need not be there yet.
    pub fn at(path: &Path) -> Self {
        Draft(Some(path.to_owned()))
    }

    /// Somebody speaks of it now.
    pub fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // It may not have been made; one that stays behind is swept by the next writer.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Puts the name of a file on disk. Windows does so by itself and has no call for it.
pub(crate) fn sync_dir(file: &Path) -> Result<()> {
    match file.parent().filter(|_| cfg!(unix)) {
        Some(dir) => Ok(std::fs::File::open(dir)?.sync_all()?),
        None => Ok(()),
    }
}

/// A name beside a file that no other draft has.
fn draft(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    path.with_extension(format!("{}-{next}.part", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_that_breaks_off_leaves_nothing_and_one_that_ends_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("t.parquet");
        let here = || std::fs::read_dir(dir.path()).unwrap().count();
        let broke_off = settle(&file, |draft| {
            std::fs::write(draft, "half")?;
            assert!(!file.exists(), "nobody may find it before all of it is there");
            Err(Error::upstream("the connection broke off"))
        });
        assert_eq!((broke_off.is_err(), here()), (true, 0));
        settle(&file, |draft| Ok(std::fs::write(draft, "whole")?)).unwrap();
        assert_eq!((std::fs::read_to_string(&file).unwrap().as_str(), here()), ("whole", 1));
    }
}
