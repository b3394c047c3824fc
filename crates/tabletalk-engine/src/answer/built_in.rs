//! Answering without a language model: the built-in question parser over the tables that were found.

use super::cite::cite;
use super::evidence::{self, Found};
use super::relations::Tables;
use super::trace::Trace;
use super::write::Writer;
use super::{Answering, Question, grid, support, verify};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use tabletalk_core::chat::Usage;
use tabletalk_core::{Answer, Basis, Fault, Kind, Outcome, Program, Reading, Result, Verdict};
use tabletalk_question::{self as question, Subject};
use tabletalk_sql::{Cell, Ran};
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
    let Readings { candidates, unknown } = read(desk, asked, &tables, before.as_ref(), trace)?;
    let found = match computed(desk, &candidates, trace) {
        Ok(Some(answer)) => return Ok(answer),
        Ok(None) => None,
        Err(error) if error.fault() == Fault::Limit => Some(error),
        Err(error) => return Err(error),
    };
    let nearest = passages(desk, asked, &unknown, trace)?;
    Ok(match found {
        // A limit that was reached says nothing of what the tables hold.
        Some(error) => Answer { answer: format!("no answer could be computed: {error}"), ..nearest },
        None => nearest,
    })
}

/// What the best reading gives, or the best two where neither is the better one.
fn computed(desk: &Answering<'_>, candidates: &[Candidate<'_>], trace: &mut Trace) -> Result<Option<Answer>> {
    if let Some((first, second)) = undecided(desk, candidates)
        && let Some(answer) = clarify(desk, first, second, trace)?
    {
        return Ok(Some(answer));
    }
    match candidates.first().filter(|best| best.probability >= desk.settings.sure) {
        Some(best) => answered(desk, best, trace),
        None => Ok(None),
    }
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

/// How a question can be read.
struct Readings<'a> {
    /// Over all tables, the likeliest first.
    candidates: Vec<Candidate<'a>>,
    /// The words that mean nothing over any of the tables.
    unknown: Vec<String>,
}

/// The readings over all tables, the likeliest first.
fn read<'a>(
    desk: &Answering<'_>,
    asked: &Question<'_>,
    tables: &'a [Found],
    before: Option<&Before>,
    trace: &mut Trace,
) -> Result<Readings<'a>> {
    trace.step("read", |about| {
        let mut candidates = Vec::new();
        let mut unknown: Option<Vec<String>> = None;
        for found in tables {
            let grid = grid::of(desk, &found.stored, asked.text)?;
            let subject = Subject { relation: &found.stored.name, title: found.stored.table.title(), grid: &grid };
            let turn = before.filter(|b| b.table == found.stored.name).map(|b| &b.turn);
            let understood = question::understand(asked.text, &subject, turn);
            match &mut unknown {
                Some(all) => all.retain(|word| understood.unknown.contains(word)),
                None => unknown = Some(understood.unknown),
            }
            for reading in understood.readings {
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
        let unknown = unknown.unwrap_or_default();
        about.insert("unknown".into(), json!(unknown));
        Ok(Readings { candidates, unknown })
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
    let ran = trace.step("run", |about| run(desk, best, about));
    let Some(ran) = ended(ran)? else { return Ok(None) };
    let Given { values, text } = given(best, &ran);
    if values.is_empty() || is_void(best, &values) {
        return Ok(None);
    }
    let citations = trace.step("cite", |_| cite(desk.recall.library, &ran))?;
    Ok(Some(Answer {
        outcome: Outcome::Answered,
        answer: text,
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

/// An answer as values and as people write it.
struct Given {
    values: Vec<String>,
    text: String,
}

/// The answer that the statement gave: numbers as values in the plain way, in words as they stand in their source.
fn given(candidate: &Candidate<'_>, ran: &Ran) -> Given {
    let program = &candidate.reading.program;
    let measured = program.measured().and_then(|c| candidate.found.stored.table.columns.get(c));
    let writer = Writer { column: measured };
    let rows: Vec<Vec<String>> =
        ran.rows.iter().map(|row| row.iter().map(|cell| writer.value(cell)).collect()).collect();
    if ran.columns.len() > 1 {
        let lines: Vec<String> = rows.iter().map(|row| row.join(": ")).collect();
        return Given { values: rows.into_iter().flatten().collect(), text: lines.join("; ") };
    }
    let mut values: Vec<String> = Vec::new();
    for value in rows.into_iter().flatten() {
        if !question::is_missing(&value) && !values.contains(&value) {
            values.push(value);
        }
    }
    let written = &candidate.reading.answer.values;
    let shown =
        if !program.is_computed() && super::values::same_all(written, &values) { written } else { &values };
    let text = shown.iter().map(|value| writer.with_unit(value)).collect::<Vec<_>>().join(", ");
    let is_number = measured.is_some_and(|c| matches!(c.kind, Kind::Integer | Kind::Decimal));
    let values = if is_number { values } else { shown.clone() };
    Given { values, text }
}

/// Whether an answer says only that there is nothing: a count of none for a single condition.
fn is_void(candidate: &Candidate<'_>, values: &[String]) -> bool {
    let rows = &candidate.reading.program.rows;
    values == ["0"]
        && rows.conditions.len() == 1
        && matches!(candidate.reading.program.ask, question::Ask::Count)
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

fn clarify(
    desk: &Answering<'_>,
    first: &Candidate<'_>,
    second: &Candidate<'_>,
    trace: &mut Trace,
) -> Result<Option<Answer>> {
    let mut readings = Vec::new();
    for candidate in [first, second] {
        let ran = trace.step("run", |about| run(desk, candidate, about));
        let Some(ran) = ended(ran)? else { return Ok(None) };
        readings.push(Reading {
            words: candidate.words.clone(),
            table: candidate.found.stored.name.clone(),
            answer: given(candidate, &ran).text,
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
fn passages(
    desk: &Answering<'_>,
    asked: &Question<'_>,
    unknown: &[String],
    trace: &mut Trace,
) -> Result<Answer> {
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
    let answer = match (unknown, citations.is_empty()) {
        ([], true) => "nothing was found that the question could be about".to_owned(),
        ([], false) => {
            "no answer could be computed with enough certainty; these passages and rows are nearest to the question".to_owned()
        }
        (words, true) => format!("not in these tables: {}", words.join(", ")),
        (words, false) => {
            format!("not in these tables: {}; these passages and rows are nearest to the question", words.join(", "))
        }
    };
    Ok(Answer { answer, citations, ..Answer::default() })
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
            let Some(verdict) = question::judge(asked.text, &subject) else { continue };
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
