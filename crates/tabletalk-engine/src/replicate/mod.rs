//! Keeping a shared library in step: what others wrote is taken over, what was written here is published.
//!
//! A document is published in an order that never shows half of it: its vectors first, then its entries, then the document
//! itself, which makes it visible; what its earlier state left behind goes last. Every step can be repeated, so a run that
//! broke off is finished by the next one.

mod lease;

pub use lease::Leases;

use crate::group::Groups;
use crate::index::{self, Indexable, Sink};
use crate::maintain::finding::Finding;
use crate::take;
use crate::watch::{Watch, interrupted};
use std::collections::btree_map::Entry as Slot;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use tabletalk_core::seam::store::{Entry, Facets, Point, Segment, Space};
use tabletalk_core::seam::{SegmentStore, VectorStore};
use tabletalk_core::{Error, Result};
use tabletalk_store::keyword::{Doc, Field, Terms};
use tabletalk_store::segment::{Kept, Unpublished, files_of, kept_of};
use tabletalk_store::{Catalog, Keys, Library};

/// Documents published under one change.
const PAGE: usize = 256;
/// Documents taken over in one go: more than one change has.
const TAKEN: usize = 4 * PAGE;
/// Entries handed to a store in one go.
const TOGETHER: usize = 2000;
/// Vectors handed to a store in one go.
const VECTORS: usize = 4096;
/// The number of the last change that was taken over.
const SEEN: &str = "seen";
/// The state of the catalogue that is published.
const PUBLISHED: &str = "published";

/// How a group of words is weighed: what a store is told when it is made.
pub type Weigh<'a> = &'a dyn Fn(&str) -> tabletalk_core::seam::store::Weighing;

/// Makes what the segment store needs, or checks it.
pub fn prepare(library: &Library, groups: &Groups, weigh: Weigh<'_>) -> Result<()> {
    let Some(store) = &library.shared().segment else { return Ok(()) };
    let indexed = groups.all().iter().filter(|g| g.transform.is_indexed());
    let named: Vec<_> = indexed.map(|g| (g.name.clone(), weigh(&g.name))).collect();
    store.prepare(&named)
}

/// Whether there is nothing to take over and nothing to publish. One small request.
pub fn is_up_to_date(library: &Library) -> Result<bool> {
    let Some(store) = &library.shared().segment else { return Ok(true) };
    let catalog = library.catalog()?;
    let published = catalog.meta(PUBLISHED)?.unwrap_or(0) == catalog.publishable_state()?;
    Ok(published && catalog.meta(SEEN)?.unwrap_or(0) == store.last_change()?)
}

/// Takes over what others wrote. The caller holds the lock.
pub fn take_over(library: &Library, watch: &dyn Watch) -> Result<()> {
    let Some(store) = &library.shared().segment else { return Ok(()) };
    let mut seen = library.catalog()?.meta(SEEN)?.unwrap_or(0);
    if store.last_change()? < seen {
        watch.note(&format!("{} has lost what was in it: publishing all that is known here", store.name()));
        let mut catalog = library.catalog()?;
        let change = catalog.side_change()?;
        change.forget_all_published()?;
        change.put_meta(SEEN, 0)?;
        change.put_meta(PUBLISHED, 0)?;
        change.commit()?;
        seen = 0;
    }
    loop {
        let page = store.changes(seen, TAKEN)?;
        let Some(last) = page.last() else { return Ok(()) };
        // The last change of a full page may be cut: it comes again with the next one.
        let is_full = page.len() == TAKEN;
        seen = if is_full { last.change - 1 } else { last.change };
        watch.note(&format!("taking over {} documents", page.len()));
        let mut catalog = library.catalog()?;
        let ours = catalog.unpublished()?;
        let own: HashSet<i64> = ours.changed.iter().chain(&ours.gone).map(|o| o.0).collect();
        let mut change = catalog.side_change()?;
        for segment in page.iter().filter(|s| s.change <= seen && !own.contains(&s.key)) {
            change.take_over(segment)?;
        }
        change.put_meta(SEEN, seen)?;
        change.commit()?;
        if watch.stopped() {
            return Err(interrupted());
        }
        if !is_full {
            return Ok(());
        }
    }
}

/// Publishes what was written here and is `ready`, which says of a document whether it has all it needs. The caller holds
/// the lock.
pub fn publish(
    library: &Library,
    groups: &Groups,
    ready: &dyn Fn(&Catalog, i64) -> Result<bool>,
    watch: &dyn Watch,
) -> Result<()> {
    let shared = library.shared();
    let Some(store) = &shared.segment else { return Ok(()) };
    let state = library.catalog()?.publishable_state()?;
    let Unpublished { changed, gone } = library.catalog()?.unpublished()?;
    let mut waiting = false;
    let (store, vectors, spaces) = (&**store, shared.vector.as_deref(), BTreeSet::new());
    let mut publishing = Publishing { library, groups, store, vectors, spaces };
    for page in gone.chunks(PAGE) {
        publishing.withdraw(page)?;
    }
    for (i, page) in changed.chunks(PAGE).enumerate() {
        if watch.stopped() {
            return Err(interrupted());
        }
        watch.note(&format!("publishing document {} of {}", i * PAGE, changed.len()));
        let mut now = Vec::new();
        for (key, state) in page {
            match ready(&*library.catalog()?, *key)? {
                true => now.push((*key, state.clone())),
                false => waiting = true,
            }
        }
        publishing.page(&now)?;
    }
    publishing.settle()?;
    if !waiting {
        let mut catalog = library.catalog()?;
        let change = catalog.side_change()?;
        change.put_meta(PUBLISHED, state)?;
        change.commit()?;
    }
    Ok(())
}

struct Publishing<'a> {
    library: &'a Library,
    groups: &'a Groups,
    store: &'a dyn SegmentStore,
    vectors: Option<&'a dyn VectorStore>,
    /// Those that vectors were put into.
    spaces: BTreeSet<Space>,
}

impl Publishing<'_> {
    fn page(&mut self, page: &[(i64, String)]) -> Result<()> {
        if page.is_empty() {
            return Ok(());
        }
        let catalog = self.library.catalog()?;
        let mut segments = Vec::new();
        for (key, _) in page {
            segments.extend(catalog.segment(*key, self.vectors.is_none())?);
        }
        drop(catalog);
        let ids: Vec<String> = segments.iter().map(|s| s.id.clone()).collect();
        let before = self.store.segments(&ids)?;
        let stamp = self.store.reserve("stamp", 1)?;
        self.put_files(&segments)?;
        self.put_vectors(&segments)?;
        self.put_entries(&segments, stamp)?;
        self.store.commit(&segments)?;
        let old: Vec<(i64, i64)> = segments.iter().map(|s| (s.key, stamp)).collect();
        self.store.remove_entries(&old)?;
        self.remove_old_vectors(&before, &segments)?;
        self.remove_old_files(&before, &segments)?;
        // Its own changes need not be taken over: what is here is what was published.
        let mut catalog = self.library.catalog()?;
        let change = catalog.side_change()?;
        for (segment, (_, state)) in segments.iter().zip(page) {
            change.put_published(segment.key, &segment.id, state)?;
        }
        change.commit()
    }

    /// Lets documents that are gone here go everywhere.
    fn withdraw(&mut self, gone: &[(i64, String)]) -> Result<()> {
        let ids: Vec<String> = gone.iter().map(|g| g.1.clone()).collect();
        let before = self.store.segments(&ids)?;
        let segment =
            |g: &(i64, String)| Segment { key: g.0, id: g.1.clone(), gone: true, ..Segment::default() };
        let known = |g: &&(i64, String)| before.iter().any(|b| b.key == g.0);
        let segments: Vec<Segment> = gone.iter().filter(known).map(segment).collect();
        if !segments.is_empty() {
            self.store.commit(&segments)?;
            let all: Vec<(i64, i64)> = segments.iter().map(|s| (s.key, i64::MAX)).collect();
            self.store.remove_entries(&all)?;
            self.store.settle()?;
            self.remove_old_vectors(&before, &segments)?;
            self.remove_old_files(&before, &segments)?;
        }
        let mut catalog = self.library.catalog()?;
        let change = catalog.side_change()?;
        for (key, _) in gone {
            change.forget_published(*key)?;
        }
        change.commit()
    }

    fn put_files(&self, segments: &[Segment]) -> Result<()> {
        for segment in segments {
            files_of(segment)?.iter().try_for_each(|file| self.library.files().share(file))?;
        }
        Ok(())
    }

    fn put_vectors(&mut self, segments: &[Segment]) -> Result<()> {
        let Some(store) = self.vectors else { return Ok(()) };
        let mut spaces: BTreeMap<Space, Vec<(u64, i64)>> = BTreeMap::new();
        for segment in segments {
            for Kept { embed, group, key } in kept_of(segment)? {
                spaces.entry(Space { embed, group }).or_default().push((key, segment.key));
            }
        }
        for (space, keys) in spaces {
            put_points(self.library, store, &space, &keys)?;
            self.spaces.insert(space);
        }
        Ok(())
    }

    fn settle(&self) -> Result<()> {
        let Some(store) = self.vectors else { return Ok(()) };
        self.spaces.iter().try_for_each(|space| store.settle(space))
    }

    fn put_entries(&self, segments: &[Segment], stamp: i64) -> Result<()> {
        let analyzer = self.library.keyword().analyzer();
        let (terms, facets, waiting) = (Terms::new(analyzer), Facets::new(), BTreeMap::new());
        let mut sink = Entries { store: self.store, terms, facets, stamp, waiting };
        for segment in segments {
            let catalog = self.library.catalog()?;
            sink.facets = catalog.facets(segment.key)?;
            put_document(&catalog, self.groups, segment.key, &mut sink)?;
        }
        sink.flush()?;
        self.store.settle()
    }

    /// Removes the files of tables that documents had and have no more.
    fn remove_old_files(&self, before: &[Segment], now: &[Segment]) -> Result<()> {
        let mut kept = HashSet::new();
        for segment in now {
            kept.extend(files_of(segment)?);
        }
        for segment in before {
            let old = files_of(segment)?.into_iter().filter(|file| !kept.contains(file));
            old.into_iter().try_for_each(|file| self.library.files().remove(&file))?;
        }
        Ok(())
    }

    /// Removes the vectors that documents had and have no more.
    fn remove_old_vectors(&self, before: &[Segment], now: &[Segment]) -> Result<()> {
        let Some(store) = self.vectors else { return Ok(()) };
        let mut kept = HashSet::new();
        for segment in now {
            kept.extend(kept_of(segment)?);
        }
        let mut old: BTreeMap<Space, Vec<u64>> = BTreeMap::new();
        for segment in before {
            for one in kept_of(segment)?.into_iter().filter(|k| !kept.contains(k)) {
                old.entry(Space { embed: one.embed, group: one.group }).or_default().push(one.key);
            }
        }
        old.iter().try_for_each(|(space, keys)| store.remove(space, keys))
    }
}

/// Puts vectors of the catalogue, by key and document, into a store.
pub(crate) fn put_points(
    library: &Library,
    store: &dyn VectorStore,
    space: &Space,
    keys: &[(u64, i64)],
) -> Result<()> {
    let Some((model, dim)) = library.catalog()?.space_model(space)? else {
        return Err(Error::bug(format!(
            "the vectors of {} under {} have no model",
            space.group, space.embed
        )));
    };
    store.prepare(space, dim, &model)?;
    let catalog = library.catalog()?;
    let mut facets: BTreeMap<i64, Facets> = BTreeMap::new();
    for some in keys.chunks(VECTORS) {
        let numbers: Vec<u64> = some.iter().map(|k| k.0).collect();
        let documents: BTreeMap<u64, i64> = some.iter().copied().collect();
        facets.retain(|document, _| some.iter().any(|k| k.1 == *document));
        let mut points = Vec::with_capacity(some.len());
        for (key, vector) in catalog.vectors(&numbers)? {
            let Some(&document) = documents.get(&key) else { continue };
            let known = match facets.entry(document) {
                Slot::Occupied(slot) => slot.into_mut(),
                Slot::Vacant(slot) => slot.insert(catalog.facets(document)?),
            };
            points.push(Point { key, document, facets: known.clone(), vector });
        }
        store.put(space, &points)?;
    }
    Ok(())
}

/// Entries on their way into a segment store.
struct Entries<'a> {
    store: &'a dyn SegmentStore,
    terms: Terms,
    facets: Facets,
    stamp: i64,
    /// Those that wait to be written with others of their group.
    waiting: BTreeMap<String, Vec<Entry>>,
}

impl Entries<'_> {
    fn flush(&mut self) -> Result<()> {
        for (group, entries) in std::mem::take(&mut self.waiting) {
            self.store.put_entries(&group, &entries)?;
        }
        Ok(())
    }
}

impl Sink for Entries<'_> {
    fn cut(&mut self, values: &mut dyn Iterator<Item = &str>) -> [(Field, String); 2] {
        self.terms.cut(values)
    }

    fn add(&mut self, group: &str, docs: Vec<Doc>) -> Result<()> {
        if docs.is_empty() {
            return Ok(());
        }
        let entries = docs.into_iter().map(|doc| self.terms.entry(group, doc, self.stamp, &self.facets));
        let waiting = self.waiting.entry(group.to_owned()).or_default();
        waiting.extend(entries);
        if waiting.len() < TOGETHER {
            return Ok(());
        }
        let full = std::mem::take(waiting);
        self.store.put_entries(group, &full)
    }
}

fn put_document(catalog: &Catalog, groups: &Groups, key: i64, sink: &mut dyn Sink) -> Result<()> {
    let Some(record) = catalog.record_by_key(key)? else { return Ok(()) };
    let (tables, nodes) = (catalog.tables_of(key)?, catalog.nodes_of(key, None)?);
    let keys = Keys {
        document: key,
        replaced: false,
        tables: tables.iter().map(|t| t.key).collect(),
        nodes: nodes.iter().map(|n| n.0).collect(),
    };
    let mut values = Vec::new();
    for table in &tables {
        values.push(take::recount(&table.table.columns, &table.data)?);
    }
    let document = Indexable {
        keys: &keys,
        title: &record.title,
        name: &record.name,
        tables: tables.iter().map(|t| &t.table).collect(),
        nodes: nodes.iter().map(|n| &n.1).collect(),
    };
    index::add(sink, groups, &|_| true, &document, values)
}

/// Compares what the segment store has with the catalogue, and mends it when `repair` is set. The caller holds the lock.
pub fn compare(library: &Library, groups: &Groups, repair: bool, watch: &dyn Watch) -> Result<Vec<Finding>> {
    let Some(store) = &library.shared().segment else { return Ok(Vec::new()) };
    take_over(library, watch)?;
    let mut findings = Vec::new();
    let waiting = library.catalog()?.unpublished()?;
    let here: HashSet<i64> = library.catalog()?.published()?.into_iter().collect();
    let documents = store.documents()?;
    if documents != here.len() as u64 {
        let problem = format!("has {documents} documents, {} are known here", here.len());
        findings.push(Finding { part: store.name(), problem, repaired: repair });
        if repair {
            // Everything is taken over again.
            let mut catalog = library.catalog()?;
            let change = catalog.side_change()?;
            change.put_meta(SEEN, 0)?;
            change.commit()?;
            drop(catalog);
            take_over(library, watch)?;
        }
    }
    if !waiting.changed.is_empty() || !waiting.gone.is_empty() {
        let count = waiting.changed.len() + waiting.gone.len();
        let problem = format!("{count} documents were not published yet");
        findings.push(Finding { part: store.name(), problem, repaired: repair });
    }
    let strangers = strangers(&**store, groups, &here)?;
    if !strangers.is_empty() {
        let problem = format!("has entries of {} documents that are gone", strangers.len());
        findings.push(Finding { part: store.name(), problem, repaired: repair });
        if repair {
            let all: Vec<(i64, i64)> = strangers.iter().map(|key| (*key, i64::MAX)).collect();
            store.remove_entries(&all)?;
            store.settle()?;
        }
    }
    let lacking = lacking(library, &**store, groups, &here)?;
    if !lacking.is_empty() {
        let problem = format!("lacks the entries of {} documents", lacking.len());
        findings.push(Finding { part: store.name(), problem, repaired: repair });
        if repair {
            let mut catalog = library.catalog()?;
            let change = catalog.side_change()?;
            for key in &lacking {
                change.put_published(*key, "", "lacking")?;
            }
            change.put_meta(PUBLISHED, 0)?;
            change.commit()?;
        }
    }
    Ok(findings)
}

/// Documents with entries that nobody knows: left behind by a worker that broke off, or of a document that went.
fn strangers(store: &dyn SegmentStore, groups: &Groups, here: &HashSet<i64>) -> Result<HashSet<i64>> {
    let mut strangers = HashSet::new();
    for group in groups.all().iter().filter(|g| g.transform.is_indexed()) {
        let with = with_entries(store, &group.name)?;
        strangers.extend(with.into_iter().filter(|key| !here.contains(key)));
    }
    Ok(strangers)
}

/// Documents with tables or nodes that have no entry for them.
fn lacking(
    library: &Library,
    store: &dyn SegmentStore,
    groups: &Groups,
    here: &HashSet<i64>,
) -> Result<HashSet<i64>> {
    let mut lacking = HashSet::new();
    for group in groups.all().iter().filter(|g| g.transform.is_indexed() && g.name != "cell") {
        let with: HashSet<i64> = with_entries(store, &group.name)?.into_iter().collect();
        let wanted = match group.name.as_str() {
            "table" | "schema" => library.catalog()?.documents_with_tables()?,
            name => library.catalog()?.documents_with(name)?.into_iter().map(|d| d.1).collect(),
        };
        lacking.extend(wanted.into_iter().filter(|key| here.contains(key) && !with.contains(key)));
    }
    Ok(lacking)
}

fn with_entries(store: &dyn SegmentStore, group: &str) -> Result<Vec<i64>> {
    let mut all: Vec<i64> = Vec::new();
    loop {
        let page = store.entry_counts(group, all.last().copied().unwrap_or(0), TAKEN)?;
        all.extend(page.iter().map(|p| p.0));
        if page.len() < TAKEN {
            return Ok(all);
        }
    }
}
