//! Indexes: made, checked, and exchanged when a space has grown.
//!
//! A graph may not lead to vectors that are unlike all others, nor does the coarse index that Milvus keeps of
//! new vectors. So while a space is small all its vectors are compared, and it is given a graph when it has
//! more than `flat_limit`. Milvus exchanges an index only of a collection that is not in memory: searches that
//! come meanwhile load it again, and the exchange is tried again. For some seconds, once in the life of a space,
//! they may find nothing or fail.

use super::Milvus;
use super::refused::{Refused, Why};
use super::rpc::method;
use super::wire::{CreateIndex, DropIndex, Indexes, Named, Pair, STRONG, Status, pair, value};
use crate::held;
use std::time::{Duration, Instant};
use tabletalk_core::seam::remote::{Index, Metric};
use tabletalk_core::seam::store::Space;
use tabletalk_core::{Error, Result};

/// What is said of an index that is there.
struct Made {
    kind: String,
    metric: String,
    name: String,
}

/// The wait before an exchange is tried again.
const ASK_AGAIN: Duration = Duration::from_millis(50);
const FLAT: &str = "FLAT";
const GRAPH: &str = "HNSW";

impl Milvus {
    /// Makes the index, or checks that the one that is there compares in the same way.
    pub(super) fn index(&self, name: &str, space: &Space, index: &Index) -> Result<()> {
        let wanted = metric(index);
        let found = match self.made(name)? {
            Some(found) => found,
            None => self.make_index(name, index, FLAT)?,
        };
        if found.metric != wanted {
            let (embed, group) = (&space.embed, &space.group);
            let text = format!(
                "{}: the space `{embed}` of group `{group}` compares by {}, not {wanted}",
                self.rpc.name(),
                found.metric
            );
            return Err(Error::input(text).hint("set `metric` as it was, or drop the space and embed again"));
        }
        match found.kind == FLAT && !index.exact {
            true => held(&self.small).insert(name.to_owned()),
            false => held(&self.small).remove(name),
        };
        Ok(())
    }

    /// Gives a space a graph when it has become too large for comparing all.
    pub(super) fn grow(&self, name: &str, index: &Index) -> Result<()> {
        if !held(&self.small).contains(name) || self.matching(name, "")? <= index.flat_limit {
            return Ok(());
        }
        let begun = Instant::now();
        while let Some(old) = self.made(name)?.filter(|found| found.kind == FLAT) {
            match self.exchange(name, &old, index) {
                Err(_) if begun.elapsed() < self.rpc.timeout() => std::thread::sleep(ASK_AGAIN),
                other => other?,
            }
        }
        self.load(name)?;
        held(&self.small).remove(name);
        self.wait(name, STRONG, 0)
    }

    fn exchange(&self, name: &str, old: &Made, index: &Index) -> Result<()> {
        self.rpc.call::<Status>(method!("ReleaseCollection"), &Named { collection: name.to_owned() })?;
        let (field, named) = ("vector".to_owned(), old.name.clone());
        let request = DropIndex { collection: name.to_owned(), field, name: named };
        match self.rpc.call::<Status>(method!("DropIndex"), &request) {
            Err(refused) if refused.why != Why::NoIndex => return Err(refused.error),
            _ => {}
        }
        self.make_index(name, index, GRAPH).map(drop)
    }

    /// Makes the graph that a process was about to make when it was ended.
    pub(super) fn mend(&self, name: &str) -> Result<(), Refused> {
        let about = self.schema(name)?.as_ref().and_then(super::space::about);
        let index =
            about.map_or_else(|| self.settings.index.clone(), |a| self.settings.index_of(&a.space.embed));
        Ok(self.make_index(name, &index, GRAPH).map(drop)?)
    }

    /// Makes an index. When another process makes one at the same time, what that one made is returned.
    fn make_index(&self, name: &str, index: &Index, kind: &str) -> Result<Made> {
        let kind = if index.exact { FLAT } else { kind };
        let (collection, params) = (name.to_owned(), parameters(index, kind));
        let request = CreateIndex { collection, field: "vector".into(), params };
        let made = self.rpc.call::<Status>(method!("CreateIndex"), &request);
        match (self.made(name)?, made) {
            (Some(found), _) => Ok(found),
            (None, Err(refused)) => Err(refused.error),
            (None, Ok(_)) => {
                Err(Error::upstream(format!("{} made an index of {name}, and it is gone", self.rpc.name())))
            }
        }
    }

    /// The index of a collection; `None` when there is none.
    fn made(&self, name: &str) -> Result<Option<Made>> {
        let request = Named { collection: name.to_owned() };
        let answer: Indexes = match self.rpc.call(method!("DescribeIndex"), &request) {
            Err(refused) if refused.why == Why::NoIndex => return Ok(None),
            other => other?,
        };
        let index = answer.indexes.into_iter().find(|i| i.field == "vector");
        Ok(index.map(|i| {
            let of = |key: &str| value(&i.params, key).unwrap_or_default().to_owned();
            Made { kind: of("index_type"), metric: of("metric_type"), name: i.name.clone() }
        }))
    }
}

fn metric(index: &Index) -> &'static str {
    match index.metric {
        Metric::Cosine => "COSINE",
        Metric::Dot => "IP",
    }
}

fn parameters(index: &Index, kind: &str) -> Vec<Pair> {
    let params = match kind {
        GRAPH => serde_json::json!({ "M": index.m, "efConstruction": index.ef_construction }),
        _ => serde_json::json!({}),
    };
    vec![pair("index_type", kind), pair("metric_type", metric(index)), pair("params", params)]
}
