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
    let tools = model::tools(desk, &evidence);
    let (talk, articles) =
        model::talk(desk, chat, statement, &evidence, &tools, Name::Verify, trace, &mut usage)?;
    let (solved, votes) = model::sample(desk, chat, talk, &tools, trace, on_text)?;
    usage += solved.usage;
    let said = solved.values.join(" ");
    if said.is_empty() {
        let why = undecided("the model came to no verdict", usage);
        return Ok(Answer { values: Vec::new(), ..why });
    }
    let verdict = match read(&said) {
        None => return Ok(undecided(&format!("the model gave no clear verdict: “{said}”"), usage)),
        Some(Verdict::NotEnoughInfo) => {
            return Ok(undecided("what was found does not decide it", usage));
        }
        Some(verdict) => verdict,
    };
    let answer = judged(desk, &evidence, &solved, verdict, votes, statement.text, usage)?;
    Ok(model::with_articles(answer, articles))
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
    let ran = solved.program.as_ref().filter(|(_, ran)| ran.columns.iter().any(|c| !c.is_constant));
    let program = ran.map(|(sql, ran)| support::program(sql, ran));
    let citations = match ran {
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

/// The words of each verdict. What is said otherwise is none: a word inside others may be denied, doubted or quoted.
const FORMS: [(Verdict, &[&str]); 3] = [
    (
        Verdict::Supported,
        &["supported", "support", "supports", "true", "yes", "correct", "entailed", "支持", "正确", "属实"],
    ),
    (
        Verdict::Refuted,
        &[
            "refuted",
            "refute",
            "refutes",
            "false",
            "no",
            "incorrect",
            "not supported",
            "unsupported",
            "not true",
            "untrue",
            "not correct",
            "wrong",
            "contradicted",
            "反驳",
            "错误",
            "不正确",
            "不支持",
        ],
    ),
    (
        Verdict::NotEnoughInfo,
        &[
            "not enough information",
            "not enough info",
            "insufficient information",
            "unknown",
            "undecided",
            "信息不足",
        ],
    ),
];
/// What may stand before a verdict.
const BEFORE: [&str; 6] =
    ["verdict:", "the statement is ", "this statement is ", "statement is ", "this is ", "it is "];
/// What a verdict may be followed by: a reason.
const AFTER: [&str; 4] = [" by ", " because ", " since ", " as "];

/// The verdict that a model gave in one of its forms.
fn read(said: &str) -> Option<Verdict> {
    let said = said.to_lowercase().replace('_', " ");
    let mut rest = said.trim().trim_start_matches(['*', '`', '"', '“']);
    for before in BEFORE {
        rest = rest.strip_prefix(before).unwrap_or(rest).trim_start();
    }
    let reason = |c: char| ".,;:(!\n，。；：（".contains(c);
    let mut head = rest.split(reason).next().unwrap_or_default();
    for after in AFTER {
        head = head.split(after).next().unwrap_or_default();
    }
    let head = head.trim().trim_end_matches(['*', '`', '"', '”']);
    FORMS.iter().find(|(_, forms)| forms.contains(&head)).map(|(verdict, _)| *verdict)
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
    fn reads_verdicts_in_their_forms_alone() {
        for said in
            ["supported", "**Supported**.", "The statement is true", "supported by row 3", "yes, it is"]
        {
            assert_eq!(read(said), Some(Verdict::Supported), "{said}");
        }
        for said in
            ["the statement is not supported", "incorrect", "unsupported", "this is not true", "Not correct."]
        {
            assert_eq!(read(said), Some(Verdict::Refuted), "{said}");
        }
        for said in ["not enough information", "not_enough_info"] {
            assert_eq!(read(said), Some(Verdict::NotEnoughInfo), "{said}");
        }
    }

    #[test]
    fn a_verdict_inside_other_words_is_none() {
        for said in ["hm", "neither supported nor refuted", "partly true", "hardly supported", "is it true?"]
        {
            assert_eq!(read(said), None, "{said}");
        }
    }
}
