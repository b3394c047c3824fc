//! Moving a library: everything in it is copied to another configuration, without reading or embedding anything again.

use crate::Library;
use serde::Serialize;
use std::collections::HashSet;
use tabletalk_core::seam::store::Segment;
use tabletalk_core::{Error, Result};
use tabletalk_engine::maintain;
use tabletalk_engine::watch::Watch;
use tabletalk_store::{Catalog, Data};

/// Documents moved under one change.
const PAGE: usize = 128;

/// What was moved, and how it was checked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Documents that were copied now.
    pub documents: u64,
    /// Documents that were there already.
    pub known: u64,
    /// Files of tables that were copied now.
    pub files: u64,
    /// Vectors in the library that was moved to.
    pub vectors: u64,
    /// Documents whose content was compared byte by byte.
    pub compared: u64,
}

/// Copies everything from one library to another, which is empty or has a part of the same already.
pub fn migrate(from: &Library, to: &Library, watch: &dyn Watch) -> Result<Moved> {
    from.refresh(watch)?;
    let _guard = to.store().lock()?;
    maintain::bring_up_to_date(to.store(), to.groups(), watch)?;
    let keys = keys(&*from.store().catalog()?)?;
    check_target(from, to, &keys)?;
    let mut moved = Moved::default();
    for (i, page) in keys.chunks(PAGE).enumerate() {
        if watch.stopped() {
            return Err(Error::limit("interrupted").hint("run the same command again to go on"));
        }
        watch.note(&format!("moving document {} of {}", i * PAGE, keys.len()));
        move_page(from, to, page, &mut moved)?;
    }
    maintain::bring_up_to_date(to.store(), to.groups(), watch)?;
    tabletalk_engine::embed::bring_up_to_date(&to.embed_job(), watch)?;
    to.publish_all(watch)?;
    verify(from, to, &keys, &mut moved, watch)?;
    Ok(moved)
}

/// All documents, those of the library's own too.
fn keys(catalog: &Catalog) -> Result<Vec<i64>> {
    catalog.select(|_| true)
}

/// What is in the target must be a part of what is moved; its keys must be free.
fn check_target(from: &Library, to: &Library, keys: &[i64]) -> Result<()> {
    let known: HashSet<i64> = keys.iter().copied().collect();
    let there = to.store().catalog()?;
    for key in self::keys(&there)? {
        let here = from.store().catalog()?.record_by_key(key)?;
        let other = there.record_by_key(key)?;
        let is_same = known.contains(&key) && here.map(|r| r.id) == other.map(|r| r.id);
        if !is_same {
            return Err(Error::input("the library that it should be moved to holds something else")
                .hint("move to an empty one: another folder, another `prefix` in the stores"));
        }
    }
    if let Some(store) = &to.store().shared().segment {
        // Keys that are moved must never be given to anybody else.
        let last = from.store().catalog()?.last_key()?;
        while store.reserve("key", 1)? <= last {
            store.reserve("key", last as u64 + 1)?;
        }
    }
    Ok(())
}

fn move_page(from: &Library, to: &Library, page: &[i64], moved: &mut Moved) -> Result<()> {
    let mut new: Vec<Segment> = Vec::new();
    for &key in page {
        let source = from.store().catalog()?;
        let Some(segment) = source.segment(key, true)? else { continue };
        match is_there(to, &segment, &source)? {
            true => moved.known += 1,
            false => {
                moved.files += copy_files(&source, to, key)?;
                new.push(segment);
            }
        }
    }
    if new.is_empty() {
        return Ok(());
    }
    let mut catalog = to.store().catalog()?;
    let mut change = catalog.change()?;
    for segment in &new {
        change.take_over(segment)?;
        change.renew(segment.key)?;
        put_kept_elsewhere(from, &change, segment.key)?;
    }
    change.commit()?;
    moved.documents += new.len() as u64;
    Ok(())
}

/// Vectors that are kept in a store, not in the catalogue, are brought along.
fn put_kept_elsewhere(from: &Library, change: &tabletalk_store::Change<'_>, document: i64) -> Result<()> {
    if from.store().shared().vector.is_none() {
        return Ok(());
    }
    let catalog = from.store().catalog()?;
    for (space, _) in catalog.spaces()? {
        let Some((model, 1..)) = catalog.space_model(&space)? else { continue };
        let pieces = catalog.pieces_of(&space, document)?;
        let keys: Vec<u64> = pieces.iter().map(|p| p.0).collect();
        for (key, vector) in from.store().vectors_of(&space, &keys)? {
            if let Some((_, piece)) = pieces.iter().find(|p| p.0 == key) {
                change.put_embedding(&model, &piece.hash, &vector)?;
            }
        }
    }
    Ok(())
}

fn is_there(to: &Library, segment: &Segment, source: &Catalog) -> Result<bool> {
    let plain = |catalog: &Catalog| catalog.segment(segment.key, false);
    Ok(plain(&*to.store().catalog()?)?.is_some_and(|there| {
        plain(source).is_ok_and(|here| here.is_some_and(|here| here.body == there.body))
    }))
}

fn copy_files(source: &Catalog, to: &Library, document: i64) -> Result<u64> {
    let mut copied = 0;
    for table in source.tables_of(document)? {
        if let Data::File(file) = &table.data {
            copied += u64::from(to.store().files().take(file)?);
        }
    }
    Ok(copied)
}

/// Everything that was to be moved is there, and is the same.
fn verify(from: &Library, to: &Library, keys: &[i64], moved: &mut Moved, watch: &dyn Watch) -> Result<()> {
    watch.note("comparing");
    let differs = |what: String| Error::bug(format!("what was moved is not the same: {what}"));
    let (here, there) = (from.store().catalog()?, to.store().catalog()?);
    for &key in keys {
        let (one, two) = (here.segment(key, false)?, there.segment(key, false)?);
        if one.as_ref().map(|s| &s.body) != two.as_ref().map(|s| &s.body) {
            return Err(differs(format!("document {}", one.map(|s| s.id).unwrap_or_default())));
        }
        moved.compared += 1;
    }
    for (space, count) in here.spaces()? {
        // Stores keep the vectors of whole texts.
        let is_dense = !matches!(here.space_model(&space)?, Some((_, 0)));
        let kept = match &to.store().shared().vector {
            Some(store) if is_dense => store.count(&space)?,
            _ => there.vector_keys(&space)?.len() as u64,
        };
        if kept != count {
            return Err(differs(format!(
                "{kept} of {count} vectors of {} under {}",
                space.group, space.embed
            )));
        }
        moved.vectors += count;
    }
    match &to.store().shared().segment {
        Some(store) if store.documents()? != keys.len() as u64 => {
            Err(differs(format!("{} of {} documents", store.documents()?, keys.len())))
        }
        _ => Ok(()),
    }
}
