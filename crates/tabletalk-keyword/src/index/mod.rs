//! The keyword index: one inverted index for each node group, all with the same fields.
//!
//! The index is derived: each carries the generation of the catalogue it was made from, and is brought
//! up to date or made again from the catalogue when it is behind or damaged.

pub mod block;
mod coarse;
mod expand;
mod query;
mod read_only;
mod schema;
mod search;
mod segment;
mod write;

pub use block::{Block, Held};
pub(crate) use query::rarity_of;
pub use query::{Clause, Lookup, Scoring, Want};
pub(crate) use schema::whole_term;
pub use schema::{Doc, Field};
pub use search::{Found, Keep};
pub use write::{Terms, Writer};

use crate::analyze::Analyzer;
use crate::error::tantivy;
use ::tantivy::directory::MmapDirectory;
use ::tantivy::{Index, IndexReader, ReloadPolicy, Searcher};
use schema::Fields;
use segment::Segments;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tabletalk_core::{Error, Result};

/// The keyword indexes of a library.
pub struct Keyword {
    dir: PathBuf,
    analyzer: Analyzer,
    is_read_only: bool,
    open: Mutex<HashMap<String, Arc<Group>>>,
}

/// The keyword index of one group, as it was when it was asked for: what is committed later is seen by whoever asks
/// for it later, so that the address of an entry means the same to all that is done with it.
pub struct Group {
    pub(crate) index: Index,
    reader: IndexReader,
    pub(crate) searcher: Searcher,
    pub(crate) fields: Fields,
    segments: OnceLock<Segments>,
    scratch: Arc<Mutex<Vec<search::Scratch>>>,
}

impl Keyword {
    /// The indexes below `dir`, in which nothing may be written if they are read only. Nothing is opened before it is asked
    /// for.
    pub fn new(dir: &Path, analyzer: Analyzer, is_read_only: bool) -> Self {
        Keyword { dir: dir.to_owned(), analyzer, is_read_only, open: Mutex::default() }
    }

    /// What splits texts into words.
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// The names of the groups that have an index.
    pub fn groups(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(&self.dir) else { return Vec::new() };
        let names = entries.flatten().filter(|e| e.path().join("meta.json").exists());
        names.filter_map(|e| e.file_name().into_string().ok()).collect()
    }

    /// The index of a group, when there is one.
    pub fn group(&self, name: &str) -> Result<Option<Arc<Group>>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(group) = open.get(name) {
            return Ok(Some(group.clone()));
        }
        let dir = self.dir.join(name);
        if !dir.join("meta.json").exists() {
            return Ok(None);
        }
        let index = match self.is_read_only {
            true => MmapDirectory::open(&dir)
                .map_err(Into::into)
                .and_then(|d| Index::open(read_only::ReadOnly(d))),
            false => Index::open_in_dir(&dir),
        };
        let index = index.map_err(tantivy)?;
        let group = Arc::new(Group::new(index, &self.analyzer)?);
        open.insert(name.to_owned(), group.clone());
        Ok(Some(group))
    }

    /// The index of a group, made empty when there is none.
    pub fn make(&self, name: &str) -> Result<Arc<Group>> {
        if let Some(group) = self.group(name)? {
            return Ok(group);
        }
        let dir = self.dir.join(name);
        std::fs::create_dir_all(&dir)?;
        schema::create(&dir, name)?;
        self.group(name)?.ok_or_else(|| Error::bug(format!("no index for group `{name}` after making one")))
    }

    /// Lets those who ask from now on see what was committed to the index of a group.
    fn renew(&self, name: &str) -> Result<()> {
        let open = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(group) = open().get(name).cloned() else { return Ok(()) };
        // Segments are opened while others search on.
        let fresh = Arc::new(group.renewed()?);
        open().insert(name.to_owned(), fresh);
        Ok(())
    }

    /// Removes the index of a group.
    pub fn drop_group(&self, name: &str) -> Result<()> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        match std::fs::remove_dir_all(self.dir.join(name)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e.into()),
            _ => Ok(()),
        }
    }

    /// The generation of the catalogue the index of a group was made from; `None` when there is none.
    pub fn generation(&self, name: &str) -> Result<Option<i64>> {
        let Some(group) = self.group(name)? else { return Ok(None) };
        group.generation().map(Some)
    }

    /// Reads every file of an index and compares checksums; what is wrong, or nothing.
    pub fn damage(&self, name: &str) -> Option<String> {
        let group = match self.group(name) {
            Ok(Some(group)) => group,
            Ok(None) => return Some("is missing".into()),
            Err(e) => return Some(e.message().to_owned()),
        };
        match group.index.validate_checksum() {
            Ok(bad) if bad.is_empty() => None,
            Ok(bad) => Some(format!("{} damaged files", bad.len())),
            Err(e) => Some(e.to_string()),
        }
    }
}

impl Group {
    fn new(index: Index, analyzer: &Analyzer) -> Result<Self> {
        schema::register(&index, analyzer);
        let fields = Fields::of(&index.schema())?;
        let reader: IndexReader =
            index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(tantivy)?;
        let searcher = reader.searcher();
        Ok(Group { index, reader, searcher, fields, segments: OnceLock::new(), scratch: Arc::default() })
    }

    fn generation(&self) -> Result<i64> {
        let metas = self.index.load_metas().map_err(tantivy)?;
        Ok(metas.payload.and_then(|p| p.parse().ok()).unwrap_or(0))
    }

    /// The same index with what was committed since.
    fn renewed(&self) -> Result<Self> {
        self.reader.reload().map_err(tantivy)?;
        Ok(Group {
            index: self.index.clone(),
            reader: self.reader.clone(),
            searcher: self.reader.searcher(),
            fields: self.fields.clone(),
            segments: OnceLock::new(),
            scratch: self.scratch.clone(),
        })
    }

    /// Its segments. A damaged one is an error for whoever searches, not for whoever looks for damage.
    pub(crate) fn segments(&self) -> Result<&Segments> {
        if let Some(segments) = self.segments.get() {
            return Ok(segments);
        }
        let segments = Segments::open(&self.searcher, &self.fields)?;
        Ok(self.segments.get_or_init(|| segments))
    }

    /// How many entries it holds.
    pub fn len(&self) -> u64 {
        self.searcher.num_docs()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
