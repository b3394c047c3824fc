//! How far a task is, told at most some times a second.

use super::{At, Rest, Tasks};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tabletalk_library::Watch;

const OFTEN: Duration = Duration::from_millis(150);

/// Watches the work of one task.
pub(crate) struct Progress<'a> {
    tasks: &'a Tasks,
    id: &'a str,
    total: Option<u64>,
    files: AtomicU64,
    rows: AtomicU64,
    told: Mutex<Option<Instant>>,
    pub(super) stop: Arc<AtomicBool>,
    rest: &'a Rest<'a>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(
        tasks: &'a Tasks,
        id: &'a str,
        total: Option<u64>,
        stop: Arc<AtomicBool>,
        rest: &'a Rest<'a>,
    ) -> Self {
        let (files, rows) = (AtomicU64::new(0), AtomicU64::new(0));
        Progress { tasks, id, total, files, rows, told: Mutex::new(None), stop, rest }
    }

    pub(super) fn tell(&self, at: impl FnOnce() -> At) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_some_and(|t| t.elapsed() < OFTEN) {
            return;
        }
        *told = Some(Instant::now());
        drop(told);
        self.tasks.change(self.id, |task| task.progress = at());
    }

    fn tell_reading(&self) {
        let (files, rows) = (self.files.load(Ordering::Relaxed), self.rows.load(Ordering::Relaxed));
        self.tell(|| At {
            phase: "read".into(),
            done: files,
            total: self.total,
            message: format!("{files} files, {rows} rows"),
        });
    }
}

impl Watch for Progress<'_> {
    fn rows(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
        self.tell_reading();
    }

    fn file(&self, _name: &str) {
        self.files.fetch_add(1, Ordering::Relaxed);
        self.tell_reading();
    }

    fn embedded(&self, space: &str, ready: u64, total: u64, _took: Duration) {
        self.tell(|| At {
            phase: "embed".into(),
            done: ready,
            total: Some(total),
            message: format!("embedding {space}: {ready} of {total} documents"),
        });
    }

    fn note(&self, text: &str) {
        self.tell(|| At { phase: "make".into(), done: 0, total: None, message: text.to_owned() });
    }

    fn reading(&self, is_reading: bool) {
        self.tasks.is_reading.store(is_reading, Ordering::SeqCst);
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn stopped(&self) -> bool {
        self.rest.take(|| self.stop.load(Ordering::SeqCst));
        self.stop.load(Ordering::SeqCst)
    }
}
