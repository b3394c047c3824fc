//! Numbers that look random and depend on a seed alone.

/// Numbers drawn one after the other.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    /// Numbers that depend on a seed and on what they are for.
    pub(super) fn new(seed: u64, purpose: &str) -> Random {
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Random(mixed(seed ^ mixed(purpose.bytes().fold(0xcbf2_9ce4_8422_2325, fold))))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// A number below `end`; 0 if there is none.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (((self.next() >> 32) * end as u64) >> 32) as usize
    }

    /// True once in `times`.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these; none of none.
    pub(super) fn pick<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        all.get(self.below(all.len())).copied()
    }

    /// One of these wordings.
    pub(super) fn wording<const N: usize>(&mut self, all: [String; N]) -> String {
        let at = self.below(N);
        all.into_iter().nth(at).unwrap_or_default()
    }
}

/// Bits that share nothing visible with those of `x`.
fn mixed(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
