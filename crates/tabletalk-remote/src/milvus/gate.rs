//! Lets so many requests through at once, and no more.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use tabletalk_core::Result;

/// Counts who may still come in.
pub(super) struct Gate {
    most: usize,
    free: Mutex<usize>,
    freed: Condvar,
}

/// Somebody who came in; the place is free again when this is dropped.
struct Inside<'a>(&'a Gate);

impl Gate {
    /// Lets `most` in at once, at least one.
    pub(super) fn new(most: usize) -> Self {
        let most = most.max(1);
        Gate { most, free: Mutex::new(most), freed: Condvar::new() }
    }

    /// Does something with each part, as [`each`] does; all who come through this gate together are no more
    /// than it lets in. What is done must not come through the gate again.
    pub(super) fn each<T: Sync, R: Send>(
        &self,
        parts: &[T],
        work: impl Fn(&T) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        each(self.most, parts, |part| {
            let _inside = self.enter();
            work(part)
        })
    }

    fn enter(&self) -> Inside<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.freed.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Inside(self)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

/// Does something with each part, up to `most` at once, until one fails. What comes out is in no order.
pub(super) fn each<T: Sync, R: Send>(
    most: usize,
    parts: &[T],
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let run = || -> Result<Vec<R>> {
        let mut done = Vec::new();
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            if failed.load(Ordering::Relaxed) {
                break;
            }
            done.push(work(part).inspect_err(|_| failed.store(true, Ordering::Relaxed))?);
        }
        Ok(done)
    };
    if parts.len() < 2 {
        return run();
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..most.clamp(1, parts.len())).map(|_| scope.spawn(run)).collect();
        let mut all = Vec::with_capacity(parts.len());
        for thread in threads {
            match thread.join() {
                Ok(done) => all.extend(done?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(all)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::Error;

    #[test]
    fn does_all_and_no_more_than_allowed_at_once() {
        let gate = Gate::new(3);
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let parts: Vec<usize> = (0..50).collect();
        let mut done = gate
            .each(&parts, |&n| {
                most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(1));
                inside.fetch_sub(1, Ordering::SeqCst);
                Ok(n)
            })
            .unwrap();
        done.sort_unstable();
        assert_eq!(done, parts);
        assert!(most.load(Ordering::SeqCst) <= 3);
    }

    #[test]
    fn stops_at_the_first_failure() {
        let gate = Gate::new(2);
        let parts = [0; 100];
        let tried = AtomicUsize::new(0);
        let fails = |_: &i32| -> Result<()> {
            tried.fetch_add(1, Ordering::SeqCst);
            Err(Error::bug("no"))
        };
        assert!(gate.each(&parts, fails).is_err());
        assert!(tried.load(Ordering::SeqCst) <= 2);
        assert!(gate.each(&[1], |_| Ok(())).is_ok());
        assert!(gate.each(&[] as &[i32], |_| Ok(())).unwrap().is_empty());
    }
}
