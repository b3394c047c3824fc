//! Search by vectors: how fast, and how much of what is nearest is found.
//!
//! The vectors are made like embeddings: thousands of centres in a subspace of some forty dimensions, scattered around
//! them in that subspace, with a little noise in all others. Queries come from the same source and are not in the index.

use super::peer;
use super::timing::spread;
use crate::args::BenchDense;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;
use std::time::Instant;
use tabletalk::{Error, Result};
use tabletalk_vector::dense::{Dense, Hnsw, Settings};

const SUBSPACE: usize = 40;
const CENTRES: usize = 5000;
const QUERIES: usize = 300;
const K: usize = 10;
/// The recall at which speeds are compared.
const RECALL: f64 = 0.95;
/// How many candidates a search keeps, one setting after the other.
const WIDE: [usize; 8] = [32, 48, 64, 96, 128, 192, 320, 512];

struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    /// Nearly normal: a sum of four even ones, of variance one.
    fn normal(&mut self) -> f32 {
        (0..4).map(|_| (self.next() >> 40) as f32 / (1 << 24) as f32 - 0.5).sum::<f32>() * 1.732
    }
}

pub(super) struct Source {
    dim: usize,
    basis: Vec<f32>,
    centres: Vec<f32>,
}

impl Source {
    pub(super) fn new(dim: usize) -> Source {
        let mut dice = Dice(1);
        let mut many = |count: usize| (0..count).map(|_| dice.normal()).collect();
        Source { dim, basis: many(SUBSPACE * dim), centres: many(CENTRES * SUBSPACE) }
    }

    fn vector(&self, seed: u64) -> Vec<f32> {
        let mut dice = Dice(seed.wrapping_mul(7919).wrapping_add(13));
        let centre = dice.next() as usize % CENTRES;
        let mut vector: Vec<f32> = (0..self.dim).map(|_| 0.5 * dice.normal()).collect();
        for (at, basis) in self.basis.chunks_exact(self.dim).enumerate() {
            let weight = self.centres[centre * SUBSPACE + at] + 0.7 * dice.normal();
            vector.iter_mut().zip(basis).for_each(|(x, b)| *x += weight * b);
        }
        vector
    }

    pub(super) fn query(&self, at: usize) -> Vec<f32> {
        self.vector(u64::MAX / 2 + at as u64)
    }
}

/// The flat scan, the graph, and the peers over the same vectors.
pub fn run(args: &BenchDense) -> Result<Value> {
    let mut settings = Settings::default();
    settings.hnsw.connectivity = args.connectivity.unwrap_or(settings.hnsw.connectivity);
    settings.hnsw.expansion_add = args.expansion_add.unwrap_or(settings.hnsw.expansion_add);
    let temporary = tempfile::tempdir()?;
    let kept = args.dir.as_deref().unwrap_or(temporary.path());
    let source = Source::new(args.dim);
    let queries: Vec<Vec<f32>> = (0..QUERIES).map(|i| source.query(i)).collect();
    let flat = flat(&source, args.dim, temporary.path())?;
    let graph = graph(&source, args, &settings, &kept.join("graph"), &queries)?;
    let peer = beside(&source, args, &settings, temporary.path(), &queries)?;
    let ours = best(&graph["searches"]);
    let theirs = best(&peer["hnsw"]["searches"]);
    let exact = peer["exact"]["per_second"].as_f64();
    let times = |per_second: Option<f64>| ours.zip(per_second).map(|(ours, theirs)| ours / theirs);
    Ok(json!({
        "vectors": args.vectors, "dim": args.dim, "queries": QUERIES, "k": K, "recall_wanted": RECALL,
        "flat": flat, "graph": graph, "peer": peer, "per_second": ours, "peer_per_second": theirs,
        "times_as_fast": times(theirs), "times_as_fast_as_exact": times(exact),
    }))
}

/// Searches a second of the fastest setting that finds enough of the nearest.
fn best(searches: &Value) -> Option<f64> {
    let enough = searches.as_array()?.iter().filter(|one| one["recall"].as_f64() >= Some(RECALL));
    enough.filter_map(|one| one["per_second"].as_f64()).max_by(f64::total_cmp)
}

fn fill(index: &mut Dense, source: &Source, count: usize) -> Result<()> {
    let first = index.len();
    for from in (first..count).step_by(20_000) {
        let to = (from + 20_000).min(count);
        let batch = made(source, from..to);
        index.add((from as u64..).zip(batch.iter().map(Vec::as_slice)))?;
    }
    Ok(())
}

/// How fast one thread reads memory: bytes in a second, over a buffer of the size that the scan reads.
fn bandwidth(bytes: usize) -> f64 {
    let buffer = vec![1u64; bytes / 8];
    let read = || {
        let from = Instant::now();
        black_box(buffer.iter().fold(0u64, |a, x| a ^ x));
        from.elapsed().as_secs_f64()
    };
    bytes as f64 / (0..20).map(|_| read()).fold(f64::INFINITY, f64::min)
}

/// Milliseconds of every search, one after the other, after a round that does not count.
fn time_searches(index: &Dense, queries: &[Vec<f32>]) -> Result<Vec<f64>> {
    let time = |query: &Vec<f32>| -> Result<f64> {
        let from = Instant::now();
        black_box(index.search(query, K, None)?);
        Ok(from.elapsed().as_secs_f64() * 1e3)
    };
    for query in queries {
        time(query)?;
    }
    queries.iter().map(time).collect()
}

/// The scan of small numbers of vectors, on one thread, beside reading as much memory.
fn flat(source: &Source, dim: usize, dir: &Path) -> Result<Value> {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = one.map_err(|e| Error::bug(e.to_string()))?;
    let mut scans = Vec::new();
    for count in [5_000, 10_000, 20_000] {
        let mut index = Dense::open(&dir.join(format!("flat-{count}")), dim, &Settings::default())?;
        fill(&mut index, source, count)?;
        let queries: Vec<Vec<f32>> = (0..50).map(|i| source.query(i)).collect();
        let bytes = count * dim * 2;
        let (times, reading) = one.install(|| (time_searches(&index, &queries), bandwidth(bytes)));
        let mut shown = spread(times?);
        let speed = shown["p50_ms"].as_f64().map(|ms| bytes as f64 / (ms / 1e3));
        shown["vectors"] = count.into();
        shown["gigabytes_per_second"] = speed.map(|speed| speed / 1e9).into();
        shown["share_of_reading_alone"] = speed.map(|speed| speed / reading).into();
        scans.push(shown);
    }
    Ok(scans.into())
}

/// Seconds that building takes; nothing when the index is there already.
fn build(source: &Source, args: &BenchDense, settings: &Settings, dir: &Path) -> Result<Option<f64>> {
    let mut index = Dense::open(dir, args.dim, settings)?;
    if index.len() == args.vectors && index.generation() == 1 {
        return Ok(None);
    }
    fill(&mut index, source, args.vectors)?;
    let from = Instant::now();
    index.commit(1)?;
    Ok(Some(from.elapsed().as_secs_f64()))
}

/// The share of the true nearest that were found.
fn recall(index: &Dense, truth: &[Vec<u64>], queries: &[Vec<f32>]) -> Result<f64> {
    let mut hits = 0;
    for (query, truth) in queries.iter().zip(truth) {
        hits += index.search(query, K, None)?.iter().filter(|f| truth.contains(&f.id)).count();
    }
    Ok(hits as f64 / (queries.len() * K) as f64)
}

fn graph(
    source: &Source,
    args: &BenchDense,
    settings: &Settings,
    dir: &Path,
    queries: &[Vec<f32>],
) -> Result<Value> {
    let built = build(source, args, settings, dir)?;
    let from = Instant::now();
    let index = Dense::open(dir, args.dim, settings)?;
    let opened = from.elapsed().as_secs_f64() * 1e3;
    let truth: Vec<Vec<u64>> = queries.iter().map(|query| exact(&index, query)).collect::<Result<_>>()?;
    let mut searches = Vec::new();
    for expansion_search in WIDE {
        let hnsw = Hnsw { expansion_search, ..settings.hnsw.clone() };
        let index = Dense::open(dir, args.dim, &Settings { hnsw, ..settings.clone() })?;
        let times = time_searches(&index, queries)?;
        let per_second = times.len() as f64 / (times.iter().sum::<f64>() / 1e3);
        let mut shown = spread(times);
        shown["expansion_search"] = expansion_search.into();
        shown["recall"] = recall(&index, &truth, queries)?.into();
        shown["per_second"] = per_second.into();
        searches.push(shown);
    }
    Ok(json!({
        "settings": settings, "built_seconds": built, "threads": rayon::current_num_threads(),
        "opened_ms": opened, "memory_bytes": index.memory(), "file_bytes": index.bytes(),
        "times_the_i8_vectors": index.memory() as f64 / (args.vectors * args.dim) as f64,
        "searches": searches,
    }))
}

fn exact(index: &Dense, query: &[f32]) -> Result<Vec<u64>> {
    Ok(index.search_exact(query, K, None)?.iter().map(|one| one.id).collect())
}

/// The peers get the same vectors and queries, as files of 32-bit floats.
fn beside(
    source: &Source,
    args: &BenchDense,
    settings: &Settings,
    dir: &Path,
    queries: &[Vec<f32>],
) -> Result<Value> {
    let python = peer::python(args.python.as_deref());
    if !python.exists() {
        return Ok(json!({"missing": peer::how_to_install(&python)}));
    }
    let (vectors, asked) = (dir.join("vectors.f32"), dir.join("queries.f32"));
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(&vectors)?);
    for from in (0..args.vectors).step_by(20_000) {
        let to = (from + 20_000).min(args.vectors);
        let batch = made(source, from..to);
        write(&mut out, &batch)?;
    }
    out.flush()?;
    let mut out = BufWriter::new(std::fs::File::create(&asked)?);
    write(&mut out, queries)?;
    out.flush()?;
    let wide = WIDE.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let options = [
        vectors.to_string_lossy().into_owned(),
        asked.to_string_lossy().into_owned(),
        format!("--dim={}", args.dim),
        format!("--k={K}"),
        format!("--connectivity={}", settings.hnsw.connectivity),
        format!("--expansion-add={}", settings.hnsw.expansion_add),
        format!("--expansion-search={wide}"),
    ];
    Ok(peer::run(Some(&python), "dense_reference.py", &options))
}

/// Vectors by number.
pub(super) fn made(source: &Source, range: Range<usize>) -> Vec<Vec<f32>> {
    range.into_par_iter().map(|i| source.vector(i as u64)).collect()
}

/// Writes vectors as 32-bit floats.
pub(super) fn write(out: &mut impl Write, vectors: &[Vec<f32>]) -> Result<()> {
    let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    Ok(out.write_all(&bytes)?)
}
