//! Documents and words.

mod dictionary;
mod document;
mod entry;
mod layout;
mod search;

use super::db::Db;
use super::db::batches;
use std::collections::BTreeMap;
use tabletalk_core::Result;
use tabletalk_core::seam::remote::Settings;
use tabletalk_core::seam::store::{Entry, EntryHit, EntryQuery, Segment, Term, Weighing};
use tabletalk_core::seam::{ChangeLog, Coordinator, EntryReader, EntryWriter, SegmentStore};
use tokio_postgres::IsolationLevel;
use tokio_postgres::types::Type;

/// The most terms in the entries of one transaction, which a busy server must finish in time.
const HEAVIEST: usize = 20_000;

/// Documents and words in PostgreSQL.
pub struct Segments {
    db: Db,
}

impl Segments {
    /// The store that the settings name. Nothing is connected yet.
    pub fn open(settings: &Settings) -> Result<Self> {
        Ok(Segments { db: Db::new(settings, layout::layout, None)? })
    }

    fn make_group(&self, name: &str) -> Result<()> {
        self.db.transact(async |transaction| layout::make_group(&self.db, transaction, name).await)
    }
}

impl SegmentStore for Segments {
    fn name(&self) -> String {
        self.db.name().to_owned()
    }

    /// Weights are only needed when something is looked for, so any will do.
    fn prepare(&self, groups: &[(String, Weighing)]) -> Result<()> {
        self.db.run(async |client| document::last_change(&self.db, client).await)?;
        groups.iter().try_for_each(|(name, _)| self.make_group(name))
    }

    fn clear(&self) -> Result<()> {
        self.db.transact(async |transaction| layout::clear(&self.db, transaction).await)
    }
}

impl EntryWriter for Segments {
    fn put_entries(&self, group: &str, entries: &[Entry]) -> Result<()> {
        self.make_group(group)?;
        let entries = entry::distinct(entries);
        let batches = batches(&entries, self.db.batch(), HEAVIEST, |e| entry::terms(e));
        self.db.run_each(&batches, async |client, batch| {
            match layout::group(&self.db, client, group).await? {
                Some(group) => entry::put(&self.db, client, &group, batch).await,
                None => Err(entry::dropped().into()),
            }
        })
    }

    fn settle(&self) -> Result<()> {
        Ok(())
    }

    fn remove_entries(&self, before: &[(i64, i64)]) -> Result<()> {
        let most = self.db.batch();
        let mut latest = BTreeMap::new();
        for (document, change) in before {
            let last = latest.entry(*document).or_insert(*change);
            *last = *change.max(last);
        }
        for group in self.db.run(async |client| layout::groups(&self.db, client).await)? {
            let remove = || {
                self.db.transact(async |transaction| {
                    match layout::is_there(&self.db, transaction, group.0).await? {
                        true => entry::remove(&self.db, transaction, &group, &latest, most).await,
                        false => Ok(0),
                    }
                })
            };
            while remove()? == most {}
        }
        Ok(())
    }

    fn drop_group(&self, group: &str) -> Result<()> {
        self.db.transact(async |transaction| layout::drop_group(&self.db, transaction, group).await)
    }
}

impl EntryReader for Segments {
    fn count(&self, group: &str) -> Result<u64> {
        let group = self.db.run(async |client| layout::group(&self.db, client, group).await)?;
        Ok(group.map_or(0, |g| g.entries.max(0).cast_unsigned()))
    }

    fn frequencies(&self, group: &str, terms: &[Term]) -> Result<Vec<u64>> {
        let found = self.db.run(async |client| match layout::group(&self.db, client, group).await? {
            Some(group) => search::frequencies(client, &group, terms).await,
            None => Ok(vec![0; terms.len()]),
        })?;
        Ok(found.into_iter().map(|n| n.max(0).cast_unsigned()).collect())
    }

    fn search(&self, group: &str, ask: &EntryQuery<'_>) -> Result<Vec<EntryHit>> {
        self.db.run(async |client| {
            let transaction = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead);
            let transaction = transaction.read_only(true).start().await?;
            let found = search::best(&self.db, transaction.client(), group, ask).await?;
            transaction.commit().await?;
            Ok(found)
        })
    }

    fn entry_counts(&self, group: &str, after: i64, limit: usize) -> Result<Vec<(i64, u64)>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.db.run(async |client| {
            let Some(group) = layout::group(&self.db, client, group).await? else { return Ok(Vec::new()) };
            let sql = format!(
                "SELECT document, count(*) FROM {} WHERE document > $1
                 GROUP BY document ORDER BY document LIMIT $2",
                group.tables.entries
            );
            let rows = client.query_typed(&sql, &[(&after, Type::INT8), (&limit, Type::INT8)]).await?;
            let mut found = Vec::with_capacity(rows.len());
            for row in rows {
                found.push((row.try_get(0)?, row.try_get::<_, i64>(1)?.cast_unsigned()));
            }
            Ok(found)
        })
    }
}

impl ChangeLog for Segments {
    fn commit(&self, segments: &[Segment]) -> Result<i64> {
        self.db.transact(async |transaction| document::commit(&self.db, transaction, segments).await)
    }

    fn last_change(&self) -> Result<i64> {
        self.db.run(async |client| document::last_change(&self.db, client).await)
    }

    fn changes(&self, after: i64, limit: usize) -> Result<Vec<Segment>> {
        self.db.run(async |client| document::changes(&self.db, client, after, limit).await)
    }

    fn segments(&self, ids: &[String]) -> Result<Vec<Segment>> {
        self.db.run(async |client| document::segments(&self.db, client, ids).await)
    }

    fn documents(&self) -> Result<u64> {
        self.db.run(async |client| document::documents(&self.db, client).await)
    }
}

impl Coordinator for Segments {
    fn reserve(&self, name: &str, count: u64) -> Result<i64> {
        self.db.run(async |client| document::reserve(&self.db, client, name, count).await)
    }

    fn lease(&self, name: &str, holder: &str, seconds: u64) -> Result<bool> {
        self.db.run(async |client| document::lease(&self.db, client, name, holder, seconds).await)
    }

    fn release(&self, name: &str, holder: &str) -> Result<()> {
        self.db.run(async |client| document::release(&self.db, client, name, holder).await)
    }
}
