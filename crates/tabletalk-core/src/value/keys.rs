//! Lookup keys: what different ways of writing the same value have in common.

use super::date::{self, Moment, Order};
use super::number::{self, Reading, Written};
use super::plain_date;
use std::ops::Range;

/// The keys of a text that is one value as a whole; none for words.
///
/// Numbers give `n:1200`; a percentage also gives the number before its sign. Dates give `d:2023-09-01`,
/// `d:2023-09` or, without a year, `d:--09-01`.
///
/// ```
/// use tabletalk_core::value::keys;
/// assert_eq!(keys("1.2k"), keys("1,200"));
/// assert_eq!(keys("Sept 1 2023"), ["d:2023-09-01"]);
/// assert!(keys("apples").is_empty());
/// ```
pub fn keys(text: &str) -> Vec<String> {
    let text = text.trim();
    let mut keys = Vec::new();
    if text.len() > 64 {
        return keys;
    }
    if let Some(moment) = date::moment(text) {
        date_keys(&moment, &mut keys);
    } else if number::may_begin(text)
        && let Some(written) = Written::scan(text, Reading::Lone).filter(|w| w.len == text.len())
    {
        number_keys(&written, &mut keys);
    }
    keys
}

/// All numbers and dates in running text, English or Chinese, with their byte ranges and keys. A value
/// with several keys is there several times.
///
/// ```
/// use tabletalk_core::value::find_keys;
/// let found = find_keys("sales over 1.2k since 2023年9月1日");
/// let keys: Vec<_> = found.iter().map(|(_, key)| key.as_str()).collect();
/// assert_eq!(keys, ["n:1200", "d:2023-09-01"]);
/// ```
pub fn find_keys(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut keys = Vec::new();
    let mut at = 0;
    let mut before = ' ';
    while let Some(rest) = text.get(at..).filter(|r| !r.is_empty()) {
        let len = match value_at(rest, before, &mut keys) {
            Some(len) => {
                found.extend(keys.drain(..).map(|key| (at..at + len, key)));
                len
            }
            None => step(rest),
        };
        before = text.get(..at + len).and_then(|t| t.chars().next_back()).unwrap_or(' ');
        at += len;
    }
    found
}

/// The value that begins here, if one does: its length; its keys are added.
fn value_at(rest: &str, before: char, keys: &mut Vec<String>) -> Option<usize> {
    if before.is_ascii_alphanumeric() {
        return None;
    }
    if date::may_begin(rest)
        && let Some(moment) = date::scan(window(rest))
    {
        date_keys(&moment, keys);
        return Some(moment.len);
    }
    let first = rest.chars().next()?;
    // After a digit or a letter a minus joins, and a full stop ends.
    let sign = matches!(first, '-' | '+' | '.' | '\u{2212}' | '\u{2013}');
    if !number::may_begin(rest) || first == '(' || (sign && !before.is_whitespace()) {
        return None;
    }
    let written = Written::scan(window(rest), Reading::Running)?;
    number_keys(&written, keys);
    Some(written.len)
}

/// As much of the text as a value can take up.
fn window(text: &str) -> &str {
    let mut end = text.len().min(64);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

/// The length of what is passed over: a word, or one character.
fn step(rest: &str) -> usize {
    let word = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    if word > 0 { word } else { rest.chars().next().map_or(1, char::len_utf8) }
}

fn number_keys(written: &Written<'_>, keys: &mut Vec<String>) {
    let number = written.number();
    if !number.value.is_finite() {
        return;
    }
    push(
        keys,
        match number.integer {
            Some(v) => format!("n:{v}"),
            None => key(number.value),
        },
    );
    match number.unit {
        Some("%") => push(keys, key(written.times(2))),
        Some("m") => push(keys, key(written.times(6))),
        _ => {}
    }
    if written.in_parens {
        push(keys, key(-number.value));
    }
}

/// As [`plain_decimal`](super::plain_decimal) writes it.
fn key(value: f64) -> String {
    if value == 0.0 { "n:0".into() } else { format!("n:{value}") }
}

fn push(keys: &mut Vec<String>, key: String) {
    if !keys.contains(&key) {
        keys.push(key);
    }
}

fn date_keys(moment: &Moment, keys: &mut Vec<String>) {
    let key = match (moment.year, moment.day) {
        (Some(_), Some(_)) => return day_keys(moment, keys),
        (Some(year), None) => format!("d:{year:04}-{:02}", moment.month),
        (None, day) => format!("d:--{:02}-{:02}", moment.month, day.unwrap_or(0)),
    };
    keys.push(key);
}

fn day_keys(moment: &Moment, keys: &mut Vec<String>) {
    for order in [Order::DayFirst, Order::MonthFirst] {
        if let Some(days) = moment.days(order) {
            push(keys, format!("d:{}", plain_date(days)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_one_key_to_all_forms_of_a_number() {
        for text in
            ["1200", "1,200", "1.2k", "$1,200.00", "１２００", "1'200", "0.12万", "1.2 thousand", "1200元"]
        {
            assert_eq!(keys(text), ["n:1200"], "{text}");
        }
        assert_eq!(keys("35%"), ["n:0.35", "n:35"]);
        assert_eq!(keys("(5)"), ["n:-5", "n:5"]);
        assert_eq!(keys("12.3%"), ["n:0.123", "n:12.3"]);
    }

    #[test]
    fn gives_one_key_to_all_forms_of_a_date() {
        for text in ["2023-09-01", "Sept 1 2023", "2023年9月1日", "2023-09-01 08:00"] {
            assert_eq!(keys(text), ["d:2023-09-01"], "{text}");
        }
        assert_eq!(keys("September 2023"), ["d:2023-09"]);
        assert_eq!(keys("9月1日"), ["d:--09-01"]);
        assert_eq!(keys("01/02/2023"), ["d:2023-02-01", "d:2023-01-02"]);
    }

    #[test]
    fn gives_no_key_to_words() {
        for text in ["", "apples", "March madness", "May", "北京", "USD", "B2B", "ORD-0001"] {
            assert!(keys(text).is_empty(), "{text}");
        }
    }

    fn found(text: &str) -> Vec<(&str, String)> {
        find_keys(text).into_iter().map(|(range, key)| (text.get(range).unwrap(), key)).collect()
    }

    #[test]
    fn finds_values_in_a_question() {
        let expect = |text, pairs: &[(&str, &str)]| {
            let pairs: Vec<_> = pairs.iter().map(|(a, b)| (*a, b.to_string())).collect();
            assert_eq!(found(text), pairs, "{text}");
        };
        expect(
            "which cities sold over $1.2 million in September 2023, or 35% more?",
            &[
                ("$1.2 million", "n:1200000"),
                ("September 2023", "d:2023-09"),
                ("35%", "n:0.35"),
                ("35%", "n:35"),
            ],
        );
        expect(
            "2023年9月1日的销售额超过12万元吗",
            &[("2023年9月1日", "d:2023-09-01"), ("12万元", "n:120000")],
        );
        expect("who finished 3rd with 1,200 points.", &[("3", "n:3"), ("1,200", "n:1200")]);
        expect("between 10 and 12, B2B, order ORD-0001", &[("10", "n:10"), ("12", "n:12")]);
        expect(
            "from 1999-2003 and 5-7",
            &[("1999", "n:1999"), ("2003", "n:2003"), ("5", "n:5"), ("7", "n:7")],
        );
        expect("on 3 may at -5 degrees", &[("3 may", "d:--05-03"), ("-5", "n:-5")]);
        expect("2019年营收", &[("2019", "n:2019")]);
    }
}
