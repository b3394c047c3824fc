//! Reads a question.

use crate::candidate;
use crate::execute::{Answer, execute};
use crate::feature;
use crate::flaw;
use crate::follow::{self, Continued, Turn};
use crate::grammar;
use crate::grid::{Grid, Measure};
use crate::program::{Ask, Program, Rows};
use crate::prospect::{self, Exact, Prospect};
use crate::score;
use serde::{Deserialize, Serialize};
use tabletalk_core::Result;
use tabletalk_core::seam::Locate;

/// A reading at least this sure is answered with. On tables that were held out from learning, 75 to 86 of 100 such
/// answers are right (`scripts/measure-question`); of everyday questions that were answered by less sure
/// readings, more than half were answered wrongly (`tabletalk eval everyday`).
pub const SURE: f32 = 0.75;

/// The most readings that are given.
const MOST: usize = 10;

/// The table a question is about.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The name of the relation in SQL.
    pub relation: &'a str,
    /// The title of the table.
    pub title: &'a str,
    /// Its rows, or a part of them that stands for the whole.
    pub grid: &'a Grid,
}

/// One way to read a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The program.
    pub program: Program,
    /// How often such a reading is right.
    pub probability: f32,
    /// Whether every word of the question has its place in it.
    pub is_exact: bool,
    /// The words it rests on.
    pub links: Vec<Link>,
    /// What it gives, computed in memory; only a hint when the grid is not the whole table.
    pub answer: Answer,
}

/// Words of the question that a program rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The words, as they are written.
    pub words: String,
    /// The column they speak of.
    pub column: usize,
    /// Whether they are about a cell of it, not its name.
    pub is_value: bool,
}

/// What a question means over a table.
#[derive(Debug, Clone, Default)]
pub struct Understanding {
    /// The ways to read it, the likeliest first.
    pub readings: Vec<Reading>,
    /// Its words that mean nothing here: they stand in no cell and no name, and are no words of asking.
    pub unknown: Vec<String>,
    /// Whether it asks for what no table knows, or names something that is not there.
    pub is_void: bool,
}

/// The readings of a question, the likeliest first; none when its words have nothing to do with the table.
pub fn read(question: &str, subject: &Subject<'_>, turn: Option<&Turn>) -> Vec<Reading> {
    understand(question, subject, turn).readings
}

/// What a question means over a table. A reading in which every word has its place comes first; where there is none,
/// what was learned from other questions reads it, and words without a place speak against that.
pub fn understand(question: &str, subject: &Subject<'_>, turn: Option<&Turn>) -> Understanding {
    // Only a model can fail.
    understand_with(question, subject, turn, None).unwrap_or_default()
}

/// The same, with a model that weighs the readings.
pub fn understand_with(
    question: &str,
    subject: &Subject<'_>,
    turn: Option<&Turn>,
    model: Option<&dyn Locate>,
) -> Result<Understanding> {
    match turn.and_then(|turn| follow::continued(question, subject, turn)) {
        Some(Continued::Changed(weighed)) => {
            let readings = of_program(&weighed, subject).into_iter().collect();
            return Ok(Understanding { readings, unknown: Vec::new(), is_void: true });
        }
        Some(Continued::Unknown(unknown)) => {
            return Ok(Understanding { readings: Vec::new(), unknown, is_void: true });
        }
        None => (),
    }
    let parsed = grammar::parse(question, subject, turn.map(|t| t.rows.as_slice()));
    let (mut prospects, is_claim) = prospects(question, subject, turn, &parsed, &score::weight);
    if let Some(model) = model.filter(|_| turn.is_none() && !is_plain(&prospects, is_claim)) {
        prospect::weigh(question, subject, &mut prospects, model)?;
    }
    // What was read and gave nothing is not there; another reading would only be another question.
    let is_settled =
        turn.is_none() && !parsed.programs.is_empty() && prospects.iter().all(|p| p.exact == 0.0);
    // A model knows other words for what a table has; names that are not there it does not know better.
    let is_known = model.is_some() && parsed.is_doubtful;
    let is_open = (parsed.trust_in_others() > 0.0 || is_known) && !is_settled;
    let probabilities = prospect::probabilities(&prospects, is_claim, is_open);
    let mut readings: Vec<Reading> = prospects.into_iter().zip(probabilities).map(reading).collect();
    readings.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    readings.truncate(MOST);
    share_out(&mut readings);
    readings = named(readings, question, subject.grid);
    let is_void = parsed.is_void || is_settled || turn.is_some();
    Ok(Understanding { readings, unknown: parsed.unknown, is_void })
}

/// Whether the grammar alone reads a question in one way and so surely that no model need be asked. Of everyday questions that
/// were read so nearly all were answered rightly.
fn is_plain(prospects: &[Prospect], is_claim: bool) -> bool {
    const PLAIN: f32 = 0.9;
    let probabilities = prospect::probabilities(prospects, is_claim, true);
    let mut exact = prospects.iter().zip(probabilities).filter(|(p, _)| p.exact > 0.0);
    matches!((exact.next(), exact.next()), (Some((_, likely)), None) if likely >= PLAIN)
}

/// The answers that a question may have, and whether they are those of a question of yes or no.
pub(crate) fn prospects(
    question: &str,
    subject: &Subject<'_>,
    turn: Option<&Turn>,
    parsed: &grammar::Parsed,
    weight: &dyn Fn(u32) -> f32,
) -> (Vec<Prospect>, bool) {
    let exact = exact(parsed, subject, turn);
    let text = if turn.is_none() { grammar::plain(question, subject) } else { question.to_owned() };
    let found = candidate::find(&text, subject.grid, turn);
    let features = feature::features(&found);
    (prospect::prospects(&text, &found, &features, parsed, &exact, weight), found.is_claim)
}

/// Puts names in the place of keys and ids, unless these are asked for. Readings that are the same then are one.
fn named(readings: Vec<Reading>, question: &str, grid: &Grid) -> Vec<Reading> {
    let words = crate::word::words(question);
    if flaw::asks_ids(&words) {
        return readings;
    }
    let mut kept: Vec<Reading> = Vec::new();
    for mut reading in readings {
        let program =
            grid.view().map_or_else(|| reading.program.clone(), |view| view.named(&reading.program));
        let program = by_name(program, grid);
        if program != reading.program {
            reading.answer = execute(&program, grid).filter(|_| grid.is_whole()).unwrap_or_default();
            reading.program = program;
        }
        match kept.iter_mut().find(|k| k.program == reading.program) {
            Some(same) => same.probability = (same.probability + reading.probability).min(MOST_SURE),
            None => kept.push(reading),
        }
    }
    kept.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    kept
}

/// The program with the names of rows in the place of their ids, where each row has a name of its own.
fn by_name(mut program: Program, grid: &Grid) -> Program {
    let Ask::Cells(column) = program.ask else { return program };
    let roles = grid.roles();
    let is_given = |c: usize| program.rows.conditions.iter().any(|k| k.column == c);
    let is_name = |c: &usize| {
        *c != column
            && !is_given(*c)
            && grid.columns.get(*c).is_some_and(|f| f.is_key() && f.measure != Measure::Day)
    };
    if let Some(name) = roles.key(grid).filter(is_name).filter(|_| roles.is_id(grid, column)) {
        program.ask = Ask::Cells(name);
    }
    program
}

/// No reading is surer.
const MOST_SURE: f32 = 0.98;

fn reading((prospect, probability): (Prospect, f32)) -> Reading {
    let Prospect { program, answer, links, exact, .. } = prospect;
    Reading { program, probability, is_exact: exact > 0.0, links, answer }
}

/// Readings that exclude each other are not likelier together than certain.
pub(crate) fn share_out(readings: &mut [Reading]) {
    let mut left: f32 = 1.0;
    for reading in readings {
        reading.probability = reading.probability.min(left);
        left -= reading.probability;
    }
}

/// The readings in which every word has its place.
fn exact(parsed: &grammar::Parsed, subject: &Subject<'_>, turn: Option<&Turn>) -> Vec<Exact> {
    let of = |found: &grammar::Weighed| {
        // A question that does not point back may still mean the rows of the answer before.
        let points_back = found.program.rows.within.is_some();
        if !points_back && turn.is_some_and(|turn| !stands_alone(&found.program, turn)) {
            return None;
        }
        Exact::of(found, subject)
    };
    // Where the best of them gives nothing, the next would answer another question.
    let Some(first) = parsed.programs.first().and_then(of) else { return Vec::new() };
    std::iter::once(first).chain(parsed.programs.iter().skip(1).filter_map(of)).collect()
}

/// Whether a question that does not point back is one of its own: it asks for a table, or the answer before was a number
/// or about all rows, so that there are no rows it could go on with.
fn stands_alone(program: &Program, turn: &Turn) -> bool {
    let before = &turn.program;
    turn.answered && (program.ask.is_wide() || before.is_computed() || before.rows == Rows::default())
}

/// A program as a reading; `None` where it can be run here and gives nothing.
fn of_program(found: &grammar::Weighed, subject: &Subject<'_>) -> Option<Reading> {
    let program = &found.program;
    let is_here = subject.grid.is_whole() && !program.rows.computed;
    let answer = if is_here { execute(program, subject.grid)? } else { Answer::default() };
    Some(Reading {
        program: program.clone(),
        probability: found.trust,
        is_exact: true,
        links: found.links.clone(),
        answer,
    })
}
