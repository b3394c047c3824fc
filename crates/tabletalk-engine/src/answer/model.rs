//! Answering with a language model.

use super::evidence::{self, Found};
use super::relations::Tables;
use super::solve::{Asked, Solved, go_on, solve};
use super::tool::Tools;
use super::trace::Trace;
use super::{Answering, Question, built_in, show, silent, support, turn, values};
use crate::prompt::Name;
use serde_json::json;
use tabletalk_core::chat::{Message, Usage};
use tabletalk_core::seam::Chat;
use tabletalk_core::{Answer, Citation, Hit, Outcome, Result};

/// What was found for a question.
pub(super) struct Evidence {
    pub(super) tables: Vec<Found>,
    pub(super) passages: Vec<Hit>,
}

/// Answers in steps by the plan of the mode, as often as samples are wanted.
pub(super) fn answer(
    desk: &Answering<'_>,
    chat: &dyn Chat,
    question: &Question<'_>,
    trace: &mut Trace,
    on_text: &mut dyn FnMut(&str),
) -> Result<Answer> {
    let mut usage = Usage::default();
    let alone = turn::resolve(desk, chat, question, trace, &mut usage)?;
    let question = &Question { text: &alone, turns: &[], ..question.clone() };
    let evidence = find(desk, question, trace)?;
    if evidence.tables.is_empty() && evidence.passages.is_empty() {
        return Ok(Answer {
            answer: "nothing was found that the question could be about".into(),
            usage,
            ..Answer::default()
        });
    }
    let tools = tools(desk, &evidence);
    let (talk, articles) = talk(desk, chat, question, &evidence, &tools, Name::Solve, trace, &mut usage)?;
    let (solved, votes) = sample(desk, chat, talk, &tools, trace, on_text)?;
    usage += solved.usage;
    let answer = support::answer(desk, question.text, &evidence, &solved, votes)?;
    let checked = if solved.values.is_empty() { None } else { check(desk, question, &solved.values, trace) };
    let cited = |answer| with_articles(answer, articles);
    match (answer.outcome, checked) {
        (Outcome::Answered, Some((other, agrees))) => {
            let confidence = agreed(answer.confidence, &other, agrees);
            Ok(Answer { usage, confidence, ..cited(answer) })
        }
        // The parser's program computed what the model read off.
        (Outcome::Unknown, Some((other, true))) => Ok(Answer { usage, ..other }),
        (Outcome::Unknown, _) if !solved.values.is_empty() => {
            let more = go_on(chat, &solved, &tools, &asked(desk, 0), on_text)?;
            trace.steps.extend(more.steps.clone());
            usage += more.usage;
            let nearest = silent::near_tables(&evidence.tables, question);
            let answer = support::answer(desk, question.text, &evidence, &more, votes)?;
            let nearest = if answer.outcome == Outcome::Unknown { nearest } else { Vec::new() };
            Ok(Answer { usage, nearest, ..cited(answer) })
        }
        _ => Ok(Answer { usage, nearest: silent::near_tables(&evidence.tables, question), ..cited(answer) }),
    }
}

/// The tables and passages that the mode wants.
pub(super) fn find(desk: &Answering<'_>, question: &Question<'_>, trace: &mut Trace) -> Result<Evidence> {
    let plan = question.mode.unwrap_or(desk.settings.mode).plan();
    trace.step("recall", |about| {
        let tables = if plan.tables.is_some() { evidence::tables(desk, question)? } else { Vec::new() };
        let passages = if plan.text { evidence::passages(desk, question)? } else { Vec::new() };
        about.insert("mode".into(), json!(plan.name));
        about.insert("by".into(), json!(evidence::by(desk)));
        about.insert(
            "tables".into(),
            tables.iter().map(|t| json!({"table": t.stored.name, "share": t.share})).collect(),
        );
        about.insert("passages".into(), passages.iter().map(|p| json!(p.node.place.to_string())).collect());
        Ok(Evidence { tables, passages })
    })
}

/// The tools over what was found.
pub(super) fn tools<'a>(desk: &'a Answering<'a>, evidence: &Evidence) -> Tools<'a> {
    let names: Vec<String> = evidence.tables.iter().map(|t| t.stored.name.clone()).collect();
    Tools {
        recall: &desk.recall,
        sandbox: desk.sandbox,
        relations: Tables::only(desk.recall.library, names.clone()),
        names,
        look_up: desk.settings.look_up.clone(),
        top_k: desk.settings.top_k,
        stop: desk.stop.clone(),
    }
}

/// The beginning of the talk: what is known, and what is asked; and the articles that explanations were made with.
#[allow(clippy::too_many_arguments, reason = "the stages of one prompt")]
pub(super) fn talk(
    desk: &Answering<'_>,
    chat: &dyn Chat,
    question: &Question<'_>,
    evidence: &Evidence,
    tools: &Tools<'_>,
    prompt: Name,
    trace: &mut Trace,
    usage: &mut Usage,
) -> Result<(Vec<Message>, Vec<Citation>)> {
    let shown = show::show(desk, chat, question, evidence, tools, trace, usage)?;
    let values = [
        ("tables", shown.tables.as_str()),
        ("passages", &shown.passages),
        ("terms", &shown.terms),
        ("background", &shown.background),
        ("question", question.text),
    ];
    Ok((desk.prompts.talk(prompt, &values)?, shown.articles))
}

/// An answer with the articles that helped to read its tables, which it rests on too.
pub(super) fn with_articles(mut answer: Answer, articles: Vec<Citation>) -> Answer {
    if answer.outcome == Outcome::Answered {
        answer.citations.extend(articles);
    }
    answer
}

/// Asks as often as samples are wanted. The answer that most agree on, and the share of those that do.
pub(super) fn sample(
    desk: &Answering<'_>,
    chat: &dyn Chat,
    talk: Vec<Message>,
    tools: &Tools<'_>,
    trace: &mut Trace,
    on_text: &mut dyn FnMut(&str),
) -> Result<(Solved, f32)> {
    let samples = desk.settings.samples.max(1);
    let mut all: Vec<Solved> = Vec::new();
    for i in 0..samples {
        let mut solved = solve(chat, talk.clone(), tools, &asked(desk, i), on_text)?;
        trace.steps.append(&mut solved.steps);
        all.push(solved);
    }
    let usage = all.iter().fold(Usage::default(), |mut sum, one| {
        sum += one.usage;
        sum
    });
    let votes =
        |one: &Solved| all.iter().filter(|other| values::same_all(&one.values, &other.values)).count();
    let counts: Vec<usize> = all.iter().map(votes).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    // Of equals the first: it has the same chance as the others, and is the same every time.
    let best = counts.iter().position(|count| *count == most).unwrap_or(0);
    if samples > 1 {
        trace.note("vote", json!({"samples": samples, "votes": most}));
    }
    let solved = if best < all.len() { all.swap_remove(best) } else { Solved::default() };
    Ok((Solved { usage, ..solved }, most as f32 / samples as f32))
}

/// How a model is asked for one of the samples.
fn asked(desk: &Answering<'_>, sample: usize) -> Asked {
    let settings = desk.settings;
    let several = settings.samples > 1;
    Asked {
        steps: settings.steps.max(1),
        reply_tokens: settings.reply_tokens,
        temperature: if several { settings.temperature } else { 0.0 },
        seed: several.then_some(sample as u64 + 1),
    }
}

/// What the built-in parser, which works in another way, comes to, and whether that is the same; `None` when it fails.
fn check(
    desk: &Answering<'_>,
    question: &Question<'_>,
    said: &[String],
    trace: &mut Trace,
) -> Option<(Answer, bool)> {
    let checked = trace.step("check", |about| {
        let other = built_in::answer(desk, question, &mut Trace::default())?;
        let agrees = other.outcome == Outcome::Answered && values::same_all(&other.values, said);
        about.insert("built_in".into(), json!(other.values));
        about.insert("agrees".into(), json!(agrees));
        Ok((other, agrees))
    });
    checked.ok()
}

/// More sure when both come to the same.
fn agreed(sure: f32, other: &Answer, agrees: bool) -> f32 {
    match agrees {
        true => 1.0 - (1.0 - sure) * (1.0 - other.confidence),
        false if other.outcome == Outcome::Answered => sure * (1.0 - 0.5 * other.confidence),
        false => sure,
    }
}
