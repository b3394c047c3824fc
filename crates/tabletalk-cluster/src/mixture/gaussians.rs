//! Gaussians, as they are and as they are counted with, and points in blocks of sixteen.

/// Added to each variance, so that points in one place have one.
const LEAST_VARIANCE: f64 = 1e-6;

/// Gaussians, ready for asking how likely a point is.
#[derive(Debug, Clone)]
pub(super) struct Gaussians {
    pub(super) k: usize,
    pub(super) dim: usize,
    /// The middle of each.
    pub(super) means: Vec<f32>,
    /// For each the inverse of the lower triangular root of its covariance, in quads of rows, each column by column and
    /// filled up with zeros.
    pub(super) roots: Vec<f32>,
    /// For each the logarithm of its weight and of its height.
    pub(super) heights: Vec<f32>,
}

/// The length of a triangle of numbers.
pub(super) fn triangle(dim: usize) -> usize {
    dim * (dim + 1) / 2
}

/// The length of a triangle in quads of rows.
#[inline(always)]
pub(super) fn quads(dim: usize) -> usize {
    QUAD * QUAD * triangle(dim.div_ceil(QUAD))
}

/// Sums over points, weighed by how likely they belong: for each Gaussian the weight, the differences from `means`, and
/// the lower triangle of their products.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    pub(super) data: Vec<f64>,
    pub(super) log_likelihood: f64,
}

impl Sums {
    pub(super) fn size(dim: usize) -> usize {
        1 + dim + triangle(dim)
    }

    /// From sums that are kept for each lane.
    pub(super) fn of_lanes(lanes: &[f32], log_likelihood: f64) -> Sums {
        let data = lanes.chunks_exact(LANES).map(|lanes| lanes.iter().map(|x| f64::from(*x)).sum()).collect();
        Sums { data, log_likelihood }
    }

    pub(super) fn add(mut self, other: Sums) -> Sums {
        self.data.iter_mut().zip(&other.data).for_each(|(sum, x)| *sum += x);
        self.log_likelihood += other.log_likelihood;
        self
    }
}

impl Gaussians {
    pub(super) fn none(dim: usize) -> Gaussians {
        Gaussians { k: 0, dim, means: Vec::new(), roots: Vec::new(), heights: Vec::new() }
    }

    /// Those that fit sums best. The sums' differences are from `means`.
    pub(super) fn from_sums(sums: &Sums, means: &[f32], dim: usize, rows: usize) -> Gaussians {
        let k = sums.data.len() / Sums::size(dim);
        let mut made = Gaussians { k, dim, means: Vec::new(), roots: Vec::new(), heights: Vec::new() };
        for (sums, mean) in sums.data.chunks_exact(Sums::size(dim)).zip(means.chunks_exact(dim.max(1))) {
            made.push(sums, mean, rows);
        }
        made
    }

    fn push(&mut self, sums: &[f64], mean: &[f32], rows: usize) {
        let dim = self.dim;
        let weight = sums[0] + 10.0 * f64::EPSILON;
        let shift: Vec<f64> = sums[1..=dim].iter().map(|sum| sum / weight).collect();
        let mut covariance: Vec<f64> = sums[1 + dim..].iter().map(|sum| sum / weight).collect();
        for i in 0..dim {
            (0..=i).for_each(|j| covariance[triangle(i) + j] -= shift[i] * shift[j]);
        }
        let root = inverse(&root(&covariance, dim), dim);
        let log_root: f64 = (0..dim).map(|i| root[triangle(i) + i].ln()).sum();
        let share = (weight / rows.max(1) as f64).max(1e-300).ln();
        let height = share + log_root - 0.5 * dim as f64 * (2.0 * std::f64::consts::PI).ln();
        self.means.extend(mean.iter().zip(&shift).map(|(mean, shift)| (f64::from(*mean) + shift) as f32));
        self.roots.extend(in_quads(&root, dim));
        self.heights.push(height as f32);
    }
}

/// A triangle in quads of rows.
fn in_quads(root: &[f64], dim: usize) -> Vec<f32> {
    let mut quads = Vec::with_capacity(quads(dim));
    for first in (0..dim).step_by(QUAD) {
        for column in 0..first + QUAD {
            let rows = first..first + QUAD;
            quads.extend(
                rows.map(|i| if i < dim && column <= i { root[triangle(i) + column] as f32 } else { 0.0 }),
            );
        }
    }
    quads
}

/// The lower triangular root (Cholesky) of a covariance. Where rounding has made it impossible, variances are raised.
fn root(covariance: &[f64], dim: usize) -> Vec<f64> {
    let mut more = LEAST_VARIANCE;
    for _ in 0..40 {
        if let Some(root) = cholesky(covariance, dim, more) {
            return root;
        }
        more *= 10.0;
    }
    (0..dim).flat_map(|i| (0..=i).map(move |j| f64::from(u8::from(i == j)))).collect()
}

fn cholesky(covariance: &[f64], dim: usize, more: f64) -> Option<Vec<f64>> {
    let mut root = vec![0.0; triangle(dim)];
    for i in 0..dim {
        for j in 0..=i {
            let (a, b) = (triangle(i), triangle(j));
            let known: f64 = (0..j).map(|c| root[a + c] * root[b + c]).sum();
            let left = covariance[a + j] - known;
            if i != j {
                root[a + j] = left / root[b + j];
            } else if left + more > 0.5 * more && left.is_finite() {
                root[a + j] = (left + more).sqrt();
            } else {
                return None;
            }
        }
    }
    Some(root)
}

/// The inverse of a lower triangle.
fn inverse(root: &[f64], dim: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; triangle(dim)];
    for i in 0..dim {
        let scale = 1.0 / root[triangle(i) + i];
        inverse[triangle(i) + i] = scale;
        for j in 0..i {
            let sum: f64 = (j..i).map(|c| root[triangle(i) + c] * inverse[triangle(c) + j]).sum();
            inverse[triangle(i) + j] = -sum * scale;
        }
    }
    inverse
}

/// Points of a block.
pub(super) const LANES: usize = 16;

/// Dimensions are counted with four at a time.
pub(super) const QUAD: usize = 4;

/// Points, sixteen at a time: first the first number of each, then the second ..., then zeros up to whole quads.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    pub(super) dim: usize,
    /// Numbers of a block.
    size: usize,
    /// How many points there are. The last block is filled up with its last point.
    pub(super) rows: usize,
    pub(super) data: Vec<f32>,
}

impl Blocks {
    pub(super) fn new<'a>(rows: impl ExactSizeIterator<Item = &'a [f32]>, dim: usize) -> Blocks {
        let count = rows.len();
        let size = LANES * dim.next_multiple_of(QUAD);
        let mut data = vec![0.0; count.div_ceil(LANES) * size];
        for (at, row) in rows.enumerate() {
            let last = if at + 1 == count { LANES } else { at % LANES + 1 };
            let block = &mut data[at / LANES * size..];
            for lane in at % LANES..last {
                row.iter().enumerate().for_each(|(i, x)| block[i * LANES + lane] = *x);
            }
        }
        Blocks { dim, size, rows: count, data }
    }

    /// How many blocks there are.
    pub(super) fn len(&self) -> usize {
        self.rows.div_ceil(LANES)
    }

    #[inline(always)]
    pub(super) fn block(&self, at: usize) -> &[f32] {
        &self.data[at * self.size..(at + 1) * self.size]
    }

    /// How many points of a block are there.
    #[inline(always)]
    pub(super) fn filled(&self, at: usize) -> usize {
        (self.rows - at * LANES).min(LANES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_of_the_root_undoes_it() {
        let covariance = [4.0, 2.0, 5.0, 1.0, 3.0, 6.0];
        let (root, inverse) = (root(&covariance, 3), inverse(&root(&covariance, 3), 3));
        for i in 0..3 {
            for j in 0..=i {
                let product: f64 = (j..=i).map(|c| root[triangle(i) + c] * inverse[triangle(c) + j]).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-9);
            }
        }
        assert!(super::root(&[f64::NAN], 1)[0].is_finite());
    }
}
