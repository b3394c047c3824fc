//! Finding the files to add.

use crate::AddOptions;
use crate::config::Add;
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tabletalk_core::{Error, Result};
use tabletalk_engine::ingest::{Added, Item, Status, document_id};
use tabletalk_engine::watch::{Watch, interrupted};
use tabletalk_store::Record;

/// The longest name of a file, in bytes.
const NAME: usize = 200;

/// What there is to add.
#[derive(Default)]
pub struct Found {
    /// The files.
    pub items: Vec<Item>,
    /// Reports on folders that could not be read.
    pub unread: Vec<Added>,
}

/// The files below `paths` that the patterns let through, in a stable order.
pub fn find(
    paths: &[PathBuf],
    config: &Add,
    options: &AddOptions,
    library: &Path,
    fields: &Map<String, Value>,
    watch: &dyn Watch,
) -> Result<Found> {
    let include = patterns(config.include.iter().chain(&options.include))?;
    let exclude = patterns(config.exclude.iter().chain(&options.exclude))?;
    let library = absolute(library);
    let mut found = Found::default();
    for path in paths {
        let root = absolute(path);
        let meta = std::fs::metadata(&root).map_err(|e| absent(path, &root, e))?;
        if meta.is_file() {
            let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.items.push(item(root, name, fields));
            continue;
        }
        let walk = ignore::WalkBuilder::new(&root)
            .standard_filters(false)
            .hidden(!config.hidden)
            .sort_by_file_path(|a, b| a.cmp(b))
            .build();
        for entry in walk {
            if watch.is_stopped() {
                return Err(interrupted());
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(e) => {
                    found.unread.extend(unread(&root, &e));
                    continue;
                }
            };
            let file = entry.path();
            let name = file.strip_prefix(&root).unwrap_or(file).to_string_lossy().into_owned();
            let is_file = entry.file_type().is_some_and(|t| t.is_file());
            let wanted = include.as_ref().is_none_or(|set| set.is_match(&name));
            let unwanted = exclude.as_ref().is_some_and(|set| set.is_match(&name));
            if is_file && wanted && !unwanted && !file.starts_with(&library) {
                found.items.push(item(file.to_owned(), name, fields));
            }
        }
    }
    Ok(found)
}

/// How deep a folder is looked into, and how many entries are, to say at once what there is.
const GLANCE: (usize, usize) = (4, 20_000);

/// How many files below a folder can be read, by their ending, the most first. A large folder is looked at in part.
pub fn glance(folder: &Path) -> Vec<(String, usize)> {
    let walk = ignore::WalkBuilder::new(folder)
        .standard_filters(false)
        .hidden(true)
        .max_depth(Some(GLANCE.0))
        .build();
    let mut counts: std::collections::BTreeMap<String, usize> = Default::default();
    for entry in walk.take(GLANCE.1).flatten().filter(|e| e.file_type().is_some_and(|t| t.is_file())) {
        let ending = file_type(&entry.file_name().to_string_lossy());
        if tabletalk_read::FORMATS.iter().any(|f| f.endings.contains(&ending.as_str())) {
            *counts.entry(ending).or_default() += 1;
        }
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    counts
}

/// The error for a path at which nothing can be read, with the nearest names beside it.
fn absent(path: &Path, at: &Path, e: std::io::Error) -> Error {
    if e.kind() != std::io::ErrorKind::NotFound {
        return Error::from(e).at(path.display());
    }
    let error = Error::missing(format!("there is no file or folder `{}`", path.display()));
    let beside = at.parent().and_then(|dir| std::fs::read_dir(dir).ok()).into_iter().flatten().flatten();
    let names: Vec<String> = beside.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let wanted = at.file_name().unwrap_or_default().to_string_lossy();
    match tabletalk_sql::suggestion(&wanted, names.iter().map(String::as_str)) {
        Some(near) => error.hint(near),
        None => error,
    }
}

/// The path from the root, as far as it exists.
pub fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

pub(crate) fn patterns<'a>(globs: impl Iterator<Item = &'a String>) -> Result<Option<GlobSet>> {
    let mut builder = GlobSetBuilder::new();
    let mut any = false;
    for glob in globs {
        builder
            .add(Glob::new(glob).map_err(|e| Error::input(format!("`{glob}` is not a file pattern: {e}")))?);
        any = true;
    }
    let set = builder.build().map_err(|e| Error::input(e.to_string()))?;
    Ok(any.then_some(set))
}

fn item(path: PathBuf, name: String, fields: &Map<String, Value>) -> Item {
    let given = if fields.is_empty() { String::new() } else { Value::Object(fields.clone()).to_string() };
    let mut own = fields.clone();
    own.insert("file_name".into(), json!(name));
    own.insert("file_type".into(), json!(file_type(&name)));
    if let Ok(meta) = std::fs::metadata(&path) {
        own.insert("file_size".into(), json!(meta.len()));
        let times = [
            ("creation_date", meta.created()),
            ("last_modified_date", meta.modified()),
            ("last_accessed_date", meta.accessed()),
        ];
        for (field, time) in times {
            if let Some(day) = time.ok().and_then(day) {
                own.insert(field.into(), json!(day));
            }
        }
    }
    Item { path, name, fields: own, given, state: None }
}

/// The ending that says what a file is: `csv` for `a.csv` and `a.csv.gz`.
pub(crate) fn file_type(name: &str) -> String {
    let lower = name.to_lowercase();
    let inner = lower.strip_suffix(".gz").or_else(|| lower.strip_suffix(".zst")).unwrap_or(&lower);
    inner.rsplit_once('.').map_or("", |(_, end)| end).to_owned()
}

/// A name for a file, with nothing in it that leads anywhere.
pub fn file_name(given: &str) -> Result<String> {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    let wrong = |why: &str| Error::input(format!("`{}` is no name for a file: {why}", given.escape_debug()));
    if last.is_empty() {
        return Err(wrong("it is empty").hint("give it one such as sales.xlsx"));
    }
    if last.len() > NAME {
        return Err(wrong("it is too long"));
    }
    if last.starts_with('.') || last.chars().any(char::is_control) {
        return Err(wrong("it begins with a dot or has control characters in it"));
    }
    Ok(last.to_owned())
}

fn day(time: SystemTime) -> Option<String> {
    let stamp = jiff::Timestamp::try_from(time).ok()?;
    Some(stamp.to_string().get(..10)?.to_owned())
}

/// The report on a document whose file is gone.
pub(crate) fn forgotten(record: Record) -> Added {
    Added { tables: record.tables, ..report(record.id, record.name, Status::Forgotten) }
}

/// The report on a folder that could not be read. What went away while its folder was read is no fault.
fn unread(root: &Path, e: &ignore::Error) -> Option<Added> {
    if e.io_error().is_some_and(|e| e.kind() == std::io::ErrorKind::NotFound) {
        return None;
    }
    let name = path_of(e).unwrap_or(root).to_string_lossy().into_owned();
    let error = Error::io(e.to_string()).hint("make the folder readable; what it holds was not looked at");
    let failed = report(document_id(&name, ""), name, Status::Failed);
    Some(Added { error: Some(error.to_string()), fault: Some(error.fault()), ..failed })
}

fn path_of(e: &ignore::Error) -> Option<&Path> {
    match e {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}

fn report(id: String, name: String, status: Status) -> Added {
    Added {
        id,
        name,
        status,
        tables: 0,
        rows_in: 0,
        rows_indexed: 0,
        rows_rejected: Vec::new(),
        warnings: Vec::new(),
        error: None,
        fault: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_a_packed_file_is_that_of_its_content() {
        assert_eq!(file_type("a/B.CSV.gz"), "csv");
        assert_eq!(file_type("notes"), "");
    }

    #[test]
    fn a_name_leads_nowhere() {
        assert_eq!(file_name("a/b\\..\\sales 2024.xlsx").unwrap(), "sales 2024.xlsx");
        assert_eq!(file_name("../../etc/passwd").unwrap(), "passwd");
        assert_eq!(file_name("门店业绩.xlsx").unwrap(), "门店业绩.xlsx");
        for bad in ["", "/", "..", "../..", ".bashrc", "a\0b", "a\nb", &"x".repeat(300)] {
            assert!(file_name(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_path_with_nothing_at_it_names_the_nearest() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("sales.csv"), "a\n1\n").unwrap();
        let at = |name: &str| {
            let path = dir.path().join(name);
            absent(Path::new(name), &path, std::fs::metadata(&path).unwrap_err()).to_string()
        };
        assert_eq!(at("sale.csv"), "there is no file or folder `sale.csv`; did you mean `sales.csv`?");
        assert_eq!(at("zzz"), "there is no file or folder `zzz`");
    }
}
