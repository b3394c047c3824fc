//! Numbers and dates in the index.
//!
//! A value is one term in its plain form, whatever form it was written in:
//!
//! | written | terms |
//! |---|---|
//! | `1200`, `1,200`, `1200.0` | `1200` |
//! | `1.2k` | `1.2k` `1200` |
//! | `-5`, `(5)` | `5` `-5` |
//! | `35%` | `35` `0.35` |
//! | `2023-09-01` | `2023` `2023-09-01` `2023-09` `--09-01` |
//! | `2023-09-01 08:30` | the same and `2023-09-01 08:30:00` |
//! | `Sept 1, 2023` | `sept` `1` `2023` `2023-09-01` `2023-09` `--09-01` |
//!
//! A plain number is its own term, so most numbers cost one. A day also gives its month and its day of the
//! year, because people ask for `September 2023` and for `September 1`; these are terms of the index alone,
//! a query looks for just what it names. Plain days do not give the useless `09` and `01`.

use super::Scratch;
use super::words::{Emit, words};
use std::ops::Range;
use tabletalk_core::value::{find_keys, keys};

/// Numbers of more digits are codes as often as not and are read by the general rules.
const DIGITS: usize = 15;

/// The words of a cell, joined: the key under which it is found as a whole.
#[derive(Debug, Default)]
pub struct Whole {
    key: String,
    words: usize,
}

impl Whole {
    /// The key of the cell that was cut last. `None` when it has more words than `most`, or only one,
    /// which is found as a word anyway.
    pub fn key(&self, most: usize) -> Option<&str> {
        (2..=most).contains(&self.words).then_some(&self.key)
    }

    fn clear(&mut self) {
        self.key.clear();
        self.words = 0;
    }

    fn push(&mut self, term: &str) {
        if self.words > 0 {
            self.key.push(' ');
        }
        self.key.push_str(term);
        self.words += 1;
    }
}

/// The terms of a cell, and the cell as a whole where that is asked for: both from one cut.
pub(super) fn in_value(text: &str, scratch: &mut Scratch, mut joined: Option<&mut Whole>, emit: Emit<'_>) {
    if let Some(joined) = &mut joined {
        joined.clear();
    }
    let trimmed = text.trim();
    let start = text.len() - text.trim_start().len();
    let whole = start..start + trimmed.len();
    if is_plain_number(trimmed) {
        return emit(trimmed, whole);
    }
    if let Some(positive) = trimmed.strip_prefix('-').filter(|t| is_plain_number(t)) {
        emit(positive, whole.start + 1..whole.end);
        return emit(trimmed, whole);
    }
    if let Some(moment) = Moment::read(trimmed) {
        if let Some(joined) = joined {
            words(text, scratch, &mut |term, _| joined.push(term));
        }
        return moment.terms(|term| emit(term, whole.clone()));
    }
    let found = match has_digit(trimmed) {
        true => keys(trimmed).into_iter().map(|key| (whole.clone(), term(key))).collect(),
        false => Vec::new(),
    };
    with_words(text, found, scratch, joined, emit);
}

/// The terms of free text.
pub(super) fn in_text(text: &str, scratch: &mut Scratch, emit: Emit<'_>) {
    with_words(text, found_in(text), scratch, None, emit);
}

/// The numbers and dates in free text: where, and in their plain forms. A moment gives its day too.
pub(super) fn found_in(text: &str) -> Vec<(Range<usize>, String)> {
    if !has_digit(text) {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (range, key) in find_keys(text) {
        if let Some(time) = text.get(range.clone()).and_then(Moment::read).and_then(|m| m.time()) {
            out.push((range.clone(), time));
        }
        out.push((range, term(key)));
    }
    out
}

fn has_digit(text: &str) -> bool {
    match text.is_ascii() {
        true => text.bytes().any(|b| b.is_ascii_digit()),
        false => text.chars().any(char::is_numeric),
    }
}

/// The term of a key: plain forms need no mark, as no word looks like one.
fn term(mut key: String) -> String {
    if key.starts_with("n:") || key.starts_with("d:") {
        key.drain(..2);
    }
    key
}

/// Hands on the words of `text`, then the values in it that no word says already.
fn with_words(
    text: &str,
    found: Vec<(Range<usize>, String)>,
    scratch: &mut Scratch,
    mut joined: Option<&mut Whole>,
    emit: Emit<'_>,
) {
    let mut said = vec![false; found.len()];
    let mut open = 0;
    words(text, scratch, &mut |term, range| {
        open += found.iter().skip(open).take_while(|(r, _)| r.end <= range.start).count();
        let inside = found.iter().enumerate().skip(open).take_while(|(_, (r, _))| r.start <= range.start);
        for (i, (r, value)) in inside {
            said[i] |= value == term && range.end <= r.end;
        }
        if let Some(joined) = &mut joined {
            joined.push(term);
        }
        emit(term, range);
    });
    for ((range, value), said) in found.iter().zip(said) {
        if !said {
            emit(value, range.clone());
        }
        wider(value, |term| emit(term, range.clone()));
    }
}

/// The month of a day, and the day without its year.
fn wider(value: &str, mut emit: impl FnMut(&str)) {
    if is_plain_day(value) {
        emit(&value[..7]);
        emit(&format!("-{}", &value[4..]));
    }
}

/// Whether the text is a number written in its plain form.
fn is_plain_number(text: &str) -> bool {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "1"));
    let digits = |part: &str| (1..=DIGITS).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    digits(whole) && digits(decimals) && (whole == "0" || !whole.starts_with('0')) && !decimals.ends_with('0')
}

/// Whether the text is like `2023-09-01`.
fn is_plain_day(text: &str) -> bool {
    text.len() == 10 && is_shape(text, b"0000-00-00")
}

/// Whether the text is like `shape`, in which `0` stands for any digit.
fn is_shape(text: &str, shape: &[u8]) -> bool {
    text.bytes().zip(shape).all(|(b, &s)| if s == b'0' { b.is_ascii_digit() } else { b == s })
}

/// A day, and maybe a time, written plainly.
struct Moment<'a> {
    day: &'a str,
    time: Option<&'a str>,
}

impl<'a> Moment<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (day, rest) = text.split_at_checked(10)?;
        if !is_plain_day(day) {
            return None;
        }
        let time = rest.strip_prefix([' ', 'T']);
        let known = match time {
            None => rest.is_empty(),
            Some(time) if time.len() == 5 => is_shape(time, b"00:00"),
            Some(time) if time.len() == 8 => is_shape(time, b"00:00:00"),
            Some(_) => false,
        };
        known.then_some(Moment { day, time })
    }

    /// Day and time to the second.
    fn time(&self) -> Option<String> {
        let time = self.time?;
        Some(format!("{} {time}{}", self.day, if time.len() == 5 { ":00" } else { "" }))
    }

    fn terms(&self, mut emit: impl FnMut(&str)) {
        emit(&self.day[..4]);
        emit(self.day);
        wider(self.day, &mut emit);
        if let Some(time) = self.time() {
            emit(&time);
        }
    }
}
