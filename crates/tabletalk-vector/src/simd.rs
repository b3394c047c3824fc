//! Comparing two vectors with the widest instructions the processor has.
//!
//! The loops are plain: they keep as many sums as the widest registers hold, and `pulp` compiles them once for
//! each generation of processors. Each is a type and not a closure: a closure may be called from outside of what is
//! compiled for the processor, and then runs one number at a time.

use pulp::{Arch, Simd, WithSimd};

/// Sums that are kept side by side.
const LANES: usize = 32;
/// Halves that are widened at a time.
const WIDE: usize = 64;

pub(crate) fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
    Arch::new().dispatch(Floats { a, b, product: |x, y| x * y })
}

/// The square of the distance.
pub(crate) fn distance_f32(a: &[f32], b: &[f32]) -> f32 {
    Arch::new().dispatch(Floats { a, b, product: |x, y| (x - y) * (x - y) })
}

/// The dot product of finite halves, by their bits.
pub(crate) fn dot_f16(a: &[u16], b: &[u16]) -> f32 {
    Arch::new().dispatch(Halves { a, b, product: |x, y| x * y })
}

/// The square of the distance of finite halves, by their bits.
pub(crate) fn distance_f16(a: &[u16], b: &[u16]) -> f32 {
    Arch::new().dispatch(Halves { a, b, product: |x, y| (x - y) * (x - y) })
}

/// The dot product of small integers.
pub(crate) fn dot_i8(a: &[i8], b: &[i8]) -> i32 {
    Arch::new().dispatch(Bytes { a, b })
}

struct Floats<'a, P> {
    a: &'a [f32],
    b: &'a [f32],
    product: P,
}

impl<P: Fn(f32, f32) -> f32> WithSimd for Floats<'_, P> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f32 {
        let mut sums = [0.0; LANES];
        let ((a, left), (b, right)) = (self.a.as_chunks::<LANES>(), self.b.as_chunks::<LANES>());
        a.iter().zip(b).for_each(|(x, y)| add(&mut sums, x, y, &self.product));
        let tail: f32 = left.iter().zip(right).map(|(x, y)| (self.product)(*x, *y)).sum();
        sums.iter().sum::<f32>() + tail
    }
}

struct Halves<'a, P> {
    a: &'a [u16],
    b: &'a [u16],
    product: P,
}

impl<P: Fn(f32, f32) -> f32> WithSimd for Halves<'_, P> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f32 {
        let mut sums = [0.0; WIDE];
        let ((a, left), (b, right)) = (self.a.as_chunks::<WIDE>(), self.b.as_chunks::<WIDE>());
        a.iter().zip(b).for_each(|(x, y)| add(&mut sums, &widened(x), &widened(y), &self.product));
        let tail: f32 = left.iter().zip(right).map(|(x, y)| (self.product)(widen(*x), widen(*y))).sum();
        sums.iter().sum::<f32>() + tail
    }
}

struct Bytes<'a> {
    a: &'a [i8],
    b: &'a [i8],
}

impl WithSimd for Bytes<'_> {
    type Output = i32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> i32 {
        self.a.iter().zip(self.b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum()
    }
}

/// Adds the product of each pair to the sum of its lane.
#[inline(always)]
fn add<const N: usize>(sums: &mut [f32; N], a: &[f32; N], b: &[f32; N], product: impl Fn(f32, f32) -> f32) {
    for lane in 0..N {
        sums[lane] += product(a[lane], b[lane]);
    }
}

/// Finite halves as floats.
#[inline(always)]
fn widened<const N: usize>(halves: &[u16; N]) -> [f32; N] {
    let mut floats = [0.0; N];
    for lane in 0..N {
        floats[lane] = widen(halves[lane]);
    }
    floats
}

/// A finite half as a float. Shifting its bits into place, the sign to the top, leaves an exponent that is too small by
/// 112; the multiplication mends that, for the smallest numbers too. Unlike a conversion by table or call it runs in lanes.
#[inline(always)]
pub(crate) fn widen(half: u16) -> f32 {
    let bits = (i32::from(half.cast_signed()) << 13).cast_unsigned() & 0x8fff_e000;
    f32::from_bits(bits) * f32::from_bits(0x7780_0000)
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
