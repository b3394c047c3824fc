use super::*;
use crate::embed::{self, Embedders, Route, Slot};
use crate::group::{Definition, Groups};
use crate::prompt::Prompts;
use crate::recall::{Fusions, Recall, Retriever, Similarity, Weights, similarity};
use crate::rerank::Rerankers;
use crate::watch::{Unwatched, Watch};
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tabletalk_core::chat::{ChatOptions, Message, Reply, Usage};
use tabletalk_core::seam::{Chat, Embed, Embedding, Role, Want};
use tabletalk_core::{Placed, Result};
use tabletalk_store::analyze::Analyzer;
use tabletalk_store::{Entry, Library, Piece};

/// What documents are about, with words of their own.
const TOPICS: [(&str, &str); 5] = [
    ("harbour", "ship quay crane dock tide anchor pilot cargo"),
    ("bakery", "bread flour oven yeast dough crust baker rye"),
    ("forest", "tree moss deer trail pine fern owl bark"),
    ("clinic", "nurse doctor ward patient scan fever dose bed"),
    ("school", "pupil lesson chalk desk exam recess teacher book"),
];

/// Embeds a text by which topic's words it has: texts of one topic are near to each other.
struct Toy;

impl Embed for Toy {
    fn identity(&self) -> &str {
        "toy"
    }
    fn dim(&self) -> usize {
        24
    }
    fn token_dim(&self) -> usize {
        24
    }
    fn embed(&self, texts: &[&str], _: Role, _: Want) -> Result<Vec<Embedding>> {
        Ok(texts.iter().map(|t| Embedding { pooled: toy(t), ..Embedding::default() }).collect())
    }
}

fn toy(text: &str) -> Vec<f32> {
    let mut vector = vec![0.01; 24];
    for (i, (name, words)) in TOPICS.iter().enumerate() {
        let times = text.matches(name).count() * 2;
        vector[i] = (times + words.split(' ').filter(|w| text.contains(w)).count()) as f32;
    }
    // Something of its own, so that no two texts are the same.
    let hash = blake3::hash(text.as_bytes());
    vector[5..].iter_mut().zip(hash.as_bytes()).for_each(|(x, b)| *x = f32::from(*b) / 600.0);
    tabletalk_core::matrix::normalize(&mut vector);
    vector
}

/// A paragraph on a topic that no other says.
fn paragraph(topic: usize, n: usize) -> String {
    let (name, words) = TOPICS[topic % TOPICS.len()];
    let words: Vec<&str> = words.split(' ').collect();
    let pick = |i: usize| words[(n * 3 + i) % words.len()];
    let (a, b, c) = (pick(0), pick(1), pick(2));
    format!("The {name} number {n} has a {a} near the {b}. Each {c} of the {name} number {n} was counted.")
}

struct Shelf {
    _dir: tempfile::TempDir,
    library: Library,
    groups: Groups,
    embedders: Embedders,
    prompts: Prompts,
}

impl Shelf {
    fn new() -> Shelf {
        let dir = tempfile::tempdir().unwrap();
        let library = Library::create(dir.path(), Analyzer::default()).unwrap();
        let slot = Slot::new("toy", &["block".into(), GROUP.into()], Route::Any, false, || Ok(Box::new(Toy)));
        let user: Definition = serde_json::from_value(
            serde_json::json!({"name": GROUP, "parent": "block", "transform": {"type": "raptor"}}),
        )
        .unwrap();
        Shelf {
            _dir: dir,
            library,
            groups: Groups::new(&[user]).unwrap(),
            embedders: Embedders::new(vec![slot], embed::Settings::default()).unwrap(),
            prompts: Prompts::new(None).unwrap(),
        }
    }

    /// A shelf with a document on each topic.
    fn filled(paragraphs: usize) -> Shelf {
        let shelf = Shelf::new();
        for (topic, (name, _)) in TOPICS.iter().enumerate() {
            shelf.put(name, (0..paragraphs).map(|n| paragraph(topic, n)).collect());
        }
        shelf
    }

    fn put(&self, id: &str, paragraphs: Vec<String>) {
        let place = tabletalk_core::Place::file(format!("{id}.txt"));
        let placed = |text: String| Piece::Text(Placed { text, place: place.clone() });
        let outline = paragraphs.into_iter().map(placed).collect();
        let mut entry = Entry {
            id: id.into(),
            name: format!("{id}.txt"),
            source: format!("/{id}.txt"),
            outline,
            ..Entry::default()
        };
        entry.nodes = crate::group::text::nodes(&entry, &self.groups).unwrap();
        let mut catalog = self.library.catalog().unwrap();
        let mut change = catalog.change().unwrap();
        change.put(&entry).unwrap();
        change.commit().unwrap();
    }

    fn forget(&self, id: &str) {
        let mut catalog = self.library.catalog().unwrap();
        let mut change = catalog.change().unwrap();
        change.forget(id).unwrap();
        change.commit().unwrap();
    }

    fn try_build(&self, how: &How<'_>) -> Result<Built> {
        let job = Job {
            library: &self.library,
            groups: &self.groups,
            group: self.groups.get(GROUP).unwrap(),
            embedders: &self.embedders,
            prompts: &self.prompts,
            chat: how.chat,
            settings: &how.settings,
            rebuild: how.rebuild,
            confirm: how.confirm,
        };
        build(&job, how.watch)
    }

    fn build(&self) -> Built {
        self.try_build(&How::default()).unwrap()
    }

    fn tree(&self) -> Tree {
        let mut trees = trees(&self.library, &self.groups, GROUP).unwrap();
        assert_eq!(trees.len(), 1);
        trees.remove(0)
    }

    fn search(&self, text: &str, retriever: Retriever) -> Vec<tabletalk_core::Hit> {
        let recall = Recall {
            library: &self.library,
            groups: &self.groups,
            weights: &Weights::default(),
            embedders: &self.embedders,
            fusions: &Fusions::default(),
            rerankers: &Rerankers::default(),
            similarities: &similarity::Registered::default(),
        };
        recall.search(text, &retriever).unwrap().hits
    }
}

struct How<'a> {
    settings: Settings,
    chat: Option<&'a dyn Chat>,
    rebuild: bool,
    confirm: crate::generate::Confirm<'a>,
    watch: &'a dyn Watch,
}

impl Default for How<'_> {
    fn default() -> Self {
        let settings = Settings { cluster_token: 200, max_token: 40, ..Settings::default() };
        How { settings, chat: None, rebuild: false, confirm: &|_| Ok(true), watch: &Unwatched }
    }
}

/// Sums up by saying which topics it saw. Fails where it is told to.
#[derive(Default)]
struct Teller {
    asked: AtomicUsize,
    fails: Option<&'static str>,
    dies_after: Option<usize>,
    seen: Mutex<HashSet<String>>,
}

impl Chat for Teller {
    fn identity(&self) -> &str {
        "teller"
    }
    fn context(&self) -> usize {
        4096
    }
    fn count(&self, text: &str) -> usize {
        crate::group::tokens::count(text)
    }
    fn chat(&self, talk: &[Message], _: &ChatOptions, _: &mut dyn FnMut(&str)) -> Result<Reply> {
        let asked = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let said = talk.last().map_or("", |m| m.text.as_str());
        if self.dies_after.is_some_and(|n| asked > n) || self.fails.is_some_and(|f| said.contains(f)) {
            return Err(tabletalk_core::Error::upstream("the server is down"));
        }
        let new = self.seen.lock().unwrap().insert(said.to_owned());
        assert!(new, "asked twice for the same");
        let topics: Vec<&str> = TOPICS.iter().map(|t| t.0).filter(|t| said.contains(t)).collect();
        let text = format!("Together: {} and {asked} more.", topics.join(", "));
        let usage = Usage { calls: 1, prompt_tokens: 100, completion_tokens: 10, cached: 0 };
        Ok(Reply { text, usage, ..Reply::default() })
    }
}

/// Every leaf is below the roots, and every child is there.
fn assert_whole(tree: &Tree, leaves: usize) {
    let below: HashSet<&str> = tree.roots().iter().flat_map(|r| tree.leaves(&r.id)).collect();
    assert_eq!(below.len(), leaves);
    assert!(below.iter().all(|id| id.contains("/block/")), "{below:?}");
}

#[test]
fn grows_to_one_root_over_every_leaf() {
    let shelf = Shelf::filled(12);
    let built = shelf.build();
    assert_eq!((built.trees, built.leaves, built.summaries_kept), (1, 60, 0));
    let tree = shelf.tree();
    assert_whole(&tree, 60);
    assert_eq!(tree.roots().len(), 1);
    assert!(tree.layers() >= 2, "{}", tree.layers());
    assert!(tree.summaries.iter().all(|s| s.by == By::Extract && !s.text.is_empty()));
    let tokens = |s: &Summary| crate::group::tokens::count(&s.text);
    assert!(tree.summaries.iter().all(|s| tokens(s) <= 40));
    // Clusters hold one topic each.
    let mixed = |s: &&Summary| {
        let topics: HashSet<&str> = s.children.iter().map(|c| c.id.split('/').next().unwrap()).collect();
        s.layer == 1 && topics.len() > 1
    };
    assert!(tree.summaries.iter().filter(mixed).count() <= 1);
}

#[test]
fn the_same_tree_comes_again_and_a_second_build_changes_nothing() {
    let (one, two) = (Shelf::filled(9), Shelf::filled(9));
    one.build();
    two.build();
    assert_eq!(one.tree(), two.tree());
    let generation = one.library.catalog().unwrap().generation().unwrap();
    let again = one.build();
    assert_eq!((again.summaries_new, again.summaries_kept as usize), (0, one.tree().summaries.len()));
    assert_eq!(one.library.catalog().unwrap().generation().unwrap(), generation);
}

#[test]
fn a_new_document_changes_only_the_paths_above_it() {
    let shelf = Shelf::filled(12);
    let teller = Teller::default();
    let how = |rebuild| How { chat: Some(&teller), rebuild, ..How::default() };
    shelf.try_build(&how(false)).unwrap();
    let before = shelf.tree();
    shelf.put("harbour-two", (100..103).map(|n| paragraph(0, n)).collect());
    let asked = teller.asked.load(Ordering::SeqCst);
    let built = shelf.try_build(&how(false)).unwrap();
    let after = shelf.tree();
    assert_whole(&after, 63);
    assert_eq!(teller.asked.load(Ordering::SeqCst) - asked, built.summaries_new as usize);
    assert!(built.summaries_new as usize <= before.summaries.len() / 2, "{built:?}");
    // What is not above the new leaves is as it was.
    for old in &before.summaries {
        let now = after.summaries.iter().find(|s| s.id == old.id);
        let touched = now.is_none_or(|s| after.leaves(&s.id).iter().any(|l| l.starts_with("harbour")));
        assert!(touched || now == Some(old), "{}", old.id);
    }
    // The new leaves stand with their like.
    let with: Vec<&Summary> = (after.summaries.iter())
        .filter(|s| s.layer == 1 && s.children.iter().any(|c| c.id.starts_with("harbour-two")))
        .collect();
    assert!(with.iter().all(|s| s.children.iter().all(|c| c.id.starts_with("harbour"))), "{with:?}");
}

#[test]
fn documents_that_change_or_go_leave_nothing_behind() {
    let shelf = Shelf::filled(8);
    shelf.build();
    shelf.forget("school");
    shelf.put("bakery", (0..6).map(|n| paragraph(1, n + 50)).collect());
    let built = shelf.build();
    assert!(built.summaries_kept > 0);
    let tree = shelf.tree();
    assert_whole(&tree, 3 * 8 + 6);
    assert!(tree.summaries.iter().all(|s| !s.children.is_empty() && !s.text.contains("school")));
}

#[test]
fn what_is_gone_is_not_found_before_the_next_build_either() {
    let shelf = Shelf::filled(8);
    shelf.build();
    let all = shelf.tree().summaries.len();
    shelf.forget("school");
    let left = shelf.tree();
    assert!(left.summaries.len() < all && !left.summaries.is_empty());
    let school =
        |s: &&Summary| s.children.iter().any(|c| c.id.starts_with("school")) || s.text.contains("school");
    assert_eq!(left.summaries.iter().filter(school).count(), 0);
    // A document that grew at its end keeps the summaries of what stayed.
    shelf.put("forest", (0..9).map(|n| paragraph(2, n)).collect());
    assert!(shelf.tree().summaries.iter().any(|s| s.children.iter().any(|c| c.id.starts_with("forest"))));
    shelf.put("forest", (50..58).map(|n| paragraph(2, n)).collect());
    assert!(!shelf.tree().summaries.iter().any(|s| s.children.iter().any(|c| c.id.starts_with("forest"))));
    shelf.build();
    assert_whole(&shelf.tree(), 4 * 8);
}

#[test]
fn a_document_that_is_another_altogether_is_clustered_anew() {
    let shelf = Shelf::new();
    shelf.put("one", (0..20).map(|n| paragraph(n / 4, n)).collect());
    shelf.build();
    shelf.put("one", (100..120).map(|n| paragraph(n / 4, n)).collect());
    shelf.build();
    let tree = shelf.tree();
    assert_whole(&tree, 20);
    let members: usize = tree.summaries.iter().filter(|s| s.layer == 1).map(|s| s.children.len()).sum();
    assert!(members < 30, "{members}");
}

#[test]
fn building_anew_gives_the_same_tree() {
    let shelf = Shelf::filled(9);
    let teller = Teller::default();
    shelf.try_build(&How { chat: Some(&teller), ..How::default() }).unwrap();
    let (first, asked) = (shelf.tree(), teller.asked.load(Ordering::SeqCst));
    shelf.try_build(&How { chat: Some(&teller), rebuild: true, ..How::default() }).unwrap();
    assert_eq!((shelf.tree(), teller.asked.load(Ordering::SeqCst)), (first, asked));
}

#[test]
fn a_build_that_fails_leaves_the_tree_that_was_there() {
    let shelf = Shelf::filled(8);
    let teller = Teller::default();
    shelf.try_build(&How { chat: Some(&teller), ..How::default() }).unwrap();
    let before = shelf.tree();
    let mut settings = How::default().settings;
    settings.scope = Scope::Document;
    // So that nothing is known yet.
    settings.max_token = 30;
    settings.make.ask_above = 2;
    let refuse = |_: &crate::generate::Estimate| Ok(false);
    let how = How { chat: Some(&teller), settings, confirm: &refuse, ..How::default() };
    assert!(shelf.try_build(&how).is_err());
    assert_eq!(shelf.tree(), before);
    // One new document, and nothing comes from the model: no summary is replaced by something worse.
    shelf.put("forest-two", vec![paragraph(2, 90)]);
    let dead = Teller { dies_after: Some(0), ..Teller::default() };
    assert!(shelf.try_build(&How { chat: Some(&dead), ..How::default() }).is_err());
    assert_eq!(shelf.tree(), before);
}

#[test]
fn a_filter_lets_no_summary_through_and_still_walks_the_tree() {
    let shelf = Shelf::filled(8);
    shelf.build();
    for traversal in [Traversal::Collapsed, Traversal::Tree] {
        let retriever = Retriever {
            group: GROUP.into(),
            similarity: Similarity::Cosine,
            traversal,
            topk: 10,
            filters: vec!["name=bakery.txt".parse().unwrap()],
            ..Retriever::default()
        };
        let hits = shelf.search("oven flour yeast of the bakery", retriever);
        assert!(!hits.is_empty(), "{traversal:?}");
        assert!(hits.iter().all(|h| h.node.id.starts_with("bakery/")), "{traversal:?}");
    }
}

#[test]
fn many_new_documents_on_a_new_topic_get_clusters_of_their_own() {
    let shelf = Shelf::new();
    for (topic, (name, _)) in TOPICS.iter().enumerate().take(4) {
        shelf.put(name, (0..10).map(|n| paragraph(topic, n)).collect());
    }
    shelf.build();
    shelf.put("school", (0..10).map(|n| paragraph(4, n)).collect());
    shelf.build();
    let tree = shelf.tree();
    assert_whole(&tree, 50);
    let school = |s: &&Summary| s.layer == 1 && s.children.iter().any(|c| c.id.starts_with("school"));
    let pure = |s: &&Summary| s.children.iter().all(|c| c.id.starts_with("school"));
    assert!(tree.summaries.iter().filter(school).all(|s| pure(&s)));
    assert!(tree.summaries.iter().all(|s| {
        let tokens: usize = s.children.iter().map(|_| 26).sum();
        s.layer > 1 || tokens <= 260
    }));
}

#[test]
fn one_cluster_that_fails_is_reported_and_made_the_next_time() {
    let shelf = Shelf::filled(8);
    let failing = Teller { fails: Some("bakery number 3 "), ..Teller::default() };
    let built = shelf.try_build(&How { chat: Some(&failing), ..How::default() }).unwrap();
    assert!(!built.failed.is_empty() && built.failed[0].contains("the server is down"), "{:?}", built.failed);
    let tree = shelf.tree();
    assert_whole(&tree, 40);
    let by_hand = tree.summaries.iter().filter(|s| s.by == By::Extract).count();
    assert_eq!(by_hand, built.failed.len());
    let teller = Teller::default();
    let built = shelf.try_build(&How { chat: Some(&teller), ..How::default() }).unwrap();
    assert!(built.failed.is_empty() && built.summaries_kept > 0);
    assert!(shelf.tree().summaries.iter().all(|s| s.by == By::Model));
}

#[test]
fn a_build_that_dies_loses_no_summary_and_the_next_asks_only_for_what_is_missing() {
    let whole = Teller::default();
    let complete = Shelf::filled(10);
    complete.try_build(&How { chat: Some(&whole), ..How::default() }).unwrap();
    let all = whole.asked.load(Ordering::SeqCst);
    for dies_after in [1, 3, all / 2, all - 1] {
        let shelf = Shelf::filled(10);
        let mut settings = How::default().settings;
        settings.make = crate::generate::Settings { at_once: 2, attempts: 1, ..Default::default() };
        // It stops being there after so many replies; what comes then is as if the process were killed.
        let dying = Teller { dies_after: Some(dies_after), ..Teller::default() };
        let stop = Stop { teller: &dying, after: dies_after };
        let how = How { chat: Some(&dying), settings: settings.clone(), watch: &stop, ..How::default() };
        assert!(shelf.try_build(&how).is_err());
        assert!(trees(&shelf.library, &shelf.groups, GROUP).unwrap().is_empty());
        let second = Teller::default();
        shelf.try_build(&How { chat: Some(&second), settings, ..How::default() }).unwrap();
        let made = dying.seen.lock().unwrap().len();
        // The sum may differ by what was in work when it died.
        assert!(made >= dies_after.min(all) && made + second.asked.load(Ordering::SeqCst) >= all);
        assert!(dying.seen.lock().unwrap().is_disjoint(&second.seen.lock().unwrap()));
        assert_whole(&shelf.tree(), 50);
    }
}

/// Stops once the model has been asked so often.
struct Stop<'a> {
    teller: &'a Teller,
    after: usize,
}

impl Watch for Stop<'_> {
    fn stopped(&self) -> bool {
        self.teller.asked.load(Ordering::SeqCst) > self.after
    }
}

#[test]
fn a_long_run_is_asked_about_first() {
    let shelf = Shelf::filled(12);
    let teller = Teller::default();
    let told = Mutex::new(None);
    let refuse = |estimate: &crate::generate::Estimate| {
        *told.lock().unwrap() = Some(*estimate);
        Ok(false)
    };
    let mut settings = How::default().settings;
    settings.make.ask_above = 3;
    let how = How { chat: Some(&teller), confirm: &refuse, settings: settings.clone(), ..How::default() };
    assert!(shelf.try_build(&how).is_err());
    assert_eq!(teller.asked.load(Ordering::SeqCst), 0);
    shelf.try_build(&How { chat: Some(&teller), settings, ..How::default() }).unwrap();
    let (estimate, asked) = (told.lock().unwrap().unwrap(), teller.asked.load(Ordering::SeqCst) as u64);
    assert!(estimate.calls >= asked / 2 && estimate.calls <= asked * 2, "{estimate:?} and {asked}");
}

#[test]
fn each_document_has_a_tree_of_its_own_when_that_is_wanted() {
    let shelf = Shelf::filled(12);
    shelf.build();
    let mut settings = How::default().settings;
    settings.scope = Scope::Document;
    shelf.try_build(&How { settings: settings.clone(), ..How::default() }).unwrap();
    let all = trees(&shelf.library, &shelf.groups, GROUP).unwrap();
    assert_eq!(all.len(), TOPICS.len());
    for tree in &all {
        assert_whole(tree, 12);
        assert!(tree.leaves(&tree.roots()[0].id).iter().all(|l| l.starts_with(&tree.document)));
    }
    let again = shelf.try_build(&How { settings, ..How::default() }).unwrap();
    assert_eq!(again.summaries_new, 0);
    shelf.build();
    assert_eq!(trees(&shelf.library, &shelf.groups, GROUP).unwrap().len(), 1);
}

#[test]
fn every_way_of_clustering_gives_a_whole_tree() {
    use tabletalk_cluster::Method;
    for method in [Method::Gmm, Method::Twostep, Method::Ahc, Method::Sequential] {
        let shelf = Shelf::filled(10);
        let mut settings = How::default().settings;
        settings.cluster.method = method;
        shelf.try_build(&How { settings, ..How::default() }).unwrap();
        assert_whole(&shelf.tree(), 50);
    }
}

#[test]
fn small_and_empty_libraries_have_small_trees_or_none() {
    let shelf = Shelf::new();
    assert_eq!(shelf.build(), Built::default());
    shelf.put("one", vec![paragraph(0, 1)]);
    let built = shelf.build();
    assert_eq!((built.trees, built.leaves), (0, 1));
    shelf.put("two", vec![paragraph(0, 2)]);
    shelf.build();
    assert_eq!(shelf.tree().summaries.len(), 1);
    shelf.forget("two");
    shelf.build();
    assert!(trees(&shelf.library, &shelf.groups, GROUP).unwrap().is_empty());
}

#[test]
fn a_tree_is_searched_in_both_ways_and_hits_name_their_leaves() {
    let shelf = Shelf::filled(10);
    shelf.build();
    let query = "oven flour yeast of the bakery";
    for traversal in [Traversal::Collapsed, Traversal::Tree] {
        let retriever = Retriever {
            group: GROUP.into(),
            similarity: Similarity::Cosine,
            traversal,
            topk: 30,
            branches: 3,
            ..Retriever::default()
        };
        let hits = shelf.search(query, retriever.clone());
        let layers: HashSet<u64> =
            hits.iter().map(|h| h.node.fields.get("layer").map_or(0, |l| l.as_u64().unwrap())).collect();
        assert!(layers.contains(&0) && layers.len() > 1, "{traversal:?} {layers:?}");
        let best = &hits[0].node;
        let leaves = best.fields.get("leaves").map_or(vec![best.id.clone()], |l| {
            l.as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
        });
        assert!(leaves.iter().all(|l| l.starts_with("bakery")), "{traversal:?} {leaves:?}");
        let few = shelf.search(query, Retriever { tokens: Some(60), ..retriever });
        let tokens: usize = few.iter().map(|h| crate::group::tokens::count(&h.node.text)).sum();
        assert!(!few.is_empty() && tokens <= 60, "{tokens}");
    }
}
