//! What the workloads of one run share: files, programs and commands.

use super::workload::{ALL, QUERIES, TABLES, Workload};
use super::{child, made, peer};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use tabletalk::{Error, Result};

/// What the workloads of one run share.
pub struct Bench {
    pub program: PathBuf,
    pub root: Option<PathBuf>,
    /// The Python with the peers, which need not be there.
    pub python: PathBuf,
    pub data: Option<PathBuf>,
    /// A folder for made files and libraries.
    pub work: PathBuf,
    /// Where results go.
    pub out: PathBuf,
    pub quick: bool,
    pub rows: Option<u64>,
    /// When the workload that runs must be done.
    pub until: Instant,
    /// What has been run for it.
    pub commands: RefCell<Vec<String>>,
}

/// A corpus of tables and what to look for in it.
pub(super) struct Corpus {
    pub(super) file: PathBuf,
    pub(super) queries: PathBuf,
    pub(super) name: &'static str,
}

impl Bench {
    /// What keeps a workload from being measured at all, and what to do about it.
    pub fn lacks(&self, workload: &Workload) -> Option<String> {
        if workload.needs_data {
            let missing = workload.data.iter().find(|name| self.data(name).is_none());
            if let Some(missing) = missing {
                return Some(format!("no {missing} under the folder of data; name one with --data DIR"));
            }
            if let Some(why) = self.no_peer(workload) {
                return Some(why);
            }
        }
        let script = workload.needs_data || !workload.tools.is_empty();
        if script && self.root.is_none() {
            return Some("needs the source tree: run it there".to_owned());
        }
        if let Some(tool) = workload.tools.iter().find(|tool| peer::program(tool).is_none()) {
            return Some(format!("no {tool}; install it, for instance with apt-get install {tool}"));
        }
        let (_, example) = workload.example?;
        let there = self.example_file(example).is_some_and(|file| file.is_file());
        (!there && peer::program("cargo").is_none())
            .then(|| format!("needs the example {example}, and there is no cargo to build it"))
    }

    /// Why there is nothing to compare with, and what to do about it.
    pub fn no_peer(&self, workload: &Workload) -> Option<String> {
        if workload.modules.is_empty() {
            return None;
        }
        if !self.python.exists() {
            return Some(peer::how_to_install(&self.python));
        }
        let lacks = peer::lacks(&self.python, workload.modules);
        let why =
            || format!("{} has no {}; run scripts/peers/setup", self.python.display(), lacks.join(", "));
        (!lacks.is_empty()).then(why)
    }

    /// A file or folder of the data, where it is there.
    pub fn data(&self, name: &str) -> Option<PathBuf> {
        self.data.as_ref().map(|dir| dir.join(name)).filter(|path| path.exists())
    }

    pub(super) fn size(&self, quick: u64, full: u64) -> u64 {
        if self.quick { quick } else { full }
    }

    pub(super) fn rows(&self, quick: u64, full: u64) -> u64 {
        self.rows.unwrap_or_else(|| self.size(quick, full))
    }

    /// Runs this program, and reads the JSON it prints.
    pub(super) fn ours<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Value> {
        let mut command = Command::new(&self.program);
        command.args(["--json", "--quiet"]).args(args);
        self.json(&mut command)
    }

    /// Runs a script of the source tree, and reads the JSON it prints.
    pub(super) fn script<S: AsRef<OsStr>>(&self, python: &Path, script: &str, args: &[S]) -> Result<Value> {
        let root = self.root.clone().unwrap_or_default();
        let mut command = Command::new(python);
        command.arg(root.join("scripts").join(script)).args(args);
        self.json(&mut command)
    }

    pub(super) fn json(&self, command: &mut Command) -> Result<Value> {
        let out = self.run(command)?;
        serde_json::from_str(out.trim()).map_err(|e| Error::from(e).at(self.shown(command)))
    }

    pub(super) fn run(&self, command: &mut Command) -> Result<String> {
        self.commands.borrow_mut().push(self.shown(command));
        child::run(command, self.until)
    }

    /// A command as people would type it, with short names.
    fn shown(&self, command: &Command) -> String {
        let short = |word: &OsStr| {
            let path = Path::new(word);
            let in_root = self.root.as_deref().and_then(|root| path.strip_prefix(root).ok());
            let kept = path.strip_prefix(&self.work).ok().or(in_root).unwrap_or(path);
            let text = kept.to_string_lossy().into_owned();
            if text.contains(' ') { format!("'{text}'") } else { text }
        };
        let name = command.get_program();
        let name = if name == self.program { "tabletalk-lab".to_owned() } else { short(name) };
        let words = command.get_args().filter(|word| *word != "--quiet").map(short);
        std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
    }

    fn example_file(&self, name: &str) -> Option<PathBuf> {
        Some(self.root.as_ref()?.join("target/release/examples").join(name))
    }

    /// The program of an example, built where it is not there.
    pub(super) fn example(&self, workload: &str) -> Result<PathBuf> {
        let wanted = ALL.iter().find(|one| one.name == workload).and_then(|one| one.example);
        let (package, name) = wanted.ok_or_else(|| Error::bug("a workload without an example"))?;
        let file = self.example_file(name).ok_or_else(|| Error::missing("there is no source tree"))?;
        if !file.is_file() {
            let mut build = Command::new("cargo");
            build.args(["build", "--quiet", "--release", "-p", package, "--example", name]);
            build.current_dir(self.root.clone().unwrap_or_default());
            self.run(&mut build)?;
        }
        Ok(file)
    }

    /// At most so many tables: those of the data, or made ones.
    pub(super) fn corpus(&self, most: u64) -> Result<Corpus> {
        let (file, queries) = (self.work.join("tables.jsonl"), self.work.join("queries.txt"));
        if let Some((tables, asked)) = self.data(TABLES).zip(self.data(QUERIES)) {
            let ids = first_lines(&tables, &file, most)?;
            std::fs::write(&queries, questions(&asked, &ids)?.join("\n"))?;
            return Ok(Corpus { file, queries, name: TABLES });
        }
        std::fs::write(&queries, made::tables(&file, most)?.join("\n"))?;
        Ok(Corpus { file, queries, name: "made tables" })
    }

    /// A made CSV file.
    pub(super) fn made_rows(&self, rows: u64) -> Result<PathBuf> {
        let file = self.work.join(format!("rows-{rows}.csv"));
        self.ours(&["bench".into(), "make".into(), text(&file), format!("--rows={rows}")])?;
        Ok(file)
    }
}

pub(super) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The lines of a file, plain or compressed.
pub(super) fn lines(path: &Path) -> Result<Box<dyn BufRead>> {
    let file = std::fs::File::open(path).map_err(|e| Error::from(e).at(path.display()))?;
    Ok(match path.extension().and_then(OsStr::to_str) {
        Some("zst") => Box::new(BufReader::new(zstd::Decoder::new(file)?)),
        _ => Box::new(BufReader::new(file)),
    })
}

/// Copies the first lines of a set of tables; their ids.
pub(super) fn first_lines(from: &Path, to: &Path, most: u64) -> Result<HashSet<String>> {
    let mut out = BufWriter::new(std::fs::File::create(to)?);
    let mut ids = HashSet::new();
    for line in lines(from)?.lines().take(most as usize) {
        let line = line?;
        let table: Value = serde_json::from_str(&line)?;
        ids.extend(table["id"].as_str().map(str::to_owned));
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(ids)
}

/// At most two thousand statements or questions about the tables of these ids.
pub(super) fn questions(from: &Path, ids: &HashSet<String>) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for line in lines(from)?.lines() {
        let query: Value = serde_json::from_str(&line?)?;
        let about = query["table"].as_str().is_some_and(|id| ids.contains(id));
        let text = ["statement", "question", "query"].iter().find_map(|key| query[key].as_str());
        if let (true, Some(text)) = (about, text) {
            found.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        if found.len() == 2000 {
            break;
        }
    }
    if found.is_empty() {
        return Err(Error::input(format!("{} asks nothing about the tables", from.display())));
    }
    Ok(found)
}
