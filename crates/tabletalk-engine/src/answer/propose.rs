//! The readings of a question over the tables that were found, and over tables that are joined.

use super::evidence::Found;
use super::trace::Trace;
use super::{Answering, Question, grid};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use tabletalk_core::{Batch, Column, Outcome, Result};
use tabletalk_question::{self as question, Grid, Join, Located, Side, Subject};
use tabletalk_store::{ForeignKey, StoredTable, Turn, data};

/// Readings that are looked at.
const MOST: usize = 8;
/// Tables over which a model weighs the readings: it takes as long as to embed a dozen passages.
const WEIGHED: usize = 3;
/// Tables that are joined to one at most.
const JOINED: usize = 4;
/// How many steps a joined table is away at most.
const STEPS: usize = 2;
/// What a reading over one table counts where one over tables that are joined with it reads better: it leaves words over
/// that are about the others.
const ALONE: f32 = 0.1;

/// What a question is read over: a table, or one with what others say of its rows.
pub(super) struct Over<'a> {
    pub(super) found: &'a Found,
    /// Its columns, those of joined tables after its own.
    pub(super) columns: Vec<Column>,
    /// The relations that programs over it may name.
    pub(super) relations: Vec<String>,
    grid: Grid,
}

impl<'a> Over<'a> {
    fn table(desk: &Answering<'_>, found: &'a Found, text: &str) -> Result<Self> {
        let grid = grid::of(desk, &found.stored, text)?;
        let (columns, relations) = (found.stored.table.columns.clone(), vec![found.stored.name.clone()]);
        Ok(Over { found, columns, relations, grid })
    }

    pub(super) fn subject(&self) -> Subject<'_> {
        let stored = &self.found.stored;
        Subject { relation: &stored.name, title: stored.table.title(), grid: &self.grid }
    }

    /// What it is called: by its table, or by all that are joined.
    pub(super) fn name(&self) -> &str {
        self.grid.view().map_or(&self.found.stored.name, |view| &view.name)
    }

    fn is_joined(&self) -> bool {
        self.grid.view().is_some()
    }
}

/// A reading of the question.
pub(super) struct Candidate<'a> {
    pub(super) over: Arc<Over<'a>>,
    pub(super) reading: question::Reading,
    pub(super) sql: String,
    pub(super) words: String,
    /// What it asks, by which groups, and by which columns its rows are chosen.
    pub(super) aim: Vec<String>,
    /// How likely it is what was meant: of the table, and of the reading.
    pub(super) probability: f32,
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
        let mut proposer = Proposer { desk, asked, before, candidates: Vec::new(), unknown: None };
        for (place, found) in tables.iter().enumerate() {
            proposer.propose(Over::table(desk, found, asked.text)?, place < WEIGHED)?;
        }
        if !proposer.is_read() {
            for over in joined(desk, asked.text, tables)? {
                proposer.propose(over, true)?;
            }
        }
        let Proposer { mut candidates, unknown, .. } = proposer;
        weigh(&mut candidates);
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
        let over = Arc::new(over);
        for (sql, words, aim, reading) in read {
            let probability = reading.probability * over.found.share;
            self.candidates.push(Candidate { over: over.clone(), reading, sql, words, aim, probability });
        }
        Ok(())
    }

    /// Whether a single table reads every word of the question, so that no other is needed.
    fn is_read(&self) -> bool {
        let sure = self.desk.settings.sure;
        self.candidates.iter().any(|c| c.reading.is_exact && c.reading.probability >= sure)
    }
}

/// Each table that refers to others, with what those say of its rows.
fn joined<'a>(desk: &Answering<'_>, text: &str, tables: &'a [Found]) -> Result<Vec<Over<'a>>> {
    let catalog = desk.recall.library.catalog()?;
    let keys = catalog.foreign_keys()?;
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for found in tables {
        let mut plan = Plan { tables: vec![(&found.stored).into()], ways: Vec::new(), steps: vec![0] };
        plan.extend(&keys, &|name| match tables.iter().find(|f| f.stored.name == name) {
            Some(found) => Ok(Some((&found.stored).into())),
            None => Ok(catalog.table_named(name)?.map(Whose::Other)),
        })?;
        all.extend(plan.over(desk, found, text)?);
    }
    Ok(all)
}

/// A table that was found, or one that only its keys led to.
enum Whose<'a> {
    Found(&'a StoredTable),
    Other(StoredTable),
}

impl<'a> From<&'a StoredTable> for Whose<'a> {
    fn from(stored: &'a StoredTable) -> Self {
        Whose::Found(stored)
    }
}

impl Whose<'_> {
    fn stored(&self) -> &StoredTable {
        match self {
            Whose::Found(stored) => stored,
            Whose::Other(stored) => stored,
        }
    }
}

/// Which tables are joined to the first, and how.
struct Plan<'a> {
    tables: Vec<Whose<'a>>,
    /// For each table after the first: the table and the column that name its rows, and its key.
    ways: Vec<(usize, usize, usize)>,
    /// How far each is from the first.
    steps: Vec<usize>,
}

impl<'a> Plan<'a> {
    /// Adds the tables that those in the plan refer to, the nearest first.
    fn extend(
        &mut self,
        keys: &[ForeignKey],
        table: &dyn Fn(&str) -> Result<Option<Whose<'a>>>,
    ) -> Result<()> {
        let mut at = 0;
        while let (Some(from), Some(steps)) = (self.tables.get(at), self.steps.get(at).copied()) {
            let name = from.stored().name.clone();
            let own = keys.iter().filter(|k| k.table == name && steps < STEPS);
            for key in own.clone().filter(|k| is_only(k, own.clone())) {
                let is_in = self.tables.iter().any(|t| t.stored().name == key.to_table);
                if is_in || self.tables.len() > JOINED {
                    continue;
                }
                let Some(other) = table(&key.to_table)? else { continue };
                let column = |of: &StoredTable, name: &str| of.table.columns.iter().position(|c| c.name == name);
                let from = self.tables.get(at).and_then(|t| column(t.stored(), &key.column));
                if let (Some(from), Some(to)) = (from, column(other.stored(), &key.to_column)) {
                    self.tables.push(other);
                    self.ways.push((at, from, to));
                    self.steps.push(steps + 1);
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// The view; none where nothing is joined, or a table is too large to be looked at whole.
    fn over<'f>(&self, desk: &Answering<'_>, found: &'f Found, text: &str) -> Result<Option<Over<'f>>> {
        let width: usize = self.tables.iter().map(|t| t.stored().table.columns.len()).sum();
        let others = self.tables.get(1..).unwrap_or_default();
        if others.is_empty() || !others.iter().all(|t| grid::is_small(t.stored(), 0)) {
            return Ok(None);
        }
        let (batches, whole) = grid::rows(desk, &found.stored, text, width)?;
        let rest = others.iter().map(|t| rows(t.stored())).collect::<Result<Vec<_>>>()?;
        let sides = others.iter().zip(&rest).map(|(table, rows)| side(table.stored(), rows));
        let ways = sides.zip(&self.ways);
        let joins: Vec<Join<'_>> =
            ways.map(|(side, way)| Join { from: (way.0, way.1), side, key: way.2 }).collect();
        let base = side(&found.stored, &batches);
        let joined = question::join(&base, &joins)?;
        let grid = Grid::joined(joined.view, &joined.columns, &joined.batches, whole);
        let relations = self.tables.iter().map(|t| t.stored().name.clone()).collect();
        Ok(Some(Over { found, columns: joined.columns, relations, grid }))
    }
}

/// Whether no other column of a table refers to the same: a match has two teams, and which is meant nobody can say.
fn is_only<'k>(key: &ForeignKey, mut own: impl Iterator<Item = &'k ForeignKey>) -> bool {
    !own.any(|other| other.to_table == key.to_table && other.column != key.column)
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
/// so does a table alone beside a better reading that joins it with others.
fn weigh(candidates: &mut [Candidate<'_>]) {
    const INEXACT: f32 = 0.1;
    let is_exact = candidates.iter().any(|c| c.reading.is_exact);
    let joint = candidates.iter().filter(|c| c.over.is_joined());
    let joint: Vec<(Arc<Over<'_>>, f32)> = joint.map(|c| (c.over.clone(), c.reading.probability)).collect();
    let is_part = |c: &Candidate<'_>| {
        let holds = |(over, likely): &(Arc<Over<'_>>, f32)| {
            over.relations.contains(&c.stored().name) && *likely > c.reading.probability
        };
        !c.over.is_joined() && joint.iter().any(holds)
    };
    let mut best: HashMap<String, f32> = HashMap::new();
    for candidate in candidates.iter() {
        let exact = if is_exact && !candidate.reading.is_exact { INEXACT } else { 1.0 };
        let alone = if is_part(candidate) { ALONE } else { 1.0 };
        let most = best.entry(candidate.over.name().to_owned()).or_default();
        *most = most.max(exact * alone * candidate.probability);
    }
    let sum: f32 = best.values().sum();
    for candidate in candidates {
        let weight = best.get(candidate.over.name()).copied().unwrap_or(0.0);
        candidate.probability = weight / sum.max(f32::MIN_POSITIVE) * candidate.reading.probability;
    }
}
