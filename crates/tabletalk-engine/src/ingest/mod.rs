//! Adding files to a library: read and grouped in parallel, put by one writer, nothing half visible.
//!
//! A document is first put into the catalogue, then indexed; the index is committed with the generation
//! it has seen, so that after a kill it is brought up to date from the catalogue.

mod prepare;
mod put;
mod work;

pub use prepare::document_id;
pub use work::read_before;

use crate::group::Groups;
use crate::maintain::bring_up_to_date;
use crate::replicate::Leases;
use crate::watch::{Unwatched, Watch};
use put::{Indexing, Put, Stored};
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;
use std::time::Duration;
use tabletalk_core::seam::{Documents, Limits, Source, Stop};
use tabletalk_core::{Error, Rejection, Result};
use tabletalk_store::Library;
use work::Message;

/// A file to add.
#[derive(Debug, Clone)]
pub struct Item {
    /// Where it is.
    pub path: PathBuf,
    /// What people call it: its path below the folder that was added.
    pub name: String,
    /// Fields of the documents in it.
    pub fields: Map<String, Value>,
    /// Those of them that the user gave, as text: when they change, the documents change.
    pub given: String,
    /// What tells its state from earlier ones, where `path` is no file but the name of what a program holds.
    pub state: Option<String>,
}

/// Where a document comes from.
pub struct Origin<'a> {
    /// The path of its file.
    pub path: &'a str,
    /// What people call the file.
    pub name: &'a str,
    /// The hash of the file.
    pub hash: &'a str,
    /// The version of the reader.
    pub version: u32,
    /// What the user said of it.
    pub given: &'a str,
    /// Fields of the file.
    pub fields: &'a Map<String, Value>,
}

/// What became of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is new.
    Added,
    /// It is as it was.
    Unchanged,
    /// It took the place of its earlier state.
    Updated,
    /// It could not be read.
    Failed,
    /// Another worker is adding its file.
    Elsewhere,
    /// Its source is gone, and it was forgotten.
    Forgotten,
}

/// What became of a document, in full.
#[derive(Debug, Clone, Serialize)]
pub struct Added {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What became of it.
    pub status: Status,
    /// Tables in it.
    pub tables: u64,
    /// Data rows in the source.
    pub rows_in: u64,
    /// Data rows in the library.
    pub rows_indexed: u64,
    /// Rows that could not be taken.
    pub rows_rejected: Vec<Rejection>,
    /// What the user should know though nothing was lost.
    pub warnings: Vec<String>,
    /// Why it could not be read.
    pub error: Option<String>,
    /// Whose fault that is.
    #[serde(skip)]
    pub fault: Option<tabletalk_core::Fault>,
}

impl Added {
    fn failed(item: &Item, error: &Error) -> Self {
        let path = item.path.to_string_lossy();
        Added {
            id: document_id(&path, ""),
            name: item.name.clone(),
            status: Status::Failed,
            tables: 0,
            rows_in: 0,
            rows_indexed: 0,
            rows_rejected: Vec::new(),
            warnings: Vec::new(),
            error: Some(error.to_string()),
            fault: Some(error.fault()),
        }
    }

    fn elsewhere(item: &Item) -> Self {
        let error = Error::limit("another worker is adding it");
        Added { status: Status::Elsewhere, error: None, fault: None, ..Added::failed(item, &error) }
    }
}

/// Reads a source into documents.
pub type Read<'a> = &'a (dyn Fn(&Source<'_>) -> Result<Documents> + Sync);

/// What adding needs to know.
pub struct Job<'a> {
    /// Reads a source into documents.
    pub read: Read<'a>,
    /// What reading may cost.
    pub limits: &'a Limits,
    /// Threads that read.
    pub threads: usize,
    /// Leases on files, where a library is shared.
    pub leases: Option<&'a Leases>,
    /// The version of what `read` does: a file that an earlier one read is read again.
    pub version: u32,
    /// Set when whoever watches wants the readers to stop.
    pub stop: Stop,
}

/// How long it takes at most until readers hear that they are to stop.
const HEARD: Duration = Duration::from_millis(50);

/// Tells the readers when whoever watches wants them to stop, until it is dropped.
struct Telling<'a> {
    over: &'a AtomicBool,
    teller: std::thread::Thread,
}

impl<'a> Telling<'a> {
    fn begin<'s>(
        scope: &'s Scope<'s, '_>,
        over: &'a AtomicBool,
        watch: &'s dyn Watch,
        stop: &'s Stop,
    ) -> Telling<'a>
    where
        'a: 's,
    {
        let tell = move || {
            while !over.load(Ordering::SeqCst) {
                if watch.is_stopped() {
                    return stop.set();
                }
                std::thread::park_timeout(HEARD);
            }
        };
        Telling { over, teller: scope.spawn(tell).thread().clone() }
    }
}

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        self.teller.unpark();
    }
}

/// What came of adding.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Every document, in the order it was done.
    pub documents: Vec<Added>,
    /// Whether it was stopped before the end.
    pub interrupted: bool,
    /// Why nodes could not be embedded.
    pub embed_error: Option<Error>,
    /// What was not forgotten though its files are not there.
    pub kept: Vec<Kept>,
}

/// Documents that were kept though their files are not there: it is not sure that those are gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// The folder that held the files.
    pub folder: String,
    /// How many files are not there.
    pub files: usize,
    /// Why they may come back, and what to do.
    pub reason: String,
}

/// Adds files.
pub fn add(
    library: &Library,
    groups: &Groups,
    items: &[Item],
    job: &Job<'_>,
    watch: &dyn Watch,
) -> Result<Outcome> {
    let _guard = library.lock()?;
    bring_up_to_date(library, groups, watch)?;
    let mut indexing = Indexing::new(library, groups)?;
    let next = AtomicUsize::new(0);
    let (sender, receiver) = sync_channel(8);
    let over = AtomicBool::new(false);
    watch.reading(true);
    let documents = std::thread::scope(|scope| -> Result<Vec<Added>> {
        let _telling = Telling::begin(scope, &over, watch, &job.stop);
        for _ in 0..job.threads.clamp(1, items.len().max(1)) {
            let sender = sender.clone();
            let next = &next;
            scope.spawn(move || work::run(library, groups, items, next, job, watch, &sender));
        }
        drop(sender);
        let (to_index, stored) = sync_channel(1);
        let indexer = scope.spawn(|| stored.into_iter().try_for_each(|s| indexing.take(s)));
        let documents = put_all(library, receiver, to_index, watch);
        // Its own error says why nothing more could be put.
        indexer.join().map_err(|_| Error::bug("indexing broke off"))??;
        documents
    });
    watch.reading(false);
    let documents = documents?;
    indexing.finish(watch)?;
    Ok(Outcome { documents, interrupted: watch.stopped(), ..Outcome::default() })
}

/// Puts what the workers prepared; what was put is indexed meanwhile. On an error the receiver is dropped,
/// which makes the workers stop.
fn put_all(
    library: &Library,
    prepared: Receiver<Message>,
    to_index: SyncSender<Stored>,
    watch: &dyn Watch,
) -> Result<Vec<Added>> {
    let mut put = Put::new(library, |stored| to_index.send(stored).is_ok());
    for message in prepared.iter() {
        if !put.take(message)? {
            break;
        }
    }
    watch.reading(false);
    put.finish()
}

/// Forgets documents, whatever may be wrong with them.
pub fn forget(library: &Library, groups: &Groups, ids: &[String]) -> Result<usize> {
    let _guard = library.lock()?;
    let is_behind = bring_up_to_date(library, groups, &Unwatched).is_err();
    let mut indexing = Indexing::new(library, groups)?;
    let forgotten = indexing.forget(ids)?;
    if is_behind {
        // What could not be indexed may be what was forgotten.
        drop(indexing);
        return bring_up_to_date(library, groups, &Unwatched).map(|()| forgotten);
    }
    indexing.finish(&Unwatched)?;
    Ok(forgotten)
}
