//! Answering without a language model: the built-in question parser over the tables that were found.

use super::cite::cite;
use super::evidence::{self, Found};
use super::relations::Tables;
use super::trace::Trace;
use super::{Answering, Question, grid, support, verify};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use tabletalk_core::chat::Usage;
use tabletalk_core::{Answer, Basis, Outcome, Program, Reading, Result, Verdict};
use tabletalk_question::{self as question, Subject};
use tabletalk_sql::Ran;
use tabletalk_store::Turn;

/// Passages and rows that are shown when there is no answer.
const SHOWN: usize = 4;
/// Readings that are looked at.
const MOST: usize = 8;
/// How much likelier a follow-up is about the table of the question before than about all others.
const SAME_TABLE: f32 = 0.8;

/// A reading of the question over one of the tables.
struct Candidate<'a> {
    found: &'a Found,
    reading: question::Reading,
    sql: String,
    words: String,
    /// How likely it is what was meant: of the table, and of the reading.
    probability: f32,
}

/// Answers when it is sure, asks back when two readings fit equally, else shows the best passages and rows.
pub(super) fn answer(desk: &Answering<'_>, asked: &Question<'_>, trace: &mut Trace) -> Result<Answer> {
    let (tables, before) = tables(desk, asked, trace)?;
    let candidates = read(desk, asked, &tables, before.as_ref(), trace)?;
    if let Some((first, second)) = undecided(desk, &candidates)
        && let Some(answer) = clarify(desk, first, second)?
    {
        return Ok(answer);
    }
    if let Some(best) = candidates.first().filter(|best| best.probability >= desk.settings.sure)
        && let Some(answer) = answered(desk, best, trace)?
    {
        return Ok(answer);
    }
    passages(desk, asked, trace)
}

/// The tables that the question may be about, and the turn before as the parser knows it.
fn tables(
    desk: &Answering<'_>,
    asked: &Question<'_>,
    trace: &mut Trace,
) -> Result<(Vec<Found>, Option<Before>)> {
    let before = asked.turns.iter().rev().find_map(Before::of);
    let tables = trace.step("recall", |about| {
        let mut tables = evidence::tables(desk, asked)?;
        if let Some(before) = before.as_ref().filter(|_| asked.tables.is_empty()) {
            prefer(desk, &mut tables, &before.table)?;
        }
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

/// The turn before, as the parser left it in the trace.
struct Before {
    table: String,
    turn: question::Turn,
}

impl Before {
    fn of(turn: &Turn) -> Option<Before> {
        let step = turn.answer.trace.iter().find(|step| step.step == "read")?;
        let program = serde_json::from_value(step.about.get("program")?.clone()).ok()?;
        let rows = serde_json::from_value(step.about.get("rows")?.clone()).ok()?;
        let table = step.about.get("table")?.as_str()?.to_owned();
        Some(Before { table, turn: question::Turn { question: turn.question.clone(), program, rows } })
    }
}

/// The readings over all tables, the likeliest first.
fn read<'a>(
    desk: &Answering<'_>,
    asked: &Question<'_>,
    tables: &'a [Found],
    before: Option<&Before>,
    trace: &mut Trace,
) -> Result<Vec<Candidate<'a>>> {
    trace.step("read", |about| {
        let mut candidates = Vec::new();
        for found in tables {
            let grid = grid::of(desk, &found.stored, asked.text)?;
            let subject = Subject { relation: &found.stored.name, title: found.stored.table.title(), grid: &grid };
            let turn = before.filter(|b| b.table == found.stored.name).map(|b| &b.turn);
            for reading in question::read(asked.text, &subject, turn) {
                let probability = reading.probability * found.share;
                let (sql, words) = (reading.program.sql(&subject), reading.program.words(&grid));
                candidates.push(Candidate { found, reading, sql, words, probability });
            }
        }
        weigh(&mut candidates);
        candidates.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        candidates.truncate(MOST);
        if let Some(best) = candidates.first() {
            about.insert("table".into(), json!(best.found.stored.name));
            about.insert("program".into(), serde_json::to_value(&best.reading.program)?);
            about.insert("rows".into(), json!(best.reading.answer.rows));
        }
        let line = |c: &Candidate<'_>| json!({"words": c.words, "table": c.found.stored.name, "probability": c.probability});
        about.insert("readings".into(), candidates.iter().map(line).collect());
        Ok(candidates)
    })
}

/// A table over which the question reads well is likelier the one that is meant: the share of each table is weighed
/// by its best reading before it counts.
fn weigh(candidates: &mut [Candidate<'_>]) {
    let mut best: HashMap<i64, f32> = HashMap::new();
    for candidate in candidates.iter() {
        let most = best.entry(candidate.found.stored.key).or_default();
        *most = most.max(candidate.probability);
    }
    let sum: f32 = best.values().sum();
    for candidate in candidates {
        let weight = best.get(&candidate.found.stored.key).copied().unwrap_or(0.0);
        candidate.probability = weight / sum.max(f32::MIN_POSITIVE) * candidate.reading.probability;
    }
}

/// The best reading, run over all rows; `None` when it gives nothing after all.
fn answered(desk: &Answering<'_>, best: &Candidate<'_>, trace: &mut Trace) -> Result<Option<Answer>> {
    let ran = match trace.step("run", |about| run(desk, best, about)) {
        Ok(ran) => ran,
        // A program of ours that cannot run is no answer, and no reason to fail either.
        Err(_) => return Ok(None),
    };
    let values = values(best, &ran);
    if values.is_empty() {
        return Ok(None);
    }
    let citations = trace.step("cite", |_| cite(desk.recall.library, &ran))?;
    Ok(Some(Answer {
        outcome: Outcome::Answered,
        answer: values.join(", "),
        values,
        confidence: best.probability.clamp(0.0, 0.99),
        basis: Basis::Program,
        citations,
        program: Some(Program { words: best.words.clone(), ..support::program(&best.sql, &ran) }),
        ..Answer::default()
    }))
}

fn run(desk: &Answering<'_>, candidate: &Candidate<'_>, about: &mut Map<String, Value>) -> Result<Ran> {
    about.insert("sql".into(), json!(candidate.sql));
    let relations = Tables::only(desk.recall.library, vec![candidate.found.stored.name.clone()]);
    let ran = desk.sandbox.run(&relations, &candidate.sql, &desk.stop)?;
    about.insert("rows_read".into(), json!(ran.rows_read));
    about.insert("rows_total".into(), json!(ran.rows_total));
    Ok(ran)
}

/// The values of the answer: as written in the source where the whole table was at hand, else as computed.
fn values(candidate: &Candidate<'_>, ran: &Ran) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for row in &ran.rows {
        let value = row.first().map(|cell| cell.to_string()).unwrap_or_default();
        if !value.is_empty() && !values.contains(&value) {
            values.push(value);
        }
    }
    let written = &candidate.reading.answer.values;
    match super::values::same_all(written, &values) {
        true => written.clone(),
        false => values,
    }
}

/// The two best readings, when they are as good as equally likely, likely enough together, and differ.
fn undecided<'a, 'b>(
    desk: &Answering<'_>,
    candidates: &'b [Candidate<'a>],
) -> Option<(&'b Candidate<'a>, &'b Candidate<'a>)> {
    let [first, second, ..] = candidates else { return None };
    let near = first.probability - second.probability <= desk.settings.near * first.probability;
    let likely = first.probability + second.probability >= desk.settings.sure;
    let differ = first.reading.answer.values != second.reading.answer.values;
    (near && likely && differ).then_some((first, second))
}

fn clarify(desk: &Answering<'_>, first: &Candidate<'_>, second: &Candidate<'_>) -> Result<Option<Answer>> {
    let mut readings = Vec::new();
    for candidate in [first, second] {
        let Ok(ran) = run(desk, candidate, &mut Map::new()) else { return Ok(None) };
        readings.push(Reading {
            words: candidate.words.clone(),
            table: candidate.found.stored.name.clone(),
            answer: values(candidate, &ran).join(", "),
            sql: candidate.sql.clone(),
        });
    }
    if readings.iter().all(|reading| readings.first().is_some_and(|first| first.answer == reading.answer)) {
        return Ok(None);
    }
    Ok(Some(Answer {
        outcome: Outcome::Clarify,
        answer: "the question can be read in two ways; which is meant?".into(),
        confidence: first.probability,
        readings,
        ..Answer::default()
    }))
}

/// No answer: what was found, labelled as such.
fn passages(desk: &Answering<'_>, asked: &Question<'_>, trace: &mut Trace) -> Result<Answer> {
    let citations = trace.step("passages", |_| {
        let mut hits = evidence::passages(desk, asked)?;
        hits.extend(evidence::rows(desk, asked, SHOWN)?);
        let mut citations = Vec::new();
        for hit in hits.iter().take(2 * SHOWN) {
            citations.extend(support::passages(desk, hit, asked.text)?);
        }
        let mut seen = std::collections::HashSet::new();
        citations.retain(|c: &tabletalk_core::Citation| seen.insert(c.id.clone()));
        citations.truncate(2 * SHOWN);
        Ok(citations)
    })?;
    let answer = match citations.is_empty() {
        true => "nothing was found that the question could be about",
        false => {
            "no answer could be computed with enough certainty; these passages and rows are nearest to the question"
        }
    };
    Ok(Answer { answer: answer.into(), citations, ..Answer::default() })
}

/// Judges a statement.
pub(super) fn judge(desk: &Answering<'_>, asked: &Question<'_>, trace: &mut Trace) -> Result<Answer> {
    let (tables, _) = tables(desk, asked, trace)?;
    let best = trace.step("judge", |_| {
        let mut best: Option<Judged<'_>> = None;
        for found in &tables {
            let grid = grid::of(desk, &found.stored, asked.text)?;
            let subject =
                Subject { relation: &found.stored.name, title: found.stored.table.title(), grid: &grid };
            let Some(verdict) = question::judge(asked.text, &subject) else { continue };
            let probability = verdict.probability * found.share;
            if best.as_ref().is_none_or(|other| probability > other.probability) {
                let (sql, words) = (verdict.program.sql(&subject), verdict.program.words(&grid));
                best = Some(Judged { found, supported: verdict.supported, probability, sql, words });
            }
        }
        Ok(best)
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
    supported: bool,
    probability: f32,
    sql: String,
    words: String,
}

fn judged(desk: &Answering<'_>, best: &Judged<'_>, trace: &mut Trace) -> Result<Answer> {
    let said = if best.supported { Verdict::Supported } else { Verdict::Refuted };
    let mut answer = Answer {
        outcome: Outcome::Answered,
        answer: said.name().to_owned(),
        values: vec![said.name().to_owned()],
        verdict: Some(said),
        confidence: best.probability.clamp(0.0, 0.99),
        basis: Basis::Program,
        ..Answer::default()
    };
    let relations = Tables::only(desk.recall.library, vec![best.found.stored.name.clone()]);
    if let Ok(ran) = trace.step("run", |_| desk.sandbox.run(&relations, &best.sql, &desk.stop)) {
        answer.citations = cite(desk.recall.library, &ran)?;
        if answer.citations.is_empty() {
            // That no row says so is seen from all of them.
            answer.citations.push(support::table(&best.found.stored));
        }
        answer.program = Some(Program { words: best.words.clone(), ..support::program(&best.sql, &ran) });
    }
    Ok(answer)
}
