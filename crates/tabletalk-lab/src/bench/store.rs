//! Vectors in another engine: writing and searching through our store, beside the engine's own Python client with the same
//! vectors, batches and connections.

use super::dense::{Source, made, write};
use super::peer;
use super::timing::spread;
use crate::args::BenchStore;
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;
use tabletalk::{Error, Result};
use tabletalk_core::seam::VectorStore;
use tabletalk_core::seam::remote::{Client, Settings};
use tabletalk_core::seam::store::{Allow, Facet, Point, Space};

const K: usize = 10;
/// How often both are asked all queries, in turns.
const ROUNDS: usize = 3;
/// Vectors of one document.
const TOGETHER: u64 = 100;

pub fn run(args: &BenchStore) -> Result<Value> {
    let settings = settings(args);
    let Some(store) = tabletalk::vector_store(&settings)? else {
        return Err(
            Error::input("the embedded store has no peer here").hint("see `tabletalk-lab bench dense`")
        );
    };
    let space = Space { embed: "e".into(), group: "g".into() };
    let outcome = Bench { args, settings: &settings, store: &*store, space: &space }.run();
    store.drop_space(&space)?;
    outcome
}

fn settings(args: &BenchStore) -> Settings {
    let client =
        Client { batch: args.batch, connections: args.connections, timeout_s: 600, ..Client::default() };
    let prefix = format!("bench{}", std::process::id());
    Settings {
        r#type: args.engine.clone(),
        uri: Some(args.uri.clone()),
        prefix,
        client,
        ..Settings::default()
    }
}

struct Bench<'a> {
    args: &'a BenchStore,
    settings: &'a Settings,
    store: &'a dyn VectorStore,
    space: &'a Space,
}

impl Bench<'_> {
    fn run(&self) -> Result<Value> {
        let args = self.args;
        let dir = tempfile::tempdir()?;
        let (vectors, asked) = (dir.path().join("vectors.f32"), dir.path().join("queries.f32"));
        let source = Source::new(args.dim);
        let queries: Vec<Vec<f32>> = (0..args.queries).map(|i| source.query(i)).collect();
        write(&mut BufWriter::new(std::fs::File::create(&asked)?), &queries)?;
        let ours = self.fill(&source, &vectors)?;
        let waited = self.peer("wait", &vectors, &asked);
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            here.push(self.ask(&queries)?);
            there.push(self.peer("search", &vectors, &asked));
        }
        let theirs = self.peer("fill", &vectors, &asked);
        let rate = args.vectors as f64 / ours;
        let peer_rate = theirs["seconds"].as_f64().map(|s| args.vectors as f64 / s);
        let (p50, peer_p50) = (median(&here), median(&there));
        Ok(json!({
            "engine": args.engine, "vectors": args.vectors, "dim": args.dim, "batch": args.batch,
            "connections": args.connections, "queries": args.queries, "k": K, "index": self.settings.index,
            "fill": {"per_second": rate, "peer_per_second": peer_rate, "ratio": peer_rate.map(|p| rate / p)},
            "search": {
                "p50_ms": p50, "peer_p50_ms": peer_p50, "rounds": here, "peer_rounds": there,
                "times_as_long": p50.zip(peer_p50).map(|(ours, theirs)| ours / theirs),
            },
            "indexing": waited, "peer": theirs,
        }))
    }

    /// Seconds that putting all vectors takes; making them and writing them to a file for the peer does not count.
    fn fill(&self, source: &Source, file: &Path) -> Result<f64> {
        self.store.prepare(self.space, self.args.dim, "bench")?;
        let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(file)?);
        let (mut seconds, slice) = (0.0, self.args.batch * self.args.connections * 8);
        for from in (0..self.args.vectors).step_by(slice) {
            let batch = made(source, from..(from + slice).min(self.args.vectors));
            write(&mut out, &batch)?;
            let points: Vec<Point> = (from as u64..).zip(batch).map(point).collect();
            let begun = Instant::now();
            self.store.put(self.space, &points)?;
            seconds += begun.elapsed().as_secs_f64();
        }
        out.flush()?;
        let count = self.store.count(self.space)?;
        match count == self.args.vectors as u64 {
            true => Ok(seconds),
            false => Err(Error::bug(format!("{count} of {} vectors are there", self.args.vectors))),
        }
    }

    /// The times of all queries, one after the other, after a round that does not count.
    fn ask(&self, queries: &[Vec<f32>]) -> Result<Value> {
        let mut times = Vec::with_capacity(queries.len());
        for counts in [false, true] {
            for query in queries {
                let begun = Instant::now();
                let found = self.store.search(self.space, query, K, &Allow::default())?;
                if counts {
                    times.push(begun.elapsed().as_secs_f64() * 1e3);
                }
                if found.is_none_or(|found| found.len() < K.min(self.args.vectors)) {
                    return Err(Error::bug(format!("{} finds too little", self.store.name())));
                }
            }
        }
        Ok(spread(times))
    }

    /// What the peer does: `wait` until our vectors are indexed, `search` them, `fill` a collection of its own.
    fn peer(&self, what: &str, vectors: &Path, queries: &Path) -> Value {
        let (args, index) = (self.args, &self.settings.index);
        let options = [
            what.to_owned(),
            args.engine.clone(),
            args.uri.clone(),
            vectors.to_string_lossy().into_owned(),
            queries.to_string_lossy().into_owned(),
            format!("--prefix={}", self.settings.prefix),
            format!("--dim={}", args.dim),
            format!("--batch={}", args.batch),
            format!("--connections={}", args.connections),
            format!("--together={TOGETHER}"),
            format!("--k={K}"),
            format!("--m={}", index.m),
            format!("--ef-construction={}", index.ef_construction),
            format!("--ef={}", index.ef),
            format!("--flat-limit={}", index.flat_limit),
        ];
        peer::run(args.python.as_deref(), "store_reference.py", &options)
    }
}

fn point((key, vector): (u64, Vec<f32>)) -> Point {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    let vector = vector.into_iter().map(|x| x / length).collect();
    let document = (key / TOGETHER) as i64 + 1;
    Point { key, document, facets: vec![("file_type".into(), Facet::of("csv"))], vector }
}

fn median(rounds: &[Value]) -> Option<f64> {
    let mut all: Vec<f64> = rounds.iter().filter_map(|round| round["p50_ms"].as_f64()).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}
