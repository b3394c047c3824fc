//! The store in Milvus against a real server, whose address is in `TABLETALK_MILVUS`. Where
//! `TABLETALK_MILVUS_SERVER` is the script that runs it, it is stopped and started in between, too.

use crate::suite;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tabletalk_core::Fault;
use tabletalk_core::seam::VectorStore;
use tabletalk_core::seam::store::{Allow, Facet, Point, Space};
use tabletalk_remote::{Client, Index, Metric, Milvus, Settings};

/// Tests take turns: one of them stops the server.
static TURN: Mutex<()> = Mutex::new(());

/// Settings for the server; `None` when none is named.
fn settings(prefix: &str) -> Option<Settings> {
    let Ok(uri) = std::env::var("TABLETALK_MILVUS") else {
        eprintln!("TABLETALK_MILVUS is not set: nothing is tested");
        return None;
    };
    let prefix = format!("{prefix}{:x}", std::process::id());
    Some(Settings { r#type: "milvus".into(), uri: Some(uri), prefix, ..Settings::default() })
}

fn space() -> Space {
    Space { embed: "text".into(), group: "all".into() }
}

/// Points on a circle, two to a document.
fn points(n: u64) -> Vec<Point> {
    let one = |key: u64| {
        let angle = key as f32 / n as f32;
        let facets = vec![("half".to_owned(), Facet::of(if key.is_multiple_of(2) { "even" } else { "odd" }))];
        Point { key, document: 1 + key as i64 / 2, facets, vector: vec![angle.cos(), angle.sin(), 0.0, 0.0] }
    };
    (0..n).map(one).collect()
}

/// A store with a space that holds points, dropped in the end.
struct Filled(Milvus);

impl Filled {
    fn new(settings: &Settings, points: &[Point]) -> Self {
        let store = Milvus::new(settings).unwrap();
        store.prepare(&space(), 4, "m").unwrap();
        store.put(&space(), points).unwrap();
        Filled(store)
    }

    fn keys(&self, k: usize, allow: &Allow) -> Vec<u64> {
        let found = self.0.search(&space(), &[0.0, 1.0, 0.0, 0.0], k, allow).unwrap().unwrap();
        found.iter().map(|n| n.key).collect()
    }
}

impl Drop for Filled {
    fn drop(&mut self) {
        let _ = self.0.drop_space(&space());
    }
}

#[test]
fn does_what_stores_must_do() {
    let _turn = TURN.lock();
    let Some(settings) = settings("") else { return };
    suite::vector::run(&|prefix| {
        Box::new(Milvus::new(&Settings { prefix: prefix.into(), ..settings.clone() }).unwrap())
    });
}

#[test]
fn a_server_that_is_down_is_named_soon() {
    let settings = Settings {
        r#type: "milvus".into(),
        uri: Some("http://127.0.0.1:9".into()),
        client: Client { retries: 1, ..Client::default() },
        ..Settings::default()
    };
    let (store, begun) = (Milvus::new(&settings).unwrap(), Instant::now());
    let error = store.prepare(&space(), 4, "m").unwrap_err();
    assert_eq!(error.fault(), Fault::Upstream);
    assert!(error.message().contains("milvus at http://127.0.0.1:9 cannot be reached"), "{error}");
    assert!(error.cure().unwrap().contains("is it running"), "{error}");
    assert!(store.search(&space(), &[1.0; 4], 3, &Allow::default()).is_err());
    assert!(begun.elapsed() < Duration::from_secs(120));
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let settings = Settings {
        r#type: "milvus".into(),
        uri: Some(format!("http://{}", silent.local_addr().unwrap())),
        client: Client { retries: 1, timeout_s: 1, ..Client::default() },
        ..Settings::default()
    };
    let (store, begun) = (Milvus::new(&settings).unwrap(), Instant::now());
    let error = store.count(&space()).unwrap_err();
    assert_eq!(error.fault(), Fault::Upstream, "{error}");
    // On a busy machine the time may be over before there is a connection.
    let cure = error.cure().unwrap_or_default();
    assert!(cure.contains("timeout_s") || cure.contains("is it running"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(120));
}

#[test]
fn wrong_settings_are_refused() {
    for uri in [None, Some("localhost:19530"), Some("ftp://host"), Some("http://me:secret@host:19530")] {
        let settings =
            Settings { r#type: "milvus".into(), uri: uri.map(String::from), ..Settings::default() };
        let error = Milvus::new(&settings).err().expect("refused");
        assert_eq!(error.fault(), Fault::Input, "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

#[test]
fn may_be_used_and_dropped_inside_a_runtime() {
    let _turn = TURN.lock();
    let Some(settings) = settings("rt") else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = Milvus::new(&settings).unwrap();
        assert_eq!(store.count(&space()).unwrap(), 0);
    });
}

#[test]
fn another_metric_is_refused_and_scores_stay_cosines() {
    let _turn = TURN.lock();
    let Some(settings) = settings("metric") else { return };
    let dot = Settings {
        index: Index { metric: Metric::Dot, exact: true, ..Index::default() },
        ..settings.clone()
    };
    let store = Filled::new(&dot, &points(100));
    let found = store.0.search(&space(), &[1.0, 0.0, 0.0, 0.0], 2, &Allow::default()).unwrap().unwrap();
    assert_eq!(found[0].key, 0);
    assert!((found[1].score - 0.01_f32.cos()).abs() < 1e-5);
    let error = Milvus::new(&settings).unwrap().prepare(&space(), 4, "m").unwrap_err();
    assert_eq!(error.fault(), Fault::Input);
    assert!(error.message().contains("IP") && error.message().contains("COSINE"), "{error}");
}

#[test]
fn many_documents_far_from_each_other_are_found() {
    let _turn = TURN.lock();
    let Some(settings) = settings("many") else { return };
    let store = Filled::new(&settings, &points(30_000));
    // Far away, and every other one: neither ranges nor a wider look find them.
    let far = |n: i64| Allow { documents: Some((0..n).map(|d| 1 + d * 2).collect()), ..Allow::default() };
    assert_eq!(store.keys(3, &far(1_400)), [5_597, 5_596, 5_593]);
    assert_eq!(store.keys(3, &far(3_000)), [11_997, 11_996, 11_993]);
    let all = far(50_000);
    assert_eq!(store.keys(3, &all), [29_997, 29_996, 29_993]);
    let even = Allow { filters: vec!["half=even".parse().unwrap()], ..all };
    assert_eq!(store.keys(3, &even), [29_996, 29_992, 29_988]);
    let few = Allow { documents: Some(vec![1, 7, 15_000]), ..Allow::default() };
    assert_eq!(store.keys(9, &few), [29_999, 29_998, 13, 12, 1, 0]);
    assert_eq!(store.0.keys(&space(), None, 100_000).unwrap().len(), 30_000);
    assert_eq!(store.0.vectors(&space(), &(0..20_000).collect::<Vec<_>>()).unwrap().len(), 20_000);
}

#[test]
fn a_space_is_searched_while_it_outgrows_comparing_all() {
    let _turn = TURN.lock();
    let Some(settings) = settings("grow") else { return };
    let settings = Settings { index: Index { flat_limit: 500, ..Index::default() }, ..settings };
    let all = points(4_000);
    let store = Filled::new(&settings, &all[..400]);
    let other = Milvus::new(&settings).unwrap();
    other.prepare(&space(), 4, "m").unwrap();
    let (done, begun) = (AtomicBool::new(false), Instant::now());
    std::thread::scope(|scope| {
        let searches = scope.spawn(|| {
            let mut times = 0;
            while !done.load(Ordering::Relaxed) && begun.elapsed() < Duration::from_secs(300) {
                // While its index is exchanged a space may be empty or fail; what is found is right.
                match store.0.search(&space(), &[0.0, 1.0, 0.0, 0.0], 3, &Allow::default()) {
                    Ok(found) => found.unwrap().iter().for_each(|near| {
                        let score = (near.key as f32 / 4_000.0).sin();
                        assert!((near.score - score).abs() < 1e-4, "{near:?}");
                    }),
                    Err(error) => assert_eq!(error.fault(), Fault::Upstream, "{error}"),
                }
                times += 1;
            }
            times
        });
        let halves = all[400..].split_at(1_800);
        let more = scope.spawn(|| other.put(&space(), halves.1).unwrap());
        store.0.put(&space(), halves.0).unwrap();
        more.join().unwrap();
        done.store(true, Ordering::Relaxed);
        assert!(searches.join().unwrap() > 0);
    });
    assert_eq!(other.count(&space()).unwrap(), 4_000);
    assert_eq!(store.keys(3, &Allow::default()), [3_999, 3_998, 3_997]);
}

/// Vectors in all directions.
fn scattered(n: u64) -> Vec<Point> {
    let mut state = 7_u64;
    let mut number = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let mut one =
        |key| Point { key, document: 1, facets: Vec::new(), vector: (0..32).map(|_| number()).collect() };
    (0..n).map(&mut one).collect()
}

fn nearest(points: &[Point], query: &[f32], k: usize) -> Vec<u64> {
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let cosine = |p: &Point| product(&p.vector, query) / product(&p.vector, &p.vector).sqrt();
    let mut all: Vec<(f32, u64)> = points.iter().map(|p| (cosine(p), p.key)).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.iter().take(k).map(|a| a.1).collect()
}

#[test]
fn what_was_put_has_a_graph_soon_after_the_store_settles() {
    let _turn = TURN.lock();
    let Some(settings) = settings("settle") else { return };
    let settings = Settings { index: Index { flat_limit: 500, ..Index::default() }, ..settings };
    let store = Filled(Milvus::new(&settings).unwrap());
    store.0.prepare(&space(), 32, "m").unwrap();
    let all = scattered(20_050);
    let (points, queries) = all.split_at(20_000);
    store.0.put(&space(), points).unwrap();
    store.0.settle(&space()).unwrap();
    store.0.settle(&space()).unwrap();
    let found_of = |query: &Point| {
        let found = store.0.search(&space(), &query.vector, 10, &Allow::default()).unwrap().unwrap();
        let right = nearest(points, &query.vector, 10);
        found.iter().filter(|near| right.contains(&near.key)).count()
    };
    let begun = Instant::now();
    loop {
        let found: usize = queries.iter().map(found_of).sum();
        if found >= queries.len() * 10 * 98 / 100 {
            break;
        }
        // Left to itself, Milvus takes ten minutes.
        assert!(begun.elapsed() < Duration::from_secs(240), "{found} of {}", queries.len() * 10);
        std::thread::sleep(Duration::from_secs(2));
    }
}

#[test]
fn too_many_bytes_of_fields_are_refused() {
    let _turn = TURN.lock();
    let Some(settings) = settings("bytes") else { return };
    let mut points = points(2);
    points[0].facets = (0..20).map(|n| (format!("f{n}"), Facet::of(&"长".repeat(5_000)))).collect();
    let store = Filled::new(&settings, &points);
    let same =
        Allow { filters: vec![format!("f3={}", "长".repeat(5_000)).parse().unwrap()], documents: None };
    assert_eq!(store.keys(5, &same), [0]);
    points[1].facets = (0..6_000).map(|n| (format!("f{n}"), Facet::of("some text"))).collect();
    let error = store.0.put(&space(), &points).unwrap_err();
    assert_eq!(error.fault(), Fault::Input);
    assert!(error.message().contains("document 1"), "{error}");
}

#[test]
fn what_was_put_is_there_after_a_restart() {
    let _turn = TURN.lock();
    let Some(settings) = settings("again") else { return };
    let Ok(script) = std::env::var("TABLETALK_MILVUS_SERVER") else {
        return eprintln!("TABLETALK_MILVUS_SERVER is not set: the server stays up");
    };
    let server = |what: &str| assert!(Command::new(&script).arg(what).status().unwrap().success());
    let store = Filled::new(&settings, &points(3_000));
    store.0.remove(&space(), &[0]).unwrap();
    let before = store.keys(10, &Allow::default());
    server("stop");
    let error = store.0.count(&space()).unwrap_err();
    assert_eq!(error.fault(), Fault::Upstream, "{error}");
    server("start");
    assert_eq!(store.0.count(&space()).unwrap(), 2_999);
    assert_eq!(store.keys(10, &Allow::default()), before);
    store.0.put(&space(), &points(1)).unwrap();
    assert_eq!(store.0.count(&space()).unwrap(), 3_000);
}
