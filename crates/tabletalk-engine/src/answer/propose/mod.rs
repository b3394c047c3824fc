//! The third stage: programs that may answer. The parser reads the question over every table, and over tables that are
//! joined; a language model writes programs and looks at what they give (`solve`).

pub(super) mod protocol;
pub(super) mod solve;
pub(super) mod statement;

use super::recall::Evidence;
use super::show::{Over, Prepared};
use super::trace::Noted;
use super::turn::{Before, Read};
use super::{Answering, Question};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use tabletalk_core::Result;
use tabletalk_question::{self as question, Located, Subject, relate};
use tabletalk_store::StoredTable;

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

    /// How the question was read, so that the next one can go on from it.
    pub(super) fn as_read(&self) -> Read {
        Read {
            table: self.stored().name.clone(),
            over: Some(self.over.name().to_owned()),
            program: self.reading.program.clone(),
            rows: self.reading.answer.rows.clone(),
        }
    }
}

/// How a question can be read.
pub(super) struct Readings<'a> {
    /// Over all tables, the likeliest first.
    pub(super) candidates: Vec<Candidate<'a>>,
    /// The words that mean nothing over any of the tables.
    pub(super) unknown: Vec<String>,
}

impl Noted for Readings<'_> {
    fn about(&self) -> Result<Map<String, Value>> {
        let mut about = Map::new();
        if let Some(best) = self.candidates.first() {
            best.as_read().note(&mut about)?;
        }
        let line = |c: &Candidate<'_>| json!({"words": c.words, "table": c.over.name(), "probability": c.probability});
        about.insert("readings".into(), self.candidates.iter().map(line).collect());
        about.insert("unknown".into(), json!(self.unknown));
        Ok(about)
    }
}

/// The readings over all tables, the likeliest first.
pub(super) fn readings<'a>(
    context: &Answering<'_>,
    asked: &Question<'_>,
    evidence: &Evidence,
    shown: &Prepared<'a>,
) -> Result<Readings<'a>> {
    let before = evidence.before.as_ref();
    let mut proposer = Proposer { context, asked, before, shown, candidates: Vec::new(), unknown: None };
    for (place, over) in shown.tables().enumerate() {
        proposer.propose(over?, place < WEIGHED)?;
    }
    if !proposer.is_read() {
        for over in shown.joined()? {
            proposer.propose(over, true)?;
        }
        for over in shown.tallied()? {
            proposer.propose(over, true)?;
        }
    }
    let Proposer { mut candidates, unknown, .. } = proposer;
    weigh(asked.text, &mut candidates);
    candidates.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    candidates.truncate(MOST);
    Ok(Readings { candidates, unknown: unknown.unwrap_or_default() })
}

/// Gathers the readings over one table after another.
struct Proposer<'a, 'd> {
    context: &'d Answering<'d>,
    asked: &'d Question<'d>,
    before: Option<&'d Before>,
    shown: &'d Prepared<'a>,
    candidates: Vec<Candidate<'a>>,
    unknown: Option<Vec<String>>,
}

impl<'a> Proposer<'a, '_> {
    fn propose(&mut self, over: Over<'a>, is_weighed: bool) -> Result<()> {
        let subject = over.subject();
        let model = self.context.locate.filter(|_| is_weighed);
        let turn = self.before.filter(|b| b.over == over.name()).map(|b| &b.turn);
        let mut understood = question::understand_with(self.asked.text, &subject, turn, model)?;
        if let Some(view) = over.grid.view() {
            understood.readings.retain(|r| view.is_needed(&r.program, self.asked.text));
        }
        if !over.is_joined() {
            heed(self.context, self.asked.text, &subject, &mut understood)?;
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
        let is_short = self.shown.speaks_of_others(&over);
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
        let sure = self.context.settings.sure;
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

/// How far the name of a column must be said for no other table to be looked at.
const WHOLE: f32 = 0.99;

/// Where no reading is sure, heeds what the locator says of a question over a table: of its columns, and, if one of them is
/// likely, of its rows.
fn heed(
    context: &Answering<'_>,
    text: &str,
    subject: &Subject<'_>,
    understood: &mut question::Understanding,
) -> Result<()> {
    const MOST_COLUMNS: usize = 64;
    const LIKELY: f32 = 0.5;
    let grid = subject.grid;
    let is_sure = understood.readings.first().is_some_and(|r| r.probability >= context.settings.sure);
    let is_open = grid.is_whole() && !grid.is_empty() && !is_sure && !understood.is_void;
    let Some(locate) = context.locate.filter(|_| is_open) else { return Ok(()) };
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
    // In an order of their own: a sum in another order is another in its last digit.
    let mut best: BTreeMap<String, f32> = BTreeMap::new();
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
