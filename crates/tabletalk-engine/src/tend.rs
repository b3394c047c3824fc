//! Keeping a library sound: indexes brought up to date, changed groups made again, damage found and mended.

use crate::group::{Definition, Groups, text};
use crate::index::{self, Indexable};
use crate::ingest::{Watch, take};
use serde::Serialize;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tabletalk_core::{Node, Result};
use tabletalk_store::keyword::Writer;
use tabletalk_store::{Catalog, Data, Keys, Library, data};

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

/// The groups that have an index of this library's own: none when others use it too.
pub(crate) fn own_indexes<'a>(library: &Library, groups: &'a Groups) -> Vec<&'a Definition> {
    let is_own = library.shared().segment.is_none();
    groups.all().iter().filter(|g| is_own && g.transform.is_indexed()).collect()
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
        return crate::share::take_over(library, watch);
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
            return Err(crate::ingest::interrupted());
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

/// Something wrong with a library.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Where.
    pub part: String,
    /// What is wrong.
    pub problem: String,
    /// Whether it was mended.
    pub repaired: bool,
}

/// Looks for damage; mends what can be made again when `repair` is set.
pub fn doctor(library: &Library, groups: &Groups, repair: bool, watch: &dyn Watch) -> Result<Vec<Finding>> {
    let _guard = library.lock()?;
    let mut findings = Vec::new();
    let find = |part: &str, problem: String, repaired| Finding { part: part.into(), problem, repaired };
    for problem in library.catalog()?.integrity()? {
        findings.push(find("catalogue", problem, false));
    }
    for name in library.catalog()?.unreadable()? {
        let problem = "is damaged: `tabletalk forget` it and add it again".into();
        findings.push(find(&format!("document {name}"), problem, false));
    }
    findings.extend(check_files(library, repair)?);
    findings.extend(check_tables(library, repair, watch)?);
    let generation = library.catalog()?.generation()?;
    for group in own_indexes(library, groups).into_iter().filter(|_| generation > 0) {
        let name = &group.name;
        watch.note(&format!("checking the index of {name}"));
        let damage = library.keyword().damage(name).or_else(|| behind(library, name, generation));
        if let Some(problem) = damage {
            if repair {
                library.keyword().drop_group(name)?;
            }
            findings.push(find(&format!("index {name}"), problem, repair));
        }
    }
    if repair {
        bring_up_to_date(library, groups, watch)?;
    }
    Ok(findings)
}

/// Files that an earlier version of the reader read: adding them again reads them anew.
pub fn read_before(library: &Library, version: u32) -> Result<Vec<Finding>> {
    let stale = library.catalog()?.sources_without(&crate::ingest::reader_mark(version))?;
    let finding = |(path, documents): (String, u64)| {
        let what = if documents == 1 { "1 document".into() } else { format!("{documents} documents") };
        let problem =
            format!("{what} read by an earlier version may read differently now; add the file again");
        Finding { part: path, problem, repaired: false }
    };
    Ok(stale.into_iter().map(finding).collect())
}

fn behind(library: &Library, name: &str, generation: i64) -> Option<String> {
    match library.keyword().generation(name) {
        Ok(Some(seen)) if seen == generation => None,
        Ok(seen) => Some(format!("has seen change {} of {generation}", seen.unwrap_or(0))),
        Err(e) => Some(e.to_string()),
    }
}

/// Files of tables that nobody speaks of.
fn check_files(library: &Library, repair: bool) -> Result<Vec<Finding>> {
    let known: HashSet<String> = library.catalog()?.files()?.into_iter().collect();
    let mut findings = Vec::new();
    for name in library.files().settled()? {
        if known.contains(&name) {
            continue;
        }
        let repaired = repair && library.files().remove(&name).is_ok();
        findings.push(Finding {
            part: format!("tables/{name}"),
            problem: "belongs to no table".into(),
            repaired,
        });
    }
    Ok(findings)
}

/// Tables whose rows cannot be read, or are not as many as they should be.
/// When they are to be mended, their files are forgotten, so that adding them again reads them again.
fn check_tables(library: &Library, repair: bool, watch: &dyn Watch) -> Result<Vec<Finding>> {
    let mut catalog = library.catalog()?;
    let mut findings = Vec::new();
    let mut after = 0;
    loop {
        let tables = catalog.tables(after, PAGE)?;
        let Some(last) = tables.last() else { return Ok(findings) };
        after = last.key;
        for stored in &tables {
            if let Data::File(_) = stored.data {
                watch.note(&format!("checking {}", stored.name));
            }
            let problem = match count_rows(stored) {
                Ok(rows) if rows == stored.rows => continue,
                Ok(rows) => format!("has {rows} rows, should have {}", stored.rows),
                Err(e) => format!("{e}; add {} again", stored.file),
            };
            if repair {
                let change = catalog.change()?;
                change.forget_source_of(tabletalk_core::node::document_of(&stored.id))?;
                change.commit()?;
            }
            findings.push(Finding { part: format!("table {}", stored.name), problem, repaired: false });
        }
    }
}

fn count_rows(stored: &tabletalk_store::StoredTable) -> Result<u64> {
    let mut rows = 0;
    for batch in data::open(&stored.table.columns, &stored.data, Some(&[]))? {
        rows += batch?.len() as u64;
    }
    Ok(rows)
}
