//! Fitting: who belongs where, then what fits those best, again and again.

use super::gaussians::{Blocks, Gaussians, LANES, Sums};
use super::pass::{Active, Pass};
use super::start::Start;
use crate::Stop;
use rayon::prelude::*;

/// The most rounds.
const ROUNDS: usize = 100;
/// A round that improves the mean log-likelihood by less is the last.
const ENOUGH: f64 = 1e-3;
/// Blocks whose sums are made one after the other. It depends on the points only, so sums do not depend on the threads.
const BLOCKS: usize = 64;
/// The most parts, so that sums of many Gaussians over many points stay small.
const PARTS: usize = 16;

/// Fits `k` Gaussians. Gives them and the mean log-likelihood of a point; `None` if stopped.
pub(super) fn fit(start: &Start, k: usize, stopped: Stop) -> Option<(Gaussians, f64)> {
    let blocks = &start.blocks;
    if blocks.rows == 0 || blocks.dim == 0 {
        return Some((Gaussians::none(blocks.dim), 0.0));
    }
    let (centres, labels) = start.clusters(k);
    let mut parts = parts(blocks);
    let mut gaussians = first(blocks, &parts, &centres, &labels);
    let mut before = f64::NEG_INFINITY;
    for round in 0..=ROUNDS {
        if stopped() {
            return None;
        }
        let sums = sums(&gaussians, blocks, &mut parts)?;
        let now = sums.log_likelihood / blocks.rows as f64;
        if round == ROUNDS || (now - before).abs() < ENOUGH {
            return Some((gaussians, now));
        }
        before = now;
        gaussians = Gaussians::from_sums(&sums, &gaussians.means, blocks.dim, blocks.rows);
    }
    None
}

/// A run of blocks, and which Gaussians mattered there in the last round.
struct Part {
    first: usize,
    active: Vec<Active>,
}

fn parts(blocks: &Blocks) -> Vec<Part> {
    let size = BLOCKS.max(blocks.len().div_ceil(PARTS));
    let part = |first| Part { first, active: vec![Active::new(); size.min(blocks.len() - first)] };
    (0..blocks.len()).step_by(size).map(part).collect()
}

/// Gaussians for points that belong to one cluster each.
fn first(blocks: &Blocks, parts: &[Part], centres: &[f32], labels: &[u16]) -> Gaussians {
    let k = centres.len() / blocks.dim;
    let sums = parts.par_iter().map(|part| {
        let mut pass = Pass::new(k, blocks.dim);
        for at in part.first..part.first + part.active.len() {
            let own = &labels[at * LANES..(at * LANES + blocks.filled(at))];
            pass.count(centres, blocks.block(at), own);
        }
        pass.sums()
    });
    let sums = sums.collect::<Vec<_>>().into_iter().reduce(Sums::add);
    sums.map_or_else(
        || Gaussians::none(blocks.dim),
        |sums| Gaussians::from_sums(&sums, centres, blocks.dim, blocks.rows),
    )
}

/// The sums of all points, and their log-likelihood.
fn sums(gaussians: &Gaussians, blocks: &Blocks, parts: &mut [Part]) -> Option<Sums> {
    let sums = parts.par_iter_mut().map(|part| {
        let mut pass = Pass::new(gaussians.k, blocks.dim);
        pass.weigh(gaussians, blocks, part.first, &mut part.active);
        pass.sums()
    });
    sums.collect::<Vec<_>>().into_iter().reduce(Sums::add)
}
