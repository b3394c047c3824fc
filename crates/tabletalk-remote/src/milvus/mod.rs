//! Vectors in Milvus 2.3 or later, over gRPC.
//!
//! A space is a collection of four fields: `key` (one less than ours), `document`, `facets` (JSON) and
//! `vector`. Its description holds the names of the space and the model. See [`filter`] for how fields are
//! compared, [`names`] for how they are written, [`index`] for how vectors are found, and [`thorough`] for what
//! is done where the index of Milvus finds too few.
//!
//! Milvus shows a change some tenths of a second after it has taken it, at its next tick. Whoever changes
//! something here waits for that tick, once for a whole call: then every process sees it, and searches need
//! not wait. So large calls are quicker than many small ones.
//!
//! What differs from other stores: no more than 16,384 vectors are found in one search, and a document has no
//! more than 64 KiB of fields; values longer than 256 bytes are told apart, but ordered by their first 256
//! bytes.

mod address;
mod change;
mod filter;
mod gate;
mod index;
mod names;
mod refused;
mod rows;
mod rpc;
mod search;
mod space;
mod thorough;
mod wire;

use crate::held;
use gate::Gate;
use prost::Message;
use refused::{Refused, Why};
use rpc::{Rpc, method};
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use tabletalk_core::seam::remote::{Index, Settings};
use tabletalk_core::seam::store::{Allow, Near, Point, Space, VectorStore};
use tabletalk_core::{Error, Result};
use wire::{Answer, BOUNDED, Query, Rows, pair};

/// Milvus hands out no more rows at once.
const MOST_ROWS: usize = 16_384;
/// So many keys are named in one expression: reading a longer one takes Milvus too long.
const MOST_KEYS: usize = 1_000;
/// About so many bytes are sent or asked for at once.
const MOST_BYTES: usize = 16 << 20;

/// A store of vectors in Milvus.
pub struct Milvus {
    rpc: Rpc,
    settings: Settings,
    gate: Gate,
    /// Collections whose vectors are all compared as long as they are few.
    small: Mutex<HashSet<String>>,
    /// How many points were put into each collection that is not flushed yet.
    unflushed: Mutex<HashMap<String, usize>>,
}

/// What is searched for, and where.
struct SpaceQuery<'a> {
    name: &'a str,
    query: &'a [f32],
    index: &'a Index,
}

impl Milvus {
    /// The store that the settings name. Nothing is sent yet.
    pub fn new(settings: &Settings) -> Result<Self> {
        let gate = Gate::new(settings.client.connections);
        let (rpc, settings) = (Rpc::new(settings)?, settings.clone());
        Ok(Milvus { rpc, settings, gate, small: Mutex::default(), unflushed: Mutex::default() })
    }

    fn collection(&self, space: &Space) -> String {
        names::collection(&self.settings.prefix, space)
    }

    /// A call that needs a collection in memory: it is loaded again where somebody has released it.
    fn read<A: Answer>(
        &self,
        method: &'static str,
        name: &str,
        request: &impl Message,
    ) -> Result<A, Refused> {
        let answer = self.rpc.call(method, request).or_else(|refused| self.released(name, refused));
        match answer {
            Err(refused) if refused.why == Why::Unloaded => {
                self.load(name)?;
                self.rpc.call(method, request).or_else(|refused| self.released(name, refused))
            }
            other => other,
        }
    }

    /// A node of Milvus that has just let go of a collection says that it is missing: it is not in memory.
    fn released<A>(&self, name: &str, refused: Refused) -> Result<A, Refused> {
        match refused.why == Why::Missing && self.is_there(name)? {
            true => Err(Refused { why: Why::Unloaded, ..refused }),
            false => Err(refused),
        }
    }

    /// Rows of a collection; none when it is not there.
    fn query(&self, query: &Query) -> Result<Rows> {
        match self.read(method!("Query"), &query.collection, query) {
            Err(refused) if refused.why == Why::Missing => Ok(Rows::default()),
            other => Ok(other?),
        }
    }

    /// Up to [`MOST_ROWS`] keys greater than one, in order, with their documents.
    fn some_keys(&self, name: &str, after: i64, limit: usize) -> Result<Vec<(u64, i64)>> {
        let rows = self.query(&Query {
            collection: name.to_owned(),
            expression: format!("key > {after}"),
            output: vec!["key".into(), "document".into()],
            params: vec![pair("limit", limit.min(MOST_ROWS)), pair("reduce_stop_for_best", "True")],
            consistency_level: BOUNDED,
            ..Query::default()
        })?;
        let keys = rows::longs(&rows.columns, "key").iter().map(|&k| rows::unsigned(k));
        let mut found: Vec<(u64, i64)> =
            keys.zip(rows::longs(&rows.columns, "document").iter().copied()).collect();
        found.sort_unstable();
        Ok(found)
    }
}

impl VectorStore for Milvus {
    fn name(&self) -> String {
        self.rpc.name().to_owned()
    }

    fn prepare(&self, space: &Space, dim: usize, model: &str) -> Result<()> {
        self.make_or_check(space, dim, model)
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        self.all_spaces()
    }

    fn put(&self, space: &Space, points: &[Point]) -> Result<()> {
        let name = self.collection(space);
        self.put_points(&name, space, points)?;
        *held(&self.unflushed).entry(name.clone()).or_default() += points.len();
        self.grow(&name, &self.settings.index_of(&space.embed))
    }

    fn remove(&self, space: &Space, keys: &[u64]) -> Result<()> {
        let keys = keys.iter().map(|&k| rows::signed(k)).collect::<Result<Vec<_>>>()?;
        self.delete(&self.collection(space), "key", &keys)
    }

    fn remove_documents(&self, space: &Space, documents: &[i64]) -> Result<()> {
        self.delete(&self.collection(space), "document", documents)
    }

    fn search(&self, space: &Space, query: &[f32], k: usize, allow: &Allow) -> Result<Option<Vec<Near>>> {
        let (name, index) = (self.collection(space), self.settings.index_of(&space.embed));
        self.nearest(&SpaceQuery { name: &name, query, index: &index }, k, allow)
    }

    fn vectors(&self, space: &Space, keys: &[u64]) -> Result<Vec<(u64, Vec<f32>)>> {
        let name = self.collection(space);
        let keys = keys.iter().map(|&k| rows::signed(k)).collect::<Result<Vec<_>>>()?;
        let parts: Vec<&[i64]> = keys.chunks(MOST_KEYS).collect();
        let found = self.gate.each(&parts, |part| {
            let rows = self.query(&Query {
                collection: name.clone(),
                expression: format!("key in [{}]", filter::list(part)),
                output: vec!["key".into(), "vector".into()],
                consistency_level: BOUNDED,
                ..Query::default()
            })?;
            Ok(rows::vectors(&rows.columns))
        })?;
        Ok(found.into_iter().flatten().collect())
    }

    fn keys(&self, space: &Space, after: Option<u64>, limit: usize) -> Result<Vec<(u64, i64)>> {
        let name = self.collection(space);
        let mut found: Vec<(u64, i64)> = Vec::new();
        let mut last = after.map_or(Ok(filter::LEAST_KEY - 1), rows::signed)?;
        while found.len() < limit {
            let more = self.some_keys(&name, last, limit - found.len())?;
            let Some((key, _)) = more.last() else { break };
            last = rows::signed(*key)?;
            found.extend(more);
        }
        Ok(found)
    }

    fn count(&self, space: &Space) -> Result<u64> {
        Ok(self.matching(&self.collection(space), "")? as u64)
    }

    fn settle(&self, space: &Space) -> Result<()> {
        self.flush(&self.collection(space))
    }

    fn drop_space(&self, space: &Space) -> Result<()> {
        self.drop_collection(&self.collection(space))
    }
}

/// What is said of a space that is not there.
fn no_space(name: &str, space: &Space) -> Error {
    Error::missing(format!("{name} has no space `{}` of group `{}`", space.embed, space.group))
        .hint("it must be prepared first")
}
