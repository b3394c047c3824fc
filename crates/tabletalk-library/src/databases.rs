//! Databases as sources: their tables are read where they are, and a sample of each is kept to find them by.

use crate::{AddOptions, Added, Error, Fault, Library, Outcome, Result, Status, Watch, files};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tabletalk_core::seam::database::{Database, Databases, Listed};
use tabletalk_core::seam::{Documents, Source};
use tabletalk_core::{Batch, Block, Cells, Document, Home, Place, Placed, Rows, Table};
use tabletalk_engine::ingest::{Item, Kept, document_id};

/// What the addresses of databases begin with, and what each kind is called.
const KINDS: [(&str, &str); 2] = [("postgres://", "postgres"), ("postgresql://", "postgres")];
/// Databases that are not read yet; they are no files either.
const NOT_YET: [&str; 5] = ["mysql://", "mariadb://", "clickhouse://", "sqlite://", "duckdb://"];
/// Rows that are kept of a table.
const SAMPLE: usize = 1000;
/// Tables whose samples are held at a time.
const TOGETHER: usize = 32;

/// The file beside the catalogue with the addresses that were added here, one a line. It is in no backup: whoever wrote a
/// backup must not decide where this machine connects to, with the passwords that it has.
const ADDED_HERE: &str = "databases.txt";

/// Databases that were opened, by their addresses.
pub(crate) struct Registry {
    dir: PathBuf,
    known: Mutex<HashMap<String, Arc<dyn Database>>>,
}

impl Registry {
    pub(crate) fn new(dir: &Path) -> Self {
        Registry { dir: dir.to_owned(), known: Mutex::default() }
    }
}

/// The addresses that were added here.
fn added_here(dir: &Path) -> Result<Vec<String>> {
    match std::fs::read_to_string(dir.join(ADDED_HERE)) {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(e.into()),
    }
}

/// Keeps whether the tables at an address may be read for this library.
fn allow(dir: &Path, address: &str, may: bool) -> Result<()> {
    let mut all = added_here(dir)?;
    if all.iter().any(|known| known == address) == may {
        return Ok(());
    }
    all.retain(|known| known != address);
    all.extend(may.then(|| address.to_owned()));
    Ok(std::fs::write(dir.join(ADDED_HERE), all.join("\n"))?)
}

impl Databases for Registry {
    fn open(&self, address: &str) -> Result<Arc<dyn Database>> {
        if !added_here(&self.dir)?.iter().any(|known| known == address) {
            return Err(Error::input(format!(
                "{address} was not added on this machine, so it is not connected to"
            ))
            .hint(format!("`tabletalk add {address}` allows it")));
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(database) = known.get(address) {
            return Ok(database.clone());
        }
        let database = open(address)?;
        known.insert(address.to_owned(), database.clone());
        Ok(database)
    }
}

#[cfg(feature = "source-postgres")]
fn open(address: &str) -> Result<Arc<dyn Database>> {
    Ok(Arc::new(tabletalk_remote::postgres::Postgres::open(address)?))
}

#[cfg(not(feature = "source-postgres"))]
fn open(_: &str) -> Result<Arc<dyn Database>> {
    Err(left_out())
}

/// An address as it is kept: written in one way, and without a password.
#[cfg(feature = "source-postgres")]
fn address_of(text: &str) -> Result<String> {
    tabletalk_remote::postgres::Postgres::address_of(text)
}

#[cfg(not(feature = "source-postgres"))]
fn address_of(_: &str) -> Result<String> {
    Err(left_out())
}

#[cfg(not(feature = "source-postgres"))]
fn left_out() -> Error {
    Error::input("this program was built without tables of PostgreSQL")
        .hint("build it with --features source-postgres, or with all-stores")
}

/// The address that a path is, if it is one of a database.
fn as_address(path: &Path) -> Result<Option<String>> {
    let text = path.to_str().unwrap_or_default();
    if KINDS.iter().any(|(scheme, _)| text.starts_with(scheme)) {
        return address_of(text).map(Some);
    }
    match NOT_YET.iter().find(|scheme| text.starts_with(**scheme)) {
        Some(scheme) => Err(Error::input(format!("tables behind {scheme} are not read yet"))
            .hint("postgres:// is; of SQLite the file itself can be added")),
        None => Ok(None),
    }
}

/// Addresses of databases, and paths of files and folders.
pub(crate) fn apart(paths: &[PathBuf]) -> Result<(Vec<String>, Vec<PathBuf>)> {
    let (mut addresses, mut files) = (Vec::new(), Vec::new());
    for path in paths {
        match as_address(path)? {
            Some(address) => addresses.push(address),
            None => files.push(path.clone()),
        }
    }
    Ok((addresses, files))
}

/// The address of a database, if a name is one, with what all sources in it begin with.
pub(crate) fn below(name: &str) -> Result<Option<String>> {
    Ok(as_address(Path::new(name))?.map(|address| format!("{address}/")))
}

/// Where a table is, as the source of its document.
fn source_of(home: &Home) -> String {
    format!("{}/{}/{}", home.address, home.schema, home.table)
}

impl Library {
    /// Adds the tables of a database, or looks at them again.
    pub(crate) fn add_database(
        &self,
        address: &str,
        options: &AddOptions,
        watch: &dyn Watch,
    ) -> Result<Outcome> {
        allow(self.store.dir(), address, true)?;
        let database = self.store.database(address)?;
        let listed = database.tables()?;
        let there: HashSet<String> = listed.iter().map(|l| source_of(&l.home)).collect();
        let wanted = self.wanted(listed, options)?;
        watch.found(wanted.len() as u64);
        let mut outcome = Outcome::default();
        for some in wanted.chunks(TOGETHER) {
            let done = self.add_some(&*database, some, options, watch)?;
            outcome.documents.extend(done.documents);
            outcome.interrupted = done.interrupted;
            if outcome.interrupted {
                break;
            }
        }
        if options.forget_missing && !outcome.interrupted {
            self.forget_dropped(address, &there, options.forget_most, &mut outcome)?;
        }
        self.settle(options, outcome, watch)
    }

    /// The tables that the patterns let through, which are of `schema/table`.
    fn wanted(&self, listed: Vec<Listed>, options: &AddOptions) -> Result<Vec<Listed>> {
        let include = files::patterns(options.include.iter())?;
        let exclude = files::patterns(options.exclude.iter())?;
        let is_wanted = |l: &Listed| {
            let name = format!("{}/{}", l.home.schema, l.home.table);
            let names = [name.as_str(), l.home.table.as_str()];
            let is_in = |set: &globset::GlobSet| names.iter().any(|name| set.is_match(name));
            include.as_ref().is_none_or(is_in) && !exclude.as_ref().is_some_and(is_in)
        };
        Ok(listed.into_iter().filter(is_wanted).collect())
    }

    fn add_some(
        &self,
        database: &dyn Database,
        listed: &[Listed],
        options: &AddOptions,
        watch: &dyn Watch,
    ) -> Result<Outcome> {
        let fields = self.config.fields(&options.fields)?;
        let given = if fields.is_empty() { String::new() } else { json!(fields).to_string() };
        let (mut items, mut failed) = (Vec::new(), Vec::new());
        let documents: Mutex<HashMap<PathBuf, Document>> = Mutex::default();
        for one in listed {
            let (path, name) = (PathBuf::from(source_of(&one.home)), name_of(&one.home));
            if watch.stopped() {
                return Ok(Outcome { interrupted: true, ..Outcome::default() });
            }
            let document = match sampled(database, one, &name, watch) {
                Ok(document) => document,
                Err(error) => {
                    failed.push(not_read(&path, &name, &error));
                    continue;
                }
            };
            let state = state_of(&document, &given);
            let mut own = fields.clone();
            own.insert("file_name".into(), json!(name));
            own.insert("file_type".into(), json!("postgres"));
            own.insert("schema".into(), json!(one.home.schema));
            items.push(Item {
                path: path.clone(),
                name,
                fields: own,
                given: given.clone(),
                state: Some(state),
            });
            documents.lock().unwrap_or_else(PoisonError::into_inner).insert(path, document);
        }
        let read = |source: &Source<'_>| {
            let found = documents.lock().unwrap_or_else(PoisonError::into_inner).remove(source.path);
            let document = found.ok_or_else(|| Error::bug("a table is read a second time"))?;
            Ok(Box::new(std::iter::once(Ok(document))) as Documents)
        };
        let mut outcome = self.ingest(&items, &read, watch)?;
        outcome.documents.extend(failed);
        Ok(outcome)
    }

    /// Forgets tables that are not there any more, unless most of them are gone at once.
    fn forget_dropped(
        &self,
        address: &str,
        there: &HashSet<String>,
        most: bool,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let known = self.sources_below(&format!("{address}/"))?;
        let gone: Vec<String> = known.iter().filter(|source| !there.contains(*source)).cloned().collect();
        if !most && gone.len() * 2 > known.len() {
            let reason = format!(
                "{} of {} tables of {address} are gone at once; nothing was forgotten",
                gone.len(),
                known.len()
            );
            let reason = Error::input(reason).hint("`tabletalk sync --yes` forgets what is gone").to_string();
            outcome.kept.push(Kept { folder: address.to_owned(), files: gone.len(), reason });
            return Ok(());
        }
        outcome.documents.extend(self.forget_sources(&gone)?);
        Ok(())
    }

    /// The documents of a database that is to be forgotten; an error when there are none.
    pub(crate) fn ids_below(&self, prefix: &str, name: &str) -> Result<Vec<String>> {
        allow(self.store.dir(), prefix.trim_end_matches('/'), false)?;
        let mut ids = Vec::new();
        for source in self.sources_below(prefix)? {
            ids.extend(self.store.catalog()?.records_of(&source)?.into_iter().map(|r| r.id));
        }
        if ids.is_empty() { Err(crate::no_document(name)) } else { Ok(ids) }
    }

    /// The sources of documents that begin with an address.
    pub(crate) fn sources_below(&self, prefix: &str) -> Result<Vec<String>> {
        let all = self.store.catalog()?.sources()?;
        Ok(all.into_iter().filter(|source| source.starts_with(prefix)).collect())
    }
}

/// What people call a table of a database.
fn name_of(home: &Home) -> String {
    let path = home.address.split('?').next().unwrap_or_default();
    let database = path.rsplit('/').next().unwrap_or_default();
    format!("{database}/{}/{}", home.schema, home.table)
}

/// A table of a database as a document, with the rows that are kept of it.
fn sampled(database: &dyn Database, listed: &Listed, name: &str, watch: &dyn Watch) -> Result<Document> {
    let arrays = database.sample(listed, SAMPLE, &|| watch.is_stopped())?;
    let mut batches = Vec::new();
    let mut last = 0;
    for columns in arrays {
        let rows = columns.first().map_or(0, |c| c.len()) as u64;
        let columns = columns.into_iter().map(|value| Cells { value, text: None }).collect();
        batches.push(Batch { rows: (last + 1..=last + rows).collect(), columns, ..Batch::default() });
        last += rows;
    }
    let mut home = Home { sampled: last, ..listed.home.clone() };
    // A view that could not be counted has at least what was seen of it.
    home.rows = home.rows.max(last);
    if last < SAMPLE as u64 && !home.is_counted {
        (home.rows, home.is_counted) = (last, true);
    }
    let placed = |text: String| Placed { text, place: Place::file(name) };
    let said = listed.columns.iter().zip(&listed.comments).filter(|(_, comment)| !comment.is_empty());
    let notes = said.map(|(column, comment)| placed(format!("{}: {comment}", column.name))).collect();
    let title = if listed.comment.is_empty() { home.table.clone() } else { listed.comment.clone() };
    let about = Block::Text(placed(about(&home)));
    let warnings = if home.is_sampled() { vec![kept(&home)] } else { Vec::new() };
    let table = Table {
        place: Place::file(name),
        title: Some(placed(title)),
        header: listed.columns.iter().map(|c| placed(c.name.clone())).collect(),
        columns: listed.columns.clone(),
        notes,
        rows: Rows::Memory(batches),
        home: Some(Box::new(home)),
        ..Table::default()
    };
    let title = format!("{}.{}", listed.home.schema, listed.home.table);
    Ok(Document { title, blocks: vec![about, Block::Table(table)], warnings, ..Document::default() })
}

/// What is kept of a table.
fn kept(home: &Home) -> String {
    let about = if home.is_counted { "" } else { "about " };
    format!(
        "a sample of {} of {about}{} rows is kept; programs run over all of them",
        home.sampled, home.rows
    )
}

/// What is known of a table, in words, so that it is found by them.
fn about(home: &Home) -> String {
    let named = |columns: &[usize]| {
        let names = columns.iter().filter_map(|c| home.columns.get(*c)).map(|c| c.name.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    let mut text = format!("The {} {}.{} of {}.", home.what, home.schema, home.table, home.address);
    match home.is_sampled() {
        true => text.push_str(&format!(" Sampled: {}.", kept(home))),
        false => text.push_str(&format!(" It has {} rows.", home.rows)),
    }
    if !home.key.is_empty() {
        text.push_str(&format!(" Its primary key is {}.", named(&home.key)));
    }
    for refers in &home.refers {
        let (columns, to) = (refers.columns.join(", "), refers.to.join(", "));
        text.push_str(&format!(" {columns} refers to {to} of {}.{}.", refers.schema, refers.table));
    }
    text
}

/// What tells a state of a table from others: what the database says of it, and the rows that are kept.
fn state_of(document: &Document, given: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(given.as_bytes());
    for block in &document.blocks {
        hasher.update(serde_json::to_string(block).unwrap_or_default().as_bytes());
        let Block::Table(Table { rows: Rows::Memory(batches), .. }) = block else { continue };
        for batch in batches {
            for cells in &batch.columns {
                (0..batch.len()).for_each(|i| {
                    let text = cells.text(i);
                    hasher.update(&[u8::from(cells.is_empty(i))]).update(&(text.len() as u64).to_le_bytes());
                    hasher.update(text.as_bytes());
                });
            }
        }
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// The report on a table that could not be read.
fn not_read(path: &Path, name: &str, error: &Error) -> Added {
    Added {
        id: document_id(&path.to_string_lossy(), ""),
        name: name.to_owned(),
        status: Status::Failed,
        tables: 0,
        rows_in: 0,
        rows_indexed: 0,
        rows_rejected: Vec::new(),
        warnings: Vec::new(),
        error: Some(error.to_string()),
        fault: Some(if error.fault() == Fault::Bug { Fault::Upstream } else { error.fault() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_no_databases() {
        let paths = [PathBuf::from("sales.csv"), PathBuf::from("postgres")];
        assert_eq!(apart(&paths).unwrap(), (Vec::new(), paths.to_vec()));
        let error = apart(&[PathBuf::from("mysql://a@b/c")]).unwrap_err();
        assert!(error.message().contains("not read yet"), "{error}");
    }

    #[test]
    fn what_was_not_added_here_is_not_connected_to() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = ("postgres://a@127.0.0.1:9/x", "postgres://a@127.0.0.1:9/y");
        let may = |address: &str| added_here(dir.path()).unwrap().contains(&address.to_owned());
        let refused = Registry::new(dir.path()).open(one).unwrap_err();
        assert!(refused.message().contains("not added on this machine"), "{refused}");
        allow(dir.path(), one, true).unwrap();
        allow(dir.path(), two, true).unwrap();
        allow(dir.path(), two, true).unwrap();
        assert!(may(one) && may(two) && added_here(dir.path()).unwrap().len() == 2);
        allow(dir.path(), one, false).unwrap();
        assert!(!may(one) && may(two));
    }

    #[test]
    #[cfg(feature = "source-postgres")]
    fn a_password_in_an_address_goes_nowhere() {
        let error = apart(&[PathBuf::from("postgres://ann:hunter2@localhost/shop")]).unwrap_err();
        assert!(error.message().contains("password") && !error.to_string().contains("hunter2"), "{error}");
    }
}
