//! Summaries follow what they were made from.
//!
//! A node whose fields name `children` is a summary of them, and `prints` says how their texts were then. When a
//! document changes or goes, summaries above what is gone must not be found any more: they say what nobody says now.

use crate::catalog::Catalog;
use crate::catalog::change::Change;
use crate::catalog::vectors::{Hash, hash};
use crate::error::sqlite;
use rusqlite::{OptionalExtension, params};
use serde_json::{Map, Value};
use std::collections::HashSet;
use tabletalk_core::Result;
use tabletalk_core::node::document_of;

/// Tells a text from every other.
pub fn print(text: &str) -> String {
    hex::encode(&hash(text)[..8])
}

/// The children of a summary with their prints; none for any other node.
pub fn children(fields: &Map<String, Value>) -> Vec<(&str, &str)> {
    let ids = fields.get("children").and_then(Value::as_array);
    let ids = ids.into_iter().flatten().filter_map(Value::as_str);
    let prints = fields.get("prints").and_then(Value::as_str).unwrap_or_default();
    ids.zip(prints.split(' ').chain(std::iter::repeat(""))).collect()
}

struct Summary {
    key: i64,
    document: i64,
    id: String,
    children: Vec<(String, String)>,
}

impl Change<'_> {
    /// Drops summaries of nodes that are gone or say something else, and those above them. `changed` are ids of
    /// documents.
    pub(crate) fn drop_stale_summaries(&self, changed: &HashSet<String>) -> Result<()> {
        let summaries = self.summaries(changed)?;
        let mut stale: HashSet<&str> = HashSet::new();
        for summary in &summaries {
            if self.is_stale(summary, changed)? {
                stale.insert(&summary.id);
            }
        }
        loop {
            let above = |s: &&Summary| s.children.iter().any(|(id, _)| stale.contains(id.as_str()));
            let new: Vec<&str> = summaries
                .iter()
                .filter(above)
                .map(|s| s.id.as_str())
                .filter(|id| !stale.contains(id))
                .collect();
            if new.is_empty() {
                break;
            }
            stale.extend(new);
        }
        for summary in summaries.iter().filter(|s| stale.contains(s.id.as_str())) {
            self.run("DELETE FROM node WHERE key=?1", [summary.key])?;
            self.run("DELETE FROM vector WHERE document=?1 AND owner=?2", [summary.document, summary.key])?;
            self.touch(summary.document)?;
        }
        Ok(())
    }

    /// The summaries over the whole library, and those in documents that changed.
    fn summaries(&self, changed: &HashSet<String>) -> Result<Vec<Summary>> {
        let mut found = self.summaries_where("d.id >= '~' AND d.source = ''", "")?;
        for id in changed {
            found.extend(self.summaries_where("d.id = ?1", id)?);
        }
        Ok(found)
    }

    fn summaries_where(&self, condition: &str, value: &str) -> Result<Vec<Summary>> {
        let sql = format!(
            "SELECT n.key, n.document, n.id, n.fields FROM node n JOIN document d ON d.key = n.document WHERE {condition}"
        );
        let mut statement = self.transaction().prepare_cached(&sql).map_err(sqlite)?;
        let values: &[&dyn rusqlite::ToSql] = if value.is_empty() { &[] } else { &[&value] };
        let rows = statement
            .query_map(values, |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get::<_, String>(3)?)))
            .map_err(sqlite)?;
        let mut found = Vec::new();
        for row in rows {
            let (key, document, id, fields) = row.map_err(sqlite)?;
            if !fields.contains("\"children\"") {
                continue;
            }
            let fields: Map<String, Value> = serde_json::from_str(&fields)?;
            let children = children(&fields).into_iter().map(|(id, print)| (id.to_owned(), print.to_owned()));
            found.push(Summary { key, document, id, children: children.collect() });
        }
        Ok(found)
    }

    fn is_stale(&self, summary: &Summary, changed: &HashSet<String>) -> Result<bool> {
        for (id, was) in summary.children.iter().filter(|(id, _)| changed.contains(document_of(id))) {
            let sql = "SELECT text FROM node WHERE id=?1";
            let text: Option<String> = self
                .transaction()
                .prepare_cached(sql)
                .and_then(|mut s| s.query_row(params![id], |r| r.get(0)).optional())
                .map_err(sqlite)?;
            if text.map(|t| print(&t)).as_ref() != Some(was) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Catalog {
    /// What was made for this order, where it was.
    pub fn made(&self, order: &Hash) -> Result<Option<String>> {
        let sql = "SELECT text FROM made WHERE hash=?1";
        self.one(sql, [order.as_slice()], |r| r.get(0)).optional().map_err(sqlite)
    }
}

impl Change<'_> {
    /// Keeps what was made for an order.
    pub fn put_made(&self, order: &Hash, text: &str) -> Result<()> {
        self.run("INSERT OR REPLACE INTO made(hash, text) VALUES(?1,?2)", params![order.as_slice(), text])
    }
}
