//! The best few of many.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A number of something and how good it is. The greater is the better one; of equals, that with the smaller number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored<T> {
    /// How good it is.
    pub(crate) score: f32,
    pub(crate) at: T,
}

impl<T: Ord> Eq for Scored<T> where Scored<T>: PartialEq {}

impl<T: Ord> PartialOrd for Scored<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord> Ord for Scored<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.at.cmp(&self.at))
    }
}

/// Keeps the best `k` of all it is given.
#[derive(Debug)]
pub(crate) struct Top<T> {
    k: usize,
    heap: BinaryHeap<Reverse<Scored<T>>>,
}

impl<T: Ord + Copy> Top<T> {
    /// One that keeps `k`.
    pub(crate) fn new(k: usize) -> Self {
        Top { k, heap: BinaryHeap::with_capacity(k.min(1024) + 1) }
    }

    /// Gives it one more.
    pub(crate) fn push(&mut self, score: f32, at: T) {
        let one = Scored { score, at };
        if self.heap.len() < self.k {
            self.heap.push(Reverse(one));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && one > worst.0
        {
            *worst = Reverse(one);
        }
    }

    /// Whether it keeps as many as it may.
    pub(crate) fn is_full(&self) -> bool {
        self.heap.len() >= self.k
    }

    /// The score that one more must beat, or that of the worst kept while there is room.
    pub(crate) fn worst(&self) -> Option<f32> {
        self.heap.peek().map(|worst| worst.0.score)
    }

    /// All kept by two of them, the best `k`.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        other.heap.into_iter().for_each(|Reverse(one)| self.push(one.score, one.at));
        self
    }

    /// What was kept, best first.
    pub(crate) fn into_sorted(self) -> Vec<Scored<T>> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(one)| one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_best_and_the_first_of_equals() {
        let mut top = Top::new(2);
        for (score, at) in [(1.0, 7u32), (3.0, 9), (1.0, 2), (3.0, 1), (-1.0, 4)] {
            top.push(score, at);
        }
        let kept: Vec<u32> = top.into_sorted().iter().map(|s| s.at).collect();
        assert_eq!(kept, [1, 9]);
    }

    #[test]
    fn a_top_of_none_keeps_none() {
        let mut top = Top::new(0);
        top.push(1.0, 1u32);
        assert!(top.into_sorted().is_empty());
    }
}
