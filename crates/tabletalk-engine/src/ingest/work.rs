//! The threads that read: each takes the next file, reads it, and hands on documents ready to be put.

use super::prepare::{Prepared, prepare};
use super::{Added, Item, Job, Origin, Status};
use crate::group::Groups;
use crate::maintain::finding::Finding;
use crate::replicate::take_over;
use crate::watch::{Unwatched, Watch, interrupted};
use rayon::prelude::*;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use tabletalk_core::seam::{Source, Stop};
use tabletalk_core::{Document, Error, Result};
use tabletalk_store::{Library, SourceFile};

/// Small documents are prepared so many at a time, in parallel.
const TOGETHER: usize = 128;

/// What a reading thread says to the writer.
pub(super) enum Message {
    /// Documents to put.
    Put(Vec<Prepared>),
    /// Documents that are as they were.
    Same(Vec<Added>),
    /// A file that could not be read.
    Failed(Added),
    /// A file that was read to its end; documents of it that were not seen are gone.
    End { path: String, source: SourceFile, seen: Option<Vec<String>> },
}

pub(super) fn run(
    library: &Library,
    groups: &Groups,
    items: &[Item],
    next: &AtomicUsize,
    job: &Job<'_>,
    watch: &dyn Watch,
    sender: &SyncSender<Message>,
) {
    while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
        if watch.stopped() {
            return;
        }
        let work = AssertUnwindSafe(|| Work { library, groups, item, job, watch, sender }.run());
        // A reader that panics is our mistake, but must not take the other files with it.
        let done =
            catch_unwind(work).unwrap_or_else(|_| Err(Error::bug("reading it failed inside the program")));
        watch.file(&item.name);
        if let Err(error) = done {
            if watch.stopped() {
                return;
            }
            let error = if error.message().contains(&item.name) { error } else { error.at(&item.name) };
            if sender.send(Message::Failed(Added::failed(item, &error))).is_err() {
                return;
            }
        }
    }
}

struct Work<'a> {
    library: &'a Library,
    groups: &'a Groups,
    item: &'a Item,
    job: &'a Job<'a>,
    watch: &'a dyn Watch,
    sender: &'a SyncSender<Message>,
}

impl Work<'_> {
    fn run(&self) -> Result<()> {
        let path = self.item.path.to_string_lossy().into_owned();
        let source = stamp(self.item, self.job.version, &self.job.stop)?;
        if let Some(leases) = self.job.leases {
            if !leases.take(&path)? {
                self.watch.bytes(source.size);
                return self.send(Message::Same(vec![Added::elsewhere(self.item)]));
            }
            // Another worker may have added it a moment ago.
            take_over(self.library, &Unwatched)?;
        }
        let known = self.library.catalog()?.source(&path)?;
        if known.is_some_and(|known| known.hash == source.hash) {
            self.watch.bytes(source.size);
            let same = self.unchanged(&path)?;
            self.send(Message::Same(same))?;
            return self.send(Message::End { path, source, seen: None });
        }
        let hashes = self.library.catalog()?.hashes(&path)?;
        let hashes: HashMap<String, String> =
            hashes.into_iter().map(|(source_id, hash, _)| (source_id, hash)).collect();
        let seen = self.read(&path, &source, &hashes)?;
        self.send(Message::End { path, source, seen: Some(seen) })
    }

    fn unchanged(&self, path: &str) -> Result<Vec<Added>> {
        let records = self.library.catalog()?.records_of(path)?;
        Ok(records
            .into_iter()
            .map(|r| Added {
                id: r.id,
                name: r.name,
                status: Status::Unchanged,
                tables: r.tables,
                rows_in: r.report.rows_in,
                rows_indexed: r.report.rows_indexed,
                rows_rejected: r.report.rows_rejected,
                warnings: r.report.warnings,
                error: None,
                fault: None,
            })
            .collect())
    }

    fn read(&self, path: &str, source: &SourceFile, hashes: &HashMap<String, String>) -> Result<Vec<String>> {
        let origin = Origin {
            path,
            name: &self.item.name,
            hash: bytes_hash(&source.hash),
            version: self.job.version,
            given: &self.item.given,
            fields: &self.item.fields,
        };
        let mut from = Source::new(&self.item.path, &self.item.name, self.job.limits);
        from.stop = self.job.stop.clone();
        let mut documents = (self.job.read)(&from)?.peekable();
        let (mut seen, mut names) = (Vec::new(), Names::default());
        while documents.peek().is_some() {
            if self.watch.stopped() {
                return Err(interrupted());
            }
            let mut together: Vec<Document> = documents.by_ref().take(TOGETHER).collect::<Result<_>>()?;
            together.iter_mut().for_each(|d| names.make_unique(d));
            let prepared = self.prepare(together, &origin)?;
            seen.extend(prepared.iter().map(|p| p.entry.id.clone()));
            self.hand_on(prepared, hashes)?;
        }
        Ok(seen)
    }

    fn prepare(&self, documents: Vec<Document>, origin: &Origin<'_>) -> Result<Vec<Prepared>> {
        let dir = self.library.files().dir();
        let one = |d: Document| prepare(d, origin, self.groups, dir, self.watch);
        match documents.len() {
            // A lone document may be a large one that uses all threads by itself.
            0 | 1 => documents.into_iter().map(one).collect(),
            _ => documents.into_par_iter().map(one).collect(),
        }
    }

    fn hand_on(&self, prepared: Vec<Prepared>, hashes: &HashMap<String, String>) -> Result<()> {
        let is_same = |p: &Prepared| hashes.get(&p.entry.source_id) == Some(&p.entry.hash);
        let (same, new): (Vec<_>, Vec<_>) = prepared.into_iter().partition(is_same);
        let same: Vec<Added> = same.iter().map(|p| p.added(Status::Unchanged)).collect();
        if !same.is_empty() {
            self.send(Message::Same(same))?;
        }
        match new.is_empty() {
            true => Ok(()),
            false => self.send(Message::Put(new)),
        }
    }

    fn send(&self, message: Message) -> Result<()> {
        self.sender.send(message).map_err(|_| interrupted())
    }
}

/// The record ids a file has given so far.
#[derive(Default)]
struct Names(HashMap<String, usize>);

impl Names {
    /// A second record of the same id is kept under another one, and the user is told.
    fn make_unique(&mut self, document: &mut Document) {
        let times = self.0.entry(document.source_id.clone()).or_default();
        *times += 1;
        if *times == 1 {
            return;
        }
        let name = format!("{}~{times}", document.source_id);
        document
            .warnings
            .push(format!("the id `{}` stands more than once; kept as `{name}`", document.source_id));
        document.source_id = name;
    }
}

/// Files that an earlier version of the reader read: adding them again reads them anew.
pub fn read_before(library: &Library, version: u32) -> Result<Vec<Finding>> {
    let stale = library.catalog()?.sources_without(&reader_mark(version))?;
    let finding = |(path, documents): (String, u64)| {
        let what = if documents == 1 { "1 document".into() } else { format!("{documents} documents") };
        let problem =
            format!("{what} read by an earlier version may read differently now; add the file again");
        Finding { part: path, problem, repaired: false }
    };
    Ok(stale.into_iter().map(finding).collect())
}

/// What the hash of a source begins with when this version of the reader read it. Version 1 left no mark.
fn reader_mark(version: u32) -> String {
    format!("r{version}-")
}

/// The part of a source's hash that is of its bytes.
fn bytes_hash(hash: &str) -> &str {
    hash.rsplit_once('-').map_or(hash, |(_, bytes)| bytes)
}

/// Hash, size and time of a file, under the version of the reader.
fn stamp(item: &Item, version: u32, stop: &Stop) -> Result<SourceFile> {
    if let Some(state) = &item.state {
        return Ok(SourceFile { hash: format!("{}{state}", reader_mark(version)), size: 0, modified: 0 });
    }
    let mut file = File::open(&item.path)?;
    let meta = file.metadata()?;
    let modified = meta.modified().ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
    Ok(SourceFile {
        hash: format!("{}{}", reader_mark(version), hash(&mut file, &item.given, stop)?),
        size: meta.len(),
        modified: modified.map_or(0, |d| d.as_nanos() as i64),
    })
}

/// The hash of a file's bytes and of the fields the user gave it; large pieces are hashed on all threads.
fn hash(file: &mut File, given: &str, stop: &Stop) -> Result<String> {
    const PIECE: u64 = 16 << 20;
    let mut hasher = blake3::Hasher::new();
    hasher.update(given.as_bytes());
    let mut piece = Vec::new();
    loop {
        stop.check()?;
        piece.clear();
        if file.by_ref().take(PIECE).read_to_end(&mut piece)? == 0 {
            return Ok(hasher.finalize().to_hex()[..32].to_owned());
        }
        match piece.len() < 1 << 20 {
            true => hasher.update(&piece),
            false => hasher.update_rayon(&piece),
        };
    }
}
