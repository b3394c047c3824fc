//! Public sets in the layouts they were released in, made into plain JSON lines.
//!
//! A set is a folder as its makers give it out. [`convert`] reads one split of it and writes `tables.jsonl`,
//! `passages.jsonl` and `queries.jsonl`, which everything else here reads. For TabFact and WikiSQL all tables of
//! the release are written, as they are the corpus to find the right table in; for the other sets those that the
//! queries of the split need.

mod feverous;
mod hybridqa;
mod input;
mod linked;
mod ottqa;
mod output;
mod page;
mod sqa;
mod tabfact;
mod wikisql;
mod wikitablequestions;

use output::Output;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use tabletalk_core::{Error, Result};

/// A public set's own layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Statements about Wikipedia tables, true or false.
    Tabfact,
    /// Questions on Wikipedia tables.
    Wikitablequestions,
    /// Conversations about the tables of WikiTableQuestions.
    Sqa,
    /// Questions on tables with linked passages.
    Hybridqa,
    /// The same, to be answered without being given the table.
    Ottqa,
    /// Claims with evidence in the tables and sentences of Wikipedia.
    Feverous,
    /// Questions with a query of one table.
    Wikisql,
}

impl Layout {
    /// All layouts that can be read.
    pub const ALL: [Layout; 7] = [
        Layout::Tabfact,
        Layout::Wikitablequestions,
        Layout::Sqa,
        Layout::Hybridqa,
        Layout::Ottqa,
        Layout::Feverous,
        Layout::Wikisql,
    ];

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Layout::Tabfact => "tabfact",
            Layout::Wikitablequestions => "wikitablequestions",
            Layout::Sqa => "sqa",
            Layout::Hybridqa => "hybridqa",
            Layout::Ottqa => "ottqa",
            Layout::Feverous => "feverous",
            Layout::Wikisql => "wikisql",
        }
    }

    /// Which files are expected under the folder, in one line.
    pub fn about(self) -> &'static str {
        match self {
            Layout::Tabfact => {
                "data/all_csv/*.csv, with collected_data/r1_training_all.json, r2_training_all.json and \
                 data/SPLIT_id.json, or with tokenized_data/SPLIT_examples.json"
            }
            Layout::Wikitablequestions => {
                "data/training.tsv, data/pristine-unseen-tables.tsv or data/random-split-1-dev.tsv, \
                 with csv/204-csv/590.csv and so on; page/ for titles"
            }
            Layout::Sqa => "train.tsv, test.tsv or random-split-1-dev.tsv, with table_csv/*.csv",
            Layout::Hybridqa => {
                "released_data/SPLIT.json or SPLIT.traced.json, with WikiTables-WithLinks/tables_tok/*.json and \
                 request_tok/*.json"
            }
            Layout::Ottqa => {
                "released_data/SPLIT.json or SPLIT.traced.json, with data/traindev_tables_tok/*.json and \
                 data/traindev_request_tok/*.json"
            }
            Layout::Feverous => "feverous_SPLIT_challenges.jsonl or SPLIT.jsonl, with feverous_wikiv1.db",
            Layout::Wikisql => "data/SPLIT.jsonl and data/SPLIT.tables.jsonl",
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Layout {
    type Err = Error;

    fn from_str(name: &str) -> Result<Layout> {
        Layout::ALL.into_iter().find(|layout| layout.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Layout::ALL.iter().map(|layout| layout.name()).collect();
            Error::input(format!("there is no layout `{name}`"))
                .hint(format!("it is one of {}", names.join(", ")))
        })
    }
}

/// What was converted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Converted {
    /// Tables written.
    pub tables: usize,
    /// Passages written.
    pub passages: usize,
    /// Queries written.
    pub queries: usize,
    /// Queries that cannot be used, because their table or evidence is missing.
    pub left_out: usize,
}

/// Reads a split (`train`, `dev`, `val`, `test` …) of a set in `dir` and writes it as plain JSON lines to `out`,
/// which is made. Nothing is written when something goes wrong.
pub fn convert(layout: Layout, dir: &Path, split: &str, out: &Path) -> Result<Converted> {
    if !dir.is_dir() {
        return Err(Error::missing(format!("there is no folder {}", dir.display()))
            .hint(format!("it should hold {}", layout.about())));
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if split.is_empty() || !split.chars().all(is_plain) {
        return Err(
            Error::input(format!("`{split}` is not the name of a split")).hint("try train, dev or test")
        );
    }
    let mut output = Output::new(out)?;
    match layout {
        Layout::Tabfact => tabfact::convert(dir, split, &mut output),
        Layout::Wikitablequestions => wikitablequestions::convert(dir, split, &mut output),
        Layout::Sqa => sqa::convert(dir, split, &mut output),
        Layout::Hybridqa => hybridqa::convert(dir, split, &mut output),
        Layout::Ottqa => ottqa::convert(dir, split, &mut output),
        Layout::Feverous => feverous::convert(dir, split, &mut output),
        Layout::Wikisql => wikisql::convert(dir, split, &mut output),
    }?;
    output.finish().map_err(|e| e.at(format!("{layout} {split}")))
}

#[cfg(test)]
mod fixture {
    use super::{Converted, Layout, convert};
    use serde_json::Value;
    use std::path::Path;
    use tabletalk_core::Error;
    use tempfile::TempDir;

    /// A folder with these files.
    pub(super) fn folder(files: &[(&str, &str)]) -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        add(dir.path(), files);
        dir
    }

    pub(super) fn add(dir: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = dir.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    /// What comes of a folder: the counts, and the lines of tables, passages and queries.
    pub(super) fn made(layout: Layout, dir: &Path, split: &str) -> (Converted, [Vec<Value>; 3]) {
        let out = tempfile::tempdir().unwrap();
        let converted = convert(layout, dir, split, out.path()).unwrap();
        let left: Vec<_> = std::fs::read_dir(out.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| name.to_string_lossy().ends_with(".jsonl")), "{left:?}");
        let lines = |name| -> Vec<Value> {
            let text = std::fs::read_to_string(out.path().join(name)).unwrap_or_default();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        (converted, [lines("tables.jsonl"), lines("passages.jsonl"), lines("queries.jsonl")])
    }

    /// The error that comes of a folder; nothing may be left in the output.
    pub(super) fn error(layout: Layout, dir: &Path, split: &str) -> Error {
        let out = tempfile::tempdir().unwrap();
        let error = convert(layout, dir, split, out.path()).unwrap_err();
        assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0, "{error}");
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_known_by_name() {
        for layout in Layout::ALL {
            assert_eq!(layout.name().parse::<Layout>().unwrap(), layout);
            assert_eq!(serde_json::to_value(layout).unwrap(), layout.name());
            assert!(!layout.about().contains('\n'));
        }
        let wrong = "tabfacts".parse::<Layout>().unwrap_err().to_string();
        assert!(wrong.contains("tabfacts") && wrong.contains("hybridqa, ottqa"), "{wrong}");
    }

    #[test]
    fn a_folder_or_split_that_cannot_be_is_refused() {
        let dir = fixture::folder(&[]);
        let none = fixture::error(Layout::Sqa, &dir.path().join("none"), "train").to_string();
        assert!(none.contains("no folder") && none.contains("table_csv"), "{none}");
        assert!(fixture::error(Layout::Sqa, dir.path(), "../train").to_string().contains("split"));
    }
}
