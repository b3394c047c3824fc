//! What learning needs to see: the programs of a question with their answers, features and signs.

use crate::candidate::{self, Found};
use crate::feature;
use crate::follow::Turn;
use crate::grid::Grid;
use crate::program::Program;
use crate::{Answer, claim, trust};

pub use crate::feature::Features;

/// How many weights are learned.
pub const WEIGHTS: usize = feature::WEIGHTS;
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
    /// What speaks for trusting it, were it the best.
    pub signs: [f32; SIGNS],
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
    let signs: Vec<_> = found.candidates.iter().map(|c| trust::signs(&found, c)).collect();
    let all = found.candidates.into_iter().zip(signs);
    (
        all.map(|(c, signs)| Candidate {
            program: c.program,
            answer: c.answer,
            denotation: c.denotation,
            signs,
        })
        .collect(),
        features,
    )
}

/// The signs of the best answer, whose share is `p`, beside the second, whose share is `next`.
pub fn with_shares(signs: [f32; SIGNS], p: f32, next: f32) -> [f32; SIGNS] {
    trust::with_shares(signs, p, next)
}

/// What was learned, the trust in questions and in statements and the weights of features, in the form in which it is kept.
pub fn written(trust: &[[f32; SIGNS]; 2], weights: &[f32]) -> Vec<u8> {
    let mut bytes: Vec<u8> = trust.iter().flatten().flat_map(|t| t.to_le_bytes()).collect();
    for weight in weights {
        let half = (weight.to_bits().wrapping_add(0x8000) >> 16) as u16;
        bytes.extend(half.to_le_bytes());
    }
    bytes
}
