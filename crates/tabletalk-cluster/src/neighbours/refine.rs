//! The neighbours of a neighbour are often neighbours.

use super::Best;
use crate::products::dot;
use crate::rows::row_of;
use rayon::prelude::*;
use tabletalk_core::Matrix;

/// How often neighbours of neighbours are looked at.
const ROUNDS: usize = 2;
/// So many nearest neighbours of as many nearest neighbours are looked at.
const NEAR: usize = 12;

/// Looks at the neighbours of neighbours, in both directions.
pub(super) fn refine(vectors: &Matrix, mut best: Vec<Best>) -> Vec<Best> {
    for _ in 0..ROUNDS {
        let near = near(&best);
        best = (0..best.len())
            .into_par_iter()
            .map_init(Vec::new, |seen, row| improved(vectors, &best, &near, row, seen))
            .collect();
    }
    best
}

/// The nearest few of each row, and some of those it is near to.
fn near(best: &[Best]) -> Vec<Vec<u32>> {
    let mut near: Vec<Vec<u32>> = best.iter().map(|list| list.ids().take(NEAR).collect()).collect();
    for (row, list) in best.iter().enumerate() {
        for id in list.ids().take(NEAR) {
            let near = &mut near[id as usize];
            if near.len() < 2 * NEAR && !near.contains(&(row as u32)) {
                near.push(row as u32);
            }
        }
    }
    near
}

fn improved(vectors: &Matrix, best: &[Best], near: &[Vec<u32>], row: usize, seen: &mut Vec<u32>) -> Best {
    let mut list = best[row].clone();
    seen.clear();
    seen.extend(near[row].iter().flat_map(|id| &near[*id as usize]));
    seen.sort_unstable();
    seen.dedup();
    for id in seen {
        if *id as usize != row && !best[row].ids().any(|known| known == *id) {
            let score = dot(row_of(vectors, row), row_of(vectors, *id as usize));
            if score >= list.least() {
                list.offer(*id, score);
            }
        }
    }
    list
}
