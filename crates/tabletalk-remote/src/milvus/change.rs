//! Putting and removing.

use super::refused::Why;
use super::rpc::method;
use super::wire::{CUSTOMIZED, Changed, Delete, Flush, Flushed, Query, Rows, STRONG};
use super::{MOST_BYTES, MOST_KEYS, Milvus, filter, no_space, rows};
use crate::held;
use tabletalk_core::seam::store::{Point, Space};
use tabletalk_core::{Error, Result};

/// Fewer new points than this Milvus compares one by one anyway.
const FEW: usize = 4_096;

impl Milvus {
    /// Lets Milvus build the graph of points that were put. Until then it finds them by a coarse index that misses
    /// some, and of itself it would wait for more points or for ten minutes. Where it is asked too often, it does that.
    pub(super) fn flush(&self, name: &str) -> Result<()> {
        if held(&self.unflushed).get(name).is_none_or(|points| *points < FEW) {
            return Ok(());
        }
        match self.rpc.call::<Flushed>(method!("Flush"), &Flush { collections: vec![name.to_owned()] }) {
            Err(refused) if refused.why == Why::Busy => return Ok(()),
            Err(refused) if refused.why != Why::Missing => return Err(refused.error),
            _ => {}
        }
        held(&self.unflushed).remove(name);
        Ok(())
    }

    /// Puts points in batches, and waits until all can be seen.
    pub(super) fn put_points(&self, name: &str, space: &Space, points: &[Point]) -> Result<()> {
        let batches = rows::batches(points, self.settings.client.batch.max(1), MOST_BYTES);
        let stamps = self.gate.each(&batches, |batch| {
            let request = rows::upsert(name, batch)?;
            let changed: Changed = match self.rpc.call(method!("Upsert"), &request) {
                Err(refused) if refused.why == Why::Missing => return Err(no_space(self.rpc.name(), space)),
                other => other?,
            };
            Ok(changed.timestamp)
        })?;
        match stamps.into_iter().max() {
            Some(last) => self.wait(name, CUSTOMIZED, last),
            None => Ok(()),
        }
    }

    /// Removes the rows whose field has one of these values, and waits until they can be seen no more.
    pub(super) fn delete(&self, name: &str, field: &str, values: &[i64]) -> Result<()> {
        let parts: Vec<&[i64]> = values.chunks(MOST_KEYS).collect();
        self.gate.each(&parts, |part| {
            let request = Delete {
                collection: name.to_owned(),
                expression: format!("{field} in [{}]", filter::list(part)),
                consistency_level: STRONG,
            };
            match self.read::<Changed>(method!("Delete"), name, &request) {
                Err(refused) if refused.why == Why::Missing => Ok(()),
                other => Ok(other.map(drop)?),
            }
        })?;
        // Milvus does not say when it removed something: all that is older than this moment is waited for.
        match parts.is_empty() {
            true => Ok(()),
            false => self.wait(name, STRONG, 0),
        }
    }

    /// Waits until everything up to a timestamp, or to now, can be seen by all.
    pub(super) fn wait(&self, name: &str, consistency_level: i32, guarantee_timestamp: u64) -> Result<()> {
        let query = Query {
            collection: name.to_owned(),
            expression: filter::NOTHING.to_owned(),
            output: vec!["key".into()],
            guarantee_timestamp,
            consistency_level,
            ..Query::default()
        };
        match self.read::<Rows>(method!("Query"), name, &query) {
            Err(refused) if refused.why == Why::Missing => Ok(()),
            other => other.map(drop).map_err(Error::from),
        }
    }
}
