//! Blocks of a sorted column whose values begin alike, such as ids: their words are indexed without what
//! tells them apart, so that the index holds a term for some dozens of ids instead of one for each. The
//! values inside a block that was found are compared in full anyway.

/// The first character of a beginning: no word begins with it.
pub(crate) const MARK: char = '\u{2}';

/// Shorter beginnings say too little.
const SHORTEST: usize = 3;
/// In blocks of fewer such words nothing is gained.
const FEWEST: usize = 16;
/// A beginning must stand for so many words of its block on average.
const FOR_ONE: usize = 16;

/// Whether a word may be indexed by its beginning: it is no word of a language.
fn is_code(term: &str) -> bool {
    term.len() > SHORTEST && term.is_ascii() && term.bytes().any(|b| b.is_ascii_digit())
}

/// Replaces the codes among the terms of a block by their beginnings, where few beginnings stand for all.
/// `ends` says where each term in `terms` ends.
pub(crate) fn coarsen(terms: &mut String, ends: &mut Vec<usize>) {
    let mut start = 0;
    let all = ends.iter().map(|&end| &terms[std::mem::replace(&mut start, end)..end]);
    let (mut codes, mut words): (Vec<&str>, Vec<&str>) = all.partition(|t| is_code(t));
    codes.sort_unstable();
    codes.dedup();
    let Some(length) = beginning(&codes) else { return };
    words.sort_unstable();
    words.dedup();
    let (mut text, mut marks) = (String::with_capacity(64), Vec::with_capacity(words.len() + FOR_ONE));
    let mut push = |parts: [&str; 2]| {
        parts.iter().for_each(|p| text.push_str(p));
        marks.push(text.len());
    };
    let mut last = "";
    for begin in codes.iter().map(|c| &c[..c.len().min(length)]) {
        if begin != last {
            push([MARK.encode_utf8(&mut [0; 1]), begin]);
            last = begin;
        }
    }
    words.iter().for_each(|w| push(["", w]));
    (*terms, *ends) = (text, marks);
}

/// The longest beginning of which there are few enough among these sorted codes.
fn beginning(codes: &[&str]) -> Option<usize> {
    let most = (codes.len() >= FEWEST).then_some(codes.len() / FOR_ONE)?;
    let longest = codes.iter().map(|c| c.len()).max()?;
    (SHORTEST..longest).rev().find(|&length| {
        let differ =
            |pair: &[&str]| pair[0][..pair[0].len().min(length)] != pair[1][..pair[1].len().min(length)];
        codes.windows(2).filter(|pair| differ(pair)).take(most + 1).count() < most.max(2)
    })
}

/// The terms by which a block may be found that holds `word`.
pub(crate) fn beginnings(word: &str) -> impl Iterator<Item = String> {
    beginnings_of_prefix(if is_code(word) { word } else { "" })
}

/// The terms by which a block may be found that holds a word beginning with `prefix`, but for those longer
/// than that.
pub(crate) fn beginnings_of_prefix(prefix: &str) -> impl Iterator<Item = String> {
    let prefix = if prefix.is_ascii() { prefix } else { "" };
    (SHORTEST..=prefix.len()).map(move |length| format!("{MARK}{}", &prefix[..length]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms_of(words: &[String]) -> Vec<String> {
        let (mut terms, mut ends) = (String::new(), Vec::new());
        for word in words {
            terms.push_str(word);
            ends.push(terms.len());
        }
        coarsen(&mut terms, &mut ends);
        let mut start = 0;
        ends.iter().map(|&end| terms[std::mem::replace(&mut start, end)..end].to_owned()).collect()
    }

    #[test]
    fn ids_in_a_row_become_a_beginning_and_other_words_stay() {
        let ids = (140..204).flat_map(|i| ["ord".to_owned(), format!("{i:08}")]).collect::<Vec<_>>();
        assert_eq!(terms_of(&ids), ["\u{2}000001", "\u{2}000002", "ord"]);
        assert!(beginnings("00000177").any(|b| b == "\u{2}000001"));
        assert_eq!(beginnings("berlin").count(), 0);
    }

    #[test]
    fn values_that_do_not_begin_alike_stay_as_they_are() {
        let mixed: Vec<String> = (0..64).map(|i| format!("{:x}", i * 0x1_9f3b_7a55_u64)).collect();
        assert_eq!(terms_of(&mixed), mixed);
        let few: Vec<String> = (0..8).map(|i| format!("1234567{i}")).collect();
        assert_eq!(terms_of(&few), few);
    }

    proptest::proptest! {
        #[test]
        fn every_code_is_found_by_its_term_or_a_beginning(from in 0u64..1 << 40, step in 1u64..9, width in 1usize..14) {
            let ids: Vec<String> = (0..64).map(|i| format!("{:0width$}", from + i * step)).collect();
            let terms = terms_of(&ids);
            for id in &ids {
                let found = terms.contains(id) || beginnings(id).any(|b| terms.contains(&b));
                proptest::prop_assert!(found, "{id} in {terms:?}");
            }
        }
    }
}
