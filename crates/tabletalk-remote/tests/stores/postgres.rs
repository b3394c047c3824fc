//! PostgreSQL behind the contracts of stores, against a real server: `TABLETALK_POSTGRES` says where it is.
//! The test of a restart has a server of its own, which `TABLETALK_POSTGRES_SCRIPT` starts and stops.

use crate::suite;
use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tabletalk_core::Fault;
use tabletalk_core::seam::store::{
    Allow, Entry, EntryQuery, Facet, Field, Filter, Point, Segment, Space, Term, Test, Weighing,
};
use tabletalk_core::seam::{ChangeLog, Coordinator, EntryReader, EntryWriter, SegmentStore, VectorStore};
use tabletalk_remote::postgres::{Segments, Vectors};
use tabletalk_remote::{Client, Index, Metric, Settings};

/// The settings for a prefix; `None`, with a message, when there is no server.
fn settings(prefix: &str) -> Option<Settings> {
    let Ok(uri) = std::env::var("TABLETALK_POSTGRES") else {
        eprintln!("TABLETALK_POSTGRES is not set: nothing is tested");
        return None;
    };
    Some(at(&uri, prefix))
}

fn at(uri: &str, prefix: &str) -> Settings {
    Settings {
        r#type: "postgres".into(),
        uri: Some(uri.into()),
        prefix: prefix.into(),
        ..Settings::default()
    }
}

/// A prefix that no other test has.
fn unique(name: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    format!("{name}_{:x}_{:x}", std::process::id(), now & 0xffff_ffff)
}

fn space() -> Space {
    Space { embed: "e".into(), group: "g".into() }
}

fn point(key: u64, fields: &[(&str, &str)], vector: Vec<f32>) -> Point {
    let facets = fields.iter().map(|(name, value)| ((*name).to_owned(), Facet::of(value))).collect();
    Point { key, document: key as i64 + 1, facets, vector }
}

/// Points around a half circle.
fn points(n: u64) -> Vec<Point> {
    let one = |i: u64| {
        let angle = i as f32 / n as f32 * std::f32::consts::PI;
        point(i, &[("year", &(i % 30).to_string())], vec![angle.cos(), angle.sin(), 0.0])
    };
    (0..n).map(one).collect()
}

fn entry(owner: i64, part: u64, text: &str) -> Entry {
    let terms = text.split(' ').map(str::to_owned).collect();
    Entry { document: owner, stamp: 1, owner, part, terms: vec![(Field::Text, terms)], ..Entry::default() }
}

fn word(term: &str) -> Term {
    let any = vec![term.to_owned()];
    Term { any, prefix: None, like: None, fields: Field::WORDS.to_vec(), weight: 1.0, keyword: term.into() }
}

fn weighing() -> Weighing {
    Weighing { k1: 1.2, b: 0.75, fields: [1.0; 5], coverage: 0.0, once: false }
}

/// The owners that a word finds, with their scores.
fn found(store: &Segments, word: Term, allow: &Allow) -> Vec<(i64, f32)> {
    let (terms, weighing) = ([word], weighing());
    let ask = EntryQuery {
        terms: &terms,
        required: &[],
        weighing: &weighing,
        k: 1000,
        allow,
        part: None,
        data: false,
        explain: false,
    };
    store.search("g", &ask).unwrap().iter().map(|f| (f.owner, f.score)).collect()
}

fn segment(key: i64, id: &str) -> Segment {
    Segment { key, id: id.into(), body: b"body".to_vec(), ..Segment::default() }
}

#[test]
fn vectors_keep_the_contract() {
    if settings("x").is_some() {
        suite::vector::run(&|prefix| Box::new(Vectors::open(&settings(prefix).unwrap()).unwrap()));
    }
}

#[test]
fn segments_keep_the_contract() {
    if settings("x").is_some() {
        let open = |prefix: &str| Segments::open(&settings(prefix).unwrap()).unwrap();
        suite::segment::run(&|prefix| Box::new(open(prefix)), suite::Scores::exact());
    }
}

#[test]
fn finds_the_same_by_all_metrics_and_with_small_batches() {
    let Some(settings) = settings(&unique("metric")) else { return };
    let points = points(400);
    for (metric, exact) in [(Metric::Cosine, true), (Metric::Dot, false), (Metric::Dot, true)] {
        let index = Index { metric, exact, ..Index::default() };
        let client = Client { batch: 7, connections: 3, ..Client::default() };
        let store = Vectors::open(&Settings { index, client, ..settings.clone() }).unwrap();
        store.prepare(&space(), 3, "m").unwrap();
        store.put(&space(), &points).unwrap();
        let near = store.search(&space(), &points[100].vector, 3, &Allow::default()).unwrap().unwrap();
        assert_eq!(near[0].key, 100);
        assert!(
            (near[0].score - 1.0).abs() < 1e-5 && (near[2].score - near[1].score).abs() < 1e-5,
            "{near:?}"
        );
        let filter = Filter { field: "year".into(), test: Test::Is(vec!["5".into()]) };
        let allow = Allow { filters: vec![filter], documents: Some((1..200).collect()) };
        let near = store.search(&space(), &points[100].vector, 100, &allow).unwrap().unwrap();
        assert_eq!(near.len(), 7);
        assert_eq!(near.iter().map(|n| n.key).take(2).collect::<Vec<_>>(), [95, 125]);
        store.drop_space(&space()).unwrap();
    }
}

#[test]
fn refuses_what_does_not_fit() {
    let Some(settings) = settings(&unique("refuse")) else { return };
    let store = Vectors::open(&settings).unwrap();
    store.prepare(&space(), 3, "m").unwrap();
    let other = Settings { index: Index { metric: Metric::Dot, ..Index::default() }, ..settings.clone() };
    let error = Vectors::open(&other).unwrap().prepare(&space(), 3, "m").unwrap_err();
    assert_eq!(error.fault(), Fault::Input);
    assert!(error.message().contains("cosine") && error.message().contains("dot"), "{error}");
    let long = Space { embed: "long".into(), ..space() };
    let error = store.prepare(&long, 3000, "m").unwrap_err();
    assert!(error.fault() == Fault::Input && error.cure().unwrap().contains("exact"), "{error}");
    let exact = Settings { index: Index { exact: true, ..Index::default() }, ..settings.clone() };
    let exact = Vectors::open(&exact).unwrap();
    exact.prepare(&long, 3000, "m").unwrap();
    exact.put(&long, &[point(1, &[], vec![1.0; 3000])]).unwrap();
    assert_eq!(exact.search(&long, &[1.0; 3000], 5, &Allow::default()).unwrap().unwrap().len(), 1);
    let coarse = Settings { index: Index { m: 400, ..Index::default() }, ..settings.clone() };
    let error =
        Vectors::open(&coarse).unwrap().prepare(&Space { embed: "m".into(), ..space() }, 3, "m").unwrap_err();
    assert_eq!(error.fault(), Fault::Input, "{error}");
    let error = store.put(&Space { embed: "no".into(), ..space() }, &points(1)).unwrap_err();
    assert_eq!(error.fault(), Fault::Missing, "{error}");
    for space in store.spaces().unwrap() {
        store.drop_space(&space).unwrap();
    }
}

#[test]
fn may_be_used_and_dropped_inside_a_runtime() {
    let Some(settings) = settings("rt") else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = Segments::open(&settings).unwrap();
        store.prepare(&[]).unwrap();
        assert_eq!(store.documents().unwrap(), 0);
        store.clear().unwrap();
    });
}

#[test]
fn wrong_settings_are_told() {
    let is_input = |settings: &Settings| match Segments::open(settings) {
        Ok(store) => store.documents().unwrap_err(),
        Err(error) => error,
    };
    for (uri, prefix) in [
        ("postgres://h:notaport/x", "a"),
        ("http://x", "a"),
        ("postgres://h/x", &*"x".repeat(64)),
        ("postgres://h/x", ""),
    ] {
        let error = is_input(&at(uri, prefix));
        assert!(error.fault() == Fault::Input && error.cure().is_some(), "{error}");
    }
    let Some(settings) = settings("x") else { return };
    let uri = settings.uri.clone().unwrap().replace("/postgres", "/no such database");
    let error = is_input(&Settings { uri: Some(uri), ..settings.clone() });
    assert!(error.fault() == Fault::Input && error.message().contains("no such database"), "{error}");
    let secret = Client { password_env: Some("TABLETALK_NOT_SET".into()), ..Client::default() };
    let error = is_input(&Settings { client: secret, ..settings });
    assert!(error.message().contains("TABLETALK_NOT_SET"), "{error}");
}

#[test]
fn a_server_that_is_down_is_told_quickly() {
    let begun = Instant::now();
    let client = Client { retries: 2, ..Client::default() };
    let settings = Settings { client, ..at("postgres://me:secret@127.0.0.1:1/db", "x") };
    let error = Segments::open(&settings).unwrap().documents().unwrap_err();
    assert_eq!(error.fault(), Fault::Upstream);
    let text = error.to_string();
    assert!(
        text.contains("127.0.0.1:1/db") && text.contains("is it running") && !text.contains("secret"),
        "{text}"
    );
    let error = Vectors::open(&settings).unwrap().prepare(&space(), 3, "m").unwrap_err();
    assert_eq!(error.fault(), Fault::Upstream);
    assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", begun.elapsed());
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let begun = Instant::now();
    let client = Client { retries: 0, timeout_s: 1, ..Client::default() };
    let uri = format!("postgres://me@127.0.0.1:{}/db", silent.local_addr().unwrap().port());
    let error = Segments::open(&Settings { client, ..at(&uri, "x") }).unwrap().documents().unwrap_err();
    assert_eq!(error.fault(), Fault::Upstream);
    assert!(error.to_string().contains("timeout_s") || error.to_string().contains("reached"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", begun.elapsed());
}

#[test]
fn names_and_texts_of_any_characters() {
    let Some(settings) = settings(&format!("{}\"'; --", unique("odd"))) else { return };
    let (store, vectors) = (Segments::open(&settings).unwrap(), Vectors::open(&settings).unwrap());
    let odd = "a\0b\u{1}c\u{2}'\"\\";
    store.prepare(&[(odd.into(), weighing())]).unwrap();
    let facets = vec![(odd.to_owned(), Facet::of(odd))];
    let own = Entry {
        terms: vec![(Field::Text, vec![odd.into(), "\0".into(), "x".into()])],
        facets: facets.clone(),
        ..entry(1, 0, "")
    };
    store.put_entries("g", &[own, entry(2, 0, "x")]).unwrap();
    let allow = Allow {
        filters: vec![Filter { field: odd.into(), test: Test::Is(vec![odd.to_uppercase()]) }],
        documents: None,
    };
    assert_eq!(found(&store, word("x"), &allow).len(), 1);
    assert_eq!(found(&store, word(odd), &Allow::default()).len(), 1);
    assert_eq!(
        found(&store, Term { any: vec![], prefix: Some("a\0".into()), ..word("") }, &Allow::default()).len(),
        1
    );
    assert_eq!(found(&store, word("\u{1}"), &Allow::default()), []);
    store.commit(&[segment(1, odd)]).unwrap();
    assert_eq!(store.segments(&[odd.into()]).unwrap()[0].id, odd);
    assert!(store.lease(odd, odd, 10).unwrap() && !store.lease(odd, "", 10).unwrap());
    let odd_space = Space { embed: odd.into(), group: odd.into() };
    vectors.prepare(&odd_space, 3, odd).unwrap();
    vectors.prepare(&odd_space, 3, odd).unwrap();
    vectors.put(&odd_space, &[Point { facets, ..point(1, &[], vec![1.0, 0.0, 0.0]) }]).unwrap();
    assert_eq!(vectors.spaces().unwrap(), std::slice::from_ref(&odd_space));
    assert_eq!(vectors.search(&odd_space, &[1.0, 0.0, 0.0], 1, &allow).unwrap().unwrap().len(), 1);
    // One store goes, the other stays.
    store.clear().unwrap();
    assert_eq!(vectors.count(&odd_space).unwrap(), 1);
    assert_eq!((store.documents().unwrap(), store.count("g").unwrap()), (0, 0));
    vectors.drop_space(&odd_space).unwrap();
    store.clear().unwrap();
}

#[test]
fn long_lists_of_values() {
    let Some(settings) = settings(&unique("values")) else { return };
    let store = Vectors::open(&settings).unwrap();
    store.prepare(&space(), 3, "m").unwrap();
    store.put(&space(), &points(90)).unwrap();
    let values = (7..20_000).map(|i| i.to_string()).collect();
    let allow =
        Allow { filters: vec![Filter { field: "year".into(), test: Test::Is(values) }], documents: None };
    let near = store.search(&space(), &[1.0, 0.0, 0.0], 100, &allow).unwrap().unwrap();
    assert_eq!(near.len(), 69);
    store.drop_space(&space()).unwrap();
}

#[test]
fn counts_stay_right_whoever_writes() {
    let Some(settings) = settings(&unique("counts")) else { return };
    let client = Client { batch: 20, retries: 20, ..Client::default() };
    let settings = Settings { client, ..settings };
    let open = || Segments::open(&settings).unwrap();
    open().prepare(&[("g".into(), weighing())]).unwrap();
    std::thread::scope(|scope| {
        for writer in 0..6i64 {
            scope.spawn(move || {
                let store = open();
                for turn in 0..6i64 {
                    let one = |i: i64| {
                        entry(
                            1 + (i * 7 + writer) % 40,
                            (turn % 2) as u64,
                            &"word ".repeat((i % 5) as usize + 1),
                        )
                    };
                    store.put_entries("g", &(0..40).map(one).collect::<Vec<_>>()).unwrap();
                    store
                        .remove_entries(&[(1 + writer, i64::MAX), (2 + turn, i64::MAX), (2 + turn, 0)])
                        .unwrap();
                }
            });
        }
    });
    let store = open();
    let counts: u64 = store.entry_counts("g", 0, 1000).unwrap().iter().map(|(_, n)| n).sum();
    assert_eq!(store.count("g").unwrap(), counts);
    // Scores are those of a group that was written at once: so lengths are counted right, too.
    let all = found(&store, word("word"), &Allow::default());
    assert_eq!(all.len() as u64, counts);
    store.remove_entries(&(0..100).map(|d| (d, i64::MAX)).collect::<Vec<_>>()).unwrap();
    assert_eq!(store.count("g").unwrap(), 0);
    store.put_entries("g", &[entry(1, 0, "word"), entry(2, 0, "other more")]).unwrap();
    let (n, length, mean) = (2.0f32, 1.0, 1.5);
    let want = (1.0 + (n - 0.5) / 1.5).ln() * 2.2 / (1.2 * (0.25 + 0.75 * length / mean) + 1.0);
    let score = found(&store, word("word"), &Allow::default())[0].1;
    assert!((score - want).abs() < 1e-4, "{score} is not {want}");
    store.clear().unwrap();
}

#[test]
fn a_group_may_be_dropped_while_it_is_written() {
    let Some(settings) = settings(&unique("drop")) else { return };
    let client = Client { batch: 10, ..Client::default() };
    let settings = Settings { client, ..settings };
    let open = || Segments::open(&settings).unwrap();
    open().prepare(&[("g".into(), weighing())]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let store = open();
                for _ in 0..10 {
                    let entries: Vec<Entry> = (0..50).map(|i| entry(i + 1, 0, "some words")).collect();
                    if let Err(error) = store.put_entries("g", &entries) {
                        assert_eq!(error.fault(), Fault::Missing, "{error}");
                    }
                    found(&store, word("words"), &Allow::default());
                }
            });
        }
        let store = open();
        for _ in 0..10 {
            std::thread::sleep(Duration::from_millis(30));
            store.drop_group("g").unwrap();
        }
    });
    let store = open();
    store.put_entries("g", &[entry(1, 0, "end")]).unwrap();
    assert_eq!(found(&store, word("end"), &Allow::default()).len(), 1);
    store.clear().unwrap();
}

#[test]
fn a_restart_in_between_is_not_noticed() {
    let Ok(script) = std::env::var("TABLETALK_POSTGRES_SCRIPT") else {
        eprintln!("TABLETALK_POSTGRES_SCRIPT is not set: restarts are not tested");
        return;
    };
    let server = |what: &str| {
        let done = Command::new(&script).arg(what).env("PORT", "15439").output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };
    let settings = at(&server("start"), &unique("restart"));
    let (store, vectors) = (Segments::open(&settings).unwrap(), Vectors::open(&settings).unwrap());
    let change = store.commit(&[segment(1, "a")]).unwrap();
    store.put_entries("g", &[entry(1, 0, "word")]).unwrap();
    vectors.prepare(&space(), 3, "m").unwrap();
    vectors.put(&space(), &points(50)).unwrap();
    server("stop");
    let few = Settings { client: Client { retries: 1, ..Client::default() }, ..settings.clone() };
    let error = Segments::open(&few).unwrap().documents().unwrap_err();
    assert_eq!(error.fault(), Fault::Upstream, "{error}");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(500));
            server("start");
        });
        // While it is down this waits and tries again.
        assert_eq!(store.commit(&[segment(2, "b")]).unwrap(), change + 1);
    });
    assert_eq!((store.documents().unwrap(), store.count("g").unwrap()), (2, 1));
    server("stop");
    server("start");
    vectors.put(&space(), &points(60)).unwrap();
    assert_eq!(found(&store, word("word"), &Allow::default()).len(), 1);
    assert_eq!(vectors.search(&space(), &[1.0, 0.0, 0.0], 60, &Allow::default()).unwrap().unwrap().len(), 60);
    server("wipe");
}
