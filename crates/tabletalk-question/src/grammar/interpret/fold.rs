//! Sums and averages of rows and of series of columns.

use super::{Interpreter, MONEY};
use crate::grid::{Field, Measure};
use crate::program::{Ask, Condition, Fold, Rows, Test};

impl Interpreter<'_> {
    pub(crate) fn fold(&mut self, rows: &Rows) -> Option<Ask> {
        let fold = self.fold_kind();
        let series = self.roles.series();
        if !series.is_empty() {
            return self.fold_series(rows, fold, &series);
        }
        if !self.others().is_empty() {
            return None;
        }
        let column = self.measure()?;
        if fold == Fold::Sum
            && self.frame.conditions.is_empty()
            && self.grid.has_derived()
            && self.frame.marked.is_empty()
        {
            return None;
        }
        Some(Ask::Fold(fold, column))
    }

    /// Sums over a table whose columns are months or years.
    fn fold_series(&mut self, rows: &Rows, fold: Fold, series: &[usize]) -> Option<Ask> {
        if !self.others().is_empty() || self.grid.has_derived() && rows.conditions.is_empty() {
            return None;
        }
        let named = self.measures();
        let in_series = self.ranged(named.iter().copied().filter(|c| series.contains(c)).collect(), series);
        match (in_series.as_slice(), named.len()) {
            ([only], 1) => Some(Ask::Fold(fold, *only)),
            ([], 1) => named.first().map(|c| Ask::Fold(fold, *c)),
            ([], 0) => {
                self.doubt(0.97);
                Some(Ask::Across(fold, series.to_vec()))
            }
            (several, n) if several.len() >= n => Some(Ask::Across(fold, several.to_vec())),
            _ => None,
        }
    }

    /// `from January to April`: all columns between two of a series.
    pub(super) fn ranged(&self, named: Vec<usize>, series: &[usize]) -> Vec<usize> {
        match named.as_slice() {
            [a, b] if self.frame.range => {
                series.iter().copied().filter(|c| (*a.min(b)..=*a.max(b)).contains(c)).collect()
            }
            _ => named,
        }
    }

    /// What a meter counted from one reading to another.
    pub(super) fn used(&mut self, rows: &Rows, column: usize) -> Option<Ask> {
        let is_span = |c: &Condition| {
            matches!(c.test, Test::Between(from, to) if from < to)
                && self.field(c.column).is_some_and(|f| f.measure == Measure::Day)
        };
        let counts = self.field(column).is_some_and(is_reading);
        if !counts || !rows.conditions.iter().any(is_span) || rows.conditions.len() > 1 || self.is_one(rows) {
            return None;
        }
        self.doubt(0.93);
        Some(Ask::Fold(Fold::Range, column))
    }

    /// The columns of a series, where all of them have numbers: hours of opening are not added up.
    pub(super) fn number_series(&self) -> Vec<usize> {
        let series = self.roles.series();
        let are_numbers = series.iter().all(|c| self.field(*c).is_some_and(Field::is_number));
        if are_numbers { series } else { Vec::new() }
    }

    /// What a row comes to over all its columns of months or years: `what did electricity cost over the whole year`.
    pub(super) fn over_series(&mut self, rows: &Rows) -> Option<Ask> {
        let series = self.number_series();
        let is_cost = self.frame.verbs.iter().any(|v| MONEY.contains(v)) || self.frame.verbs.is_empty();
        if series.len() < 3
            || !self.frame.claims.is_empty()
            || !self.frame.columns.is_empty()
            || !is_cost
            || !self.is_one(rows)
        {
            return None;
        }
        self.doubt(0.93);
        Some(if self.frame.by_series {
            Ask::EachColumn(Fold::Sum, series)
        } else {
            Ask::Across(Fold::Sum, series)
        })
    }
}

/// Whether numbers only rise from row to row, as those of a meter do: they are no amounts to add up.
pub(super) fn is_reading(field: &Field) -> bool {
    let sizes: Vec<f64> = field.cells.iter().filter_map(|c| c.size).collect();
    let rises = sizes.windows(2).all(|w| matches!(w, [a, b] if a < b));
    let (first, last) = (sizes.first().copied().unwrap_or(0.0), sizes.last().copied().unwrap_or(0.0));
    // A few numbers may rise by chance, but not from far above what they rise by.
    rises && (sizes.len() > 5 || sizes.len() > 2 && first > last - first)
}
