//! How many there are.

use super::Interpreter;
use crate::grammar::annotate::Fit;
use crate::grammar::dimension::Dimension;
use crate::grammar::frame::{Named, Wh};
use crate::grammar::lexicon::{Concept, Period};
use crate::grid::Field;
use crate::program::{Ask, Condition, Fold, Rows, Test};
use crate::word::Word;
use tabletalk_core::Kind;

impl Interpreter<'_> {
    pub(super) fn count(&mut self, rows: &Rows) -> Option<Ask> {
        let has_quantity = self.roles.measures.iter().any(|c| self.roles.is_about(*c, Concept::Quantity));
        if self.frame.verbs.contains(&Concept::Quantity) && has_quantity {
            // How many were sold stands in a column.
            return None;
        }
        if self.frame.having.is_some() {
            return None;
        }
        if self.frame.counts_units && self.measures().is_empty() {
            return self.counted_in_unit();
        }
        if let (Some(period), true) = (self.frame.period, self.frame.distinct) {
            let years = self.roles.years(self.grid);
            return match (period, years.as_slice()) {
                (Period::Year, [only]) => Some(Ask::Distinct(*only)),
                _ => None,
            };
        }
        let asked = self.frame.wh.iter().find(|(_, w)| *w == Wh::HowMany).map_or(0, |(at, _)| *at);
        let mut named: Vec<Named> = self.frame.columns.clone();
        named.sort_by_key(|c| c.at.abs_diff(asked));
        if self.frame.people {
            // `how many nurses did more than 10 hours`
            let is_bound = |c: &Condition| {
                matches!(
                    c.test,
                    Test::More(_) | Test::Less(_) | Test::AtLeast(_) | Test::AtMost(_) | Test::Between(..)
                )
            };
            named.retain(|n| !rows.conditions.iter().any(|c| c.column == n.column && is_bound(c)));
        }
        let is_all = self.frame.all || self.frame.sum.is_some();
        if is_all && self.frame.rows_at.is_some_and(|at| named.iter().all(|c| c.at > at)) {
            // `how many visits in all clinics`: the clinics are not what is counted.
            named.retain(|c| !self.is_row_key(c.column));
        }
        let Some(first) = named.first().copied() else {
            let is_said = self.frame.rows || !rows.conditions.is_empty();
            if self.frame.people
                && let Some(person) = self.roles.person(self.grid)
                && !self.field(person).is_some_and(Field::is_key)
                && !self.is_unique(person, rows)
                && !self.is_part_of_name(person)
            {
                return Some(Ask::Distinct(person));
            }
            if self.frame.distinct {
                return None;
            }
            if let Some(ask) = self.counted_in_column() {
                return ask;
            }
            let of_one = |c: &Condition| {
                self.field(c.column).is_some_and(Field::is_key) && matches!(c.test, Test::Is(_))
            };
            if rows.conditions.iter().any(of_one) {
                // How many rows one row is, is not what is asked, but how many of it there are.
                return self.in_stock();
            }
            let series = self.roles.series();
            if !series.is_empty() && !self.frame.people && self.frame.rows {
                self.doubt(0.93);
                return Some(Ask::Across(Fold::Sum, self.series()));
            }
            // How many colleagues walk is not how many there are.
            let is_left = self.frame.light && rows.conditions.is_empty() && rows.within.is_none();
            return (is_said && !is_left).then_some(Ask::Count);
        };
        if let [a, b] = named.as_slice()
            && a.column != b.column
            && self.is_row_key(a.column)
            && self.lacks_some(b.column)
        {
            // `how many customers have a discount`
            self.frame.conditions.push((b.at, Condition { column: b.column, test: Test::Filled }));
            self.frame.filled = Some(b.column);
            return Some(Ask::Count);
        }
        if named.len() > 1 && named.iter().any(|c| c.column != first.column) {
            return None;
        }
        if self.frame.how_often && self.is_measure(first.column) && first.fit == Fit::Synonym {
            return (!rows.conditions.is_empty()).then_some(Ask::Count);
        }
        let field = self.field(first.column)?;
        if self.is_measure(first.column) && !self.frame.distinct {
            if first.fit == Fit::Synonym && self.frame.rows {
                return None;
            }
            let one = self.is_one(rows);
            return Some(if one { Ask::Cells(first.column) } else { Ask::Fold(Fold::Sum, first.column) });
        }
        let is_key = field.is_key() || self.roles.is_code(self.grid, first.column) && first.fit != Fit::Exact;
        if is_key && !self.frame.distinct {
            // Where a column says how many there are of each, only `in total` tells what is counted.
            return match self.counted_in_groups() {
                Some(of_each) if self.frame.sum.is_some() => of_each,
                Some(_) => {
                    self.doubt(0.85);
                    Some(Ask::Count)
                }
                None => Some(Ask::Count),
            };
        }
        if field.kind == Kind::Date && !self.frame.distinct {
            return None;
        }
        if self.is_one(rows) {
            // Of one row, the number stands in the cell: `2-6 players`.
            let says = self.selected(rows).first().and_then(|r| self.grid.at(first.column, *r));
            let is_number = says.is_some_and(|c| c.text.starts_with(|c: char| c.is_ascii_digit()));
            return is_number.then_some(Ask::Cells(first.column));
        }
        Some(Ask::Distinct(first.column))
    }

    /// The column of quantities in the unit that is asked for: the only one, or the only one that is called a quantity.
    fn counted_in_unit(&mut self) -> Option<Ask> {
        let unit = self.frame.counted_unit.filter(|unit| *unit != Dimension::Time)?;
        let in_unit = |c: &usize| {
            Dimension::of_column(self.grid, self.roles, *c) == Some(unit)
                && self.field(*c).is_some_and(|f| !f.name.contains('/'))
        };
        let columns: Vec<usize> = self.roles.measures.iter().copied().filter(in_unit).collect();
        let called = |c: &&usize| self.roles.is_about(**c, Concept::Quantity);
        let quantities: Vec<usize> = columns.iter().filter(called).copied().collect();
        let column = match (columns.as_slice(), quantities.as_slice()) {
            ([only], _) | (_, [only]) => *only,
            _ => return None,
        };
        self.doubt(0.95);
        Some(Ask::Fold(Fold::Sum, column))
    }

    /// The column that says how many there are of each thing.
    fn in_stock(&mut self) -> Option<Ask> {
        let about = |k: Concept| -> Vec<usize> {
            self.roles.measures.iter().copied().filter(|c| self.roles.is_about(*c, k)).collect()
        };
        let (stock, quantity) = (about(Concept::Stock), about(Concept::Quantity));
        let column = match (stock.as_slice(), quantity.as_slice()) {
            ([only], _) | ([], [only]) => *only,
            _ => return None,
        };
        self.doubt(0.92);
        Some(Ask::Cells(column))
    }

    /// Where a column says how many there are of each: `how many animals are there in total`.
    fn counted_in_column(&mut self) -> Option<Option<Ask>> {
        let is_count = |c: &&usize| {
            let names = self.roles.names.get(**c).and_then(|n| n.first());
            let is = |w: &Word| matches!(w.text.as_str(), "count" | "number" | "anzahl" | "nombre");
            names.is_some_and(|n| matches!(n.as_slice(), [only] if is(only)))
        };
        let counts: Vec<usize> = self.roles.measures.iter().filter(is_count).copied().collect();
        let [only] = counts.as_slice() else { return None };
        if self.frame.people || !self.frame.rows {
            return None;
        }
        // Rows, or what they count: only `in total` tells.
        Some(self.frame.sum.is_some().then_some(Ask::Fold(Fold::Sum, *only)))
    }

    /// The same for each group: there a count of rows would be no count of what they count.
    pub(super) fn counted_in_groups(&mut self) -> Option<Option<Ask>> {
        let (rows, sum) = (self.frame.rows, self.frame.sum);
        (self.frame.rows, self.frame.sum) = (true, Some(0));
        let found = self.counted_in_column();
        (self.frame.rows, self.frame.sum) = (rows, sum);
        found
    }
}
