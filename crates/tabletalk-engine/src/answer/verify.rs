//! Whether a statement holds: supported, refuted, or not enough information.

use super::solve::Solved;
use super::trace::Trace;
use super::{Answering, Question, built_in, model, support, turn, with_built_in};
use crate::prompt::Name;
use tabletalk_core::chat::Usage;
use tabletalk_core::seam::Chat;
use tabletalk_core::{Answer, Basis, Outcome, Result, Verdict};

/// How sure a verdict of a model is that looked at a program's result.
const COMPUTED: f32 = 0.8;
/// How sure one is that did not.
const READ: f32 = 0.6;

/// Judges a statement. `on_text` is given what a model writes, as it writes it.
pub fn verify(
    desk: &Answering<'_>,
    statement: &Question<'_>,
    on_text: &mut dyn FnMut(&str),
) -> Result<Answer> {
    let mut trace = Trace::default();
    let judge = |trace: &mut Trace| built_in::judge(desk, statement, trace);
    let mut answer = match desk.chat {
        Some(chat) => with_built_in(desk, statement, &mut trace, &judge, &mut |trace| {
            by_model(desk, chat, statement, trace, on_text)
        })?,
        None => judge(&mut trace)?,
    };
    answer.trace = trace.steps;
    Ok(answer)
}

fn by_model(
    desk: &Answering<'_>,
    chat: &dyn Chat,
    statement: &Question<'_>,
    trace: &mut Trace,
    on_text: &mut dyn FnMut(&str),
) -> Result<Answer> {
    let mut usage = Usage::default();
    let alone = turn::resolve(desk, chat, statement, trace, &mut usage)?;
    let statement = &Question { text: &alone, turns: &[], ..statement.clone() };
    let evidence = model::find(desk, statement, trace)?;
    if evidence.tables.is_empty() && evidence.passages.is_empty() {
        return Ok(undecided("nothing was found that the statement could be about", usage));
    }
    let tools = model::tools(desk, statement, &evidence);
    let talk = model::talk(desk, chat, statement, &evidence, &tools, Name::Verify, trace, &mut usage)?;
    let (solved, votes) = model::sample(desk, chat, talk, &tools, trace, on_text)?;
    usage += solved.usage;
    let said = solved.values.join(" ").to_lowercase();
    if said.is_empty() {
        let why = undecided("the model came to no verdict", usage);
        return Ok(Answer { values: Vec::new(), ..why });
    }
    let verdict = read(&said);
    if verdict == Verdict::NotEnoughInfo {
        return Ok(undecided("what was found does not decide it", usage));
    }
    judged(desk, &evidence, &solved, verdict, votes, statement.text, usage)
}

fn judged(
    desk: &Answering<'_>,
    evidence: &model::Evidence,
    solved: &Solved,
    verdict: Verdict,
    votes: f32,
    statement: &str,
    usage: Usage,
) -> Result<Answer> {
    let program = solved.program.as_ref().map(|(sql, ran)| support::program(sql, ran));
    let citations = match &solved.program {
        Some((_, ran)) => super::cite::cite(desk.recall.library, ran)?,
        None => support::all(desk, evidence, statement)?,
    };
    let sure = if program.is_some() { COMPUTED } else { READ };
    Ok(Answer {
        outcome: Outcome::Answered,
        answer: verdict.name().to_owned(),
        values: vec![verdict.name().to_owned()],
        verdict: Some(verdict),
        confidence: sure * votes,
        basis: if program.is_some() { Basis::Program } else { Basis::Reading },
        citations,
        program,
        usage,
        ..Answer::default()
    })
}

/// Words that deny; they are looked for first, for `unsupported` has `supported` in it.
const DENIALS: &[&str] = &[
    "refut",
    "false",
    "incorrect",
    "not supported",
    "unsupported",
    "not true",
    "untrue",
    "not correct",
    "wrong",
    "contradict",
    "错误",
    "不正确",
    "不支持",
];

/// What a model said, whatever words it chose.
fn read(said: &str) -> Verdict {
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if has(&["not enough", "unknown", "undecided", "cannot", "信息不足"]) {
        Verdict::NotEnoughInfo
    } else if has(DENIALS) || said == "no" {
        Verdict::Refuted
    } else if has(&["support", "true", "correct", "正确"]) || said == "yes" {
        Verdict::Supported
    } else {
        Verdict::NotEnoughInfo
    }
}

/// Neither supported nor refuted.
pub(super) fn undecided(why: &str, usage: Usage) -> Answer {
    Answer {
        verdict: Some(Verdict::NotEnoughInfo),
        answer: why.to_owned(),
        values: vec![Verdict::NotEnoughInfo.name().to_owned()],
        usage,
        ..Answer::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_verdicts_in_many_words() {
        assert_eq!(read("supported"), Verdict::Supported);
        assert_eq!(read("the statement is not supported"), Verdict::Refuted);
        assert_eq!(read("incorrect"), Verdict::Refuted);
        for denied in ["unsupported", "this is not true", "not correct"] {
            assert_eq!(read(denied), Verdict::Refuted, "{denied}");
        }
        assert_eq!(read("not enough information"), Verdict::NotEnoughInfo);
        assert_eq!(read("hm"), Verdict::NotEnoughInfo);
    }
}
