//! Writing plain JSON lines, all or nothing.

use super::Converted;
use serde::Serialize;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result};

const TABLES: &str = "tables.jsonl";
const PASSAGES: &str = "passages.jsonl";
const QUERIES: &str = "queries.jsonl";

/// A table of the corpus.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Table {
    pub(super) id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) section: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) intro: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) url: String,
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// A passage of the corpus.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Passage {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) text: String,
}

/// A question or statement, and what is right.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Query {
    pub(super) id: String,
    pub(super) question: String,
    pub(super) relevant: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) answers: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) cells: Vec<[usize; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) columns: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) rows: Vec<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) passages: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seq: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) position: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sql: Option<String>,
}

/// Adds something to a list that does not hold it yet.
pub(super) fn add<T: PartialEq>(list: &mut Vec<T>, one: T) {
    if !list.contains(&one) {
        list.push(one);
    }
}

/// A file under a temporary name.
struct Part {
    name: &'static str,
    file: BufWriter<File>,
}

impl Part {
    fn new(dir: &Path, name: &'static str) -> Result<Part> {
        let path = temporary(dir, name);
        let file = File::create(&path).map_err(|e| Error::from(e).at(path.display()))?;
        Ok(Part { name, file: BufWriter::new(file) })
    }

    fn line(&mut self, value: &impl Serialize) -> Result<()> {
        serde_json::to_writer(&mut self.file, value).map_err(|e| Error::io(e.to_string()).at(self.name))?;
        self.file.write_all(b"\n").map_err(|e| Error::from(e).at(self.name))
    }
}

fn temporary(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!(".{name}.part"))
}

/// The files that are being written. They get their names at the end; what is dropped before leaves nothing.
pub(super) struct Output {
    dir: PathBuf,
    tables: Part,
    passages: Option<Part>,
    queries: Part,
    known_tables: HashSet<String>,
    known_passages: HashSet<String>,
    counts: Converted,
}

impl Output {
    /// Begins to write to a folder, which is made.
    pub(super) fn new(dir: &Path) -> Result<Output> {
        std::fs::create_dir_all(dir).map_err(|e| Error::from(e).at(dir.display()))?;
        Ok(Output {
            dir: dir.to_owned(),
            tables: Part::new(dir, TABLES)?,
            passages: None,
            queries: Part::new(dir, QUERIES)?,
            known_tables: HashSet::new(),
            known_passages: HashSet::new(),
            counts: Converted::default(),
        })
    }

    /// Whether a table was written.
    pub(super) fn has_table(&self, id: &str) -> bool {
        self.known_tables.contains(id)
    }

    /// Whether a passage was written.
    pub(super) fn has_passage(&self, id: &str) -> bool {
        self.known_passages.contains(id)
    }

    /// Writes a table, unless one of its id was.
    pub(super) fn table(&mut self, table: &Table) -> Result<()> {
        if self.known_tables.insert(table.id.clone()) {
            self.tables.line(table)?;
            self.counts.tables += 1;
        }
        Ok(())
    }

    /// Writes a passage, unless one of its id was or it has no text.
    pub(super) fn passage(&mut self, passage: &Passage) -> Result<()> {
        if passage.text.trim().is_empty() || !self.known_passages.insert(passage.id.clone()) {
            return Ok(());
        }
        if self.passages.is_none() {
            self.passages = Some(Part::new(&self.dir, PASSAGES)?);
        }
        if let Some(part) = &mut self.passages {
            part.line(passage)?;
        }
        self.counts.passages += 1;
        Ok(())
    }

    pub(super) fn query(&mut self, query: &Query) -> Result<()> {
        self.counts.queries += 1;
        self.queries.line(query)
    }

    /// Counts queries that cannot be used.
    pub(super) fn leave_out(&mut self, queries: usize) {
        self.counts.left_out += queries;
    }

    /// Gives the files their names, and says what is in them.
    pub(super) fn finish(mut self) -> Result<Converted> {
        if self.counts.queries == 0 {
            let message = format!("no query can be used, {} were left out", self.counts.left_out);
            return Err(Error::input(message).hint("check that the tables of the set are under the folder"));
        }
        let parts = [Some(&mut self.tables), self.passages.as_mut(), Some(&mut self.queries)];
        for part in parts.into_iter().flatten() {
            part.file.flush().map_err(|e| Error::from(e).at(part.name))?;
        }
        // Passages of an earlier conversion do not belong to this one.
        let earlier = self.dir.join(PASSAGES);
        if self.passages.is_none() && earlier.exists() {
            std::fs::remove_file(&earlier).map_err(|e| Error::from(e).at(earlier.display()))?;
        }
        let passages = self.passages.as_ref().map(|part| part.name);
        for name in [Some(TABLES), passages, Some(QUERIES)].into_iter().flatten() {
            let to = self.dir.join(name);
            std::fs::rename(temporary(&self.dir, name), &to).map_err(|e| Error::from(e).at(to.display()))?;
        }
        Ok(self.counts)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        for name in [TABLES, PASSAGES, QUERIES] {
            // After `finish` there is nothing to remove.
            let _ = std::fs::remove_file(temporary(&self.dir, name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query() -> Query {
        Query { id: "q".into(), question: "?".into(), relevant: vec!["t".into()], ..Query::default() }
    }

    #[test]
    fn an_earlier_conversion_stays_until_the_next_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap_or_default();
        let mut first = Output::new(dir.path()).unwrap();
        first.passage(&Passage { id: "p".into(), title: "P".into(), text: "x".into() }).unwrap();
        first.query(&query()).unwrap();
        first.finish().unwrap();
        assert_eq!(read(QUERIES), "{\"id\":\"q\",\"question\":\"?\",\"relevant\":[\"t\"]}\n");
        assert_eq!(read(PASSAGES), "{\"id\":\"p\",\"title\":\"P\",\"text\":\"x\"}\n");

        let mut broken = Output::new(dir.path()).unwrap();
        broken.table(&Table { id: "t".into(), ..Table::default() }).unwrap();
        drop(broken);
        assert_eq!((read(TABLES), read(PASSAGES).len()), (String::new(), 34));

        let mut second = Output::new(dir.path()).unwrap();
        second.table(&Table { id: "t".into(), ..Table::default() }).unwrap();
        second.table(&Table { id: "t".into(), title: "again".into(), ..Table::default() }).unwrap();
        second.query(&query()).unwrap();
        assert_eq!(second.finish().unwrap().tables, 1);
        assert_eq!(read(TABLES), "{\"id\":\"t\",\"header\":[],\"rows\":[]}\n");
        assert!(!dir.path().join(PASSAGES).exists());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_set_without_a_usable_query_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let mut output = Output::new(dir.path()).unwrap();
        output.leave_out(3);
        assert!(output.finish().unwrap_err().to_string().contains("3 were left out"));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
