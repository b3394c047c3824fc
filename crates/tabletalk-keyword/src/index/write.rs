//! Writing to the keyword indexes, and entries as a shared store takes them.

use super::schema::{Cut, Doc, Field, SEPARATOR};
use super::{Group, Keyword};
use crate::analyze::{Analyzer, Scratch};
use crate::error::tantivy;
use ::tantivy::indexer::UserOperation;
use ::tantivy::{IndexWriter, TantivyDocument, Term};
use std::collections::HashMap;
use std::sync::Arc;
use tabletalk_core::seam::store::{Entry, Facets};
use tabletalk_core::{Error, Result};

/// Memory for collecting entries before they are written as a segment: the group of cell values sees
/// by far the most terms.
const CELL_BUDGET: usize = 720 << 20;
const OTHER_BUDGET: usize = 48 << 20;

/// Adds to and removes from the indexes of all groups; nothing is seen before [`Writer::commit`].
pub struct Writer<'a> {
    keyword: &'a Keyword,
    cut: Cut,
    open: HashMap<String, (Arc<Group>, IndexWriter)>,
}

impl Keyword {
    /// A writer. There can be one at a time.
    pub fn writer(&self) -> Writer<'_> {
        Writer { keyword: self, cut: Cut::new(&self.analyzer), open: HashMap::new() }
    }
}

impl Writer<'_> {
    fn group(&mut self, name: &str) -> Result<&mut (Arc<Group>, IndexWriter)> {
        if !self.open.contains_key(name) {
            let group = self.keyword.make(name)?;
            let (threads, budget) = match name {
                "cell" => (2, CELL_BUDGET),
                "table" => (2, 2 * OTHER_BUDGET),
                _ => (1, OTHER_BUDGET),
            };
            let writer = group.index.writer_with_num_threads(threads, budget).map_err(tantivy)?;
            // A commit that was killed leaves files under the very names that the next one makes.
            writer.garbage_collect_files().wait().map_err(tantivy)?;
            self.open.insert(name.to_owned(), (group, writer));
        }
        self.open.get_mut(name).ok_or_else(|| Error::bug("writer vanished"))
    }

    /// Opens the index of a group for writing, so that it is committed even when nothing is added.
    pub fn touch(&mut self, name: &str) -> Result<()> {
        self.group(name).map(drop)
    }

    /// The fields of the values of a table: their words, and whole.
    pub fn cut<'v>(&mut self, values: impl Iterator<Item = &'v str>) -> [(Field, String); 2] {
        self.cut.fields(values)
    }

    /// Adds entries to the index of a group. The values of a table must be [`cut`](Writer::cut).
    pub fn add(&mut self, name: &str, docs: Vec<Doc>) -> Result<()> {
        if docs.is_empty() {
            return Ok(());
        }
        let (group, writer) = self.group(name)?;
        let adds = docs.into_iter().map(|d| UserOperation::Add(document(group, d)));
        writer.run(adds).map(drop).map_err(tantivy)
    }

    /// Removes what belongs to a document from the index of a group.
    pub fn remove(&mut self, name: &str, document: i64) -> Result<()> {
        let (group, writer) = self.group(name)?;
        writer.delete_term(Term::from_field_u64(group.fields.document, document as u64));
        Ok(())
    }

    /// Removes everything from the index of a group.
    pub fn clear(&mut self, name: &str) -> Result<()> {
        self.group(name)?.1.delete_all_documents().map(drop).map_err(tantivy)
    }

    /// Makes everything visible and durable, as made from this generation of the catalogue. Segments are
    /// written now, so the groups do it side by side.
    pub fn commit(&mut self, generation: i64) -> Result<()> {
        std::thread::scope(|scope| {
            let commits: Vec<_> =
                self.open.iter_mut().map(|open| scope.spawn(move || commit(open, generation))).collect();
            commits
                .into_iter()
                .try_for_each(|c| c.join().unwrap_or_else(|_| Err(Error::bug("a commit panicked"))))
        })?;
        self.open.keys().try_for_each(|name| self.keyword.renew(name))
    }

    /// Waits for background work on the files.
    pub fn finish(self) -> Result<()> {
        for (name, (_, writer)) in self.open {
            writer.wait_merging_threads().map_err(tantivy)?;
            self.keyword.renew(&name)?;
        }
        Ok(())
    }
}

fn commit((_, (_, writer)): (&String, &mut (Arc<Group>, IndexWriter)), generation: i64) -> Result<()> {
    let mut commit = writer.prepare_commit().map_err(tantivy)?;
    commit.set_payload(&generation.to_string());
    commit.commit().map(drop).map_err(tantivy)
}

fn document(group: &Group, doc: Doc) -> TantivyDocument {
    let mut out = TantivyDocument::default();
    out.add_u64(group.fields.document, doc.document as u64);
    out.add_u64(group.fields.owner, doc.owner as u64);
    out.add_u64(group.fields.part, doc.part);
    for (field, text) in &doc.fields {
        if !text.is_empty() {
            out.add_text(group.fields.get(*field), text);
        }
    }
    if !doc.data.is_empty() {
        out.add_bytes(group.fields.data, &doc.data);
    }
    out
}

/// Cuts the texts of entries.
pub struct Terms {
    analyzer: Analyzer,
    scratch: Scratch,
    cut: Cut,
}

impl Terms {
    /// With the rules of this analyzer.
    pub fn new(analyzer: &Analyzer) -> Self {
        Terms { analyzer: analyzer.clone(), scratch: analyzer.scratch(), cut: Cut::new(analyzer) }
    }

    /// The fields of the values of a table: their words, and whole.
    pub fn cut<'v>(&mut self, values: impl Iterator<Item = &'v str>) -> [(Field, String); 2] {
        self.cut.fields(values)
    }

    /// An entry of a group.
    pub fn entry(&mut self, group: &str, doc: Doc, stamp: i64, facets: &Facets) -> Entry {
        let Doc { document, owner, part, fields, data } = doc;
        let terms = fields.into_iter().map(|(field, text)| (field, self.of(group, field, &text))).collect();
        Entry { document, stamp, owner, part, facets: facets.clone(), terms, data }
    }

    fn of(&mut self, group: &str, field: Field, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        match field {
            // Blocks of values come as they are written; how often a word stands in one says nothing.
            Field::Values if group == "cell" => {
                for value in text.split(SEPARATOR) {
                    self.analyzer
                        .for_each_in_value(value, &mut self.scratch, |t, _| terms.push(t.to_owned()));
                }
                terms.sort_unstable();
                terms.dedup();
            }
            Field::Values | Field::Whole => {
                terms.extend(text.split(SEPARATOR).filter(|t| !t.is_empty()).map(str::to_owned));
            }
            _ => self.analyzer.for_each_in_text(text, &mut self.scratch, |t, _| terms.push(t.to_owned())),
        }
        terms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::Analyzer;
    use std::path::Path;

    fn copy(from: &Path, to: &Path, wanted: impl Fn(&str) -> bool) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            if wanted(&name) {
                std::fs::copy(entry.path(), to.join(name)).unwrap();
            }
        }
    }

    fn removes(dir: &Path) -> Result<()> {
        let keyword = Keyword::new(dir, Analyzer::default(), false);
        let mut writer = keyword.writer();
        writer.remove("row", 1)?;
        writer.commit(2)?;
        writer.finish()
    }

    #[test]
    fn a_commit_that_was_killed_is_not_in_the_way_of_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let (whole, killed) = (dir.path().join("whole"), dir.path().join("killed"));
        let keyword = Keyword::new(&whole, Analyzer::default(), false);
        let mut writer = keyword.writer();
        let entry = |document| Doc { document, fields: vec![(Field::Text, "Oslo".into())], ..Doc::default() };
        writer.add("row", vec![entry(1), entry(2)]).unwrap();
        writer.commit(1).unwrap();
        writer.finish().unwrap();
        copy(&whole.join("row"), &killed.join("row"), |_| true);
        // The files of the next commit are there, and what would have named them is not.
        removes(&whole).unwrap();
        copy(&whole.join("row"), &killed.join("row"), |name| {
            name.ends_with(".del") || name == ".managed.json"
        });
        removes(&killed).unwrap();
    }
}
