//! Answering: a question goes in, an answer with the cells it rests on comes out.
//!
//! The stages stand in a line, and each hands a value to the next:
//!
//! | stage | value | without a language model | with one |
//! |---|---|---|---|
//! | `recall` | `Evidence` | `for_parser` | `for_model` |
//! | `show` | `Prepared`, `Talk` | tables, prepared | a prompt, by the plan of the mode |
//! | `propose` | `Readings`, `Solved` | readings of the question | programs, in steps |
//! | `judge` | `Judged` | which reading is sure | which answer most samples agree on |
//! | `run` | `Given` | over all rows | while it proposes |
//! | `cite` | `Answer` | cells of the rows behind it | what supports it |
//!
//! `built_in` and `model` are the two lines, and the trace of an answer is the list of these values, as each tells of itself
//! (`trace::Noted`). Either way the numbers come from programs over all rows.

#[cfg(test)]
mod agree;
mod away;
mod built_in;
mod cite;
mod explain;
mod extract;
mod judge;
mod mode;
mod model;
mod near;
mod propose;
mod recall;
mod relations;
mod run;
mod settings;
mod show;
mod silent;
mod tool;
mod trace;
mod turn;
mod values;
mod write;

pub use judge::choose::key as question_key;
pub use mode::Mode;
pub use relations::{Tables, relation};
pub use settings::{BuiltIn, Explain, LookUp, Narrow, Settings};
pub use values::same_all;

use crate::prompt::Prompts;
use crate::recall::{Filter, Recall};
use serde_json::json;
use tabletalk_core::seam::{Chat, Locate};
use tabletalk_core::{Answer, Basis, Citation, Outcome, Result};
use tabletalk_sql::{Sandbox, Stop};
use tabletalk_store::Turn;
use trace::Trace;

/// What answering needs.
pub struct Answering<'a> {
    /// Where to look.
    pub recall: Recall<'a>,
    /// Where programs run.
    pub sandbox: &'a Sandbox,
    /// What is said to a model.
    pub prompts: &'a Prompts,
    /// The language model, where there is one.
    pub chat: Option<&'a dyn Chat>,
    /// What finds rows and columns that a question asks for in other words than the table has.
    pub locate: Option<&'a dyn Locate>,
    /// Where background articles on tables come from.
    pub reference: Option<&'a dyn Articles>,
    /// How questions are answered.
    pub settings: &'a Settings,
    /// Ends programs early when it is set from another thread.
    pub stop: Stop,
}

/// Where articles come from, for several threads at once.
pub trait Articles: Sync {
    /// Articles about something, the best first, each with where it stands.
    fn articles(&self, about: &str) -> Result<Vec<Citation>>;
}

/// What is asked, and of what.
#[derive(Clone, Default)]
pub struct Question<'a> {
    /// The question.
    pub text: &'a str,
    /// The mode, where it differs from the configured one.
    pub mode: Option<Mode>,
    /// The keys of the tables it is asked of; all when empty.
    pub tables: &'a [i64],
    /// Which documents may be used.
    pub filters: &'a [Filter],
    /// What was asked before in this conversation.
    pub turns: &'a [Turn],
    /// The number of the reading that is meant, of those that were offered for this question; 0 asks for the offers.
    pub choose: Option<usize>,
}

/// Answers a question. `on_text` is given what a model writes, as it writes it.
pub fn ask(
    context: &Answering<'_>,
    question: &Question<'_>,
    on_text: &mut dyn FnMut(&str),
) -> Result<Answer> {
    if let Some(answer) = explain::answer(question) {
        return Ok(answer);
    }
    // Readings are the parser's.
    let chat = context.chat.filter(|_| question.choose.is_none());
    let mut trace = Trace::default();
    let built_in = |trace: &mut Trace| built_in::answer(context, question, trace);
    let mut answer = match chat {
        Some(chat) => with_built_in(context, question, &mut trace, &built_in, &mut |trace| {
            model::answer(context, chat, question, trace, on_text)
        })?,
        None => built_in(&mut trace)?,
    };
    answer.trace = trace.steps;
    Ok(answer)
}

/// Says whether a statement is supported or refuted. `on_text` is given what a model writes, as it writes it.
pub fn verify(
    context: &Answering<'_>,
    statement: &Question<'_>,
    on_text: &mut dyn FnMut(&str),
) -> Result<Answer> {
    let mut trace = Trace::default();
    let built_in = |trace: &mut Trace| built_in::verify(context, statement, trace);
    let mut answer = match context.chat {
        Some(chat) => with_built_in(context, statement, &mut trace, &built_in, &mut |trace| {
            model::verify(context, chat, statement, trace, on_text)
        })?,
        None => built_in(&mut trace)?,
    };
    answer.trace = trace.steps;
    Ok(answer)
}

/// Asks a model, and the built-in parser before or after it.
fn with_built_in(
    context: &Answering<'_>,
    question: &Question<'_>,
    trace: &mut Trace,
    built_in: &dyn Fn(&mut Trace) -> Result<Answer>,
    model: &mut dyn FnMut(&mut Trace) -> Result<Answer>,
) -> Result<Answer> {
    let ask_it = |trace: &mut Trace| {
        trace.step("built-in", |about| {
            let answer = built_in(&mut Trace::default())?;
            about.insert("values".into(), json!(answer.values));
            Ok(Some(answer).filter(|a| a.outcome == Outcome::Answered))
        })
    };
    // It does not know what was said before.
    let is_first = context.settings.built_in == BuiltIn::First && question.turns.is_empty();
    // What it cuts out of passages is less than what a model makes of them.
    let computed = |answer: &Answer| answer.basis == Basis::Program;
    if is_first && let Some(answer) = ask_it(trace)?.filter(computed) {
        return Ok(answer);
    }
    let answer = model(trace)?;
    let is_last = context.settings.built_in == BuiltIn::Last && answer.outcome == Outcome::Unknown;
    // That there is not enough to decide a statement is a verdict too.
    if !is_last || !answer.values.is_empty() {
        return Ok(answer);
    }
    Ok(match ask_it(trace)? {
        Some(other) => Answer { usage: answer.usage, ..other },
        None => answer,
    })
}

#[cfg(test)]
mod tests {
    use crate::prompt::{Name, Prompts};

    #[test]
    fn prompts_read_as_they_are_meant_to() {
        let prompts = Prompts::new(None).unwrap();
        let turns = "Question: How many sites?\nAnswer: 4";
        for (name, values) in [
            (
                Name::Solve,
                vec![
                    ("tables", "| city |\n| Oslo |"),
                    ("passages", "[a.md:1] Oslo grows."),
                    ("terms", ""),
                    ("background", ""),
                ],
            ),
            (Name::Expand, vec![("table", "cities")]),
            (
                Name::Verify,
                vec![
                    ("tables", "| city |\n| Oslo |"),
                    ("passages", ""),
                    ("terms", "city: a place"),
                    ("background", "It lists cities."),
                ],
            ),
            (Name::Resolve, vec![("turns", turns)]),
        ] {
            let values = [values, vec![("question", "and ```Bergen```?")]].concat();
            insta::assert_snapshot!(name.file(), prompts.render(name, &values).unwrap());
        }
    }
}
