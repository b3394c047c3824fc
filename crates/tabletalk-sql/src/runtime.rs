//! The threads that statements run on, and how a statement is left behind that does not end.

use crate::clock::Clock;
use futures::FutureExt;
use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tabletalk_core::{Error, Result};

/// Planning may go deep.
const STACK: usize = 64 << 20;

/// How often a waiting caller looks whether it should stop.
const LOOK: Duration = Duration::from_millis(5);

/// How long a statement that was told to end may take to do so before its threads are left behind.
const GRACE: Duration = Duration::from_millis(500);

/// Threads for each core. A join that finds no pair holds its thread until its time is over; the operating system lets
/// others run meanwhile, where they have a thread.
const FOR_EACH_CORE: usize = 4;

/// Threads of the query engine. Nobody outside this crate sees that it is asynchronous.
pub(crate) struct Runtime {
    threads: usize,
    current: Mutex<Arc<Threads>>,
}

/// A runtime that is not waited for longer than [`GRACE`] when it is dropped.
struct Threads(Option<tokio::runtime::Runtime>);

impl Threads {
    fn new(threads: usize) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads.saturating_mul(FOR_EACH_CORE))
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
        let Some(runtime) = self.0.take() else { return };
        // Threads that end while they are let go of are a fault of the C library (a detached thread may free its stack
        // before `pthread_detach` has looked at it), so those that end are joined. Inside another runtime nobody may
        // wait, and a thread of its own does.
        let end = move || runtime.shutdown_timeout(GRACE);
        match tokio::runtime::Handle::try_current() {
            Ok(_) => drop(std::thread::spawn(end)),
            Err(_) => end(),
        }
    }
}

impl Runtime {
    pub(crate) fn new(threads: usize) -> Result<Self> {
        Ok(Runtime { threads, current: Mutex::new(Arc::new(Threads::new(threads)?)) })
    }

    /// Runs `work` and waits for it until its time is over, or until it is stopped. A panic in it is an
    /// error of the statement.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
        clock: &Clock,
    ) -> Result<T> {
        let threads = self.current.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(runtime) = &threads.0 else { return Err(Error::bug("the query engine was shut down")) };
        let (send, receive) = channel();
        let work = AssertUnwindSafe(work).catch_unwind();
        let task = runtime.spawn(async move {
            let result = work.await.unwrap_or_else(|payload| Err(panicked(payload.as_ref())));
            send.send(result).is_ok()
        });
        loop {
            match receive.recv_timeout(LOOK) {
                // What ran into the end of its time says so in the engine's words.
                Ok(result) => return result.map_err(|error| clock.check().err().unwrap_or(error)),
                Err(RecvTimeoutError::Disconnected) => return Err(Error::bug("the query engine failed")),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let Err(error) = clock.check() else { continue };
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

/// The error of a statement on which the query engine panicked.
fn panicked(payload: &(dyn Any + Send)) -> Error {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let said = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("it does not say why");
    let said: String = said.chars().take(200).collect();
    Error::input(format!("the query engine fails on this statement: {said}")).hint("write it in another way")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;

    #[test]
    fn a_statement_that_holds_its_thread_does_not_keep_another_waiting() {
        let runtime = Runtime::new(1).unwrap();
        let (go, gone) = channel::<()>();
        std::thread::scope(|scope| {
            let clock = Clock::new(60_000, &Stop::new());
            let (begin, begun) = channel();
            let hogs = async move {
                let _ = begin.send(());
                Ok(gone.recv().is_err())
            };
            let held = scope.spawn(|| runtime.wait(hogs, &Clock::new(60_000, &Stop::new())));
            begun.recv().unwrap();
            assert_eq!(runtime.wait(async { Ok(7) }, &clock).unwrap(), 7);
            drop(go);
            assert!(held.join().unwrap().unwrap());
        });
    }

    #[test]
    fn a_panic_is_an_error_of_its_statement_and_of_no_other() {
        let runtime = Runtime::new(1).unwrap();
        let clock = Clock::new(10_000, &Stop::new());
        let missing: Vec<i32> = Vec::new();
        let broken = runtime.wait(async move { Ok(*missing.first().expect("a row that is there")) }, &clock);
        let error = broken.unwrap_err();
        assert_eq!(error.fault(), tabletalk_core::Fault::Input, "{error}");
        assert!(error.to_string().contains("a row that is there"), "{error}");
        assert_eq!(runtime.wait(async { Ok(7) }, &clock).unwrap(), 7);
    }
}
