//! Where sentences end, in Chinese and in Latin scripts.

use std::ops::Range;

/// Abbreviations a sentence goes on after.
const INSIDE: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "fig", "figs", "eq", "tab", "vs", "v", "cf", "al",
    "vol", "pp", "ed", "eds", "gen", "col", "sen", "rep", "gov", "capt", "lt", "sgt", "rev", "hon", "approx",
    "dept", "est", "e.g", "i.e", "ca", "resp", "incl", "excl", "viz",
];

/// Abbreviations a sentence goes on after when a number follows.
const BEFORE_NUMBER: &[&str] = &[
    "no", "nos", "p", "art", "sec", "ch", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep",
    "sept", "oct", "nov", "dec",
];

/// The sentences of a text, without the white space around them. A line always ends one.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut at = 0;
    // A row of signs is looked through once, not at each of them.
    let mut signs = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        at += c.len_utf8();
        if (is_ender(c) || c == '｡') && at > signs {
            signs = closed(text, at);
        }
        if ends(text, start, at, c, signs.max(at)) {
            at = if c == '\n' { at } else { signs.max(at) };
            push(text, start..at, &mut out);
            start = at;
        }
    }
    push(text, start..text.len(), &mut out);
    out
}

fn push(text: &str, range: Range<usize>, out: &mut Vec<Range<usize>>) {
    let part = text.get(range.clone()).unwrap_or_default();
    let start = range.start + part.len() - part.trim_start().len();
    if !part.trim().is_empty() {
        out.push(start..start + part.trim().len());
    }
}

/// Whether the sentence that begins at `start` ends with `c`, which ends at `at`; what closes it ends at `signs`.
fn ends(text: &str, start: usize, at: usize, c: char, signs: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    let after = text.get(signs..).unwrap_or_default();
    match c {
        '\n' | '。' | '！' | '？' | '；' | '｡' => true,
        '!' | '?' => is_between(after),
        // Six dots are one sign in Chinese; the last of them ends.
        '…' => !rest.starts_with('…') && is_between(after) && !goes_on(after),
        '.' => {
            is_between(after)
                && !goes_on(after)
                && !is_abbreviation(text.get(start..at - 1).unwrap_or_default(), rest)
        }
        _ => false,
    }
}

fn is_closer(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '”' | '’' | '」' | '』' | '）' | '》' | '】' | '〉' | '»')
}

fn is_ender(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '；' | '…')
}

/// Whether white space or the end follows, after whatever closes the sentence.
fn is_between(after: &str) -> bool {
    after.chars().next().is_none_or(char::is_whitespace)
}

/// Whether a word follows that no sentence begins with.
fn goes_on(after: &str) -> bool {
    // A sentence does not go on behind a page of blanks.
    let mut next = after.chars().take(64).skip_while(|c| matches!(c, ' ' | '\t'));
    next.next().is_some_and(|c| c.is_lowercase() || matches!(c, ',' | ';' | ':'))
}

/// The end of the sentence with what closes it: quotes, brackets, more of the same sign.
fn closed(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + (rest.len() - rest.trim_start_matches(|c| is_closer(c) || is_ender(c)).len())
}

/// Whether the full stop after `before` belongs to an abbreviation, an initial or the number of an item.
fn is_abbreviation(before: &str, rest: &str) -> bool {
    let word =
        before.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '“')).next().unwrap_or_default();
    let alone = before.trim().len() == word.len();
    let number_next = rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let lower = word.to_lowercase();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    let is_item =
        alone && !rest.trim().is_empty() && word.len() <= 3 && word.chars().all(|c| c.is_ascii_digit());
    is_initial
        || is_item
        || INSIDE.contains(&lower.as_str())
        || (number_next && BEFORE_NUMBER.contains(&lower.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|r| &text[r]).collect()
    }

    #[test]
    fn cuts_chinese_at_its_signs() {
        assert_eq!(
            cut("营收增长。真的吗？“是的！”他说；好"),
            ["营收增长。", "真的吗？", "“是的！”", "他说；", "好"]
        );
    }

    #[test]
    fn cuts_english_at_full_stops() {
        assert_eq!(cut("Sales grew. Why? \"Wine!\" Yes..."), ["Sales grew.", "Why?", "\"Wine!\"", "Yes..."]);
        assert_eq!(cut("one line\nanother"), ["one line", "another"]);
    }

    #[test]
    fn leaves_abbreviations_initials_and_decimals_whole() {
        for text in [
            "Dr. J. K. Smith paid 3.5 USD to Mr. Brown.",
            "It rose, e.g. in the U.S. by half, cf. Fig. 3 and No. 7 of Jan. 5.",
            "1. First item",
            "see example.com for more",
        ] {
            assert_eq!(cut(text), [text]);
        }
        assert_eq!(cut("He said no. Then left."), ["He said no.", "Then left."]);
    }

    #[test]
    fn a_long_row_of_signs_takes_no_time_and_ends_as_a_short_one_does() {
        let text = format!("One{} Two. {}a", ".".repeat(1_000_000), ".".repeat(1_000_000));
        let begun = std::time::Instant::now();
        let found: Vec<usize> = sentences(&text).iter().map(|s| s.len()).collect();
        assert_eq!(found, [1_000_003, 4, 1_000_001]);
        assert!(begun.elapsed().as_secs() < 10);
    }

    proptest::proptest! {
        #[test]
        fn loses_nothing_but_white_space(text in "[ \\na-cA-C.!?。；…”\"3(]{0,40}") {
            let joined: String = cut(&text).concat();
            let bare = |t: &str| t.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            proptest::prop_assert_eq!(bare(&joined), bare(&text));
        }
    }
}
