//! Uploads: streamed to a file beside the library, and only then taken.

use crate::problem::Problem;
use axum::body::Bytes;
use futures::{Stream, StreamExt};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tabletalk_library::{Error, Result, backup};
use tokio::io::AsyncWriteExt;

/// Where the fields of uploads are kept, beside the library.
const FIELDS: &str = "upload_fields.json";

/// A file on its way in; what is dropped before it is taken is deleted.
pub(crate) struct Incoming {
    path: PathBuf,
    dir: PathBuf,
}

impl Drop for Incoming {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Incoming {
    /// Writes a stream to a new file in the library's folder, `most` bytes at most.
    pub(crate) async fn receive<E: std::fmt::Display>(
        library: &Path,
        mut stream: impl Stream<Item = std::result::Result<Bytes, E>> + Unpin,
        most: u64,
    ) -> std::result::Result<Incoming, Problem> {
        let dir = library.join(backup::UPLOADS);
        let path = dir.join(format!(".{}", uuid::Uuid::now_v7().simple()));
        let incoming = Incoming { path: path.clone(), dir };
        let failed = |e: std::io::Error| Problem::from(Error::from(e));
        let mut file = tokio::fs::File::create(&path).await.map_err(failed)?;
        let mut size = 0;
        while let Some(piece) = stream.next().await {
            let piece = piece.map_err(|e| Error::input(format!("the upload broke off: {e}")))?;
            size += piece.len() as u64;
            if size > most {
                return Err(Problem::too_large(format!("the file is larger than {most} bytes"))
                    .hint("raise `max_upload_bytes` in [server]"));
            }
            file.write_all(&piece).await.map_err(failed)?;
        }
        file.flush().await.map_err(failed)?;
        file.sync_all().await.map_err(failed)?;
        Ok(incoming)
    }

    /// Gives the file its name, in the place of an earlier one of that name.
    fn take(self, name: &str) -> Result<PathBuf> {
        let to = self.dir.join(name);
        std::fs::rename(&self.path, &to)?;
        // The name is on disk too before the caller hears that the file was taken.
        std::fs::File::open(&self.dir)?.sync_all()?;
        Ok(to)
    }

    /// The file itself, to be looked at before it is taken.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Who uploaded which file, kept beside the library: a file is replaced by whoever sent it, by others only when they say so.
pub(crate) struct Owners {
    library: PathBuf,
    /// Held while files get their names.
    taking: Mutex<()>,
}

/// Files that came in, with their names.
pub(crate) type Arrived = Vec<(Incoming, String)>;

impl Owners {
    pub(crate) fn new(library: &Path) -> Owners {
        Owners { library: library.to_owned(), taking: Mutex::default() }
    }

    /// Gives all files their names, or none: a name that stands for a file of somebody else is refused unless `replace`.
    pub(crate) fn take(&self, arrived: Arrived, owner: Option<&str>, replace: bool) -> Result<Vec<String>> {
        let _taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        let mut owners = self.read()?;
        for (incoming, name) in &arrived {
            let there = incoming.dir.join(name);
            let is_ours = owner.is_none() || owners.get(name).map(String::as_str) == owner;
            if !replace && !is_ours && there.exists() && !is_same(&incoming.path, &there)? {
                return Err(Error::input(format!("there is a file `{name}` that somebody else uploaded"))
                    .hint("send yours under another name, or with `replace=true` to put it in its place"));
            }
        }
        let mut names = Vec::new();
        for (incoming, name) in arrived {
            incoming.take(&name)?;
            match owner {
                Some(owner) => owners.insert(name.clone(), owner.to_owned()),
                None => owners.remove(&name),
            };
            names.push(name);
        }
        self.write(&owners)?;
        Ok(names)
    }

    /// Forgets who uploaded what: all files are others now.
    pub(crate) fn clear(&self) -> Result<()> {
        let _taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(&BTreeMap::new())
    }

    /// Keeps the fields of files, as `name=value`; a file that comes again without any keeps those it had.
    pub(crate) fn put_fields(&self, names: &[String], fields: &[String]) -> Result<()> {
        if fields.is_empty() {
            return Ok(());
        }
        let _taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = self.fields()?;
        all.extend(names.iter().map(|name| (name.clone(), fields.to_vec())));
        let file = self.library.join(FIELDS);
        let new = file.with_extension("new");
        std::fs::write(&new, serde_json::to_vec_pretty(&all)?)?;
        Ok(std::fs::rename(new, file)?)
    }

    /// The fields of the files that came with some.
    pub(crate) fn fields(&self) -> Result<BTreeMap<String, Vec<String>>> {
        let file = self.library.join(FIELDS);
        match std::fs::read(&file) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(e) => Err(Error::from(e).at(file.display())),
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| Error::from(e).at(file.display())),
        }
    }

    fn file(&self) -> PathBuf {
        self.library.join("uploaders.json")
    }

    fn read(&self) -> Result<BTreeMap<String, String>> {
        match std::fs::read(self.file()) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(e) => Err(Error::from(e).at(self.file().display())),
            // What cannot be read names nobody: then every file is somebody else's.
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
        }
    }

    fn write(&self, owners: &BTreeMap<String, String>) -> Result<()> {
        let new = self.file().with_extension("new");
        std::fs::write(&new, serde_json::to_vec_pretty(owners)?)?;
        Ok(std::fs::rename(new, self.file())?)
    }
}

/// Whether two files hold the same bytes.
fn is_same(one: &Path, other: &Path) -> Result<bool> {
    let hash = |path: &Path| -> Result<blake3::Hash> {
        let mut hasher = blake3::Hasher::new();
        std::io::copy(&mut std::fs::File::open(path)?, &mut hasher)?;
        Ok(hasher.finalize())
    };
    Ok(std::fs::metadata(one)?.len() == std::fs::metadata(other)?.len() && hash(one)? == hash(other)?)
}

/// The files that were uploaded to a library.
pub(crate) fn files(library: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(library.join(backup::UPLOADS))? {
        let entry = entry?;
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if entry.file_type()?.is_file() && !is_hidden {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Removes what was being uploaded when an earlier process ended.
pub(crate) fn sweep(library: &Path) -> Result<()> {
    for entry in std::fs::read_dir(library.join(backup::UPLOADS))? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with('.') && entry.file_type()?.is_file() {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_upload_that_is_too_large_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("uploads")).unwrap();
        let pieces = || futures::stream::iter((0..4).map(|_| Ok::<_, String>(Bytes::from_static(b"abcd"))));
        assert!(Incoming::receive(dir.path(), pieces(), 15).await.is_err());
        let broken = futures::stream::iter([Ok(Bytes::from_static(b"a")), Err("gone")]);
        assert!(Incoming::receive(dir.path(), broken, 15).await.is_err());
        assert_eq!(std::fs::read_dir(dir.path().join("uploads")).unwrap().count(), 0);
        let taken = Incoming::receive(dir.path(), pieces(), 16).await.unwrap().take("a.txt").unwrap();
        assert_eq!(std::fs::read(taken).unwrap().len(), 16);
        assert_eq!(files(dir.path()).unwrap().len(), 1);
    }

    #[tokio::test]
    async fn nobody_replaces_the_file_of_somebody_else_unawares() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("uploads")).unwrap();
        let owners = Owners::new(dir.path());
        let arrived = async |bytes: &'static str| {
            let pieces = futures::stream::iter([Ok::<_, String>(Bytes::from_static(bytes.as_bytes()))]);
            vec![(Incoming::receive(dir.path(), pieces, 99).await.unwrap(), "a.csv".to_owned())]
        };
        let kept = || std::fs::read_to_string(dir.path().join("uploads/a.csv")).unwrap();
        owners.take(arrived("ann 1").await, Some("ann"), false).unwrap();
        owners.take(arrived("ann 2").await, Some("ann"), false).unwrap();
        let error = owners.take(arrived("bob 1").await, Some("bob"), false).unwrap_err();
        assert!(error.to_string().contains("somebody else"), "{error}");
        assert_eq!(kept(), "ann 2");
        assert_eq!(
            std::fs::read_dir(dir.path().join("uploads")).unwrap().count(),
            1,
            "nothing is left behind"
        );
        owners.take(arrived("ann 2").await, Some("bob"), false).unwrap();
        owners.take(arrived("cy 1").await, Some("cy"), true).unwrap();
        assert_eq!(kept(), "cy 1");
        // After a restart it is still known whose it is; after a restore it is nobody's.
        assert!(Owners::new(dir.path()).take(arrived("bob 2").await, Some("bob"), false).is_err());
        owners.clear().unwrap();
        assert!(owners.take(arrived("cy 2").await, Some("cy"), false).is_err());
        // Where there are no keys, there is one user.
        owners.take(arrived("me").await, None, false).unwrap();
        assert_eq!(kept(), "me");
    }
}
