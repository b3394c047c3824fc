//! Finds the foreign keys among the tables of a library, and keeps them in its catalogue.
//!
//! Files that belong together lie together: where a library has more than a few tables, those of one folder are
//! compared, or those of one file.

use crate::watch::Watch;
use std::collections::HashSet;
use tabletalk_core::{Column, Result};
use tabletalk_question::relate::{TableProfile, foreign_keys, may_refer};
use tabletalk_store::{Catalog, Library, NewForeignKey, StoredTable, data};

/// Tables that are compared with each other at most: each has a few columns that may be keys, and all pairs are looked at.
const MOST: usize = 100;

/// Whether foreign keys were looked for since the library changed last.
pub fn is_up_to_date(library: &Library) -> Result<bool> {
    let catalog = library.catalog()?;
    Ok(catalog.foreign_keys_seen()? == catalog.generation()?)
}

/// Looks for the foreign keys of tables that are new. The caller holds the lock.
pub fn bring_up_to_date(library: &Library, watch: &dyn Watch) -> Result<()> {
    let (seen, generation) = {
        let catalog = library.catalog()?;
        (catalog.foreign_keys_seen()?, catalog.generation()?)
    };
    if seen == generation {
        return Ok(());
    }
    // A catalogue that is behind what was seen was put back from a copy: look at all.
    let seen = if seen > generation { 0 } else { seen };
    let scopes = scopes(&*library.catalog()?, seen)?;
    let (mut tables, mut found) = (Vec::new(), Vec::new());
    for scope in scopes {
        if watch.stopped() {
            return Ok(());
        }
        tables.extend(scope.iter().map(|t| t.key));
        found.extend(among(&scope)?);
    }
    library.catalog()?.put_foreign_keys(&tables, &found, generation)
}

/// The tables that are compared with each other: all, if there are not many; else those of a folder, or of a file.
fn scopes(catalog: &Catalog, since: i64) -> Result<Vec<Vec<StoredTable>>> {
    let all = catalog.tables(0, MOST + 1)?;
    if all.len() <= MOST {
        return Ok(vec![all]);
    }
    let (folders, documents) = catalog.changed_folders(since)?;
    let mut scopes = Vec::new();
    for folder in folders {
        scopes.push(catalog.tables_below(&folder, MOST)?);
    }
    let done: HashSet<i64> = scopes.iter().flatten().map(|t| t.document).collect();
    for document in documents.into_iter().filter(|d| !done.contains(d)) {
        let tables = catalog.tables_of(document)?;
        scopes.extend((tables.len() <= MOST).then_some(tables));
    }
    scopes.retain(|scope| scope.len() > 1);
    Ok(scopes)
}

/// The foreign keys among some tables.
fn among(tables: &[StoredTable]) -> Result<Vec<NewForeignKey>> {
    let profiles = tables.iter().map(|table| profile(table, tables)).collect::<Result<Vec<_>>>()?;
    let name = |(table, column): (usize, usize)| {
        let stored = tables.get(table)?;
        Some((stored.key, stored.table.columns.get(column)?.name.clone()))
    };
    let named = foreign_keys(&profiles).into_iter().filter_map(|key| {
        // Of what lives in a database the database knows the keys, and a sample tells nothing of them.
        if is_away(tables, key.from.0) || is_away(tables, key.to.0) {
            return None;
        }
        let ((table, column), (to_table, to_column)) = (name(key.from)?, name(key.to)?);
        Some(NewForeignKey { table, column, to_table, to_column, share: key.share })
    });
    Ok(named.chain(declared(tables)).collect())
}

/// Whether only a part of a table is here.
fn is_away(tables: &[StoredTable], table: usize) -> bool {
    tables.get(table).and_then(|t| t.table.home.as_ref()).is_some_and(|home| home.is_sampled())
}

/// The foreign keys of one column that databases have.
fn declared(tables: &[StoredTable]) -> Vec<NewForeignKey> {
    let mut found = Vec::new();
    for table in tables {
        let Some(home) = &table.table.home else { continue };
        for refers in &home.refers {
            let other = tables.iter().find(|t| {
                let there = t.table.home.as_ref();
                there.is_some_and(|h| {
                    h.is_beside(home) && h.schema == refers.schema && h.table == refers.table
                })
            });
            if let (Some(other), [column], [to_column]) =
                (other, refers.columns.as_slice(), refers.to.as_slice())
            {
                let (column, to_column) = (column.clone(), to_column.clone());
                found.push(NewForeignKey {
                    table: table.key,
                    column,
                    to_table: other.key,
                    to_column,
                    share: 1.0,
                });
            }
        }
    }
    found
}

/// The values of the columns that may refer to a key of another table, or be referred to.
fn profile(table: &StoredTable, all: &[StoredTable]) -> Result<TableProfile> {
    let columns = &table.table.columns;
    let mut profile = TableProfile::new(&table.name, columns, &[]);
    let others = || all.iter().filter(|other| other.key != table.key);
    let is_wanted = |column: &Column| {
        others().any(|other| {
            other.table.columns.iter().any(|c| {
                may_refer(column, c, &other.name, other.rows) || may_refer(c, column, &table.name, table.rows)
            })
        })
    };
    let wanted: Vec<usize> = (0..columns.len()).filter(|c| columns.get(*c).is_some_and(is_wanted)).collect();
    if wanted.is_empty() {
        return Ok(profile);
    }
    for batch in data::open(columns, &table.data, Some(&wanted))? {
        profile.see(&batch?);
    }
    Ok(profile)
}
