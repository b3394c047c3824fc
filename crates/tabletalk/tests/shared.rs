//! Libraries in stores that others use too. The stores are those in memory; `scripts/check-stores` does the same with real ones.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tabletalk::store::{Shared, Tables};
use tabletalk::{
    AddOptions, Config, Library, Retriever, Similarity, Status, Unwatched, migrating, open_with,
};
use tabletalk_core::seam::store::{
    Allow, Entry, EntryHit, EntryQuery, Near, Point, Segment, Space, Term, Weighing,
};
use tabletalk_core::seam::{
    ChangeLog, Coordinator, EntryReader, EntryWriter, SegmentStore, TableStore, VectorStore,
};
use tabletalk_core::{Error, Result};
use tabletalk_remote::memory;
use tempfile::TempDir;

/// Stores in memory, and workers on them.
struct Team {
    segments: memory::Segments,
    vectors: memory::Vectors,
    tables: memory::Tables,
    dir: TempDir,
}

impl Team {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("files")).unwrap();
        let (segments, vectors) = (memory::Segments::new(), memory::Vectors::new());
        Team { segments, vectors, tables: memory::Tables::default(), dir }
    }

    fn worker(&self, name: &str) -> Library {
        self.worker_on(name, Arc::new(self.segments.clone()), Arc::new(self.vectors.clone()))
    }

    fn worker_on(&self, name: &str, segment: Arc<dyn SegmentStore>, vector: Arc<dyn VectorStore>) -> Library {
        let tables = Tables::Store(Arc::new(self.tables.clone()));
        self.open(name, Shared { segment: Some(segment), vector: Some(vector), tables: Some(tables) })
    }

    /// A worker that keeps files of tables in a folder of all.
    fn worker_with_folder(&self, name: &str) -> Library {
        let segment: Arc<dyn SegmentStore> = Arc::new(self.segments.clone());
        let tables = Some(Tables::Folder(self.dir.path().join("tables")));
        self.open(name, Shared { segment: Some(segment), vector: None, tables })
    }

    fn open(&self, name: &str, shared: Shared) -> Library {
        open_with(&Config::default(), &self.dir.path().join(name), true, shared).unwrap()
    }

    fn file(&self, name: &str, text: &str) -> std::path::PathBuf {
        let path = self.dir.path().join("files").join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

const RIVERS: &str = "river,length\nGlomma,621\nDrammenselva,301\n";
const CITIES: &str = "city,people\nOslo,709037\n北京,21893095\n";

fn add(library: &Library, path: &Path) -> Vec<Status> {
    let done = library.add(&[path.to_owned()], &AddOptions::default(), &Unwatched).unwrap();
    done.documents.iter().map(|d| d.status).collect()
}

fn find(library: &Library, query: &str, similarity: Similarity) -> Vec<(String, f32)> {
    library.refresh(&Unwatched).unwrap();
    let retriever = Retriever { similarity, ..Retriever::default() };
    let hits = library.search(query, &retriever).unwrap().hits;
    hits.into_iter().map(|hit| (hit.node.place.file.clone(), hit.score)).collect()
}

fn names(found: &[(String, f32)]) -> Vec<&str> {
    found.iter().map(|f| f.0.as_str()).collect()
}

#[test]
fn what_one_worker_adds_the_other_finds() {
    let team = Team::new();
    let (one, two) = (team.worker("one"), team.worker("two"));
    assert_eq!(add(&one, &team.file("rivers.csv", RIVERS)), [Status::Added]);
    assert_eq!(add(&two, &team.file("cities.csv", CITIES)), [Status::Added]);
    for worker in [&one, &two] {
        assert_eq!(names(&find(worker, "Glomma", Similarity::Bm25)), ["rivers.csv"]);
        assert_eq!(names(&find(worker, "北京", Similarity::Bm25)), ["cities.csv"]);
        assert_eq!(find(worker, "how long are streams of water", Similarity::Cosine)[0].0, "rivers.csv");
        assert_eq!(find(worker, "inhabitants of Oslo", Similarity::Hybrid)[0].0, "cities.csv");
    }
    // Nothing is read twice.
    assert_eq!(add(&two, &team.file("rivers.csv", RIVERS)), [Status::Unchanged]);
    // A worker that comes later knows everything.
    assert_eq!(names(&find(&team.worker("three"), "Drammenselva", Similarity::Hybrid))[0], "rivers.csv");
}

#[test]
fn a_folder_is_either_a_library_or_a_copy_of_one() {
    let team = Team::new();
    let opened =
        |name: &str, shared| open_with(&Config::default(), &team.dir.path().join(name), true, shared);
    add(&opened("own", Shared::default()).unwrap(), &team.file("rivers.csv", RIVERS));
    let segment: Arc<dyn SegmentStore> = Arc::new(team.segments.clone());
    let stores = || Shared { segment: Some(segment.clone()), ..Shared::default() };
    let error = opened("own", stores()).err().unwrap();
    assert!(error.cure().unwrap().contains("migrate"), "{error}");
    add(&opened("copy", stores()).unwrap(), &team.file("cities.csv", CITIES));
    let error = opened("copy", Shared::default()).err().unwrap();
    assert!(error.cure().unwrap().contains("[store.segment]"), "{error}");
}

#[test]
fn scores_are_those_of_a_library_of_its_own() {
    let team = Team::new();
    let own = open_with(&Config::default(), &team.dir.path().join("own"), true, Shared::default()).unwrap();
    let shared = team.worker("one");
    for (name, text) in [("rivers.csv", RIVERS), ("cities.csv", CITIES)] {
        let path = team.file(name, text);
        add(&own, &path);
        add(&shared, &path);
    }
    for query in ["Oslo people", "river length 621", "北京", "Glomm~", "Dramm*", "Drammenselvo"] {
        for similarity in [Similarity::Bm25, Similarity::Cosine, Similarity::Hybrid] {
            let (here, there) =
                (find(&own, query, similarity.clone()), find(&shared, query, similarity.clone()));
            assert_eq!(names(&here), names(&there), "{query} by {similarity:?}");
            for (a, b) in here.iter().zip(&there) {
                assert!(
                    (a.1 - b.1).abs() < 2e-3 * a.1.abs().max(1.0),
                    "{query} by {similarity:?}: {a:?} {b:?}"
                );
            }
        }
    }
}

#[test]
fn changes_and_removals_reach_everybody_and_leave_nothing_behind() {
    let team = Team::new();
    let (one, two) = (team.worker("one"), team.worker("two"));
    let path = team.file("rivers.csv", RIVERS);
    add(&one, &path);
    let space = team.vectors.spaces().unwrap();
    team.file("rivers.csv", "river,length\nTana,348\n");
    assert_eq!(add(&two, &path), [Status::Updated]);
    assert!(find(&one, "Glomma", Similarity::Bm25).is_empty());
    assert_eq!(names(&find(&one, "Tana", Similarity::Bm25)), ["rivers.csv"]);
    two.forget(&["rivers.csv".into()]).unwrap();
    assert!(find(&one, "Tana", Similarity::Bm25).is_empty());
    assert_eq!(one.counts().unwrap().documents, 0);
    assert_eq!(team.segments.documents().unwrap(), 0);
    for group in ["table", "cell", "schema"] {
        assert_eq!(team.segments.count(group).unwrap(), 0, "{group}");
    }
    for space in space {
        assert_eq!(team.vectors.count(&space).unwrap(), 0, "{space:?}");
    }
}

#[test]
fn a_document_is_seen_when_both_stores_have_it_and_not_before() {
    let team = Team::new();
    let broken = Arc::new(Breaking::new(&team));
    let one = team.worker_on("one", broken.clone(), Arc::new(team.vectors.clone()));
    let two = team.worker("two");
    let path = team.file("rivers.csv", RIVERS);
    broken.is_broken.store(true, Ordering::Relaxed);
    let done = one.add(std::slice::from_ref(&path), &AddOptions::default(), &Unwatched).unwrap();
    assert!(done.embed_error.unwrap().message().contains("full"));
    assert!(find(&two, "Glomma", Similarity::Hybrid).is_empty());
    assert_eq!(two.counts().unwrap().documents, 0);
    // The next run of the same worker, whatever it does, finishes it.
    broken.is_broken.store(false, Ordering::Relaxed);
    assert_eq!(names(&find(&one, "Glomma", Similarity::Hybrid)), ["rivers.csv"]);
    assert_eq!(names(&find(&two, "Glomma", Similarity::Hybrid)), ["rivers.csv"]);
    assert!(two.doctor(false, &Unwatched).unwrap().is_empty());
}

#[test]
fn doctor_finds_what_stores_lost_and_what_nobody_knows() {
    let team = Team::new();
    let one = team.worker("one");
    add(&one, &team.file("rivers.csv", RIVERS));
    add(&one, &team.file("cities.csv", CITIES));
    assert!(one.doctor(false, &Unwatched).unwrap().is_empty());
    let key = one.document("rivers.csv").unwrap().unwrap().key;
    team.segments.remove_entries(&[(key, i64::MAX)]).unwrap();
    let space = team.vectors.spaces().unwrap().remove(0);
    team.vectors.remove_documents(&space, &[key]).unwrap();
    let stranger = Entry { document: 999_999, owner: 1, ..Entry::default() };
    team.segments.put_entries("table", &[stranger]).unwrap();
    assert!(one.doctor(false, &Unwatched).unwrap().len() >= 3);
    one.doctor(true, &Unwatched).unwrap();
    assert!(one.doctor(false, &Unwatched).unwrap().is_empty());
    assert_eq!(names(&find(&one, "Glomma", Similarity::Hybrid))[0], "rivers.csv");
    assert_eq!(team.segments.count("table").unwrap(), 2);
}

#[test]
fn two_workers_add_the_same_files_without_loss_or_double_work() {
    let team = Team::new();
    for i in 0..24 {
        team.file(&format!("t{i}.csv"), &format!("name,value\nitem{i},{i}\n"));
    }
    let folder = team.dir.path().join("files");
    let (one, two) = (team.worker("one"), team.worker("two"));
    let statuses = std::thread::scope(|scope| {
        let adding = [&one, &two].map(|worker| scope.spawn(|| add(worker, &folder)));
        adding.map(|a| a.join().unwrap()).concat()
    });
    let added = statuses.iter().filter(|s| **s == Status::Added).count();
    assert_eq!((added, statuses.len()), (24, 48), "{statuses:?}");
    for worker in [&one, &two] {
        for i in [0, 11, 23] {
            assert_eq!(names(&find(worker, &format!("item{i}"), Similarity::Bm25))[0], format!("t{i}.csv"));
        }
        assert_eq!(worker.counts().unwrap().documents, 24);
    }
    assert_eq!(team.segments.documents().unwrap(), 24);
}

#[test]
fn a_library_moves_there_and_back() {
    let team = Team::new();
    let place = |name: &str| team.dir.path().join(name);
    let own = open_with(&Config::default(), &place("own"), true, Shared::default()).unwrap();
    add(&own, &team.file("rivers.csv", RIVERS));
    add(&own, &team.file("cities.csv", CITIES));
    let shared = team.worker("one");
    let moved = migrating::migrate(&own, &shared, &Unwatched).unwrap();
    assert_eq!((moved.documents, moved.known, moved.compared), (2, 0, 2));
    assert!(moved.vectors > 0);
    assert_eq!(migrating::migrate(&own, &shared, &Unwatched).unwrap().known, 2);
    // A worker that never saw the files moves it back.
    let back = open_with(&Config::default(), &place("back"), true, Shared::default()).unwrap();
    migrating::migrate(&team.worker("two"), &back, &Unwatched).unwrap();
    for query in ["Glomma", "北京", "inhabitants of cities"] {
        for similarity in [Similarity::Bm25, Similarity::Cosine, Similarity::Hybrid] {
            let found = find(&own, query, similarity.clone());
            assert_eq!(found, find(&back, query, similarity.clone()), "{query} by {similarity:?}");
        }
    }
    // What is added afterwards does not take keys that were moved.
    assert_eq!(add(&shared, &team.file("new.csv", "a,b\nzebra,1\n")), [Status::Added]);
    assert_eq!(names(&find(&shared, "zebra", Similarity::Bm25)), ["new.csv"]);
    // Something else is not written over.
    assert!(migrating::migrate(&own, &shared, &Unwatched).is_err());
}

/// A table that is too large for the catalogue.
fn large(of: &str) -> String {
    let rows: String = (0..25_000).map(|i| format!("{of}{},{i}\n", i % 7)).collect();
    format!("name,value\n{rows}")
}

/// The sum over a large table.
fn sum(library: &Library) -> Result<String> {
    library.refresh(&Unwatched).unwrap();
    let row = library.sql("SELECT count(*), sum(value) FROM large")?.rows.remove(0);
    Ok(format!("{} {}", row[0], row[1]))
}

#[test]
fn large_tables_are_brought_from_where_all_keep_them() {
    let team = Team::new();
    let (one, two) = (team.worker("one"), team.worker("two"));
    let path = team.file("large.csv", &large("a"));
    add(&one, &path);
    let first = team.tables.files().unwrap();
    assert_eq!(first.len(), 1);
    let here = |name: &str| std::fs::read_dir(team.dir.path().join(name).join("tables")).unwrap().count();
    assert_eq!(here("two"), 0);
    assert_eq!(sum(&two).unwrap(), "25000 312487500");
    assert_eq!(here("two"), 1);
    // A change puts another file in its place, for everybody.
    std::fs::write(&path, large("b") + "c,1000000\n").unwrap();
    assert_eq!(add(&two, &path), [Status::Updated]);
    let second = team.tables.files().unwrap();
    assert!(second.len() == 1 && second[0].name != first[0].name);
    assert_eq!(sum(&one).unwrap(), "25001 313487500");
    assert_eq!((here("one"), here("two")), (1, 1));
    assert!(one.doctor(false, &Unwatched).unwrap().is_empty());
    // It moves to a folder of its own, from a worker that never had the file.
    let own = team.open("own", Shared::default());
    migrating::migrate(&team.worker("three"), &own, &Unwatched).unwrap();
    assert_eq!(sum(&own).unwrap(), "25001 313487500");
    // What is lost there is named, and can be added again.
    team.tables.remove(&second[0].name).unwrap();
    let error = sum(&team.worker("four")).unwrap_err();
    assert!(error.message().contains(&second[0].name) && error.cure().is_some(), "{error}");
    two.forget(&["large.csv".into()]).unwrap();
    assert_eq!((team.tables.files().unwrap().len(), here("two")), (0, 0));
}

#[test]
fn large_tables_in_a_folder_of_all_stay_until_all_know() {
    let team = Team::new();
    let (one, two) = (team.worker_with_folder("one"), team.worker_with_folder("two"));
    let path = team.file("large.csv", &large("a"));
    add(&one, &path);
    let files = || std::fs::read_dir(team.dir.path().join("tables")).unwrap().count();
    assert_eq!((files(), sum(&two).unwrap().as_str()), (1, "25000 312487500"));
    // What another worker is about to publish is nobody's yet, and must stay.
    std::fs::write(team.dir.path().join("tables/new.parquet"), "new").unwrap();
    assert!(two.doctor(true, &Unwatched).unwrap().is_empty());
    assert_eq!(files(), 2);
    two.forget(&["large.csv".into()]).unwrap();
    assert_eq!(files(), 1);
}

#[test]
fn a_store_that_fails_is_not_waited_for_with_every_lease() {
    let team = Team::new();
    let broken = Arc::new(Breaking::new(&team));
    let one = team.worker_on("one", broken.clone(), Arc::new(team.vectors.clone()));
    let paths = [team.file("rivers.csv", RIVERS), team.file("cities.csv", CITIES)];
    broken.is_broken.store(true, Ordering::Relaxed);
    let done = one.add(&paths, &AddOptions::default(), &Unwatched).unwrap();
    assert!(done.embed_error.unwrap().message().contains("full"));
    assert_eq!(broken.releases.load(Ordering::Relaxed), 1);
}

/// A segment store that takes no documents while it is broken, and no lease back.
struct Breaking {
    store: memory::Segments,
    is_broken: AtomicBool,
    /// How often a lease was to be given back.
    releases: AtomicUsize,
}

impl Breaking {
    fn new(team: &Team) -> Self {
        let (is_broken, releases) = (AtomicBool::new(false), AtomicUsize::new(0));
        Breaking { store: team.segments.clone(), is_broken, releases }
    }

    fn check(&self) -> Result<()> {
        match self.is_broken.load(Ordering::Relaxed) {
            true => Err(Error::upstream("the store is full")),
            false => Ok(()),
        }
    }
}

impl SegmentStore for Breaking {
    fn name(&self) -> String {
        self.store.name()
    }
    fn prepare(&self, groups: &[(String, Weighing)]) -> Result<()> {
        self.store.prepare(groups)
    }
    fn clear(&self) -> Result<()> {
        self.store.clear()
    }
}

impl EntryWriter for Breaking {
    fn put_entries(&self, group: &str, entries: &[Entry]) -> Result<()> {
        self.store.put_entries(group, entries)
    }
    fn settle(&self) -> Result<()> {
        self.store.settle()
    }
    fn remove_entries(&self, before: &[(i64, i64)]) -> Result<()> {
        self.store.remove_entries(before)
    }
    fn drop_group(&self, group: &str) -> Result<()> {
        self.store.drop_group(group)
    }
}

impl EntryReader for Breaking {
    fn count(&self, group: &str) -> Result<u64> {
        self.store.count(group)
    }
    fn frequencies(&self, group: &str, terms: &[Term]) -> Result<Vec<u64>> {
        self.store.frequencies(group, terms)
    }
    fn search(&self, group: &str, ask: &EntryQuery<'_>) -> Result<Vec<EntryHit>> {
        self.store.search(group, ask)
    }
    fn entry_counts(&self, group: &str, after: i64, limit: usize) -> Result<Vec<(i64, u64)>> {
        self.store.entry_counts(group, after, limit)
    }
}

impl ChangeLog for Breaking {
    fn commit(&self, segments: &[Segment]) -> Result<i64> {
        self.check()?;
        self.store.commit(segments)
    }
    fn last_change(&self) -> Result<i64> {
        self.store.last_change()
    }
    fn changes(&self, after: i64, limit: usize) -> Result<Vec<Segment>> {
        self.store.changes(after, limit)
    }
    fn segments(&self, ids: &[String]) -> Result<Vec<Segment>> {
        self.store.segments(ids)
    }
    fn documents(&self) -> Result<u64> {
        self.store.documents()
    }
}

impl Coordinator for Breaking {
    fn reserve(&self, name: &str, count: u64) -> Result<i64> {
        self.store.reserve(name, count)
    }
    fn lease(&self, name: &str, holder: &str, seconds: u64) -> Result<bool> {
        self.store.lease(name, holder, seconds)
    }
    fn release(&self, name: &str, holder: &str) -> Result<()> {
        self.releases.fetch_add(1, Ordering::Relaxed);
        self.check()?;
        self.store.release(name, holder)
    }
}

/// A vector store that cannot be reached costs its own layer, not the search.
struct Gone;

impl VectorStore for Gone {
    fn name(&self) -> String {
        "nothing".into()
    }
    fn prepare(&self, _: &Space, _: usize, _: &str) -> Result<()> {
        Err(Error::upstream("nothing cannot be reached"))
    }
    fn spaces(&self) -> Result<Vec<Space>> {
        Ok(Vec::new())
    }
    fn put(&self, _: &Space, _: &[Point]) -> Result<()> {
        Err(Error::upstream("nothing cannot be reached"))
    }
    fn remove(&self, _: &Space, _: &[u64]) -> Result<()> {
        Ok(())
    }
    fn remove_documents(&self, _: &Space, _: &[i64]) -> Result<()> {
        Ok(())
    }
    fn search(&self, _: &Space, _: &[f32], _: usize, _: &Allow) -> Result<Option<Vec<Near>>> {
        Err(Error::upstream("nothing cannot be reached"))
    }
    fn vectors(&self, _: &Space, _: &[u64]) -> Result<Vec<(u64, Vec<f32>)>> {
        Err(Error::upstream("nothing cannot be reached"))
    }
    fn keys(&self, _: &Space, _: Option<u64>, _: usize) -> Result<Vec<(u64, i64)>> {
        Ok(Vec::new())
    }
    fn count(&self, _: &Space) -> Result<u64> {
        Ok(0)
    }
    fn drop_space(&self, _: &Space) -> Result<()> {
        Ok(())
    }
}

#[test]
fn without_the_vector_store_words_are_still_found() {
    let team = Team::new();
    add(&team.worker("one"), &team.file("rivers.csv", RIVERS));
    let cut_off = team.worker_on("cut off", Arc::new(team.segments.clone()), Arc::new(Gone));
    cut_off.refresh(&Unwatched).unwrap();
    let retriever = Retriever { similarity: Similarity::Hybrid, ..Retriever::default() };
    let found = cut_off.search("Glomma", &retriever).unwrap();
    assert_eq!(found.hits.len(), 1);
    assert!(found.layers.iter().any(|layer| layer.error.as_deref().is_some_and(|e| e.contains("reached"))));
    assert!(cut_off.search("Glomma", &Retriever { similarity: Similarity::Cosine, ..retriever }).is_err());
}
