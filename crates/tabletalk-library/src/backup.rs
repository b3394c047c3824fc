//! A whole library in one file, taken while it is in use, and put back.
//!
//! The catalogue is copied as it is at one moment; files of tables are never changed once they are written.
//! Indexes are left out: they are made again from the catalogue.

use crate::{Error, Library, Result, files};
use std::io::{Read, Write};
use std::path::{Component, Path, PathBuf};
use tabletalk_store::Record;

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

    /// Where a document's file is: where it was added from, or among what was uploaded to this library.
    pub fn source_path(&self, record: &Record) -> Option<PathBuf> {
        let path = PathBuf::from(&record.source);
        if path.is_file() {
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

/// Unpacks a backup into `dir`, which must not hold a library. Nothing is written outside it.
pub fn restore(from: impl Read, dir: &Path) -> Result<()> {
    if dir.join(CATALOG).exists() {
        return Err(Error::input(format!("there is a library at {}", dir.display()))
            .hint("name a folder without one, or take that one away"));
    }
    let parent = dir.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)?;
    let fresh = tempfile::Builder::new().prefix(".restore").tempdir_in(parent)?;
    unpack(from, fresh.path()).map_err(|e| e.at("the backup"))?;
    if dir.exists() {
        std::fs::remove_dir(dir).map_err(|e| Error::from(e).at(dir.display()))?;
    }
    std::fs::rename(fresh.keep(), dir)?;
    Ok(())
}

/// Unpacks a backup into an empty folder.
pub fn unpack(from: impl Read, dir: &Path) -> Result<()> {
    let bad = |e: std::io::Error| Error::input(format!("it cannot be read: {e}"));
    for folder in ["tables", "index", UPLOADS] {
        std::fs::create_dir_all(dir.join(folder))?;
    }
    let mut archive = tar::Archive::new(zstd::Decoder::new(from).map_err(bad)?);
    for entry in archive.entries().map_err(bad)? {
        let mut entry = entry.map_err(bad)?;
        let name = entry.path().map_err(bad)?.into_owned();
        if !is_ours(&name) || !entry.header().entry_type().is_file() {
            return Err(Error::input(format!("`{}` is not part of a library", name.display())));
        }
        let target = dir.join(&name);
        std::fs::create_dir_all(target.parent().unwrap_or(dir))?;
        std::io::copy(&mut entry, &mut std::fs::File::create(target)?).map_err(bad)?;
    }
    match dir.join(CATALOG).exists() {
        true => Ok(()),
        false => {
            Err(Error::input("there is no catalogue in it").hint("`tabletalk backup FILE` makes backups"))
        }
    }
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

    #[test]
    fn nothing_is_written_outside_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["../evil", "/tmp/evil", "tables/../../evil", "keys.json", "tables/a/b"] {
            let message = unpack(packed(name).as_slice(), dir.path()).unwrap_err().to_string();
            assert!(message.contains("not part of a library"), "{name}: {message}");
        }
        assert!(unpack(packed("tables/1.parquet").as_slice(), dir.path()).is_err(), "no catalogue");
        assert!(unpack(&b"rubbish"[..], dir.path()).is_err());
    }
}
