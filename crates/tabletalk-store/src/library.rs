//! A library on disk.

use crate::analyze::Analyzer;
use crate::cache::Cache;
use crate::catalog::Catalog;
use crate::catalog::vectors::Space;
use crate::files::Files;
use crate::keyword::Keyword;
use crate::shared::{Keyring, Shared};
use crate::vectors::Vectors;
use crate::words::Words;
use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tabletalk_core::seam::database::{Database, Databases};
use tabletalk_core::{Error, Result};

/// One directory that holds everything ingested.
pub struct Library {
    dir: PathBuf,
    keyword: Keyword,
    vectors: Vectors,
    idle: Mutex<Vec<Catalog>>,
    shared: Shared,
    files: Files,
    keyring: Option<Arc<Keyring>>,
    cache: Cache,
    is_read_only: bool,
    databases: Option<Arc<dyn Databases>>,
}

impl Library {
    /// Opens the library in `dir`.
    pub fn open(dir: &Path, analyzer: Analyzer) -> Result<Self> {
        if !dir.join("library.sqlite").exists() {
            return Err(Error::missing(format!("there is no library at {}", dir.display()))
                .hint("make one with `tabletalk add PATH`"));
        }
        Self::with_catalog(dir, analyzer, Catalog::open(dir, false)?)
    }

    /// Opens the library in `dir`, making it when there is none.
    pub fn create(dir: &Path, analyzer: Analyzer) -> Result<Self> {
        let make = |d: &Path| std::fs::create_dir_all(d).map_err(|e| Error::from(e).at(d.display()));
        make(dir)?;
        make(&dir.join("tables"))?;
        make(&dir.join("index"))?;
        Self::with_catalog(dir, analyzer, Catalog::open(dir, true)?)
    }

    fn with_catalog(dir: &Path, analyzer: Analyzer, catalog: Catalog) -> Result<Self> {
        let is_read_only = catalog.is_read_only();
        let keyword = Keyword::new(&dir.join("index").join("keyword"), analyzer, is_read_only);
        let vectors = Vectors::new(dir.join("index"));
        let files = Files::beside(dir);
        let idle = Mutex::new(vec![catalog.shared(files.clone(), None)]);
        let shared = Shared::default();
        Ok(Library {
            dir: dir.to_owned(),
            keyword,
            vectors,
            idle,
            shared,
            files,
            keyring: None,
            cache: Cache::default(),
            is_read_only,
            databases: None,
        })
    }

    /// Whether nothing may be written here: it can be searched and asked, and nothing else.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// The same library, with what it keeps in stores that others use too.
    pub fn with_shared(self, shared: Shared) -> Result<Self> {
        let files = Files::new(&self.dir, shared.tables.clone())?;
        let keyring = shared.segment.clone().map(|store| Arc::new(Keyring::new(store)));
        Ok(Library { shared, files, keyring, idle: Mutex::default(), ..self })
    }

    /// The same library, with what opens the databases that rows of its tables live in.
    pub fn with_databases(self, databases: Arc<dyn Databases>) -> Self {
        Library { databases: Some(databases), ..self }
    }

    /// The database at an address.
    pub fn database(&self, address: &str) -> Result<Arc<dyn Database>> {
        let databases = self.databases.as_ref().ok_or_else(|| Error::bug("nothing here opens databases"))?;
        databases.open(address)
    }

    /// The stores that others use too.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The files of large tables.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The keyword indexes.
    pub fn keyword(&self) -> &Keyword {
        &self.keyword
    }

    /// The words of a group; `None` when it has no index yet.
    pub fn words(&self, group: &str) -> Result<Option<Words>> {
        match &self.shared.segment {
            Some(store) => Ok(Some(Words::Shared(store.clone(), group.to_owned()))),
            None => Ok(self.keyword.group(group)?.map(Words::Own)),
        }
    }

    /// The vectors with these keys, from the catalogue or from the store that keeps them; one that is gone is left out.
    pub fn vectors_of(&self, space: &Space, keys: &[u64]) -> Result<Vec<(u64, Vec<f32>)>> {
        let mut found = self.catalog()?.vectors(keys)?;
        if let Some(store) = self.shared.vector.as_ref().filter(|_| found.len() < keys.len()) {
            let known: HashSet<u64> = found.iter().map(|f| f.0).collect();
            let missing: Vec<u64> = keys.iter().copied().filter(|key| !known.contains(key)).collect();
            found.extend(store.vectors(space, &missing)?);
        }
        Ok(found)
    }

    /// The dense, late and sparse indexes.
    pub fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// Nodes of tables that were made lately.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// A connection to the catalogue, given back when it is dropped.
    pub fn catalog(&self) -> Result<Loan<'_>> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let catalog = match idle {
            Some(catalog) => catalog,
            None if self.is_read_only => Catalog::open_read_only(&self.dir)?.shared(self.files.clone(), None),
            None => Catalog::open(&self.dir, false)?.shared(self.files.clone(), self.keyring.clone()),
        };
        Ok(Loan { library: self, catalog: Some(catalog) })
    }

    /// Takes the right to write; it is given back when the guard is dropped, or the process ends.
    pub fn lock(&self) -> Result<Guard> {
        if self.is_read_only {
            return Err(Error::io(format!("the library at {} may only be read", self.dir.display()))
                .hint("copy it to where it may be written, or ask whom it belongs to"));
        }
        let path = self.dir.join("lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Guard { file }),
            Err(TryLockError::WouldBlock) => Err(Error::limit("another process is writing to this library")
                .hint("wait for it to finish and try again")),
            Err(TryLockError::Error(e)) => Err(Error::from(e).at(path.display())),
        }
    }
}

/// The right to write to a library.
#[derive(Debug)]
pub struct Guard {
    file: File,
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that is being started at this moment has it open until it begins.
        // What cannot be unlocked is when the process ends.
        let _ = self.file.unlock();
    }
}

/// A connection on loan.
pub struct Loan<'a> {
    library: &'a Library,
    catalog: Option<Catalog>,
}

impl Deref for Loan<'_> {
    type Target = Catalog;
    #[allow(clippy::expect_used, reason = "the catalogue is only taken in drop")]
    fn deref(&self) -> &Catalog {
        self.catalog.as_ref().expect("on loan until dropped")
    }
}

impl DerefMut for Loan<'_> {
    #[allow(clippy::expect_used, reason = "the catalogue is only taken in drop")]
    fn deref_mut(&mut self) -> &mut Catalog {
        self.catalog.as_mut().expect("on loan until dropped")
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        if let Some(catalog) = self.catalog.take() {
            self.library.idle.lock().unwrap_or_else(PoisonError::into_inner).push(catalog);
        }
    }
}
