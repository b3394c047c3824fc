//! Scores programs by what was learned, and says how sure the best is.

use crate::candidate::{Candidate, Found};
use crate::feature::{Features, WEIGHTS};
use crate::trust::{self, SIGNS};
use rustc_hash::FxHashMap;

/// What was learned: how much each sign speaks for trust in a question, then in a
/// statement (`f32`), then a weight for each feature (the upper
/// half of an `f32`).
const LEARNED: &[u8] = include_bytes!("learned.bin");

/// The weight of a feature.
pub(crate) fn weight(id: u32) -> f32 {
    let at = SIGNS * 8 + (id as usize & (WEIGHTS - 1)) * 2;
    match LEARNED.get(at..at + 2) {
        Some([a, b]) => f32::from_bits(u32::from(u16::from_le_bytes([*a, *b])) << 16),
        _ => 0.0,
    }
}

/// How often a reading with these signs is right.
pub(crate) fn calibrated(signs: &[f32; SIGNS], is_claim: bool) -> f32 {
    let learned = LEARNED.chunks_exact(4).skip(if is_claim { SIGNS } else { 0 });
    let sum: f32 = signs.iter().zip(learned).map(|(sign, bytes)| sign * number(bytes)).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// How often a reading is right whose answer has this share of all, and the best other answer that one.
pub(crate) fn trust(found: &Found<'_>, candidate: &Candidate, share: f32, rival: f32) -> f32 {
    calibrated(&trust::with_shares(trust::signs(found, candidate), share, rival), found.is_claim)
}

fn number(bytes: &[u8]) -> f32 {
    <[u8; 4]>::try_from(bytes).map_or(0.0, f32::from_le_bytes)
}

/// Programs that give the same answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Group {
    /// The likeliest of them, by its number.
    pub best: usize,
    /// How likely they are together, unadjusted.
    pub probability: f32,
}

/// Gathers programs by their answers, the likeliest answer first.
pub(crate) fn groups(found: &Found<'_>, features: &Features) -> Vec<Group> {
    let scores = features.scores(&weight);
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let shares: Vec<f32> = scores.iter().map(|s| (s - top).exp()).collect();
    let total: f32 = shares.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let mut groups: FxHashMap<u64, (Group, f32)> = FxHashMap::default();
    for (i, (candidate, share)) in found.candidates.iter().zip(&shares).enumerate() {
        let (group, best) =
            groups.entry(candidate.denotation).or_insert((Group { best: i, probability: 0.0 }, 0.0));
        group.probability += share / total;
        if share > best {
            (group.best, *best) = (i, *share);
        }
    }
    let mut groups: Vec<Group> = groups.into_values().map(|(group, _)| group).collect();
    groups.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.best.cmp(&b.best)));
    groups
}
