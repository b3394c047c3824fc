//! Columns that are made of others: a total beside its months, an average beside its marks.

use super::label;
use super::total::number;
use tabletalk_core::{Cells, Column, Kind, Mark};

/// Without a name that says so, a sum must be right in so many rows.
const MIN_ROWS: usize = 3;
/// So many rows in a hundred may be wrong: a typing error does not make a total a number of its own.
const MAX_WRONG: usize = 2;
/// No more columns than this are added up.
const MAX_ADDENDS: usize = 64;

/// Finds the columns that are the sum or the average of those beside them, and notes it in them.
///
/// `marks` says which rows are data; the others may be made in ways of their own.
pub(super) fn columns(columns: &mut [Column], cells: &[Cells], marks: &[Mark]) {
    // What is left of the sum is none of its parts: income is not made of expenses and balance.
    let is_part = |c: &Column| is_number(c) && !label::is_difference(&c.name);
    let parts: Vec<bool> = columns.iter().map(is_part).collect();
    for at in 0..columns.len() {
        let Some(column) = columns.get(at).filter(|c| is_number(c)) else { continue };
        let (sum, mean) = (label::names_sum(&column.name), label::names_mean(&column.name));
        let left: Vec<usize> = addends(columns, &parts, (0..at).rev());
        let right: Vec<usize> = addends(columns, &parts, at + 1..columns.len());
        let step = step(column);
        let find =
            |of: &[usize], mean: bool, rows: usize| Search { cells, marks, at, of, step, mean }.run(rows);
        let rows = if sum { 1 } else { MIN_ROWS };
        let found = if mean { None } else { find(&left, false, rows).or_else(|| find(&right, false, rows)) };
        let average = if mean { find(&left, true, 1).or_else(|| find(&right, true, 1)) } else { None };
        let numbers = |found: Option<Vec<usize>>| -> Vec<u32> {
            let mut cols: Vec<u32> =
                found.into_iter().flatten().filter_map(|i| columns.get(i).map(|c| c.col)).collect();
            cols.sort_unstable();
            cols
        };
        let (sum_of, average_of) = (numbers(found), numbers(average));
        if let Some(column) = columns.get_mut(at) {
            (column.sum_of, column.average_of) = (sum_of, average_of);
        }
    }
}

fn is_number(column: &Column) -> bool {
    matches!(column.kind, Kind::Integer | Kind::Decimal)
}

fn step(column: &Column) -> f64 {
    let share = if column.unit.as_deref() == Some("%") { 2 } else { 0 };
    10f64.powi(-i32::from(column.decimals) - share)
}

/// The columns of numbers next to one, as far as they go without a gap; those made of others count through these.
fn addends(columns: &[Column], parts: &[bool], beside: impl Iterator<Item = usize>) -> Vec<usize> {
    let numbers = beside.take_while(|&i| parts.get(i) == Some(&true));
    numbers.filter(|&i| columns.get(i).is_some_and(|c| !c.is_derived())).take(MAX_ADDENDS).collect()
}

/// Looks for how many of the columns beside one it is made of.
struct Search<'a> {
    cells: &'a [Cells],
    marks: &'a [Mark],
    at: usize,
    of: &'a [usize],
    step: f64,
    mean: bool,
}

impl Search<'_> {
    fn run(&self, least: usize) -> Option<Vec<usize>> {
        if self.of.len() < 2 {
            return None;
        }
        let rows = self.cells.get(self.at)?.value.len();
        // How often each number of columns was right; the first is for two of them.
        let mut right = vec![0_usize; self.of.len() - 1];
        let mut seen = 0;
        let is_data = |i: &usize| self.marks.get(*i).copied().unwrap_or_default().is_data();
        for i in (0..rows).filter(is_data) {
            if !self.see(i, &mut right) {
                continue;
            }
            seen += 1;
            let lost = |r: &usize| (seen - r) * 100 > seen * MAX_WRONG + 100;
            if right.iter().all(lost) {
                return None;
            }
        }
        let best = (0..right.len()).max_by_key(|&k| (right.get(k).copied(), std::cmp::Reverse(k)))?;
        let times = right.get(best).copied()?;
        let enough = times >= least && (seen - times) * 100 <= seen * MAX_WRONG;
        enough.then(|| self.of.iter().take(best + 2).copied().collect())
    }

    /// Counts the numbers of columns that row `i` is right for; says whether the row can tell.
    fn see(&self, i: usize, right: &mut [usize]) -> bool {
        let get = |c: usize| self.cells.get(c).and_then(|c| number(&c.value, i));
        let Some(want) = get(self.at) else { return false };
        let (mut sum, mut filled, mut tells) = (0.0, 0_usize, want != 0.0);
        for (n, &c) in self.of.iter().enumerate() {
            let v = get(c);
            filled += usize::from(v.is_some());
            sum += v.unwrap_or(0.0);
            tells |= v.is_some_and(|v| v != 0.0);
            let Some(slot) = n.checked_sub(1).and_then(|n| right.get_mut(n)) else { continue };
            let made = if self.mean { sum / filled.max(1) as f64 } else { sum };
            *slot += usize::from(filled > 0 && (made - want).abs() <= self.tolerance(want, filled));
        }
        tells
    }

    /// An average is rounded to what is written; addends of a sum may have been rounded before.
    fn tolerance(&self, want: f64, filled: usize) -> f64 {
        let rounding = if self.mean { 0.51 } else { 0.51 * (filled as f64).sqrt() };
        let most = if self.mean { f64::INFINITY } else { 0.005 * want.abs() };
        1e-9 * want.abs() + 1e-9 + (rounding * self.step).min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Float64Array, Int64Array};
    use std::sync::Arc;

    fn derived(names: &[&str], rows: &[&[i64]]) -> Vec<Vec<u32>> {
        let mut all: Vec<Column> =
            (1..).zip(names).map(|(col, name)| Column::new(*name, Kind::Integer, col)).collect();
        let cells = |c: usize| {
            let values: Vec<i64> = rows.iter().map(|row| row[c]).collect();
            Cells { value: Arc::new(Int64Array::from(values)), text: None }
        };
        let cells: Vec<Cells> = (0..names.len()).map(cells).collect();
        columns(&mut all, &cells, &[]);
        all.into_iter().map(|c| c.sum_of).collect()
    }

    #[test]
    fn a_total_beside_its_months_is_their_sum() {
        let none: Vec<u32> = Vec::new();
        let found = derived(&["Jan", "Feb", "Total"], &[&[1, 2, 3], &[4, 5, 9]]);
        assert_eq!(found, [none.clone(), none.clone(), vec![1, 2]]);
        let found = derived(
            &["Year", "Gold", "Silver", "All"],
            &[&[2001, 1, 2, 3], &[2002, 4, 5, 9], &[2003, 0, 7, 7]],
        );
        assert_eq!(found[3], [2, 3]);
        assert_eq!(
            derived(&["Jan", "Feb", "Total"], &[&[1, 2, 4], &[4, 5, 9]]),
            [none.clone(), none.clone(), none]
        );
    }

    #[test]
    fn what_a_balance_is_left_of_is_not_made_of_it() {
        let rows: [&[i64]; 3] = [&[100, 80, 20], &[120, 90, 30], &[90, 95, -5]];
        let found = derived(&["income", "expenses", "balance"], &rows);
        assert!(found.iter().all(Vec::is_empty), "{found:?}");
    }

    #[test]
    fn a_year_is_the_sum_of_its_months_past_its_quarters() {
        let names = ["Jan", "Feb", "Sum 1", "Mar", "Apr", "Sum 2", "Total"];
        let found =
            derived(&names, &[&[1, 2, 3, 4, 5, 9, 12], &[2, 2, 4, 3, 3, 6, 10], &[7, 1, 8, 1, 1, 2, 10]]);
        assert_eq!((found[2].as_slice(), found[5].as_slice()), (&[1, 2][..], &[4, 5][..]));
        assert_eq!(found[6], [1, 2, 4, 5]);
    }

    #[test]
    fn an_average_is_told_by_its_name() {
        let mut all = vec![
            Column::new("Test 1", Kind::Integer, 2),
            Column::new("Test 2", Kind::Integer, 3),
            Column { decimals: 1, ..Column::new("Average", Kind::Decimal, 4) },
        ];
        let cells = [
            Cells { value: Arc::new(Int64Array::from(vec![1, 2])), text: None },
            Cells { value: Arc::new(Int64Array::from(vec![2, 2])), text: None },
            Cells { value: Arc::new(Float64Array::from(vec![1.5, 2.0])), text: None },
        ];
        columns(&mut all, &cells, &[]);
        assert_eq!((all[2].average_of.as_slice(), all[2].sum_of.len()), (&[2, 3][..], 0));
    }
}
