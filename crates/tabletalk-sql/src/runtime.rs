//! The threads that statements run on, and how a statement is left behind that does not end.

use crate::Stop;
use std::future::Future;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tabletalk_core::{Error, Result};

/// Planning may go deep.
const STACK: usize = 64 << 20;

/// How often a waiting caller looks whether it should stop.
const LOOK: Duration = Duration::from_millis(5);

/// How long a statement that was told to end may take to do so before its threads are left behind.
const GRACE: Duration = Duration::from_millis(500);

/// Threads of the query engine. Nobody outside this crate sees that it is asynchronous.
pub(crate) struct Runtime {
    threads: usize,
    current: Mutex<Arc<Threads>>,
}

/// A runtime that is never waited for when it is dropped.
struct Threads(Option<tokio::runtime::Runtime>);

impl Threads {
    fn new(threads: usize) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .max_blocking_threads(threads.max(4))
            .thread_name("sql")
            .thread_stack_size(STACK)
            .enable_time()
            .build();
        Ok(Threads(Some(runtime.map_err(|e| Error::io(e.to_string()))?)))
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Runtime {
    pub(crate) fn new(threads: usize) -> Result<Self> {
        Ok(Runtime { threads, current: Mutex::new(Arc::new(Threads::new(threads)?)) })
    }

    /// Runs `work` and waits for it until `deadline`, or until it is stopped.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
        deadline: Instant,
        stop: &Stop,
    ) -> Result<T> {
        let threads = self.current.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(runtime) = &threads.0 else { return Err(Error::bug("the query engine was shut down")) };
        let (send, receive) = channel();
        // A panic in it drops the sender, which is how it is seen here.
        let task = runtime.spawn(async move { send.send(work.await).is_ok() });
        loop {
            match receive.recv_timeout(LOOK) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Disconnected) => return Err(Error::bug("the query engine failed")),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let Some(error) = ended(deadline, stop) else { continue };
            task.abort();
            // Dropping the operators is what frees their memory, so it is waited for, but not for ever.
            if let Err(RecvTimeoutError::Timeout) = receive.recv_timeout(GRACE) {
                self.leave_behind(&threads);
            }
            return Err(error);
        }
    }

    /// Later statements get new threads; those of `stuck` end when they can.
    fn leave_behind(&self, stuck: &Arc<Threads>) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&current, stuck)
            && let Ok(fresh) = Threads::new(self.threads)
        {
            *current = Arc::new(fresh);
        }
    }
}

fn ended(deadline: Instant, stop: &Stop) -> Option<Error> {
    if stop.is_stopped() {
        return Some(Error::input("the statement was stopped"));
    }
    (Instant::now() >= deadline).then(|| {
        Error::limit("the statement took too long").hint("read fewer rows, or join on columns that are equal")
    })
}
