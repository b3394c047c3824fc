//! Long work leaves most of the time to searches, as long as any wait for their turn.

use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// So many times as long as was worked is rested.
const TIMES: u32 = 8;
/// The longest rest.
const LONGEST: Duration = Duration::from_secs(5);
/// The least work that is worth a rest.
const LEAST: Duration = Duration::from_millis(10);
/// How often it is looked whether searches still wait.
const OFTEN: Duration = Duration::from_millis(5);

/// Rests between pieces of work.
pub(super) struct Rest<'a> {
    gate: &'a Semaphore,
    /// When the present piece of work began.
    since: Mutex<Instant>,
}

impl<'a> Rest<'a> {
    /// Searches wait when `gate` lets none through.
    pub(super) fn new(gate: &'a Semaphore) -> Self {
        Rest { gate, since: Mutex::new(Instant::now()) }
    }

    /// A new piece of work begins.
    pub(super) fn begin(&self) {
        if let Ok(mut since) = self.since.try_lock() {
            *since = Instant::now();
        }
    }

    /// Rests after a piece of work, unless nobody waits or `over` says that it is enough. Of several threads at the same work
    /// one rests at a time.
    pub(super) fn take(&self, over: impl Fn() -> bool) {
        let Ok(mut since) = self.since.try_lock() else { return };
        let worked = since.elapsed();
        if worked < LEAST {
            return;
        }
        let (begun, longest) = (Instant::now(), (worked * TIMES).min(LONGEST));
        while self.gate.available_permits() == 0 && begun.elapsed() < longest && !over() {
            std::thread::sleep(OFTEN);
        }
        *since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_only_while_somebody_waits() {
        let gate = Semaphore::new(1);
        let rest = Rest::new(&gate);
        let looks = std::cell::Cell::new(0);
        let third_look = || {
            looks.set(looks.get() + 1);
            looks.get() == 3
        };
        std::thread::sleep(2 * LEAST);
        rest.take(third_look);
        assert_eq!(looks.get(), 0, "nobody waits");
        let turn = gate.try_acquire().unwrap();
        rest.take(third_look);
        assert_eq!(looks.get(), 0, "nothing was worked since");
        std::thread::sleep(2 * LEAST);
        rest.take(third_look);
        assert_eq!(looks.get(), 3, "until it is enough");
        drop(turn);
    }
}
