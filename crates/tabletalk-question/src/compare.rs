//! Links to cells that are more or less than a number or a day.

use crate::analyse::{Amount, Mention, Question};
use crate::cue::Cue;
use crate::execute::civil;
use crate::grid::{Field, Grid, Measure};
use crate::link::{Grade, Link, all_rows};
use crate::mask::{first, gap, last};
use crate::program::{Condition, Test};
use tabletalk_core::value;

/// How far a word such as `over` may stand from its number.
const NEAR: usize = 2;

/// Adds links to cells that are more or less than a number of the question.
pub(crate) fn links(question: &Question, grid: &Grid, links: &mut Vec<Link>) {
    for mention in &question.mentions {
        for cue in [Cue::More, Cue::Less, Cue::AtLeast, Cue::AtMost] {
            let words = question.cue(cue);
            if words == 0 || gap_to(words, mention) > NEAR {
                continue;
            }
            let near = near(words, mention);
            let is_time = mention.what.year().is_some() && speaks_of_time(question, near);
            let fits = |field: &Field| !is_time || field.measure == Measure::Day || field.is_year();
            let test = |field: &Field| fits(field).then(|| test(cue, mention.what, field)).flatten();
            push(grid, links, mention.mask | near, &test);
        }
    }
    let pairs = question.mentions.iter().flat_map(|a| question.mentions.iter().map(move |b| (a, b)));
    for (a, b) in pairs.filter(|(a, b)| last(a.mask) < first(b.mask) && gap(a.mask, b.mask) <= NEAR) {
        if gap(question.cue(Cue::Between), a.mask) == 0 || gap(question.cue(Cue::Between), b.mask) <= 1 {
            let test = |field: &Field| between(a.what, b.what, field);
            push(grid, links, a.mask | b.mask, &test);
        }
    }
}

/// Whether words compare times: what was `before 2015` is no number below it.
fn speaks_of_time(question: &Question, words: u128) -> bool {
    const TIME: [&str; 15] = [
        "before", "after", "since", "until", "till", "prior", "earlier", "later", "vor", "nach", "seit",
        "avant", "apres", "depuis", "后",
    ];
    let is = |(i, w): (usize, &crate::word::Word)| words >> i & 1 == 1 && TIME.contains(&w.text.as_str());
    question.words.iter().enumerate().any(is)
}

/// How many words stand between the nearest word of a cue and a mention.
fn gap_to(words: u128, mention: &Mention) -> usize {
    (0..128).filter(|i| words >> i & 1 == 1).map(|i| gap(1 << i, mention.mask)).min().unwrap_or(99)
}

/// The words of a cue that stand near a mention.
fn near(words: u128, mention: &Mention) -> u128 {
    let is_near = |i: &u32| words >> i & 1 == 1 && gap(1 << i, mention.mask) <= NEAR + 1;
    (0..128).filter(is_near).fold(0, |mask, i| mask | 1 << i)
}

fn push(grid: &Grid, links: &mut Vec<Link>, mask: u128, test: &dyn Fn(&Field) -> Option<Test>) {
    for (column, field) in grid.columns.iter().enumerate() {
        let Some(test) = test(field) else { continue };
        let condition = Condition { column, test };
        let rows = all_rows(&condition, grid);
        if !rows.is_empty() {
            links.push(Link { mask, condition, rows, grade: Grade::Compare });
        }
    }
}

/// The first and the last number or day that is meant, in the unit of a column.
fn ends(what: Amount, field: &Field) -> Option<(f64, f64)> {
    match (field.measure, what) {
        (Measure::Number | Measure::Lead, Amount::Number(n)) => Some((field.scaled(n), field.scaled(n))),
        (Measure::Number | Measure::Lead, Amount::YearMonth(year, _)) if field.is_year() => {
            Some((f64::from(year), f64::from(year)))
        }
        (Measure::Day, Amount::Number(_)) => year(what.year()?),
        (Measure::Day, Amount::Day(day)) => Some((f64::from(day), f64::from(day))),
        (Measure::Day, Amount::YearMonth(year, m)) => month(year, m),
        (Measure::Day, Amount::Month(m)) => month(only_year(field)?, m),
        (Measure::Day, Amount::MonthDay(m, d)) => {
            let day = value::date(&format!("{:04}-{m:02}-{d:02}", only_year(field)?)).map(f64::from)?;
            Some((day, day))
        }
        _ => None,
    }
}

/// The year of all days of a column.
fn only_year(field: &Field) -> Option<i32> {
    let mut years = field.cells.iter().filter_map(|c| c.day).map(|day| civil(day).0);
    let first = years.next()?;
    years.all(|year| year == first).then_some(first)
}

fn test(cue: Cue, what: Amount, field: &Field) -> Option<Test> {
    let (from, to) = ends(what, field)?;
    Some(match cue {
        Cue::More => Test::More(to),
        Cue::Less => Test::Less(from),
        Cue::AtLeast => Test::AtLeast(from),
        _ => Test::AtMost(to),
    })
}

fn between(a: Amount, b: Amount, field: &Field) -> Option<Test> {
    let ((from, _), (_, to)) = (ends(a, field)?, ends(b, field)?);
    (from < to).then_some(Test::Between(from, to))
}

fn day(year: i32, month: u32) -> Option<f64> {
    value::date(&format!("{year:04}-{month:02}-01")).map(f64::from)
}

fn year(year: i32) -> Option<(f64, f64)> {
    Some((day(year, 1)?, day(year + 1, 1)? - 1.0))
}

/// The first and the last day of a month.
pub(crate) fn month(year: i32, month: u32) -> Option<(f64, f64)> {
    let next = if month == 12 { day(year + 1, 1) } else { day(year, month + 1) };
    Some((day(year, month)?, next? - 1.0))
}
