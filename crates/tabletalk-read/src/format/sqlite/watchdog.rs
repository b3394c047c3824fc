//! Ends what a database would go on with for ever: a view is a program of whoever made the file.

use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread::Thread;
use std::time::Duration;
use tabletalk_core::seam::{Source, Stop};
use tabletalk_core::{Error, Result};

/// How often it is looked whether to go on.
const TICK: Duration = Duration::from_millis(50);
/// What all views of a file together may take. Tables end by themselves.
const MAX_VIEW_TIME: Duration = Duration::from_secs(60);

/// What reading one file may cost.
#[derive(Debug, Clone)]
pub(super) struct Cost {
    stop: Stop,
    /// What its views have taken, in ticks.
    spent: Arc<AtomicU64>,
    most: Duration,
    max_cell_bytes: usize,
    /// More rows than this no table of the file can have: a row takes two bytes at least.
    max_rows: u64,
}

impl Cost {
    pub(super) fn of(source: &Source<'_>) -> Result<Self> {
        Ok(Cost {
            stop: source.stop.clone(),
            spent: Arc::default(),
            most: MAX_VIEW_TIME,
            max_cell_bytes: source.limits.max_cell_bytes,
            max_rows: std::fs::metadata(source.path)?.len() / 2,
        })
    }

    /// Lets no value grow beyond the limit, and nothing run on for ever, as long as what is returned is there.
    pub(super) fn hold(&self, connection: &Connection, is_view: bool) -> Result<Watchdog> {
        let most = i32::try_from(self.max_cell_bytes).unwrap_or(i32::MAX);
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, most).map_err(fault)?;
        let state = Arc::new(State::default());
        let (cost, seen, handle) = (self.clone(), state.clone(), connection.get_interrupt_handle());
        let watch = move || {
            while !seen.is_over.load(SeqCst) {
                if cost.is_over(is_view && !seen.is_waiting.load(SeqCst)) {
                    handle.interrupt();
                }
                std::thread::park_timeout(TICK);
            }
        };
        let watcher = std::thread::Builder::new().name("sqlite clock".into()).spawn(watch)?;
        Ok(Watchdog { state, watcher: watcher.thread().clone() })
    }

    fn is_over(&self, counts: bool) -> bool {
        let ticks = self.spent.fetch_add(u64::from(counts), SeqCst);
        self.stop.is_set() || counts && TICK * (ticks as u32) >= self.most
    }

    /// Refuses a table of more rows than the file has room for: its pages point at each other.
    pub(super) fn check_rows(&self, rows: u64, is_view: bool) -> Result<()> {
        match is_view || rows <= self.max_rows {
            true => Ok(()),
            false => Err(Error::input("is damaged: a table has more rows than the file has room for")),
        }
    }

    /// The error of a statement, in words of what was reached.
    pub(super) fn fault(&self, e: rusqlite::Error) -> Error {
        match e.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => self.stop.check().err().unwrap_or_else(|| {
                let seconds = self.most.as_secs();
                Error::limit(format!("has views that take longer than {seconds} seconds"))
                    .hint("write their rows into a table, or leave them out of the file")
            }),
            Some(ErrorCode::TooBig) => {
                let most = self.max_cell_bytes;
                Error::limit(format!("has a cell of more than {most} bytes"))
                    .hint("raise max_cell_bytes if that is right")
            }
            _ => fault(e),
        }
    }
}

#[derive(Debug, Default)]
struct State {
    is_over: AtomicBool,
    is_waiting: AtomicBool,
}

/// Holds a connection; let go when dropped.
#[derive(Debug)]
pub(super) struct Watchdog {
    state: Arc<State>,
    watcher: Thread,
}

impl Watchdog {
    /// Does something that is not the database's doing.
    pub(super) fn wait<T>(&self, work: impl FnOnce() -> T) -> T {
        self.state.is_waiting.store(true, SeqCst);
        let done = work();
        self.state.is_waiting.store(false, SeqCst);
        done
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.state.is_over.store(true, SeqCst);
        self.watcher.unpark();
    }
}

pub(super) fn fault(e: rusqlite::Error) -> Error {
    Error::input(format!("is not a readable SQLite database: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::Fault;
    use tabletalk_core::seam::Limits;

    const FOR_EVER: &str =
        "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n";

    fn cost(most: Duration) -> Cost {
        let file = tempfile::NamedTempFile::new().unwrap();
        let limits = Limits { max_cell_bytes: 1000, ..Limits::default() };
        Cost { most, ..Cost::of(&Source::new(file.path(), "a.db", &limits)).unwrap() }
    }

    fn run(cost: &Cost, sql: &str) -> Result<i64> {
        let connection = Connection::open_in_memory().unwrap();
        let _watchdog = cost.hold(&connection, true)?;
        connection.query_row(sql, [], |r| r.get(0)).map_err(|e| cost.fault(e))
    }

    #[test]
    fn ends_what_goes_on_for_ever() {
        let e = run(&cost(Duration::from_millis(100)), FOR_EVER).unwrap_err();
        assert!(e.fault() == Fault::Limit && e.message().contains("views"), "{e}");
    }

    #[test]
    fn ends_when_asked_to() {
        let cost = cost(MAX_VIEW_TIME);
        let begun = std::time::Instant::now();
        let stop = cost.stop.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            stop.set();
        });
        assert_eq!(run(&cost, FOR_EVER).unwrap_err().message(), "interrupted");
        assert!(begun.elapsed() < Duration::from_secs(2));
    }

    #[test]
    fn lets_no_value_grow_beyond_the_limit() {
        let cost = cost(MAX_VIEW_TIME);
        for sql in ["select length(hex(zeroblob(900000000)))", "select length(printf('%.*c', 5000, 'x'))"] {
            let e = run(&cost, sql).unwrap_err();
            assert!(e.fault() == Fault::Limit && e.message().contains("1000 bytes"), "{sql}: {e}");
        }
    }
}
