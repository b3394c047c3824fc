//! Where points are before they move: along the directions in which the graph changes slowest.

use super::{Places, graph::Graph};
use crate::products::Packed;
use crate::random::Random;
use crate::rows::CHUNK;
use rayon::prelude::*;
use tabletalk_core::Matrix;

/// How often each point is moved half way to the mean of those it belongs with.
const ROUNDS: usize = 60;
/// After so many rounds directions that have become alike are taken apart.
const APART: usize = 6;

/// Begins with a random projection of the rows and smooths it over the graph. Each direction then runs from 0 to 10.
pub(super) fn start(vectors: &Matrix, graph: &Graph, components: usize, seed: u64) -> Places {
    let mut places = projected(vectors, components, seed);
    let scales: Vec<f32> = (0..graph.len()).map(|row| 1.0 / degree(graph, row).max(1e-9).sqrt()).collect();
    let still: Vec<f32> = scales.iter().map(|scale| 1.0 / scale).collect();
    for round in 0..ROUNDS {
        if round % APART == 0 {
            take_apart(&mut places, components, &still);
        }
        places = smoothed(graph, &places, &scales);
    }
    take_apart(&mut places, components, &still);
    stretch(&mut places, components, seed);
    places
}

fn degree(graph: &Graph, row: usize) -> f32 {
    graph.of(row).1.iter().sum()
}

/// Random directions through the rows.
fn projected(vectors: &Matrix, components: usize, seed: u64) -> Places {
    let mut random = Random::new(seed, 0x57a7);
    let directions: Vec<f32> = (0..components * vectors.dim).map(|_| random.bell()).collect();
    let packed = Packed::new(directions.chunks_exact(vectors.dim), vectors.dim);
    let mut places = Places::new(vectors.len(), components);
    let width = places.width;
    let rows = places.data.par_chunks_mut(CHUNK * width).zip(vectors.data.par_chunks(CHUNK * vectors.dim));
    rows.for_each(|(places, rows)| {
        let mut out = vec![0.0; rows.len() / vectors.dim * packed.stride];
        packed.multiply(rows.chunks_exact(vectors.dim), &mut out);
        for (place, out) in places.chunks_exact_mut(width).zip(out.chunks_exact(packed.stride)) {
            place[..components].copy_from_slice(&out[..components]);
        }
    });
    places
}

/// Half of what a point is, half of what its neighbours are.
fn smoothed(graph: &Graph, places: &Places, scales: &[f32]) -> Places {
    let width = places.width;
    let mut next = Places { width, data: vec![0.0; places.data.len()] };
    next.data.par_chunks_mut(CHUNK * width).enumerate().for_each(|(chunk, out)| {
        for (at, out) in out.chunks_exact_mut(width).enumerate() {
            let row = chunk * CHUNK + at;
            let (ids, weights) = graph.of(row);
            for (id, weight) in ids.iter().zip(weights) {
                let other = &places.data[*id as usize * width..][..width];
                let weight = weight * scales[row] * scales[*id as usize];
                out.iter_mut().zip(other).for_each(|(out, x)| *out += weight * x);
            }
            let own = &places.data[row * width..][..width];
            out.iter_mut().zip(own).for_each(|(out, x)| *out = 0.5 * (*out + x));
        }
    });
    next
}

/// Makes the directions orthogonal to the one that does not change at all, and to each other.
fn take_apart(places: &mut Places, components: usize, still: &[f32]) {
    let sums = inner_products(places, components, still);
    let size = components + 1;
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for i in 0..size {
        let mut new = vec![0.0; size];
        new[i] = 1.0;
        for old in &basis {
            let along = product(&sums, size, old, i);
            new.iter_mut().zip(old).for_each(|(new, old)| *new -= along * old);
        }
        let norm = quadratic(&sums, size, &new);
        let scale = if norm > 1e-12 * sums[i * size + i].max(1e-30) { 1.0 / norm.sqrt() } else { 0.0 };
        new.iter_mut().for_each(|x| *x *= scale);
        basis.push(new);
    }
    apply(places, components, still, &basis[1..]);
}

/// Column 0 is the still direction, the others are those of the places.
fn inner_products(places: &Places, components: usize, still: &[f32]) -> Vec<f64> {
    let (width, size) = (places.width, components + 1);
    let parts: Vec<Vec<f64>> = places
        .data
        .par_chunks(CHUNK * width)
        .zip(still.par_chunks(CHUNK))
        .map(|(places, still)| {
            let mut sums = vec![0f64; size * size];
            let mut full = vec![0f64; size];
            for (place, still) in places.chunks_exact(width).zip(still) {
                full[0] = f64::from(*still);
                full[1..].iter_mut().zip(place).for_each(|(full, x)| *full = f64::from(*x));
                for (sums, x) in sums.chunks_exact_mut(size).zip(&full) {
                    sums.iter_mut().zip(&full).for_each(|(sum, y)| *sum += x * y);
                }
            }
            sums
        })
        .collect();
    let mut total = vec![0f64; size * size];
    parts.iter().for_each(|part| total.iter_mut().zip(part).for_each(|(sum, x)| *sum += x));
    total
}

/// The inner product of a combination of columns with one column.
fn product(sums: &[f64], size: usize, combination: &[f64], column: usize) -> f64 {
    combination.iter().enumerate().map(|(i, x)| x * sums[i * size + column]).sum()
}

fn quadratic(sums: &[f64], size: usize, combination: &[f64]) -> f64 {
    combination.iter().enumerate().map(|(i, x)| x * product(sums, size, combination, i)).sum()
}

fn apply(places: &mut Places, components: usize, still: &[f32], basis: &[Vec<f64>]) {
    let width = places.width;
    places.data.par_chunks_mut(CHUNK * width).zip(still.par_chunks(CHUNK)).for_each(|(places, still)| {
        let mut made = vec![0f32; components];
        for (place, still) in places.chunks_exact_mut(width).zip(still) {
            for (made, basis) in made.iter_mut().zip(basis) {
                let own = place.iter().zip(&basis[1..]).map(|(x, y)| f64::from(*x) * y).sum::<f64>();
                *made = (own + f64::from(*still) * basis[0]) as f32;
            }
            place[..components].copy_from_slice(&made);
        }
    });
}

/// Each direction from 0 to 10, with a little noise so that no two points are in one place.
fn stretch(places: &mut Places, components: usize, seed: u64) {
    let (width, mut random) = (places.width, Random::new(seed, 0x2015e));
    for column in 0..components {
        let values = || places.data.iter().skip(column).step_by(width);
        let low = values().fold(f32::INFINITY, |low, x| low.min(*x));
        let high = values().fold(f32::NEG_INFINITY, |high, x| high.max(*x));
        let scale = if high - low > f32::MIN_POSITIVE { 10.0 / (high - low) } else { 0.0 };
        for x in places.data.iter_mut().skip(column).step_by(width) {
            let stretched = (*x - low) * scale;
            *x = if stretched.is_finite() { stretched } else { 0.0 } + 1e-3 * random.bell();
        }
    }
}
