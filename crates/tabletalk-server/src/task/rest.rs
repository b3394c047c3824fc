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
        let worked = since.elapsed();
        if worked < LEAST {
            return;
        }
        let (begun, longest) = (Instant::now(), (worked * TIMES).min(LONGEST));
        while self.pool.is_full() && begun.elapsed() < longest && !over() {
            std::thread::sleep(OFTEN);
        }
        *since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[tokio::test]
    async fn rests_only_while_somebody_waits() {
        let pool = Pool::new(1).unwrap();
        let rest = Rest::new(&pool);
        let looks = std::cell::Cell::new(0);
        let third_look = || {
            looks.set(looks.get() + 1);
            looks.get() == 3
        };
        std::thread::sleep(2 * LEAST);
        rest.take(third_look);
        assert_eq!(looks.get(), 0, "nobody waits");
        let (go, gone) = std::sync::mpsc::channel::<()>();
        let mut turn = Box::pin(pool.run(move || Ok(gone.recv().is_ok())));
        assert!((&mut turn).now_or_never().is_none());
        rest.take(third_look);
        assert_eq!(looks.get(), 0, "nothing was worked since");
        std::thread::sleep(2 * LEAST);
        rest.take(third_look);
        assert_eq!(looks.get(), 3, "until it is enough");
        go.send(()).unwrap();
        assert!(turn.await.unwrap());
    }
}
