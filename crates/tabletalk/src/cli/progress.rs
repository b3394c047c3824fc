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
        Progress { bar, rows: AtomicU64::new(0), files: AtomicU64::new(0), stopped, is_reading }
    }

    fn show(&self) {
        let (files, rows) = (self.files.load(Ordering::Relaxed), self.rows.load(Ordering::Relaxed));
        let seconds = self.bar.elapsed().as_secs_f64().max(0.001);
        self.bar.set_message(format!(
            "{} files, {} rows, {} rows/s",
            HumanCount(files),
            HumanCount(rows),
            HumanCount((rows as f64 / seconds) as u64)
        ));
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

impl Watch for Progress {
    fn rows(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
        self.show();
    }

    fn file(&self, _name: &str) {
        self.files.fetch_add(1, Ordering::Relaxed);
        self.show();
    }

    fn embedded(&self, space: &str, ready: u64, total: u64, took: Duration) {
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
