//! Says whether a statement holds.

use crate::claim;
use crate::feature;
use crate::grammar;
use crate::program::Program;
use crate::prospect::{self, Exact, Prospect};
use crate::read::Subject;
use crate::score;
use serde::{Deserialize, Serialize};
use tabletalk_core::Result;
use tabletalk_core::seam::Locate;

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
    judge_with(statement, subject, None).ok().flatten()
}

/// The same, with a model that weighs what the statement may say.
pub fn judge_with(
    statement: &str,
    subject: &Subject<'_>,
    model: Option<&dyn Locate>,
) -> Result<Option<Verdict>> {
    let parsed = grammar::parse_claim(statement, subject);
    let mut all = prospects(statement, subject, &parsed, &score::weight);
    if let Some(model) = model {
        prospect::weigh(statement, subject, &mut all, model)?;
    }
    let probabilities = prospect::probabilities(
        &all,
        true,
        parsed.trust_in_others() > 0.0 || model.is_some() && parsed.is_doubtful,
    );
    let of = |(p, probability): (Prospect, f32)| {
        let supported = p.is_run.then(|| p.answer.values.iter().any(|v| v == "yes"));
        Verdict { supported, probability, program: p.program, rows: p.answer.rows }
    };
    let verdicts = all.into_iter().zip(probabilities).map(of);
    Ok(verdicts.reduce(|best, other| if other.probability > best.probability { other } else { best }))
}

/// The verdicts that a statement may have.
pub(crate) fn prospects(
    statement: &str,
    subject: &Subject<'_>,
    parsed: &grammar::Parsed,
    weight: &dyn Fn(u32) -> f32,
) -> Vec<Prospect> {
    let exact: Vec<Exact> = parsed.programs.first().and_then(|p| Exact::of(p, subject)).into_iter().collect();
    let found = claim::find(statement, subject.grid);
    let features = feature::features(&found);
    prospect::prospects(statement, &found, &features, parsed, &exact, weight)
}
