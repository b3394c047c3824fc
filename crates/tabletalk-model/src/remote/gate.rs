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
