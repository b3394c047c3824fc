//! OpenSearch and Elasticsearch: documents and words in both, vectors in OpenSearch with its k-NN plugin.
//!
//! Everything goes over HTTP. Names of indexes begin with the prefix of the settings: `PREFIX-documents` and
//! `PREFIX-state`, `PREFIX-entries-GROUP` for each group, `PREFIX-vectors-EMBED-GROUP` for each space of vectors.
//!
//! Scores of words are those of the contract: the engine counts live entries for how rare a word is, keeps the exact
//! length of every field, and sums and saturates in scripts. It differs in little: a beginning or a misspelt word stands
//! for at most 64 terms in each field, or fewer where a query has many of them; when a query has more than 900 terms
//! those words are left out that count least; a word is taken to have slips in at most half its letters; the power
//! of coverage is at least 0.125 where it is not 0; terms that agree in their first 8,000 bytes are one.

mod bulk;
mod documents;
mod engine;
mod entries;
mod filter;
mod names;
mod search;
mod state;
mod vectors;
mod words;

use engine::Engine;
use serde_json::json;
use tabletalk_core::Result;
use tabletalk_core::seam::remote::Settings;
use tabletalk_core::seam::store::{
    ChangeLog, Coordinator, Entry, EntryHit, EntryQuery, EntryReader, EntryWriter, Segment, SegmentStore,
    Term, Weighing,
};
pub use vectors::OpenSearchVectors;

/// Documents and words in OpenSearch, or in Elasticsearch when the type in the settings is `elasticsearch`.
pub struct OpenSearch {
    engine: Engine,
}

impl OpenSearch {
    /// For the server that the settings name. Nothing is sent yet.
    pub fn new(settings: &Settings) -> Result<Self> {
        Ok(OpenSearch { engine: Engine::new(settings)? })
    }
}

impl SegmentStore for OpenSearch {
    fn name(&self) -> String {
        self.engine.http.name()
    }

    fn prepare(&self, groups: &[(String, Weighing)]) -> Result<()> {
        let engine = &self.engine;
        let mut names = engine.own_indexes();
        names.push(engine.groups());
        let there = engine.notes(&names.join(","))?;
        if !engine.own_indexes().iter().all(|index| there.contains_key(index)) {
            engine.make_documents()?;
            engine.make_state()?;
        }
        for (group, _) in groups {
            if !there.contains_key(&engine.group(group)?) {
                engine.make_group(group)?;
            }
        }
        Ok(())
    }

    fn clear(&self) -> Result<()> {
        let mut indexes = self.engine.group_indexes()?;
        indexes.extend(self.engine.own_indexes());
        self.engine.drop_indexes(&indexes)
    }
}

impl EntryWriter for OpenSearch {
    fn put_entries(&self, group: &str, entries: &[Entry]) -> Result<()> {
        self.engine.put_all(group, entries)
    }

    fn settle(&self) -> Result<()> {
        self.engine.refresh(&self.engine.groups())
    }

    fn remove_entries(&self, before: &[(i64, i64)]) -> Result<()> {
        self.engine.remove_before(before)
    }

    fn drop_group(&self, group: &str) -> Result<()> {
        self.engine.drop_indexes(&[self.engine.group(group)?])
    }
}

impl EntryReader for OpenSearch {
    fn count(&self, group: &str) -> Result<u64> {
        self.engine.count(&self.engine.group(group)?, &json!({"match_all": {}}))
    }

    fn frequencies(&self, group: &str, terms: &[Term]) -> Result<Vec<u64>> {
        self.engine.word_frequencies(&self.engine.group(group)?, terms)
    }

    fn search(&self, group: &str, ask: &EntryQuery<'_>) -> Result<Vec<EntryHit>> {
        self.engine.find(&self.engine.group(group)?, ask)
    }

    fn entry_counts(&self, group: &str, after: i64, limit: usize) -> Result<Vec<(i64, u64)>> {
        self.engine.counts_after(group, after, limit)
    }
}

impl ChangeLog for OpenSearch {
    fn commit(&self, segments: &[Segment]) -> Result<i64> {
        self.engine.commit_all(segments)
    }

    fn last_change(&self) -> Result<i64> {
        self.engine.turn().map(|turn| turn.last)
    }

    fn changes(&self, after: i64, limit: usize) -> Result<Vec<Segment>> {
        self.engine.changes_after(after, limit)
    }

    fn segments(&self, ids: &[String]) -> Result<Vec<Segment>> {
        self.engine.with_ids(ids)
    }

    fn documents(&self) -> Result<u64> {
        self.engine.documents_there()
    }
}

impl Coordinator for OpenSearch {
    fn reserve(&self, name: &str, count: u64) -> Result<i64> {
        self.engine.numbers(name, count)
    }

    fn lease(&self, name: &str, holder: &str, seconds: u64) -> Result<bool> {
        self.engine.take(name, holder, seconds)
    }

    fn release(&self, name: &str, holder: &str) -> Result<()> {
        self.engine.give_back(name, holder)
    }
}
