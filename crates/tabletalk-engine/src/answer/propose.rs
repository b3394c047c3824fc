//! The readings of a question over the tables that were found, and over tables that are joined.

use super::evidence::Found;
use super::trace::Trace;
use super::{Answering, Question, grid};
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use tabletalk_core::{Batch, Column, Outcome, Result};
use tabletalk_question::{self as question, Grid, Join, Located, Side, Subject, Tally, relate};
use tabletalk_store::{ForeignKey, StoredTable, Turn, data};

/// Readings that are looked at.
const MOST: usize = 8;
/// Tables over which a model weighs the readings: it takes as long as to embed a dozen passages.
const WEIGHED: usize = 3;
/// What a reading over one table counts where one over tables that are joined with it reads better: it leaves words over
/// that are about the others.
/// This and the two below were chosen by hand, with the related files of the tests at hand, and not fitted.
const ALONE: f32 = 0.1;
/// How likely a reading over joined tables must be beside one over a single table for names that are said more fully to count.
const LIKELY: f32 = 0.6;
/// What each word of the question leaves to a table that does not know it, where another does.
const STRANGE: f32 = 0.4;
/// What is left to a reading that does not know the rows that the question speaks of: it may be offered, not given.
const SHORT: f32 = 0.6;

/// What a question is read over: a table, or one with what others say of its rows.
pub(super) struct Over<'a> {
    pub(super) found: &'a Found,
    /// Its columns, those of joined tables after its own.
    pub(super) columns: Vec<Column>,
    /// The relations that programs over it may name.
    pub(super) relations: Vec<String>,
    grid: Grid,
    /// The words of the question that it knows.
    known: Vec<String>,
}

impl<'a> Over<'a> {
    fn table(desk: &Answering<'_>, found: &'a Found, text: &str, keys: &ForeignKeys) -> Result<Self> {
        let stored = &found.stored;
        let (batches, whole) = grid::rows(desk, stored, text, stored.table.columns.len())?;
        let joined = question::join(&side(stored, &batches), &[])?;
        let columns = joined.columns.clone();
        let grid = joined.grid(whole).with_references(keys.references(stored));
        Ok(Over { found, columns, relations: vec![stored.name.clone()], grid, known: Vec::new() }
            .knowing(text))
    }

    /// The same with the words of a question that it knows.
    fn knowing(self, text: &str) -> Self {
        let known = relate::known(text, &self.subject());
        Over { known, ..self }
    }

    pub(super) fn subject(&self) -> Subject<'_> {
        let stored = &self.found.stored;
        Subject { relation: &stored.name, title: stored.table.title(), grid: &self.grid }
    }

    /// What it is called: by its table, or by all that are joined.
    pub(super) fn name(&self) -> &str {
        self.grid.view().filter(|_| self.is_joined()).map_or(&self.found.stored.name, |view| &view.name)
    }

    fn is_joined(&self) -> bool {
        self.relations.len() > 1
    }
}

/// A reading of the question.
pub(super) struct Candidate<'a> {
    pub(super) over: Rc<Over<'a>>,
    pub(super) reading: question::Reading,
    pub(super) sql: String,
    pub(super) words: String,
    /// What it asks, by which groups, and by which columns its rows are chosen.
    pub(super) aim: Vec<String>,
    /// How likely it is what was meant: of the table, and of the reading.
    pub(super) probability: f32,
    /// Whether the question speaks of rows of a related table that this reading does not know.
    is_short: bool,
}

impl Candidate<'_> {
    /// The table whose rows it reads.
    pub(super) fn stored(&self) -> &StoredTable {
        &self.over.found.stored
    }
}

/// How a question can be read.
pub(super) struct Readings<'a> {
    /// Over all tables, the likeliest first.
    pub(super) candidates: Vec<Candidate<'a>>,
    /// The words that mean nothing over any of the tables.
    pub(super) unknown: Vec<String>,
}

/// The turn before, as the parser left it in the trace.
pub(super) struct Before {
    pub(super) table: String,
    /// What it was read over.
    over: String,
    turn: question::Turn,
}

impl Before {
    pub(super) fn of(turn: &Turn) -> Option<Before> {
        let step = turn.answer.trace.iter().find(|step| step.step == "read")?;
        let program = serde_json::from_value(step.about.get("program")?.clone()).ok()?;
        let rows = serde_json::from_value(step.about.get("rows")?.clone()).ok()?;
        let answered = turn.answer.outcome == Outcome::Answered;
        let table = step.about.get("table")?.as_str()?.to_owned();
        let over = step.about.get("over").and_then(Value::as_str).unwrap_or(&table).to_owned();
        let turn = question::Turn { question: turn.question.clone(), program, rows, answered };
        Some(Before { table, over, turn })
    }
}

/// Notes how the question was read, so that the next one can go on from it.
pub(super) fn note(about: &mut Map<String, Value>, read: &Candidate<'_>) {
    about.insert("table".into(), json!(read.stored().name));
    about.insert("over".into(), json!(read.over.name()));
    about.insert("program".into(), json!(read.reading.program));
    about.insert("rows".into(), json!(read.reading.answer.rows));
}

/// The readings over all tables, the likeliest first.
pub(super) fn read<'a>(
    desk: &Answering<'_>,
    asked: &Question<'_>,
    tables: &'a [Found],
    before: Option<&Before>,
    trace: &mut Trace,
) -> Result<Readings<'a>> {
    trace.step("read", |about| {
        let keys = ForeignKeys::of(desk, tables)?;
        let mut proposer = Proposer { desk, asked, before, keys: &keys, candidates: Vec::new(), unknown: None };
        for (place, found) in tables.iter().enumerate() {
            proposer.propose(Over::table(desk, found, asked.text, &keys)?, place < WEIGHED)?;
        }
        if !proposer.is_read() {
            for over in joined(desk, asked.text, tables, &keys)? {
                proposer.propose(over, true)?;
            }
            for over in tallied(desk, asked.text, tables, &keys)? {
                proposer.propose(over, true)?;
            }
        }
        let Proposer { mut candidates, unknown, .. } = proposer;
        weigh(asked.text, &mut candidates);
        candidates.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        candidates.truncate(MOST);
        if let Some(best) = candidates.first() {
            note(about, best);
        }
        let line = |c: &Candidate<'_>| json!({"words": c.words, "table": c.over.name(), "probability": c.probability});
        about.insert("readings".into(), candidates.iter().map(line).collect());
        let unknown = unknown.unwrap_or_default();
        about.insert("unknown".into(), json!(unknown));
        Ok(Readings { candidates, unknown })
    })
}

/// Gathers the readings over one table after another.
struct Proposer<'a, 'd> {
    desk: &'d Answering<'d>,
    asked: &'d Question<'d>,
    before: Option<&'d Before>,
    keys: &'d ForeignKeys,
    candidates: Vec<Candidate<'a>>,
    unknown: Option<Vec<String>>,
}

impl<'a> Proposer<'a, '_> {
    fn propose(&mut self, over: Over<'a>, is_weighed: bool) -> Result<()> {
        let subject = over.subject();
        let model = self.desk.locate.filter(|_| is_weighed);
        let turn = self.before.filter(|b| b.over == over.name()).map(|b| &b.turn);
        let mut understood = question::understand_with(self.asked.text, &subject, turn, model)?;
        if let Some(view) = over.grid.view() {
            understood.readings.retain(|r| view.is_needed(&r.program, self.asked.text));
        }
        if !over.is_joined() {
            heed(self.desk, self.asked.text, &subject, &mut understood)?;
        }
        match &mut self.unknown {
            Some(all) => all.retain(|word| understood.unknown.contains(word)),
            None => self.unknown = Some(understood.unknown),
        }
        let of = |reading: question::Reading| {
            let (sql, words) = (reading.program.sql(&subject), reading.program.words(subject.grid));
            (sql, words, reading.program.aim(subject.grid), reading)
        };
        let read: Vec<_> = understood.readings.into_iter().map(of).collect();
        let is_short = self.keys.speaks_of_others(self.asked.text, &over);
        let over = Rc::new(over);
        for (sql, words, aim, reading) in read {
            let probability = reading.probability * over.found.share;
            let over = over.clone();
            self.candidates.push(Candidate { over, reading, sql, words, aim, probability, is_short });
        }
        Ok(())
    }

    /// Whether a single table reads every word of the question by the whole names of its columns, so that no other is needed.
    fn is_read(&self) -> bool {
        let sure = self.desk.settings.sure;
        let is = |c: &Candidate<'_>| c.reading.is_exact && c.reading.probability >= sure && !c.is_short;
        self.candidates.iter().any(|c| is(c) && said(self.asked.text, c) >= WHOLE)
    }
}

/// How far the names of what a reading measures are said in the question.
fn said(question: &str, candidate: &Candidate<'_>) -> f32 {
    let column = |c: usize| candidate.over.columns.get(c).map(|c| c.name.as_str());
    let names: Vec<&str> = candidate.reading.program.measured().and_then(column).into_iter().collect();
    if names.is_empty() { 1.0 } else { relate::said(question, &names) }
}

/// The foreign keys among the tables that were found and those they refer to.
struct ForeignKeys {
    all: Vec<ForeignKey>,
    /// The tables that are referred to and were not found.
    others: Vec<StoredTable>,
    /// Which of the keys refer to rows that have names besides.
    named: Vec<bool>,
}

impl ForeignKeys {
    fn of(desk: &Answering<'_>, tables: &[Found]) -> Result<Self> {
        let catalog = desk.recall.library.catalog()?;
        let all = catalog.foreign_keys()?;
        let mut keys = ForeignKeys { all, others: Vec::new(), named: Vec::new() };
        let mut reached: Vec<String> = tables.iter().map(|f| f.stored.name.clone()).collect();
        let mut at = 0;
        while let Some(name) = reached.get(at).cloned() {
            for key in keys.all.iter().filter(|k| k.table == name) {
                if !reached.contains(&key.to_table) && keys.others.len() < MOST_OTHERS {
                    reached.push(key.to_table.clone());
                    keys.others.extend(catalog.table_named(&key.to_table)?);
                }
            }
            at += 1;
        }
        let columns = |name: &str| {
            let found = tables.iter().map(|f| &f.stored).chain(&keys.others).find(|t| t.name == name);
            found.map_or(&[][..], |t| t.table.columns.as_slice())
        };
        keys.named = keys
            .all
            .iter()
            .map(|k| relate::has_names(columns(&k.to_table), &k.to_column, &k.to_table))
            .collect();
        Ok(keys)
    }

    /// The columns of a table that name rows of others by keys that are no names.
    fn references(&self, stored: &StoredTable) -> Vec<usize> {
        let own = self.all.iter().zip(&self.named).filter(|(k, named)| k.table == stored.name && **named);
        own.filter_map(|(k, _)| stored.table.columns.iter().position(|c| c.name == k.column)).collect()
    }

    /// Whether a question speaks of the rows of a table that is related to one, and not part of what it is read over.
    fn speaks_of_others(&self, question: &str, over: &Over<'_>) -> bool {
        let is_part = |name: &String| over.relations.contains(name);
        let ends = |k: &ForeignKey| [k.table.clone(), k.to_table.clone()];
        let related = self.all.iter().map(ends).filter(|ends| ends.iter().any(is_part));
        let mut others = related.flatten().filter(|name| !is_part(name));
        others.any(|name| relate::speaks_of(question, &name, &over.columns))
    }
}

/// Tables that are looked at because others refer to them, at most.
const MOST_OTHERS: usize = 20;
/// How far the name of a column must be said for no other table to be looked at.
const WHOLE: f32 = 0.99;

/// Each table that refers to others, with what those say of its rows.
fn joined<'a>(
    desk: &Answering<'_>,
    text: &str,
    tables: &'a [Found],
    keys: &ForeignKeys,
) -> Result<Vec<Over<'a>>> {
    let ends: Vec<(&str, &str)> = keys.all.iter().map(|k| (k.table.as_str(), k.to_table.as_str())).collect();
    let mut all = Vec::new();
    for found in tables {
        let mut plan = JoinPlan { tables: vec![&found.stored], ways: Vec::new() };
        for way in relate::ways(&found.stored.name.as_str(), &ends) {
            let Some(key) = keys.all.get(way) else { continue };
            let known = tables.iter().map(|f| &f.stored).chain(&keys.others);
            plan.extend(key, known.into_iter().find(|t| t.name == key.to_table));
        }
        all.extend(plan.over(desk, found, text)?);
    }
    Ok(all)
}

/// Which tables are joined to the first, and how.
struct JoinPlan<'a> {
    tables: Vec<&'a StoredTable>,
    /// For each table after the first: the table and the column that name its rows, and its key.
    ways: Vec<(usize, usize, usize)>,
}

impl<'a> JoinPlan<'a> {
    /// Adds the table that a key of one in the plan leads to.
    fn extend(&mut self, key: &ForeignKey, to: Option<&'a StoredTable>) {
        let column = |of: &StoredTable, name: &str| of.table.columns.iter().position(|c| c.name == name);
        let at = self.tables.iter().position(|t| t.name == key.table);
        let from = at.and_then(|at| Some((at, column(self.tables.get(at)?, &key.column)?)));
        let Some((to, (at, from))) = to.zip(from) else { return };
        if let Some(own) = column(to, &key.to_column) {
            self.tables.push(to);
            self.ways.push((at, from, own));
        }
    }

    /// The view; none where nothing is joined, or a table is too large to be looked at whole.
    fn over<'f>(&self, desk: &Answering<'_>, found: &'f Found, text: &str) -> Result<Option<Over<'f>>> {
        let width: usize = self.tables.iter().map(|t| t.table.columns.len()).sum();
        let others = self.tables.get(1..).unwrap_or_default();
        if others.is_empty() || !others.iter().all(|t| grid::is_small(t, 0)) {
            return Ok(None);
        }
        let (batches, whole) = grid::rows(desk, &found.stored, text, width)?;
        let rest = others.iter().map(|t| rows(t)).collect::<Result<Vec<_>>>()?;
        let sides = others.iter().zip(&rest).map(|(table, rows)| side(table, rows));
        let ways = sides.zip(&self.ways);
        let joins: Vec<Join<'_>> =
            ways.map(|(side, way)| Join { from: (way.0, way.1), side, key: way.2 }).collect();
        let base = side(&found.stored, &batches);
        let joined = question::join(&base, &joins)?;
        let columns = joined.columns.clone();
        let relations = self.tables.iter().map(|t| t.name.clone()).collect();
        let over = Over { found, columns, relations, grid: joined.grid(whole), known: Vec::new() };
        Ok(Some(over.knowing(text)))
    }
}

/// Where a question says that there is none: each table that others refer to, with how many of their rows do.
fn tallied<'a>(
    desk: &Answering<'_>,
    text: &str,
    tables: &'a [Found],
    keys: &ForeignKeys,
) -> Result<Vec<Over<'a>>> {
    if !question::says_none(text) {
        return Ok(Vec::new());
    }
    let small = |found: &&Found| grid::is_small(&found.stored, 0);
    let all = tables.iter().filter(small).map(|found| tallied_one(desk, text, found, tables, keys));
    Ok(all.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

fn tallied_one<'a>(
    desk: &Answering<'_>,
    text: &str,
    found: &'a Found,
    tables: &[Found],
    keys: &ForeignKeys,
) -> Result<Option<Over<'a>>> {
    let stored = &found.stored;
    let column = |of: &StoredTable, name: &str| of.table.columns.iter().position(|c| c.name == name);
    let known = |name: &str| tables.iter().map(|f| &f.stored).chain(&keys.others).find(|t| t.name == name);
    let of = |key: &ForeignKey| {
        let other = known(&key.table).filter(|t| grid::is_small(t, 0))?;
        Some((other, column(other, &key.column)?, column(stored, &key.to_column)?))
    };
    let referring: Vec<_> = keys.all.iter().filter(|k| k.to_table == stored.name).filter_map(of).collect();
    // Who refers twice, as a match does to its two teams, refers in more than one sense.
    let is_only =
        |at: &&(&StoredTable, usize, usize)| referring.iter().filter(|r| r.0.name == at.0.name).count() == 1;
    let referring: Vec<_> = referring.iter().filter(is_only).collect();
    if referring.is_empty() {
        return Ok(None);
    }
    let (batches, whole) = grid::rows(desk, stored, text, stored.table.columns.len())?;
    let rest = referring.iter().map(|(other, ..)| rows(other)).collect::<Result<Vec<_>>>()?;
    let tallies: Vec<Tally<'_>> = referring
        .iter()
        .zip(&rest)
        .map(|((other, from, key), rows)| Tally { side: side(other, rows), from: *from, key: *key })
        .collect();
    let joined = question::tally(&side(stored, &batches), &tallies)?;
    let columns = joined.columns.clone();
    let others = referring.iter().map(|(other, ..)| other.name.clone());
    let relations = std::iter::once(stored.name.clone()).chain(others).collect();
    let over = Over { found, columns, relations, grid: joined.grid(whole), known: Vec::new() };
    Ok(Some(over.knowing(text)))
}

fn side<'s>(stored: &'s StoredTable, batches: &'s [Batch]) -> Side<'s> {
    Side { relation: &stored.name, columns: &stored.table.columns, batches }
}

fn rows(stored: &StoredTable) -> Result<Vec<Batch>> {
    data::open(&stored.table.columns, &stored.data, None)?.collect()
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

/// A table over which the question reads well is likelier the one that is meant: the share of each table is weighed
/// by its best reading before it counts. One that leaves words without a place counts little beside one that leaves none, and
/// so does a table alone beside a better reading that joins it with others, or by names that are said more fully.
fn weigh(question: &str, candidates: &mut [Candidate<'_>]) {
    const INEXACT: f32 = 0.1;
    let is_exact = candidates.iter().any(|c| c.reading.is_exact);
    let joint = candidates.iter().filter(|c| c.over.is_joined());
    let joint: Vec<(Rc<Over<'_>>, f32, f32)> =
        joint.map(|c| (c.over.clone(), c.reading.probability, said(question, c))).collect();
    let is_part = |c: &Candidate<'_>| {
        let own = said(question, c);
        let holds = |(over, likely, said): &(Rc<Over<'_>>, f32, f32)| {
            let is_better =
                *likely > c.reading.probability || *said > own && *likely > LIKELY * c.reading.probability;
            over.relations.contains(&c.stored().name) && is_better
        };
        c.is_short || !c.over.is_joined() && joint.iter().any(holds)
    };
    let known: BTreeSet<&String> = candidates.iter().flat_map(|c| &c.over.known).collect();
    let strange = |c: &Candidate<'_>| known.iter().filter(|word| !c.over.known.contains(word)).count();
    let mut best: HashMap<String, f32> = HashMap::new();
    for candidate in candidates.iter() {
        let exact = if is_exact && !candidate.reading.is_exact { INEXACT } else { 1.0 };
        let alone = if is_part(candidate) { ALONE } else { 1.0 };
        let strange = STRANGE.powi(strange(candidate) as i32);
        let weight = exact * alone * strange * candidate.probability * candidate.reading.probability;
        let most = best.entry(candidate.over.name().to_owned()).or_default();
        *most = most.max(weight);
    }
    let sum: f32 = best.values().sum();
    for candidate in candidates {
        let weight = best.get(candidate.over.name()).copied().unwrap_or(0.0);
        let short = if candidate.is_short { SHORT } else { 1.0 };
        candidate.probability = weight / sum.max(f32::MIN_POSITIVE) * candidate.reading.probability * short;
    }
}
