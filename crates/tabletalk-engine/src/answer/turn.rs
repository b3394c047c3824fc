//! Questions that point back to earlier ones.

use super::trace::Trace;
use super::{Answering, Question};
use crate::prompt::Name;
use serde_json::json;
use tabletalk_core::Result;
use tabletalk_core::chat::{Usage, Wish};
use tabletalk_core::seam::Chat;
use tabletalk_store::Turn;

/// Turns that are shown to a model.
const SHOWN: usize = 4;
/// The most characters of an earlier answer that are shown.
const CHARS: usize = 300;

/// The question as it can be understood alone; a question that begins a conversation is that already.
pub(super) fn resolve(
    desk: &Answering<'_>,
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
        let wish = Wish { max_tokens: 120, ..Wish::default() };
        let reply = chat.chat(&desk.prompts.talk(Name::Resolve, &values)?, &wish, &mut |_| {})?;
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
