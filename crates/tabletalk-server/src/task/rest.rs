//! Long work leaves most of the time to searches, as long as any wait for their turn.

use crate::work::Pool;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// So many times as long as was worked is rested.
const TIMES: u32 = 3;
/// The longest rest.
const LONGEST: Duration = Duration::from_secs(5);
/// The least work that is worth a rest.
const LEAST: Duration = Duration::from_millis(10);
/// How often it is looked whether searches still wait.
const OFTEN: Duration = Duration::from_millis(5);

/// Rests between pieces of work.
pub(super) struct Rest<'a> {
    pool: &'a Pool,
    /// When the present piece of work began.
    since: Mutex<Instant>,
}

impl<'a> Rest<'a> {
    /// Searches wait when all threads of `pool` are at work.
    pub(super) fn new(pool: &'a Pool) -> Self {
        Rest { pool, since: Mutex::new(Instant::now()) }
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
        if let Some(longest) = length(since.elapsed()) {
            self.wait(longest, over);
            *since = Instant::now();
        }
    }

    /// Waits while somebody waits for their turn, `longest` at most.
    fn wait(&self, longest: Duration, over: impl Fn() -> bool) {
        let begun = Instant::now();
        while self.pool.is_full() && begun.elapsed() < longest && !over() {
            std::thread::sleep(OFTEN);
        }
    }
}

/// How long at most is rested after so much work, if it is worth a rest.
fn length(worked: Duration) -> Option<Duration> {
    (worked >= LEAST).then(|| (worked * TIMES).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[test]
    fn more_work_is_worth_a_longer_rest() {
        assert_eq!(length(LEAST / 2), None, "as good as nothing was worked");
        assert_eq!(length(LEAST), Some(LEAST * TIMES));
        assert_eq!(length(LONGEST), Some(LONGEST));
    }

    #[tokio::test]
    async fn rests_only_while_somebody_waits() {
        let long = Duration::from_secs(600);
        let pool = Pool::new(1).unwrap();
        let rest = Rest::new(&pool);
        let looks = std::cell::Cell::new(0);
        let third_look = || {
            looks.set(looks.get() + 1);
            looks.get() == 3
        };
        rest.wait(long, third_look);
        assert_eq!(looks.get(), 0, "nobody waits");
        let (go, gone) = std::sync::mpsc::channel::<()>();
        let mut turn = Box::pin(pool.run(move || Ok(gone.recv().is_ok())));
        assert!((&mut turn).now_or_never().is_none());
        rest.wait(Duration::ZERO, third_look);
        assert_eq!(looks.get(), 0, "the rest is over at once");
        rest.wait(long, third_look);
        assert_eq!(looks.get(), 3, "until it is enough");
        go.send(()).unwrap();
        assert!(turn.await.unwrap());
    }
}
