//! Rows made fit for counting with.

use rayon::prelude::*;
use tabletalk_core::Matrix;

/// Rows that a thread takes at a time. Sums are made over as many, so they do not depend on the number of threads.
pub(crate) const CHUNK: usize = 1024;

/// The rows with length one. A row with anything that is not a number, or too long to have a length, becomes zeros.
pub(crate) fn normalized(vectors: &Matrix) -> Matrix {
    let dim = vectors.dim.max(1);
    let mut data = vectors.data[..vectors.len() * vectors.dim].to_vec();
    data.par_chunks_mut(dim * CHUNK).for_each(|chunk| chunk.chunks_exact_mut(dim).for_each(normalize));
    Matrix { dim: vectors.dim, data }
}

/// Scales by the largest number first, so that no square is too large or too small.
fn normalize(row: &mut [f32]) {
    let largest =
        row.iter().fold(0f32, |most, x| if x.is_finite() { most.max(x.abs()) } else { f32::INFINITY });
    if largest == 0.0 || !largest.is_finite() {
        return row.fill(0.0);
    }
    row.iter_mut().for_each(|x| *x /= largest);
    let norm = row.iter().map(|x| x * x).sum::<f32>().sqrt();
    row.iter_mut().for_each(|x| *x /= norm);
}

/// The same numbers, with 0 for those that are none.
pub(crate) fn finite(points: &Matrix) -> Matrix {
    let data = points.data[..points.len() * points.dim].iter();
    Matrix {
        dim: points.dim,
        data: data.map(|x| if x.is_finite() { x.clamp(-1e9, 1e9) } else { 0.0 }).collect(),
    }
}

/// Some of the rows, in the order in which they are named.
pub(crate) fn some(vectors: &Matrix, rows: &[u32]) -> Matrix {
    let mut data = Vec::with_capacity(rows.len() * vectors.dim);
    rows.iter().for_each(|row| data.extend_from_slice(row_of(vectors, *row as usize)));
    Matrix { dim: vectors.dim, data }
}

#[inline(always)]
pub(crate) fn row_of(vectors: &Matrix, row: usize) -> &[f32] {
    &vectors.data[row * vectors.dim..(row + 1) * vectors.dim]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_becomes_zeros() {
        let data = vec![3.0, 4.0, f32::NAN, 1.0, 1e38, 1e38, 0.0, 0.0, 1e-40, 0.0];
        let clean = normalized(&Matrix { dim: 2, data });
        let half = 0.5f32.sqrt();
        let wanted = [0.6, 0.8, 0.0, 0.0, half, half, 0.0, 0.0, 1.0, 0.0];
        assert!(clean.data.iter().zip(wanted).all(|(x, y)| (x - y).abs() < 1e-6), "{:?}", clean.data);
    }
}
