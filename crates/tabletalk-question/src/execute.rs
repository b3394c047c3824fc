//! Runs programs over a grid in memory.

use crate::denote::normal;
use crate::grid::{Cell, Field, Grid, Measure};
use crate::pair;
use crate::program::{Ask, Condition, Fold, Pick, Program, Rows, Test, Value};
use crate::tabulate;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use tabletalk_core::Kind;
use tabletalk_core::value::{plain_date, plain_decimal};

/// What a program gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The values, as they are written or computed; no value twice.
    pub values: Vec<String>,
    /// The rows of the source that entered it.
    pub rows: Vec<u64>,
}

/// Runs a program; `None` where it has no result.
pub fn execute(program: &Program, grid: &Grid) -> Option<Answer> {
    let rows = select(&program.rows, grid);
    answer(&program.ask, &program.rows, &rows, grid)
}

/// The rows of a grid, in order, for which all of `rows` holds.
pub(crate) fn select(rows: &Rows, grid: &Grid) -> Vec<u32> {
    let all = 0..grid.len() as u32;
    let mut left: Vec<u32> = match &rows.within {
        Some(ids) => all.filter(|r| grid.rows.get(*r as usize).is_some_and(|id| ids.contains(id))).collect(),
        None => all.collect(),
    };
    for condition in &rows.conditions {
        left.retain(|row| holds(condition, *row, grid));
    }
    step(picked(&left, rows.pick.as_ref(), grid), rows.step, grid)
}

/// The row so many after or before the only row.
pub(crate) fn step(rows: Vec<u32>, by: i32, grid: &Grid) -> Vec<u32> {
    if by == 0 {
        return rows;
    }
    let [row] = rows.as_slice() else { return Vec::new() };
    let to = i64::from(*row) + i64::from(by);
    u32::try_from(to).ok().filter(|to| (*to as usize) < grid.len()).into_iter().collect()
}

/// Whether a condition holds for a row.
pub(crate) fn holds(condition: &Condition, row: u32, grid: &Grid) -> bool {
    let Some(field) = grid.columns.get(condition.column) else { return false };
    let Some(cell) = field.cells.get(row as usize) else { return false };
    // A point in time is compared by its day.
    let by_day = |s: f64| if field.kind == Kind::DateTime { s.floor() } else { s };
    let size = |test: &dyn Fn(f64) -> bool| cell.size.map(by_day).is_some_and(test);
    match &condition.test {
        Test::Is(values) => values.iter().any(|v| is(cell, v)),
        Test::Not(values) => !cell.text.is_empty() && !values.iter().any(|v| is(cell, v)),
        Test::Has(words) => has(&cell.text, words),
        Test::Less(n) => size(&|s| s < *n),
        Test::AtMost(n) => size(&|s| s <= *n),
        Test::More(n) => size(&|s| s > *n),
        Test::AtLeast(n) => size(&|s| s >= *n),
        Test::Between(a, b) => size(&|s| s >= *a && s <= *b),
        Test::Year(year) => cell.day.is_some_and(|d| civil(d).0 == *year),
        Test::Month(month) => cell.day.is_some_and(|d| civil(d).1 == *month),
        Test::Quarter(quarter) => cell.day.is_some_and(|d| civil(d).1.div_ceil(3) == *quarter),
        // 1970-01-01 was a Thursday.
        Test::Weekday(day) => cell.day.is_some_and(|d| (d + 3).rem_euclid(7) == *day as i32),
        Test::LessThan(other) => against(condition.column, *other, row, grid, |a, b| a < b),
        Test::MoreThan(other) => against(condition.column, *other, row, grid, |a, b| a > b),
        Test::Empty => cell.is_missing(field.kind),
        Test::Filled => !cell.is_missing(field.kind),
    }
}

/// Whether the cells of two columns in a row compare so.
fn against(column: usize, other: usize, row: u32, grid: &Grid, is: fn(f64, f64) -> bool) -> bool {
    let size = |c: usize| grid.at(c, row).and_then(|cell| cell.size);
    matches!((size(column), size(other)), (Some(a), Some(b)) if is(a, b))
}

fn is(cell: &Cell, value: &Value) -> bool {
    match (&cell.plain, &value.plain) {
        (Some(a), Some(b)) => a == b,
        _ => cell.text == value.text,
    }
}

/// Whether a text has these words one after another, in any case.
fn has(text: &str, words: &str) -> bool {
    let text = text.to_lowercase();
    let mut rest = text.as_str();
    words.split(' ').all(|word| match rest.find(word) {
        Some(at) => {
            rest = rest.get(at + word.len()..).unwrap_or_default();
            true
        }
        None => false,
    })
}

/// The year and the month of a day.
pub(crate) fn civil(days: i32) -> (i32, u32) {
    let text = plain_date(days);
    let (negative, rest) = text.strip_prefix('-').map_or((false, text.as_str()), |rest| (true, rest));
    let mut parts = rest.split('-');
    let year: i32 = parts.next().and_then(|p| p.parse().ok()).unwrap_or(0);
    let month = parts.next().and_then(|p| p.parse().ok()).unwrap_or(0);
    (if negative { -year } else { year }, month)
}

/// The month of a day, and its number in that month.
pub(crate) fn month_day(days: i32) -> (u32, u32) {
    let text = plain_date(days);
    let day = text.rsplit('-').next().and_then(|d| d.parse().ok()).unwrap_or(0);
    (civil(days).1, day)
}

/// The picked ones among rows in order.
pub(crate) fn picked(rows: &[u32], pick: Option<&Pick>, grid: &Grid) -> Vec<u32> {
    match pick {
        None => rows.to_vec(),
        Some(Pick::End { last, count, skip }) => end(rows, *last, *count, *skip),
        Some(Pick::Extreme { column, most, count, skip }) => {
            let Some(field) = grid.columns.get(*column) else { return Vec::new() };
            let size = |row: &u32| field.cells.get(*row as usize).and_then(|c| c.size);
            extreme(rows, &size, *most, *count, *skip)
        }
        Some(Pick::Apart { column, other, most, count }) => {
            extreme(rows, &|row| pair::difference(*column, *other, *row, grid), *most, *count, 0)
        }
    }
}

fn end(rows: &[u32], last: bool, count: usize, skip: usize) -> Vec<u32> {
    let mut left: Vec<u32> = if last {
        rows.iter().rev().skip(skip).take(count).copied().collect()
    } else {
        rows.iter().skip(skip).take(count).copied().collect()
    };
    left.sort_unstable();
    left
}

fn extreme(
    rows: &[u32],
    size: &dyn Fn(&u32) -> Option<f64>,
    most: bool,
    count: usize,
    skip: usize,
) -> Vec<u32> {
    let mut sized: Vec<(f64, u32)> = rows.iter().filter_map(|r| size(r).map(|s| (s, *r))).collect();
    sized.sort_by(|a, b| {
        let order = a.0.total_cmp(&b.0);
        if most { order.reverse() } else { order }.then(a.1.cmp(&b.1))
    });
    let mut left: Vec<u32> = match (count, skip, sized.first()) {
        (1, 0, Some((best, _))) => sized.iter().take_while(|(s, _)| s == best).map(|(_, r)| *r).collect(),
        _ => sized.iter().skip(skip).take(count).map(|(_, r)| *r).collect(),
    };
    left.sort_unstable();
    left
}

/// What is asked of these rows.
pub(crate) fn answer(ask: &Ask, of: &Rows, rows: &[u32], grid: &Grid) -> Option<Answer> {
    match ask {
        Ask::Cells(column) => cells(*column, rows, grid),
        Ask::Count => Some(computed(rows.len() as f64, rows, grid)),
        Ask::Distinct(column) => distinct(*column, rows, grid),
        Ask::Fold(fold, column) => folded(*fold, *column, rows, grid),
        Ask::Group { column, most, sum } => group(*column, *most, *sum, rows, grid),
        Ask::Difference(column, other) => difference(*column, rows, &select(other, grid), grid),
        Ask::CountDifference(other) => {
            let other = select(other, grid);
            let number = rows.len().abs_diff(other.len()) as f64;
            Some(computed(number, &[rows, &other].concat(), grid))
        }
        Ask::Share(base) => share(of, *base, rows, grid),
        Ask::ShareOf(column, base) => {
            let base = select(&of.base(*base), grid);
            let (part, all) = (total(*column, rows, grid)?, total(*column, &base, grid)?);
            (all != 0.0).then(|| computed(100.0 * part / all, rows, grid))
        }
        Ask::FoldDifference(fold, column, other) => {
            let other = select(other, grid);
            let number = |rows: &[u32]| fold_of(*fold, &sizes(*column, rows, grid));
            let apart = (number(rows)? - number(&other)?).abs();
            Some(told(*column, apart, &[rows, &other].concat(), grid))
        }
        Ask::Compares(ask, test) => {
            let given = answer(ask, of, rows, grid)?;
            let holds = given.values.first().and_then(|v| number_of(v)).is_some_and(|n| within(test, n));
            Some(truth(holds, rows, grid))
        }
        Ask::FoldExceeds(fold, column, more, other) => {
            let number = |rows: &[u32]| fold_of(*fold, &sizes(*column, rows, grid));
            let (a, b) = (number(rows)?, number(&select(other, grid))?);
            Some(truth(if *more { a > b } else { a < b }, rows, grid))
        }
        Ask::ColumnDifference(a, b) => {
            let (a, b) = (total(*a, rows, grid)?, total(*b, rows, grid)?);
            Some(computed((a - b).abs(), rows, grid))
        }
        Ask::Apart(fold, a, b) => pair::apart(*fold, *a, *b, rows, grid),
        Ask::Ratio(a, b) => {
            let (a, b) = (total(*a, rows, grid)?, total(*b, rows, grid)?);
            (b != 0.0).then(|| computed(100.0 * a / b, rows, grid))
        }
        Ask::Growth(a, b) => {
            let (a, b) = (total(*a, rows, grid)?, total(*b, rows, grid)?);
            (a != 0.0).then(|| computed(100.0 * (b - a) / a.abs(), rows, grid))
        }
        Ask::Per(a, b) => {
            let (a, b) = (total(*a, rows, grid)?, total(*b, rows, grid)?);
            (b != 0.0).then(|| computed(a / b, rows, grid))
        }
        Ask::Times(column, other) => {
            let other = select(other, grid);
            let (a, b) = (total(*column, rows, grid)?, total(*column, &other, grid)?);
            (b != 0.0).then(|| computed(a / b, &[rows, &other].concat(), grid))
        }
        Ask::Rank(column, most) => {
            let ([row], base) = (rows, select(&of.base(0), grid)) else { return None };
            let own = grid.at(*column, *row)?.size?;
            let is_ahead = |size: f64| if *most { size > own } else { size < own };
            let ahead = base.iter().filter_map(|r| grid.at(*column, *r)?.size).filter(|s| is_ahead(*s));
            Some(computed(ahead.count() as f64 + 1.0, rows, grid))
        }
        Ask::RowGrowth(column, other) => {
            let other = select(other, grid);
            let (a, b) = (total(*column, &other, grid)?, total(*column, rows, grid)?);
            let is_growth = a != 0.0 && !rows.is_empty();
            is_growth.then(|| computed(100.0 * (b - a) / a.abs(), &[rows, &other].concat(), grid))
        }
        Ask::By(_) | Ask::Table(_) | Ask::EachColumn(..) => tabulate::answer(ask, of, rows, grid),
        Ask::Across(fold, columns) => tabulate::across(*fold, columns, rows, grid),
        Ask::BestColumn { columns, most } => tabulate::best_column(columns, *most, rows, grid),
        Ask::Exists => Some(truth(!rows.is_empty(), rows, grid)),
        Ask::Every => {
            let base = select(&Rows { within: of.within.clone(), ..Rows::default() }, grid);
            Some(truth(!rows.is_empty() && rows.len() == base.len(), rows, grid))
        }
        Ask::Holds(ask, value) => {
            let given = answer(ask, of, rows, grid)?;
            let wanted = normal(&value.text);
            Some(truth(given.values.iter().any(|v| normal(v) == wanted), rows, grid))
        }
        Ask::Exceeds(column, more, other) => exceeds(*column, *more, rows, &select(other, grid), grid),
        Ask::Outnumbers(more, other) => {
            let other = select(other, grid);
            let holds = if *more { rows.len() > other.len() } else { rows.len() < other.len() };
            Some(truth(holds, &[rows, &other].concat(), grid))
        }
        Ask::Denies(ask) => {
            let given = answer(ask, of, rows, grid)?;
            Some(truth(given.values.iter().any(|v| v == "no"), rows, grid))
        }
    }
}

fn total(column: usize, rows: &[u32], grid: &Grid) -> Option<f64> {
    let field = grid.columns.get(column)?;
    Some(rows.iter().filter_map(|r| field.cells.get(*r as usize)?.size).sum())
}

/// The number of a value; percentages as shares, as columns keep them.
fn number_of(value: &str) -> Option<f64> {
    match value.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok().map(|n| n / 100.0),
        None => value.parse().ok().or_else(|| tabletalk_core::value::number(value).map(|n| n.value)),
    }
}

/// Whether a bound holds of a number. Sums of decimals are not exact to the last digit.
pub(crate) fn within(test: &Test, n: f64) -> bool {
    let near = (n.abs() * 1e-9).max(1e-9);
    match test {
        Test::Less(m) => n < *m,
        Test::AtMost(m) => n <= *m + near,
        Test::More(m) => n > *m,
        Test::AtLeast(m) => n >= *m - near,
        Test::Between(a, b) => (*a..=*b).contains(&n),
        _ => false,
    }
}

fn truth(holds: bool, rows: &[u32], grid: &Grid) -> Answer {
    let value = if holds { "yes" } else { "no" };
    Answer { values: vec![value.to_owned()], rows: ids(rows, grid) }
}

fn exceeds(column: usize, more: bool, rows: &[u32], other: &[u32], grid: &Grid) -> Option<Answer> {
    let ([a], [b]) = (rows, other) else { return None };
    let (x, y) = (grid.at(column, *a)?.size?, grid.at(column, *b)?.size?);
    Some(truth(if more { x > y } else { x < y }, &[*a, *b], grid))
}

pub(crate) fn ids(rows: &[u32], grid: &Grid) -> Vec<u64> {
    rows.iter().filter_map(|r| grid.rows.get(*r as usize).copied()).collect()
}

/// The plain way of writing a computed number: without the dust of binary fractions.
pub(crate) fn written(number: f64) -> String {
    plain_decimal((number * 1e6).round() / 1e6)
}

pub(crate) fn computed(number: f64, rows: &[u32], grid: &Grid) -> Answer {
    Answer { values: vec![written(number)], rows: ids(rows, grid) }
}

fn cells(column: usize, rows: &[u32], grid: &Grid) -> Option<Answer> {
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let texts = rows.iter().filter_map(|row| grid.at(column, *row)).map(|cell| cell.text.as_str());
    let values: Vec<String> = texts.filter(|t| !t.is_empty() && seen.insert(t)).map(str::to_owned).collect();
    (!values.is_empty()).then(|| Answer { values, rows: ids(rows, grid) })
}

fn distinct(column: usize, rows: &[u32], grid: &Grid) -> Option<Answer> {
    let is_text = grid.columns.get(column)?.kind == Kind::Text;
    let value = |cell: &'_ Cell| if is_text { Some(cell.text.clone()) } else { cell.plain.clone() };
    let mut keys: Vec<String> = rows.iter().filter_map(|r| value(grid.at(column, *r)?)).collect();
    keys.retain(|k| !k.is_empty());
    keys.sort_unstable();
    keys.dedup();
    (!keys.is_empty()).then(|| computed(keys.len() as f64, rows, grid))
}

/// What a column has of some rows.
fn sizes(column: usize, rows: &[u32], grid: &Grid) -> Vec<f64> {
    rows.iter().filter_map(|row| grid.at(column, *row)?.size).collect()
}

/// Sizes made one.
fn fold_of(fold: Fold, sizes: &[f64]) -> Option<f64> {
    let first = *sizes.first()?;
    let least = sizes.iter().copied().fold(first, f64::min);
    let most = sizes.iter().copied().fold(first, f64::max);
    Some(match fold {
        Fold::Sum => sizes.iter().sum(),
        Fold::Average => sizes.iter().sum::<f64>() / sizes.len() as f64,
        Fold::Least => least,
        Fold::Most => most,
        Fold::Range => most - least,
    })
}

/// A number that was computed of a column: times as they are written.
fn told(column: usize, number: f64, rows: &[u32], grid: &Grid) -> Answer {
    let mut answer = computed(number, rows, grid);
    if let Some(style) = grid.columns.get(column).and_then(Field::clock) {
        answer.values = vec![style.written(number)];
    }
    answer
}

fn folded(fold: Fold, column: usize, rows: &[u32], grid: &Grid) -> Option<Answer> {
    let field = grid.columns.get(column)?;
    let number = fold_of(fold, &sizes(column, rows, grid))?;
    let mut answer = computed(number, rows, grid);
    if field.is_number() && field.unit.as_deref() == Some("%") {
        answer.values = vec![format!("{}%", written(number * 100.0))];
    }
    if let Some(style) = field.clock() {
        answer.values = vec![style.written(number)];
    }
    if field.measure == Measure::Day {
        match fold {
            Fold::Least | Fold::Most => answer.values = vec![plain_date(number as i32)],
            Fold::Range => {}
            Fold::Sum | Fold::Average => return None,
        }
    }
    Some(answer)
}

fn group(column: usize, most: bool, sum: Option<usize>, rows: &[u32], grid: &Grid) -> Option<Answer> {
    let mut groups: FxHashMap<&str, (f64, &str, u32)> = FxHashMap::default();
    for row in rows {
        let cell = grid.at(column, *row)?;
        let add = match sum {
            Some(sum) => grid.at(sum, *row)?.size.unwrap_or(0.0),
            None => 1.0,
        };
        if !cell.text.is_empty() {
            groups.entry(cell.key.as_str()).or_insert((0.0, cell.text.as_str(), *row)).0 += add;
        }
    }
    let better = |a: f64, b: f64| if most { a > b } else { a < b };
    let best = groups.values().map(|g| g.0).reduce(|a, b| if better(b, a) { b } else { a })?;
    let mut found: Vec<_> = groups.into_values().filter(|g| g.0 == best).collect();
    found.sort_by_key(|g| g.2);
    let values = found.iter().map(|g| g.1.to_owned()).collect();
    Some(Answer { values, rows: ids(rows, grid) })
}

fn difference(column: usize, rows: &[u32], other: &[u32], grid: &Grid) -> Option<Answer> {
    let ([a], [b]) = (rows, other) else { return None };
    let number = (grid.at(column, *a)?.size? - grid.at(column, *b)?.size?).abs();
    Some(told(column, number, &[*a, *b], grid))
}

fn share(of: &Rows, base: usize, rows: &[u32], grid: &Grid) -> Option<Answer> {
    let share = share_of_rows(of, base, rows, grid).filter(|_| !of.conditions.is_empty())?;
    Some(computed(share, rows, grid))
}

/// Which part these rows are of those for which the first conditions hold, in percent.
pub(crate) fn share_of_rows(of: &Rows, base: usize, rows: &[u32], grid: &Grid) -> Option<f64> {
    let base = select(&of.base(base), grid);
    (!base.is_empty()).then(|| rows.len() as f64 * 100.0 / base.len() as f64)
}
