//! The digits of a number: which of the marks between them separate groups, and which one decimals.

use super::cursor::{Cursor, is_space};
use super::style::{Decimal, Group, Marks, Style, Vote};

/// What a number may be read as.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Reading {
    /// A whole text of which nothing else is known.
    Lone,
    /// A part of running text.
    Running,
    /// A cell, to find out the style of its table.
    Any,
    /// A cell of a table of this style.
    In(Style),
}

impl Reading {
    pub(super) fn is_whole(self) -> bool {
        self != Reading::Running
    }
    /// Whether a plain space may stand between groups: not where two numbers may stand side by side.
    pub(super) fn takes_spaces(self) -> bool {
        match self {
            Reading::Lone | Reading::Running => false,
            Reading::Any => true,
            Reading::In(style) => style.group == Some(Group::Space),
        }
    }
    pub(super) fn decimal(self) -> Option<Decimal> {
        match self {
            Reading::In(style) => Some(style.decimal),
            _ => None,
        }
    }
}

/// The digits of a number without sign and unit.
pub(super) struct Digits {
    pub(super) mantissa: u64,
    pub(super) exponent: i32,
    pub(super) count: usize,
    pub(super) is_plain: bool,
    pub(super) marks: Marks,
}

/// One run of digits and the separator before it.
#[derive(Clone, Copy, Default)]
struct Run {
    separator: char,
    len: usize,
    value: u64,
}

const MOST_RUNS: usize = 8;

impl Digits {
    pub(super) fn scan(at: &mut Cursor<'_>, reading: Reading) -> Option<Digits> {
        let first_zero = at.peek() == Some('0');
        let mut runs = [Run::default(); MOST_RUNS];
        let (mut count, mut is_spaced) = (0, false);
        let mut after_first = *at;
        let mut seen = *at;
        while let Some(run) = runs.get_mut(count) {
            if count > 0 || seen.peek() == Some('.') {
                match separator(&mut seen, reading, &mut is_spaced) {
                    Some(c) => run.separator = c,
                    None => break,
                }
            }
            if !read_run(&mut seen, run) {
                break;
            }
            count += 1;
            *at = seen;
            if count == 1 {
                after_first = seen;
            }
        }
        let runs = runs.get(..count)?;
        let first = runs.first()?;
        if first_zero && first.len > 1 && first.separator == '\0' {
            return None; // an identifier with leading zeros
        }
        let (decimals, mut marks) = match decimal_runs(runs, reading) {
            Some(found) => found,
            None if reading == Reading::Running => {
                *at = after_first;
                return Digits::join(runs.get(..1)?, 0, at);
            }
            None => return None,
        };
        if reading.is_whole() && decimals == 0 {
            no_cents(at, reading, &mut marks);
        }
        marks.is_spaced = is_spaced;
        Digits::join(runs, decimals, at).map(|digits| Digits { marks, ..digits })
    }

    /// Joins the runs; the last `decimals` (0 or 1) of them are decimals.
    fn join(runs: &[Run], decimals: usize, at: &mut Cursor<'_>) -> Option<Digits> {
        let (mut mantissa, mut exponent, mut count) = (0u64, 0i32, 0);
        for (i, run) in runs.iter().enumerate() {
            let is_decimal = i + decimals >= runs.len();
            if count + run.len > 19 && !is_decimal {
                return None;
            }
            let kept = run.len.min(19usize.saturating_sub(count));
            let value = run.value / 10u64.checked_pow((run.len - kept).min(19) as u32)?;
            mantissa = mantissa.checked_mul(10u64.checked_pow(kept as u32)?)?.checked_add(value)?;
            count += run.len;
            if is_decimal {
                exponent = -(kept as i32);
            }
        }
        exponent += read_exponent(at).unwrap_or(0);
        let is_plain = runs.len() == 1 && exponent == 0;
        Some(Digits { mantissa, exponent, count, is_plain, marks: Marks::default() })
    }
}

/// A run of up to 19 digits; further ones are counted and, in a fraction, cut off.
fn read_run(at: &mut Cursor<'_>, run: &mut Run) -> bool {
    while let Some(d) = at.digit() {
        run.len += 1;
        match run.value.checked_mul(10).and_then(|v| v.checked_add(u64::from(d))) {
            Some(v) if run.len <= 19 => run.value = v,
            _ if run.separator == '.' => run.len = run.len.min(19),
            _ => return false,
        }
    }
    run.len > 0
}

/// Reads what separates two runs; spaces of all widths are one. A plain one separates groups only.
fn separator(at: &mut Cursor<'_>, reading: Reading, is_spaced: &mut bool) -> Option<char> {
    if let Some(c) = at.eat_if(is_separator) {
        return Some(if is_space(c) { ' ' } else { c });
    }
    let mut after = *at;
    if !reading.takes_spaces() || !after.eat(' ') {
        return None;
    }
    let mut group = after;
    group.digits(3, 3)?;
    (*at, *is_spaced) = (after, true);
    Some(' ')
}

fn is_separator(c: char) -> bool {
    matches!(c, ',' | '.' | '\'') || (is_space(c) && !matches!(c, ' ' | '\t' | '\u{3000}'))
}

/// The `.-` of `200.-`, `,--` of `200,--`: there are no cents.
fn no_cents(at: &mut Cursor<'_>, reading: Reading, marks: &mut Marks) {
    let mut after = *at;
    let Some(mark) = after.eat_if(|c| matches!(c, '.' | ',')).and_then(decimal_mark) else { return };
    if after.eat('-') && reading.decimal().is_none_or(|d| d == mark) {
        while after.eat('-') {}
        (*at, marks.vote) = (after, Vote::Sure(mark));
    }
}

fn decimal_mark(separator: char) -> Option<Decimal> {
    match separator {
        '.' => Some(Decimal::Point),
        ',' => Some(Decimal::Comma),
        _ => None,
    }
}

fn group_mark(separator: char) -> Option<Group> {
    match separator {
        ',' => Some(Group::Comma),
        '.' => Some(Group::Point),
        ' ' => Some(Group::Space),
        '\'' => Some(Group::Apostrophe),
        _ => None,
    }
}

/// How many of the runs (0 or 1) are decimals, if the runs make one number, and what they say of the style.
fn decimal_runs(runs: &[Run], reading: Reading) -> Option<(usize, Marks)> {
    let (first, last) = (runs.first()?, runs.last()?);
    let sure = |decimal: Decimal| {
        let fits = reading.decimal().is_none_or(|d| d == decimal);
        fits.then_some(Marks { vote: Vote::Sure(decimal), ..Marks::default() })
    };
    if runs.len() == 1 {
        return match decimal_mark(first.separator) {
            Some(mark) => Some((1, sure(mark)?)),
            None => Some((0, Marks::default())),
        };
    }
    if first.separator != '\0' {
        return None;
    }
    let head = runs.get(1..runs.len() - 1).unwrap_or_default();
    let is_grouped = |runs: &[Run], by: char| first.len <= 3 && groups(runs, by);
    match decimal_mark(last.separator) {
        Some(mark) if head.is_empty() => match (first.len, last.len) {
            (1..=3, 3) if first.value > 0 => Some(open_mark(mark, reading)),
            // A comma in a sentence: the numbers on both sides of it are two.
            (4.., 3) if reading == Reading::Running && mark == Decimal::Comma => None,
            _ => Some((1, sure(mark)?)),
        },
        Some(mark) if head.iter().any(|r| r.separator != last.separator) => {
            let by = head.first()?.separator;
            let marks = Marks { group: group_mark(by), ..sure(mark)? };
            is_grouped(head, by).then_some((1, marks))
        }
        // Several of one mark separate groups, and so the other one is for decimals.
        Some(mark) => {
            let is_ip = mark == Decimal::Point && runs.len() == 4 && runs.iter().all(|r| r.value <= 255);
            let other = if mark == Decimal::Point { Decimal::Comma } else { Decimal::Point };
            let marks = Marks { group: group_mark(last.separator), ..sure(other)? };
            (!is_ip && is_grouped(runs.get(1..)?, last.separator)).then_some((0, marks))
        }
        None => {
            let marks = Marks { group: group_mark(last.separator), ..Marks::default() };
            is_grouped(runs.get(1..)?, last.separator).then_some((0, marks))
        }
    }
}

/// `1.234` or `1,234`: a thousand or decimals, as the style has it.
fn open_mark(mark: Decimal, reading: Reading) -> (usize, Marks) {
    let is_decimal = reading.decimal().unwrap_or(Decimal::Point) == mark;
    (usize::from(is_decimal), Marks { vote: Vote::Open(mark), ..Marks::default() })
}

/// Groups of three (or, in the Indian way, of two and at last three) after the first run.
fn groups(runs: &[Run], by: char) -> bool {
    let Some((last, head)) = runs.split_last() else {
        return true;
    };
    let indian = by == ',' && head.iter().all(|r| r.len == 2);
    last.len == 3 && runs.iter().all(|r| r.separator == by) && (indian || head.iter().all(|r| r.len == 3))
}

/// `e5`, `E-3` after the digits.
fn read_exponent(at: &mut Cursor<'_>) -> Option<i32> {
    let mut after = *at;
    after.eat_if(|c| matches!(c, 'e' | 'E'))?;
    let negative = after.eat('-');
    if !negative {
        after.eat('+');
    }
    let power = i32::try_from(after.digits(1, 3)?).ok()?;
    if !after.at_word_end() {
        return None;
    }
    *at = after;
    Some(if negative { -power } else { power })
}
