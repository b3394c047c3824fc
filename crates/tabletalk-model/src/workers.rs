//! The threads that models run on.

use rten::ThreadPool;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tabletalk_core::{Error, Result};

/// Threads for many small runs, each on one thread, and for a lone run on all of them.
///
/// One batch a thread, and not all threads on one batch, because much of a graph is too small to be shared; a lone
/// query has no choice.
pub(crate) struct Workers {
    single: Vec<Arc<ThreadPool>>,
    all: Arc<ThreadPool>,
}

impl Workers {
    /// `threads` threads; 0 means one for each processor.
    pub(crate) fn new(threads: usize) -> Workers {
        let found = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if threads == 0 { found() } else { threads };
        let pool = |threads| Arc::new(ThreadPool::with_num_threads(threads));
        let single: Vec<_> = (0..threads).map(|_| pool(1)).collect();
        Workers { all: pool(threads), single }
    }

    /// All threads together, for a lone run.
    pub(crate) fn all(&self) -> &Arc<ThreadPool> {
        &self.all
    }

    /// Runs `work` on each of `items` and gives the results in their order, or the first error.
    pub(crate) fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T, &Arc<ThreadPool>) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        if items.len() < 2 || self.single.len() < 2 {
            return items.iter().map(|item| work(item, &self.all)).collect();
        }
        let next = AtomicUsize::new(0);
        let run = |pool: &Arc<ThreadPool>| -> Result<Vec<(usize, R)>> {
            let mut done = Vec::new();
            while let at = next.fetch_add(1, Ordering::Relaxed)
                && let Some(item) = items.get(at)
            {
                let result = work(item, pool);
                if result.is_err() {
                    next.store(items.len(), Ordering::Relaxed);
                }
                done.push((at, result?));
            }
            Ok(done)
        };
        let mut done = std::thread::scope(|scope| -> Result<Vec<(usize, R)>> {
            let threads: Vec<_> = self.single.iter().map(|pool| scope.spawn(|| run(pool))).collect();
            let mut done = Vec::with_capacity(items.len());
            for thread in threads {
                done.extend(thread.join().map_err(|_| Error::bug("a model thread panicked"))??);
            }
            Ok(done)
        })?;
        done.sort_by_key(|(at, _)| *at);
        Ok(done.into_iter().map(|(_, result)| result).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        let doubled = Workers::new(3).each(&items, |item, _| Ok(item * 2)).unwrap();
        assert_eq!(doubled, (0..100).map(|i| i * 2).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_is_given_back() {
        let items = [1, 2, 3];
        let result = Workers::new(2)
            .each(&items, |item, _| if *item == 2 { Err(Error::input("two")) } else { Ok(()) });
        assert_eq!(result.unwrap_err().message(), "two");
    }
}
