//! Which texts are run together: those of about the same length, so that little is padded.

/// Groups sequences of these lengths, longest first, so that no group has more than `budget` tokens with its padding
/// unless a single one is longer; without `padding` a group has one length. Gives positions in `lengths`.
pub(crate) fn plan(lengths: &[usize], budget: usize, padding: bool) -> Vec<Vec<usize>> {
    let mut order: Vec<(usize, usize)> = lengths.iter().copied().enumerate().collect();
    order.sort_by_key(|&(at, length)| (std::cmp::Reverse(length), at));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut longest = 0;
    for (at, length) in order {
        match batches.last_mut() {
            Some(batch) if (batch.len() + 1) * longest <= budget && (padding || length == longest) => {
                batch.push(at)
            }
            _ => {
                longest = length;
                batches.push(vec![at]);
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lengths_stand_together_within_the_budget() {
        assert_eq!(plan(&[2, 9, 2, 8, 2], 18, true), [vec![1, 3], vec![0, 2, 4]]);
    }

    #[test]
    fn a_text_longer_than_the_budget_stands_alone() {
        assert_eq!(plan(&[50, 3, 3], 10, true), [vec![0], vec![1, 2]]);
    }

    #[test]
    fn without_padding_a_batch_has_one_length() {
        assert_eq!(plan(&[2, 9, 2, 8, 2], 18, false), [vec![1], vec![3], vec![0, 2, 4]]);
    }

    #[test]
    fn each_text_is_in_one_batch() {
        let lengths: Vec<usize> = (0..500).map(|i| i * 7919 % 131).collect();
        let mut all = plan(&lengths, 256, true).concat();
        all.sort_unstable();
        assert_eq!(all, (0..500).collect::<Vec<_>>());
        assert!(plan(&[], 256, true).is_empty());
    }
}
