//! Lets only so many through at once.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::Instant,
};

/// Counts those inside and makes the others wait.
pub(crate) struct Gate {
    free: Mutex<usize>,
    left: Condvar,
}

/// The right to be inside, until it is dropped.
pub(crate) struct Pass<'a>(&'a Gate);

impl Gate {
    /// Lets `most` through at once.
    pub(crate) fn new(most: usize) -> Gate {
        Gate { free: Mutex::new(most.max(1)), left: Condvar::new() }
    }

    /// Waits until there is room.
    pub(crate) fn enter(&self) -> Pass<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.left.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Pass(self)
    }

    /// Waits until there is room, but no longer than until `deadline`.
    pub(crate) fn enter_until(&self, deadline: Instant) -> Option<Pass<'_>> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = deadline.saturating_duration_since(Instant::now());
        let waited = self.left.wait_timeout_while(free, wait, |free| *free == 0);
        let (mut free, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *free = free.checked_sub(1)?;
        Some(Pass(self))
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn no_more_are_inside_than_may_be() {
        let (gate, inside, most) = (Gate::new(3), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| {
                    let _pass = gate.enter();
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(5));
                    inside.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!((1..=3).contains(&most.load(Ordering::SeqCst)), "{most:?}");
        let all: Vec<Pass<'_>> = (0..3).map(|_| gate.enter()).collect();
        assert!(gate.enter_until(Instant::now()).is_none(), "it is full");
        drop(all);
        assert!(gate.enter_until(Instant::now()).is_some());
    }
}
