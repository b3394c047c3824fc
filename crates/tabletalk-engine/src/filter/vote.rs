//! Which of several samples counts.

/// The most frequent of these keys, by the position where it first stands, and how often it stands; the first
/// of those that are equally frequent.
pub(super) fn winner<K: PartialEq>(keys: &[K]) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    for (i, key) in keys.iter().enumerate() {
        let votes = keys.iter().filter(|k| *k == key).count();
        if best.is_none_or(|(_, most)| votes > most) {
            best = Some((i, votes));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_wins_and_the_first_if_all_differ() {
        assert_eq!(winner(&["a", "b", "b"]), Some((1, 2)));
        assert_eq!(winner(&["a", "b", "c"]), Some((0, 1)));
        assert_eq!(winner(&["c", "b", "b", "c"]), Some((0, 2)));
        assert_eq!(winner::<u8>(&[]), None);
    }
}
