//! What a statement says, as a program that answers yes or no. Every word must have its place, as in a question.

use super::frame::{Claim, Frame, Named, Quantifier, Superlative, Wh};
use super::interpret::Interpreter;
use crate::grid::{Field, Measure};
use crate::program::{Ask, Condition, Fold, Program, Rows, Test, Value};

impl Interpreter<'_> {
    /// The program that decides a statement, and how far it can be trusted.
    pub(crate) fn decision(mut self) -> Option<(Program, f32)> {
        // The `list` of `on the staff list` asks for nothing.
        self.frame.wh.retain(|(_, wh)| *wh != Wh::Show);
        if !self.frame.wh.is_empty()
            || !self.frame.keys.is_empty()
            || self.frame.difference
            || self.frame.change
            || self.frame.verb && !self.sets_rows_apart()
        {
            return None;
        }
        if self.frame.people && !self.has_people() {
            return None;
        }
        self.settle();
        self.done();
        let (rows, ask) = self.decide()?;
        Some((Program { rows, ask }, self.frame.trust))
    }

    /// Whether rows of two things are set against each other, whatever the verb: `Antwerp handled more shipments than Rotterdam`.
    fn sets_rows_apart(&self) -> bool {
        let is_set = self.frame.versus.is_some() || self.frame.than && self.frame.comparative.is_some();
        is_set && self.frame.rows && self.measures().is_empty() && self.frame.columns.is_empty()
    }

    /// What is said to have been done has a day: `has Ann paid`, of a column `Paid on`.
    fn done(&mut self) {
        let is_done = |c: &Named| {
            let lacks = self.field(c.column).is_some_and(|f| f.measure == Measure::Day);
            c.is_verb
                && lacks
                && self.frame.claims.is_empty()
                && self.frame.versus.is_none()
                && !self.frame.than
        };
        let (done, kept): (Vec<Named>, Vec<Named>) = self.frame.columns.iter().copied().partition(is_done);
        self.frame.columns = kept;
        let filled = |c: Named| (c.at, Condition { column: c.column, test: Test::Filled });
        self.frame.conditions.extend(done.into_iter().map(filled));
    }

    fn decide(&mut self) -> Option<(Rows, Ask)> {
        if self.frame.than
            && let Some((_, more)) = self.frame.comparative
        {
            self.frame.versus = Some(more);
        }
        if self.frame.versus.is_some() {
            return self.versus();
        }
        if self.frame.than || self.frame.comparative.is_some() {
            return None;
        }
        if !self.frame.marked.is_empty() {
            return self.claimed_row();
        }
        let numbers = self.frame.claims.clone();
        let is_bound = |c: &Claim| !c.counts && !c.is_percent;
        if let Some((at, quantifier)) = self.frame.quantifier
            && self.frame.superlatives.is_empty()
            && numbers.len() < 2
            && numbers.iter().all(is_bound)
        {
            numbers.iter().try_for_each(|bound| self.bound_by(bound))?;
            return self.quantified(at, quantifier);
        }
        match numbers.as_slice() {
            [] if !self.frame.superlatives.is_empty() => self.claimed_best(),
            [] => self.claimed_rows(),
            [only] => self.claimed_number(only),
            [count, bound] if count.counts && !bound.counts => {
                self.bound_by(bound)?;
                self.claimed_number(count)
            }
            _ => None,
        }
    }

    /// `Ann earns more than Bob`.
    fn versus(&mut self) -> Option<(Rows, Ask)> {
        let more = self.frame.versus?;
        if let [_] = self.frame.conditions.as_slice() {
            return self.column_exceeds(more);
        }
        let (one, other) = self.set_against()?;
        if !self.frame.superlatives.is_empty() || !self.frame.claims.is_empty() {
            return None;
        }
        if self.frame.rows
            && self.measures().is_empty()
            && self.frame.verbs.is_empty()
            && !self.compares_by_concept()
        {
            // `There are more orders from Oslo than from Bergen`: of rows there may be many.
            let is_counted = !self.is_one(&one) && !self.is_one(&other);
            return is_counted.then_some((one, Ask::Outnumbers(more, other)));
        }
        let (column, more) = match self.frame.comparative {
            Some((Some(concept), _)) => self.of_concept(concept, more)?,
            _ if self.frame.versus_by_time => (self.day_named()?, more),
            _ => (self.measure()?, more),
        };
        if self.is_one(&one) && self.is_one(&other) {
            return Some((one, Ask::Exceeds(column, more, other)));
        }
        let fold = self.fold_kind();
        let is_there = self.has_rows(&one) && self.has_rows(&other);
        let folds = fold == Fold::Average || self.is_additive(column) && !self.measures().is_empty();
        (is_there && folds).then_some((one, Ask::FoldExceeds(fold, column, more, other)))
    }

    /// `We spent more on travel in July than in August`: two columns of one row.
    fn column_exceeds(&mut self, more: bool) -> Option<(Rows, Ask)> {
        let mut named = self.frame.columns.clone();
        named.sort_by_key(|c| c.at);
        let [a, b] = named.as_slice() else { return None };
        let is_plain = self.frame.superlatives.is_empty() && self.frame.claims.is_empty();
        let is_series = |c: usize| self.roles.series().contains(&c);
        let mut rows = self.rows();
        if !is_plain
            || a.column == b.column
            || !is_series(a.column)
            || !is_series(b.column)
            || !self.is_one(&rows)
        {
            return None;
        }
        // Of losses and refunds the larger one is the smaller number.
        let is_below = |c: usize| {
            self.selected(&rows).iter().any(|r| self.grid.at(c, *r).and_then(|c| c.size) < Some(0.0))
        };
        if is_below(a.column) || is_below(b.column) {
            return None;
        }
        let test = if more { Test::MoreThan(b.column) } else { Test::LessThan(b.column) };
        rows.conditions.push(Condition { column: a.column, test });
        Some((rows, Ask::Exists))
    }

    /// The column of days that is named, or the only one there is.
    fn day_named(&self) -> Option<usize> {
        let days = self.roles.days(self.grid);
        let named = self.frame.columns.iter().map(|c| c.column).find(|c| days.contains(c));
        named.or_else(|| days.first().copied().filter(|_| days.len() == 1))
    }

    fn compares_by_concept(&self) -> bool {
        matches!(self.frame.comparative, Some((Some(_), _)))
    }

    /// The column a bound is on: the named one, or the only one.
    fn bound_by(&mut self, claim: &Claim) -> Option<()> {
        let column = self.measure()?;
        let test = scaled(self.field(column)?, &claim.test);
        self.frame.columns.retain(|c| c.column != column);
        self.frame.conditions.push((claim.at, Condition { column, test }));
        Some(())
    }

    /// A computed row that has a number.
    fn claimed_row(&mut self) -> Option<(Rows, Ask)> {
        let [claim] = self.frame.claims.as_slice() else { return None };
        let test = claim.test.clone();
        let (rows, ask) = self.computed_row()?;
        Some((rows, Ask::Compares(Box::new(ask), test)))
    }

    /// A number that a count, a sum, an average, a share or a cell is said to be.
    fn claimed_number(&mut self, claim: &Claim) -> Option<(Rows, Ask)> {
        let rows = self.rows();
        let compares = |ask: Ask, test: Test| Ask::Compares(Box::new(ask), test);
        if claim.is_percent {
            if let [_, _] = self.frame.conditions.as_slice()
                && !self.computes()
                && !self.says_more()
            {
                // `half of the open tickets are urgent`: a part of those that are spoken of first.
                let mut said = self.frame.conditions.clone();
                said.sort_by_key(|(at, _)| *at);
                let is_parted = self.is_parted(&said);
                let conditions = said.into_iter().map(|(_, c)| c).collect();
                let rows = Rows { conditions, ..Rows::default() };
                return is_parted.then(|| (rows, compares(Ask::Share(1), claim.test.clone())));
            }
            let [_] = self.frame.conditions.as_slice() else { return None };
            let share = match self.measures().as_slice() {
                [] if self.frame.rows || !self.others().is_empty() => Ask::Share(0),
                [only] if !self.field(*only)?.is_percent() => Ask::ShareOf(*only, 0),
                _ => return None,
            };
            return Some((rows, compares(share, claim.test.clone())));
        }
        if let Some(superlative) = self.frame.superlatives.first().copied() {
            return self.claimed_extreme(rows, superlative, claim);
        }
        if self.frame.sum.is_some() && !claim.counts || self.frame.average.is_some() {
            let ask = self.fold(&rows)?;
            let column = Program { rows: Rows::default(), ask: ask.clone() }.measured()?;
            let test = scaled(self.field(column)?, &claim.test);
            return self.has_rows(&rows).then_some((rows, compares(ask, test)));
        }
        if claim.counts || self.measures().is_empty() && self.frame.rows {
            let ask = self.claimed_count(&rows)?;
            return Some((rows, compares(ask, claim.test.clone())));
        }
        let column = self.measure()?;
        if rows.conditions.is_empty() || !self.has_rows(&rows) || !self.others().is_empty() {
            return None;
        }
        let ask = if self.is_one(&rows) {
            Ask::Cells(column)
        } else if self.is_additive(column) {
            self.doubt(0.9);
            Ask::Fold(Fold::Sum, column)
        } else {
            return None;
        };
        let test = scaled(self.field(column)?, &claim.test);
        let test = if self.is_outflow(&rows, column) { paid(test) } else { test };
        Some((rows, compares(ask, test)))
    }

    /// Whether all these rows have less than nothing: what was paid is written so in an account.
    fn is_outflow(&self, rows: &Rows, column: usize) -> bool {
        let all = crate::execute::select(rows, self.grid);
        let size = |r: &u32| self.grid.at(column, *r).and_then(|c| c.size);
        self.grid.is_whole() && !all.is_empty() && all.iter().all(|r| size(r).is_some_and(|s| s < 0.0))
    }

    fn claimed_count(&mut self, rows: &Rows) -> Option<Ask> {
        match self.others().as_slice() {
            [] if self.measures().is_empty() => {
                let of_one = |c: &Condition| {
                    self.field(c.column).is_some_and(Field::is_key) && matches!(c.test, Test::Is(_))
                };
                (!rows.conditions.iter().any(of_one)).then_some(Ask::Count)
            }
            [only] if self.field(*only).is_some_and(|f| f.kind == tabletalk_core::Kind::Date) => None,
            [only] if self.measures().is_empty() => {
                let is_key = self.field(*only).is_some_and(Field::is_key);
                Some(if is_key && !self.frame.distinct { Ask::Count } else { Ask::Distinct(*only) })
            }
            [] => match self.measures().as_slice() {
                [only] => Some(Ask::Fold(Fold::Sum, *only)),
                _ => None,
            },
            _ => None,
        }
    }

    /// `the highest salary is 5000`.
    fn claimed_extreme(
        &mut self,
        rows: Rows,
        superlative: Superlative,
        claim: &Claim,
    ) -> Option<(Rows, Ask)> {
        if claim.counts || !self.others().is_empty() || self.frame.rows {
            return None;
        }
        let (column, most) = self.compared(superlative)?;
        let fold = if most { Fold::Most } else { Fold::Least };
        let test = scaled(self.field(column)?, &claim.test);
        let ask = Ask::Compares(Box::new(Ask::Fold(fold, column)), test);
        self.has_rows(&rows).then_some((rows, ask))
    }

    /// `Ann earns the most`: what has the largest value is the thing that is named.
    fn claimed_best(&mut self) -> Option<(Rows, Ask)> {
        let conditions = self.frame.conditions.clone();
        let superlative = self.frame.superlatives.first().copied()?;
        for (i, (_, named)) in conditions.iter().enumerate() {
            let Test::Is(values) = &named.test else { continue };
            let [value] = values.as_slice() else { continue };
            let mut frame: Frame = self.frame.clone();
            frame.conditions.remove(i);
            let at = superlative.at;
            frame.columns.retain(|c| c.column != named.column);
            frame.columns.push(Named {
                at,
                column: named.column,
                fit: super::annotate::Fit::Exact,
                is_verb: false,
            });
            let inner = Interpreter { grid: self.grid, roles: self.roles, before: None, frame };
            let Some((program, trust)) = inner.program() else { continue };
            if !matches!(program.ask, Ask::Cells(c) | Ask::Group { column: c, .. } if c == named.column) {
                continue;
            }
            self.frame.trust = trust;
            let value: Value = value.clone();
            return Some((program.rows, Ask::Holds(Box::new(program.ask), value)));
        }
        None
    }

    /// Whether something holds for all rows, for most or for none: for all of the table where one thing is said, and where two are,
    /// for those that the first speaks of.
    fn quantified(&mut self, at: usize, quantifier: Quantifier) -> Option<(Rows, Ask)> {
        if self.computes() || self.says_more() {
            return None;
        }
        let mut said = self.frame.conditions.clone();
        said.sort_by_key(|(at, _)| *at);
        let is_between = matches!(said.as_slice(), [(a, _), (b, _)] if *a < at && at < *b);
        let is_parted = self.is_parted(&said);
        let conditions: Vec<Condition> = said.into_iter().map(|(_, c)| c).collect();
        let several = conditions.len();
        let rows = Rows { conditions, ..Rows::default() };
        let is_of_all = several == 1 && self.frame.rows;
        let share = |test: Test| Ask::Compares(Box::new(Ask::Share(several - 1)), test);
        let ask = match quantifier {
            Quantifier::No if is_of_all || several > 1 => Ask::Denies(Box::new(Ask::Exists)),
            _ if is_between || !(is_of_all || is_parted) => return None,
            Quantifier::Every if is_of_all => Ask::Every,
            Quantifier::NotEvery if is_of_all => Ask::Denies(Box::new(Ask::Every)),
            Quantifier::Every => share(Test::AtLeast(100.0)),
            Quantifier::NotEvery => share(Test::Less(100.0)),
            Quantifier::Most => share(Test::More(50.0)),
            Quantifier::No => return None,
        };
        Some((rows, ask))
    }

    /// Whether the first of two conditions is what a statement is about, and the second what it says of that.
    fn is_parted(&self, said: &[(usize, Condition)]) -> bool {
        let [(a, _), (b, _)] = said else { return false };
        self.frame.copulas.iter().any(|at| a < at && at < b)
    }

    /// Whether more is computed than how many rows there are.
    fn computes(&self) -> bool {
        let frame = &self.frame;
        frame.sum.is_some() || frame.average.is_some() || frame.share || !self.measures().is_empty()
    }

    /// Whether a column is named of which nothing is said.
    fn says_more(&self) -> bool {
        self.others().iter().any(|c| self.frame.conditions.iter().all(|(_, k)| k.column != *c))
    }

    /// Whether a row has all that is said.
    fn claimed_rows(&mut self) -> Option<(Rows, Ask)> {
        if self.computes() || self.says_more() || self.frame.all {
            return None;
        }
        let rows = self.rows();
        let is_said = rows.conditions.len() > 1 || self.frame.rows && !rows.conditions.is_empty();
        is_said.then_some((rows, Ask::Exists))
    }
}

/// What is said of a number, in the unit of a column.
fn scaled(field: &Field, test: &Test) -> Test {
    match test {
        Test::Less(n) => Test::Less(field.scaled(*n)),
        Test::AtMost(n) => Test::AtMost(field.scaled(*n)),
        Test::More(n) => Test::More(field.scaled(*n)),
        Test::AtLeast(n) => Test::AtLeast(field.scaled(*n)),
        Test::Between(a, b) => Test::Between(field.scaled(*a), field.scaled(*b)),
        other => other.clone(),
    }
}

/// What is said of a payment, of the number in the account.
fn paid(test: Test) -> Test {
    match test {
        Test::Less(n) if n > 0.0 => Test::More(-n),
        Test::AtMost(n) if n > 0.0 => Test::AtLeast(-n),
        Test::More(n) if n > 0.0 => Test::Less(-n),
        Test::AtLeast(n) if n > 0.0 => Test::AtMost(-n),
        Test::Between(a, b) if a > 0.0 => Test::Between(-b, -a),
        other => other,
    }
}
