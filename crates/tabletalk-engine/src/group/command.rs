//! Groups that a program of the user makes: nodes of the parent go in as lines of JSON, nodes of the group come out.
//!
//! No shell is asked. The program reads and writes files, not pipes, so that it never waits for us while we wait for it.

use super::own::NewNode;
use super::split::{Breaks, Chunk, Piece, whole};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tabletalk_core::{Error, Place, Result};

/// The most bytes of what a program complains that are read.
const COMPLAINT: u64 = 64 << 10;

/// A program of the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The program and what it is told.
    pub command: Vec<String>,
    /// The most seconds that it may take for one document.
    #[serde(default = "seconds")]
    pub timeout_s: u64,
    /// The most bytes that it may write for one document.
    #[serde(default = "bytes")]
    pub max_bytes: u64,
    /// Changed when the program is, so that its nodes are made again.
    #[serde(default)]
    pub version: String,
    /// The folder it is run in: that of the configuration.
    #[serde(skip)]
    pub dir: PathBuf,
}

fn seconds() -> u64 {
    60
}

fn bytes() -> u64 {
    16 << 20
}

/// A line that a program writes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    text: String,
    /// The node it was made from; it need not be said where there is only one.
    #[serde(default)]
    parent: Option<String>,
    #[serde(default)]
    fields: Map<String, Value>,
}

impl Line {
    fn node(self) -> NewNode {
        NewNode { text: self.text, fields: self.fields }
    }
}

impl Program {
    /// Refuses what cannot be run.
    pub(super) fn check(&self) -> Result<()> {
        if self.command.first().is_none_or(|program| program.trim().is_empty()) {
            return Err(Error::input("`command` is empty")
                .hint("write the program and what it is told, such as [\"python3\", \"split.py\"]"));
        }
        if self.timeout_s == 0 || self.max_bytes == 0 {
            return Err(Error::input("timeout_s and max_bytes must be 1 at least"));
        }
        Ok(())
    }

    fn name(&self) -> &str {
        self.command.first().map_or("", String::as_str)
    }

    /// What the program makes of the parents of one document, for each its chunks.
    pub(super) fn split(&self, parents: &[(String, Vec<Piece>)]) -> Result<Vec<Vec<Chunk>>> {
        let wholes: Vec<Chunk> = parents.iter().map(|(_, pieces)| whole(pieces)).collect();
        let mut input = Vec::new();
        for ((id, _), whole) in parents.iter().zip(&wholes).filter(|(_, w)| !w.text.is_empty()) {
            let line = json!({"id": id, "text": whole.text, "heading": whole.heading.join(" / ")});
            writeln!(input, "{line}")?;
        }
        let mut made: Vec<Vec<Chunk>> = vec![Vec::new(); parents.len()];
        if input.is_empty() {
            return Ok(made);
        }
        let at: HashMap<&str, usize> = parents.iter().enumerate().map(|(i, p)| (p.0.as_str(), i)).collect();
        for (n, line) in self.run(&input)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let line: Line = serde_json::from_str(line).map_err(|e| self.wrong(n, &e.to_string()))?;
            let i = match &line.parent {
                None if parents.len() == 1 => 0,
                None => return Err(self.wrong(n, "it does not say its `parent`, and there are several")),
                Some(id) => *at
                    .get(id.as_str())
                    .ok_or_else(|| self.wrong(n, &format!("there is no parent `{id}`")))?,
            };
            made[i].extend(chunk(line.node(), &parents[i].1, &wholes[i]));
        }
        Ok(made)
    }

    fn wrong(&self, line: usize, why: &str) -> Error {
        Error::upstream(format!("line {} of what `{}` wrote cannot be used: {why}", line + 1, self.name()))
            .hint("each line must be an object such as {\"parent\": \"…\", \"text\": \"…\", \"fields\": {}}")
    }

    /// What the program writes for an input.
    fn run(&self, input: &[u8]) -> Result<String> {
        let (mut given, mut out, mut err) =
            (tempfile::tempfile()?, tempfile::tempfile()?, tempfile::tempfile()?);
        given.write_all(input)?;
        given.rewind()?;
        let mut command = Command::new(self.name());
        command.args(self.command.iter().skip(1)).stdin(Stdio::from(given));
        command.stdout(out.try_clone()?).stderr(err.try_clone()?);
        if !self.dir.as_os_str().is_empty() {
            command.current_dir(&self.dir);
        }
        let child = command.spawn().map_err(|e| self.not_started(&e))?;
        let status = self.wait(child, &out, &err)?;
        if !status.success() {
            let said = text(&mut err, COMPLAINT)?;
            let last = said.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("it did not say why");
            return Err(Error::upstream(format!("`{}` failed ({status}): {last}", self.name())));
        }
        text(&mut out, self.max_bytes)
    }

    fn not_started(&self, why: &std::io::Error) -> Error {
        Error::input(format!("`{}` cannot be started: {why}", self.name())).hint(
            "it is run in the folder of the configuration; a name without `/` is looked for in PATH, and no shell is asked",
        )
    }

    fn wait(&self, mut child: Child, out: &File, err: &File) -> Result<ExitStatus> {
        let begun = Instant::now();
        let (mut pause, limit) = (Duration::from_millis(1), Duration::from_secs(self.timeout_s));
        loop {
            let ended = child.try_wait()?;
            let wrote = out.metadata()?.len().max(err.metadata()?.len());
            let refused = match (wrote > self.max_bytes, begun.elapsed() > limit) {
                (true, _) => ("wrote", self.max_bytes, "bytes", "max_bytes"),
                (_, true) if ended.is_none() => ("took", self.timeout_s, "seconds", "timeout_s"),
                _ => match ended {
                    Some(status) => return Ok(status),
                    None => {
                        std::thread::sleep(pause);
                        pause = (pause * 2).min(Duration::from_millis(50));
                        continue;
                    }
                },
            };
            // One that ended meanwhile cannot be killed any more.
            let _ = child.kill();
            child.wait()?;
            let (did, most, unit, key) = refused;
            return Err(Error::limit(format!("`{}` {did} more than {most} {unit}", self.name()))
                .hint(format!("raise `{key}` of the transform, or mend the program")));
        }
    }
}

fn text(file: &mut File, most: u64) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A node of the group. It stands where its text stands in the parent, or else where the parent does.
pub(super) fn chunk(node: NewNode, pieces: &[Piece], whole: &Chunk) -> Option<Chunk> {
    let text = node.text.trim().to_owned();
    let stands = pieces.iter().find_map(|piece| {
        let at = piece.text.find(&text)?;
        Some((Breaks::of(piece).place_of(piece, at..at + text.len()), piece.heading.clone()))
    });
    let (place, heading): (Place, Vec<String>) =
        stands.unwrap_or_else(|| (whole.place.clone(), whole.heading.clone()));
    (!text.is_empty()).then_some(Chunk { text, place, heading, fields: node.fields })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(script: &str) -> Program {
        let command = ["sh", "-c", script].map(str::to_owned).to_vec();
        Program { command, timeout_s: 20, max_bytes: 4096, version: String::new(), dir: PathBuf::new() }
    }

    fn parents(texts: &[&str]) -> Vec<(String, Vec<Piece>)> {
        let piece = |text: &str, n: u64| Piece {
            text: text.into(),
            place: Place::file("a.md").lines(n..=n),
            ..Piece::default()
        };
        texts.iter().enumerate().map(|(i, t)| (format!("d/{i}"), vec![piece(t, i as u64 + 1)])).collect()
    }

    #[test]
    fn lines_go_in_and_nodes_come_out() {
        let cat = r#"while read line; do echo '{"parent": "d/1", "text": "two", "fields": {"n": 2}}'; done"#;
        let made = program(cat).split(&parents(&["one", "one two"])).unwrap();
        assert!(made[0].is_empty());
        assert_eq!((made[1].len(), made[1][0].text.as_str()), (2, "two"));
        assert_eq!(made[1][0].place.lines, Some((2, 2)));
        assert_eq!(made[1][0].fields["n"], 2);
        let alone = program(r#"echo '{"text": "new"}'"#).split(&parents(&["one"])).unwrap();
        assert_eq!(alone[0][0].place.lines, Some((1, 1)));
    }

    #[test]
    fn what_goes_wrong_is_said() {
        let message = |script: &str| {
            let limited = Program { timeout_s: 1, ..program(script) };
            limited.split(&parents(&["one", "two"])).unwrap_err().to_string()
        };
        assert!(message("echo 'no ink' >&2; exit 3").contains("no ink"));
        assert!(message("sleep 30").contains("took more than 1 seconds"));
        assert!(message("yes").contains("wrote more than 4096 bytes"));
        assert!(message("echo; echo nonsense").contains("line 2 of what `sh` wrote"));
        assert!(message(r#"echo '{"text": "x"}'"#).contains("does not say its `parent`"));
        assert!(message(r#"echo '{"text": "x", "parent": "d/9"}'"#).contains("no parent `d/9`"));
        let none = Program { command: vec!["./nowhere".into()], ..program("") };
        let error = none.split(&parents(&["one"])).unwrap_err();
        assert!(error.to_string().contains("cannot be started") && error.cure().unwrap().contains("PATH"));
    }
}
