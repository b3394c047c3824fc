//! Comparing two vectors with the widest instructions the processor has.
//!
//! The loops are plain: they keep as many sums as the widest registers hold, and `pulp` compiles them once for
//! each generation of processors.

use pulp::Arch;

/// Sums that are kept side by side.
const LANES: usize = 32;

/// The dot product.
pub(crate) fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
    Arch::new().dispatch(
        #[inline(always)]
        || sum(a, b, |x| x, |x, y| x * y),
    )
}

/// The square of the distance.
pub(crate) fn distance_f32(a: &[f32], b: &[f32]) -> f32 {
    Arch::new().dispatch(
        #[inline(always)]
        || sum(a, b, |x| x, |x, y| (x - y) * (x - y)),
    )
}

/// The dot product of finite halves, by their bits.
pub(crate) fn dot_f16(a: &[u16], b: &[u16]) -> f32 {
    Arch::new().dispatch(
        #[inline(always)]
        || sum(a, b, widen, |x, y| x * y),
    )
}

/// The square of the distance of finite halves, by their bits.
pub(crate) fn distance_f16(a: &[u16], b: &[u16]) -> f32 {
    Arch::new().dispatch(
        #[inline(always)]
        || sum(a, b, widen, |x, y| (x - y) * (x - y)),
    )
}

/// The dot product of small integers.
pub(crate) fn dot_i8(a: &[i8], b: &[i8]) -> i32 {
    Arch::new().dispatch(
        #[inline(always)]
        || a.iter().zip(b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum(),
    )
}

/// The sum of a product over all pairs.
#[inline(always)]
fn sum<T: Copy>(a: &[T], b: &[T], read: impl Fn(T) -> f32, product: impl Fn(f32, f32) -> f32) -> f32 {
    let mut sums = [0.0f32; LANES];
    let (blocks_a, blocks_b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = blocks_a.remainder().iter().zip(blocks_b.remainder());
    let tail: f32 = rest.map(|(x, y)| product(read(*x), read(*y))).sum();
    for (x, y) in blocks_a.zip(blocks_b) {
        for lane in 0..LANES {
            sums[lane] += product(read(x[lane]), read(y[lane]));
        }
    }
    sums.iter().sum::<f32>() + tail
}

/// A finite half as a float. Shifting its bits into place leaves an exponent that is too small by 112; the
/// multiplication mends that, for the smallest numbers too. Unlike a conversion by table or call it runs in lanes.
#[inline(always)]
pub(crate) fn widen(half: u16) -> f32 {
    let bits = u32::from(half);
    let size = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits(0x7780_0000);
    f32::from_bits(size.to_bits() | (bits & 0x8000) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;
    use proptest::prelude::*;

    #[test]
    fn every_finite_half_is_widened_exactly() {
        for bits in 0..=u16::MAX {
            let half = f16::from_bits(bits);
            if half.is_finite() {
                assert_eq!(widen(bits).to_bits(), half.to_f32().to_bits(), "{bits:#x}");
            }
        }
    }

    proptest! {
        #[test]
        fn sums_are_those_of_a_plain_loop(pairs in prop::collection::vec((-9.0f32..9.0, -9.0f32..9.0), 0..100)) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
            let dot: f32 = pairs.iter().map(|(x, y)| x * y).sum();
            let distance: f32 = pairs.iter().map(|(x, y)| (x - y) * (x - y)).sum();
            prop_assert!((dot_f32(&a, &b) - dot).abs() < 0.01);
            prop_assert!((distance_f32(&a, &b) - distance).abs() < 0.05);
            let half = |v: &[f32]| v.iter().map(|x| f16::from_f32(*x).to_bits()).collect::<Vec<_>>();
            prop_assert!((dot_f16(&half(&a), &half(&b)) - dot).abs() < 2.0);
            prop_assert!((distance_f16(&half(&a), &half(&b)) - distance).abs() < 2.0);
            let code = |v: &[f32]| v.iter().map(|x| (x * 14.0) as i8).collect::<Vec<_>>();
            let (a, b) = (code(&a), code(&b));
            prop_assert_eq!(dot_i8(&a, &b), a.iter().zip(&b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum::<i32>());
        }
    }
}
