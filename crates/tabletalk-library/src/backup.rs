//! A whole library in one file, taken while it is in use, and put back.
//!
//! The catalogue is copied as it is at one moment; files of tables are never changed once they are written.
//! Indexes are left out: they are made again from the catalogue.

use crate::{Error, Library, Result, files};
use std::io::{Read, Write};
use std::path::{Component, Path, PathBuf};
use tabletalk_store::{Catalog, Record};

/// The folder of a library that holds what was uploaded.
pub const UPLOADS: &str = "uploads";
const CATALOG: &str = "library.sqlite";
/// Folders that are taken along besides the catalogue.
const FOLDERS: [&str; 3] = ["tables", UPLOADS, "evaluations"];
const LEVEL: i32 = 3;

impl Library {
    /// Writes the library to `out`, packed.
    pub fn backup(&self, out: impl Write) -> Result<()> {
        let dir = self.store.dir();
        let copy = tempfile::Builder::new().prefix(".backup").tempdir_in(dir)?;
        let snapshot = copy.path().join(CATALOG);
        self.store.catalog()?.copy_to(&snapshot)?;
        let mut archive = tar::Builder::new(zstd::Encoder::new(out, LEVEL)?);
        archive.append_path_with_name(&snapshot, CATALOG)?;
        for folder in FOLDERS {
            for (path, name) in files_below(&dir.join(folder), folder)? {
                // A table that was forgotten meanwhile is in the catalogue's copy only if its file is still there.
                match archive.append_path_with_name(&path, &name) {
                    Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                    done => done?,
                }
            }
        }
        archive.into_inner()?.finish()?.flush()?;
        Ok(())
    }

    /// Where a document's file is: where it was added from, or among what was uploaded to this library. A document
    /// of a backup was added from nowhere: its path is not absolute.
    pub fn source_path(&self, record: &Record) -> Option<PathBuf> {
        let path = PathBuf::from(&record.source);
        if path.is_absolute() && path.is_file() {
            return Some(path);
        }
        let uploaded = self.store.dir().join(UPLOADS).join(path.file_name()?);
        uploaded.is_file().then(|| files::absolute(&uploaded))
    }
}

fn files_below(dir: &Path, name: &str) -> Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    let entries = match std::fs::read_dir(dir) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let file = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_file() && !file.starts_with('.') {
            found.push((entry.path(), format!("{name}/{file}")));
        }
    }
    Ok(found)
}

/// How much a backup may hold once it is unpacked: a small one can become as large as one likes.
#[derive(Debug, Clone, Copy)]
pub struct Most {
    /// The most bytes.
    pub bytes: u64,
    /// The most files.
    pub files: u64,
}

impl Default for Most {
    fn default() -> Self {
        Most { bytes: 1 << 40, files: 10_000_000 }
    }
}

/// Unpacks a backup into `dir`, which must not hold a library. Nothing is written outside it.
pub fn restore(from: impl Read, dir: &Path) -> Result<()> {
    if dir.join(CATALOG).exists() {
        return Err(Error::input(format!("there is a library at {}", dir.display()))
            .hint("name a folder without one, or take that one away"));
    }
    let parent = dir.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)?;
    let fresh = tempfile::Builder::new().prefix(".restore").tempdir_in(parent)?;
    unpack(from, fresh.path(), dir, Most::default()).map_err(|e| e.at("the backup"))?;
    if dir.exists() {
        std::fs::remove_dir(dir).map_err(|e| Error::from(e).at(dir.display()))?;
    }
    std::fs::rename(fresh.keep(), dir)?;
    sync_folder(parent)
}

/// Puts the names in a folder on disk. Windows does so by itself and has no call for it.
fn sync_folder(dir: &Path) -> Result<()> {
    match cfg!(unix) {
        true => Ok(std::fs::File::open(dir)?.sync_all()?),
        false => Ok(()),
    }
}

/// Unpacks a backup into an empty folder, as a library that will be at `home`. Whoever wrote the backup decides what is in
/// the library and nothing else: no path of the catalogue is believed.
pub fn unpack(from: impl Read, dir: &Path, home: &Path, most: Most) -> Result<()> {
    for folder in ["tables", "index", UPLOADS] {
        std::fs::create_dir_all(dir.join(folder))?;
    }
    extract(from, dir, most)?;
    for folder in ["tables", UPLOADS, "."] {
        sync_folder(&dir.join(folder))?;
    }
    if !dir.join(CATALOG).exists() {
        return Err(Error::input("there is no catalogue in it").hint("`tabletalk backup FILE` makes backups"));
    }
    let came = dir.join(UPLOADS);
    let uploads = files::absolute(&home.join(UPLOADS));
    Catalog::adopt(dir, &uploads, &|name| came.join(name).is_file())
}

fn extract(from: impl Read, dir: &Path, most: Most) -> Result<()> {
    let bad = |e: std::io::Error| Error::input(format!("it cannot be read: {e}"));
    let (mut bytes, mut files) = (0u64, 0u64);
    let mut archive = tar::Archive::new(zstd::Decoder::new(from).map_err(bad)?);
    for entry in archive.entries().map_err(bad)? {
        let entry = entry.map_err(bad)?;
        let name = entry.path().map_err(bad)?.into_owned();
        if !is_ours(&name) || !entry.header().entry_type().is_file() {
            return Err(Error::input(format!("`{}` is not part of a library", name.display())));
        }
        let target = dir.join(&name);
        std::fs::create_dir_all(target.parent().unwrap_or(dir))?;
        let left = most.bytes.saturating_sub(bytes);
        // One more than is left, so that more is noticed; what a header says of its size is not believed.
        let mut file = std::fs::File::create(target)?;
        let written = std::io::copy(&mut entry.take(left + 1), &mut file).map_err(bad)?;
        // The catalogue among them speaks of the others, and soon takes the place of one that was sound.
        file.sync_all()?;
        (bytes, files) = (bytes + written, files + 1);
        if bytes > most.bytes || files > most.files {
            return Err(Error::limit(format!(
                "it holds more than {} bytes or {} files",
                most.bytes, most.files
            ))
            .hint("restore it with `tabletalk restore`, on the machine itself"));
        }
    }
    Ok(())
}

/// The catalogue, or a file in one of the folders.
fn is_ours(name: &Path) -> bool {
    let parts: Vec<_> = name.components().collect();
    match parts.as_slice() {
        [Component::Normal(file)] => *file == CATALOG,
        [Component::Normal(folder), Component::Normal(_)] => FOLDERS.iter().any(|f| folder == f),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(name: &str) -> Vec<u8> {
        let mut archive = tar::Builder::new(zstd::Encoder::new(Vec::new(), 1).unwrap());
        let mut header = tar::Header::new_gnu();
        header.set_size(3);
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        archive.append(&header, &b"abc"[..]).unwrap();
        archive.into_inner().unwrap().finish().unwrap()
    }

    fn unpacked(packed: &[u8], dir: &Path) -> Result<()> {
        unpack(packed, dir, dir, Most::default())
    }

    #[test]
    fn what_grows_too_much_is_left() {
        let dir = tempfile::tempdir().unwrap();
        for most in [Most { bytes: 2, files: 9 }, Most { bytes: 9, files: 0 }] {
            let error =
                unpack(packed("tables/1.parquet").as_slice(), dir.path(), dir.path(), most).unwrap_err();
            assert!(error.to_string().contains("holds more than"), "{error}");
        }
    }

    #[test]
    fn nothing_is_written_outside_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["../evil", "/tmp/evil", "tables/../../evil", "keys.json", "tables/a/b"] {
            let message = unpacked(&packed(name), dir.path()).unwrap_err().to_string();
            assert!(message.contains("not part of a library"), "{name}: {message}");
        }
        assert!(unpacked(&packed("tables/1.parquet"), dir.path()).is_err(), "no catalogue");
        assert!(unpacked(b"rubbish", dir.path()).is_err());
    }
}
