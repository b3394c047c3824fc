//! Documents, words, numbers and leases in memory.

use super::score::{self, Entries};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};
use tabletalk_core::seam::store::{Entry, EntryHit, EntryQuery, Segment, Term, Weighing};
use tabletalk_core::seam::{ChangeLog, Coordinator, EntryReader, EntryWriter, SegmentStore};
use tabletalk_core::{Error, Result};

/// Keeps documents and words in memory. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Segments {
    kept: Arc<RwLock<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    groups: BTreeMap<String, Entries>,
    segments: BTreeMap<i64, Segment>,
    last_change: i64,
    /// The last number given under each name.
    numbers: HashMap<String, i64>,
    leases: HashMap<String, Lease>,
}

#[derive(Debug)]
struct Lease {
    holder: String,
    until: Instant,
}

impl Segments {
    /// A store that is empty.
    pub fn new() -> Self {
        Self::default()
    }

    fn read(&self) -> RwLockReadGuard<'_, Kept> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Kept> {
        self.kept.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SegmentStore for Segments {
    fn name(&self) -> String {
        "memory".into()
    }

    fn prepare(&self, groups: &[(String, Weighing)]) -> Result<()> {
        let mut kept = self.write();
        for (group, _) in groups {
            kept.groups.entry(group.clone()).or_default();
        }
        Ok(())
    }

    fn clear(&self) -> Result<()> {
        *self.write() = Kept::default();
        Ok(())
    }
}

impl EntryWriter for Segments {
    fn put_entries(&self, group: &str, entries: &[Entry]) -> Result<()> {
        let mut kept = self.write();
        let own = kept.groups.entry(group.to_owned()).or_default();
        own.extend(entries.iter().map(|e| ((e.owner, e.part), e.clone())));
        Ok(())
    }

    fn settle(&self) -> Result<()> {
        Ok(())
    }

    fn remove_entries(&self, before: &[(i64, i64)]) -> Result<()> {
        let mut latest: HashMap<i64, i64> = HashMap::new();
        for (document, change) in before {
            let latest = latest.entry(*document).or_insert(*change);
            *latest = (*latest).max(*change);
        }
        let goes = |e: &Entry| latest.get(&e.document).is_some_and(|c| *c == i64::MAX || e.stamp < *c);
        for entries in self.write().groups.values_mut() {
            entries.retain(|_, e| !goes(e));
        }
        Ok(())
    }

    fn drop_group(&self, group: &str) -> Result<()> {
        self.write().groups.remove(group);
        Ok(())
    }
}

impl EntryReader for Segments {
    fn count(&self, group: &str) -> Result<u64> {
        Ok(self.read().groups.get(group).map_or(0, |entries| entries.len() as u64))
    }

    fn frequencies(&self, group: &str, terms: &[Term]) -> Result<Vec<u64>> {
        let kept = self.read();
        let of = |term| kept.groups.get(group).map_or(0, |entries| score::frequency(entries, term));
        Ok(terms.iter().map(of).collect())
    }

    fn search(&self, group: &str, ask: &EntryQuery<'_>) -> Result<Vec<EntryHit>> {
        Ok(self.read().groups.get(group).map(|entries| score::search(entries, ask)).unwrap_or_default())
    }

    fn entry_counts(&self, group: &str, after: i64, limit: usize) -> Result<Vec<(i64, u64)>> {
        let mut counts = BTreeMap::new();
        for entry in self.read().groups.get(group).into_iter().flat_map(BTreeMap::values) {
            *counts.entry(entry.document).or_insert(0) += 1;
        }
        Ok(counts.into_iter().filter(|(document, _)| *document > after).take(limit).collect())
    }
}

impl ChangeLog for Segments {
    fn commit(&self, segments: &[Segment]) -> Result<i64> {
        let mut kept = self.write();
        kept.last_change += 1;
        let change = kept.last_change;
        kept.segments.extend(segments.iter().map(|s| (s.key, Segment { change, ..s.clone() })));
        Ok(change)
    }

    fn last_change(&self) -> Result<i64> {
        Ok(self.read().last_change)
    }

    fn changes(&self, after: i64, limit: usize) -> Result<Vec<Segment>> {
        let kept = self.read();
        let mut later: Vec<&Segment> = kept.segments.values().filter(|s| s.change > after).collect();
        later.sort_by_key(|s| (s.change, s.key));
        Ok(later.into_iter().take(limit).cloned().collect())
    }

    fn segments(&self, ids: &[String]) -> Result<Vec<Segment>> {
        let ids: HashSet<&String> = ids.iter().collect();
        let kept = self.read();
        Ok(kept.segments.values().filter(|s| !s.gone && ids.contains(&s.id)).cloned().collect())
    }

    fn documents(&self) -> Result<u64> {
        Ok(self.read().segments.values().filter(|s| !s.gone).count() as u64)
    }
}

impl Coordinator for Segments {
    fn reserve(&self, name: &str, count: u64) -> Result<i64> {
        let mut kept = self.write();
        let last = kept.numbers.entry(name.to_owned()).or_insert(0);
        let next = i64::try_from(count).ok().and_then(|count| last.checked_add(count));
        let first = *last + 1;
        *last =
            next.ok_or_else(|| Error::limit(format!("there are no {count} numbers left under `{name}`")))?;
        Ok(first)
    }

    fn lease(&self, name: &str, holder: &str, seconds: u64) -> Result<bool> {
        let (mut kept, now) = (self.write(), Instant::now());
        if kept.leases.get(name).is_some_and(|l| l.holder != holder && l.until > now) {
            return Ok(false);
        }
        let until = now + Duration::from_secs(seconds.min(u64::from(u32::MAX)));
        kept.leases.insert(name.to_owned(), Lease { holder: holder.into(), until });
        Ok(true)
    }

    fn release(&self, name: &str, holder: &str) -> Result<()> {
        let mut kept = self.write();
        if kept.leases.get(name).is_some_and(|l| l.holder == holder) {
            kept.leases.remove(name);
        }
        Ok(())
    }
}
