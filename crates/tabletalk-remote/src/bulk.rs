//! Many requests at once, but not too many.

use crate::held;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use tabletalk_core::{Error, Result};

/// Lets so many requests be made at once, by all threads together.
pub(crate) struct Lanes {
    free: Mutex<usize>,
    freed: Condvar,
    width: usize,
}

/// A request that may be made; others may when it is dropped.
struct Turn<'a>(&'a Lanes);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *held(&self.0.free) += 1;
        self.0.freed.notify_one();
    }
}

impl Lanes {
    /// So many at once; one at least.
    pub(crate) fn new(width: usize) -> Self {
        let width = width.max(1);
        Lanes { free: Mutex::new(width), freed: Condvar::new(), width }
    }

    /// How many at once.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    fn turn(&self) -> Turn<'_> {
        let mut free = held(&self.free);
        while *free == 0 {
            free = self.freed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Turn(self)
    }

    /// Does the work for every item, several at once; what comes out is in no order. After the first error nothing is
    /// begun any more.
    pub(crate) fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<R>> = Mutex::new(Vec::with_capacity(items.len()));
        let failed: Mutex<Option<Error>> = Mutex::new(None);
        let run = || {
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                let turn = self.turn();
                let outcome = work(item);
                drop(turn);
                match outcome {
                    Ok(result) => held(&done).push(result),
                    Err(error) => {
                        held(&failed).get_or_insert(error);
                        next.store(items.len(), Ordering::Relaxed);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.width.min(items.len()) {
                scope.spawn(run);
            }
            run();
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

/// Cuts into batches of at most `most` items and, but for single ones that are larger, at most `bytes` bytes.
pub(crate) fn batches<T>(items: &[T], most: usize, bytes: usize, size: impl Fn(&T) -> usize) -> Vec<&[T]> {
    let (mut cut, mut from, mut sum) = (Vec::new(), 0, 0);
    for (at, item) in items.iter().enumerate() {
        let own = size(item);
        if at > from && (at - from >= most.max(1) || sum + own > bytes) {
            cut.push(&items[from..at]);
            (from, sum) = (at, 0);
        }
        sum += own;
    }
    if from < items.len() {
        cut.push(&items[from..]);
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_end_by_number_and_by_size() {
        let cut =
            |most, bytes| batches(&[1, 2, 3, 4, 9], most, bytes, |n| *n).iter().map(|b| b.len()).collect();
        let by_number: Vec<usize> = cut(2, 100);
        assert_eq!(by_number, [2, 2, 1]);
        let by_size: Vec<usize> = cut(9, 6);
        assert_eq!(by_size, [3, 1, 1]);
        assert!(batches(&[0_usize; 0], 2, 9, |n| *n).is_empty());
    }

    #[test]
    fn no_more_at_once_than_lanes() {
        let lanes = Lanes::new(3);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let items: Vec<usize> = (0..40).collect();
        let mut out = lanes
            .each(&items, |n| {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(1));
                now.fetch_sub(1, Ordering::SeqCst);
                Ok(*n)
            })
            .unwrap();
        out.sort_unstable();
        assert_eq!(out, items);
        assert!((2..=3).contains(&most.into_inner()));
    }

    #[test]
    fn the_first_error_ends_it() {
        let begun = AtomicUsize::new(0);
        let error = Lanes::new(1).each(&[0; 9], |_| {
            begun.fetch_add(1, Ordering::SeqCst);
            Err::<(), _>(Error::input("no"))
        });
        assert!(error.is_err());
        assert_eq!(begun.into_inner(), 1);
    }
}
