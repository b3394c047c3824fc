//! Dense, late and sparse indexes, kept in step with the vectors in the catalogue.

use super::filled::Filled;
use super::{Filling, Job, Slot};
use crate::watch::Watch;
use std::collections::HashSet;
use std::sync::Arc;
use tabletalk_core::Result;
use tabletalk_core::seam::VectorStore;
use tabletalk_store::Library;
use tabletalk_store::embedding::Space;
use tabletalk_store::vectors::{Late, Sparse};
use tabletalk_vector::must_rebuild;

/// Vectors read from the catalogue in one go.
const CHUNK: usize = 4096;
/// Documents that a model makes vectors for between two commits.
const PAGE: usize = 512;

/// Whether every dense index has all the vectors of its space. No model is needed for this. Late and sparse
/// indexes are made when nodes are embedded; one that is behind finds less, and nothing that is gone.
pub fn is_up_to_date(job: &Job<'_>) -> Result<bool> {
    let catalog = job.library.catalog()?;
    if job.library.shared().vector.is_some() {
        return is_kept(job);
    }
    let settings = &job.embedders.settings;
    for (space, count) in catalog.spaces()? {
        let (Ok(_), Some(dim)) = (job.embedders.get(&space.embed), dim(job, &space)?) else { continue };
        let state = catalog.space_state(&space)?;
        let dense = job.library.vectors().dense(&space, dim, &settings.dense, state);
        if count > 0 && !dense.is_ok_and(|index| index.is_some_and(|i| i.generation() == state)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The note of the state of a space that the vector store has; with a shared segment store it has what was published.
fn kept_state(space: &Space) -> String {
    format!("kept {}/{}", space.embed, space.group)
}

fn is_kept(job: &Job<'_>) -> Result<bool> {
    let catalog = job.library.catalog()?;
    if job.library.shared().segment.is_some() {
        return Ok(true);
    }
    for space in dense_spaces(job)? {
        if catalog.meta(&kept_state(&space))? != Some(catalog.space_state(&space)? as i64) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Brings a vector store up to date with the catalogue. One that others use too has what is published, and nothing else.
fn bring_store(job: &Job<'_>, store: &dyn VectorStore, watch: &dyn Watch) -> Result<()> {
    if job.library.shared().segment.is_some() {
        return Ok(());
    }
    let spaces = dense_spaces(job)?;
    for space in store.spaces()?.into_iter().filter(|s| !spaces.contains(s)) {
        store.drop_space(&space)?;
    }
    for space in spaces {
        let state = job.library.catalog()?.space_state(&space)? as i64;
        if job.library.catalog()?.meta(&kept_state(&space))? == Some(state) {
            continue;
        }
        watch.note(&format!("putting the vectors of {} into {}", space.group, store.name()));
        compare_and_put(job.library, store, &space, watch)?;
        let mut catalog = job.library.catalog()?;
        let change = catalog.side_change()?;
        change.put_meta(&kept_state(&space), state)?;
        change.commit()?;
    }
    Ok(())
}

/// Removes from a store what the catalogue does not know and puts what the store does not have; how many of both.
pub(crate) fn compare_and_put(
    library: &Library,
    store: &dyn VectorStore,
    space: &Space,
    watch: &dyn Watch,
) -> Result<(usize, usize)> {
    if let Some((model, dim)) = library.catalog()?.space_model(space)? {
        store.prepare(space, dim, &model)?;
    }
    let (gone, new) =
        difference(kept_keys(store, space)?.into_iter(), library.catalog()?.vector_keys(space)?);
    for keys in gone.chunks(CHUNK) {
        store.remove(space, keys)?;
    }
    for keys in new.chunks(CHUNK) {
        if watch.stopped() {
            return Err(crate::watch::interrupted());
        }
        let mut pairs = Vec::with_capacity(keys.len());
        for &key in keys {
            pairs.extend(library.catalog()?.vector_owner(key)?.map(|owner| (key, owner.document)));
        }
        crate::replicate::put_points(library, store, space, &pairs)?;
    }
    store.settle(space)?;
    Ok((gone.len(), new.len()))
}

pub(crate) fn kept_keys(store: &dyn VectorStore, space: &Space) -> Result<Vec<u64>> {
    let mut all: Vec<u64> = Vec::new();
    loop {
        let page = store.keys(space, all.last().copied(), CHUNK)?;
        all.extend(page.iter().map(|k| k.0));
        if page.len() < CHUNK {
            return Ok(all);
        }
    }
}

/// The length of the dense vectors of a space; `None` where it has none.
pub(crate) fn dim(job: &Job<'_>, space: &Space) -> Result<Option<usize>> {
    Ok(job.library.catalog()?.space_model(space)?.map(|(_, dim)| dim).filter(|dim| *dim > 0))
}

/// The spaces but those of models that only give sparse vectors.
fn dense_spaces(job: &Job<'_>) -> Result<Vec<Space>> {
    let catalog = job.library.catalog()?;
    let mut spaces = Vec::new();
    for (space, _) in catalog.spaces()? {
        if !matches!(catalog.space_model(&space)?, Some((_, 0))) {
            spaces.push(space);
        }
    }
    Ok(spaces)
}

/// Brings every index up to date with the catalogue. The caller holds the lock.
pub fn bring_up_to_date(job: &Job<'_>, watch: &dyn Watch) -> Result<()> {
    bring_dense_up_to_date(job, watch)?;
    let vectors = job.library.vectors();
    for (space, _) in job.library.catalog()?.spaces()? {
        let slot = slot_of(job, &space);
        if let Some(slot) = slot.filter(|slot| slot.late) {
            let dim = slot.model()?.token_dim();
            bring(job, slot, &space, vectors.write_late(&space, dim, &job.embedders.settings.late)?, watch)?;
        }
        if let Some(slot) = slot.filter(|slot| slot.sparse) {
            bring(job, slot, &space, vectors.write_sparse(&space)?, watch)?;
        }
    }
    Ok(())
}

/// Brings every dense index up to date with the catalogue, for which no model is needed. The caller holds
/// the lock.
pub fn bring_dense_up_to_date(job: &Job<'_>, watch: &dyn Watch) -> Result<()> {
    if let Some(store) = &job.library.shared().vector {
        return bring_store(job, &**store, watch);
    }
    let spaces = job.library.catalog()?.spaces()?;
    drop_strangers(job, &spaces.iter().map(|s| s.0.clone()).collect())?;
    for (space, _) in spaces {
        if let Some(dim) = dim(job, &space)? {
            bring_dense(job, &space, dim, watch)?;
        }
    }
    Ok(())
}

/// Indexes of spaces without vectors are removed.
fn drop_strangers(job: &Job<'_>, known: &HashSet<Space>) -> Result<()> {
    let vectors = job.library.vectors();
    for space in vectors.spaces() {
        if !known.contains(&space) {
            vectors.drop_space(&space)?;
        }
    }
    Ok(())
}

fn bring_dense(job: &Job<'_>, space: &Space, dim: usize, watch: &dyn Watch) -> Result<()> {
    let catalog = job.library.catalog()?;
    let state = catalog.space_state(space)?;
    let mut index = job.library.vectors().write_dense(space, dim, &job.embedders.settings.dense)?;
    if index.generation() == state {
        return Ok(());
    }
    watch.note(&format!("indexing the vectors of {}", space.group));
    let (gone, new) = difference(index.ids(), catalog.vector_keys(space)?);
    index.remove(&gone)?;
    for keys in new.chunks(CHUNK) {
        let vectors = catalog.vectors(keys)?;
        index.add(vectors.iter().map(|(key, vector)| (*key, vector.as_slice())))?;
    }
    index.commit(state)
}

fn bring<I: Filled>(
    job: &Job<'_>,
    slot: &Slot,
    space: &Space,
    mut index: I,
    watch: &dyn Watch,
) -> Result<()> {
    let catalog = job.library.catalog()?;
    let state = catalog.space_state(space)?;
    if index.state() == state {
        return Ok(());
    }
    let model = slot.model()?;
    let (gone, new) = difference(index.keys().into_iter(), catalog.vector_keys(space)?);
    index.remove(&gone)?;
    let documents = catalog.documents_of_vectors(&new)?;
    let filling = Filling::new(job, slot, job.groups.get(&space.group)?);
    let begun = std::time::Instant::now();
    for (i, page) in documents.chunks(PAGE).enumerate() {
        if watch.stopped() {
            return Ok(());
        }
        filling.add_to(&*model, page, &mut index)?;
        index.commit(0)?;
        let ready = (i * PAGE + page.len()) as u64;
        let what = format!("{} of {}", I::NAME, space.group);
        watch.embedded(&what, ready, documents.len() as u64, begun.elapsed());
    }
    index.commit(state)
}

/// What must go from an index, and what must come.
fn difference(have: impl Iterator<Item = u64>, want: Vec<u64>) -> (Vec<u64>, Vec<u64>) {
    let have: HashSet<u64> = have.collect();
    let new: Vec<u64> = want.iter().copied().filter(|key| !have.contains(key)).collect();
    let want: HashSet<u64> = want.into_iter().collect();
    (have.into_iter().filter(|key| !want.contains(key)).collect(), new)
}

/// What is wrong with the indexes of vectors: the part and the problem.
pub fn damage(job: &Job<'_>) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    let mut tell = |name: &str, space: &Space, problem: Option<String>| {
        let part = format!("{name} of {} under {}", space.group, space.embed);
        found.extend(problem.map(|problem| (part, problem)));
    };
    let (catalog, vectors) = (job.library.catalog()?, job.library.vectors());
    for (space, _) in catalog.spaces()? {
        let state = catalog.space_state(&space)?;
        tell("vectors", &space, dense_damage(job, &space, state)?);
        let Some(slot) = slot_of(job, &space) else { continue };
        if slot.late {
            let problem = match slot.model() {
                Ok(model) => {
                    let settings = &job.embedders.settings.late;
                    let index = vectors.late(&space, model.token_dim(), settings, state);
                    problem(index, |index| index.state() == state)?
                }
                Err(e) => Some(format!("cannot be checked without its model: {e}")),
            };
            tell(Late::NAME, &space, problem);
        }
        if slot.sparse {
            let index = vectors.sparse(&space, state);
            tell(Sparse::NAME, &space, problem(index, |index| index.state() == state)?);
        }
    }
    Ok(found)
}

fn dense_damage(job: &Job<'_>, space: &Space, state: u64) -> Result<Option<String>> {
    let Some(dim) = dim(job, space)? else { return Ok(None) };
    let Some(store) = &job.library.shared().vector else {
        let index = job.library.vectors().dense(space, dim, &job.embedders.settings.dense, state);
        return problem(index, |index| index.generation() == state);
    };
    let kept = kept_keys(&**store, space)?.into_iter();
    let (gone, new) = difference(kept, job.library.catalog()?.vector_keys(space)?);
    let (name, gone, new) = (store.name(), gone.len(), new.len());
    Ok((gone + new > 0).then(|| format!("{name} lacks {new} vectors and has {gone} that nobody knows")))
}

/// What is wrong with an index that was opened, or could not be.
fn problem<I>(index: Result<Option<Arc<I>>>, is_whole: impl Fn(&I) -> bool) -> Result<Option<String>> {
    match index {
        Ok(Some(index)) if is_whole(&index) => Ok(None),
        Ok(Some(_)) => Ok(Some("is behind the catalogue".into())),
        Ok(None) => Ok(Some("is missing".into())),
        Err(e) if must_rebuild(&e) => Ok(Some(e.to_string())),
        Err(e) => Err(e),
    }
}

/// The slot that fills a space, where one is configured.
fn slot_of<'a>(job: &Job<'a>, space: &Space) -> Option<&'a Slot> {
    job.embedders.get(&space.embed).ok().filter(|slot| slot.groups.contains(&space.group))
}
