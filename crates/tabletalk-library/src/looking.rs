//! What is in a library: documents, tables and nodes, for those who show them.

use crate::{Library, Node, Result, recall};
use std::path::{Path, PathBuf};
use tabletalk_store::analyze::Analyzer;
use tabletalk_store::{Guard, Record, StoredTable};

/// Entries of the catalogue that are read at once.
const PAGE: usize = 500;

/// How much there is in a library.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Documents.
    pub documents: u64,
    /// Tables in them.
    pub tables: u64,
    /// Rows of the tables.
    pub rows: u64,
    /// Columns of the tables.
    pub columns: u64,
}

impl Library {
    /// Its folder.
    pub fn dir(&self) -> &Path {
        self.store.dir()
    }

    /// Whether others add to it and read it too, by a store that all of them use.
    pub fn is_shared(&self) -> bool {
        self.store.shared().segment.is_some()
    }

    /// Keeps other processes from writing for as long as the guard lives.
    pub fn lock(&self) -> Result<Guard> {
        self.store.lock()
    }

    /// The number of its latest change.
    pub fn generation(&self) -> Result<i64> {
        self.store.catalog()?.generation()
    }

    /// How much there is in it.
    pub fn counts(&self) -> Result<Counts> {
        let [documents, tables, rows, columns] = self.store.catalog()?.counts()?;
        Ok(Counts { documents, tables, rows, columns })
    }

    /// Documents in the order of their keys, those behind a key.
    pub fn documents(&self, after: i64, most: usize) -> Result<Vec<Record>> {
        self.store.catalog()?.records(after, most)
    }

    /// Every document, read page by page.
    pub fn every_document(&self) -> impl Iterator<Item = Result<Record>> {
        every(|after| self.documents(after, PAGE), |record| record.key)
    }

    /// The document of an id or name.
    pub fn document(&self, id: &str) -> Result<Option<Record>> {
        self.store.catalog()?.record(id)
    }

    /// The document of a key.
    pub fn document_by_key(&self, key: i64) -> Result<Option<Record>> {
        self.store.catalog()?.record_by_key(key)
    }

    /// The documents that a file holds.
    pub fn documents_of(&self, file: &Path) -> Result<Vec<Record>> {
        self.store.catalog()?.records_of(&file.to_string_lossy())
    }

    /// The files that documents were read from.
    pub fn sources(&self) -> Result<Vec<PathBuf>> {
        Ok(self.store.catalog()?.sources()?.into_iter().map(PathBuf::from).collect())
    }

    /// Tables in the order of their keys, those behind a key.
    pub fn tables(&self, after: i64, most: usize) -> Result<Vec<StoredTable>> {
        self.store.catalog()?.tables(after, most)
    }

    /// Every table, read page by page.
    pub fn every_table(&self) -> impl Iterator<Item = Result<StoredTable>> {
        every(|after| self.tables(after, PAGE), |table| table.key)
    }

    /// The node of an id, made where it is not kept.
    pub fn node(&self, id: &str) -> Result<Option<Node>> {
        recall::node_by_id(&self.store, id)
    }

    /// The nodes of a group that a document has.
    pub fn nodes_of(&self, document: i64, group: &str) -> Result<Vec<Node>> {
        let nodes = self.store.catalog()?.nodes_of(document, Some(group))?;
        Ok(nodes.into_iter().map(|(_, node)| node).collect())
    }

    /// Whether any document has nodes of a group.
    pub fn has_group(&self, group: &str) -> Result<bool> {
        Ok(!self.store.catalog()?.documents_with(group)?.is_empty())
    }

    /// Whether any text was ever embedded.
    pub fn has_vectors(&self) -> Result<bool> {
        Ok(!self.store.catalog()?.spaces()?.is_empty())
    }

    /// What cuts texts into words.
    pub fn analyzer(&self) -> &Analyzer {
        self.store.keyword().analyzer()
    }
}

/// Everything that `page` gives, each page what is behind the last key of the one before it.
fn every<T>(page: impl Fn(i64) -> Result<Vec<T>>, key: fn(&T) -> i64) -> impl Iterator<Item = Result<T>> {
    let mut after = Some(0);
    let pages = std::iter::from_fn(move || match page(after?) {
        Ok(all) => {
            after = all.last().map(key);
            Some(all.into_iter().map(Ok).collect::<Vec<_>>())
        }
        Err(error) => {
            after = None;
            Some(vec![Err(error)])
        }
    });
    pages.flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_one_behind_the_other_until_one_is_empty() {
        let all = [1, 2, 5, 7, 8];
        let page = |after: i64| Ok(all.iter().copied().filter(|key| *key > after).take(2).collect());
        let found: Result<Vec<i64>> = every(page, |key| *key).collect();
        assert_eq!(found.unwrap(), all);
        let fails = |_: i64| Err::<Vec<i64>, _>(crate::Error::bug("gone"));
        assert_eq!(every(fails, |key| *key).count(), 1);
    }
}
