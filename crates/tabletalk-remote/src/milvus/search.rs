//! Finding the nearest.

use super::refused::Why;
use super::rpc::method;
use super::wire::{
    BOUNDED, Collection, EXPRESSION, FLOAT_VECTOR, HitData, Hits, Named, Placeholder, Placeholders, Search,
    pair,
};
use super::{MOST_KEYS, MOST_ROWS, Milvus, SpaceQuery, filter, gate, rows};
use prost::Message;
use serde_json::json;
use std::collections::HashSet;
use tabletalk_core::Result;
use tabletalk_core::seam::store::{Allow, Filter, Near};

/// How many more hits are looked through than are wanted, when documents are too many to be named.
const WIDER: usize = 8;
/// The least number of hits that are looked through then.
const LEAST_WIDE: usize = 256;

impl Milvus {
    /// The nearest `k`; `None` when there is no such collection.
    pub(super) fn nearest(
        &self,
        asked: &SpaceQuery<'_>,
        k: usize,
        allow: &Allow,
    ) -> Result<Option<Vec<Near>>> {
        let k = k.min(MOST_ROWS);
        if k == 0 {
            return Ok(self.is_there(asked.name)?.then(Vec::new));
        }
        match &allow.documents {
            Some(keys) if keys.len() > MOST_KEYS && filter::ranges(keys).is_none() => {
                self.nearest_among(asked, k, &allow.filters, keys)
            }
            _ => self.found(asked, k, &filter::expression(allow)),
        }
    }

    /// What passes an expression, found by the index, or thoroughly where that finds too few.
    fn found(&self, asked: &SpaceQuery<'_>, k: usize, expression: &str) -> Result<Option<Vec<Near>>> {
        let Some(hits) = self.hits(asked, k, expression, false)? else { return Ok(None) };
        let found = nears(&hits);
        match found.len() < k && !asked.index.exact {
            true => self.thorough(asked, k, expression, found).map(Some),
            false => Ok(Some(found)),
        }
    }

    pub(super) fn is_there(&self, name: &str) -> Result<bool> {
        let request = Named { collection: name.to_owned() };
        match self.rpc.call::<Collection>(method!("DescribeCollection"), &request) {
            Err(refused) if refused.why == Why::Missing => Ok(false),
            other => Ok(other.map(|_| true)?),
        }
    }

    /// The nearest of so many documents that naming them all is slow. So more hits than wanted are taken, and
    /// those of other documents left out; where too few are left the documents are named after all, in parts.
    fn nearest_among(
        &self,
        asked: &SpaceQuery<'_>,
        k: usize,
        filters: &[Filter],
        keys: &[i64],
    ) -> Result<Option<Vec<Near>>> {
        let set: HashSet<i64> = keys.iter().copied().collect();
        let all = filter::expression(&Allow { filters: filters.to_vec(), documents: None });
        let mut wide = (k * WIDER).max(LEAST_WIDE);
        while wide <= MOST_ROWS {
            let Some(hits) = self.hits(asked, wide, &all, true)? else { return Ok(None) };
            let every = nears(&hits);
            let kept: Vec<Near> = (every.iter().zip(rows::longs(&hits.columns, "document")))
                .filter(|(_, document)| set.contains(document))
                .map(|(near, _)| *near)
                .take(k)
                .collect();
            if kept.len() == k || (every.len() < wide && every.len() == self.matching(asked.name, &all)?) {
                return Ok(Some(kept));
            }
            wide *= WIDER;
        }
        let parts: Vec<&[i64]> = keys.chunks(MOST_KEYS).collect();
        let found = gate::each(self.settings.client.connections, &parts, |part| {
            let allow = Allow { filters: filters.to_vec(), documents: Some(part.to_vec()) };
            self.found(asked, k, &filter::expression(&allow))
        })?;
        Ok(found.into_iter().collect::<Option<Vec<_>>>().map(|lists| best(lists.concat(), k)))
    }

    /// What the index finds, the best first, with documents where they are wanted; `None` when there is no
    /// such collection.
    pub(super) fn hits(
        &self,
        asked: &SpaceQuery<'_>,
        k: usize,
        expression: &str,
        documents: bool,
    ) -> Result<Option<HitData>> {
        let vector = asked.query.iter().flat_map(|x| x.to_le_bytes()).collect();
        let placeholder = Placeholder { tag: "$0".into(), data_type: FLOAT_VECTOR, values: vec![vector] };
        let request = Search {
            collection: asked.name.to_owned(),
            expression: expression.to_owned(),
            placeholders: Placeholders { placeholders: vec![placeholder] }.encode_to_vec(),
            expression_type: EXPRESSION,
            output: if documents { vec!["document".into()] } else { Vec::new() },
            params: vec![
                pair("anns_field", "vector"),
                pair("topk", k),
                pair("params", json!({ "ef": asked.index.ef.max(k) })),
                pair("round_decimal", -1),
            ],
            queries: 1,
            consistency_level: BOUNDED,
            ..Search::default()
        };
        match self.read::<Hits>(method!("Search"), asked.name, &request) {
            Err(refused) if refused.why == Why::Missing => Ok(None),
            other => Ok(Some(other?.results.unwrap_or_default())),
        }
    }
}

/// The hits of one search.
pub(super) fn nears(hits: &HitData) -> Vec<Near> {
    let keys = hits.keys.as_ref().and_then(|k| k.longs.as_ref()).map_or(&[][..], |l| &l.data);
    keys.iter().zip(&hits.scores).map(|(&key, &score)| Near { key: rows::unsigned(key), score }).collect()
}

/// The best of several searches, each vector once.
pub(super) fn best(mut nears: Vec<Near>, k: usize) -> Vec<Near> {
    nears.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
    let mut seen = HashSet::with_capacity(nears.len());
    nears.retain(|near| seen.insert(near.key));
    nears.truncate(k);
    nears
}
