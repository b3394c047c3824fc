//! One look at all points: to whom does each belong, and what are the sums of those?

use super::gaussians::{Blocks, Gaussians, LANES, QUAD, Sums, quads};
use crate::approximate::exp;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// A Gaussian less likely than another by more than this power of e does not matter.
const NEGLIGIBLE: f32 = 17.0;
/// Blocks that a thread takes at a time.
const CHUNK: usize = 64;

/// The Gaussians that matter to a block.
pub(super) type Active = Vec<u16>;

/// Sums under way, for each lane, and room to work in.
pub(super) struct Pass {
    dim: usize,
    sums: Vec<f32>,
    log_likelihood: f64,
    room: Room,
}

/// Room for one block: which Gaussians have been looked at, and how likely their points are.
struct Room {
    seen: Vec<u32>,
    turn: u32,
    active: Active,
    chances: Vec<f32>,
    differences: Vec<f32>,
}

impl Room {
    fn new(k: usize, dim: usize) -> Room {
        let (active, chances) = (Vec::with_capacity(k), Vec::with_capacity(k * LANES));
        Room {
            seen: vec![0; k],
            turn: 0,
            active,
            chances,
            differences: vec![0.0; dim.next_multiple_of(QUAD) * LANES],
        }
    }
}

impl Pass {
    pub(super) fn new(k: usize, dim: usize) -> Pass {
        Pass {
            dim,
            sums: vec![0.0; k * Sums::size(dim) * LANES],
            log_likelihood: 0.0,
            room: Room::new(k, dim),
        }
    }

    pub(super) fn sums(self) -> Sums {
        Sums::of_lanes(&self.sums, self.log_likelihood)
    }

    /// Adds points that belong to one Gaussian each.
    pub(super) fn count(&mut self, means: &[f32], block: &[f32], labels: &[u16]) {
        let mut which = labels.to_vec();
        which.sort_unstable();
        which.dedup();
        for label in which {
            let mut weights = [0f32; LANES];
            labels
                .iter()
                .enumerate()
                .filter(|(_, own)| **own == label)
                .for_each(|(lane, _)| weights[lane] = 1.0);
            let at = usize::from(label);
            let (size, dim) = (Sums::size(self.dim) * LANES, self.dim);
            let sums = &mut self.sums[at * size..(at + 1) * size];
            let (mean, room) = (&means[at * dim..(at + 1) * dim], &mut self.room.differences);
            Arch::new().dispatch(Add { block, mean, weights: &weights, room, sums });
        }
    }

    /// Adds the points of a run of blocks as they likely belong.
    pub(super) fn weigh(
        &mut self,
        gaussians: &Gaussians,
        blocks: &Blocks,
        first: usize,
        active: &mut [Active],
    ) {
        Arch::new().dispatch(Weigh { pass: self, gaussians, blocks, first, active });
    }
}

struct Weigh<'a> {
    pass: &'a mut Pass,
    gaussians: &'a Gaussians,
    blocks: &'a Blocks,
    first: usize,
    active: &'a mut [Active],
}

impl WithSimd for Weigh<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Pass { dim, sums, log_likelihood, room } = self.pass;
        let size = Sums::size(*dim) * LANES;
        for (at, active) in self.active.iter_mut().enumerate() {
            let at = self.first + at;
            let (block, filled) = (self.blocks.block(at), self.blocks.filled(at));
            chances(simd, self.gaussians, block, active, room);
            *log_likelihood += shares(room, filled);
            std::mem::swap(active, &mut room.active);
            for (k, weights) in active.iter().zip(room.chances.chunks_exact(LANES)) {
                let k = usize::from(*k);
                let mean = &self.gaussians.means[k * *dim..(k + 1) * *dim];
                add(simd, block, mean, weights, &mut room.differences, &mut sums[k * size..(k + 1) * size]);
            }
        }
    }
}

/// The logarithms of how likely the points of a block are under each Gaussian that matters. Those that mattered
/// last time are looked at first: they tell early how likely one must be to matter.
#[inline(always)]
fn chances<S: Simd>(simd: S, gaussians: &Gaussians, block: &[f32], last: &[u16], room: &mut Room) {
    room.turn += 1;
    room.active.clear();
    room.chances.clear();
    let mut best = [f32::MIN; LANES];
    for k in last {
        room.seen[usize::from(*k)] = room.turn;
        chance(simd, gaussians, block, *k, &mut best, room);
    }
    for k in 0..gaussians.k {
        if room.seen[k] != room.turn {
            chance(simd, gaussians, block, k as u16, &mut best, room);
        }
    }
}

/// Adds one Gaussian to those that matter, if it does.
#[inline(always)]
fn chance<S: Simd>(simd: S, g: &Gaussians, block: &[f32], k: u16, best: &mut [f32; LANES], room: &mut Room) {
    let (at, dim, size) = (usize::from(k), g.dim, quads(g.dim));
    let mean = g.means[at * dim..(at + 1) * dim].chunks(QUAD);
    let (mut root, _) = g.roots[at * size..(at + 1) * size].as_chunks::<QUAD>();
    let mut chance = [g.heights[at]; LANES];
    let (now, _) = S::as_mut_simd_f32s(&mut chance);
    let (best, _) = S::as_mut_simd_f32s(best);
    let (differences, _) = S::as_mut_simd_f32s(&mut room.differences);
    let (points, _) = S::as_simd_f32s(block);
    let wide = LANES / S::F32_LANES;
    let mut known = 0;
    for mean in mean {
        let new = &mut differences[known * wide..(known + QUAD) * wide];
        let own = &points[known * wide..(known + QUAD) * wide];
        for ((to, x), mean) in new.chunks_exact_mut(wide).zip(own.chunks_exact(wide)).zip(mean) {
            for v in 0..wide {
                to[v] = simd.sub_f32s(x[v], simd.splat_f32s(*mean));
            }
        }
        known += QUAD;
        let (scales, rest) = root.split_at(known);
        root = rest;
        for (v, now) in now.iter_mut().enumerate() {
            *now = less(simd, scales, &differences[..known * wide], v, *now);
        }
        if !matters(simd, now, best) {
            return;
        }
    }
    for (best, now) in best.iter_mut().zip(now.iter()) {
        *best = simd.max_f32s(*best, *now);
    }
    room.active.push(k);
    room.chances.extend_from_slice(&chance);
}

/// Takes half of the squares of four rows of the root times the differences away. Even and odd columns are summed apart,
/// so that no sum waits for the one before.
#[inline(always)]
fn less<S: Simd>(
    simd: S,
    scales: &[[f32; QUAD]],
    differences: &[S::f32s],
    v: usize,
    now: S::f32s,
) -> S::f32s {
    let wide = LANES / S::F32_LANES;
    let zero = simd.splat_f32s(0.0);
    let (mut even, mut odd) = ([zero; QUAD], [zero; QUAD]);
    let ((scales, _), columns) = (scales.as_chunks::<2>(), differences.chunks_exact(2 * wide));
    for ([first, second], column) in scales.iter().zip(columns) {
        for i in 0..QUAD {
            even[i] = simd.mul_add_e_f32s(simd.splat_f32s(first[i]), column[v], even[i]);
            odd[i] = simd.mul_add_e_f32s(simd.splat_f32s(second[i]), column[wide + v], odd[i]);
        }
    }
    let mut squares = zero;
    for i in 0..QUAD {
        let sum = simd.add_f32s(even[i], odd[i]);
        squares = simd.mul_add_e_f32s(sum, sum, squares);
    }
    simd.mul_add_e_f32s(simd.splat_f32s(-0.5), squares, now)
}

/// Whether any of the points may belong.
#[inline(always)]
fn matters<S: Simd>(simd: S, now: &[S::f32s], best: &[S::f32s]) -> bool {
    let mut most = simd.splat_f32s(f32::MIN);
    for (now, best) in now.iter().zip(best) {
        most = simd.max_f32s(most, simd.sub_f32s(*now, *best));
    }
    simd.reduce_max_f32s(most) > -NEGLIGIBLE
}

/// Turns logarithms into shares of one; gives the sum of the logarithms of what was divided by.
#[inline(always)]
fn shares(room: &mut Room, filled: usize) -> f64 {
    let (chances, _) = room.chances.as_chunks_mut::<LANES>();
    let (mut most, mut sums) = ([f32::MIN; LANES], [0f32; LANES]);
    for chance in chances.iter() {
        (0..LANES).for_each(|lane| most[lane] = most[lane].max(chance[lane]));
    }
    for chance in chances.iter_mut() {
        for lane in 0..LANES {
            let by = chance[lane] - most[lane];
            // Next to nothing is nothing: numbers near the smallest there are take a hundred times as long.
            chance[lane] = if by > -NEGLIGIBLE { exp(by) } else { 0.0 };
            sums[lane] += chance[lane];
        }
    }
    let mut scales = [0f32; LANES];
    (0..filled).for_each(|lane| scales[lane] = 1.0 / sums[lane]);
    for chance in chances.iter_mut() {
        (0..LANES).for_each(|lane| chance[lane] *= scales[lane]);
    }
    (0..filled).map(|lane| f64::from(most[lane]) + f64::from(sums[lane].ln())).sum()
}

struct Add<'a> {
    block: &'a [f32],
    mean: &'a [f32],
    weights: &'a [f32],
    room: &'a mut [f32],
    sums: &'a mut [f32],
}

impl WithSimd for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        add(simd, self.block, self.mean, self.weights, self.room, self.sums);
    }
}

/// Adds a block to the sums of a Gaussian.
#[inline(always)]
fn add<S: Simd>(simd: S, block: &[f32], mean: &[f32], weights: &[f32], room: &mut [f32], sums: &mut [f32]) {
    let wide = LANES / S::F32_LANES;
    let ((points, _), (weights, _)) = (S::as_simd_f32s(block), S::as_simd_f32s(weights));
    let ((room, _), (sums, _)) = (S::as_mut_simd_f32s(room), S::as_mut_simd_f32s(sums));
    let (total, sums) = sums.split_at_mut(wide);
    let (firsts, mut seconds) = sums.split_at_mut(mean.len() * wide);
    for v in 0..wide {
        total[v] = simd.add_f32s(total[v], weights[v]);
    }
    for (i, mean) in mean.iter().enumerate() {
        let (row, rest) = seconds.split_at_mut((i + 1) * wide);
        seconds = rest;
        let mut weighed = [simd.splat_f32s(0.0); LANES];
        for v in 0..wide {
            let difference = simd.sub_f32s(points[i * wide + v], simd.splat_f32s(*mean));
            room[i * wide + v] = difference;
            weighed[v] = simd.mul_f32s(weights[v], difference);
            firsts[i * wide + v] = simd.add_f32s(firsts[i * wide + v], weighed[v]);
        }
        for (sums, others) in row.chunks_exact_mut(wide).zip(room.chunks_exact(wide)) {
            for v in 0..wide {
                sums[v] = simd.mul_add_e_f32s(weighed[v], others[v], sums[v]);
            }
        }
    }
}

/// For each row the Gaussians it belongs to.
pub(super) fn memberships(
    gaussians: &Gaussians,
    blocks: &Blocks,
    threshold: f32,
    single: bool,
) -> Vec<Vec<u16>> {
    let all: Vec<usize> = (0..blocks.len()).collect();
    let parts = all.par_chunks(CHUNK).map(|part| {
        let mut room = Room::new(gaussians.k, gaussians.dim);
        let mut found = Vec::new();
        for at in part {
            Arch::new().dispatch(Chances { gaussians, block: blocks.block(*at), room: &mut room });
            shares(&mut room, LANES);
            found.extend((0..blocks.filled(*at)).map(|lane| over(&room, lane, threshold, single)));
        }
        found
    });
    parts.collect::<Vec<_>>().into_iter().flatten().collect()
}

struct Chances<'a> {
    gaussians: &'a Gaussians,
    block: &'a [f32],
    room: &'a mut Room,
}

impl WithSimd for Chances<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        chances(simd, self.gaussians, self.block, &[], self.room);
    }
}

/// The Gaussians with a share over `threshold`, and the one with the largest.
fn over(room: &Room, lane: usize, threshold: f32, single: bool) -> Vec<u16> {
    let share = |at: usize| room.chances[at * LANES + lane];
    let Some(most) = (0..room.active.len()).max_by(|a, b| share(*a).total_cmp(&share(*b)).then(b.cmp(a)))
    else {
        return Vec::new();
    };
    let all = (0..room.active.len()).filter(|at| *at == most || !single && share(*at) > threshold);
    all.map(|at| room.active[at]).collect()
}
