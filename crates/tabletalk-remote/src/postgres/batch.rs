//! What is written in one transaction.

/// Cuts items into batches of at most `most` items and, where an item alone is not heavier, of the weight
/// `heaviest`: so that no transaction takes long, however large items are.
pub(super) fn batches<T>(
    items: &[T],
    most: usize,
    heaviest: usize,
    weight: impl Fn(&T) -> usize,
) -> Vec<&[T]> {
    let (mut all, mut rest) = (Vec::new(), items);
    while !rest.is_empty() {
        let mut sum = 0;
        let fits = |item: &&T| {
            sum += weight(item);
            sum <= heaviest
        };
        let many = rest.iter().take(most).take_while(fits).count().max(1);
        let (batch, later) = rest.split_at(many);
        all.push(batch);
        rest = later;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_neither_long_nor_heavy() {
        let cut =
            |items: &[usize]| batches(items, 3, 10, |i| *i).iter().map(|b| b.to_vec()).collect::<Vec<_>>();
        assert_eq!(cut(&[1, 1, 1, 1]), [vec![1, 1, 1], vec![1]]);
        assert_eq!(cut(&[6, 5, 20, 4, 6]), [vec![6], vec![5], vec![20], vec![4, 6]]);
        assert!(cut(&[]).is_empty());
    }
}
