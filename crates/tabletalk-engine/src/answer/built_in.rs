//! Answering without a language model: the built-in question parser over the tables that were found.

use super::cite::cite;
use super::evidence::{self, Found};
use super::propose::{Before, Candidate, note, read};
use super::relations::Tables;
use super::result::{Given, given};
use super::trace::Trace;
use super::{Answering, Question, choose, extract, grid, result, silent, support, verify};
use serde_json::{Map, Value, json};
use tabletalk_core::chat::Usage;
use tabletalk_core::{Answer, Basis, Fault, Outcome, Program, Result, Verdict};
use tabletalk_question::{self as question, Subject};
use tabletalk_sql::{Cell, Ran};
use tabletalk_store::Turn;

/// How much likelier a follow-up is about the table of the question before than about all others.
const SAME_TABLE: f32 = 0.8;

/// Answers when it is sure, asks back when two readings fit equally, else shows what may help to ask again.
pub(super) fn answer(desk: &Answering<'_>, asked: &Question<'_>, trace: &mut Trace) -> Result<Answer> {
    let (tables, before) = tables(desk, asked, trace)?;
    let mut read = read(desk, asked, &tables, before.as_ref(), trace)?;
    if asked.choose == Some(0) {
        return Ok(choose::others(desk, asked, &tables, &read.candidates));
    }
    if let Some(number) = asked.choose {
        return choose::chosen(desk, asked, &tables, &read.candidates, number, trace);
    }
    let remembered = choose::remember(desk, asked.text, &mut read.candidates)?;
    if let Some(answer) = choose::clarify(desk, &read.candidates) {
        return Ok(answer);
    }
    let best = read.candidates.first().filter(|best| best.probability >= desk.settings.sure);
    let limit = match best.map(|best| answered(desk, best, trace)) {
        Some(Ok(Some(answer))) => return Ok(Answer { remembered, ..answer }),
        Some(Err(error)) if error.fault() == Fault::Limit => Some(error),
        Some(Err(error)) => return Err(error),
        Some(Ok(None)) | None => None,
    };
    if limit.is_none()
        && let Some(answer) = extract::answer(desk, asked, &read, trace)?
    {
        return Ok(answer);
    }
    let nearest = silent::answer(desk, asked, &tables, &read, trace)?;
    Ok(match limit {
        // A limit that was reached says nothing of what the tables hold.
        Some(error) => Answer { answer: format!("no answer could be computed: {error}"), ..nearest },
        None => nearest,
    })
}

/// What a program of ours gave. One that cannot run is no answer, and no reason to fail either; one that could
/// not run to its end here and now might have given one.
fn ended(ran: Result<Ran>) -> Result<Option<Ran>> {
    match ran {
        Ok(ran) => Ok(Some(ran)),
        Err(error) if matches!(error.fault(), Fault::Limit | Fault::Io) => Err(error),
        Err(_) => Ok(None),
    }
}

/// The tables that the question may be about, and the turn before as the parser knows it.
fn tables(
    desk: &Answering<'_>,
    asked: &Question<'_>,
    trace: &mut Trace,
) -> Result<(Vec<Found>, Option<Before>)> {
    // A question that a reading is chosen for was asked just before, and does not follow itself.
    let is_same = |turn: &&Turn| asked.choose.is_some() && turn.question == asked.text;
    let before = asked.turns.iter().rev().skip_while(is_same).find_map(Before::of);
    let tables = trace.step("recall", |about| {
        let mut tables = evidence::tables(desk, asked)?;
        if let Some(before) = before.as_ref().filter(|_| asked.tables.is_empty()) {
            prefer(desk, &mut tables, &before.table)?;
        }
        about.insert("by".into(), json!(evidence::by(desk)));
        about.insert(
            "tables".into(),
            tables.iter().map(|t| json!({"table": t.stored.name, "share": t.share})).collect(),
        );
        Ok(tables)
    })?;
    Ok((tables, before))
}

/// Puts the table of the question before first.
fn prefer(desk: &Answering<'_>, tables: &mut Vec<Found>, name: &str) -> Result<()> {
    tables.retain(|t| t.stored.name != name);
    let rest: f32 = tables.iter().map(|t| t.share).sum();
    tables.iter_mut().for_each(|t| t.share *= (1.0 - SAME_TABLE) / rest.max(f32::MIN_POSITIVE));
    if let Some(stored) = desk.recall.library.catalog()?.table_named(name)? {
        tables.insert(0, Found { stored, share: SAME_TABLE });
    }
    Ok(())
}

/// The best reading, run over all rows; `None` when it gives nothing after all.
pub(super) fn answered(
    desk: &Answering<'_>,
    best: &Candidate<'_>,
    trace: &mut Trace,
) -> Result<Option<Answer>> {
    let ran = trace.step("run", |about| run(desk, best, about));
    let Some(ran) = ended(ran)? else { return Ok(None) };
    let Given { values, text } = given(best, &ran);
    if values.is_empty() || is_void(best, &values) {
        return Ok(None);
    }
    if let Some(step) = trace.steps.iter_mut().find(|step| step.step == "read") {
        note(&mut step.about, best);
    }
    let citations = trace.step("cite", |_| cite(desk.recall.library, &ran))?;
    Ok(Some(Answer {
        outcome: Outcome::Answered,
        answer: text,
        values,
        confidence: best.probability.clamp(0.0, 0.99),
        basis: Basis::Program,
        citations,
        program: Some(result::program(best, &ran)),
        ..Answer::default()
    }))
}

pub(super) fn run(
    desk: &Answering<'_>,
    candidate: &Candidate<'_>,
    about: &mut Map<String, Value>,
) -> Result<Ran> {
    about.insert("sql".into(), json!(candidate.sql));
    let relations = Tables::only(desk.recall.library, candidate.over.relations.clone());
    let ran = desk.sandbox.run(&relations, &candidate.sql, &desk.stop)?;
    about.insert("rows_read".into(), json!(ran.rows_read));
    about.insert("rows_total".into(), json!(ran.rows_total));
    if !ran.shipped.is_empty() {
        about.insert("shipped".into(), json!(ran.shipped));
    }
    Ok(ran)
}

/// Whether an answer says only that there is nothing: a count of none for a single condition.
pub(super) fn is_void(candidate: &Candidate<'_>, values: &[String]) -> bool {
    let rows = &candidate.reading.program.rows;
    values == ["0"]
        && rows.conditions.len() == 1
        && matches!(candidate.reading.program.ask, question::Ask::Count)
}

/// Judges a statement.
pub(super) fn judge(desk: &Answering<'_>, asked: &Question<'_>, trace: &mut Trace) -> Result<Answer> {
    let (tables, _) = tables(desk, asked, trace)?;
    let best = trace.step("judge", |_| {
        let mut all: Vec<Judged<'_>> = Vec::new();
        for found in &tables {
            let grid = grid::of(desk, &found.stored, asked.text)?;
            let subject =
                Subject { relation: &found.stored.name, title: found.stored.table.title(), grid: &grid };
            let verdict = question::judge_with(asked.text, &subject, desk.locate)?;
            let Some(verdict) = verdict else { continue };
            let (sql, words) = (verdict.program.sql(&subject), verdict.program.words(&grid));
            all.push(Judged { found, probability: verdict.probability, sql, words });
        }
        // A table over which the statement reads well is likelier the one that is meant.
        let weight = |j: &Judged<'_>| j.probability.powi(3) * j.found.share;
        let sum: f32 = all.iter().map(weight).sum();
        for one in &mut all {
            one.probability *= weight(one) / sum.max(f32::MIN_POSITIVE);
        }
        Ok(all.into_iter().max_by(|a, b| a.probability.total_cmp(&b.probability)))
    })?;
    match best {
        None => {
            Ok(verify::undecided("no table was found that the statement could be about", Usage::default()))
        }
        Some(best) if best.probability < desk.settings.sure_verdict => {
            Ok(verify::undecided("the statement could not be read with enough certainty", Usage::default()))
        }
        Some(best) => judged(desk, &best, trace),
    }
}

/// A verdict over one of the tables.
struct Judged<'a> {
    found: &'a Found,
    probability: f32,
    sql: String,
    words: String,
}

/// The verdict that the program gives over all rows.
fn judged(desk: &Answering<'_>, best: &Judged<'_>, trace: &mut Trace) -> Result<Answer> {
    let relations = Tables::only(desk.recall.library, vec![best.found.stored.name.clone()]);
    let ran = trace.step("run", |about| {
        about.insert("sql".into(), json!(best.sql));
        desk.sandbox.run(&relations, &best.sql, &desk.stop)
    });
    let ran = match ended(ran) {
        Err(error) if error.fault() == Fault::Limit => {
            let why = format!("the statement could not be checked over the rows: {error}");
            return Ok(verify::undecided(&why, Usage::default()));
        }
        ran => ran?,
    };
    let holds = ran.as_ref().and_then(|ran| match ran.rows.first().map(Vec::as_slice) {
        Some([Cell::Boolean(holds)]) => Some(*holds),
        _ => None,
    });
    let (Some(ran), Some(holds)) = (ran, holds) else {
        return Ok(verify::undecided("the statement could not be checked over the rows", Usage::default()));
    };
    let said = if holds { Verdict::Supported } else { Verdict::Refuted };
    let mut citations = cite(desk.recall.library, &ran)?;
    if citations.is_empty() {
        // That no row says so is seen from all of them.
        citations.push(support::table(&best.found.stored));
    }
    Ok(Answer {
        outcome: Outcome::Answered,
        answer: said.name().to_owned(),
        values: vec![said.name().to_owned()],
        verdict: Some(said),
        confidence: best.probability.clamp(0.0, 0.99),
        basis: Basis::Program,
        citations,
        program: Some(Program { words: best.words.clone(), ..support::program(&best.sql, &ran) }),
        ..Answer::default()
    })
}
