//! Months, quarters, years and days as people write them, in questions, in names of columns and in cells.

use super::lexicon::Period;
use crate::analyse::{Amount, Question};
use crate::compare;
use crate::execute::{civil, month_day};
use crate::grid::{Cell, Field, Measure};
use crate::mask::Mask;
use crate::program::Test;
use crate::word::{self, Word};

/// A stretch of time that a question names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Time {
    Year(i32),
    Month(u32),
    YearMonth(i32, u32),
    Quarter(Option<i32>, u32),
    /// The first or the second half of a year.
    Half(Option<i32>, u32),
    Day(i32),
    /// A day of a month of any year.
    MonthDay(u32, u32),
    /// A day of the week, from Monday.
    Weekday(u32),
    /// A time of day, in minutes.
    Clock(u32),
}

impl Time {
    /// The first and the last day, where a year is said.
    pub(crate) fn days(self) -> Option<(f64, f64)> {
        match self {
            Time::Year(year) => Some((compare::month(year, 1)?.0, compare::month(year, 12)?.1)),
            Time::YearMonth(year, month) => compare::month(year, month),
            Time::Quarter(Some(year), q) => {
                Some((compare::month(year, q * 3 - 2)?.0, compare::month(year, q * 3)?.1))
            }
            Time::Half(Some(year), h) => {
                Some((compare::month(year, h * 6 - 5)?.0, compare::month(year, h * 6)?.1))
            }
            Time::Day(day) => Some((f64::from(day), f64::from(day))),
            Time::Month(_) | Time::MonthDay(..) | Time::Quarter(None, _) | Time::Half(None, _) => None,
            Time::Weekday(_) | Time::Clock(_) => None,
        }
    }

    /// What a day must be to lie in it.
    pub(crate) fn test(self) -> Option<Test> {
        match self {
            Time::Year(year) => Some(Test::Year(year)),
            Time::Month(month) => Some(Test::Month(month)),
            Time::Quarter(None, quarter) => Some(Test::Quarter(quarter)),
            Time::Weekday(day) => Some(Test::Weekday(day)),
            other => other.days().map(|(from, to)| Test::Between(from, to)),
        }
    }

    /// The same in a year, where it was said without one.
    pub(crate) fn of_year(self, year: i32) -> Time {
        match self {
            Time::Month(month) => Time::YearMonth(year, month),
            Time::Quarter(None, quarter) => Time::Quarter(Some(year), quarter),
            Time::Half(None, half) => Time::Half(Some(year), half),
            Time::MonthDay(month, day) => {
                tabletalk_core::value::date(&format!("{year:04}-{month:02}-{day:02}")).map_or(self, Time::Day)
            }
            other => other,
        }
    }

    /// The year of a month, a quarter or a half that is said with one.
    pub(crate) fn year_of_part(self) -> Option<i32> {
        match self {
            Time::YearMonth(year, _) | Time::Quarter(Some(year), _) | Time::Half(Some(year), _) => Some(year),
            _ => None,
        }
    }

    /// Whether something said of one is said of the other: March is a March 2024.
    pub(crate) fn covers(self, other: Time) -> bool {
        match (self, other) {
            (Time::Month(a), Time::YearMonth(_, b)) => a == b,
            (Time::Quarter(None, a), Time::Quarter(_, b)) => a == b,
            (Time::Quarter(None, a), Time::Month(b) | Time::YearMonth(_, b)) => a == b.div_ceil(3),
            (Time::Quarter(Some(y), a), Time::YearMonth(of, b)) => y == of && a == b.div_ceil(3),
            (Time::Half(None, a), Time::Month(b) | Time::YearMonth(_, b)) => a == b.div_ceil(6),
            (Time::Half(None, a), Time::Quarter(_, b)) => a == b.div_ceil(2),
            (Time::Half(Some(y), a), Time::YearMonth(of, b)) => y == of && a == b.div_ceil(6),
            (Time::Half(Some(y), a), Time::Quarter(Some(of), b)) => y == of && a == b.div_ceil(2),
            (Time::Year(y), Time::YearMonth(of, _) | Time::Quarter(Some(of), _)) => y == of,
            (Time::MonthDay(m, d), Time::Day(day)) => month_day(day) == (m, d),
            (a, b) => a == b,
        }
    }
}

/// The times that a question names, with their words.
pub(crate) fn times(question: &Question) -> Vec<(Mask, Time)> {
    let words = &question.words;
    let mut found: Vec<(Mask, Time)> = Vec::new();
    let mut taken: Mask = 0;
    for from in 0..words.len() {
        for len in (1..=4.min(words.len() - from)).rev() {
            let mask = crate::mask::span(from, from + len);
            let Some(time) = words.get(from..from + len).and_then(of_words) else { continue };
            if taken & mask == 0 && !(len == 1 && is_modal(words, from)) {
                found.push((mask, time));
                taken |= mask;
            }
        }
    }
    for mention in &question.mentions {
        let time = match mention.what {
            Amount::Day(day) => Time::Day(day),
            Amount::YearMonth(year, month) => Time::YearMonth(year, month),
            Amount::Month(month) => Time::Month(month),
            Amount::MonthDay(month, day) => Time::MonthDay(month, day),
            Amount::Number(_) => continue,
        };
        if let Time::Day(_) | Time::YearMonth(..) | Time::MonthDay(..) = time {
            found.retain(|(mask, _)| mask & mention.mask == 0);
        }
        if found.iter().all(|(mask, _)| mask & mention.mask == 0) {
            found.push((mention.mask, time));
        }
    }
    found
}

/// The stretches of time that are told by the present, with whether the last one is meant: `this month`, `last year`.
pub(crate) fn relative(question: &Question) -> Vec<(Mask, Period, bool)> {
    const PHRASES: [(&str, Period, bool); 44] = [
        ("last year", Period::Year, true),
        ("the last year", Period::Year, true),
        ("previous year", Period::Year, true),
        ("past year", Period::Year, true),
        ("this year", Period::Year, false),
        ("current year", Period::Year, false),
        ("last month", Period::Month, true),
        ("the last month", Period::Month, true),
        ("previous month", Period::Month, true),
        ("past month", Period::Month, true),
        ("this month", Period::Month, false),
        ("current month", Period::Month, false),
        ("last quarter", Period::Quarter, true),
        ("previous quarter", Period::Quarter, true),
        ("this quarter", Period::Quarter, false),
        ("current quarter", Period::Quarter, false),
        ("letztes jahr", Period::Year, true),
        ("letzten jahr", Period::Year, true),
        ("letzten jahres", Period::Year, true),
        ("vorigen jahr", Period::Year, true),
        ("vergangenen jahr", Period::Year, true),
        ("voriges jahr", Period::Year, true),
        ("vorjahr", Period::Year, true),
        ("dieses jahr", Period::Year, false),
        ("diesem jahr", Period::Year, false),
        ("letzten monat", Period::Month, true),
        ("letzter monat", Period::Month, true),
        ("vorigen monat", Period::Month, true),
        ("diesen monat", Period::Month, false),
        ("diesem monat", Period::Month, false),
        ("letzten quartal", Period::Quarter, true),
        ("letztes quartal", Period::Quarter, true),
        ("diesem quartal", Period::Quarter, false),
        ("annee derniere", Period::Year, true),
        ("cette annee", Period::Year, false),
        ("mois dernier", Period::Month, true),
        ("ce mois", Period::Month, false),
        ("trimestre dernier", Period::Quarter, true),
        ("去 年", Period::Year, true),
        ("上 年", Period::Year, true),
        ("今 年", Period::Year, false),
        ("上 个 月", Period::Month, true),
        ("这 个 月", Period::Month, false),
        ("本 月", Period::Month, false),
    ];
    let mut found: Vec<(Mask, Period, bool)> = Vec::new();
    for (phrase, period, is_last) in PHRASES {
        let words: Vec<&str> = phrase.split(' ').collect();
        for from in 0..question.words.len() {
            let mask = crate::mask::span(from, from + words.len());
            let says = words.iter().enumerate().all(|(i, w)| question.text(Some(from + i)) == *w);
            if says {
                found.retain(|f| f.0 & mask != f.0);
                if found.iter().all(|f| f.0 & mask == 0) {
                    found.push((mask, period, is_last));
                }
            }
        }
    }
    // `the last year with sales` and `which year was the last` are no stretches beside today.
    found.retain(|f| !matches!(question.text(crate::mask::last(f.0).map(|i| i + 1)), "with" | "that"));
    found
}

/// The latest month of a column, as a year and a month.
pub(crate) fn latest(field: &Field) -> Option<(i32, u32)> {
    if field.measure == Measure::Day {
        let days = field.cells.iter().filter_map(|c| c.day);
        return days.max().map(civil);
    }
    let times = cells(field)?;
    let of = |time: &Time| match time {
        Time::YearMonth(year, month) => Some((*year, *month)),
        Time::Quarter(Some(year), quarter) => Some((*year, quarter * 3)),
        _ => None,
    };
    times.iter().flatten().filter_map(of).max()
}

/// The stretches that are meant where the latest month is this one: the one it lies in, or, for the last one, that and the one
/// before it.
pub(crate) fn around((year, month): (i32, u32), period: Period, is_last: bool) -> Vec<Time> {
    let before = |n: u32, of: u32| if n == 1 { (year - 1, of) } else { (year, n - 1) };
    let quarter = month.div_ceil(3);
    let (this, last) = match period {
        Period::Year => (Time::Year(year), Time::Year(year - 1)),
        Period::Quarter => {
            let (y, q) = before(quarter, 4);
            (Time::Quarter(Some(year), quarter), Time::Quarter(Some(y), q))
        }
        _ => {
            let (y, m) = before(month, 12);
            (Time::YearMonth(year, month), Time::YearMonth(y, m))
        }
    };
    if is_last { vec![this, last] } else { vec![this] }
}

/// Whether a `may` says what is allowed: what is before it and after it says no time.
fn is_modal(words: &[Word], at: usize) -> bool {
    const TIMES: [&str; 26] = [
        "in", "of", "since", "until", "till", "by", "before", "after", "during", "from", "to", "and",
        "between", "for", "this", "last", "early", "late", "mid", "through", "on", "im", "en", "or", "till",
        "per",
    ];
    let text = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", |w| w.text.as_str());
    let is_number = |at: Option<usize>| at.and_then(|at| words.get(at)).is_some_and(|w| w.number().is_some());
    let (before, after) = (at.checked_sub(1), Some(at + 1).filter(|at| *at < words.len()));
    text(Some(at)) == "may"
        && before.is_some()
        && after.is_some()
        && !TIMES.contains(&text(before))
        && !is_number(before)
        && !is_number(after)
        && month_words(text(before)).is_none()
        && month_words(text(after)).is_none()
}

/// The month that a word names.
fn month_words(text: &str) -> Option<u32> {
    word::words(text).first().and_then(month)
}

/// The time that a whole text names: `March`, `Q1 2024`, `2024年3月`.
pub(crate) fn of_text(text: &str) -> Option<Time> {
    let words = word::words(text);
    // In a header these are no verb and no star.
    if let [only] = words.as_slice()
        && let Some(day) = ["sat", "sun"].iter().position(|d| *d == only.text)
    {
        return Some(Time::Weekday(day as u32 + 5));
    }
    (words.len() <= 4).then(|| of_words(&words))?
}

fn of_words(words: &[Word]) -> Option<Time> {
    match words {
        [a] => month(a)
            .map(Time::Month)
            .or_else(|| weekday(a).map(Time::Weekday))
            .or_else(|| year(a).map(Time::Year))
            .or_else(|| quarter(a).map(|q| Time::Quarter(None, q))),
        [a, b] => half(a, b).map(|h| Time::Half(None, h)).or_else(|| two(a, b)),
        [a, b, c] if half(a, b).is_some() => Some(Time::Half(Some(year(c)?), half(a, b)?)),
        [up, h, n] if h.text == "半" && n.text == "年" => han_half(up).map(|h| Time::Half(None, h)),
        [a, b, c] => three(a, b, c),
        [a, b, of, y] if is_of(of) && half(a, b).is_some() => Some(Time::Half(Some(year(y)?), half(a, b)?)),
        [a, b, of, y] if is_of(of) => match two(a, b)? {
            time @ Time::Quarter(None, _) => Some(time.of_year(year(y)?)),
            _ => None,
        },
        [y, n, m, u] if n.text == "年" && u.text == "月" => {
            Some(Time::YearMonth(year(y)?, small(m).filter(|n| (1..=12).contains(n))?))
        }
        [y, n, q, u] if n.text == "年" && u.text == "季" => {
            Some(Time::Quarter(Some(year(y)?), small(q).filter(|q| (1..=4).contains(q))?))
        }
        _ => None,
    }
}

/// The month of `01/2024`.
fn of_numbers(text: &str) -> Option<Time> {
    let (month, year) = text.trim().split_once(['/', '.', '-'])?;
    let is_digits = |text: &str, len: usize| text.len() <= len && text.bytes().all(|b| b.is_ascii_digit());
    let month = month.parse().ok().filter(|m| is_digits(month, 2) && (1..=12).contains(m))?;
    let year = year.parse().ok().filter(|y| is_digits(year, 4) && (1800..2101).contains(y))?;
    Some(Time::YearMonth(year, month))
}

fn is_of(word: &Word) -> bool {
    matches!(word.text.as_str(), "of" | "in" | "de" | "von" | "im" | "des")
}

/// `first half`, `zweites Halbjahr`, `H1`.
fn half(a: &Word, b: &Word) -> Option<u32> {
    let is = matches!(b.text.as_str(), "half" | "halbjahr" | "semestre" | "semester");
    ordinal(a).filter(|h| is && (1..=2).contains(h))
}

fn han_half(word: &Word) -> Option<u32> {
    match word.text.as_str() {
        "上" => Some(1),
        "下" => Some(2),
        _ => None,
    }
}

fn two(a: &Word, b: &Word) -> Option<Time> {
    match (a.text.as_str(), b.text.as_str()) {
        (_, "月") => small(a).filter(|n| (1..=12).contains(n)).map(Time::Month),
        (_, "年") => year(a).map(Time::Year),
        ("year" | "jahr" | "annee" | "fy", _) => year(b).map(Time::Year),
        ("h", _) => small(b).filter(|h| (1..=2).contains(h)).map(|h| Time::Half(None, h)),
        (_, "quarter" | "quartal" | "trimestre" | "季") => {
            ordinal(a).filter(|q| (1..=4).contains(q)).map(|q| Time::Quarter(None, q))
        }
        ("q" | "quarter" | "quartal" | "trimestre", _) => {
            small(b).filter(|q| (1..=4).contains(q)).map(|q| Time::Quarter(None, q))
        }
        _ => match (month(a), year(b), quarter(a)) {
            (Some(month), Some(year), _) => Some(Time::YearMonth(year, month)),
            (_, Some(year), Some(quarter)) => Some(Time::Quarter(Some(year), quarter)),
            _ if b.text.len() == 2 && b.text.bytes().all(|d| d.is_ascii_digit()) => {
                // `2024-03`
                Some(Time::YearMonth(year(a)?, small(b).filter(|m| (1..=12).contains(m))?))
            }
            _ => match (year(a), month(b), quarter(b)) {
                (Some(year), Some(month), _) => Some(Time::YearMonth(year, month)),
                (Some(year), _, Some(quarter)) => Some(Time::Quarter(Some(year), quarter)),
                _ => None,
            },
        },
    }
}

fn three(a: &Word, b: &Word, c: &Word) -> Option<Time> {
    let is_quarter = |q: u32| (1..=4).contains(&q);
    match (a.text.as_str(), b.text.as_str(), c.text.as_str()) {
        ("第", _, "季") | (_, "季", "度") => {
            let n = if a.text == "第" { b } else { a };
            ordinal(n).filter(|q| is_quarter(*q)).map(|q| Time::Quarter(None, q))
        }
        (_, "quarter" | "quartal" | "trimestre", _) => {
            Some(Time::Quarter(Some(year(c)?), ordinal(a).filter(|q| is_quarter(*q))?))
        }
        (_, "of" | "in" | "de", _) => match (month(a), quarter(a)) {
            (Some(month), _) => Some(Time::YearMonth(year(c)?, month)),
            (_, Some(quarter)) => Some(Time::Quarter(Some(year(c)?), quarter)),
            _ => None,
        },
        _ => None,
    }
}

fn small(word: &Word) -> Option<u32> {
    word.number().filter(|n| n.fract() == 0.0 && *n < 100.0).map(|n| n as u32).or_else(|| word.count())
}

fn ordinal(word: &Word) -> Option<u32> {
    const OTHERS: [[&str; 6]; 4] = [
        ["erste", "erstes", "ersten", "premier", "1er", "i"],
        ["zweite", "zweites", "zweiten", "deuxieme", "2e", "ii"],
        ["dritte", "drittes", "dritten", "troisieme", "3e", "iii"],
        ["vierte", "viertes", "vierten", "quatrieme", "4e", "iv"],
    ];
    let other = OTHERS.iter().position(|names| names.contains(&word.text.as_str())).map(|i| i as u32 + 1);
    other.or_else(|| small(word))
}

fn year(word: &Word) -> Option<i32> {
    // `FY2023`
    let bare = word.text.strip_prefix("fy").filter(|rest| rest.len() == 4).and_then(|rest| rest.parse().ok());
    word.number().or(bare).filter(|n| n.fract() == 0.0 && (1800.0..2101.0).contains(n)).map(|n| n as i32)
}

fn quarter(word: &Word) -> Option<u32> {
    let rest = word.text.strip_prefix('q').or_else(|| word.text.strip_prefix('t'))?;
    rest.parse().ok().filter(|q| (1..=4).contains(q))
}

/// Names of months in English, German and French, as [`crate::word`] folds them.
const MONTHS: [&str; 12] = [
    "january jan januar janner janvier janv",
    "february feb februar fevrier fevr fev",
    "march mar marz mrz mars",
    "april apr avril avr",
    "may mai",
    "june jun juni juin",
    "july jul juli juillet juil",
    "august aug aout",
    "september sep sept septembre",
    "october oct oktober okt octobre",
    "november nov novembre",
    "december dec dezember dez decembre",
];

/// Names of the days of the week in the same languages.
const WEEKDAYS: [&str; 7] = [
    "monday mon montag lundi lun",
    "tuesday tue tues dienstag mardi",
    "wednesday wed mittwoch mercredi mer",
    "thursday thu thur thurs donnerstag jeudi jeu",
    "friday fri freitag vendredi ven",
    "saturday samstag samedi",
    "sunday sonntag dimanche dim",
];

fn weekday(word: &Word) -> Option<u32> {
    let is = |names: &str| names.split(' ').any(|name| name == word.text);
    WEEKDAYS.iter().position(|names| is(names)).map(|i| i as u32)
}

pub(super) fn month(word: &Word) -> Option<u32> {
    let is = |names: &str| names.split(' ').any(|name| name == word.text);
    MONTHS.iter().position(|names| is(names)).map(|i| i as u32 + 1)
}

/// The times of a column whose cells are words for them: `March`, `Q1`.
pub(crate) fn cells(field: &Field) -> Option<Vec<Option<Time>>> {
    if field.measure == Measure::Day || field.is_number() || field.filled == 0 {
        return None;
    }
    let of_cell = |cell: &Cell| of_text(&cell.text).or_else(|| of_numbers(&cell.text));
    let times: Vec<Option<Time>> = field.cells.iter().map(of_cell).collect();
    let known = times.iter().flatten().filter(|t| !matches!(t, Time::Year(_))).count();
    (known * 10 >= field.filled * 7).then_some(times)
}
