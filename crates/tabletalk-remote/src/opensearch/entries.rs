//! Entries of groups: one index for each group, all of them behind one alias.

use super::bulk::Written;
use super::engine::{Engine, MOST_HITS};
use super::filter::{self, among, any_of};
use super::names::cut;
use super::words::{SIMILARITY, length_of};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use tabletalk_core::Result;
use tabletalk_core::seam::store::{Entry, Field};

/// The most documents whose entries one request counts.
const PAGE: usize = 10_000;
/// The most stamps in the query of one removal.
const STAMPS: usize = 200;
/// The most documents in the query of one removal.
const DOCUMENTS: usize = 50_000;

impl Engine {
    /// The index of a group.
    pub(super) fn group(&self, group: &str) -> Result<String> {
        self.index("entries", &[group])
    }

    /// The alias of all groups.
    pub(super) fn groups(&self) -> String {
        format!("{}-entries", self.prefix)
    }

    /// Makes the index of a group. Terms come as lists and are not taken apart; what is kept of an entry besides its terms
    /// is in columns, and its bytes stand alone.
    pub(super) fn make_group(&self, group: &str) -> Result<()> {
        let mut properties = filter::mapping();
        for field in Field::ALL {
            let terms = json!({
                "type": "text", "analyzer": "keyword", "index_options": "freqs",
                "norms": false, "similarity": "occurrences",
            });
            properties.insert(field.name().into(), terms);
            properties.insert(length_of(field), json!({"type": "integer", "index": false}));
        }
        for number in ["document", "stamp", "owner", "part"] {
            properties.insert(number.into(), json!({"type": "long"}));
        }
        properties.insert("data".into(), json!({"type": "binary", "store": true}));
        let body = json!({
            "settings": {
                "number_of_shards": 1, "auto_expand_replicas": "0-1", "refresh_interval": "-1",
                "max_result_window": MOST_HITS,
                "similarity": {"occurrences": {"type": "scripted", "script": {"source": SIMILARITY}}},
            },
            "mappings": {
                "_meta": {"group": group}, "_source": {"enabled": false}, "dynamic": false,
                "properties": properties,
            },
        });
        self.make(&self.group(group)?, &self.groups(), body)
    }

    pub(super) fn put_all(&self, group: &str, entries: &[Entry]) -> Result<()> {
        let index = self.group(group)?;
        let write = || self.write(&index, entries, |entry| (entry.owner, entry.part), entry_lines);
        if write()? == Written::NoIndex {
            self.make_group(group)?;
            write()?;
        }
        Ok(())
    }

    /// Removes the entries of documents that were written before a change.
    pub(super) fn remove_before(&self, before: &[(i64, i64)]) -> Result<()> {
        let mut by_stamp: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for (document, stamp) in before {
            by_stamp.entry(*stamp).or_default().push(*document);
        }
        let mut queries = Vec::new();
        for (stamp, documents) in by_stamp {
            queries.extend(documents.chunks(DOCUMENTS).map(|some| (some.len(), written_before(some, stamp))));
        }
        let mut some = Vec::new();
        let mut documents = 0;
        for (count, query) in queries {
            if some.len() == STAMPS || (documents + count > DOCUMENTS && !some.is_empty()) {
                self.remove(&self.groups(), &any_of(std::mem::take(&mut some)))?;
                documents = 0;
            }
            documents += count;
            some.push(query);
        }
        if some.is_empty() { Ok(()) } else { self.remove(&self.groups(), &any_of(some)) }
    }

    /// The documents that have entries in a group, with how many.
    pub(super) fn counts_after(&self, group: &str, mut after: i64, limit: usize) -> Result<Vec<(i64, u64)>> {
        let path = format!("/{}/_search", self.group(group)?);
        let mut found = Vec::new();
        while found.len() < limit {
            let size = PAGE.min(limit - found.len());
            let sources = json!([{"document": {"terms": {"field": "document"}}}]);
            let body = json!({
                "size": 0,
                "query": {"range": {"document": {"gt": after}}},
                "aggs": {"documents": {"composite": {"size": size, "sources": sources}}},
            });
            let said = self.call_if_there("POST", &path, Some(&body))?.unwrap_or_default();
            let buckets = said["aggregations"]["documents"]["buckets"].as_array();
            let page = buckets.into_iter().flatten().filter_map(|bucket| {
                Some((bucket["key"]["document"].as_i64()?, bucket["doc_count"].as_u64()?))
            });
            let before = found.len();
            found.extend(page);
            match found.last() {
                Some((last, _)) if found.len() - before == size => after = *last,
                _ => break,
            }
        }
        Ok(found)
    }

    pub(super) fn group_indexes(&self) -> Result<Vec<String>> {
        let said = self.call_if_there("GET", &format!("/_alias/{}", self.groups()), None)?;
        Ok(said
            .as_ref()
            .and_then(Value::as_object)
            .map(|all| all.keys().cloned().collect())
            .unwrap_or_default())
    }
}

/// The id of an entry in its index.
pub(super) fn id_of(owner: i64, part: u64) -> String {
    format!("{owner}.{part}")
}

fn written_before(documents: &[i64], stamp: i64) -> Value {
    let among = among("document", documents);
    match stamp {
        i64::MAX => among,
        _ => json!({"bool": {"filter": [among, {"range": {"stamp": {"lt": stamp}}}]}}),
    }
}

fn entry_lines(entry: &Entry) -> String {
    let mut body = Map::new();
    body.insert("document".into(), json!(entry.document));
    body.insert("stamp".into(), json!(entry.stamp));
    body.insert("owner".into(), json!(entry.owner));
    body.insert("part".into(), json!(entry.part as i64));
    filter::write(&mut body, &entry.facets);
    for field in Field::ALL {
        let of_field = entry.terms.iter().filter(|(of, _)| *of == field);
        let terms: Vec<&str> = of_field.flat_map(|(_, terms)| terms.iter().map(|term| cut(term))).collect();
        body.insert(length_of(field), json!(terms.len()));
        body.insert(field.name().into(), json!(terms));
    }
    body.insert("data".into(), json!(STANDARD.encode(&entry.data)));
    let action = json!({"index": {"_id": id_of(entry.owner, entry.part)}});
    format!("{action}\n{}\n", Value::Object(body))
}
