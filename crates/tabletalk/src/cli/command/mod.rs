//! One file a command.

pub mod add;
pub mod answers;
pub mod ask;
pub mod backup;
pub mod compare;
pub mod conversations;
pub mod doctor;
pub mod eval;
mod everyday;
pub mod hello;
pub mod list;
pub mod manual;
pub mod migrate;
pub mod model;
pub mod own;
mod private;
pub mod raptor;
pub mod relate;
pub mod search;
pub mod serve;
pub mod show;
pub mod sql;

use crate::cli::args::Global;
use crate::cli::output::Output;
use crate::cli::progress::Progress;
use std::path::{Path, PathBuf};
use tabletalk::config::find_above;
use tabletalk::{AddOptions, Config, Error, Library, Result, open};

/// What every command needs.
pub struct Context<'a> {
    pub global: &'a Global,
    pub config: Config,
    pub output: &'a Output,
}

const LIBRARY: &str = ".tabletalk";

impl Context<'_> {
    /// The library that was named, or the nearest one.
    pub fn library(&self) -> Result<Library> {
        let dir = self.global.library.clone().or_else(|| find_above(LIBRARY));
        // What is here of a library that others use too can be made at any time.
        let is_shared = self.config.store.segment.r#type != "embedded";
        let dir = dir.or_else(|| is_shared.then(|| self.library_dir()));
        let dir = dir.ok_or_else(|| {
            Error::missing("there is no library here or above").hint("make one with `tabletalk add PATH`")
        })?;
        open(&self.config, &dir, false)
    }

    /// Another library, in the folder that is named or the `.tabletalk` in it.
    pub fn library_at(&self, dir: &Path) -> Result<Library> {
        let inside = dir.join(LIBRARY);
        let library = open(&self.config, if inside.is_dir() { &inside } else { dir }, false)?;
        self.freshen(&library)?;
        Ok(library)
    }

    /// The folder of the library that was named or the nearest one, which need not be there yet.
    pub fn library_dir(&self) -> PathBuf {
        self.global.library.clone().or_else(|| find_above(LIBRARY)).unwrap_or_else(|| PathBuf::from(LIBRARY))
    }

    /// The library that was named or the nearest one, made here when there is none.
    pub fn library_or_new(&self) -> Result<Library> {
        open(&self.config, &self.library_dir(), true)
    }

    /// The library to ask: one made from the files at `from`, or the nearest one, brought up to date.
    pub fn library_to_ask(&self, from: Option<&Path>) -> Result<Library> {
        let Some(path) = from else {
            let library = self.library()?;
            self.freshen(&library)?;
            return Ok(library);
        };
        let library = self.library_from(path)?;
        let progress = Progress::new(self.output.shows_progress());
        // It is only a copy of these files: what is forgotten comes back with them.
        let options = AddOptions { forget_missing: true, forget_most: true, ..AddOptions::default() };
        let outcome = library.add(&[path.to_owned()], &options, &progress);
        progress.clear();
        let outcome = outcome?;
        if let Some(error) = &outcome.embed_error {
            self.output.note(&add::unfinished(&library, error));
        }
        for document in outcome.documents {
            if let Some(error) = document.error {
                self.output.note(&format!("note: {error}"));
            }
        }
        Ok(library)
    }

    /// The nearest library with what other workers wrote.
    pub fn library_now(&self) -> Result<Library> {
        let library = self.library()?;
        if library.is_shared() {
            self.freshen(&library)?;
        }
        Ok(library)
    }

    /// Brings a library up to date for reading, as far as its stores can be reached.
    fn freshen(&self, library: &Library) -> Result<()> {
        let progress = Progress::new(self.output.shows_progress());
        let missed = library.try_refresh(&progress);
        progress.clear();
        if let Some(error) = missed? {
            self.output.note(&format!("note: this library may be behind: {error}"));
        }
        Ok(())
    }

    /// A library made from files, kept in the user's cache for the next time.
    pub fn library_from(&self, path: &Path) -> Result<Library> {
        let root = tabletalk::files::absolute(path);
        let key = blake3::hash(root.to_string_lossy().as_bytes()).to_hex();
        let dir = private::folder(key.get(..16).unwrap_or(&key))?;
        // What is asked in passing is nobody else's.
        let config = Config { store: Default::default(), ..self.config.clone() };
        open(&config, &dir, true)
    }
}
