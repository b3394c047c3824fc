//! The memory of statements: a limit for each, and one for all of them together.

use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryLimit, MemoryPool, MemoryReservation};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the statements of this process hold. Memory belongs to the process, whatever number of sandboxes
/// there are, so this is counted for the process.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// How many times its own limit all statements together may hold: one that takes all it may does not keep
/// others from running, and eight do not take eight times as much.
const TOGETHER: usize = 2;

/// The memory of one statement.
#[derive(Debug)]
pub(crate) struct Share {
    held: AtomicUsize,
    limit: usize,
    all: &'static AtomicUsize,
}

impl Share {
    pub(crate) fn new(limit: usize) -> Self {
        Share { held: AtomicUsize::new(0), limit, all: &HELD }
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "share of {} MiB", self.limit >> 20)
    }
}

impl MemoryPool for Share {
    fn name(&self) -> &str {
        "share"
    }
    fn grow(&self, _reservation: &MemoryReservation, additional: usize) {
        self.held.fetch_add(additional, Ordering::Relaxed);
        self.all.fetch_add(additional, Ordering::Relaxed);
    }
    fn shrink(&self, _reservation: &MemoryReservation, shrink: usize) {
        self.held.fetch_sub(shrink, Ordering::Relaxed);
        self.all.fetch_sub(shrink, Ordering::Relaxed);
    }
    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        if !take(&self.held, additional, self.limit) {
            let (what, limit) = (reservation.consumer().name(), self.limit >> 20);
            return Err(DataFusionError::ResourcesExhausted(format!("{what} goes beyond {limit} MiB")));
        }
        if !take(self.all, additional, self.limit.saturating_mul(TOGETHER)) {
            self.held.fetch_sub(additional, Ordering::Relaxed);
            return Err(DataFusionError::ResourcesExhausted(
                "other statements hold it at the moment; try again when they have ended".into(),
            ));
        }
        Ok(())
    }
    fn reserved(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }
    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.limit)
    }
}

/// Adds to a sum that stays within a limit, or leaves it.
fn take(sum: &AtomicUsize, additional: usize, limit: usize) -> bool {
    let add = |held: usize| held.checked_add(additional).filter(|sum| *sum <= limit);
    sum.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::execution::memory_pool::MemoryConsumer;
    use std::sync::Arc;

    #[test]
    fn eight_statements_at_once_do_not_hold_eight_times_the_limit() {
        let all: &'static AtomicUsize = Box::leak(Box::new(AtomicUsize::new(0)));
        let share =
            || -> Arc<dyn MemoryPool> { Arc::new(Share { held: AtomicUsize::new(0), limit: 100, all }) };
        let pools: Vec<_> = (0..8).map(|_| share()).collect();
        let held: Vec<_> = pools.iter().map(|p| MemoryConsumer::new("rows").register(p)).collect();
        let grown = held.iter().filter(|r| r.try_grow(90).is_ok()).count();
        assert_eq!((grown, all.load(Ordering::Relaxed)), (2, 180));
        assert!(held[0].try_grow(20).unwrap_err().to_string().contains("goes beyond"));
        assert!(held[2].try_grow(90).unwrap_err().to_string().contains("other statements"));
        drop(held);
        assert_eq!(all.load(Ordering::Relaxed), 0);
        assert_eq!(pools[0].reserved(), 0);
    }
}
