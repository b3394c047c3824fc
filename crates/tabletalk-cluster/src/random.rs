//! Numbers that look random and depend on nothing but a key: the same for any number of threads.

/// Numbers drawn one after the other from a seed.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Numbers that depend on a seed and on what they are for.
    pub(crate) fn new(seed: u64, purpose: u64) -> Random {
        Random(mixed(seed ^ mixed(purpose)))
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// A number below `end`; 0 if there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        below(self.next(), end)
    }

    /// A number from 0 up to, but not including, 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number whose mean is 0 and whose variance is 1, roughly normal: a sum of four uniform ones.
    pub(crate) fn bell(&mut self) -> f32 {
        let bits = self.next();
        let sum: u64 = (0..4).map(|i| (bits >> (16 * i)) & 0xffff).sum();
        ((sum as f64 / 65_535.0 - 2.0) * 3f64.sqrt()) as f32
    }
}

/// Bits that share nothing visible with those of `x`.
#[inline(always)]
pub(crate) fn mixed(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The upper half of `bits` as a number below `end`.
#[inline(always)]
pub(crate) fn below(bits: u64, end: usize) -> usize {
    (((bits >> 32) * end as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_evenly() {
        let mut random = Random::new(1, 2);
        let mut seen = [0; 10];
        (0..10_000).for_each(|_| seen[random.below(10)] += 1);
        assert!(seen.iter().all(|n| (800..1200).contains(n)), "{seen:?}");
        let bells: Vec<f64> = (0..10_000).map(|_| f64::from(random.bell())).collect();
        assert!((bells.iter().map(|x| x * x).sum::<f64>() / 10_000.0 - 1.0).abs() < 0.1);
        assert_eq!(random.below(0), 0);
    }
}
