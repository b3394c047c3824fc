//! What was measured, and on what machine.

use super::peer;
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// Version, commit, processor, cores, memory, system and date.
pub fn provenance() -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "commit": commit(),
        "optimised": !cfg!(debug_assertions),
        "processor": line("/proc/cpuinfo", "model name"),
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "memory_gib": memory_gib(),
        "load": load(),
        "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        "date": jiff::Timestamp::now().to_string(),
    })
}

/// The commit of the source tree, with a plus where files differ from it.
fn commit() -> Option<String> {
    let root = peer::root()?;
    let git = |args: &[&str]| {
        let done = Command::new("git").arg("-C").arg(&root).args(args).stderr(Stdio::null()).output().ok()?;
        done.status.success().then(|| String::from_utf8_lossy(&done.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|out| !out.is_empty());
    Some(if changed { format!("{commit}+") } else { commit })
}

/// What a file of the system says after a name and a colon.
fn line(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

fn memory_gib() -> Option<f64> {
    let kib: f64 = line("/proc/meminfo", "MemTotal")?.split_whitespace().next()?.parse().ok()?;
    Some((kib / 1024.0 / 1024.0 * 10.0).round() / 10.0)
}

/// How many processes wanted a processor in the last minute: figures of a busy machine say less.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}
