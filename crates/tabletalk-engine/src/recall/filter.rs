//! Which documents may be found.

use serde_json::Value;
use std::collections::HashSet;
use tabletalk_core::Result;
use tabletalk_store::{Library, Record};

pub use tabletalk_core::seam::store::{Filter, Test};

fn passes(filter: &Filter, record: &Record) -> bool {
    values(record, &filter.field).iter().any(|found| filter.passes(found))
}

/// What a document has in a field: of a list each of its values, one of which is enough.
fn values(record: &Record, name: &str) -> Vec<String> {
    match name {
        "id" => vec![record.id.clone()],
        "name" => vec![record.name.clone()],
        "source_id" => vec![record.source_id.clone()],
        "title" => vec![record.title.clone()],
        _ => match record.fields.get(name) {
            None => Vec::new(),
            Some(Value::Array(all)) => all.iter().filter_map(plain).collect(),
            Some(one) => plain(one).into_iter().collect(),
        },
    }
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(s) => Some(s.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

/// The keys of the documents that pass all filters; `None` when there is no filter.
pub(crate) fn allowed(library: &Library, filters: &[Filter]) -> Result<Option<HashSet<i64>>> {
    if filters.is_empty() {
        return Ok(None);
    }
    if let Some(Filter { test: Test::Is(ids), .. }) = filters.iter().find(|f| f.field == "id") {
        return by_id(library, ids, filters).map(Some);
    }
    let keys = library
        .catalog()?
        .select(|record| !record.source.is_empty() && filters.iter().all(|f| passes(f, record)))?;
    Ok(Some(keys.into_iter().collect()))
}

/// When documents are named, only those are looked at, not the whole catalogue.
fn by_id(library: &Library, ids: &[String], filters: &[Filter]) -> Result<HashSet<i64>> {
    let catalog = library.catalog()?;
    let mut keys = HashSet::new();
    for id in ids {
        let record = catalog.record(id)?.filter(|record| filters.iter().all(|f| passes(f, record)));
        keys.extend(record.map(|record| record.key));
    }
    Ok(keys)
}
