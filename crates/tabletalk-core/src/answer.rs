//! What comes of a question.

use crate::Place;
use crate::chat::Usage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How a question ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// There is an answer.
    Answered,
    /// The question can be read in several ways that fit equally well.
    Clarify,
    /// Nothing that was found supports an answer.
    #[default]
    Unknown,
}

/// What is said of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// What was found says the same.
    Supported,
    /// What was found says otherwise.
    Refuted,
    /// What was found does not decide it.
    NotEnoughInfo,
}

impl Verdict {
    /// The name in words.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Supported => "supported",
            Verdict::Refuted => "refuted",
            Verdict::NotEnoughInfo => "not enough information",
        }
    }
}

/// Where an answer was taken from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Computed by a program over the rows of tables.
    Program,
    /// Read off cells or passages.
    Reading,
    /// No answer: the best passages and rows, as they stand.
    #[default]
    Passages,
}

/// A thing that an answer rests on, with the place it stands at.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    /// The name of the document.
    pub document: String,
    /// The id of the table or node.
    pub id: String,
    /// Where it stands.
    pub place: Place,
    /// What stands there, or the beginning of it.
    pub text: String,
}

/// A sentence of an answer, and what it rests on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sentence {
    /// The sentence.
    pub text: String,
    /// The places of its citations among those of the answer, from 0.
    pub citations: Vec<usize>,
}

/// Rows of text under column names: what a program gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Whether there were more rows.
    #[serde(default)]
    pub truncated: bool,
    /// What its columns add up to, a cell for each, where a person would want to know; else nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub total: Vec<String>,
}

/// A program that was run, and what it gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The statement.
    pub sql: String,
    /// What it says, in words, where that is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
    /// What it gave.
    pub result: Grid,
    /// Rows that were looked at.
    pub rows_read: u64,
    /// Rows that there are in the tables it names.
    pub rows_total: u64,
    /// Rows that entered the result.
    pub rows_used: u64,
    /// Rows of the result, of which `result` holds the first.
    #[serde(default)]
    pub rows_given: u64,
    /// Whether the result was cut at a limit: there are more rows, and what is shown is a part of the answer.
    #[serde(default)]
    pub cut: bool,
}

/// One way to read a question, and what it would give.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// What is understood, in words.
    pub words: String,
    /// The table it is about.
    pub table: String,
    /// What it would give; nothing where it is too unsure to be computed before it is chosen.
    #[serde(default)]
    pub answer: String,
    /// The program.
    pub sql: String,
}

/// A table that a question may have been about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NearTable {
    /// Its name.
    pub table: String,
    /// Its id.
    pub id: String,
    /// The document it stands in.
    pub document: String,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// How many rows it has.
    pub rows: u64,
}

/// One step on the way to an answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The stage.
    pub step: String,
    /// How long it took, in milliseconds.
    pub ms: f64,
    /// What it did.
    #[serde(flatten)]
    pub about: Map<String, Value>,
}

/// What comes of a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// How it ended.
    pub outcome: Outcome,
    /// The answer in words; what to ask back; or why there is none.
    pub answer: String,
    /// The answer as values.
    pub values: Vec<String>,
    /// The answer as sentences, where it is one in sentences: each with what it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sentences: Vec<Sentence>,
    /// What is said of a statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// How likely it is right, from 0 to 1.
    pub confidence: f32,
    /// Where it was taken from.
    pub basis: Basis,
    /// What it rests on.
    pub citations: Vec<Citation>,
    /// The program that computed it.
    pub program: Option<Program>,
    /// The ways to read the question, when there are several or none is sure: one can be chosen by its number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Reading>,
    /// Where there is no answer: the tables that the question may have been about, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<NearTable>,
    /// Whether an earlier choice between readings decided how this question was read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub remembered: bool,
    /// What the user should know besides, such as that the language model did not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The conversation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// What was done, step by step.
    pub trace: Vec<Step>,
    /// What models cost.
    pub usage: Usage,
}
