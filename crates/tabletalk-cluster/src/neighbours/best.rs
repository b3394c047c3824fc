//! The best so far of many.

/// The `k` with the highest scores, best first; among equals the lowest numbers, whatever the order in which they came.
#[derive(Debug, Clone, Default)]
pub(super) struct Best {
    k: usize,
    found: Vec<(f32, u32)>,
}

impl Best {
    pub(super) fn new(k: usize) -> Best {
        Best { k, found: Vec::with_capacity(k) }
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.found.iter().map(|(_, id)| *id)
    }

    pub(super) fn scores(&self) -> impl Iterator<Item = f32> + '_ {
        self.found.iter().map(|(score, _)| *score)
    }

    /// The score that the next must reach.
    #[inline(always)]
    pub(super) fn least(&self) -> f32 {
        if self.found.len() < self.k {
            f32::NEG_INFINITY
        } else {
            self.found.last().map_or(f32::INFINITY, |f| f.0)
        }
    }

    /// Takes one that is not there yet, if it is good enough.
    #[inline]
    pub(super) fn offer(&mut self, id: u32, score: f32) {
        let better = |other: &(f32, u32)| other.0 > score || other.0 == score && other.1 < id;
        let at = self.found.partition_point(better);
        if at >= self.k {
            return;
        }
        if self.found.len() == self.k {
            self.found.pop();
        }
        self.found.insert(at, (score, id));
    }

    /// Takes the good ones of many that are not there yet, but never `own`. Most are dismissed sixteen at a time.
    pub(super) fn offer_all(&mut self, own: u32, ids: &[u32], scores: &[f32]) {
        for (ids, scores) in ids.chunks(16).zip(scores.chunks(16)) {
            let least = self.least();
            if scores.iter().fold(false, |any, score| any | (*score >= least)) {
                for (id, score) in ids.iter().zip(scores) {
                    if *id != own && *score >= self.least() {
                        self.offer(*id, *score);
                    }
                }
            }
        }
    }

    /// Takes the good ones of another list. Those in both count once, as they are here.
    pub(super) fn merge(&mut self, other: &Best) {
        for (score, id) in &other.found {
            if *score >= self.least() && !self.found.iter().any(|(_, mine)| mine == id) {
                self.offer(*id, *score);
            }
        }
    }
}
