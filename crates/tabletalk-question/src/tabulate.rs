//! Runs programs whose result is a table, or is made of several columns, over a grid in memory.

use crate::execute::{Answer, civil, ids, share_of_rows, within, written};
use crate::grid::{Cell, Field, Grid};
use crate::program::{Ask, By, Fold, Key, Period, Rows};
use std::collections::BTreeMap;
use tabletalk_core::Kind;
use tabletalk_core::value::plain_date;

/// The result of a program as rows; `None` where it is no table.
pub(crate) fn table(ask: &Ask, of: &Rows, rows: &[u32], grid: &Grid) -> Option<Vec<Vec<String>>> {
    match ask {
        Ask::By(by) => self::by(by, of, rows, grid),
        Ask::Table(columns) => {
            let cell = |c: &usize, row: u32| grid.at(*c, row).map_or(String::new(), |cell| cell.text.clone());
            Some(rows.iter().map(|row| columns.iter().map(|c| cell(c, *row)).collect()).collect())
        }
        Ask::EachColumn(fold, columns) => {
            let row = |c: &usize| {
                let number = folded(*fold, &sizes(&[*c], rows, grid))?;
                Some(vec![grid.columns.get(*c)?.name.clone(), written(number)])
            };
            Some(columns.iter().filter_map(row).collect())
        }
        _ => None,
    }
}

/// A table as an answer: a value for each row.
pub(crate) fn answer(ask: &Ask, of: &Rows, rows: &[u32], grid: &Grid) -> Option<Answer> {
    let table = table(ask, of, rows, grid)?;
    let values: Vec<String> = table.iter().map(|row| row.join(": ")).collect();
    (!values.is_empty()).then(|| Answer { values, rows: ids(rows, grid) })
}

/// What is asked of each group, with its keys before it.
fn by(by: &By, of: &Rows, rows: &[u32], grid: &Grid) -> Option<Vec<Vec<String>>> {
    let mut groups: BTreeMap<Vec<String>, Vec<u32>> = BTreeMap::new();
    for row in rows {
        let keys: Option<Vec<String>> = by.keys.iter().map(|k| key(k, *row, grid)).collect();
        if let Some(keys) = keys {
            groups.entry(keys).or_default().push(*row);
        }
    }
    let mut found: Vec<(Vec<String>, f64)> = Vec::new();
    for (keys, group) in groups {
        if let Some(number) = asked_of_group(&by.ask, of, &group, rows, grid) {
            found.push((keys, number));
        }
    }
    if let Some(test) = &by.having {
        found.retain(|(_, number)| within(test, *number));
    }
    match by.order {
        Some(true) => found.sort_by(|a, b| b.1.total_cmp(&a.1)),
        Some(false) => found.sort_by(|a, b| a.1.total_cmp(&b.1)),
        None => (),
    }
    found.truncate(by.limit.unwrap_or(usize::MAX));
    let row = |(mut keys, number): (Vec<String>, f64)| {
        for (_, text) in by.keys.iter().zip(&mut keys).filter(|(k, _)| k.period == Some(Period::Weekday)) {
            *text = text.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
        }
        if !by.bare {
            keys.push(written(number));
        }
        keys
    };
    Some(found.into_iter().map(row).collect())
}

fn asked_of_group(ask: &Ask, of: &Rows, group: &[u32], all: &[u32], grid: &Grid) -> Option<f64> {
    match ask {
        Ask::Distinct(column) => {
            let mut keys: Vec<&str> =
                group.iter().filter_map(|r| shown(grid.columns.get(*column)?, *r)).collect();
            keys.sort_unstable();
            keys.dedup();
            Some(keys.len() as f64)
        }
        Ask::Fold(fold, column) => folded(*fold, &sizes(&[*column], group, grid)),
        Ask::Across(fold, columns) => folded(*fold, &sizes(columns, group, grid)),
        Ask::Apart(fold, a, b) => {
            let apart = group.iter().filter_map(|row| crate::pair::difference(*a, *b, *row, grid));
            folded(*fold, &apart.collect::<Vec<f64>>())
        }
        Ask::Share(base) => share_of_rows(of, *base, group, grid),
        Ask::ShareOf(column, _) => {
            let total: f64 = sizes(&[*column], all, grid).iter().sum();
            let part: f64 = sizes(&[*column], group, grid).iter().sum();
            (total != 0.0).then(|| 100.0 * part / total)
        }
        _ => Some(group.len() as f64),
    }
}

/// The cells of several columns made one.
pub(crate) fn across(fold: Fold, columns: &[usize], rows: &[u32], grid: &Grid) -> Option<Answer> {
    let number = folded(fold, &sizes(columns, rows, grid))?;
    Some(Answer { values: vec![written(number)], rows: ids(rows, grid) })
}

/// The name of the column that has the most or the least.
pub(crate) fn best_column(columns: &[usize], most: bool, rows: &[u32], grid: &Grid) -> Option<Answer> {
    let sum = |c: &usize| {
        let sizes = sizes(&[*c], rows, grid);
        (!sizes.is_empty()).then(|| (*c, sizes.iter().sum::<f64>()))
    };
    let sums: Vec<(usize, f64)> = columns.iter().filter_map(sum).collect();
    let better = |a: f64, b: f64| if most { a > b } else { a < b };
    let best = sums.iter().map(|s| s.1).reduce(|a, b| if better(b, a) { b } else { a })?;
    let named = sums.iter().filter(|s| s.1 == best).filter_map(|s| grid.columns.get(s.0));
    Some(Answer { values: named.map(|f| f.name.clone()).collect(), rows: ids(rows, grid) })
}

fn sizes(columns: &[usize], rows: &[u32], grid: &Grid) -> Vec<f64> {
    let size = |c: &usize, row: &u32| grid.at(*c, *row).and_then(|cell| cell.size);
    columns.iter().flat_map(|c| rows.iter().filter_map(move |row| size(c, row))).collect()
}

pub(crate) fn folded(fold: Fold, sizes: &[f64]) -> Option<f64> {
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

/// The days of a week.
pub(crate) const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// What a row's group is called.
fn key(key: &Key, row: u32, grid: &Grid) -> Option<String> {
    let field = grid.columns.get(key.column)?;
    let Some(period) = key.period else { return shown(field, row).map(str::to_owned) };
    let day = grid.at(key.column, row)?.day?;
    let (year, month) = civil(day);
    Some(match period {
        Period::Year => year.to_string(),
        Period::Quarter => format!("{year}-Q{}", month.div_ceil(3)),
        Period::Month => format!("{year:04}-{month:02}"),
        // The day 0 was a Thursday; weeks begin on Mondays.
        Period::Week => plain_date(day - (day + 3).rem_euclid(7)),
        Period::Day => plain_date(day),
        // Their number comes before their name, for the order.
        Period::Weekday => {
            let number = (day + 3).rem_euclid(7);
            format!("{number}{}", WEEKDAYS.get(number as usize).unwrap_or(&""))
        }
    })
}

/// The value of a cell as it is compared in SQL; nothing where there is none.
fn shown(field: &Field, row: u32) -> Option<&str> {
    let cell: &Cell = field.cells.get(row as usize)?;
    let text = if field.kind == Kind::Text { Some(&cell.text) } else { cell.plain.as_ref() };
    text.map(String::as_str).filter(|t| !t.is_empty())
}
