//! Learns a forest: each tree makes up for what those before it leave wrong.
//!
//! All nodes of a level ask the same question, which keeps trees small and hard to lead astray by a few cases.

use rayon::prelude::*;
use tabletalk_question::learn::{DEPTH, LEAVES, SIGNS, TREES, Tree};

/// How far each tree goes.
const RATE: f64 = 0.08;
/// How many cases speak for no change in a leaf.
const PRIOR: f64 = 8.0;
/// Bounds that are tried for a sign.
const BOUNDS: usize = 40;

/// An answer that was given, and whether it was right.
pub(crate) struct Sample {
    pub(crate) signs: [f32; SIGNS],
    pub(crate) right: bool,
    pub(crate) weight: f32,
}

/// Learns trees from samples.
pub(crate) fn boost(samples: &[Sample]) -> Vec<Tree> {
    let bounds: Vec<Vec<f32>> = (0..SIGNS).into_par_iter().map(|sign| bounds(samples, sign)).collect();
    let bins: Vec<Vec<u8>> = bounds
        .par_iter()
        .enumerate()
        .map(|(sign, b)| samples.iter().map(|s| b.partition_point(|x| s.signs[sign] > *x) as u8).collect())
        .collect();
    let mut odds = vec![0f64; samples.len()];
    let mut trees = Vec::new();
    for _ in 0..TREES {
        let slopes: Vec<(f64, f64)> = samples.iter().zip(&odds).map(|(s, o)| slope(s, *o)).collect();
        let tree = grow(&slopes, &bounds, &bins);
        odds.par_iter_mut().zip(samples).for_each(|(o, s)| *o += f64::from(tree.leaves[tree.leaf(&s.signs)]));
        trees.push(tree);
    }
    trees
}

/// The first and second derivative of the loss.
fn slope(sample: &Sample, odds: f64) -> (f64, f64) {
    let p = 1.0 / (1.0 + (-odds).exp());
    let weight = f64::from(sample.weight);
    ((p - f64::from(u8::from(sample.right))) * weight, p * (1.0 - p) * weight)
}

/// Values between which samples are told apart by a sign.
fn bounds(samples: &[Sample], sign: usize) -> Vec<f32> {
    let mut values: Vec<f32> = samples.iter().map(|s| s.signs[sign]).collect();
    values.sort_by(f32::total_cmp);
    let mut bounds: Vec<f32> = if values.windows(2).filter(|w| w[0] != w[1]).count() < BOUNDS {
        values.windows(2).filter(|w| w[0] != w[1]).map(|w| (w[0] + w[1]) / 2.0).collect()
    } else {
        (1..=BOUNDS).map(|i| values[i * (values.len() - 1) / (BOUNDS + 1)]).collect()
    };
    bounds.dedup();
    bounds
}

fn grow(slopes: &[(f64, f64)], bounds: &[Vec<f32>], bins: &[Vec<u8>]) -> Tree {
    let mut at = vec![0u8; slopes.len()];
    let mut splits = [(0u8, f32::MAX); DEPTH];
    for (level, slot) in splits.iter_mut().enumerate() {
        let best = (0..SIGNS)
            .into_par_iter()
            .filter_map(|sign| {
                split(slopes, &at, &bins[sign], bounds[sign].len(), 1 << level)
                    .map(|(gain, b)| (gain, sign, b))
            })
            .reduce_with(|a, b| if b.0 > a.0 || b.0 == a.0 && b.1 < a.1 { b } else { a });
        let Some((_, sign, bound)) = best else {
            at.iter_mut().for_each(|a| *a <<= 1);
            continue;
        };
        *slot = (sign as u8, bounds[sign][bound]);
        let own = &bins[sign];
        at.iter_mut().zip(own).for_each(|(a, bin)| *a = *a << 1 | u8::from(usize::from(*bin) > bound));
    }
    let mut sums = [(0f64, 0f64); LEAVES];
    for (leaf, (g, h)) in at.iter().zip(slopes) {
        sums[usize::from(*leaf)].0 += g;
        sums[usize::from(*leaf)].1 += h;
    }
    let leaves = sums.map(|(g, h)| (-RATE * g / (h + PRIOR / 4.0)) as f32);
    Tree { splits, leaves }
}

/// The bound of a sign that tells best, and how well it does.
fn split(
    slopes: &[(f64, f64)],
    at: &[u8],
    bins: &[u8],
    bounds: usize,
    leaves: usize,
) -> Option<(f64, usize)> {
    let mut sums = vec![(0f64, 0f64); leaves * (bounds + 1)];
    for ((leaf, bin), (g, h)) in at.iter().zip(bins).zip(slopes) {
        let slot = &mut sums[usize::from(*leaf) * (bounds + 1) + usize::from(*bin)];
        slot.0 += g;
        slot.1 += h;
    }
    let gain = |(g, h): (f64, f64)| g * g / (h + PRIOR / 4.0);
    let mut gains = vec![0f64; bounds];
    for leaf in sums.chunks(bounds + 1) {
        let all = leaf.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        let mut below = (0.0, 0.0);
        for (slot, sum) in gains.iter_mut().zip(leaf) {
            below = (below.0 + sum.0, below.1 + sum.1);
            *slot += gain(below) + gain((all.0 - below.0, all.1 - below.1)) - gain(all);
        }
    }
    gains
        .into_iter()
        .enumerate()
        .map(|(i, g)| (g, i))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|b| b.0 > 1e-9)
}

/// How often an answer with these signs is right.
pub(crate) fn probability(trees: &[Tree], signs: &[f32]) -> f64 {
    let odds: f64 = trees.iter().map(|t| f64::from(t.leaves[t.leaf(signs)])).sum();
    1.0 / (1.0 + (-odds).exp())
}
