//! What learning needs to see: the programs of a question with their answers, features and signs.

use crate::candidate::{self, Found};
use crate::feature;
use crate::follow::Turn;
use crate::grid::Grid;
use crate::program::Program;
use crate::read::{self, Subject};
use crate::{Answer, claim, grammar, judge, score, trust};

use tabletalk_core::Result;
use tabletalk_core::seam::Locate;

pub use crate::feature::Features;
pub use crate::forest::{DEPTH, LEAVES, Tree};

/// Trees that judge questions, and as many that judge statements.
pub const TREES: usize = score::TREES;

/// How many weights are learned.
pub const WEIGHTS: usize = feature::WEIGHTS;
/// How many signs at the end are those of what a model said.
pub const WEIGHED: usize = trust::WEIGHED;
/// How many signs of trust there are.
pub const SIGNS: usize = trust::SIGNS;

/// A program that a question may mean.
#[derive(Debug)]
pub struct Candidate {
    /// The program.
    pub program: Program,
    /// What it gives.
    pub answer: Answer,
    /// The number under which answers that are the same are the same.
    pub denotation: u64,
}

/// The programs that a question may mean, and their features.
pub fn programs(question: &str, grid: &Grid, turn: Option<&Turn>) -> (Vec<Candidate>, Features) {
    seen(candidate::find(question, grid, turn))
}

/// The programs that may say whether a statement holds, and their features.
pub fn claims(statement: &str, grid: &Grid) -> (Vec<Candidate>, Features) {
    seen(claim::find(statement, grid))
}

fn seen(found: Found<'_>) -> (Vec<Candidate>, Features) {
    let features = feature::features(&found);
    let shown = |c: candidate::Candidate| Candidate {
        program: c.program,
        answer: c.answer,
        denotation: c.denotation,
    };
    (found.candidates.into_iter().map(shown).collect(), features)
}

/// An answer that a question may have.
#[derive(Debug)]
pub struct Prospect {
    /// What it is.
    pub answer: Answer,
    /// The program that gives it.
    pub program: Program,
    /// Whether it was computed; others are computed by SQL alone.
    pub is_run: bool,
    /// How far the grammar trusts it.
    pub exact: f32,
    /// What speaks for it and against it.
    pub signs: [f32; SIGNS],
    /// Whether it is yes or no.
    pub is_claim: bool,
}

/// The values of an answer as they are compared in SQL: days in the plain way, however they are written.
pub fn plain(program: &Program, answer: &Answer, grid: &Grid) -> Vec<String> {
    let crate::Ask::Cells(column) = program.ask else { return answer.values.clone() };
    let Some(field) = grid.columns.get(column).filter(|f| f.measure == crate::grid::Measure::Day) else {
        return answer.values.clone();
    };
    let rows = crate::execute::select(&program.rows, grid);
    let cells = rows.iter().filter_map(|r| field.cells.get(*r as usize));
    let mut plain: Vec<String> = cells.filter_map(|c| c.plain.clone()).collect();
    plain.dedup();
    plain
}

/// The answers that a question may have, the grammar's first, then those that are likeliest under these weights.
pub fn prospects(
    question: &str,
    subject: &Subject<'_>,
    turn: Option<&Turn>,
    weight: &dyn Fn(u32) -> f32,
) -> Vec<Prospect> {
    let parsed = grammar::parse(question, subject, turn.map(|t| t.rows.as_slice()));
    let (all, is_claim) = read::prospects(question, subject, turn, &parsed, weight);
    all.into_iter().map(|p| shown(p, is_claim)).collect()
}

/// Lets a model weigh answers; with none, forgets what one said.
pub fn weigh(
    question: &str,
    subject: &Subject<'_>,
    all: &mut [Prospect],
    model: Option<&dyn Locate>,
) -> Result<()> {
    let inner = |p: &Prospect| crate::prospect::Prospect {
        program: p.program.clone(),
        answer: p.answer.clone(),
        links: Vec::new(),
        is_run: p.is_run,
        exact: p.exact,
        signs: p.signs,
        is_flawed: false,
    };
    let shown: Vec<crate::prospect::Prospect> = all.iter().map(inner).collect();
    let weights = match model {
        Some(model) => crate::weigh::weighed(question, subject, &shown, model)?,
        None => vec![None; all.len()],
    };
    all.iter_mut().zip(weights).for_each(|(p, weight)| trust::weigh(&mut p.signs, weight));
    Ok(())
}

/// The verdicts that a statement may have.
pub fn verdicts(statement: &str, subject: &Subject<'_>, weight: &dyn Fn(u32) -> f32) -> Vec<Prospect> {
    let parsed = grammar::parse_claim(statement, subject);
    let all = judge::prospects(statement, subject, &parsed, weight);
    all.into_iter().map(|p| shown(p, true)).collect()
}

fn shown(p: crate::prospect::Prospect, is_claim: bool) -> Prospect {
    Prospect {
        answer: p.answer,
        program: p.program,
        is_run: p.is_run,
        exact: p.exact,
        signs: p.signs,
        is_claim,
    }
}

/// The weight of a feature that was learned.
pub fn weight(id: u32) -> f32 {
    score::weight(id)
}

/// What was learned, the weights of features, in the form in which it is kept; the trees follow.
pub fn written(weights: &[f32]) -> Vec<u8> {
    let half = |weight: &f32| (weight.to_bits().wrapping_add(0x8000) >> 16) as u16;
    weights.iter().flat_map(|w| half(w).to_le_bytes()).collect()
}
