//! A run on disk: what was asked of what, with what, and what came of it.

use crate::metric::{Mean, Paired};
use crate::record::Record;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result};

/// The file that describes a run.
const FILE: &str = "run.json";

/// What came of an experiment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    /// Its name: that of the recipe and of what it was run on.
    pub name: String,
    /// The recipe.
    pub recipe: String,
    /// What it is to find out.
    pub about: String,
    /// What was measured: `answers` or `retrieval`.
    pub task: String,
    /// When it was begun.
    pub begun: String,
    /// Seconds that were spent on it.
    pub seconds: f64,
    /// Whether it came to its end.
    pub complete: bool,
    /// What it was run with.
    pub provenance: Provenance,
    /// The sets.
    pub sets: Vec<SetOf>,
    /// The variants.
    pub variants: Vec<VariantOf>,
    /// What came of each variant on each set.
    pub cells: Vec<Cell>,
}

/// What a run was made with: all that a second run would need to come to the same.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Provenance {
    /// The version of the program.
    pub version: String,
    /// The commit it was built from.
    pub commit: Option<String>,
    /// The hash of the program.
    pub program: String,
    /// The hash of everything that decides what comes of the run.
    pub key: String,
    /// Questions of each set.
    pub sample: Option<usize>,
    /// The seed they were drawn with.
    pub seed: u64,
    /// The machine.
    pub machine: Machine,
    /// The language model.
    pub chat: Option<String>,
    /// The embedding models.
    pub embed: Vec<String>,
    /// The configuration that variants change.
    pub config: Value,
}

/// The machine that a run was made on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// The processor.
    pub processor: String,
    /// Its cores.
    pub cores: usize,
    /// Its memory.
    pub memory_gib: f64,
    /// The system.
    pub system: String,
}

/// A set as it was used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SetOf {
    /// Its name.
    pub name: String,
    /// How many questions were asked.
    pub queries: usize,
    /// The hash of its corpus.
    pub corpus_hash: String,
    /// The hash of its questions.
    pub queries_hash: String,
    /// The hash of those that were drawn.
    pub drawn_hash: String,
    /// The rows its tables were grown to.
    pub size: Option<usize>,
}

/// A variant as it was run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VariantOf {
    /// Its name.
    pub name: String,
    /// What is different about it.
    pub about: String,
    /// What it changes.
    pub config: Value,
}

/// What came of one variant on one set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cell {
    /// The set.
    pub set: String,
    /// The variant.
    pub variant: String,
    /// The rows the tables of the set were grown to.
    pub size: Option<usize>,
    /// How many questions were asked.
    pub queries: usize,
    /// How many ended in an error.
    pub errors: usize,
    /// One of these errors.
    pub error: Option<String>,
    /// Seconds for asking them.
    pub seconds: f64,
    /// The most memory meanwhile, where the system says.
    pub memory_mib: Option<f64>,
    /// Why it was not run.
    pub skipped: Option<String>,
    /// The figures.
    pub metrics: BTreeMap<String, Mean>,
    /// The figures compared with those of the first variant on the same set, question by question.
    pub against: BTreeMap<String, Paired>,
}

impl Run {
    /// Reads the run in a folder, or in the file that describes one.
    pub fn read(path: &Path) -> Result<Run> {
        let file = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
        let text = std::fs::read_to_string(&file).map_err(|e| {
            Error::from(e).at(file.display()).hint("give the folder of a run, or its run.json")
        })?;
        serde_json::from_str(&text).map_err(|e| Error::from(e).at(file.display()))
    }

    /// Writes the description of the run to its folder.
    pub fn write(&self, dir: &Path) -> Result<()> {
        std::fs::create_dir_all(dir)?;
        let mut file = tempfile::NamedTempFile::new_in(dir)?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        file.persist(dir.join(FILE)).map_err(|e| Error::from(e.error))?;
        Ok(())
    }

    /// All runs below a folder, the newest first. A folder that holds no run is passed over.
    pub fn all(dir: &Path) -> Vec<Run> {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let mut runs: Vec<Run> = entries
            .map(|entry| entry.path())
            .filter(|path| path.join(FILE).exists())
            .filter_map(|path| Run::read(&path).ok())
            .collect();
        runs.sort_by(|a, b| b.begun.cmp(&a.begun));
        runs
    }

    /// What a list of runs says of it.
    pub fn summary(&self) -> Value {
        json!({
            "name": self.name, "recipe": self.recipe, "about": self.about, "task": self.task,
            "begun": self.begun, "complete": self.complete,
            "sets": self.sets.iter().map(|s| &s.name).collect::<Vec<_>>(),
            "variants": self.variants.iter().map(|v| &v.name).collect::<Vec<_>>(),
        })
    }

    /// What came of a variant on a set.
    pub fn cell(&self, set: &str, variant: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.set == set && cell.variant == variant)
    }
}

/// The file with what came of each question of a set by a variant.
pub fn records_file(dir: &Path, set: &str, variant: &str) -> PathBuf {
    let name = file_name;
    dir.join("records").join(name(set)).join(format!("{}.jsonl", name(variant)))
}

/// What came of the questions of a set by a variant so far. A last line that was cut off is left out.
pub fn records(dir: &Path, set: &str, variant: &str) -> Result<Vec<Record>> {
    let path = records_file(dir, set, variant);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::from(e).at(path.display())),
    };
    // What stands behind the last end of a line was cut off.
    let whole = text.rfind('\n').and_then(|end| text.get(..end)).unwrap_or_default();
    let read = |(i, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|e| Error::from(e).at(format!("{}: line {}", path.display(), i + 1)))
    };
    whole.lines().enumerate().map(read).collect()
}

/// A name that can be that of a file.
pub fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '.' | '_') { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    name.trim_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_what_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let run = Run { name: "x".into(), begun: "2026".into(), ..Run::default() };
        run.write(&dir.path().join("x")).unwrap();
        assert_eq!(Run::read(&dir.path().join("x")).unwrap(), run);
        assert_eq!(Run::read(&dir.path().join("x/run.json")).unwrap(), run);
        std::fs::create_dir(dir.path().join("other")).unwrap();
        assert_eq!(Run::all(dir.path()), [run]);
        assert!(Run::read(&dir.path().join("nothing")).unwrap_err().to_string().contains("nothing"));
    }

    #[test]
    fn a_line_that_was_cut_off_is_asked_again() {
        let dir = tempfile::tempdir().unwrap();
        let file = records_file(dir.path(), "s", "v");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let line = serde_json::to_string(&Record::default()).unwrap();
        std::fs::write(&file, format!("{line}\n{}", &line[..10])).unwrap();
        assert_eq!(records(dir.path(), "s", "v").unwrap().len(), 1);
        std::fs::write(&file, format!("{}\n{line}\n", &line[..10])).unwrap();
        assert!(records(dir.path(), "s", "v").is_err());
        assert!(records(dir.path(), "s", "w").unwrap().is_empty());
    }

    #[test]
    fn names_become_names_of_files() {
        assert_eq!(file_name("BM25 + cross/late"), "BM25---cross-late");
        assert_eq!(file_name("../x"), "x");
    }
}
