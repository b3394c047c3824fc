//! Which documents questions name.

use crate::query::Query;
use std::collections::HashMap;
use tabletalk_core::{Error, Result};
use tabletalk_store::Library;

/// Documents by the id of their record, and by their name with and without folders and ending.
pub struct Names(HashMap<String, i64>);

impl Names {
    /// The names of all documents of a library.
    pub fn of(library: &Library) -> Result<Names> {
        let mut names = HashMap::new();
        library.catalog()?.select(|record| {
            let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned();
            let file = record.name.rsplit_once('/').map_or(record.name.as_str(), |(_, file)| file);
            for name in [&record.source_id, &record.name, &stem(&record.name), file, &stem(file)] {
                if !name.is_empty() {
                    names.entry(name.to_owned()).or_insert(record.key);
                }
            }
            false
        })?;
        Ok(Names(names))
    }

    /// The key of a document, by any of its names, or by a name with folders above it.
    pub fn document(&self, name: &str) -> Option<i64> {
        let file = name.rsplit_once('/').map_or(name, |(_, file)| file);
        self.0.get(name).or_else(|| self.0.get(file)).copied()
    }

    /// An error when no question is about a record that is there.
    pub fn check(&self, queries: &[Query]) -> Result<()> {
        let mut named = queries.iter().flat_map(|query| &query.relevant).peekable();
        let Some(first) = named.peek().map(|name| (*name).clone()) else { return Ok(()) };
        match named.any(|name| self.document(name).is_some()) {
            true => Ok(()),
            false => Err(Error::input(format!(
                "no question is about a record of the corpus; `{first}` is not there"
            ))
            .hint("`relevant` holds ids of records or names of files")),
        }
    }

    /// The tables of the first relevant record.
    pub(crate) fn tables(&self, library: &Library, query: &Query) -> Result<Vec<i64>> {
        let first = query.relevant.first().map_or("", String::as_str);
        let key = self.document(first).ok_or_else(|| {
            Error::input(format!("the corpus has no record `{first}`, which a question is about"))
        })?;
        Ok(library.catalog()?.tables_of(key)?.iter().map(|t| t.key).collect())
    }
}
