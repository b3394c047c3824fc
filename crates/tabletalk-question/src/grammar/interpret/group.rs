//! Programs of groups.

use super::Interpreter;
use crate::grammar::annotate::Fit;
use crate::grammar::frame::{Named, Wh};
use crate::grammar::lexicon::Concept;
use crate::grammar::role::is_text;
use crate::grid::Field;
use crate::program::{Ask, By, Condition, Fold, Key, Rows, Test};
use tabletalk_core::Kind;

/// Columns with more different values are no list of choices.
const CHOICES: usize = 30;

impl Interpreter<'_> {
    /// The groups whose sum is above a bound: `which cities sold more than 500 in total`.
    pub(super) fn groups_above(&mut self) -> Option<(Rows, Ask)> {
        let frame = &self.frame;
        let asks = [Wh::Who, Wh::Which, Wh::Show].iter().any(|wh| self.has(*wh));
        let is_plain = frame.keys.is_empty() && frame.superlatives.is_empty() && frame.average.is_none();
        let is_else = self.has(Wh::HowMany) || self.has(Wh::HowMuch) || frame.share || frame.difference;
        if frame.sum.is_none() || !asks || !is_plain || is_else {
            return None;
        }
        let is_bound = |c: &Condition| {
            let bounds = matches!(c.test, Test::More(_) | Test::Less(_) | Test::AtLeast(_) | Test::AtMost(_));
            bounds && self.field(c.column).is_some_and(|f| f.is_number() && !f.is_year())
        };
        let (bounds, kept): (Vec<_>, Vec<_>) =
            frame.conditions.iter().map(|(_, c)| c.clone()).partition(is_bound);
        let [bound] = bounds.as_slice() else { return None };
        let column = bound.column;
        let thing = self.thing_beside(column)?;
        let rows = Rows { conditions: kept, ..Rows::default() };
        if !is_text(self.grid, thing) || self.is_unique(thing, &rows) || !self.is_additive(column) {
            return None;
        }
        let by = By {
            keys: vec![Key { column: thing, period: None }],
            ask: Box::new(Ask::Fold(Fold::Sum, column)),
            order: None,
            limit: None,
            having: Some(bound.test.clone()),
            bare: true,
        };
        Some((rows, Ask::By(by)))
    }

    /// `the largest by area`: what follows is what is compared, and makes no groups.
    pub(super) fn order_key(&mut self) {
        let [(at, key)] = self.frame.keys.as_slice() else { return };
        let is_order = key.period.is_none() && self.is_measure(key.column);
        let is_bare =
            self.frame.superlatives.iter().all(|s| s.concept.is_none()) && self.frame.verbs.is_empty();
        if is_order && is_bare && self.measures().is_empty() && self.frame.superlatives.len() == 1 {
            let named = Named { at: *at, column: key.column, fit: Fit::Exact, is_verb: false };
            self.frame.keys.clear();
            self.frame.columns.push(named);
        }
    }

    pub(super) fn by(&mut self) -> Option<Ask> {
        let keys: Vec<Key> = self.frame.keys.iter().map(|(_, k)| k.clone()).collect();
        // `the top three cities by revenue` orders by what follows.
        // Codes of a few kinds make groups: `requests for each status`.
        let is_choice =
            |f: &Field| f.kind == Kind::Integer && f.values.len() <= CHOICES && f.values.len() * 2 < f.filled;
        let is_number = |k: &Key| {
            k.period.is_none()
                && self.is_measure(k.column)
                && !(self.has(Wh::HowMany) && self.field(k.column).is_some_and(is_choice))
        };
        if keys.iter().any(is_number) {
            return self.ordered_by(&keys);
        }
        let ask = self.asked_of_groups(&keys)?;
        let is_lone = |k: &Key| {
            k.period.is_none() && self.is_of_time(k.column) && self.is_unique(k.column, &Rows::default())
        };
        if matches!(ask, Ask::Count) && self.grid.is_whole() && keys.iter().any(is_lone) {
            // One row a day is no number of anything.
            return None;
        }
        let is_used =
            |c: &Named| ask.columns().contains(&c.column) || keys.iter().any(|k| k.column == c.column);
        if !self.frame.columns.iter().all(|c| is_used(c) || self.is_row_key(c.column)) {
            return None;
        }
        let superlative = self.frame.superlatives.first().copied();
        Some(Ask::By(By {
            keys,
            ask: Box::new(ask),
            order: superlative.map(|s| s.most),
            limit: self
                .frame
                .limit
                .or(superlative.filter(|_| self.has(Wh::Which) || self.has(Wh::Who)).map(|_| 1)),
            having: self.frame.having.clone(),
            bare: superlative.is_some()
                && self.frame.limit.is_none()
                && (self.has(Wh::Which) || self.has(Wh::Who)),
        }))
    }

    fn asked_of_groups(&mut self, keys: &[Key]) -> Option<Ask> {
        if self.frame.share {
            return Some(match self.measures().as_slice() {
                [only] => Ask::ShareOf(*only, 0),
                _ => Ask::Share(0),
            });
        }
        let others: Vec<usize> =
            self.others().into_iter().filter(|c| keys.iter().all(|k| k.column != *c)).collect();
        if self.has(Wh::HowMany) && self.frame.average.is_none() {
            if self.measures().is_empty()
                && !self.frame.distinct
                && !others.iter().any(|c| self.roles.is_code(self.grid, *c))
                && let Some(Some(Ask::Fold(fold, column))) = self.counted_in_groups()
            {
                return Some(Ask::Fold(fold, column));
            }
            return match (self.measures().as_slice(), others.as_slice()) {
                ([only], _) => Some(Ask::Fold(Fold::Sum, *only)),
                // The loan of `loans by genre` is no day of a loan.
                ([], [only]) if !self.frame.distinct && self.is_of_time(*only) => Some(Ask::Count),
                ([], [only]) if self.frame.distinct || !self.is_row_key(*only) => Some(Ask::Distinct(*only)),
                ([], _) => Some(Ask::Count),
                _ => None,
            };
        }
        if others.len() == 1
            && self.frame.sum.is_none()
            && self.frame.average.is_none()
            && self.measures().is_empty()
        {
            // `orders by city and status`
            return None;
        }
        let series = self.number_series();
        let says_sum = self.frame.about || self.frame.sum.is_some() || self.frame.average.is_some();
        if says_sum
            && !series.is_empty()
            && self.measures().iter().all(|c| series.contains(c))
            && self.measures().len() != 1
        {
            self.doubt(0.95);
            let named = self.ranged(self.measures(), &series);
            return Some(Ask::Across(self.fold_kind(), if named.is_empty() { series } else { named }));
        }
        if self.measures().is_empty()
            && self.frame.rows
            && !self.frame.money
            && self.frame.average.is_none()
            && self.frame.verbs.is_empty()
        {
            let counts = self.frame.sum.is_none() || self.roles.measures.is_empty();
            if counts {
                self.doubt(0.93);
                return Some(Ask::Count);
            }
        }
        let measure = self.measure()?;
        let fold = match (self.frame.average.is_some(), self.frame.superlatives.first()) {
            (true, _) => Fold::Average,
            (false, Some(s))
                if self.frame.sum.is_none() && !self.is_additive(measure) && self.frame.limit.is_none() =>
            {
                let fold = if s.most { Fold::Most } else { Fold::Least };
                self.frame.superlatives.clear();
                fold
            }
            _ => Fold::Sum,
        };
        Some(Ask::Fold(fold, measure))
    }

    fn ordered_by(&mut self, keys: &[Key]) -> Option<Ask> {
        let [key] = keys else { return None };
        if !self.frame.verbs.is_empty() || !self.measures().is_empty() {
            // Cost per click is neither.
            return None;
        }
        let superlative = self.frame.superlatives.first().copied().filter(|s| s.concept.is_none())?;
        let thing = self.thing()?;
        let limit = self.frame.limit.unwrap_or(1);
        let is_key = self.field(thing).is_some_and(Field::is_key);
        if is_key && limit == 1 {
            return None;
        }
        Some(Ask::By(By {
            keys: vec![Key { column: thing, period: None }],
            ask: Box::new(Ask::Fold(Fold::Sum, key.column)),
            order: Some(superlative.most),
            limit: Some(limit),
            having: None,
            // What stands in one row each is named, and not added up.
            bare: is_key && (self.has(Wh::Show) || self.wants_names()) && !self.frame.beside,
        }))
    }

    /// The group with the largest sum or average.
    pub(super) fn best_group(&mut self, thing: usize, column: usize, most: bool) -> Ask {
        // `加班最多的人是谁，一共多少小时`
        let with_size = self.has(Wh::HowMuch) || self.has(Wh::HowMany);
        if self.frame.average.is_none() && self.frame.limit.is_none() && self.frame.skip == 0 && !with_size {
            if self.frame.sum.is_none() {
                self.doubt(0.95);
            }
            return Ask::Group { column: thing, most, sum: Some(column) };
        }
        let fold = self.fold_kind();
        Ask::By(By {
            keys: vec![Key { column: thing, period: None }],
            ask: Box::new(Ask::Fold(fold, column)),
            order: Some(most),
            limit: Some(self.frame.limit.unwrap_or(1)),
            having: None,
            bare: !with_size && (self.frame.limit.is_none() || self.wants_names()),
        })
    }

    /// Whether only names are wanted of several: `which three`, `name the two`, but not `top 3 by revenue`.
    pub(super) fn wants_names(&self) -> bool {
        (self.has(Wh::Which) || self.has(Wh::Who))
            && !self.frame.beside
            && !self.has(Wh::HowMuch)
            && !self.has(Wh::HowMany)
    }

    /// Groups with more or fewer rows than so many.
    pub(super) fn having(&mut self, having: Test) -> Option<Ask> {
        let [key] = self.others()[..] else { return None };
        if !self.measures().is_empty() || self.field(key).is_some_and(Field::is_key) {
            return None;
        }
        let sold = self.frame.verbs.contains(&Concept::Quantity);
        let mut quantities =
            self.roles.measures.iter().filter(|c| self.roles.is_about(**c, Concept::Quantity));
        let ask = match (sold, quantities.next(), quantities.next()) {
            (true, Some(only), None) => Ask::Fold(Fold::Sum, *only),
            (true, ..) => return None,
            (false, ..) => Ask::Count,
        };
        Some(Ask::By(By {
            keys: vec![Key { column: key, period: None }],
            ask: Box::new(ask),
            order: None,
            limit: None,
            having: Some(having),
            bare: true,
        }))
    }
}
