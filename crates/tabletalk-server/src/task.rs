//! Long work: queued, kept on disk until it is over, told of as it goes, and stopped when asked.
//!
//! What was accepted and is not over when the process ends is begun again by the next one: every kind of work
//! goes on where it was.

mod progress;
mod rest;
mod run;

pub(crate) use run::{NewTask, begin, give_way};

use crate::problem::{Problem, Said};
use progress::Progress;
use rest::Rest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tabletalk_library::{Correction, Error, Result};
use tokio::sync::watch;
use utoipa::ToSchema;

/// Tasks that are over and still listed.
const REMEMBERED: usize = 200;

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    Queued,
    Running,
    Done,
    Failed,
    Cancelled,
}

impl State {
    pub(crate) fn is_over(self) -> bool {
        !matches!(self, State::Queued | State::Running)
    }
}

/// What a task is at.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct At {
    /// The stage: `read`, `embed`, `make` or `wait`.
    pub(crate) phase: String,
    /// Files, documents or calls that are done.
    pub(crate) done: u64,
    /// Of how many, where that is known.
    pub(crate) total: Option<u64>,
    /// The same in words.
    pub(crate) message: String,
}

/// A task as callers see it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) library: String,
    /// What it is about: the names of files, or of a table.
    #[serde(default)]
    pub(crate) about: Vec<String>,
    pub(crate) state: State,
    pub(crate) progress: At,
    /// Milliseconds since 1970.
    pub(crate) created: u64,
    pub(crate) started: Option<u64>,
    pub(crate) ended: Option<u64>,
    pub(crate) error: Option<Said>,
    /// What came of it.
    #[schema(value_type = Option<Object>)]
    pub(crate) result: Option<Value>,
}

/// What is to be done.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Work {
    /// Files that were uploaded.
    Add {
        files: Vec<String>,
        /// Whether the tree of summaries is brought up to date afterwards.
        #[serde(default)]
        use_raptor: bool,
    },
    /// Folders that are kept in step.
    Sync {
        folders: Vec<Folder>,
    },
    Correct {
        table: String,
        correction: Correction,
    },
    Embed,
    Clarify,
    Make {
        groups: Vec<String>,
    },
    Raptor {
        document: bool,
        rebuild: bool,
        no_model: bool,
        /// Keys of `[raptor]` that differ for this build.
        #[serde(default)]
        settings: Map<String, Value>,
    },
    Doctor {
        repair: bool,
    },
    Evaluate {
        name: String,
        queries: Vec<Value>,
        similarities: Vec<String>,
        k: Vec<usize>,
    },
    Restore {
        file: PathBuf,
    },
}

/// A folder that is kept in step with the library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    #[serde(default)]
    pub(crate) include: Vec<String>,
    #[serde(default)]
    pub(crate) exclude: Vec<String>,
    /// Whether the tree of summaries follows it.
    #[serde(default)]
    pub(crate) use_raptor: bool,
}

impl Work {
    fn kind(&self) -> &'static str {
        match self {
            Work::Add { .. } => "add",
            Work::Sync { .. } => "sync",
            Work::Correct { .. } => "correct",
            Work::Embed => "embed",
            Work::Clarify => "clarify",
            Work::Make { .. } => "make",
            Work::Raptor { .. } => "raptor",
            Work::Doctor { .. } => "doctor",
            Work::Evaluate { .. } => "evaluate",
            Work::Restore { .. } => "restore",
        }
    }

    /// The names of what it is about, the first few.
    fn about(&self) -> Vec<String> {
        const MOST: usize = 20;
        match self {
            Work::Add { files, .. } => files.iter().take(MOST).cloned().collect(),
            Work::Sync { folders } => {
                folders.iter().take(MOST).map(|f| f.path.display().to_string()).collect()
            }
            Work::Correct { table, .. } => vec![table.clone()],
            Work::Make { groups } => groups.clone(),
            Work::Evaluate { name, .. } => vec![name.clone()],
            _ => Vec::new(),
        }
    }
}

/// A task as it is kept.
#[derive(Clone, Serialize, Deserialize)]
struct Kept {
    task: Task,
    work: Work,
    /// How often it was begun by a process that ended with it.
    #[serde(default)]
    begun: u32,
}

/// Work during which the process ended so often is not begun again: it may be what ended it, such as a file that takes all
/// memory.
const MOST_BEGUN: u32 = 10;

struct Entry {
    kept: Kept,
    told: watch::Sender<Task>,
    stop: Arc<AtomicBool>,
}

#[derive(Default)]
struct Inner {
    all: BTreeMap<String, Entry>,
    queue: VecDeque<String>,
    closed: bool,
}

/// The tasks of one library.
pub(crate) struct Tasks {
    library: String,
    dir: PathBuf,
    inner: Mutex<Inner>,
    changed: Condvar,
    /// Whether the task that runs reads files: a reader may hear late that it is to stop.
    is_reading: AtomicBool,
}

impl Tasks {
    /// Reads the tasks in `dir`; those that were not over are queued again.
    pub(crate) fn open(library: &str, dir: PathBuf) -> Result<Tasks> {
        let mut inner = Inner::default();
        for entry in std::fs::read_dir(&dir)? {
            let path = entry?.path();
            if path.extension().is_none_or(|end| end != "json") {
                continue;
            }
            // A file that was being written when the process was killed has no complete predecessor to lose.
            let Ok(mut kept) = serde_json::from_slice::<Kept>(&std::fs::read(&path)?) else { continue };
            if !kept.task.state.is_over() && kept.begun >= MOST_BEGUN {
                kept.task.state = State::Failed;
                kept.task.ended = Some(now());
                let text = format!("the process ended {} times while this was done", kept.begun);
                let error =
                    Error::limit(text).hint("the file may be harmful: leave it out, or begin it again");
                kept.task.error = Some(Problem::from(error).body);
            }
            if !kept.task.state.is_over() {
                kept.task.state = State::Queued;
                kept.task.progress = At::default();
                inner.queue.push_back(kept.task.id.clone());
            }
            let told = watch::Sender::new(kept.task.clone());
            inner.all.insert(kept.task.id.clone(), Entry { kept, told, stop: Arc::default() });
        }
        // Ids carry their time, so this is the order they came in.
        inner.queue.make_contiguous().sort();
        let (library, inner) = (library.to_owned(), Mutex::new(inner));
        Ok(Tasks { library, dir, inner, changed: Condvar::new(), is_reading: AtomicBool::new(false) })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues work. When this returns, it is on disk.
    pub(crate) fn put(&self, work: Work) -> Result<Task> {
        let task = Task {
            id: uuid::Uuid::now_v7().simple().to_string(),
            kind: work.kind().to_owned(),
            library: self.library.clone(),
            about: work.about(),
            state: State::Queued,
            progress: At::default(),
            created: now(),
            started: None,
            ended: None,
            error: None,
            result: None,
        };
        let kept = Kept { task: task.clone(), work, begun: 0 };
        self.keep(&kept)?;
        let mut inner = self.inner();
        let told = watch::Sender::new(task.clone());
        inner.all.insert(task.id.clone(), Entry { kept, told, stop: Arc::default() });
        inner.queue.push_back(task.id.clone());
        self.forget_old(&mut inner);
        self.changed.notify_all();
        Ok(task)
    }

    /// Whether the same work waits already.
    pub(crate) fn waits(&self, kind: &str) -> bool {
        let inner = self.inner();
        inner.queue.iter().filter_map(|id| inner.all.get(id)).any(|e| e.kept.task.kind == kind)
    }

    fn keep(&self, kept: &Kept) -> Result<()> {
        let path = self.dir.join(format!("{}.json", kept.task.id));
        let new = path.with_extension("new");
        let mut file = std::fs::File::create(&new)?;
        std::io::Write::write_all(&mut file, &serde_json::to_vec(kept)?)?;
        file.sync_all()?;
        std::fs::rename(new, path)?;
        // What was accepted must not be gone with the name of its file.
        Ok(std::fs::File::open(&self.dir)?.sync_all()?)
    }

    fn forget_old(&self, inner: &mut Inner) {
        let over: Vec<String> = inner
            .all
            .values()
            .filter(|e| e.kept.task.state.is_over())
            .map(|e| e.kept.task.id.clone())
            .collect();
        for id in over.iter().take(over.len().saturating_sub(REMEMBERED)) {
            inner.all.remove(id);
            let _ = std::fs::remove_file(self.dir.join(format!("{id}.json")));
        }
    }

    /// All tasks, the newest first.
    pub(crate) fn list(&self) -> Vec<Task> {
        self.inner().all.values().rev().map(|e| e.kept.task.clone()).collect()
    }

    pub(crate) fn get(&self, id: &str) -> Option<Task> {
        self.inner().all.get(id).map(|e| e.kept.task.clone())
    }

    /// Tells of every change of a task from now on.
    pub(crate) fn follow(&self, id: &str) -> Option<watch::Receiver<Task>> {
        self.inner().all.get(id).map(|e| e.told.subscribe())
    }

    /// How many are queued and how many run.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let inner = self.inner();
        let running = inner.all.values().filter(|e| e.kept.task.state == State::Running).count();
        (inner.queue.len(), running)
    }

    /// Asks a task to stop. One that has not begun is over at once.
    pub(crate) fn cancel(&self, id: &str) -> Result<Task> {
        let mut inner = self.inner();
        let Inner { all, queue, .. } = &mut *inner;
        let missing = || Error::missing(format!("there is no task `{id}`"));
        let entry = all.get_mut(id).ok_or_else(missing)?;
        entry.stop.store(true, Ordering::SeqCst);
        if let Some(at) = queue.iter().position(|q| q == id) {
            queue.remove(at);
            entry.kept.task.state = State::Cancelled;
            entry.kept.task.ended = Some(now());
            self.keep(&entry.kept)?;
            entry.told.send_replace(entry.kept.task.clone());
        }
        Ok(entry.kept.task.clone())
    }

    /// No task is begun any more, and the one that runs is asked to stop; it stays queued for the next process.
    pub(crate) fn close(&self) {
        let mut inner = self.inner();
        inner.closed = true;
        inner.all.values().for_each(|e| e.stop.store(true, Ordering::SeqCst));
        self.changed.notify_all();
    }

    /// Whether the task that runs reads files.
    pub(crate) fn is_reading(&self) -> bool {
        self.is_reading.load(Ordering::SeqCst)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.inner().closed
    }

    /// The next task, waited for; `None` when no more come.
    fn next(&self) -> Option<(String, Work, Arc<AtomicBool>)> {
        let mut inner = self.inner();
        loop {
            if inner.closed {
                return None;
            }
            if let Some(id) = inner.queue.pop_front() {
                let entry = inner.all.get_mut(&id)?;
                entry.kept.task.state = State::Running;
                entry.kept.task.started = Some(now());
                entry.kept.begun += 1;
                // One that cannot be kept is begun once more, and no harm done.
                let _ = self.keep(&entry.kept);
                entry.told.send_replace(entry.kept.task.clone());
                return Some((id, entry.kept.work.clone(), entry.stop.clone()));
            }
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Changes a task, tells of it, and keeps it when it is over or queued again.
    fn change(&self, id: &str, change: impl FnOnce(&mut Task)) {
        let mut inner = self.inner();
        let Some(entry) = inner.all.get_mut(id) else { return };
        change(&mut entry.kept.task);
        // One that was put aside did not end the process.
        if entry.kept.task.state == State::Queued {
            entry.kept.begun = 0;
        }
        if entry.kept.task.state != State::Running
            && let Err(e) = self.keep(&entry.kept)
        {
            tracing::error!(task = id, error = %e, "a task cannot be kept");
        }
        entry.told.send_replace(entry.kept.task.clone());
    }
}

pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_was_not_over_comes_again_in_its_order() {
        let dir = tempfile::tempdir().unwrap();
        let tasks = Tasks::open("a", dir.path().to_owned()).unwrap();
        let first = tasks.put(Work::Embed).unwrap();
        let second = tasks.put(Work::Clarify).unwrap();
        let third = tasks.put(Work::Doctor { repair: false }).unwrap();
        let (id, ..) = tasks.next().unwrap();
        assert_eq!(id, first.id);
        assert_eq!(tasks.cancel(&third.id).unwrap().state, State::Cancelled);
        drop(tasks);
        let again = Tasks::open("a", dir.path().to_owned()).unwrap();
        let order: Vec<String> = again.inner().queue.iter().cloned().collect();
        assert_eq!(order, [first.id, second.id], "the one that ran and the one that waited");
        assert!(again.get(&third.id).unwrap().state.is_over());
    }

    #[test]
    fn work_that_ends_the_process_again_and_again_is_given_up() {
        let dir = tempfile::tempdir().unwrap();
        let id = Tasks::open("a", dir.path().to_owned()).unwrap().put(Work::Embed).unwrap().id;
        for _ in 0..MOST_BEGUN {
            let tasks = Tasks::open("a", dir.path().to_owned()).unwrap();
            assert_eq!(tasks.next().unwrap().0, id);
        }
        let tasks = Tasks::open("a", dir.path().to_owned()).unwrap();
        assert_eq!((tasks.get(&id).unwrap().state, tasks.counts()), (State::Failed, (0, 0)));
    }

    #[test]
    fn work_that_was_put_aside_is_not_given_up() {
        let dir = tempfile::tempdir().unwrap();
        let id = Tasks::open("a", dir.path().to_owned()).unwrap().put(Work::Embed).unwrap().id;
        for _ in 0..=MOST_BEGUN {
            let tasks = Tasks::open("a", dir.path().to_owned()).unwrap();
            assert_eq!(tasks.next().unwrap().0, id);
            tasks.change(&id, |task| task.state = State::Queued);
        }
    }
}
