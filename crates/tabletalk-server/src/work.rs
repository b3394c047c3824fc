//! From requests to threads: the engine blocks, the server does not.

use crate::app::App;
use crate::guard::Caller;
use crate::problem::Problem;
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tabletalk_library::{Error, Result};
use tokio::sync::{Semaphore, oneshot};

/// Something to do that blocks.
type Job = Box<dyn FnOnce() + Send>;

/// Threads that do what blocks, in the order it was asked for. One that is done goes on with the next job at once: while there
/// are any, no thread has to be put to sleep and woken.
pub(crate) struct Pool {
    jobs: Sender<Job>,
    threads: usize,
    /// Jobs that are waiting or worked on.
    left: Arc<AtomicUsize>,
}

impl Pool {
    pub(crate) fn new(threads: usize) -> Result<Pool> {
        let (jobs, waiting) = unbounded();
        let left = Arc::new(AtomicUsize::new(0));
        for i in 0..threads {
            let (waiting, left) = (waiting.clone(), left.clone());
            std::thread::Builder::new().name(format!("work {i}")).spawn(move || serve(&waiting, &left))?;
        }
        Ok(Pool { jobs, threads, left })
    }

    /// Whether whoever comes now has to wait.
    pub(crate) fn is_full(&self) -> bool {
        self.left.load(Ordering::Relaxed) >= self.threads
    }

    /// Does something when it is its turn, unless whoever asked for it has gone.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (tell, told) = oneshot::channel();
        let job: Job = Box::new(move || {
            if !tell.is_closed() {
                // Nobody hears it when they have gone in the meantime.
                let _ = tell.send(work());
            }
        });
        self.left.fetch_add(1, Ordering::Relaxed);
        self.jobs.send(job).map_err(|_| failed())?;
        told.await.unwrap_or_else(|_| Err(failed()))
    }
}

/// Threads for statements that callers wrote. They may run as long as their limit lets them, so they have threads of their
/// own, and no caller has more than a quarter of them: who writes such statements keeps neither searches and answers nor
/// other people's statements waiting.
pub(crate) struct Statements {
    pool: Pool,
    each: usize,
    /// By caller, the turns that are left.
    turns: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// Callers that are remembered before those are forgotten that run nothing.
const CALLERS: usize = 1_000;

impl Statements {
    pub(crate) fn new(threads: usize) -> Result<Statements> {
        let each = (threads / 4).max(1);
        Ok(Statements { pool: Pool::new(threads.max(2))?, each, turns: Mutex::default() })
    }

    /// Runs a statement when it is its caller's turn.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        caller: &str,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let turn = self.turns(caller).acquire_owned().await.map_err(|_| failed())?;
        // Whoever asked may go, but the turn is over only when the statement is.
        self.pool
            .run(move || {
                let _turn = turn;
                work()
            })
            .await
    }

    fn turns(&self, caller: &str) -> Arc<Semaphore> {
        let mut all = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() > CALLERS {
            all.retain(|_, turns| turns.available_permits() < self.each);
        }
        all.entry(caller.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(self.each))).clone()
    }
}

fn serve(waiting: &Receiver<Job>, left: &AtomicUsize) {
    for job in waiting {
        // What panics has told nobody, and is an error for whoever asked; the thread goes on.
        let _ = catch_unwind(AssertUnwindSafe(job));
        left.fetch_sub(1, Ordering::Relaxed);
    }
}

fn failed() -> Error {
    Error::bug("this failed inside the program")
}

/// Does something that blocks, when it is its turn. Turns come in the order of requests.
pub(crate) async fn blocking<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> std::result::Result<T, Problem> {
    Ok(app.pool.run(work).await?)
}

/// Runs a statement that a caller wrote, when it is that caller's turn.
pub(crate) async fn statement<T: Send + 'static>(
    app: &Arc<App>,
    caller: &Caller,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> std::result::Result<T, Problem> {
    Ok(app.statements.run(caller.owner.as_deref().unwrap_or(&caller.name), work).await?)
}

/// Does something that blocks but costs little, at once.
pub(crate) async fn unqueued<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> std::result::Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    Ok(done.unwrap_or_else(|_| Err(failed()))?)
}

/// Counts a request while it is there: until the last of its answer was sent.
pub(crate) struct Counted(Arc<AtomicUsize>);

impl Counted {
    /// `None` when there are `most` already.
    pub(crate) fn enter(count: &Arc<AtomicUsize>, most: usize) -> Option<Counted> {
        if count.fetch_add(1, Ordering::Relaxed) >= most {
            count.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(Counted(count.clone()))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn wait_until(is_so: impl Fn() -> bool) {
        while !is_so() {
            std::thread::yield_now();
        }
    }

    #[tokio::test]
    async fn jobs_are_done_in_order_and_one_that_panics_is_an_error() {
        let (pool, done) = (Pool::new(1).unwrap(), Arc::new(Mutex::new(Vec::new())));
        let job = |n: u32| {
            let done = done.clone();
            pool.run(move || {
                assert_ne!(n, 2, "the second one panics");
                done.lock().unwrap().push(n);
                Ok(n)
            })
        };
        let (first, second, third) = tokio::join!(job(1), job(2), job(3));
        assert_eq!((first.unwrap(), third.unwrap()), (1, 3));
        assert!(second.unwrap_err().message().contains("inside the program"));
        assert_eq!(*done.lock().unwrap(), [1, 3]);
        wait_until(|| !pool.is_full());
    }

    #[tokio::test]
    async fn statements_of_one_caller_do_not_keep_those_of_another_waiting() {
        let statements = Statements::new(4).unwrap();
        let (go, gone) = crossbeam_channel::bounded::<()>(0);
        let endless = || {
            let gone = gone.clone();
            Box::pin(statements.run("mallory", move || {
                let _ = gone.recv();
                Ok(())
            }))
        };
        let mut hostile: Vec<_> = (0..20).map(|_| endless()).collect();
        assert!(hostile.iter_mut().all(|one| one.now_or_never().is_none()));
        assert_eq!(statements.run("alice", || Ok(7)).await.unwrap(), 7);
        // Those that nobody waits for any more give their turns back when they have ended.
        drop(hostile);
        drop(go);
        assert_eq!(statements.run("mallory", || Ok(8)).await.unwrap(), 8);
    }

    #[tokio::test]
    async fn a_job_nobody_waits_for_is_left_out() {
        let pool = Pool::new(1).unwrap();
        let (go, gone) = std::sync::mpsc::channel::<()>();
        let begun = pool.run(move || {
            let _ = gone.recv();
            Ok(())
        });
        let ran = Arc::new(AtomicUsize::new(0));
        let count = ran.clone();
        let left = pool.run(move || {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(())
        });
        let mut begun = Box::pin(begun);
        assert!((&mut begun).now_or_never().is_none());
        let mut left = Box::pin(left);
        assert!((&mut left).now_or_never().is_none());
        assert!(pool.is_full());
        drop(left);
        go.send(()).unwrap();
        begun.await.unwrap();
        wait_until(|| !pool.is_full());
        assert_eq!(ran.load(Ordering::Relaxed), 0);
    }
}
