//! Answering without a language model: the built-in question parser over the tables that were found.

use super::cite::cite;
use super::evidence::{self, Found};
use super::relations::Tables;
use super::result::{Given, given};
use super::trace::Trace;
use super::{Answering, Question, choose, grid, result, silent, support, verify};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use tabletalk_core::chat::Usage;
use tabletalk_core::{Answer, Basis, Fault, Outcome, Program, Result, Verdict};
use tabletalk_question::{self as question, Located, Subject};
use tabletalk_sql::{Cell, Ran};
use tabletalk_store::Turn;

/// Readings that are looked at.
const MOST: usize = 8;
/// Tables over which a model weighs the readings: it takes as long as to embed a dozen passages.
const WEIGHED: usize = 3;
/// How much likelier a follow-up is about the table of the question before than about all others.
const SAME_TABLE: f32 = 0.8;

/// A reading of the question over one of the tables.
pub(super) struct Candidate<'a> {
    pub(super) found: &'a Found,
    pub(super) reading: question::Reading,
    pub(super) sql: String,
    pub(super) words: String,
    /// What it asks, by which groups, and by which columns its rows are chosen.
    pub(super) aim: Vec<String>,
    /// How likely it is what was meant: of the table, and of the reading.
    pub(super) probability: f32,
}

/// Answers when it is sure, asks back when two readings fit equally, else shows what may help to ask again.
pub(super) fn answer(desk: &Answering<'_>, asked: &Question<'_>, trace: &mut Trace) -> Result<Answer> {
    let (tables, before) = tables(desk, asked, trace)?;
    let mut read = read(desk, asked, &tables, before.as_ref(), trace)?;
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
        let answered = turn.answer.outcome == Outcome::Answered;
        let table = step.about.get("table")?.as_str()?.to_owned();
        Some(Before {
            table,
            turn: question::Turn { question: turn.question.clone(), program, rows, answered },
        })
    }
}

/// How a question can be read.
pub(super) struct Readings<'a> {
    /// Over all tables, the likeliest first.
    pub(super) candidates: Vec<Candidate<'a>>,
    /// The words that mean nothing over any of the tables.
    pub(super) unknown: Vec<String>,
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
        for (place, found) in tables.iter().enumerate() {
            let grid = grid::of(desk, &found.stored, asked.text)?;
            let subject = Subject { relation: &found.stored.name, title: found.stored.table.title(), grid: &grid };
            let model = desk.locate.filter(|_| place < WEIGHED);
            let turn = before.filter(|b| b.table == found.stored.name).map(|b| &b.turn);
            let mut understood = question::understand_with(asked.text, &subject, turn, model)?;
            heed(desk, asked.text, &subject, &mut understood)?;
            match &mut unknown {
                Some(all) => all.retain(|word| understood.unknown.contains(word)),
                None => unknown = Some(understood.unknown),
            }
            for reading in understood.readings {
                let probability = reading.probability * found.share;
                let (sql, words) = (reading.program.sql(&subject), reading.program.words(&grid));
                let aim = reading.program.aim(&grid);
                candidates.push(Candidate { found, reading, sql, words, aim, probability });
            }
        }
        weigh(&mut candidates);
        candidates.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        candidates.truncate(MOST);
        if let Some(best) = candidates.first() {
            note(about, best);
        }
        let line = |c: &Candidate<'_>| json!({"words": c.words, "table": c.found.stored.name, "probability": c.probability});
        about.insert("readings".into(), candidates.iter().map(line).collect());
        let unknown = unknown.unwrap_or_default();
        about.insert("unknown".into(), json!(unknown));
        Ok(Readings { candidates, unknown })
    })
}

/// Where no reading is sure, heeds what the locator says of a question over a table: of its columns, and, if one of them is
/// likely, of its rows.
fn heed(
    desk: &Answering<'_>,
    text: &str,
    subject: &Subject<'_>,
    understood: &mut question::Understanding,
) -> Result<()> {
    const MOST_COLUMNS: usize = 64;
    const LIKELY: f32 = 0.5;
    let grid = subject.grid;
    let is_sure = understood.readings.first().is_some_and(|r| r.probability >= desk.settings.sure);
    let is_open = grid.is_whole() && !grid.is_empty() && !is_sure && !understood.is_void;
    let Some(locate) = desk.locate.filter(|_| is_open) else { return Ok(()) };
    let texts = question::locate::column_texts(subject);
    if texts.len() > MOST_COLUMNS {
        return Ok(());
    }
    let columns = locate.columns(text, &texts)?;
    let mut found = Located { columns, ..Located::default() };
    if found.columns.each.iter().any(|likely| *likely > LIKELY) {
        found.places = question::locate::places(text, grid);
        found.rows = Some(locate.rows(text, &question::locate::row_texts(subject, &found.places))?);
    }
    question::locate::heed(text, subject, understood, &found);
    Ok(())
}

/// Notes how the question was read, so that the next one can go on from it.
fn note(about: &mut Map<String, Value>, read: &Candidate<'_>) {
    about.insert("table".into(), json!(read.found.stored.name));
    about.insert("program".into(), json!(read.reading.program));
    about.insert("rows".into(), json!(read.reading.answer.rows));
}

/// A table over which the question reads well is likelier the one that is meant: the share of each table is weighed
/// by its best reading before it counts, and one that leaves words without a place counts little beside one that
/// leaves none.
fn weigh(candidates: &mut [Candidate<'_>]) {
    const INEXACT: f32 = 0.1;
    let is_exact = candidates.iter().any(|c| c.reading.is_exact);
    let mut best: HashMap<i64, f32> = HashMap::new();
    for candidate in candidates.iter() {
        let weight = if is_exact && !candidate.reading.is_exact { INEXACT } else { 1.0 };
        let most = best.entry(candidate.found.stored.key).or_default();
        *most = most.max(weight * candidate.probability);
    }
    let sum: f32 = best.values().sum();
    for candidate in candidates {
        let weight = best.get(&candidate.found.stored.key).copied().unwrap_or(0.0);
        candidate.probability = weight / sum.max(f32::MIN_POSITIVE) * candidate.reading.probability;
    }
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
    let relations = Tables::only(desk.recall.library, vec![candidate.found.stored.name.clone()]);
    let ran = desk.sandbox.run(&relations, &candidate.sql, &desk.stop)?;
    about.insert("rows_read".into(), json!(ran.rows_read));
    about.insert("rows_total".into(), json!(ran.rows_total));
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
