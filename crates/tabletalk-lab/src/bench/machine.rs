//! What was measured, and on what machine.

use serde_json::{Value, json};
use tabletalk_eval::machine;

/// Version, commit, processor, cores, memory, system and date.
pub fn provenance() -> Value {
    let this = machine::this();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "commit": tabletalk::cli::COMMIT,
        "optimised": !cfg!(debug_assertions),
        "processor": this.processor,
        "cores": this.cores,
        "memory_gib": this.memory_gib,
        "load": load(),
        "system": this.system,
        "date": machine::now(),
    })
}

/// How many processes wanted a processor in the last minute: figures of a busy machine say less.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}
