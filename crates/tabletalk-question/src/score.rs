//! Scores programs by what was learned, and says how sure the best is.

use crate::candidate::Found;
use crate::denote;
use crate::feature::{Features, WEIGHTS};
use crate::shape::Family;
use rustc_hash::FxHashMap;

/// What was learned: for each family the knots of its calibration (`f32`), then a weight for each feature
/// (the upper half of an `f32`).
const LEARNED: &[u8] = include_bytes!("learned.bin");

/// Knots of a calibration curve: at 0, 1/16, … 1 of the unadjusted probability.
pub(crate) const KNOTS: usize = 17;

/// The weight of a feature.
pub(crate) fn weight(id: u32) -> f32 {
    let at = Family::COUNT * KNOTS * 4 + (id as usize & (WEIGHTS - 1)) * 2;
    match LEARNED.get(at..at + 2) {
        Some([a, b]) => f32::from_bits(u32::from(u16::from_le_bytes([*a, *b])) << 16),
        _ => 0.0,
    }
}

/// How often a reading of this family with this unadjusted probability is right.
pub(crate) fn calibrated(family: Family, p: f32) -> f32 {
    let at = p.clamp(0.0, 1.0) * (KNOTS - 1) as f32;
    let low = (at as usize).min(KNOTS - 2);
    let (a, b) = (knot(family, low), knot(family, low + 1));
    (a + (b - a) * (at - low as f32)).clamp(0.0, 1.0)
}

fn knot(family: Family, i: usize) -> f32 {
    let at = (family as usize * KNOTS + i) * 4;
    match LEARNED.get(at..at + 4) {
        Some([a, b, c, d]) => f32::from_le_bytes([*a, *b, *c, *d]),
        _ => i as f32 / (KNOTS - 1) as f32,
    }
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
        let key = denote::hash(&candidate.answer.values);
        let (group, best) = groups.entry(key).or_insert((Group { best: i, probability: 0.0 }, 0.0));
        group.probability += share / total;
        if share > best {
            (group.best, *best) = (i, *share);
        }
    }
    let mut groups: Vec<Group> = groups.into_values().map(|(group, _)| group).collect();
    groups.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.best.cmp(&b.best)));
    groups
}
