//! Keeping a library sound: indexes brought up to date, changed groups made again, damage found and mended (`doctor`).

mod doctor;
pub mod finding;

pub use doctor::doctor;
pub use finding::Finding;

use crate::group::{Groups, text};
use crate::index::{self, Indexable, own_indexes};
use crate::take;
use crate::watch::{Watch, interrupted};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tabletalk_core::{Node, Result};
use tabletalk_store::keyword::Writer;
use tabletalk_store::{Catalog, Keys, Library};

/// Documents looked at in one go.
const PAGE: usize = 256;

/// Whether an index is behind the catalogue or a group was defined anew. Cheap.
pub fn is_up_to_date(library: &Library, groups: &Groups) -> Result<bool> {
    let catalog = library.catalog()?;
    let generation = catalog.generation()?;
    for group in own_indexes(library, groups) {
        if library.keyword().generation(&group.name)? != Some(generation) {
            return Ok(generation == 0);
        }
    }
    Ok(changed_groups(&catalog, groups)?.is_empty() && !words_changed(library, &catalog)?)
}

/// The entry beside the groups that says how text was cut when the indexes were made.
const WORDS: &str = "~words";

fn words_changed(library: &Library, catalog: &Catalog) -> Result<bool> {
    let now = library.keyword().analyzer().fingerprint();
    Ok(!catalog.groups()?.iter().any(|(name, print)| name == WORDS && *print == now))
}

/// When the rules or the dictionary changed by which text is cut, every index is dropped.
fn check_words(library: &Library, groups: &Groups) -> Result<()> {
    let mut catalog = library.catalog()?;
    if !words_changed(library, &catalog)? {
        return Ok(());
    }
    for group in groups.all() {
        library.keyword().drop_group(&group.name)?;
    }
    let change = catalog.change()?;
    change.put_group(WORDS, Some(&library.keyword().analyzer().fingerprint()))?;
    change.commit()
}

/// Makes changed groups again and brings every index up to date. The caller holds the lock.
pub fn bring_up_to_date(library: &Library, groups: &Groups, watch: &dyn Watch) -> Result<()> {
    library.files().sweep(&library.catalog()?.files()?.into_iter().collect())?;
    check_words(library, groups)?;
    remake_groups(library, groups, watch)?;
    if library.shared().segment.is_some() {
        return crate::replicate::take_over(library, watch);
    }
    if library.keyword().groups().is_empty() && library.catalog()?.counts()?[0] == 0 {
        return Ok(());
    }
    let generation = library.catalog()?.generation()?;
    let mut behind: Vec<(String, i64)> = Vec::new();
    for group in groups.all().iter().filter(|g| g.transform.is_indexed()) {
        let seen = library.keyword().generation(&group.name)?.unwrap_or(0);
        if seen != generation {
            behind.push((group.name.clone(), seen));
        }
    }
    let Some(since) = behind.iter().map(|b| b.1).min() else { return Ok(()) };
    // An index ahead of the catalogue was made from something that is lost: make it anew.
    let since = if behind.iter().any(|b| b.1 > generation) { 0 } else { since };
    watch.note("bringing the index up to date");
    let names: HashSet<String> = behind.into_iter().map(|b| b.0).collect();
    reindex(library, groups, &names, since, watch)
}

/// Groups whose definition is not the one their nodes were made with, and groups that are gone.
fn changed_groups(catalog: &Catalog, groups: &Groups) -> Result<Vec<String>> {
    let known = catalog.groups()?;
    let mut changed = Vec::new();
    for group in groups.all() {
        let print = groups.fingerprint(group);
        match known.iter().find(|(name, _)| *name == group.name) {
            Some((_, old)) if *old == print => {}
            _ => changed.push(group.name.clone()),
        }
    }
    let gone = |name: &String| groups.get(name).is_err() && name != WORDS;
    changed.extend(known.into_iter().map(|k| k.0).filter(gone));
    Ok(changed)
}

fn remake_groups(library: &Library, groups: &Groups, watch: &dyn Watch) -> Result<()> {
    let changed = changed_groups(&*library.catalog()?, groups)?;
    if changed.is_empty() {
        return Ok(());
    }
    let mut catalog = library.catalog()?;
    let is_new = catalog.counts()?[0] == 0;
    if !is_new {
        watch.note(&format!("making groups again: {}", changed.join(", ")));
    }
    for name in &changed {
        library.keyword().drop_group(name)?;
    }
    let keys: Vec<i64> = match is_new {
        true => Vec::new(),
        false => catalog.select(|_| true)?,
    };
    let mut nodes: Vec<(i64, Vec<Node>)> = Vec::new();
    for key in keys {
        let again = AssertUnwindSafe(|| text::nodes_again(&catalog, key, groups));
        // Of one that is damaged there are no nodes; `doctor` tells of it.
        let made = catch_unwind(again).unwrap_or_else(|_| Ok(Vec::new()))?;
        nodes.push((key, made.into_iter().filter(|n| changed.contains(&n.group)).collect()));
    }
    let change = catalog.change()?;
    for name in &changed {
        change.clear_group(name)?;
        let print = groups.get(name).ok().map(|g| groups.fingerprint(g));
        change.put_group(name, print.as_deref())?;
    }
    for (key, nodes) in &nodes {
        for node in nodes {
            change.put_node(*key, node)?;
        }
    }
    // A library that is still empty needs no new generation: there is nothing to index.
    change.commit()
}

/// Indexes the documents that changed after `since`; all of them, from nothing, when that is 0.
fn reindex(
    library: &Library,
    groups: &Groups,
    names: &HashSet<String>,
    since: i64,
    watch: &dyn Watch,
) -> Result<()> {
    let mut writer = library.keyword().writer();
    let catalog = library.catalog()?;
    let generation = catalog.generation()?;
    let (changed, gone) = catalog.changed_since(since)?;
    for name in names {
        writer.touch(name)?;
        if since == 0 {
            writer.clear(name)?;
            continue;
        }
        for &key in changed.iter().chain(&gone) {
            writer.remove(name, key)?;
        }
    }
    for (i, &key) in changed.iter().enumerate() {
        if watch.stopped() {
            return Err(interrupted());
        }
        if i % PAGE == 0 && i > 0 {
            watch.note(&format!("indexing document {i} of {}", changed.len()));
        }
        index_document(&catalog, groups, names, key, &mut writer)?;
    }
    writer.commit(generation)?;
    writer.finish()
}

fn index_document(
    catalog: &Catalog,
    groups: &Groups,
    names: &HashSet<String>,
    key: i64,
    writer: &mut Writer<'_>,
) -> Result<()> {
    let Some(record) = catalog.record_by_key(key)? else { return Ok(()) };
    let tables = catalog.tables_of(key)?;
    let nodes = catalog.nodes_of(key, None)?;
    let keys = Keys {
        document: key,
        replaced: false,
        tables: tables.iter().map(|t| t.key).collect(),
        nodes: nodes.iter().map(|n| n.0).collect(),
    };
    let mut values = Vec::new();
    if names.contains("cell") || names.contains("table") {
        for table in &tables {
            // A table whose file is gone must not keep the others from being found; `doctor` tells of it.
            let recount = AssertUnwindSafe(|| take::recount(&table.table.columns, &table.data));
            values.push(catch_unwind(recount).unwrap_or_else(|_| Ok(Vec::new())).unwrap_or_default());
        }
    }
    let document = Indexable {
        keys: &keys,
        title: &record.title,
        name: &record.name,
        tables: tables.iter().map(|t| &t.table).collect(),
        nodes: nodes.iter().map(|n| &n.1).collect(),
    };
    index::add(writer, groups, &|name| names.contains(name), &document, values)
}
