//! Differences, growth and shares.

use super::Interpreter;
use crate::grammar::frame::{Named, Wh};
use crate::program::{Ask, Condition, Fold, Pick, Rows};

impl Interpreter<'_> {
    pub(in crate::grammar) fn fold_kind(&self) -> Fold {
        if self.frame.average.is_some() { Fold::Average } else { Fold::Sum }
    }

    pub(super) fn difference(&mut self) -> Option<(Rows, Ask)> {
        let both = |a: bool| self.frame.superlatives.iter().any(|s| s.most == a);
        if both(true) && both(false) {
            let column = self.measure()?;
            return Some((self.rows(), Ask::Fold(Fold::Range, column)));
        }
        if !self.frame.superlatives.is_empty() {
            return self.furthest_apart();
        }
        if let [a, b] = self.measures()[..] {
            let rows = self.rows();
            let is_said = !self.frame.conditions.is_empty() || self.grid.len() == 1;
            return (is_said && self.has_rows(&rows)).then_some((rows, Ask::ColumnDifference(a, b)));
        }
        let (one, other) = self.set_against()?;
        let counts = (self.frame.counted || self.has(Wh::HowMany)) && self.number_series().is_empty();
        if counts && self.measures().is_empty() && self.frame.rows {
            return Some((one, Ask::CountDifference(other)));
        }
        let column = match (self.measures().as_slice(), self.frame.comparative) {
            ([only], _) => *only,
            ([], Some((Some(concept), more))) => self.of_concept(concept, more)?.0,
            ([], _) => self.total_of_series().or_else(|| self.measure())?,
            _ => return None,
        };
        if !self.has_rows(&one) || !self.has_rows(&other) {
            return None;
        }
        if self.is_one(&one) && self.is_one(&other) {
            return Some((one, Ask::Difference(column, other)));
        }
        let fold = self.fold_kind();
        if fold == Fold::Sum && self.frame.sum.is_none() && !self.is_additive(column) {
            return None;
        }
        Some((one, Ask::FoldDifference(fold, column, other)))
    }

    /// The row in which two columns are furthest apart: `the largest gap between retail and cost`.
    fn furthest_apart(&mut self) -> Option<(Rows, Ask)> {
        let [superlative] = self.frame.superlatives[..] else { return None };
        let [a, b] = self.measures()[..] else { return None };
        let thing = match self.others()[..] {
            [only] => only,
            [] => self.key()?,
            _ => return None,
        };
        let mut rows = self.rows();
        // The larger of the two comes first.
        let is_larger = |a: usize, b: usize| {
            let size = |c: usize, row: u32| self.grid.at(c, row).and_then(|cell| cell.size);
            self.selected(&rows).into_iter().all(|row| size(a, row) >= size(b, row))
        };
        let (column, other) = match (is_larger(a, b), is_larger(b, a)) {
            (true, _) => (a, b),
            (_, true) => (b, a),
            _ => return None,
        };
        let count = self.frame.limit.unwrap_or(1);
        rows.pick = Some(Pick::Apart { column, other, most: superlative.most, count });
        (self.frame.skip == 0).then_some((rows, Ask::Cells(thing)))
    }

    /// The two sets of rows that are set against each other, in the order in which they are named: those of two values of a column,
    /// and what else is said holds for both.
    pub(in crate::grammar) fn set_against(&self) -> Option<(Rows, Rows)> {
        let mut said = self.frame.conditions.clone();
        said.sort_by_key(|(at, _)| *at);
        let all: Vec<Condition> = said.into_iter().map(|(_, c)| c).collect();
        let times = |c: &Condition| all.iter().filter(|other| other.column == c.column).count();
        let (pair, shared): (Vec<&Condition>, Vec<&Condition>) = all.iter().partition(|c| times(c) == 2);
        let [a, b] = pair.as_slice() else { return None };
        let rows = |c: &Condition| {
            let conditions = shared.iter().copied().chain([c]).cloned().collect();
            Rows { conditions, ..Rows::default() }
        };
        shared.iter().all(|c| times(c) == 1).then(|| (rows(a), rows(b)))
    }

    /// Whether a column is called by what was done: `Reported`.
    fn is_participle(&self, column: usize) -> bool {
        let first = self.roles.names.get(column).and_then(|n| n.first()).and_then(|n| n.first());
        first.is_some_and(|w| w.text.len() > 4 && w.text.ends_with("ed"))
    }

    /// The column that adds up the months or years beside it.
    pub(super) fn total_of_series(&self) -> Option<usize> {
        if self.number_series().is_empty() {
            return None;
        }
        let mut derived =
            self.roles.measures.iter().copied().filter(|c| self.field(*c).is_some_and(|f| f.is_derived));
        derived.next().filter(|_| derived.next().is_none())
    }

    /// By how many percent something grew from one column to another: `units from Q1 to Q4`.
    pub(super) fn grown_column(&mut self) -> Option<(Rows, Ask)> {
        let mut named: Vec<Named> =
            self.frame.columns.iter().filter(|c| self.is_measure(c.column)).copied().collect();
        named.sort_by_key(|c| c.at);
        let [from, to] = named.as_slice() else { return None };
        let is_plain = self.frame.keys.is_empty() && self.frame.superlatives.is_empty();
        let is_series =
            self.roles.series().contains(&from.column) == self.roles.series().contains(&to.column);
        let rows = self.rows();
        let fits = is_plain && is_series && from.column != to.column && self.others().is_empty();
        (fits && self.has_rows(&rows)).then_some((rows, Ask::Growth(from.column, to.column)))
    }

    /// By how many percent something grew: from what is said first to what is said last.
    pub(super) fn grown(&mut self) -> Option<(Rows, Ask)> {
        let mut said = self.frame.conditions.clone();
        said.sort_by_key(|(at, _)| *at);
        let [(_, from), (_, to)] = said.as_slice() else { return None };
        if from.column != to.column || !self.frame.superlatives.is_empty() || !self.frame.keys.is_empty() {
            return None;
        }
        let column = match self.measures().as_slice() {
            [only] => *only,
            [] => self.measure()?,
            _ => return None,
        };
        let rows = |c: &Condition| Rows { conditions: vec![c.clone()], ..Rows::default() };
        let (from, to) = (rows(from), rows(to));
        let is_one = self.is_one(&from) && self.is_one(&to);
        let adds = is_one || self.is_additive(column);
        (adds && self.has_rows(&from) && self.has_rows(&to)).then_some((to, Ask::RowGrowth(column, from)))
    }

    pub(super) fn share(&mut self) -> Option<Ask> {
        let [_] = self.frame.conditions.as_slice() else { return None };
        // A share of what is not counted is one of what is added up: `how much of the budget went on hotels`.
        let is_counted = self.frame.rows_at.is_some() && !self.frame.whole
            || self.frame.people
            || self.has(Wh::HowMany)
            || self.frame.columns.iter().any(|c| self.is_of_time(c.column) && self.is_participle(c.column));
        let sums: Vec<usize> = self.roles.measures.iter().copied().filter(|c| self.is_additive(*c)).collect();
        if self.measures().is_empty() && !self.number_series().is_empty() && !self.has(Wh::HowMany) {
            // Of a row of months nobody asks which part of the rows it is.
            return self.total_of_series().map(|total| Ask::ShareOf(total, 0));
        }
        match self.measures().as_slice() {
            [] if !self.frame.verbs.is_empty() && !sums.is_empty()
                || !is_counted && sums.len() == 1 && !self.is_flagged() =>
            {
                let [only] = sums.as_slice() else { return None };
                self.doubt(0.93);
                Some(Ask::ShareOf(*only, 0))
            }
            [] if !is_counted && !sums.is_empty() => None,
            [] => Some(Ask::Share(0)),
            [only] if self.shares_rows(*only) => Some(Ask::Share(0)),
            [only] => Some(Ask::ShareOf(*only, 0)),
            _ => None,
        }
    }

    /// Whether the rows are named before a measure: `what percentage of the holders have paid their rent`.
    fn shares_rows(&self, measure: usize) -> bool {
        let at = self.frame.columns.iter().find(|c| c.column == measure).map_or(0, |c| c.at);
        let is_key =
            |c: &Named| c.at < at && c.column != measure && self.field(c.column).is_some_and(|f| f.is_key());
        self.frame.columns.iter().any(is_key)
    }

    /// Whether the only condition is that of a column of yes and no: who has something is counted.
    fn is_flagged(&self) -> bool {
        let is = |c: usize| self.field(c).is_some_and(|f| f.values.len() <= 2 && f.filled > 4);
        self.frame.conditions.iter().all(|(_, c)| is(c.column))
    }
}
