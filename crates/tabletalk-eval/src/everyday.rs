//! Questions and statements about single files: what people keep, asked as they ask.
//!
//! A folder has `files/` and, as JSON lines, `questions.jsonl` and `statements.jsonl`. Each question is asked of a
//! library of its file alone. What comes of it is right, wrong, or silence; where the file has no answer, silence
//! is right.

use crate::Corpus;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use tabletalk_core::{Answer, Error, Fault, Outcome, Result, Verdict};
use tabletalk_engine::answer::same_all;
use tabletalk_library::{AskRequest, Config, Watch};

/// A question about a file.
#[derive(Debug, Clone, Deserialize)]
pub struct Question {
    /// What tells it from others.
    pub id: String,
    /// The file it is about.
    pub file: String,
    /// What makes it hard.
    #[serde(default)]
    pub kind: String,
    /// The question.
    pub question: String,
    /// The values of a right answer, or its rows; none where the file has no answer.
    pub answers: Vec<Value>,
    /// Other answers that are right too.
    #[serde(default)]
    pub or: Vec<Vec<Value>>,
}

/// A statement about a file.
#[derive(Debug, Clone, Deserialize)]
pub struct Statement {
    /// What tells it from others.
    pub id: String,
    /// The file it is about.
    pub file: String,
    /// What makes it hard.
    #[serde(default)]
    pub kind: String,
    /// The statement.
    pub statement: String,
    /// What the file says of it.
    pub verdict: Verdict,
}

/// What came of a question or a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Came {
    /// As it should be, silence included.
    Right,
    /// There is an answer, and none was given.
    Silent,
    /// What was given is not so.
    Wrong,
    /// A limit was reached before there was an answer: it says nothing of what can be answered.
    Stopped,
}

/// One question or statement and what came of it.
#[derive(Debug, Clone, Serialize)]
pub struct Case {
    /// Which one.
    pub id: String,
    /// The file.
    pub file: String,
    /// What makes it hard.
    pub kind: String,
    /// What was asked or said.
    pub text: String,
    /// What would have been right.
    pub wanted: Vec<Value>,
    /// Whether the file has an answer.
    pub has_answer: bool,
    /// What came of it.
    pub came: Came,
    /// The answer that was given, or why there was none.
    pub given: String,
    /// The program in words.
    pub program: String,
    /// How sure the answer was said to be; 0 for none.
    pub confidence: f32,
}

/// What came of all questions, or of all statements.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Everyday {
    /// One by one.
    pub cases: Vec<Case>,
}

/// How many, of those said to be so sure, were right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Reliability {
    /// Answers given.
    pub answers: usize,
    /// Of those, right ones.
    pub right: usize,
    /// How sure they were said to be, in the mean.
    pub said: f32,
}

impl Everyday {
    /// How many came out so.
    pub fn count(&self, came: Came) -> usize {
        self.cases.iter().filter(|c| c.came == came).count()
    }

    /// The share of questions with an answer that were answered rightly.
    pub fn right_of_answerable(&self) -> f64 {
        let all: Vec<&Case> = self.cases.iter().filter(|c| c.has_answer).collect();
        let right = all.iter().filter(|c| c.came == Came::Right).count();
        right as f64 / all.len().max(1) as f64
    }

    /// The share of all that came out wrong.
    pub fn wrong(&self) -> f64 {
        self.count(Came::Wrong) as f64 / self.cases.len().max(1) as f64
    }

    /// What was said against what was right, in tenths of confidence.
    pub fn reliability(&self) -> BTreeMap<u8, Reliability> {
        let mut tenths: BTreeMap<u8, Reliability> = BTreeMap::new();
        for case in self.cases.iter().filter(|c| c.confidence > 0.0) {
            let tenth = tenths.entry((case.confidence * 10.0).min(9.0) as u8).or_default();
            let answers = tenth.answers as f32;
            tenth.said = (tenth.said * answers + case.confidence) / (answers + 1.0);
            tenth.answers += 1;
            tenth.right += usize::from(case.came == Came::Right);
        }
        tenths
    }
}

/// Whether all questions and statements of a folder can be read; better said before an hour of asking than after it.
pub fn check(folder: &Path) -> Result<()> {
    lines::<Question>(&folder.join("questions.jsonl"))?;
    let statements = folder.join("statements.jsonl");
    if statements.exists() {
        lines::<Statement>(&statements)?;
    }
    Ok(())
}

/// Asks all questions of a folder, each of its file alone.
pub fn questions(config: &Config, folder: &Path, watch: &dyn Watch) -> Result<Everyday> {
    let all: Vec<Question> = lines(&folder.join("questions.jsonl"))?;
    let ask = |corpus: &Corpus, question: &Question| {
        let asking =
            AskRequest { question: question.question.clone(), no_model: true, ..AskRequest::default() };
        corpus.library.ask(&asking, &mut |_| {}).map(|answer| asked(question, &answer))
    };
    let silence = |question: &Question, error: &Error| {
        asked(question, &Answer { answer: error.to_string(), ..Answer::default() })
    };
    let cases = by_file(config, folder, &all, |q| &q.file, watch, &ask, &silence)?;
    Ok(Everyday { cases })
}

/// Judges all statements of a folder, each by its file alone.
pub fn statements(config: &Config, folder: &Path, watch: &dyn Watch) -> Result<Everyday> {
    let all: Vec<Statement> = lines(&folder.join("statements.jsonl"))?;
    let ask = |corpus: &Corpus, statement: &Statement| {
        let asking =
            AskRequest { question: statement.statement.clone(), no_model: true, ..AskRequest::default() };
        corpus.library.verify(&asking, &mut |_| {}).map(|answer| said(statement, &answer))
    };
    let silence = |statement: &Statement, error: &Error| {
        said(statement, &Answer { answer: error.to_string(), ..Answer::default() })
    };
    let cases = by_file(config, folder, &all, |s| &s.file, watch, &ask, &silence)?;
    Ok(Everyday { cases })
}

fn asked(question: &Question, answer: &Answer) -> Case {
    Case {
        id: question.id.clone(),
        file: question.file.clone(),
        kind: question.kind.clone(),
        text: question.question.clone(),
        wanted: question.answers.clone(),
        has_answer: !question.answers.is_empty(),
        came: judged(question, answer),
        ..given(answer)
    }
}

fn said(statement: &Statement, answer: &Answer) -> Case {
    let verdict = answer.verdict.unwrap_or(Verdict::NotEnoughInfo);
    Case {
        id: statement.id.clone(),
        file: statement.file.clone(),
        kind: statement.kind.clone(),
        text: statement.statement.clone(),
        wanted: vec![Value::from(statement.verdict.name())],
        has_answer: statement.verdict != Verdict::NotEnoughInfo,
        came: match verdict {
            _ if was_stopped(answer) => Came::Stopped,
            same if same == statement.verdict => Came::Right,
            Verdict::NotEnoughInfo => Came::Silent,
            _ => Came::Wrong,
        },
        ..given(answer)
    }
}

/// What was answered, for whatever was asked.
fn given(answer: &Answer) -> Case {
    let is_answered = answer.outcome == Outcome::Answered;
    Case {
        id: String::new(),
        file: String::new(),
        kind: String::new(),
        text: String::new(),
        wanted: Vec::new(),
        has_answer: false,
        came: Came::Silent,
        given: answer.answer.clone(),
        program: answer.program.as_ref().map(|p| p.words.clone()).unwrap_or_default(),
        confidence: if is_answered { answer.confidence } else { 0.0 },
    }
}

/// Makes a library of each file and gives it what is asked of it.
fn by_file<T: Sync>(
    config: &Config,
    folder: &Path,
    all: &[T],
    file: impl Fn(&T) -> &str,
    watch: &dyn Watch,
    ask: &(dyn Fn(&Corpus, &T) -> Result<Case> + Sync),
    silence: &dyn Fn(&T, &Error) -> Case,
) -> Result<Vec<Case>> {
    let mut files: BTreeMap<&str, Vec<&T>> = BTreeMap::new();
    for one in all {
        files.entry(file(one)).or_default().push(one);
    }
    let mut cases = Vec::with_capacity(all.len());
    for (name, asked) in files {
        let path = folder.join("files").join(name);
        match Corpus::make(config, &[path], None, |_| false, watch) {
            Ok(corpus) => {
                let found: Vec<Result<Case>> = asked.par_iter().map(|one| ask(&corpus, one)).collect();
                for case in found {
                    cases.push(case?);
                }
            }
            // A file that cannot be read answers nothing; a disk or a machine that fails is no fault of the file.
            Err(error) if error.fault() != Fault::Input => return Err(error.at(name)),
            Err(error) => cases.extend(asked.into_iter().map(|one| silence(one, &error))),
        }
    }
    Ok(cases)
}

fn lines<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::from(e).at(path.display()))?;
    let filled = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let parse = |(i, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|e| Error::input(format!("line {}: {e}", i + 1)).at(path.display()))
    };
    filled.map(parse).collect()
}

fn judged(question: &Question, answer: &Answer) -> Came {
    let is_answered = answer.outcome == Outcome::Answered;
    if !is_answered && was_stopped(answer) {
        return Came::Stopped;
    }
    match (is_answered, question.answers.is_empty()) {
        (false, true) => Came::Right,
        (false, false) => Came::Silent,
        (true, true) => {
            let fair = question.or.iter().any(|wanted| is_same(wanted, answer));
            if fair { Came::Right } else { Came::Wrong }
        }
        (true, false) => {
            let mut wanted = std::iter::once(&question.answers).chain(&question.or);
            if wanted.any(|wanted| is_same(wanted, answer)) { Came::Right } else { Came::Wrong }
        }
    }
}

/// Whether a program was not run to its end.
fn was_stopped(answer: &Answer) -> bool {
    let last = answer.trace.iter().rev().find(|step| step.step == "run");
    last.is_some_and(|step| step.about.get("fault").is_some_and(|fault| fault == Fault::Limit.name()))
}

fn is_same(wanted: &[Value], answer: &Answer) -> bool {
    if wanted.iter().any(Value::is_array) {
        let rows: Vec<Vec<String>> =
            wanted.iter().map(|row| texts(row.as_array().map_or(&[], Vec::as_slice))).collect();
        let given = answer.program.as_ref().map_or(&[][..], |p| &p.result.rows);
        let holds = |row: &Vec<String>| given.iter().any(|g| same_row(row, g));
        return rows.len() == given.len() && rows.iter().all(holds);
    }
    same_all(&texts(wanted), &answer.values)
}

fn same_row(wanted: &[String], given: &[String]) -> bool {
    let same = |(a, b): (&String, &String)| same_all(std::slice::from_ref(a), std::slice::from_ref(b));
    wanted.len() == given.len() && wanted.iter().zip(given).all(same)
}

fn texts(values: &[Value]) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    values.iter().map(text).collect()
}
