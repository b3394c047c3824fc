//! Measures the dense index: `dense_bench [VECTORS] [DIM] [CONNECTIVITY] [EXPANSION_ADD] [DIR]`.
//!
//! The vectors are made like embeddings: thousands of centres in a subspace of some forty dimensions, scattered around
//! them in that subspace, with a little noise in all others. Queries come from the same source and are not in the index.
//! With a DIR that holds an index of that many vectors, it is searched and not built again.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use rayon::prelude::*;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tabletalk_vector::dense::{Dense, Hnsw, Quantization, Settings};

const SUBSPACE: usize = 40;
const CENTRES: usize = 5000;
const QUERIES: usize = 300;
const K: usize = 10;

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

struct Source {
    dim: usize,
    basis: Vec<f32>,
    centres: Vec<f32>,
}

impl Source {
    fn new(dim: usize) -> Source {
        let mut dice = Dice(1);
        let mut many = |count: usize| (0..count).map(|_| dice.normal()).collect();
        Source { dim, basis: many(SUBSPACE * dim), centres: many(CENTRES * SUBSPACE) }
    }

    fn vector(&self, seed: u64) -> Vec<f32> {
        let mut dice = Dice(seed.wrapping_mul(7919) + 13);
        let centre = dice.next() as usize % CENTRES;
        let mut vector: Vec<f32> = (0..self.dim).map(|_| 0.5 * dice.normal()).collect();
        for (at, basis) in self.basis.chunks_exact(self.dim).enumerate() {
            let weight = self.centres[centre * SUBSPACE + at] + 0.7 * dice.normal();
            vector.iter_mut().zip(basis).for_each(|(x, b)| *x += weight * b);
        }
        vector
    }

    fn query(&self, at: usize) -> Vec<f32> {
        self.vector(u64::MAX / 2 + at as u64)
    }
}

fn fill(index: &mut Dense, source: &Source, count: usize) {
    let first = index.len();
    for from in (first..count).step_by(20_000) {
        let to = (from + 20_000).min(count);
        let batch: Vec<Vec<f32>> = (from..to).into_par_iter().map(|i| source.vector(i as u64)).collect();
        index.add((from as u64..).zip(batch.iter().map(Vec::as_slice))).unwrap();
    }
}

/// The time of the middle query and of the slowest but one in a hundred.
fn quantiles(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort();
    (times[times.len() / 2], times[times.len() * 99 / 100])
}

/// How fast one thread reads memory: bytes in a second, over a buffer of the size that the scan reads.
fn bandwidth(bytes: usize) -> f64 {
    let buffer = vec![1u64; bytes / 8];
    let best = (0..20)
        .map(|_| {
            let from = Instant::now();
            black_box(buffer.iter().fold(0u64, |a, x| a ^ x));
            from.elapsed()
        })
        .min();
    bytes as f64 / best.unwrap().as_secs_f64()
}

fn time_searches(index: &Dense, queries: &[Vec<f32>]) -> (Duration, Duration) {
    let time = |query: &Vec<f32>| {
        let from = Instant::now();
        black_box(index.search(query, K, None).unwrap());
        from.elapsed()
    };
    queries.iter().for_each(|query| _ = time(query));
    quantiles(queries.iter().map(time).collect())
}

fn flat(source: &Source, dim: usize, dir: &Path) {
    println!("flat scan, one thread, f16");
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for count in [5_000, 10_000, 20_000] {
        let mut index = Dense::open(&dir.join(format!("flat-{count}")), dim, &Settings::default()).unwrap();
        fill(&mut index, source, count);
        let queries: Vec<Vec<f32>> = (0..50).map(|i| source.query(i)).collect();
        let bytes = count * dim * 2;
        let (p50, best) = one.install(|| (time_searches(&index, &queries).0, bandwidth(bytes)));
        let speed = bytes as f64 / p50.as_secs_f64();
        println!(
            "  {count} vectors: p50 {p50:?}, {:.1} GB/s, {:.2} of reading alone ({:.1} GB/s)",
            speed / 1e9,
            speed / best,
            best / 1e9
        );
    }
}

/// Kibibytes of memory that belong to the process alone, and those of files it has looked at.
fn resident() -> (usize, usize) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse::<usize>().ok()).unwrap_or(0)
    };
    (of("RssAnon"), of("RssFile"))
}

fn build(source: &Source, dim: usize, count: usize, settings: &Settings, dir: &Path) {
    let mut index = Dense::open(dir, dim, settings).unwrap();
    if index.len() == count && index.generation() == 1 {
        return;
    }
    fill(&mut index, source, count);
    let from = Instant::now();
    index.commit(1).unwrap();
    println!("  built in {:.1?} on {} threads", from.elapsed(), rayon::current_num_threads());
}

/// The share of the true nearest that were found.
fn recall(index: &Dense, truth: &[Vec<u64>], queries: &[Vec<f32>]) -> f64 {
    let hits: usize = queries
        .iter()
        .zip(truth)
        .map(|(query, truth)| {
            index.search(query, K, None).unwrap().iter().filter(|f| truth.contains(&f.id)).count()
        })
        .sum();
    hits as f64 / (queries.len() * K) as f64
}

fn graph(source: &Source, dim: usize, count: usize, settings: &Settings, dir: &Path) {
    println!("graph over {count} vectors of {dim}: {:?}, rescore {}", settings.hnsw, settings.rescore);
    build(source, dim, count, settings, dir);
    let queries: Vec<Vec<f32>> = (0..QUERIES).map(|i| source.query(i)).collect();
    let before = resident();
    let from = Instant::now();
    let index = Dense::open(dir, dim, settings).unwrap();
    println!("  opened in {:.2?}", from.elapsed());
    let raw = count * dim;
    println!(
        "  memory {} MB: {:.2} of the i8 vectors",
        index.memory() >> 20,
        index.memory() as f64 / raw as f64
    );
    println!("  files with exact vectors {} MB", index.bytes() >> 20);
    let truth: Vec<Vec<u64>> = queries.iter().map(|query| exact(&index, query)).collect();
    let wide = [32, 48, 64, 96, 128, 192];
    for expansion_search in wide {
        let hnsw = Hnsw { expansion_search, ..settings.hnsw.clone() };
        let index = Dense::open(dir, dim, &Settings { hnsw, ..settings.clone() }).unwrap();
        let (p50, p99) = time_searches(&index, &queries);
        println!(
            "  expansion_search {expansion_search}: recall@{K} {:.4}, p50 {p50:.0?}, p99 {p99:.0?}",
            recall(&index, &truth, &queries)
        );
    }
    let after = resident();
    println!(
        "  resident since opening, exact comparison of all included: {} MB own, {} MB of files",
        after.0.saturating_sub(before.0) >> 10,
        after.1.saturating_sub(before.1) >> 10
    );
}

fn exact(index: &Dense, query: &[f32]) -> Vec<u64> {
    index.search_exact(query, K, None).unwrap().iter().map(|one| one.id).collect()
}

fn main() {
    let arg = |at: usize, or: usize| std::env::args().nth(at).map_or(or, |arg| arg.parse().unwrap());
    let (count, dim) = (arg(1, 100_000), arg(2, 384));
    let mut settings = Settings::default();
    settings.hnsw.connectivity = arg(3, settings.hnsw.connectivity);
    settings.hnsw.expansion_add = arg(4, settings.hnsw.expansion_add);
    assert_eq!(settings.hnsw.quantization, Quantization::I8);
    let temporary = std::env::temp_dir().join(format!("dense-bench-{}", std::process::id()));
    let dir = std::env::args().nth(5).map_or(temporary.clone(), PathBuf::from);
    let source = Source::new(dim);
    flat(&source, dim, &temporary);
    graph(&source, dim, count, &settings, &dir.join("graph"));
    let _ = std::fs::remove_dir_all(&temporary);
}
