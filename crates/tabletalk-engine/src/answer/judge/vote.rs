//! Which of a model's answers counts, and how sure it is: by how many agree, and whether the parser does.

use crate::answer::propose::solve::Solved;
use crate::answer::trace::Trace;
use crate::answer::values;
use serde_json::json;
use tabletalk_core::chat::Usage;
use tabletalk_core::{Answer, Outcome};

/// The answer that most agree on, and the share of those that do. Its usage is that of all.
pub(crate) fn vote(mut all: Vec<Solved>, trace: &mut Trace) -> (Solved, f32) {
    let samples = all.len();
    let usage = all.iter().fold(Usage::default(), |mut sum, one| {
        sum += one.usage;
        sum
    });
    let votes =
        |one: &Solved| all.iter().filter(|other| values::same_all(&one.values, &other.values)).count();
    let counts: Vec<usize> = all.iter().map(votes).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    // Of equals the first: it has the same chance as the others, and is the same every time.
    let best = counts.iter().position(|count| *count == most).unwrap_or(0);
    if samples > 1 {
        trace.note("vote", json!({"samples": samples, "votes": most}));
    }
    let solved = if best < all.len() { all.swap_remove(best) } else { Solved::default() };
    (Solved { usage, ..solved }, most as f32 / samples.max(1) as f32)
}

/// More sure when the parser, which works in another way, comes to the same.
pub(crate) fn agreed(sure: f32, other: &Answer, agrees: bool) -> f32 {
    match agrees {
        true => 1.0 - (1.0 - sure) * (1.0 - other.confidence),
        false if other.outcome == Outcome::Answered => sure * (1.0 - 0.5 * other.confidence),
        false => sure,
    }
}
