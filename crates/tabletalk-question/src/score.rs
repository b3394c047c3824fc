//! Scores programs by what was learned, and says how sure the best is.

use crate::candidate::Found;
use crate::feature::{Features, WEIGHTS};
use crate::forest;
use crate::trust::SIGNS;
use rustc_hash::FxHashMap;

/// What was learned: a weight for each feature (the upper half of an `f32`), then the trees that judge the answers of
/// questions, then those that judge verdicts on statements.
const LEARNED: &[u8] = include_bytes!("learned.bin");

/// Trees for each.
pub(crate) const TREES: usize = 160;

/// The weight of a feature.
pub(crate) fn weight(id: u32) -> f32 {
    let at = (id as usize & (WEIGHTS - 1)) * 2;
    match LEARNED.get(at..at + 2) {
        Some([a, b]) => f32::from_bits(u32::from(u16::from_le_bytes([*a, *b])) << 16),
        _ => 0.0,
    }
}

/// How often an answer with these signs is right.
pub(crate) fn trust(signs: &[f32; SIGNS], is_claim: bool) -> f32 {
    let from = WEIGHTS * 2 + if is_claim { forest::size(TREES) } else { 0 };
    let trees = LEARNED.get(from..from + forest::size(TREES)).unwrap_or_default();
    forest::probability(trees, signs)
}

/// Programs that give the same answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Group {
    /// The likeliest of them, by its number.
    pub best: usize,
    /// How likely they are together, unadjusted.
    pub share: f32,
    /// How likely the likeliest is.
    pub own: f32,
    /// How many there are.
    pub size: usize,
}

/// The answers of programs, the likeliest first, and the scores behind that.
#[derive(Debug)]
pub(crate) struct Ranked {
    pub groups: Vec<Group>,
    pub scores: Vec<f32>,
}

/// Gathers programs by their answers, the likeliest answer first.
pub(crate) fn rank(found: &Found<'_>, features: &Features, weight: &dyn Fn(u32) -> f32) -> Ranked {
    let scores = features.scores(weight);
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let shares: Vec<f32> = scores.iter().map(|s| (s - top).exp()).collect();
    let total: f32 = shares.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let mut groups: FxHashMap<u64, Group> = FxHashMap::default();
    for (i, (candidate, share)) in found.candidates.iter().zip(&shares).enumerate() {
        let share = share / total;
        let group =
            groups.entry(candidate.denotation).or_insert(Group { best: i, share: 0.0, own: 0.0, size: 0 });
        group.share += share;
        group.size += 1;
        if share > group.own {
            (group.best, group.own) = (i, share);
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.best.cmp(&b.best)));
    Ranked { groups, scores }
}
