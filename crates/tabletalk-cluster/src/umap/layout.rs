//! Points that belong together attract each other, others repel each other, until they have found their places.

use super::graph::Graph;
use super::{MOST_COMPONENTS, Places, Settings};
use crate::Stop;
use crate::approximate::{exp2, log2};
use crate::random::{below, mixed};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// Points that a thread moves at a time.
const CHUNK: usize = 128;
/// One that attracts, and up to seven that repel.
const GROUP: usize = 8;

/// Moves the points for some rounds. `None` if stopped.
pub(super) fn layout(
    graph: &Graph,
    places: &mut Places,
    curve: Curve,
    settings: &Settings,
    stopped: Stop,
) -> Option<()> {
    let epochs = settings.epochs.unwrap_or_else(|| usual(graph.len())).max(1);
    let rates = rates(graph, epochs);
    let mut next = places.clone();
    for epoch in 0..epochs {
        if stopped() {
            return None;
        }
        let step = 1.0 - epoch as f32 / epochs as f32;
        let key = mixed(settings.seed ^ mixed(epoch as u64 + 1));
        let negative = settings.negative_samples.min(GROUP - 1);
        let round = Round { graph, rates: &rates, places, curve, step, epoch, key, negative };
        round.move_all(&mut next);
        std::mem::swap(places, &mut next);
    }
    Some(())
}

/// Rounds for so many points. In twelve dimensions twice as many add about .003 to the trustworthiness, in two about .01.
fn usual(points: usize) -> usize {
    match points {
        ..=2500 => 400,
        2501..=10_000 => 200,
        _ => 100,
    }
}

/// How often each edge attracts in a round. Edges too weak to attract even once never do.
fn rates(graph: &Graph, epochs: usize) -> Vec<f32> {
    let most = graph.weights.iter().copied().fold(0f32, f32::max).max(f32::MIN_POSITIVE);
    let rate = |weight: &f32| if *weight * (epochs as f32) < most { 0.0 } else { *weight / most };
    graph.weights.iter().map(rate).collect()
}

#[derive(Clone, Copy)]
struct Round<'a> {
    graph: &'a Graph,
    rates: &'a [f32],
    places: &'a Places,
    curve: Curve,
    step: f32,
    epoch: usize,
    key: u64,
    negative: usize,
}

impl Round<'_> {
    fn move_all(self, next: &mut Places) {
        let width = next.width;
        next.data.par_chunks_mut(CHUNK * width).enumerate().for_each(|(chunk, out)| {
            let first = chunk * CHUNK;
            if width == 16 {
                Arch::new().dispatch(Move::<16> { round: self, first, out });
            } else {
                Arch::new().dispatch(Move::<MOST_COMPONENTS> { round: self, first, out });
            }
        });
    }
}

struct Move<'a, const W: usize> {
    round: Round<'a>,
    first: usize,
    out: &'a mut [f32],
}

impl<const W: usize> WithSimd for Move<'_, W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (places, _) = self.round.places.data.as_chunks::<W>();
        let (out, _) = self.out.as_chunks_mut::<W>();
        for (at, out) in out.iter_mut().enumerate() {
            *out = moved(simd, &self.round, places, self.first + at);
        }
    }
}

/// Where a point is after a round.
#[inline(always)]
fn moved<S: Simd, const W: usize>(simd: S, round: &Round, places: &[[f32; W]], row: usize) -> [f32; W] {
    let mut place = places[row];
    let edges = round.graph.starts[row]..round.graph.starts[row + 1];
    let own_key = mixed(round.key ^ (row as u64) << 20);
    for edge in edges {
        if !is_due(round.rates[edge], round.epoch, edge) {
            continue;
        }
        let others = others(round, places.len(), own_key ^ edge as u64, edge);
        push(simd, round, places, row, &others, &mut place);
    }
    place
}

/// Whether an edge attracts in this round: as often as its rate says, evenly, each edge with a beat of its own.
#[inline(always)]
fn is_due(rate: f32, epoch: usize, edge: usize) -> bool {
    let phase = ((edge as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f32 / (1u64 << 24) as f32;
    let turn = rate * epoch as f32 + phase;
    (turn + rate) as u32 > turn as u32
}

/// The other end of the edge, and the points that repel.
#[inline(always)]
fn others(round: &Round, points: usize, key: u64, edge: usize) -> [u32; GROUP] {
    let mut others = [round.graph.ids[edge]; GROUP];
    let mut key = key;
    for pair in others[1..=round.negative].chunks_mut(2) {
        key = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = mixed(key);
        pair[0] = below(bits, points) as u32;
        if let Some(second) = pair.get_mut(1) {
            *second = below(bits << 32, points) as u32;
        }
    }
    others
}

/// Moves one point towards the first of the others and away from the rest. The first counts twice: an edge moves both of
/// its ends, and comes up at either.
#[inline(always)]
fn push<S: Simd, const W: usize>(
    simd: S,
    round: &Round,
    places: &[[f32; W]],
    row: usize,
    others: &[u32; GROUP],
    place: &mut [f32; W],
) {
    let mut squares = [0f32; GROUP];
    for i in 0..=round.negative {
        squares[i] = square(simd, place, &places[others[i] as usize]);
    }
    let forces = forces(&squares, round.curve);
    let before = *place;
    for i in 0..=round.negative {
        if i > 0 && others[i] as usize == row {
            continue;
        }
        let step = simd.splat_f32s(if i == 0 { 2.0 * round.step } else { round.step });
        pull(simd, &before, &places[others[i] as usize], simd.splat_f32s(forces[i]), step, place);
    }
}

/// Moves a place by a force along the line from another, in no direction by more than four steps.
#[inline(always)]
fn pull<S: Simd>(simd: S, mine: &[f32], other: &[f32], force: S::f32s, step: S::f32s, place: &mut [f32]) {
    let (low, high) = (simd.splat_f32s(-4.0), simd.splat_f32s(4.0));
    let ((mine, _), (other, _)) = (S::as_simd_f32s(mine), S::as_simd_f32s(other));
    let (place, _) = S::as_mut_simd_f32s(place);
    for ((place, mine), other) in place.iter_mut().zip(mine).zip(other) {
        let by = simd.mul_f32s(force, simd.sub_f32s(*mine, *other));
        let by = simd.min_f32s(high, simd.max_f32s(low, by));
        *place = simd.mul_add_e_f32s(step, by, *place);
    }
}

/// The square of the distance.
#[inline(always)]
fn square<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f32 {
    let ((a, _), (b, _)) = (S::as_simd_f32s(a), S::as_simd_f32s(b));
    let mut sum = simd.splat_f32s(0.0);
    for (x, y) in a.iter().zip(b) {
        let by = simd.sub_f32s(*x, *y);
        sum = simd.mul_add_e_f32s(by, by, sum);
    }
    simd.reduce_sum_f32s(sum)
}

/// What the first pulls and the others push with, for the squares of their distances.
#[inline(always)]
fn forces(squares: &[f32; GROUP], Curve { a, b }: Curve) -> [f32; GROUP] {
    let mut forces = [0f32; GROUP];
    let mut first = 0.0;
    for i in 0..GROUP {
        let square = squares[i].max(1e-20);
        let power = a * exp2(b * log2(square));
        forces[i] = 2.0 * b / ((0.001 + square) * (1.0 + power));
        if i == 0 {
            first = -2.0 * b * power / (square * (1.0 + power));
        }
    }
    forces[0] = first;
    forces
}

/// `1 / (1 + a d^2b)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Curve {
    pub(super) a: f32,
    pub(super) b: f32,
}

impl Curve {
    /// The curve nearest to one that is 1 up to `min_dist` and then falls off exponentially, by damped least squares.
    pub(super) fn fit(min_dist: f32, spread: f32) -> Curve {
        let spread = f64::from(if spread.is_finite() { spread.clamp(0.01, 100.0) } else { 1.0 });
        let least = f64::from(if min_dist.is_finite() { min_dist } else { 0.1 }).clamp(0.0, 3.0 * spread);
        let at = |i: usize| 3.0 * spread * (i + 1) as f64 / 300.0;
        let wanted = |x: f64| if x < least { 1.0 } else { (-(x - least) / spread).exp() };
        let pairs: Vec<(f64, f64)> = (0..300).map(|i| (at(i), wanted(at(i)))).collect();
        let (mut best, mut damping) = ([1.0, 1.0], 1e-3);
        let mut error = misfit(best, &pairs);
        for _ in 0..100 {
            let next = step(best, damping, &pairs);
            let now = misfit(next, &pairs);
            if now < error {
                (best, error, damping) = (next, now, damping * 0.3);
            } else {
                damping *= 10.0;
            }
        }
        Curve { a: best[0] as f32, b: best[1] as f32 }
    }
}

fn height([a, b]: [f64; 2], x: f64) -> f64 {
    1.0 / (1.0 + a * x.powf(2.0 * b))
}

fn misfit(at: [f64; 2], pairs: &[(f64, f64)]) -> f64 {
    if at[0] <= 0.0 || at[1] <= 0.0 {
        return f64::INFINITY;
    }
    pairs.iter().map(|(x, y)| (height(at, *x) - y).powi(2)).sum()
}

/// One step of the damped normal equations for `a` and `b`.
fn step([a, b]: [f64; 2], damping: f64, pairs: &[(f64, f64)]) -> [f64; 2] {
    let (mut aa, mut ab, mut bb, mut ra, mut rb) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (x, y) in pairs {
        let (power, h) = (x.powf(2.0 * b), height([a, b], *x));
        let (da, db) = (-h * h * power, -h * h * a * power * 2.0 * x.ln());
        let left = y - h;
        aa += da * da;
        ab += da * db;
        bb += db * db;
        ra += da * left;
        rb += db * left;
    }
    let (aa, bb) = (aa * (1.0 + damping) + 1e-12, bb * (1.0 + damping) + 1e-12);
    let det = aa * bb - ab * ab;
    [a + (ra * bb - rb * ab) / det, b + (rb * aa - ra * ab) / det]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_settings_give_the_usual_curve() {
        let curve = Curve::fit(0.1, 1.0);
        assert!((curve.a - 1.577).abs() < 0.01 && (curve.b - 0.895).abs() < 0.005, "{curve:?}");
        assert!(Curve::fit(f32::NAN, -1.0).a.is_finite());
    }
}
