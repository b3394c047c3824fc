//! Vectors: one row for a whole text, many rows for its tokens.

/// Rows of equal length, row after row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matrix {
    /// The length of a row.
    pub dim: usize,
    /// The rows.
    pub data: Vec<f32>,
}

impl Matrix {
    /// A matrix of one row.
    pub fn row(data: Vec<f32>) -> Matrix {
        Matrix { dim: data.len(), data }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.data.len().checked_div(self.dim).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.data.chunks_exact(self.dim.max(1))
    }
}

/// Makes the length of `vector` one. A vector of zeros stays as it is.
pub fn normalize(vector: &mut [f32]) {
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if norm > 0.0 && norm.is_finite() {
        vector.iter_mut().for_each(|x| *x /= norm);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_without_rows_has_none() {
        assert_eq!(Matrix::default().len(), 0);
        assert_eq!(Matrix::default().rows().len(), 0);
    }

    #[test]
    fn rows_come_in_order() {
        let matrix = Matrix { dim: 2, data: vec![1.0, 2.0, 3.0, 4.0] };
        assert_eq!(matrix.rows().collect::<Vec<_>>(), [&[1.0, 2.0], &[3.0, 4.0]]);
    }

    #[test]
    fn normalizing_zeros_changes_nothing() {
        let mut zeros = [0.0; 3];
        normalize(&mut zeros);
        assert_eq!(zeros, [0.0; 3]);
    }
}
