//! What learning needs to see: the programs of a question with their answers and features.

use crate::feature::{self, Features};
use crate::follow::Turn;
use crate::grid::Grid;
use crate::program::Program;
use crate::score::KNOTS;
use crate::shape::Family;
use crate::{Answer, candidate, denote};

/// How many weights are learned.
pub const WEIGHTS: usize = feature::WEIGHTS;

pub use crate::feature::Features as Seen;

/// The programs that a question may mean, their answers, and their features.
pub fn programs(question: &str, grid: &Grid, turn: Option<&Turn>) -> (Vec<(Program, Answer)>, Features) {
    let found = candidate::find(question, grid, turn);
    let features = feature::features(&found);
    (found.candidates.into_iter().map(|c| (c.program, c.answer)).collect(), features)
}

/// The number under which answers that are the same are the same.
pub fn denotation(values: &[String]) -> u64 {
    denote::hash(values)
}

/// The family of a program, by its number, for calibration.
pub fn family(program: &Program) -> usize {
    Family::of(program) as usize
}

/// What was learned, in the form in which it is kept. `curves` has the knots of each family.
pub fn written(curves: &[Vec<f32>], weights: &[f32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(Family::COUNT * KNOTS * 4 + weights.len() * 2);
    for i in 0..Family::COUNT * KNOTS {
        let knot = curves.get(i / KNOTS).and_then(|c| c.get(i % KNOTS)).copied();
        bytes.extend(knot.unwrap_or(i as f32 % KNOTS as f32 / (KNOTS - 1) as f32).to_le_bytes());
    }
    for weight in weights {
        let half = (weight.to_bits().wrapping_add(0x8000) >> 16) as u16;
        bytes.extend(half.to_le_bytes());
    }
    bytes
}

/// How many families there are, and how many knots each of their curves has.
pub const CURVES: (usize, usize) = (Family::COUNT, KNOTS);

/// The programs that say whether a statement holds, what they say, and their features.
pub fn claims(statement: &str, grid: &Grid) -> (Vec<(Program, Answer)>, Features) {
    let found = crate::claim::find(statement, grid);
    let features = feature::features(&found);
    (found.candidates.into_iter().map(|c| (c.program, c.answer)).collect(), features)
}
