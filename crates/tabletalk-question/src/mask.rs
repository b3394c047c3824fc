//! Sets of words of a question.

/// A set of words of a question; words after the 128th are not looked at.
pub(crate) type Mask = u128;

/// The most words of a question that are looked at.
pub(crate) const LONGEST: usize = 120;

/// The set of these words.
pub(crate) fn mask(words: impl Iterator<Item = usize>) -> Mask {
    words.filter(|i| *i < LONGEST).fold(0, |mask, i| mask | 1 << i)
}

/// The set of words `from..to`.
pub(crate) fn span(from: usize, to: usize) -> Mask {
    mask(from..to)
}

/// The first word of a set.
pub(crate) fn first(mask: Mask) -> Option<usize> {
    (mask != 0).then(|| mask.trailing_zeros() as usize)
}

/// The last word of a set.
pub(crate) fn last(mask: Mask) -> Option<usize> {
    (mask != 0).then(|| 127 - mask.leading_zeros() as usize)
}

/// How many words stand between two sets; 0 when they touch or overlap.
pub(crate) fn gap(a: Mask, b: Mask) -> usize {
    let (Some(a1), Some(a2), Some(b1), Some(b2)) = (first(a), last(a), first(b), last(b)) else { return 99 };
    if b1 > a2 {
        b1 - a2 - 1
    } else if a1 > b2 {
        a1 - b2 - 1
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_gaps_between_words() {
        assert_eq!((gap(0b1, 0b1000), gap(0b1000, 0b1), gap(0b11, 0b10), gap(0, 1)), (2, 2, 0, 99));
    }
}
