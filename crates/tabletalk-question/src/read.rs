//! Reads a question.

use crate::analyse::Mask;
use crate::candidate::{self, Candidate, Found};
use crate::execute::{Answer, execute};
use crate::feature::{self, asked};
use crate::follow::{self, Continued, Turn};
use crate::grammar;
use crate::grid::Grid;
use crate::program::{Ask, Pick, Program, Rows};
use crate::score;
use serde::{Deserialize, Serialize};
use tabletalk_core::Kind;

/// A reading at least this sure is answered with. Of everyday questions that were answered by less sure readings, more
/// than half were answered wrongly (`tabletalk eval everyday`).
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
}

/// The readings of a question, the likeliest first; none when its words have nothing to do with the table.
pub fn read(question: &str, subject: &Subject<'_>, turn: Option<&Turn>) -> Vec<Reading> {
    understand(question, subject, turn).readings
}

/// What a question means over a table. A reading in which every word has its place comes first; where there is none,
/// what was learned from other questions reads it, and words without a place speak against that.
pub fn understand(question: &str, subject: &Subject<'_>, turn: Option<&Turn>) -> Understanding {
    match turn.and_then(|turn| follow::continued(question, subject, turn)) {
        Some(Continued::Changed(weighed)) => {
            let readings = of_program(&weighed, subject).into_iter().collect();
            return Understanding { readings, unknown: Vec::new() };
        }
        Some(Continued::Unknown(unknown)) => return Understanding { readings: Vec::new(), unknown },
        None => (),
    }
    let parsed = grammar::parse(question, subject, turn.map(|t| t.rows.as_slice()));
    let exact = exact(&parsed, subject, turn);
    let mut readings = learned(question, subject, turn);
    if exact.is_empty() {
        // What was read and gave nothing is not there; another reading would only be another question.
        let trust = match turn {
            None if !parsed.programs.is_empty() => 0.0,
            Some(_) if !parsed.is_void => 1.0,
            _ => parsed.trust_in_others(),
        };
        readings.iter_mut().for_each(|r| r.probability *= trust);
        return Understanding { readings, unknown: parsed.unknown };
    }
    let left = 1.0 - exact.iter().map(|r| r.probability).sum::<f32>().min(1.0);
    let is_new = |r: &Reading| exact.iter().all(|e| e.program != r.program);
    readings.retain(is_new);
    readings.iter_mut().for_each(|r| r.probability *= left);
    readings.splice(0..0, exact);
    readings.truncate(MOST);
    Understanding { readings, unknown: parsed.unknown }
}

/// The readings in which every word has its place.
fn exact(parsed: &grammar::Parsed, subject: &Subject<'_>, turn: Option<&Turn>) -> Vec<Reading> {
    let of = |found: &grammar::Weighed| {
        // A question that does not point back may still mean the rows of the answer before.
        let points_back = found.program.rows.within.is_some();
        if !points_back && turn.is_some_and(|turn| !stands_alone(&found.program, turn)) {
            return None;
        }
        of_program(found, subject)
    };
    // Where the best of them gives nothing, the next would answer another question.
    let Some(first) = parsed.programs.first().and_then(of) else { return Vec::new() };
    std::iter::once(first).chain(parsed.programs.iter().skip(1).filter_map(of)).collect()
}

/// Whether a question that does not point back is one of its own: it asks for a table, or the answer before was a number
/// or about all rows, so that there are no rows it could go on with.
fn stands_alone(program: &Program, turn: &Turn) -> bool {
    let before = &turn.program;
    turn.answered
        && (!program.ask.is_run_in_memory() || before.is_computed() || before.rows == Rows::default())
}

/// A program as a reading; `None` where it can be run here and gives nothing.
fn of_program(found: &grammar::Weighed, subject: &Subject<'_>) -> Option<Reading> {
    let program = &found.program;
    let is_here = program.ask.is_run_in_memory() && subject.grid.is_whole() && !program.rows.computed;
    let answer = if is_here { execute(program, subject.grid)? } else { Answer::default() };
    Some(Reading {
        program: program.clone(),
        probability: found.trust,
        is_exact: true,
        links: found.links.clone(),
        answer,
    })
}

/// The readings that what was learned gives.
fn learned(question: &str, subject: &Subject<'_>, turn: Option<&Turn>) -> Vec<Reading> {
    let found = candidate::find(question, subject.grid, turn);
    let features = feature::features(&found);
    let groups = score::groups(&found, &features);
    let mut left = 1.0;
    let of = |(i, group): (usize, &score::Group)| {
        let candidate = found.candidates.get(group.best)?;
        let rival = groups.get(usize::from(i == 0)).map_or(0.0, |g| g.probability);
        let trust = score::trust(&found, candidate, group.probability, rival)
            * used_numbers(candidate, &found)
            * fits_asking(candidate, &found);
        let probability = trust.min(left);
        left -= probability;
        let (program, answer) = (candidate.program.clone(), candidate.answer.clone());
        Some(Reading {
            program,
            probability,
            is_exact: false,
            links: links(question, candidate, &found),
            answer,
        })
    };
    groups.iter().enumerate().take(MOST).filter_map(of).collect()
}

/// What is left of the trust in a reading that says who by a number, or when by a name.
fn fits_asking(candidate: &Candidate, found: &Found<'_>) -> f32 {
    const UNFIT: f32 = 0.1;
    let (Ask::Cells(column) | Ask::Fold(_, column)) = candidate.program.ask else { return 1.0 };
    let Some(field) = found.grid.columns.get(column) else { return 1.0 };
    let first = found.question.words.first().map_or("", |w| w.text.as_str());
    let is_number = field.is_number() || matches!(field.kind, Kind::Boolean | Kind::Date | Kind::DateTime);
    let yes_no = field.values.len() <= 2 && field.filled > 2 && !field.is_key();
    match first {
        "who" | "wer" | "qui" | "谁" if is_number || yes_no => UNFIT,
        "when" | "wann" | "quand" if !field.is_measured() => UNFIT,
        _ => 1.0,
    }
}

/// What is left of the trust in a reading that does not use a number or a date of the question: a year that is not
/// asked about was hardly said for nothing.
fn used_numbers(candidate: &Candidate, found: &Found<'_>) -> f32 {
    const UNUSED: f32 = 0.25;
    let scope = found.scopes.get(candidate.scope).map_or(0, |s| s.mask);
    let named = candidate
        .program
        .columns()
        .into_iter()
        .filter_map(|c| found.names.get(c))
        .fold(0, |all, n| all | n.mask);
    let numbers = found.question.mentions.iter().fold(0, |all, m| all | m.mask);
    let counts = matches!(candidate.program.rows.pick, Some(Pick::Extreme { count, skip, .. } | Pick::End { count, skip, .. }) if count > 1 || skip > 0);
    let is_used = numbers & !(scope | candidate.target | named) == 0 || counts || found.earlier.is_some();
    if is_used { 1.0 } else { UNUSED }
}

fn links(text: &str, candidate: &Candidate, found: &Found<'_>) -> Vec<Link> {
    let mut links = Vec::new();
    let mut push = |mask: Mask, column: usize, is_value: bool| {
        let words = found.question.written(text, mask).to_owned();
        if !words.is_empty() {
            links.push(Link { words, column, is_value });
        }
    };
    for link in
        found.scopes.get(candidate.scope).iter().flat_map(|s| &s.links).filter_map(|l| found.links.get(*l))
    {
        push(link.mask, link.condition.column, true);
    }
    if let Some(column) = asked(&candidate.program.ask) {
        push(found.names.get(column).map_or(0, |n| n.mask), column, false);
    }
    links
}
