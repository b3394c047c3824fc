//! Forgetting the documents whose files are gone, and only those: what cannot be looked at is not gone.

use crate::{Library, Result, Unwatched, files};
use std::collections::{BTreeMap, HashMap};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tabletalk_core::Error;
use tabletalk_engine::ingest::{self, Added, Kept};

/// Why a file that is not there may come back.
#[derive(Debug, Clone, PartialEq)]
enum Doubt {
    /// A folder that held it is empty, as one is where nothing is mounted.
    Empty(PathBuf),
    /// It, or a folder that held it, cannot be looked at.
    Unreadable(PathBuf, String),
}

/// Where the file of a document is.
#[derive(Debug, PartialEq)]
enum State {
    There,
    Gone,
    Unsure(Doubt),
}

impl Library {
    /// Forgets the documents below `paths` whose file is surely gone. What was kept, and why, is told. With `most`, a folder
    /// may be empty and more than half of its files may go.
    pub(crate) fn forget_missing(&self, paths: &[PathBuf], most: bool) -> Result<(Vec<Added>, Vec<Kept>)> {
        let sources = self.store.catalog()?.sources()?;
        let (mut gone, mut kept) = (Vec::new(), Vec::new());
        for root in paths.iter().map(|p| files::absolute(p)) {
            let below: Vec<&String> = sources.iter().filter(|s| Path::new(s).starts_with(&root)).collect();
            let mut looked = Look::new(&root).all(&below, most);
            // Nobody throws half of a folder away without a thought: more likely it is another folder now.
            if !most && looked.gone.len() * 2 > below.len() {
                let reason = format!("{} of {} files are gone at once", looked.gone.len(), below.len());
                kept.push(told(&root, looked.gone.len(), reason, true));
                looked.gone.clear();
            }
            gone.append(&mut looked.gone);
            kept.append(&mut looked.kept);
        }
        gone.sort_unstable();
        gone.dedup();
        Ok((self.forget_sources(&gone)?, kept))
    }

    pub(crate) fn forget_sources(&self, sources: &[String]) -> Result<Vec<Added>> {
        let mut records = Vec::new();
        for source in sources {
            records.extend(self.store.catalog()?.records_of(source)?);
        }
        let ids: Vec<String> = records.iter().map(|r| r.id.clone()).collect();
        if !ids.is_empty() {
            ingest::forget(&self.store, &self.groups, &ids)?;
            let _guard = self.store.lock()?;
            self.publish(&Unwatched)?;
        }
        Ok(records.into_iter().map(files::forgotten).collect())
    }
}

/// What was seen of the files below a folder.
#[derive(Default)]
struct Looked {
    gone: Vec<String>,
    kept: Vec<Kept>,
}

/// Looks after files below a folder; what is known of the folders on the way is kept.
struct Look<'a> {
    root: &'a Path,
    folders: HashMap<PathBuf, Option<Doubt>>,
}

impl<'a> Look<'a> {
    fn new(root: &'a Path) -> Self {
        Look { root, folders: HashMap::new() }
    }

    fn all(mut self, sources: &[&String], most: bool) -> Looked {
        let mut looked = Looked::default();
        let mut doubts: BTreeMap<PathBuf, (usize, String, bool)> = BTreeMap::new();
        for source in sources {
            let (folder, reason, may_be_told) = match self.state(Path::new(source)) {
                State::There => continue,
                State::Unsure(Doubt::Empty(folder)) if !most => (folder, "is empty now".to_owned(), true),
                State::Unsure(Doubt::Unreadable(folder, why)) => (folder, why, false),
                State::Gone | State::Unsure(Doubt::Empty(_)) => {
                    looked.gone.push((*source).clone());
                    continue;
                }
            };
            doubts.entry(folder).or_insert((0, reason, may_be_told)).0 += 1;
        }
        looked.kept = doubts
            .into_iter()
            .map(|(folder, (files, why, by_yes))| told(&folder, files, why, by_yes))
            .collect();
        looked
    }

    fn state(&mut self, path: &Path) -> State {
        match std::fs::metadata(path) {
            // A folder that has the name of a file took its place.
            Ok(meta) if meta.is_dir() => State::Gone,
            Ok(_) => State::There,
            Err(e) if is_not_there(e.kind()) => self.doubt(path).map_or(State::Gone, State::Unsure),
            Err(e) => State::Unsure(Doubt::Unreadable(path.to_owned(), e.to_string())),
        }
    }

    /// What speaks against a file that is not there being gone: the nearest folder above it that is there.
    fn doubt(&mut self, path: &Path) -> Option<Doubt> {
        let above = path.ancestors().skip(1).take_while(|p| p.starts_with(self.root));
        for folder in above {
            if let Some(known) = self.folders.get(folder) {
                return known.clone();
            }
            let doubt = match std::fs::read_dir(folder).and_then(|mut entries| entries.next().transpose()) {
                Ok(Some(_)) => None,
                Ok(None) => Some(Doubt::Empty(folder.to_owned())),
                Err(e) if is_not_there(e.kind()) => continue,
                Err(e) => Some(Doubt::Unreadable(folder.to_owned(), e.to_string())),
            };
            self.folders.insert(folder.to_owned(), doubt.clone());
            return doubt;
        }
        Some(Doubt::Unreadable(self.root.to_owned(), "is not there".into()))
    }
}

fn is_not_there(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn told(folder: &Path, files: usize, reason: String, by_yes: bool) -> Kept {
    let error = Error::input(format!("{}: {reason}; nothing was forgotten", folder.display()));
    let hint = match by_yes {
        true => "`tabletalk sync --yes` forgets what is gone",
        false => "make it readable, or `tabletalk forget` what is not wanted",
    };
    Kept { folder: folder.to_string_lossy().into_owned(), files, reason: error.hint(hint).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(root: &Path, name: &str) -> State {
        Look::new(root).state(&root.join(name))
    }

    #[test]
    fn only_what_is_surely_gone_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        std::fs::create_dir_all(root.join("share")).unwrap();
        std::fs::create_dir_all(root.join("a.csv")).unwrap();
        std::fs::write(root.join("b.csv"), "x").unwrap();
        assert_eq!(state(root, "b.csv"), State::There);
        assert_eq!(state(root, "c.csv"), State::Gone);
        assert_eq!(state(root, "no/such/folder/c.csv"), State::Gone);
        assert_eq!(state(root, "a.csv"), State::Gone, "a folder took its place");
        assert_eq!(state(root, "b.csv/c.csv"), State::Gone, "a file took the place of its folder");
        let share = Doubt::Empty(root.join("share"));
        assert_eq!(state(root, "share/deep/c.csv"), State::Unsure(share), "nothing is mounted there");
        let long = "x".repeat(300);
        assert!(matches!(state(root, &long), State::Unsure(Doubt::Unreadable(..))), "it cannot be looked at");
    }

    #[test]
    fn a_root_that_is_not_there_is_no_proof() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("mount");
        assert!(matches!(state(&root, "c.csv"), State::Unsure(Doubt::Unreadable(..))));
    }
}
