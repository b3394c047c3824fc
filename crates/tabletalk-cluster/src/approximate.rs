//! Powers and logarithms that run in lanes: without branches, tables or calls.

const LN_2: f32 = std::f32::consts::LN_2;

/// Two to the power of `x`, to about seven digits; out of range the smallest or largest there is.
#[inline(always)]
pub(crate) fn exp2(x: f32) -> f32 {
    /// Adding it leaves the nearest whole number in the lowest bits.
    const SHIFT: f32 = 12_582_912.0;
    let x = x.clamp(-126.0, 126.0);
    let whole = x + SHIFT;
    let t = (x - (whole - SHIFT)) * LN_2;
    let series = 1.0
        + t * (1.0 + t * (0.5 + t * (1.0 / 6.0 + t * (1.0 / 24.0 + t * (1.0 / 120.0 + t * (1.0 / 720.0))))));
    f32::from_bits(series.to_bits().wrapping_add(whole.to_bits() << 23))
}

/// The binary logarithm of a normal positive number, to about seven digits.
#[inline(always)]
pub(crate) fn log2(x: f32) -> f32 {
    let exponent = (x.to_bits().wrapping_sub(0x3f35_04f3)).cast_signed() >> 23;
    let part = f32::from_bits(x.to_bits().wrapping_sub((exponent << 23).cast_unsigned()));
    let t = (part - 1.0) / (part + 1.0);
    let square = t * t;
    let series = t * (1.0 + square * (1.0 / 3.0 + square * (0.2 + square * (1.0 / 7.0))));
    exponent as f32 + series * (2.0 / LN_2)
}

/// `e` to the power of `x`.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    exp2(x * std::f32::consts::LOG2_E)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_logarithms_are_near_the_truth() {
        for i in -1200..1200 {
            let x = i as f32 * 0.1;
            assert!((exp2(x) / x.exp2() - 1.0).abs() < 1e-6, "{x}");
            assert!((log2(x.exp2()) - x).abs() < 1e-5 * x.abs().max(1.0), "{x}");
        }
        assert!(exp2(-1e9) < 1e-37 && exp2(1e9) > 1e37);
    }
}
