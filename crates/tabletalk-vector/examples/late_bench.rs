//! Late interaction measured: time of a search, how near it comes to exact MaxSim, bytes a token, time to build.
//!
//! ```text
//! cargo run --release -p tabletalk-vector --example late_bench -- [documents] [queries] [bits] [probe] [candidates]
//!     [--keep folder]     the index and the exact answers stay there, and are used again where they fit
//! ```
//! Tokens are made to look like an encoder's: a vocabulary of 20,000 words, of which few are frequent; a common
//! direction that all share; and for each token something of its document and of its own. A query is some tokens of a
//! document, moved. Exact MaxSim is taken over the vectors before compression.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tabletalk_core::Matrix;
use tabletalk_core::matrix::normalize;
use tabletalk_vector::late::{Found, Late, Settings, maxsim};

const DIM: usize = 384;
const WORDS: usize = 20_000;
const BATCH: usize = 2_000;

/// SplitMix64, and a bell curve made of it.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Adds noise whose length is about `size`.
    fn blur(&mut self, row: &mut [f32], size: f32) {
        let each = size * 2.0 / (row.len() as f32).sqrt();
        for x in row {
            let bits = self.next();
            let sum: u64 = (0..4).map(|i| (bits >> (16 * i)) & 0xFFFF).sum();
            *x += each * (sum as f32 / 65_536.0 - 2.0) * 0.866;
        }
    }

    /// The number of a word: the frequency of the n-th is about 1/n.
    fn word(&mut self) -> usize {
        ((WORDS as f32).powf(self.unit()) as usize).min(WORDS - 1)
    }
}

fn words() -> Vec<Vec<f32>> {
    let mut common = vec![0.0; DIM];
    Noise(1).blur(&mut common, 0.6);
    let word = |i: usize| {
        let mut row = common.clone();
        Noise(1000 + i as u64).blur(&mut row, 1.0);
        row
    };
    (0..WORDS).into_par_iter().map(word).collect()
}

fn document(id: usize, words: &[Vec<f32>]) -> Matrix {
    let mut noise = Noise((id as u64 + 1) << 20);
    let mut topic = vec![0.0; DIM];
    noise.blur(&mut topic, 0.4);
    let tokens = 60 + noise.next() as usize % 81;
    let mut data = Vec::with_capacity(tokens * DIM);
    for _ in 0..tokens {
        let mut row: Vec<f32> = words[noise.word()].iter().zip(&topic).map(|(w, t)| w + t).collect();
        noise.blur(&mut row, 0.5);
        normalize(&mut row);
        data.extend(row);
    }
    Matrix { dim: DIM, data }
}

/// A few of a document's tokens, moved, and as many that it does not have.
fn query(source: usize, words: &[Vec<f32>]) -> Matrix {
    let text = document(source, words);
    let mut noise = Noise(source as u64 ^ 0xABCD_EF00);
    let mut data = Vec::new();
    for i in 0..16 {
        let mut row = match i % 4 {
            3 => words[noise.word()].clone(),
            _ => text.rows().nth(noise.next() as usize % text.len()).expect("a token").to_vec(),
        };
        noise.blur(&mut row, 1.5);
        normalize(&mut row);
        data.extend(row);
    }
    Matrix { dim: DIM, data }
}

fn main() {
    let (arguments, keep) = arguments();
    let mut arguments = arguments.into_iter();
    let mut argument = |otherwise| arguments.next().unwrap_or(otherwise);
    let (documents, queries) = (argument(10_000), argument(100));
    let base = Settings::default();
    let settings = Settings {
        bits: argument(usize::from(base.bits)) as u8,
        probe: argument(base.probe),
        candidates: argument(base.candidates),
        ..base
    };
    let dir = tempfile::tempdir().expect("a directory");
    let dir = keep.as_deref().unwrap_or(dir.path()).join(documents.to_string());
    let words = words();
    let sources: Vec<usize> = (0..queries).map(|i| i * documents / queries).collect();
    let queries: Vec<Matrix> = sources.iter().map(|source| query(*source, &words)).collect();
    let exact = exact(&dir, documents, &words, &sources, &queries);
    let dir = dir.join(format!("{}-bits", settings.bits));
    let mut late = index(&dir, documents, &settings, &words);
    report(&late, &dir);
    let (probe, refine, candidates) = (settings.probe, settings.refine, settings.candidates);
    let more = [
        (probe / 2, refine, candidates),
        (probe, refine, candidates / 2),
        (2 * probe, refine, 2 * candidates),
    ];
    let sweep = [(probe, refine, candidates)].into_iter().chain(more);
    for (probe, refine, candidates) in sweep {
        late.set_effort(probe, refine, candidates);
        println!("probe {probe}, refine {refine}, candidates {candidates}");
        measure(&late, &queries, &sources, &exact);
    }
}

/// The numbers given, and the folder to keep things in.
fn arguments() -> (Vec<usize>, Option<PathBuf>) {
    let mut given = std::env::args().skip(1);
    let (mut numbers, mut keep) = (Vec::new(), None);
    while let Some(text) = given.next() {
        match text.as_str() {
            "--keep" => keep = Some(PathBuf::from(given.next().expect("a folder"))),
            text => numbers.push(text.parse().expect("a number")),
        }
    }
    (numbers, keep)
}

/// The documents, some at a time.
fn batches(documents: usize, words: &[Vec<f32>]) -> impl Iterator<Item = Vec<(u64, Matrix)>> {
    (0..documents).step_by(BATCH).map(move |start| {
        let ids = start..documents.min(start + BATCH);
        ids.into_par_iter().map(|id| (id as u64, document(id, words))).collect()
    })
}

/// The index kept in the folder, or a new one.
fn index(dir: &Path, documents: usize, settings: &Settings, words: &[Vec<f32>]) -> Late {
    match Late::open(dir, DIM, settings) {
        Ok(late) if late.len() == documents => return late,
        Ok(_) => {}
        Err(error) => println!("{error}"),
    }
    _ = std::fs::remove_dir_all(dir);
    let mut late = Late::open(dir, DIM, settings).expect("an index");
    let mut spent = Spent::default();
    for batch in batches(documents, words) {
        spent.on(|| late.add(batch.iter().map(|(id, text)| (*id, text))).expect("added"));
    }
    spent.on(|| late.commit(1).expect("committed"));
    println!("built in {:.1} s, processor {:.1} s", spent.clock.as_secs_f64(), spent.processor.as_secs_f64());
    late
}

/// The best ten of every query by exact MaxSim: those kept in the folder, or found now.
fn exact(
    dir: &Path,
    documents: usize,
    words: &[Vec<f32>],
    sources: &[usize],
    queries: &[Matrix],
) -> Vec<Vec<Found>> {
    let path = dir.join("exact.json");
    let kept = std::fs::read(&path).unwrap_or_default();
    let mut kept: BTreeMap<usize, Vec<(u64, f32)>> = serde_json::from_slice(&kept).unwrap_or_default();
    let found =
        |best: &Vec<(u64, f32)>| best.iter().map(|(id, score)| Found { id: *id, score: *score }).collect();
    if let Some(known) = sources.iter().map(|source| kept.get(source).map(found)).collect() {
        return known;
    }
    let mut exact = vec![Vec::new(); queries.len()];
    let mut spent = Spent::default();
    for batch in batches(documents, words) {
        spent.on(|| exact.par_iter_mut().zip(queries).for_each(|(best, query)| add(best, query, &batch)));
    }
    let each = |time: Duration| milliseconds(time) / queries.len() as f64;
    println!("exact MaxSim: {:.1} ms a query, processor {:.1} ms", each(spent.clock), each(spent.processor));
    let pairs = |best: &Vec<Found>| best.iter().map(|found| (found.id, found.score)).collect::<Vec<_>>();
    kept.extend(sources.iter().copied().zip(exact.iter().map(pairs)));
    std::fs::create_dir_all(dir).expect("a folder");
    std::fs::write(path, serde_json::to_vec(&kept).expect("text")).expect("written");
    exact
}

/// Keeps the best ten of those there are and those of the batch.
fn add(best: &mut Vec<Found>, query: &Matrix, batch: &[(u64, Matrix)]) {
    best.extend(batch.iter().map(|(id, text)| Found { id: *id, score: maxsim(query, text) }));
    best.sort_by(|a, b| b.score.total_cmp(&a.score));
    best.truncate(10);
}

fn report(late: &Late, dir: &Path) {
    let bytes: u64 =
        std::fs::read_dir(dir).expect("files").flatten().map(|f| f.metadata().map_or(0, |m| m.len())).sum();
    let tokens = late.tokens();
    println!(
        "{} documents, {tokens} tokens, {} centroids, {:.1} bytes a token in all",
        late.len(),
        late.centroids(),
        bytes as f64 / tokens as f64
    );
}

fn measure(late: &Late, queries: &[Matrix], sources: &[usize], exact: &[Vec<Found>]) {
    let (mut times, processor) = (Vec::new(), processor());
    let (mut overlap, mut ours, mut theirs) = (0, 0.0, 0.0);
    for ((query, source), exact) in queries.iter().zip(sources).zip(exact) {
        let mut found = Vec::new();
        times.push(timed(|| found = late.search(query, 10, None).expect("found")));
        overlap += found.iter().filter(|found| exact.iter().any(|other| other.id == found.id)).count();
        ours += gain(&found, *source as u64);
        theirs += gain(exact, *source as u64);
    }
    times.sort();
    let count = queries.len() as f64;
    println!(
        "  p50 {:.1} ms, p99 {:.1} ms, processor {:.1} ms; nDCG@10 {:.4}, exact {:.4}; {:.3} of the exact best ten",
        milliseconds(times[times.len() / 2]),
        milliseconds(times[times.len() * 99 / 100]),
        milliseconds(self::processor().saturating_sub(processor)) / count,
        ours / count,
        theirs / count,
        overlap as f64 / (10.0 * count)
    );
}

/// The nDCG where one document is relevant.
fn gain(found: &[Found], wanted: u64) -> f64 {
    found.iter().position(|found| found.id == wanted).map_or(0.0, |rank| 1.0 / (rank as f64 + 2.0).log2())
}

/// Time of the processor this process has used, where the system tells: it says more than the clock on a busy machine.
fn processor() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks: u64 = text.split(' ').skip(13).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Time spent on something, in parts.
#[derive(Default)]
struct Spent {
    clock: Duration,
    processor: Duration,
}

impl Spent {
    fn on(&mut self, work: impl FnOnce()) {
        let before = processor();
        self.clock += timed(work);
        self.processor += processor().saturating_sub(before);
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
