//! A library under its name, with the tasks that work on it.

use crate::task::Tasks;
use crate::upload::Owners;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use tabletalk_library::backup::Most;
use tabletalk_library::{Config, Library, Result, Unwatched, backup, open};

/// A library that is served.
pub(crate) struct Shelf {
    pub(crate) name: String,
    pub(crate) dir: PathBuf,
    library: RwLock<Arc<Library>>,
    pub(crate) tasks: Tasks,
    /// Who uploaded what.
    pub(crate) owners: Owners,
    /// The last change of the catalogue that the open indexes know of.
    seen: AtomicI64,
    /// Whether a store could not be reached the last time.
    is_behind: AtomicBool,
}

impl Shelf {
    /// Opens the library in `dir`, making it when there is none.
    pub(crate) fn open(name: &str, dir: PathBuf, config: &Config) -> Result<Shelf> {
        let library = open(config, &dir, true).map_err(|e| e.at(format!("library `{name}`")))?;
        for folder in [backup::UPLOADS, "evaluations", "tasks"] {
            std::fs::create_dir_all(dir.join(folder))?;
        }
        let tasks = Tasks::open(name, dir.join("tasks"))?;
        let library = RwLock::new(Arc::new(library));
        let (seen, is_behind) = (AtomicI64::new(0), AtomicBool::new(false));
        let owners = Owners::new(&dir);
        let shelf = Shelf { name: name.to_owned(), dir, library, tasks, owners, seen, is_behind };
        // What cannot be brought up to date is served as it is: whoever would mend it needs the server.
        if let Err(e) = shelf.refresh() {
            tracing::error!(library = name, error = %e, "the library is not up to date; run `doctor` on it");
        }
        shelf.know()?;
        Ok(shelf)
    }

    /// The changes so far are our own, or known.
    pub(crate) fn know(&self) -> Result<()> {
        self.seen.store(self.library().generation()?, Ordering::SeqCst);
        Ok(())
    }

    /// Opens the library again when another process has changed it and is done.
    pub(crate) fn catch_up(&self, config: &Config) -> Result<()> {
        let generation = self.library().generation()?;
        let (_, running) = self.tasks.counts();
        if running > 0 {
            return Ok(());
        }
        if generation == self.seen.load(Ordering::SeqCst) {
            return self.take_over();
        }
        // Whoever writes holds the lock until the indexes are complete.
        match self.library().lock() {
            Ok(guard) => drop(guard),
            Err(_) => return Ok(()),
        }
        self.reopen(config)?;
        self.refresh()?;
        self.know()
    }

    /// Takes over what other workers wrote into a store that all use, and publishes what could not be before.
    fn take_over(&self) -> Result<()> {
        if !self.library().is_shared() {
            return Ok(());
        }
        self.refresh()?;
        self.know()
    }

    /// Brings the library up to date as far as its stores can be reached. That one cannot is said once.
    fn refresh(&self) -> Result<()> {
        let missed = self.library().try_refresh(&Unwatched)?;
        let was_behind = self.is_behind.swap(missed.is_some(), Ordering::SeqCst);
        match missed {
            Some(error) if !was_behind => {
                tracing::warn!(library = self.name, error = %error, "a store cannot be reached");
            }
            None if was_behind => tracing::info!(library = self.name, "the store can be reached again"),
            _ => {}
        }
        Ok(())
    }

    /// The library as it is now.
    pub(crate) fn library(&self) -> Arc<Library> {
        self.library.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Opens the library again: its configuration or what is on disk changed.
    pub(crate) fn reopen(&self, config: &Config) -> Result<()> {
        let fresh = Arc::new(open(config, &self.dir, false)?);
        *self.library.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    /// Puts a backup in the place of the library. What was there is kept beside it until that has worked.
    pub(crate) fn restore(&self, packed: &std::path::Path, config: &Config) -> Result<()> {
        let most = Most { bytes: config.server.max_upload_bytes.saturating_mul(UNPACKED), ..Most::default() };
        let fresh = self.dir.join(".restored");
        let before = self.dir.join(".before");
        for dir in [&fresh, &before] {
            if dir.exists() {
                std::fs::remove_dir_all(dir)?;
            }
            std::fs::create_dir_all(dir)?;
        }
        backup::unpack(std::fs::File::open(packed)?, &fresh, &self.dir, most)?;
        drop(open(config, &fresh, false)?);
        let guard = self.library().lock()?;
        for part in PARTS {
            move_if_there(&self.dir.join(part), &before.join(part))?;
            move_if_there(&fresh.join(part), &self.dir.join(part))?;
        }
        drop(guard);
        self.owners.clear()?;
        self.reopen(config)?;
        self.library().refresh(&Unwatched)?;
        std::fs::remove_dir_all(&before)?;
        std::fs::remove_dir_all(&fresh)?;
        Ok(())
    }
}

/// How many times as large as an upload may be a backup may become: tables are packed three to ten times.
const UNPACKED: u64 = 20;

/// What a library is made of on disk.
const PARTS: [&str; 7] = [
    "library.sqlite",
    "library.sqlite-wal",
    "library.sqlite-shm",
    "tables",
    "index",
    backup::UPLOADS,
    "evaluations",
];

fn move_if_there(from: &std::path::Path, to: &std::path::Path) -> Result<()> {
    match from.exists() {
        true => Ok(std::fs::rename(from, to)?),
        false => Ok(()),
    }
}
