//! Takes a question apart: words, numbers, dates, and the words that hint at what is asked.

use crate::cue::{self, Cue};
use crate::mask::{LONGEST, Mask, first, last, mask, span};
use crate::word::{self, Word};
use tabletalk_core::value;

/// A question taken apart.
#[derive(Debug)]
pub(crate) struct Question {
    pub words: Vec<Word>,
    /// The words that say something.
    pub content: Mask,
    /// Numbers and dates.
    pub mentions: Vec<Mention>,
    /// Words that hint at an operation.
    pub cues: [Mask; Cue::COUNT],
    /// Words that stand in quotes.
    pub quoted: Mask,
    /// Numbers beside which the sign of a currency stands.
    pub money: Mask,
    /// The words between which the question lets choose: `Rome or Munich` after a comma at its end.
    pub alternatives: Mask,
}

/// A number or date in a question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mention {
    pub mask: Mask,
    pub what: Amount,
}

/// What a mention is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Amount {
    /// A number.
    Number(f64),
    /// A day since 1970-01-01.
    Day(i32),
    /// A month of a year.
    YearMonth(i32, u32),
    /// A month of any year.
    Month(u32),
    /// A day of a month of any year.
    MonthDay(u32, u32),
}

impl Amount {
    /// The year it is, if it can be one.
    pub(crate) fn year(self) -> Option<i32> {
        match self {
            Amount::Number(n) if n.fract() == 0.0 && (1000.0..2101.0).contains(&n) => Some(n as i32),
            _ => None,
        }
    }
}

impl Question {
    /// Takes a question apart.
    pub(crate) fn new(text: &str) -> Self {
        let mut words = word::words(text);
        words.truncate(LONGEST);
        let content = mask(words.iter().enumerate().filter(|(_, w)| !w.is_stop()).map(|(i, _)| i));
        let mentions = mentions(text, &words);
        let cues = cue::find(&words);
        let quoted = quoted(text, &words);
        let money = mask(words.iter().enumerate().filter(|(_, w)| has_sign(text, w)).map(|(i, _)| i));
        let alternatives = alternatives(text, &words);
        Question { words, content, mentions, cues, quoted, money, alternatives }
    }

    /// Whether any of these cues is there.
    pub(crate) fn has(&self, cues: &[Cue]) -> bool {
        cues.iter().any(|c| self.cue(*c) != 0)
    }

    /// The words of a cue.
    pub(crate) fn cue(&self, cue: Cue) -> Mask {
        self.cues.get(cue as usize).copied().unwrap_or(0)
    }

    /// The text of a word; empty past the ends.
    pub(crate) fn text(&self, i: Option<usize>) -> &str {
        i.and_then(|i| self.words.get(i)).map_or("", |w| w.text.as_str())
    }

    /// The words of the question from the first to the last of a set, as they are written.
    pub(crate) fn written<'t>(&self, text: &'t str, mask: Mask) -> &'t str {
        let (Some(a), Some(b)) = (first(mask), last(mask)) else { return "" };
        let (Some(a), Some(b)) = (self.words.get(a), self.words.get(b)) else { return "" };
        text.get(a.start..b.end).unwrap_or_default()
    }
}

fn mentions(text: &str, words: &[Word]) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    for (range, key) in value::find_keys(text) {
        let inside = |w: &Word| w.start < range.end && w.end > range.start;
        let mask = mask(words.iter().enumerate().filter(|(_, w)| inside(w)).map(|(i, _)| i));
        if let Some(what) = amount(&key).filter(|_| mask != 0) {
            found.push(Mention { mask, what });
        }
    }
    for (i, word) in words.iter().enumerate() {
        let mask = span(i, i + 1);
        if found.iter().any(|m| m.mask & mask != 0) {
            continue;
        }
        let number = word.number().or_else(|| spelled(word));
        let is_month = |names: &str| names.split('|').any(|m| m == word.text);
        let month = MONTHS.iter().position(|m| is_month(m)).map(|i| Amount::Month(i as u32 + 1));
        if let Some(what) = number.map(Amount::Number).or(month) {
            found.push(Mention { mask, what });
        }
    }
    joined(found)
}

/// A month with the day beside it is a day of that month, with a year behind it a day: `3. Februar 2024`.
fn joined(mut found: Vec<Mention>) -> Vec<Mention> {
    found.sort_by_key(|m| first(m.mask));
    let touches = |a: &Mention, b: &Mention| last(a.mask).map(|l| l + 1) == first(b.mask);
    let number = |m: &Mention| match m.what {
        Amount::Number(n) if n.fract() == 0.0 => Some(n as i64),
        _ => None,
    };
    let mut all: Vec<Mention> = Vec::new();
    for mention in found {
        let before = all.last().filter(|b| touches(b, &mention)).cloned();
        let what = match (before.as_ref().map(|b| b.what), mention.what) {
            (Some(Amount::Number(d)), Amount::Month(m)) if is_day(d) => Amount::MonthDay(m, d as u32),
            (Some(Amount::Month(m)), Amount::Number(d)) if is_day(d) => Amount::MonthDay(m, d as u32),
            (Some(Amount::MonthDay(m, d)), Amount::Number(_)) => {
                let year = number(&mention).filter(|y| (1000..2101).contains(y));
                match year.and_then(|y| value::date(&format!("{y:04}-{m:02}-{d:02}"))) {
                    Some(day) => Amount::Day(day),
                    None => mention.what,
                }
            }
            _ => mention.what,
        };
        if what == mention.what {
            all.push(mention);
        } else if let Some(last) = all.last_mut() {
            *last = Mention { mask: last.mask | mention.mask, what };
        }
    }
    all
}

/// Whether a number can be that of a day in its month.
fn is_day(n: f64) -> bool {
    n.fract() == 0.0 && (1.0..=31.0).contains(&n)
}

/// A number in words, but for one, which is mostly a pronoun.
fn spelled(word: &Word) -> Option<f64> {
    if word.text == "zero" {
        return Some(0.0);
    }
    let is_word = word.text.bytes().all(|b| b.is_ascii_lowercase()) && word.text != "one";
    word.count().filter(|_| is_word).map(f64::from)
}

fn amount(key: &str) -> Option<Amount> {
    if let Some(number) = key.strip_prefix("n:") {
        return number.parse().ok().map(Amount::Number);
    }
    let date = key.strip_prefix("d:")?;
    if let Some(rest) = date.strip_prefix("--") {
        let (month, day) = rest.split_once('-')?;
        let month = month.parse().ok()?;
        return match day.parse().ok()? {
            0 => Some(Amount::Month(month)),
            day => Some(Amount::MonthDay(month, day)),
        };
    }
    match date.split('-').collect::<Vec<_>>().as_slice() {
        [year, month] => Some(Amount::YearMonth(year.parse().ok()?, month.parse().ok()?)),
        _ => value::date(date).map(Amount::Day),
    }
}

/// The names of the months in English, German and French, without accents.
const MONTHS: [&str; 12] = [
    "january|jan|januar|janvier",
    "february|feb|februar|fevrier",
    "march|mar|marz|mars",
    "april|apr|avril",
    "may|mai",
    "june|jun|juni|juin",
    "july|jul|juli|juillet",
    "august|aug|aout",
    "september|sep|sept|septembre",
    "october|oct|oktober|okt|octobre",
    "november|nov|novembre",
    "december|dec|dezember|dez|decembre",
];

/// Whether the sign of a currency stands beside a number: `$500`, `500 €`.
fn has_sign(text: &str, word: &Word) -> bool {
    let is_sign = |c: char| matches!(c, '€' | '$' | '£' | '¥');
    let before = text.get(..word.start).and_then(|head| head.trim_end().chars().next_back());
    let after = text.get(word.end..).and_then(|rest| rest.trim_start().chars().next());
    word.number().is_some() && (before.is_some_and(is_sign) || after.is_some_and(is_sign))
}

/// The words after the last comma, or colon, where they are joined by an `or`.
fn alternatives(text: &str, words: &[Word]) -> Mask {
    const OR: [&str; 4] = ["or", "oder", "ou", "还"];
    let Some(comma) = text.rfind([',', ':', '，', '：', '、']) else { return 0 };
    let last = words.iter().enumerate().filter(|(_, w)| w.start > comma);
    let is_choice = last.clone().any(|(_, w)| OR.contains(&w.text.as_str()));
    if is_choice { mask(last.map(|(i, _)| i)) } else { 0 }
}

/// The words between quotation marks.
fn quoted(text: &str, words: &[Word]) -> Mask {
    let mut quoted = 0;
    let mut open: Option<usize> = None;
    for (at, c) in text.char_indices() {
        match (open, c) {
            (None, '"' | '“' | '「' | '《') => open = Some(at),
            (Some(from), '"' | '”' | '」' | '》') => {
                let inside = words.iter().enumerate().filter(|(_, w)| w.start > from && w.end <= at);
                quoted |= mask(inside.map(|(i, _)| i));
                open = None;
            }
            _ => {}
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_numbers_dates_and_quotes() {
        let q = Question::new("Which \"Blue Moon\" sold over 1.2k since 2023-09-01 or two in may?");
        let whats: Vec<Amount> = q.mentions.iter().map(|m| m.what).collect();
        assert!(whats.contains(&Amount::Number(1200.0)), "{whats:?}");
        assert!(whats.contains(&Amount::Number(2.0)) && whats.contains(&Amount::Month(5)));
        assert!(whats.iter().any(|w| matches!(w, Amount::Day(_))));
        assert_eq!(q.quoted, 0b110);
    }
}
