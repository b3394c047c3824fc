//! Locks that outlive a thread that died with them.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The lock, even when another thread died with it: what is kept under our locks is always whole.
pub(crate) fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
