//! Texts a second of an encoder inside the process, and its vectors.

use super::timing::spread;
use crate::args::BenchEmbed;
use serde_json::{Value, json};
use std::time::Instant;
use tabletalk::{Error, Result};
use tabletalk_core::seam::{Role, Want};
use tabletalk_model::{Settings, embedder};

/// Embeds the lines of a file; the vectors go to a file as little-endian 32-bit floats where one is named.
pub fn run(args: &BenchEmbed) -> Result<Value> {
    let mut settings = Settings::local(args.model.as_str());
    settings.threads = args.threads;
    settings.batch_tokens = args.batch_tokens.unwrap_or(settings.batch_tokens);
    let begun = Instant::now();
    let encoder = embedder(&settings)?;
    let load = begun.elapsed().as_secs_f64() * 1e3;
    let file = std::fs::read_to_string(&args.texts).map_err(|e| Error::from(e).at(args.texts.display()))?;
    let lines: Vec<&str> = file.lines().collect();
    // The first batch makes room and is not counted.
    encoder.embed(&lines[..lines.len().min(64)], Role::Passage, Want::Pooled)?;

    let (begun, processor) = (Instant::now(), processor_seconds());
    let embeddings = encoder.embed(&lines, Role::Passage, Want::Pooled)?;
    let (seconds, processor) = (begun.elapsed().as_secs_f64(), processor_seconds() - processor);
    if let Some(out) = &args.out {
        let numbers = embeddings.iter().flat_map(|e| &e.pooled);
        std::fs::write(out, numbers.flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())?;
    }

    let mut single = Vec::new();
    for line in lines.iter().take(100) {
        let begun = Instant::now();
        encoder.embed(&[line], Role::Passage, Want::Pooled)?;
        single.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    Ok(json!({
        "model": args.model, "dim": encoder.dim(), "texts": lines.len(), "threads": args.threads, "load_ms": load,
        "seconds": seconds, "cpu_seconds": processor, "per_second": lines.len() as f64 / seconds,
        "single_ms": spread(single)["p50_ms"],
    }))
}

/// The seconds of processors that this process has used, where the system tells.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    fields.iter().skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum::<u64>() as f64 / 100.0
}
