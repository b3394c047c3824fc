//! Runs one stage of clustering over a file of rows, and says how long it took.
//!
//!     cluster_file STAGE FILE DIM OUT [KEY=VALUE...]
//!
//! STAGE is neighbours, umap, mixture, cluster or halve. FILE holds 32-bit floats, row after row. OUT gets the result:
//! row numbers as 32-bit integers (neighbours), 32-bit floats (umap), or JSON. Keys: k, neighbours, components, epochs,
//! negative, max, seed, rows (only the first so many), method, threads; `each=1` makes mixture fit every number up to max.

#![allow(clippy::print_stdout)]

use std::collections::HashMap;
use std::error::Error;
use std::time::Instant;
use tabletalk_cluster::{Settings, cluster, halve, mixture, neighbours, umap};
use tabletalk_core::Matrix;

type Given = HashMap<String, String>;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [stage, file, dim, out, rest @ ..] = args.as_slice() else { return Err("STAGE FILE DIM OUT".into()) };
    let given: Given =
        rest.iter().filter_map(|arg| arg.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect();
    if let Some(threads) = number(&given, "threads")? {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    let vectors = read(file, dim.parse()?, number(&given, "rows")?)?;
    let started = Instant::now();
    let (result, more) = run(stage, &vectors, &given)?;
    let seconds = started.elapsed().as_secs_f64();
    std::fs::write(out, result)?;
    println!(
        "{}",
        serde_json::json!({"stage": stage, "rows": vectors.len(), "seconds": seconds, "peak_mib": peak_mib(), "said": more})
    );
    Ok(())
}

fn number(given: &Given, key: &str) -> Result<Option<usize>, std::num::ParseIntError> {
    given.get(key).map(|value| value.parse()).transpose()
}

fn read(file: &str, dim: usize, rows: Option<usize>) -> Result<Matrix, Box<dyn Error>> {
    let bytes = std::fs::read(file)?;
    let all = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    Ok(Matrix { dim, data: all.take(rows.map_or(usize::MAX, |rows| rows * dim)).collect() })
}

fn run(stage: &str, vectors: &Matrix, given: &Given) -> Result<(Vec<u8>, serde_json::Value), Box<dyn Error>> {
    let get = |key, usual| number(given, key).map(|found| found.unwrap_or(usual));
    let seed = get("seed", 224)? as u64;
    Ok(match stage {
        "neighbours" => {
            let found = neighbours::nearest(vectors, get("k", 15)?, seed);
            (found.ids.iter().flat_map(|id| id.to_le_bytes()).collect(), serde_json::json!({"k": found.k}))
        }
        "umap" => {
            let settings = umap::Settings {
                neighbours: get("neighbours", 15)?,
                components: get("components", 12)?,
                epochs: number(given, "epochs")?,
                negative_samples: get("negative", 5)?,
                seed,
                ..umap::Settings::default()
            };
            let points = umap::reduce(vectors, &settings);
            (
                points.data.iter().flat_map(|x| x.to_le_bytes()).collect(),
                serde_json::json!({"components": points.dim}),
            )
        }
        "mixture" => mixtures(vectors, get("max", 64)?, seed, given.contains_key("each")),
        "halve" => {
            let (low, high) = halve(vectors, seed);
            (serde_json::to_vec(&(&low, &high))?, serde_json::json!([low.len(), high.len()]))
        }
        _ => {
            let method = serde_json::from_value(given.get("method").map_or("gmm", String::as_str).into())?;
            let settings =
                Settings { method, max_cluster: get("max", 64)?, random_seed: seed, ..Settings::default() };
            let clusters = cluster(vectors, &settings, &|| false)?;
            (serde_json::to_vec(&clusters)?, serde_json::json!({"clusters": clusters.len()}))
        }
    })
}

/// The best mixture, or all of them.
fn mixtures(points: &Matrix, max: usize, seed: u64, each: bool) -> (Vec<u8>, serde_json::Value) {
    let said = |m: &mixture::Mixture| serde_json::json!({"k": m.components(), "score": m.log_likelihood(), "bic": m.bic()});
    let best = mixture::choose(points, max, seed);
    let all: Vec<_> =
        if each { (1..=max).map(|k| said(&mixture::fit(points, k, seed))).collect() } else { Vec::new() };
    (serde_json::json!(all).to_string().into_bytes(), said(&best))
}

/// The most memory that was used at a time, where the system says so.
fn peak_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1024)
}
