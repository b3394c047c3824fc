//! Questions that point back to earlier ones.

use super::trace::Trace;
use super::{Answering, Question};
use crate::prompt::Name;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tabletalk_core::chat::{ChatOptions, Usage};
use tabletalk_core::seam::Chat;
use tabletalk_core::{Outcome, Result, Step};
use tabletalk_question as question;
use tabletalk_store::Turn;

/// The step of the trace in which it stands how a question was read.
pub(super) const READ: &str = "read";

/// Turns that are shown to a model.
const SHOWN: usize = 4;
/// The most characters of an earlier answer that are shown.
const CHARS: usize = 300;

/// How a question was read, as the next one goes on from it. It is kept in the trace of its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Read {
    pub(crate) table: String,
    /// What it was read over: the table, or a view that joins it with others.
    #[serde(default)]
    pub(crate) over: Option<String>,
    pub(crate) program: question::Program,
    /// The rows of the source that its answer stands in.
    pub(crate) rows: Vec<u64>,
}

impl Read {
    /// Notes it in a step of the trace, in the place of what was noted before.
    pub(super) fn note(&self, about: &mut Map<String, Value>) -> Result<()> {
        if let Value::Object(fields) = serde_json::to_value(self)? {
            about.extend(fields);
        }
        Ok(())
    }

    fn of(step: &Step) -> Option<Read> {
        serde_json::from_value(Value::Object(step.about.clone())).ok()
    }
}

/// The question before, as the parser read it.
#[derive(Debug)]
pub(crate) struct Before {
    pub(crate) table: String,
    /// What it was read over.
    pub(crate) over: String,
    pub(crate) turn: question::Turn,
}

impl Before {
    pub(super) fn of(turn: &Turn) -> Option<Before> {
        let step = turn.answer.trace.iter().find(|step| step.step == READ)?;
        let Read { table, over, program, rows } = Read::of(step)?;
        let answered = turn.answer.outcome == Outcome::Answered;
        let turn = question::Turn { question: turn.question.clone(), program, rows, answered };
        Some(Before { over: over.unwrap_or_else(|| table.clone()), table, turn })
    }
}

/// The question as it can be understood alone; a question that begins a conversation is that already.
pub(super) fn resolve(
    context: &Answering<'_>,
    chat: &dyn Chat,
    question: &Question<'_>,
    trace: &mut Trace,
    usage: &mut Usage,
) -> Result<String> {
    if question.turns.is_empty() {
        return Ok(question.text.to_owned());
    }
    trace.step("resolve", |about| {
        let values = [("turns", told(question.turns)), ("question", question.text.to_owned())];
        let values = values.each_ref().map(|(name, text)| (*name, text.as_str()));
        let options = ChatOptions { max_tokens: 120, ..ChatOptions::default() };
        let reply = chat.chat(&context.prompts.talk(Name::Resolve, &values)?, &options, &mut |_| {})?;
        *usage += reply.usage;
        let line = reply.said().lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let alone = if line.is_empty() { question.text } else { line };
        about.insert("question".into(), json!(alone));
        Ok(alone.to_owned())
    })
}

fn told(turns: &[Turn]) -> String {
    let lines = turns.iter().rev().take(SHOWN).rev().map(|turn| {
        let answer: String = turn.answer.answer.chars().take(CHARS).collect();
        format!("Question: {}\nAnswer: {answer}\n", turn.question)
    });
    lines.collect()
}
