//! What is checked besides the suite: another metric, a server that is not there or starts again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::process::Command;
use std::time::{Duration, Instant};
use tabletalk_core::Fault;
use tabletalk_core::seam::VectorStore;
use tabletalk_core::seam::store::{Allow, Facet, Filter, Point, Space, Test};
use tabletalk_remote::{Metric, Settings};

type Open<'a> = &'a dyn Fn(&Settings) -> Box<dyn VectorStore>;

/// Where the engine is, with a prefix of its own; `None`, with a word why, when it is not said.
pub fn settings(engine: &str) -> Option<Settings> {
    let variable = format!("TABLETALK_{}", engine.to_uppercase());
    let Ok(uri) = std::env::var(&variable) else {
        eprintln!("not run: {variable} is not set");
        return None;
    };
    Some(at(engine, &uri))
}

fn at(engine: &str, uri: &str) -> Settings {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    let prefix = format!("live{:x}", now & 0xffff_ffff_ffff);
    Settings { r#type: engine.into(), uri: Some(uri.into()), prefix, ..Settings::default() }
}

fn space() -> Space {
    Space { embed: "e".into(), group: "g".into() }
}

fn point(key: u64, text: &str, vector: [f32; 2]) -> Point {
    let facets = vec![("text".to_owned(), Facet::of(text))];
    Point { key, document: key as i64 + 100, facets, vector: vector.to_vec() }
}

/// A few points with the settings as they are.
pub fn few(store: &dyn VectorStore, settings: &Settings) {
    let space = space();
    store.prepare(&space, 2, "m").unwrap();
    store.prepare(&space, 2, "m").unwrap();
    let points: Vec<Point> = (1..=30)
        .map(|key| {
            let angle = key as f32 / 20.0;
            point(key, &format!("text {key}"), [angle.cos(), angle.sin()])
        })
        .collect();
    store.put(&space, &points).unwrap();
    assert_eq!(store.count(&space).unwrap(), 30);
    // A query may be of any length.
    let found = store.search(&space, &[5.0, 0.0], 3, &Allow::default()).unwrap().unwrap();
    assert_eq!(found.iter().map(|n| n.key).collect::<Vec<_>>(), [1, 2, 3]);
    for near in &found {
        assert!((near.score - (near.key as f32 / 20.0).cos()).abs() < 1e-3, "{near:?}");
    }
    assert_eq!(store.keys(&space, Some(28), 9).unwrap(), [(29, 129), (30, 130)]);
    assert!(!store.spaces().unwrap().is_empty(), "{}", settings.prefix);
    store.drop_space(&space).unwrap();
    assert!(store.spaces().unwrap().is_empty());
}

/// No server: an error that says so, soon.
pub fn down(open: Open<'_>) {
    let mut settings = at("none", "http://user:secret@127.0.0.1:9");
    settings.client.retries = 1;
    let store = open(&settings);
    let begun = Instant::now();
    let point = point(1, "a", [1.0, 0.0]);
    for error in [
        store.prepare(&space(), 2, "m").unwrap_err(),
        store.put(&space(), &[point]).unwrap_err(),
        store.search(&space(), &[1.0, 0.0], 1, &Allow::default()).unwrap_err(),
        store.spaces().unwrap_err(),
        store.count(&space()).unwrap_err(),
        store.drop_space(&space()).unwrap_err(),
    ] {
        assert_eq!(error.fault(), Fault::Upstream, "{error}");
        assert!(error.message().contains("127.0.0.1:9") && error.cure().is_some(), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    assert!(begun.elapsed() < Duration::from_secs(120));
    assert!(!store.name().contains("secret"));
}

/// Another metric than the space was made with.
pub fn another_metric(open: Open<'_>, settings: &Settings) {
    let store = open(settings);
    store.prepare(&space(), 2, "m").unwrap();
    let mut other = settings.clone();
    other.index.metric = Metric::Dot;
    let error = open(&other).prepare(&space(), 2, "m").unwrap_err();
    assert_eq!(error.fault(), Fault::Input, "{error}");
    assert!(error.message().to_lowercase().contains("cosine") && error.cure().is_some(), "{error}");
    store.drop_space(&space()).unwrap();
}

/// Texts that differ late, and bounds that are long.
pub fn long_texts(store: &dyn VectorStore) {
    let texts: Vec<String> = (0..40)
        .map(|i| match i % 4 {
            0 => format!("the same long beginning for all of these, then {i:02}"),
            1 => "x".repeat(i),
            2 => format!("2024-01-05T10:00:{i:02}"),
            _ => i.to_string(),
        })
        .collect();
    let points: Vec<Point> =
        texts.iter().zip(0..).map(|(text, key)| point(key, text, [1.0, key as f32 / 100.0])).collect();
    store.prepare(&space(), 2, "m").unwrap();
    store.put(&space(), &points).unwrap();
    for bound in &texts {
        for test in [Test::From(bound.clone()), Test::To(bound.clone()), Test::Is(vec![bound.clone()])] {
            let filter = Filter { field: "text".into(), test };
            let allow = Allow { filters: vec![filter.clone()], documents: None };
            let mut found: Vec<u64> = store
                .search(&space(), &[1.0, 0.0], 50, &allow)
                .unwrap()
                .unwrap()
                .iter()
                .map(|n| n.key)
                .collect();
            found.sort_unstable();
            let want: Vec<u64> =
                texts.iter().zip(0..).filter(|(text, _)| filter.passes(text)).map(|(_, key)| key).collect();
            assert_eq!(found, want, "{filter:?}");
        }
    }
    let many = (0..5000).map(|i| format!("{i}")).collect();
    let allow =
        Allow { filters: vec![Filter { field: "text".into(), test: Test::Is(many) }], documents: None };
    assert_eq!(store.search(&space(), &[1.0, 0.0], 50, &allow).unwrap().unwrap().len(), 10);
    store.drop_space(&space()).unwrap();
}

/// What was put is there when the server is ended and started again.
pub fn restarted(open: Open<'_>, engine: &str) {
    let variable = format!("TABLETALK_{}_SERVER", engine.to_uppercase());
    let Ok(script) = std::env::var(&variable) else {
        eprintln!("not run: {variable} is not set");
        return;
    };
    let server = |what: &str| {
        let out = Command::new(&script).arg(what).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap().trim().to_owned()
    };
    let mut settings = at(engine, &server("start"));
    settings.client.retries = 6;
    let store = open(&settings);
    store.prepare(&space(), 2, "m").unwrap();
    let points: Vec<Point> = (1..=3000).map(|key| point(key, "a", [1.0, key as f32 / 100.0])).collect();
    store.put(&space(), &points).unwrap();
    server("stop");
    // It is called while the server comes back.
    std::thread::scope(|scope| {
        let late = scope.spawn(|| store.put(&space(), &[point(5000, "b", [0.0, -1.0])]));
        server("start");
        late.join().unwrap().unwrap();
    });
    assert_eq!(store.count(&space()).unwrap(), 3001);
    let allow = Allow { filters: vec!["text=B".parse().unwrap()], documents: None };
    let found = store.search(&space(), &[0.0, -1.0], 5, &allow).unwrap().unwrap();
    assert_eq!(found.iter().map(|n| n.key).collect::<Vec<_>>(), [5000]);
    server("stop");
    server("start");
    assert_eq!(store.keys(&space(), Some(2999), 5).unwrap(), [(3000, 3100), (5000, 5100)]);
    store.prepare(&space(), 2, "m").unwrap();
    store.drop_space(&space()).unwrap();
}
