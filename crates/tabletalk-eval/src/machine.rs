//! What a run is made on.

use crate::run::Machine;
use tabletalk_core::Result;

/// This machine.
pub fn this() -> Machine {
    let line = |file: &str, key: &str| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let found = text.lines().find(|line| line.starts_with(key));
        found.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
    };
    let kib = line("/proc/meminfo", "MemTotal").and_then(|t| t.split(' ').next()?.parse::<f64>().ok());
    Machine {
        processor: line("/proc/cpuinfo", "model name").unwrap_or_default(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory_gib: kib.map_or(0.0, |kib| (kib / 1024.0 / 102.4).round() / 10.0),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    }
}

/// The hash of the program that runs.
pub fn program() -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(std::fs::File::open(std::env::current_exe()?)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// The time, as one writes it down.
pub fn now() -> String {
    let now = jiff::Timestamp::now();
    now.round(jiff::Unit::Second).unwrap_or(now).to_string()
}

/// Lets the system forget how much memory there was at most so far, where it can.
pub fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most memory there was, in MiB; nothing where the system does not say.
pub fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)).and_then(|kib| kib.parse::<f64>().ok());
    kib.map(|kib| kib / 1024.0)
}
