//! The one writer: puts documents into the catalogue, then hands them to the index.

use super::prepare::Prepared;
use super::work::Message;
use super::{Added, Status};
use crate::group::Groups;
use crate::index::{self, own_indexes};
use crate::watch::Watch;
use tabletalk_core::Result;
use tabletalk_store::keyword::Writer;
use tabletalk_store::{Draft, Keys, Library, SourceFile};

/// Documents put in one change.
const TOGETHER: usize = 2048;
/// Distinct values that may wait to be put; more take too much memory.
const HEAVY: u64 = 500_000;

/// Documents that are in the catalogue and not yet in the index, and keys of documents that are gone.
#[derive(Default)]
pub(super) struct Stored {
    documents: Vec<(Prepared, Keys)>,
    gone: Vec<i64>,
}

/// Takes what is in the catalogue; false when it takes no more.
type Next<'a> = Box<dyn FnMut(Stored) -> bool + 'a>;

pub(super) struct Put<'a> {
    library: &'a Library,
    next: Next<'a>,
    waiting: Vec<Prepared>,
    ends: Vec<(String, SourceFile, Option<Vec<String>>)>,
    done: Vec<Added>,
}

impl<'a> Put<'a> {
    /// What was put is handed to `next`, which may run beside it.
    pub(super) fn new(library: &'a Library, next: impl FnMut(Stored) -> bool + 'a) -> Self {
        Put { library, next: Box::new(next), waiting: Vec::new(), ends: Vec::new(), done: Vec::new() }
    }

    /// Takes a message; false when nothing more can be indexed.
    pub(super) fn take(&mut self, message: Message) -> Result<bool> {
        match message {
            Message::Put(prepared) => {
                self.waiting.extend(prepared);
                let weight: u64 = self.waiting.iter().map(Prepared::weight).sum();
                if weight > HEAVY || self.waiting.len() >= TOGETHER {
                    return self.flush();
                }
            }
            Message::Same(same) => self.done.extend(same),
            Message::Failed(failed) => self.done.push(failed),
            Message::End { path, source, seen } => self.ends.push((path, source, seen)),
        }
        Ok(true)
    }

    /// Puts what is waiting in one change, then hands it on.
    fn flush(&mut self) -> Result<bool> {
        let (mut waiting, ends) = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.ends));
        if waiting.is_empty() && ends.is_empty() {
            return Ok(true);
        }
        let mut catalog = self.library.catalog()?;
        let mut change = catalog.change()?;
        let mut keys = Vec::with_capacity(waiting.len());
        for prepared in &waiting {
            keys.push(change.put(&prepared.entry)?);
        }
        let mut gone = Vec::new();
        for (path, source, seen) in ends {
            if let Some(seen) = seen {
                for id in change.unseen(&path, &seen.into_iter().collect())? {
                    gone.extend(change.forget(&id)?);
                }
            }
            change.put_source(&path, &source)?;
        }
        change.commit()?;
        drop(catalog);
        waiting.iter_mut().flat_map(|p| p.drafts.drain(..)).for_each(Draft::keep);
        for (prepared, keys) in waiting.iter().zip(&keys) {
            self.done.push(prepared.added(if keys.replaced { Status::Updated } else { Status::Added }));
        }
        Ok((self.next)(Stored { documents: waiting.into_iter().zip(keys).collect(), gone }))
    }

    /// Puts the rest. What became of every document is returned.
    pub(super) fn finish(mut self) -> Result<Vec<Added>> {
        self.flush()?;
        Ok(self.done)
    }
}

/// Puts what is in the catalogue into the index.
pub(super) struct Indexing<'a> {
    library: &'a Library,
    groups: &'a Groups,
    writer: Writer<'a>,
    is_own: bool,
}

impl<'a> Indexing<'a> {
    pub(super) fn new(library: &'a Library, groups: &'a Groups) -> Result<Self> {
        let mut writer = library.keyword().writer();
        for group in own_indexes(library, groups) {
            writer.touch(&group.name)?;
        }
        // What others see too is published when it is whole.
        let is_own = library.shared().segment.is_none();
        Ok(Indexing { library, groups, writer, is_own })
    }

    pub(super) fn take(&mut self, stored: Stored) -> Result<()> {
        if !self.is_own {
            return Ok(());
        }
        for (prepared, keys) in stored.documents {
            self.index(prepared, &keys)?;
        }
        stored.gone.into_iter().try_for_each(|key| self.remove(key))
    }

    fn index(&mut self, prepared: Prepared, keys: &Keys) -> Result<()> {
        if keys.replaced {
            self.remove(keys.document)?;
        }
        let Prepared { entry, values, .. } = prepared;
        let document = index::Indexable {
            keys,
            title: &entry.title,
            name: &entry.name,
            tables: entry.tables.iter().map(|t| &t.0).collect(),
            nodes: entry.nodes.iter().collect(),
        };
        index::add(&mut self.writer, self.groups, &|_| true, &document, values)
    }

    fn remove(&mut self, document: i64) -> Result<()> {
        for group in own_indexes(self.library, self.groups) {
            self.writer.remove(&group.name, document)?;
        }
        Ok(())
    }

    /// Forgets documents and the files they came from.
    pub(super) fn forget(&mut self, ids: &[String]) -> Result<usize> {
        if ids.is_empty() {
            return Ok(0);
        }
        let mut keys = Vec::new();
        let mut catalog = self.library.catalog()?;
        let mut change = catalog.change()?;
        for id in ids {
            change.forget_source_of(id)?;
            keys.extend(change.forget(id)?);
        }
        change.commit()?;
        drop(catalog);
        for &key in &keys {
            self.remove(key)?;
        }
        Ok(keys.len())
    }

    pub(super) fn finish(mut self, watch: &dyn Watch) -> Result<()> {
        watch.note("writing the index");
        let generation = self.library.catalog()?.generation()?;
        self.writer.commit(generation)?;
        self.writer.finish()
    }
}

impl Prepared {
    pub(super) fn added(&self, status: Status) -> Added {
        let (entry, report) = (&self.entry, &self.entry.report);
        Added {
            id: entry.id.clone(),
            name: entry.name.clone(),
            status,
            tables: entry.tables.len() as u64,
            rows_in: report.rows_in,
            rows_indexed: report.rows_indexed,
            rows_rejected: report.rows_rejected.clone(),
            warnings: report.warnings.clone(),
            error: None,
            fault: None,
        }
    }

    fn weight(&self) -> u64 {
        self.values.iter().flatten().map(|v| v.distinct).sum()
    }
}
