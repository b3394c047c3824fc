//! Progress for people, and Ctrl-C.

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tabletalk::{Error, Result, Watch};

/// Shows files, rows and speed; stops the work on Ctrl-C and SIGTERM.
pub struct Progress {
    bar: ProgressBar,
    rows: AtomicU64,
    files: AtomicU64,
    /// Files that were found; 0 while that is not known.
    total: AtomicU64,
    stopped: Arc<AtomicBool>,
    is_reading: Arc<AtomicBool>,
}

/// The exit code of a command that was interrupted.
const INTERRUPTED: i32 = 130;
/// How long readers that were asked to stop may take; then the process ends without them. What was committed stays.
const LAST: Duration = Duration::from_millis(1500);

/// Ends the process when nothing but reading goes on: a decoder may be inside one large part and hear nothing.
fn end_if_reading(is_reading: &AtomicBool) {
    std::thread::sleep(LAST);
    if is_reading.load(Ordering::SeqCst) {
        std::process::exit(INTERRUPTED);
    }
}

impl Progress {
    /// A progress that is shown when `shown` is set.
    pub fn new(shown: bool) -> Self {
        let bar = if shown { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        let stopped = Arc::new(AtomicBool::new(false));
        let flag = stopped.clone();
        let is_reading = Arc::new(AtomicBool::new(false));
        let reading = is_reading.clone();
        // The first Ctrl-C, or SIGTERM, lets documents in work finish or be dropped; the second ends the process.
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::SeqCst) {
                std::process::exit(INTERRUPTED);
            }
            let reading = reading.clone();
            std::thread::spawn(move || end_if_reading(&reading));
        });
        let [rows, files, total] = [0; 3].map(AtomicU64::new);
        Progress { bar, rows, files, total, stopped, is_reading }
    }

    fn show(&self, name: Option<&str>) {
        let [files, total, rows] = [&self.files, &self.total, &self.rows].map(|n| n.load(Ordering::Relaxed));
        self.bar.set_position(files);
        if let Some(name) = name {
            self.bar.set_prefix(shortened(name));
        }
        self.bar.set_message(reading_line(files, total, rows, self.bar.elapsed()));
    }

    /// Asks whether to go on; `yes` answers for the user. Without a terminal to ask, that must be given.
    pub fn confirm(&self, question: &str, yes: bool) -> Result<bool> {
        if yes {
            return Ok(true);
        }
        if !std::io::stdin().is_terminal() {
            return Err(Error::input(question.to_owned()).hint("give --yes to go on without being asked"));
        }
        self.bar.suspend(|| {
            let mut err = std::io::stderr();
            write!(err, "{question} [y/N] ").and_then(|()| err.flush())?;
            let mut answer = String::new();
            std::io::stdin().read_line(&mut answer)?;
            Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
        })
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// How far reading is: files of all, rows, speed, and the time that is left if the other files take as long.
fn reading_line(files: u64, total: u64, rows: u64, took: Duration) -> String {
    let seconds = took.as_secs_f64().max(0.001);
    let speed = HumanCount((rows as f64 / seconds) as u64);
    let of = if total > 0 { format!(" of {}", HumanCount(total)) } else { String::new() };
    let left = match files {
        0 => String::new(),
        _ => {
            let each = seconds / files as f64;
            let left = Duration::from_secs_f64(each * total.saturating_sub(files) as f64);
            format!(", {} left", HumanDuration(left))
        }
    };
    format!("{}{of} files, {} rows, {speed} rows/s{left}", HumanCount(files), HumanCount(rows))
}

/// The end of a long path: what tells files apart stands there.
fn shortened(name: &str) -> String {
    const MOST: usize = 40;
    let count = name.chars().count();
    if count <= MOST {
        name.to_owned()
    } else {
        format!("…{}", name.chars().skip(count - MOST).collect::<String>())
    }
}

impl Watch for Progress {
    fn rows(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
        self.show(None);
    }

    fn found(&self, files: u64) {
        self.total.store(files, Ordering::Relaxed);
        self.bar.set_length(files);
        if let Ok(style) = ProgressStyle::with_template("{spinner} [{bar:24}] {msg}  {prefix}") {
            self.bar.set_style(style.progress_chars("━╸ "));
        }
        self.show(None);
    }

    fn file(&self, name: &str) {
        self.files.fetch_add(1, Ordering::Relaxed);
        self.show(Some(name));
    }

    fn embedded(&self, space: &str, ready: u64, total: u64, took: Duration) {
        self.bar.set_length(total);
        self.bar.set_position(ready);
        self.bar.set_prefix("");
        let rate = ready as f64 / took.as_secs_f64().max(0.001);
        let left = Duration::from_secs_f64((total - ready.min(total)) as f64 / rate.max(0.001));
        self.bar.set_message(format!(
            "embedding {space}: {} of {} documents, {rate:.0}/s, {} left",
            HumanCount(ready),
            HumanCount(total),
            HumanDuration(left)
        ));
    }

    fn reading(&self, is_reading: bool) {
        self.is_reading.store(is_reading, Ordering::SeqCst);
    }

    fn note(&self, text: &str) {
        self.bar.set_message(text.to_owned());
    }

    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_how_far_reading_is_and_what_is_left() {
        let line = |files, total, rows| reading_line(files, total, rows, Duration::from_secs(10));
        assert_eq!(line(0, 0, 500), "0 files, 500 rows, 50 rows/s");
        assert_eq!(line(0, 8, 0), "0 of 8 files, 0 rows, 0 rows/s");
        assert_eq!(line(2, 8, 120_000), "2 of 8 files, 120,000 rows, 12,000 rows/s, 30 seconds left");
    }

    #[test]
    fn a_long_path_is_shown_by_its_end() {
        assert_eq!(shortened("a/b.csv"), "a/b.csv");
        let long = shortened(&format!("{}/sales.csv", "x".repeat(80)));
        assert!(long.starts_with('…') && long.ends_with("/sales.csv"), "{long}");
    }
}
