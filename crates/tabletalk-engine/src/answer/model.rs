//! The line of stages with a language model, which proposes programs, runs them and looks at what they give until it answers.

use super::cite::support;
use super::judge::{verdict, vote};
use super::near::near_tables;
use super::propose::solve::{self, Solved};
use super::recall::Evidence;
use super::tool::Tools;
use super::trace::Trace;
use super::{Answering, Question, built_in, recall, show, turn, values};
use crate::prompt::Name;
use serde_json::json;
use tabletalk_core::chat::Usage;
use tabletalk_core::seam::Chat;
use tabletalk_core::{Answer, Citation, Outcome, Result, Verdict};

/// Answers in steps by the plan of the mode, as often as samples are wanted.
pub(super) fn answer(
    context: &Answering<'_>,
    chat: &dyn Chat,
    question: &Question<'_>,
    trace: &mut Trace,
    on_text: &mut dyn FnMut(&str),
) -> Result<Answer> {
    let mut usage = Usage::default();
    let alone = turn::resolve(context, chat, question, trace, &mut usage)?;
    let question = &Question { text: &alone, turns: &[], ..question.clone() };
    let evidence = trace.stage("recall", || recall::for_model(context, question))?;
    if evidence.is_empty() {
        let answer = "nothing was found that the question could be about".into();
        return Ok(Answer { answer, usage, ..Answer::default() });
    }
    let tools = Tools::new(context, &evidence);
    let reached = reach(context, chat, question, &evidence, &tools, Name::Solve, trace, on_text)?;
    usage += reached.usage;
    let Reached { solved, votes, articles, .. } = reached;
    let answer = support::answer(context, question.text, &evidence, &solved, votes)?;
    let checked =
        if solved.values.is_empty() { None } else { check(context, question, &solved.values, trace) };
    let cited = |answer| with_articles(answer, articles);
    match (answer.outcome, checked) {
        (Outcome::Answered, Some((other, agrees))) => {
            let confidence = vote::agreed(answer.confidence, &other, agrees);
            Ok(Answer { usage, confidence, ..cited(answer) })
        }
        // The parser's program computed what the model read off.
        (Outcome::Unknown, Some((other, true))) => Ok(Answer { usage, ..other }),
        (Outcome::Unknown, _) if !solved.values.is_empty() => {
            let more = solve::go_on(context.settings, chat, &solved, &tools, trace, on_text)?;
            usage += more.usage;
            let answer = support::answer(context, question.text, &evidence, &more, votes)?;
            let is_open = answer.outcome == Outcome::Unknown;
            let nearest = if is_open { near_tables(&evidence.tables, question) } else { Vec::new() };
            Ok(Answer { usage, nearest, ..cited(answer) })
        }
        _ => Ok(Answer { usage, nearest: near_tables(&evidence.tables, question), ..cited(answer) }),
    }
}

/// Judges a statement.
pub(super) fn verify(
    context: &Answering<'_>,
    chat: &dyn Chat,
    statement: &Question<'_>,
    trace: &mut Trace,
    on_text: &mut dyn FnMut(&str),
) -> Result<Answer> {
    let mut usage = Usage::default();
    let alone = turn::resolve(context, chat, statement, trace, &mut usage)?;
    let statement = &Question { text: &alone, turns: &[], ..statement.clone() };
    let evidence = trace.stage("recall", || recall::for_model(context, statement))?;
    if evidence.is_empty() {
        return Ok(verdict::undecided("nothing was found that the statement could be about", usage));
    }
    let tools = Tools::new(context, &evidence);
    let reached = reach(context, chat, statement, &evidence, &tools, Name::Verify, trace, on_text)?;
    usage += reached.usage;
    let Reached { solved, votes, articles, .. } = reached;
    let said = solved.values.join(" ");
    if said.is_empty() {
        let why = verdict::undecided("the model came to no verdict", usage);
        return Ok(Answer { values: Vec::new(), ..why });
    }
    match verdict::read(&said) {
        None => Ok(verdict::undecided(&format!("the model gave no clear verdict: “{said}”"), usage)),
        Some(Verdict::NotEnoughInfo) => Ok(verdict::undecided("what was found does not decide it", usage)),
        Some(verdict) => {
            let answer = support::verdict(context, statement.text, &evidence, &solved, verdict, votes)?;
            Ok(Answer { usage, ..with_articles(answer, articles) })
        }
    }
}

/// What a model came to, before it is looked at what supports it.
struct Reached {
    solved: Solved,
    /// The share of the samples that agree.
    votes: f32,
    /// The articles that helped to read the tables.
    articles: Vec<Citation>,
    usage: Usage,
}

/// Shows what was found, lets the model propose and run programs, and takes what most samples came to.
#[allow(clippy::too_many_arguments, reason = "the stages of one talk")]
fn reach(
    context: &Answering<'_>,
    chat: &dyn Chat,
    question: &Question<'_>,
    evidence: &Evidence,
    tools: &Tools<'_>,
    prompt: Name,
    trace: &mut Trace,
    on_text: &mut dyn FnMut(&str),
) -> Result<Reached> {
    let talk = show::to_model(context, chat, question, evidence, tools, prompt, trace)?;
    let all = solve::samples(context.settings, chat, &talk.messages, tools, trace, on_text)?;
    let (solved, votes) = vote::vote(all, trace);
    let mut usage = talk.usage;
    usage += solved.usage;
    Ok(Reached { solved, votes, articles: talk.articles, usage })
}

/// An answer with the articles that helped to read its tables, which it rests on too.
fn with_articles(mut answer: Answer, articles: Vec<Citation>) -> Answer {
    if answer.outcome == Outcome::Answered {
        answer.citations.extend(articles);
    }
    answer
}

/// What the built-in parser, which works in another way, comes to, and whether that is the same; `None` when it fails.
fn check(
    context: &Answering<'_>,
    question: &Question<'_>,
    said: &[String],
    trace: &mut Trace,
) -> Option<(Answer, bool)> {
    let checked = trace.step("check", |about| {
        let other = built_in::answer(context, question, &mut Trace::default())?;
        let agrees = other.outcome == Outcome::Answered && values::same_all(&other.values, said);
        about.insert("built_in".into(), json!(other.values));
        about.insert("agrees".into(), json!(agrees));
        Ok((other, agrees))
    });
    checked.ok()
}
