//! Long calls: the engine works on a thread of its own with the interpreter free, while the caller's thread listens for Ctrl-C
//! and tells how the work goes on.

use crate::fault::raise;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tabletalk::sql::Stop;
use tabletalk::{Error, Watch};

/// How long Ctrl-C, and news of the work, wait at most.
const TICK: Duration = Duration::from_millis(50);

/// Stops a call from another thread of Python.
#[pyclass(frozen, from_py_object)]
#[derive(Clone, Default)]
pub(crate) struct Stopper {
    stopped: Arc<AtomicBool>,
    statements: Stop,
}

#[pymethods]
impl Stopper {
    #[new]
    fn new() -> Self {
        Stopper::default()
    }

    /// Stops the calls that this was given to.
    fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.statements.stop();
    }
}

/// What a thread at work says.
enum Said {
    Text(String),
    Done,
}

/// How far the work is, and what is said of it.
#[derive(Default)]
struct News {
    files: AtomicU64,
    rows: AtomicU64,
    /// Documents with vectors, and all of them.
    embedded: Mutex<Option<(u64, u64)>>,
    note: Mutex<String>,
    is_new: AtomicBool,
}

/// Whoever works tells this, and is told to stop.
pub(crate) struct Worker {
    stopper: Stopper,
    news: Arc<News>,
    sender: Mutex<Sender<Said>>,
}

impl Worker {
    /// Stops statements and questions.
    pub(crate) fn stop(&self) -> Stop {
        self.stopper.statements.clone()
    }

    /// Tells what a model writes.
    pub(crate) fn say(&self, text: &str) {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = sender.send(Said::Text(text.to_owned()));
    }

    fn changed(&self) {
        self.news.is_new.store(true, Ordering::Relaxed);
    }
}

impl Watch for Worker {
    fn rows(&self, rows: u64) {
        self.news.rows.fetch_add(rows, Ordering::Relaxed);
        self.changed();
    }
    fn file(&self, _name: &str) {
        self.news.files.fetch_add(1, Ordering::Relaxed);
        self.changed();
    }
    fn embedded(&self, _space: &str, ready: u64, total: u64, _took: Duration) {
        *self.news.embedded.lock().unwrap_or_else(PoisonError::into_inner) = Some((ready, total));
        self.changed();
    }
    fn note(&self, text: &str) {
        text.clone_into(&mut self.news.note.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed();
    }
    fn stopped(&self) -> bool {
        self.stopper.stopped.load(Ordering::SeqCst)
    }
}

/// Who listens to a call: functions of Python, and what stops it.
#[derive(Default)]
pub(crate) struct Listener {
    /// Called with files, rows, documents embedded and in all, and a note.
    pub(crate) progress: Option<Py<PyAny>>,
    /// Called with pieces of text as a model writes them.
    pub(crate) text: Option<Py<PyAny>>,
    /// Raised to stop the call.
    pub(crate) stopper: Option<Stopper>,
}

/// Does `work` with the interpreter free. An exception of a listener, and Ctrl-C, stop it and are raised when it has ended.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    listener: Listener,
    work: impl FnOnce(&Worker) -> tabletalk::Result<T> + Send,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    let stopper = listener.stopper.clone().unwrap_or_default();
    let news = Arc::new(News::default());
    let worker = Worker { stopper: stopper.clone(), news: news.clone(), sender: Mutex::new(sender) };
    py.detach(move || {
        std::thread::scope(|scope| {
            let handle = scope.spawn(move || {
                let done = work(&worker);
                let sender = worker.sender.lock().unwrap_or_else(PoisonError::into_inner);
                let _ = sender.send(Said::Done);
                done
            });
            let raised = listen(&receiver, &listener, &news, &stopper);
            let done =
                handle.join().unwrap_or_else(|_| Err(Error::bug("the work failed inside the program")));
            match raised {
                Some(exception) => Err(exception),
                None => done.map_err(|e| Python::attach(|py| raise(py, &e))),
            }
        })
    })
}

/// Listens until the work is done. The first exception is kept.
fn listen(heard: &Receiver<Said>, listener: &Listener, news: &News, stopper: &Stopper) -> Option<PyErr> {
    let mut raised: Option<PyErr> = None;
    loop {
        let said = heard.recv_timeout(TICK);
        if matches!(said, Ok(Said::Done) | Err(RecvTimeoutError::Disconnected)) {
            return raised;
        }
        let outcome = Python::attach(|py| match &said {
            Ok(Said::Text(text)) if raised.is_none() => listener.tell_text(py, text),
            Ok(_) => Ok(()),
            Err(_) => py.check_signals().and_then(|()| match raised.is_none() {
                true => listener.tell_progress(py, news),
                false => Ok(()),
            }),
        });
        if let Err(exception) = outcome {
            stopper.stop();
            raised.get_or_insert(exception);
        }
    }
}

impl Listener {
    fn tell_text(&self, py: Python<'_>, text: &str) -> PyResult<()> {
        self.text.as_ref().map_or(Ok(()), |f| f.call1(py, (text,)).map(drop))
    }

    fn tell_progress(&self, py: Python<'_>, news: &News) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        if !news.is_new.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        let (files, rows) = (news.files.load(Ordering::Relaxed), news.rows.load(Ordering::Relaxed));
        let (ready, total) = news.embedded.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or_default();
        let note = news.note.lock().unwrap_or_else(PoisonError::into_inner).clone();
        progress.call1(py, (files, rows, ready, total, note)).map(drop)
    }
}
