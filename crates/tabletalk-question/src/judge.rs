//! Says whether a statement holds.

use crate::claim;
use crate::feature;
use crate::program::Program;
use crate::read::Subject;
use crate::score;
use serde::{Deserialize, Serialize};

/// Whether a statement holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// It holds.
    pub supported: bool,
    /// How often such a verdict is right.
    pub probability: f32,
    /// The program that decides it.
    pub program: Program,
    /// The rows of the source it rests on.
    pub rows: Vec<u64>,
}

/// Whether a statement holds; `None` when its words have nothing to do with the table.
pub fn judge(statement: &str, subject: &Subject<'_>) -> Option<Verdict> {
    let found = claim::find(statement, subject.grid);
    let features = feature::features(&found);
    let groups = score::groups(&found, &features);
    let best = groups.first()?;
    let candidate = found.candidates.get(best.best)?;
    Some(Verdict {
        supported: candidate.answer.values.iter().any(|v| v == "yes"),
        probability: score::trust(&found, candidate, best.probability, 1.0 - best.probability),
        program: candidate.program.clone(),
        rows: candidate.answer.rows.clone(),
    })
}
