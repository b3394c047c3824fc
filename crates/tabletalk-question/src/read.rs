//! Reads a question.

use crate::analyse::Mask;
use crate::candidate::{self, Candidate, Found};
use crate::execute::{Answer, execute};
use crate::feature::{self, asked};
use crate::follow::Turn;
use crate::grid::Grid;
use crate::plain;
use crate::program::Program;
use crate::score;
use serde::{Deserialize, Serialize};

/// A reading at least this sure is answered with. Where it was measured, on tables it had not seen, such
/// answers were right in 86 of 100 plain questions and in 72 of 100 hard ones.
pub const SURE: f32 = 0.55;

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

/// The readings of a question, the likeliest first; none when its words have nothing to do with the table.
pub fn read(question: &str, subject: &Subject<'_>, turn: Option<&Turn>) -> Vec<Reading> {
    let found = candidate::find(question, subject.grid, turn);
    let features = feature::features(&found);
    let groups = score::groups(&found, &features);
    let mut left = 1.0;
    let of = |(i, group): (usize, &score::Group)| {
        let candidate = found.candidates.get(group.best)?;
        let rival = groups.get(usize::from(i == 0)).map_or(0.0, |g| g.probability);
        let probability = score::trust(&found, candidate, group.probability, rival).min(left);
        left -= probability;
        let (program, answer) = (candidate.program.clone(), candidate.answer.clone());
        Some(Reading { program, probability, links: links(question, candidate, &found), answer })
    };
    let readings = groups.iter().enumerate().take(MOST).filter_map(of).collect();
    if turn.is_some() { readings } else { preferred(question, subject, readings) }
}

/// Puts a reading first in which every word of the question has its place.
fn preferred(question: &str, subject: &Subject<'_>, mut readings: Vec<Reading>) -> Vec<Reading> {
    let Some(program) = plain::read(question, subject) else { return readings };
    let Some(answer) = execute(&program, subject.grid) else { return readings };
    readings.retain(|reading| reading.answer.values != answer.values);
    readings.iter_mut().for_each(|reading| reading.probability *= 1.0 - plain::PROBABILITY);
    readings.insert(0, Reading { program, probability: plain::PROBABILITY, links: Vec::new(), answer });
    readings
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
