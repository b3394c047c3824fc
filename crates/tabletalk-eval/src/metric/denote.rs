//! Whether an answer denotes what is right, by the rules of WikiTableQuestions.
//!
//! Both sides are sets of values: values that are equal count once, both sets must be of one size, and each
//! right value must match a given one. Two values match when they are the same text once accents, kinds of
//! quotes and dashes, citations and parentheses at the end, a last period, case and spaces are put aside; or
//! when both are numbers less than a millionth apart; or when both are the same date, written `yyyy-mm-dd`
//! with `xx` for what is not known.
//!
//! A text is a number only where it is one to a machine: `1,234` and `5 years` are words. The tables of right
//! answers that come with the set therefore hold a second reading of each, in which `1,234` is `1234.0`;
//! [`is_denoted_as`] takes it, and [`reading`] makes one where a set has none.

use super::unicode::{is_accent, is_space, plain_digit};
use std::collections::HashSet;
use tabletalk_core::value;
use unicode_normalization::UnicodeNormalization;

/// Whether the given values are the right ones.
pub fn is_denoted(targets: &[String], given: &[String]) -> bool {
    is_denoted_as(targets, &[], given)
}

/// Whether the given values are the right ones, where the right ones have a second reading as numbers or
/// dates, in the same order. An empty reading is none.
pub fn is_denoted_as(targets: &[String], readings: &[String], given: &[String]) -> bool {
    let read = |at: usize| readings.get(at).map(String::as_str).filter(|reading| !reading.is_empty());
    let targets = distinct(targets.iter().enumerate().map(|(at, text)| Item::new(text, read(at))));
    let given = distinct(given.iter().map(|text| Item::new(text, None)));
    targets.len() == given.len() && targets.iter().all(|target| given.iter().any(|one| target.matches(one)))
}

/// What a text reads as, where it is a number with its thousands parted or a date in words: `1,234` is
/// `1234`, `March 3, 1829` is `1829-03-03`, `21 October` is `xx-10-21`. Nothing for all other texts.
pub fn reading(text: &str) -> Option<String> {
    let is_digits = text.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '-' | '+' | ' '));
    if is_digits && let Some(number) = value::number(text).filter(|number| number.unit.is_none()) {
        return Some(value::plain_decimal(number.value));
    }
    let moment = value::moment(text).filter(|moment| !moment.is_open && moment.time.is_none())?;
    let part = |part: Option<u32>| part.map_or("xx".to_owned(), |part| format!("{part:02}"));
    let year = moment.year.map_or("xx".to_owned(), |year| year.to_string());
    Some(format!("{year}-{}-{}", part(Some(moment.month)), part(moment.day)))
}

/// A value, with its text in plain form.
struct Item {
    plain: String,
    value: Value,
}

/// What a text is to a machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Value {
    Text,
    Whole(i128),
    /// The bits of a number that is not whole, or too large to be counted.
    Real(u64),
    Date([Option<i128>; 3]),
}

impl Item {
    fn new(text: &str, reading: Option<&str>) -> Item {
        Item { plain: plain(text), value: Value::of(reading.unwrap_or(text)) }
    }

    fn matches(&self, other: &Item) -> bool {
        self.plain == other.plain
            || match (&self.value, &other.value) {
                (Value::Text, _) | (_, Value::Text) => false,
                (Value::Whole(_), Value::Whole(_)) | (Value::Date(_), _) | (_, Value::Date(_)) => {
                    self.value == other.value
                }
                (one, two) => (one.amount() - two.amount()).abs() < CLOSE,
            }
    }
}

/// Numbers closer than this are the same.
const CLOSE: f64 = 1e-6;

impl Value {
    fn of(text: &str) -> Value {
        let text: String = text.chars().map(plain_digit).collect();
        number(&text).or_else(|| date(&text)).unwrap_or(Value::Text)
    }

    fn amount(&self) -> f64 {
        match self {
            Value::Whole(whole) => *whole as f64,
            Value::Real(bits) => f64::from_bits(*bits),
            Value::Text | Value::Date(_) => f64::NAN,
        }
    }
}

/// Values that differ: texts by their plain form, numbers and dates by what they are, the first of equal
/// ones.
fn distinct(items: impl Iterator<Item = Item>) -> Vec<Item> {
    let mut seen = HashSet::new();
    let key = |item: &Item| {
        let plain = if item.value == Value::Text { item.plain.clone() } else { String::new() };
        (item.value.clone(), plain)
    };
    items.filter(|item| seen.insert(key(item))).collect()
}

/// A number that is whole within the tolerance loses what stands after the point, as in the official rules.
fn number(text: &str) -> Option<Value> {
    if let Some(whole) = whole(text) {
        return Some(Value::Whole(whole));
    }
    let real = text.trim_matches(is_space).parse::<f64>().ok().filter(|real| real.is_finite())?;
    let is_whole = (real - real.round()).abs() < CLOSE && real.abs() < 1e38;
    Some(if is_whole { Value::Whole(real as i128) } else { Value::Real(real.to_bits()) })
}

fn whole(text: &str) -> Option<i128> {
    text.trim_matches(is_space).parse().ok()
}

/// A date of three parts; one of which only the year is known is a number.
fn date(text: &str) -> Option<Value> {
    let text = text.to_lowercase();
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let part = |part: &str| if part == "xx" { Some(None) } else { whole(part).map(Some) };
    let year = if year == "xxxx" { None } else { part(year)? };
    let (month, day) = (part(month)?, part(day)?);
    let is_sound = |part: Option<i128>, most| part.is_none_or(|part| (1..=most).contains(&part));
    match (year, month, day) {
        (None, None, None) => None,
        (Some(year), None, None) => Some(Value::Whole(year)),
        _ => (is_sound(month, 12) && is_sound(day, 31)).then_some(Value::Date([year, month, day])),
    }
}

/// A text with all put aside in which equal values may differ.
fn plain(text: &str) -> String {
    let all = unaccented(text);
    let mut rest = trimmed(&all);
    loop {
        let before = rest.len();
        rest = trimmed(&rest[..citations(rest)]);
        rest = trimmed(&rest[..details(rest)]);
        if let ['"', inner @ .., '"'] = rest
            && !inner.contains(&'"')
        {
            rest = trimmed(inner);
        }
        if rest.len() == before {
            break;
        }
    }
    lower(rest.strip_suffix(&['.']).unwrap_or(rest))
}

/// A text without accents, case, kinds of quotes and dashes, and runs of spaces.
pub(super) fn folded(text: &str) -> String {
    lower(&unaccented(text))
}

fn unaccented(text: &str) -> Vec<char> {
    text.nfkd().filter(|c| !is_accent(*c)).map(plain_sign).collect()
}

fn lower(text: &[char]) -> String {
    let text: String = text.iter().collect();
    let words: Vec<&str> = text.split(is_space).filter(|word| !word.is_empty()).collect();
    words.join(" ").to_lowercase()
}

/// Quotes and dashes of all kinds as those of a keyboard.
fn plain_sign(c: char) -> char {
    match c {
        '‘' | '’' | '´' | '`' => '\'',
        '“' | '”' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '−' => '-',
        other => other,
    }
}

fn trimmed(text: &[char]) -> &[char] {
    let is_word = |c: &char| !is_space(*c);
    let start = text.iter().position(is_word).unwrap_or(text.len());
    let end = text.iter().rposition(is_word).map_or(start, |at| at + 1);
    &text[start..end]
}

/// Where the citations at the end begin: signs such as `†`, and what stands in brackets, unless the text
/// begins with it and it is no number.
fn citations(text: &[char]) -> usize {
    let is_number = |digits: &[char]| !digits.is_empty() && digits.iter().all(char::is_ascii_digit);
    tail(text, ']', |at, close| match text[at] {
        '•' | '♦' | '†' | '‡' | '*' | '#' | '+' => Some(at + 1),
        '[' => close.filter(|close| at > 0 || is_number(&text[1..*close])).map(|close| close + 1),
        _ => None,
    })
}

/// Where the parentheses at the end begin, each after a space; a text does not begin with them.
fn details(text: &[char]) -> usize {
    let opens = |at: usize| at > 0 && text[at] == ' ' && text.get(at + 1) == Some(&'(');
    tail(text, ')', |at, close| close.filter(|_| opens(at)).map(|close| close + 1))
}

/// The first place from which on there are nothing but pieces of a kind. `piece` says where one ends that
/// begins at a place, knowing where the next closing sign is.
fn tail(text: &[char], closing: char, piece: impl Fn(usize, Option<usize>) -> Option<usize>) -> usize {
    let mut is_tail = vec![false; text.len() + 1];
    is_tail[text.len()] = true;
    let (mut start, mut close) = (text.len(), None);
    for at in (0..text.len()).rev() {
        if text[at] == closing {
            close = Some(at);
        }
        if piece(at, close).is_some_and(|end| is_tail[end]) {
            is_tail[at] = true;
            start = at;
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(all: &[&str]) -> Vec<String> {
        all.iter().map(|v| (*v).to_owned()).collect()
    }

    fn is(targets: &[&str], given: &[&str]) -> bool {
        is_denoted(&list(targets), &list(given))
    }

    #[test]
    fn texts_match_in_their_plain_form() {
        assert!(is(&["Café  de Flore"], &["cafe de flore."]));
        assert!(is(&["“Yes”"], &["yes†[3]"]) && is(&["1990–91"], &["1990-91"]));
        assert!(is(&["Oslo (Norway) [2]"], &["oslo"]) && is(&["St. Louis"], &["st. louis"]));
        assert!(!is(&["St. Louis"], &["St Louis"]) && !is(&["Oslo"], &["Bergen"]));
        assert_eq!(plain("[note] a"), "[note] a");
        assert_eq!((plain("[12]*"), plain("[ab]")), (String::new(), "[ab]".to_owned()));
        assert_eq!((plain("(a) (b)"), plain(" \"x\" (a [b]) ")), ("(a)".to_owned(), "x".to_owned()));
        assert_eq!((plain("a [b [c]"), plain("(a")), ("a".to_owned(), "(a".to_owned()));
    }

    #[test]
    fn numbers_match_by_their_amount() {
        assert!(is(&["1"], &["1.0"]) && is(&["1e3"], &[" 1000 "]) && is(&["0.5"], &[".5000001"]));
        assert!(!is(&["0.5"], &["0.50001"]) && !is(&["1,000"], &["1000"]) && !is(&["1"], &["one"]));
        assert!(!is(&["nan"], &["inf"]) && is(&["１２"], &["12"]));
    }

    #[test]
    fn dates_match_when_all_their_parts_do() {
        assert!(is(&["2004-03-05"], &["2004-3-5"]) && is(&["xx-01-02"], &["xxxx-1-2"]));
        assert!(!is(&["xx-01-02"], &["2004-01-02"]) && !is(&["2004-13-05"], &["2004-13-5"]));
        assert!(is(&["2004"], &["2004-xx-xx"]) && !is(&["xx-xx-xx"], &["xxxx-xx-xx"]));
    }

    #[test]
    fn lists_are_sets() {
        assert!(is(&["a", "b"], &["B", "A"]) && is(&["a", "a"], &["a"]) && is(&["2", "2.0"], &["2"]));
        assert!(!is(&["a", "b"], &["a"]) && !is(&["a"], &["a", "b"]) && !is(&["a"], &[]));
        assert!(is(&[], &[]));
    }

    #[test]
    fn a_second_reading_of_what_is_right_counts() {
        let given = list(&["1234"]);
        assert!(!is_denoted(&list(&["1,234"]), &given));
        assert!(is_denoted_as(&list(&["1,234"]), &list(&["1234.0"]), &given));
        assert!(is_denoted_as(&list(&["1,234"]), &list(&["1234.0"]), &list(&["1,234"])));
        let read = ["1,234", "March 3, 1829", "21 October", "May 1979", "17 years", "Oslo", "1/2/2003"];
        let read: Vec<Option<String>> = read.iter().map(|text| reading(text)).collect();
        let right =
            [Some("1234"), Some("1829-03-03"), Some("xx-10-21"), Some("1979-05-xx"), None, None, None];
        assert_eq!(read, right.map(|text| text.map(str::to_owned)));
    }
}
