//! How often a reading with certain signs is right: a sum of small trees, as the logarithm of odds.
//!
//! A tree asks the same question at every node of a level, so that it is a few questions and a table of leaves.

/// Questions of a tree.
pub const DEPTH: usize = 5;
/// Leaves of a tree.
pub const LEAVES: usize = 1 << DEPTH;
/// Bytes of a tree: for each question a sign and a bound, then the leaves.
const SIZE: usize = DEPTH * 5 + LEAVES * 4;

/// A tree: which sign is held against which bound, and what each leaf adds.
#[derive(Debug, Clone)]
pub struct Tree {
    /// A sign and the bound above which the answer is yes.
    pub splits: [(u8, f32); DEPTH],
    /// What is added to the logarithm of the odds.
    pub leaves: [f32; LEAVES],
}

impl Tree {
    /// The leaf that these signs lead to.
    pub fn leaf(&self, signs: &[f32]) -> usize {
        let is = |(sign, bound): &(u8, f32)| signs.get(usize::from(*sign)).is_some_and(|s| s > bound);
        self.splits.iter().fold(0, |at, split| at << 1 | usize::from(is(split)))
    }

    /// In the form in which it is kept.
    pub fn written(&self) -> Vec<u8> {
        let split = |(sign, bound): &(u8, f32)| {
            let [a, b, c, d] = bound.to_le_bytes();
            [*sign, a, b, c, d]
        };
        let splits = self.splits.iter().flat_map(split);
        splits.chain(self.leaves.iter().flat_map(|l| l.to_le_bytes())).collect()
    }
}

/// What a kept tree adds for these signs.
fn value(tree: &[u8], signs: &[f32]) -> f32 {
    let (splits, leaves) = tree.split_at(DEPTH * 5);
    let is = |split: &[u8]| match split {
        [sign, bound @ ..] => signs.get(usize::from(*sign)).is_some_and(|s| *s > number(bound)),
        [] => false,
    };
    let leaf = splits.chunks_exact(5).fold(0, |at, split| at << 1 | usize::from(is(split)));
    leaves.chunks_exact(4).nth(leaf).map_or(0.0, number)
}

/// How often a reading with these signs is right, by trees in the form in which they are kept.
pub(crate) fn probability(trees: &[u8], signs: &[f32]) -> f32 {
    let sum: f32 = trees.chunks_exact(SIZE).map(|tree| value(tree, signs)).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// How many bytes so many trees take.
pub(crate) fn size(trees: usize) -> usize {
    trees * SIZE
}

fn number(bytes: &[u8]) -> f32 {
    <[u8; 4]>::try_from(bytes).map_or(0.0, f32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_tree_gives_what_it_gave() {
        let mut tree = Tree { splits: [(0, 0.5); DEPTH], leaves: [0.0; LEAVES] };
        tree.splits[1] = (1, -1.0);
        for (i, leaf) in tree.leaves.iter_mut().enumerate() {
            *leaf = i as f32;
        }
        for signs in [[0.0, 0.0], [1.0, 0.0], [1.0, -2.0]] {
            let kept = value(&tree.written(), &signs);
            assert_eq!(kept, tree.leaves[tree.leaf(&signs)]);
        }
        assert_eq!(value(&tree.written(), &[1.0, -2.0]), 0b10111 as f32);
        assert_eq!(tree.written().len(), SIZE);
    }
}
