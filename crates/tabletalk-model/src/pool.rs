//! From the states of tokens to vectors.

use crate::Pooling;
use tabletalk_core::matrix::normalize;

/// One vector of length one from the first `attended` of `states`, rows of `dim` numbers.
pub(crate) fn pooled(states: &[f32], dim: usize, attended: usize, pooling: Pooling) -> Vec<f32> {
    let mut rows = states.chunks_exact(dim.max(1)).take(attended.max(1));
    let mut vector = rows.next().map(<[f32]>::to_vec).unwrap_or_default();
    if pooling == Pooling::Mean {
        // Dividing by their number is left out: only the direction is kept.
        rows.for_each(|row| vector.iter_mut().zip(row).for_each(|(sum, x)| *sum += x));
    }
    normalize(&mut vector);
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATES: [f32; 6] = [3.0, 4.0, 1.0, 0.0, 100.0, -100.0];

    #[test]
    fn the_first_state_alone_is_taken() {
        assert_eq!(pooled(&STATES, 2, 2, Pooling::Cls), [0.6, 0.8]);
    }

    #[test]
    fn the_mean_leaves_out_padding() {
        let half = 0.5f32.sqrt();
        let mean = pooled(&STATES, 2, 2, Pooling::Mean);
        assert!((mean[0] - half).abs() < 1e-6 && (mean[1] - half).abs() < 1e-6, "{mean:?}");
    }

    #[test]
    fn no_states_give_no_vector() {
        assert!(pooled(&[], 2, 0, Pooling::Mean).is_empty());
    }
}
