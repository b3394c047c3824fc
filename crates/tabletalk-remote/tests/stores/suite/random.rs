//! A small generator of numbers, the same in every run.

/// Gives numbers that look random.
pub(super) struct Random(u64);

impl Random {
    /// One that always gives the same numbers for a seed.
    pub(super) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678_9abc_def1))
    }

    /// Any number: the state is counted on, and its bits mixed.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// A number from 0 to 1.
    pub(super) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// A number around 0, most of them between -1 and 1.
    pub(super) fn around(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }

    /// Any bytes.
    pub(super) fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }

    /// A vector of length 1.
    pub(super) fn direction(&mut self, dim: usize) -> Vec<f32> {
        let vector: Vec<f32> = (0..dim).map(|_| self.around()).collect();
        of_length_one(vector)
    }

    /// A vector of length 1 that is near another.
    pub(super) fn near(&mut self, centre: &[f32], spread: f32) -> Vec<f32> {
        let spread = spread / (centre.len() as f32).sqrt();
        of_length_one(centre.iter().map(|c| c + spread * self.around()).collect())
    }
}

/// A vector made as long as 1.
pub(super) fn of_length_one(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-12);
    vector.into_iter().map(|x| x / length).collect()
}
