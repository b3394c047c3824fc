//! Says whether a statement holds.

use crate::claim;
use crate::execute::execute;
use crate::feature;
use crate::grammar;
use crate::program::Program;
use crate::read::Subject;
use crate::score;
use serde::{Deserialize, Serialize};

/// Whether a statement holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether it holds over the rows that are here; `None` where only the program over all rows can say.
    pub supported: Option<bool>,
    /// How often such a verdict is right.
    pub probability: f32,
    /// The program that decides it.
    pub program: Program,
    /// The rows of the source it rests on.
    pub rows: Vec<u64>,
}

/// Whether a statement holds; `None` when its words have nothing to do with the table. The program over all rows
/// has the last word.
pub fn judge(statement: &str, subject: &Subject<'_>) -> Option<Verdict> {
    let parsed = grammar::parse_claim(statement, subject);
    if let Some(grammar::Weighed { program, trust, .. }) = parsed.programs.first() {
        let answer = if program.ask.is_run_in_memory() { execute(program, subject.grid) } else { None };
        return Some(Verdict {
            supported: answer.as_ref().map(|a| a.values.iter().any(|v| v == "yes")),
            probability: *trust,
            program: program.clone(),
            rows: answer.map(|a| a.rows).unwrap_or_default(),
        });
    }
    let verdict = learned(statement, subject)?;
    let probability = verdict.probability * parsed.trust_in_others();
    Some(Verdict { probability, ..verdict })
}

/// The verdict that what was learned from other statements gives.
fn learned(statement: &str, subject: &Subject<'_>) -> Option<Verdict> {
    let found = claim::find(statement, subject.grid);
    let features = feature::features(&found);
    let groups = score::groups(&found, &features);
    let best = groups.first()?;
    let candidate = found.candidates.get(best.best)?;
    Some(Verdict {
        supported: Some(candidate.answer.values.iter().any(|v| v == "yes")),
        probability: score::trust(&found, candidate, best.probability, 1.0 - best.probability),
        program: candidate.program.clone(),
        rows: candidate.answer.rows.clone(),
    })
}
