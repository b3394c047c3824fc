//! Whether what an answer cites bears it out.
//!
//! A citation bears out a right answer when each of its values can be seen where the citation points: it is
//! the value of a cited cell, or stands in a cited cell as whole words, or is among what a program computed
//! that ran over the cited cells. The right values are asked for, not the given ones: a wrong answer with a
//! fitting citation is not borne out, and neither is a right one that points elsewhere. Values are compared
//! as by [`is_denoted`](super::is_denoted), and also as numbers and dates in any way of writing them.

use super::denote::{folded, is_denoted};
use super::unicode::is_ideograph;
use tabletalk_core::value;

/// Whether every right value stands in a cited cell or was computed. False where nothing is known to be
/// right.
pub fn is_cited(cited: &[String], computed: Option<&[Vec<String>]>, gold: &[String]) -> bool {
    let is_computed =
        |value: &String| computed.is_some_and(|rows| rows.iter().flatten().any(|cell| is_same(value, cell)));
    let is_there = |value: &String| cited.iter().any(|cell| is_same(value, cell) || stands_in(value, cell));
    !gold.is_empty() && gold.iter().all(|value| is_computed(value) || is_there(value))
}

fn is_same(value: &str, cell: &str) -> bool {
    let is_key = || {
        let keys = value::keys(cell);
        value::keys(value).iter().any(|key| keys.contains(key))
    };
    is_denoted(&[value.to_owned()], &[cell.to_owned()]) || is_key()
}

/// Whether a value stands in a text as whole words, but for accents, case and kinds of quotes and dashes.
fn stands_in(value: &str, text: &str) -> bool {
    let (value, text) = (folded(value), folded(text));
    let is_whole = |(at, found): (usize, &str)| {
        let (before, after) = (&text[..at], &text[at + found.len()..]);
        is_end(before.chars().rev(), found.chars().next(), true)
            && is_end(after.chars(), found.chars().next_back(), false)
    };
    !value.is_empty() && text.match_indices(&value).any(is_whole)
}

/// Whether a word ends between a character and those beside it, going outwards. `5` is no word of `-5`, `1.5`
/// or `5,000`, and each Chinese character is one.
fn is_end(mut beside: impl Iterator<Item = char>, edge: Option<char>, is_before: bool) -> bool {
    let (Some(next), Some(edge)) = (beside.next(), edge) else { return true };
    let further = beside.next();
    if edge.is_numeric() && matches!(next, '.' | ',') {
        return !further.is_some_and(char::is_numeric);
    }
    if edge.is_numeric() && is_before && next == '-' {
        return further.is_some_and(char::is_alphanumeric);
    }
    !next.is_alphanumeric() || !edge.is_alphanumeric() || is_ideograph(next) || is_ideograph(edge)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(all: &[&str]) -> Vec<String> {
        all.iter().map(|v| (*v).to_owned()).collect()
    }

    fn is(cited: &[&str], gold: &[&str]) -> bool {
        is_cited(&list(cited), None, &list(gold))
    }

    #[test]
    fn every_right_value_must_stand_in_a_cited_cell() {
        assert!(is(&["Oslo", "Bergen [2]"], &["bergen", "Oslo"]));
        assert!(!is(&["Oslo"], &["Oslo", "Bergen"]) && !is(&[], &["Oslo"]) && !is(&["Oslo"], &[]));
        assert!(is(&["1,234"], &["1234"]) && is(&["March 3, 1829"], &["1829-03-03"]));
    }

    #[test]
    fn a_value_may_stand_among_other_words() {
        assert!(is(&["lives in New York (USA)"], &["new york"]) && is(&["Paris (France)"], &["France"]));
        assert!(is(&["2001-05"], &["2001"]) && is(&["born 1900."], &["1900"]) && is(&["北京市"], &["北京"]));
        assert!(!is(&["Yorkshire"], &["York"]) && !is(&["x"], &["(y)"]));
        for cell in ["-5", "1.5", "5,000", "15", "a -5"] {
            assert!(!is(&[cell], &["5"]), "{cell}");
        }
    }

    #[test]
    fn what_a_program_computed_counts() {
        let rows = vec![list(&["Oslo", "12.0"])];
        assert!(is_cited(&[], Some(&rows), &list(&["12"])));
        assert!(is_cited(&list(&["Bergen"]), Some(&rows), &list(&["12", "Bergen"])));
        assert!(!is_cited(&[], Some(&rows), &list(&["1"])));
    }
}
