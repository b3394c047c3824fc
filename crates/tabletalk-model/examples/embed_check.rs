//! Embeds the lines of a file, writes the vectors as little-endian `f32` and prints how long it took.
//!
//! `embed_check MODEL TEXTS OUT [threads] [batch_tokens]`: MODEL is `bundled:NAME` or a folder. It is the half of
//! `scripts/peers/embed_reference.py` that is ours.
#![allow(clippy::print_stdout)]

use std::time::Instant;
use tabletalk_core::seam::{Role, Want};
use tabletalk_model::{Settings, embedder};

fn main() -> tabletalk_core::Result<()> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [model, texts, out, rest @ ..] = given.as_slice() else {
        return Err(tabletalk_core::Error::input(
            "usage: embed_check MODEL TEXTS OUT [threads] [batch_tokens]",
        ));
    };
    let number = |at: usize| rest.get(at).and_then(|n| n.parse::<usize>().ok());
    let mut settings = Settings::local(model.as_str());
    settings.threads = number(0).unwrap_or(2);
    settings.batch_tokens = number(1).unwrap_or(settings.batch_tokens);

    let start = Instant::now();
    let encoder = embedder(&settings)?;
    let load = start.elapsed();
    let file = std::fs::read_to_string(texts)?;
    let lines: Vec<&str> = file.lines().collect();
    encoder.embed(&lines[..lines.len().min(64)], Role::Passage, Want::Pooled)?;

    let (start, cpu) = (Instant::now(), cpu_ticks());
    let embeddings = encoder.embed(&lines, Role::Passage, Want::Pooled)?;
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), (cpu_ticks() - cpu) as f64 / 100.0);

    let mut single: Vec<f64> = Vec::new();
    for line in lines.iter().take(100) {
        let start = Instant::now();
        encoder.embed(&[line], Role::Passage, Want::Pooled)?;
        single.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    single.sort_by(f64::total_cmp);
    let bytes: Vec<u8> = embeddings.iter().flat_map(|e| &e.pooled).flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(out, bytes)?;
    println!(
        "{{\"dim\": {}, \"load_ms\": {:.1}, \"seconds\": {seconds:.4}, \"cpu_seconds\": {cpu:.2}, \"single_ms\": {:.3}}}",
        encoder.dim(),
        load.as_secs_f64() * 1000.0,
        single[single.len() / 2],
    );
    Ok(())
}

/// The processor time of this process in hundredths of a second, where the system tells.
fn cpu_ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    fields.iter().skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum()
}
