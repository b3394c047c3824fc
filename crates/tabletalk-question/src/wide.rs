//! Programs over groups of rows and over several columns: what is asked by city or by month, over the months that are
//! columns, of one column against another.

use crate::candidate::{Found, pairs};
use crate::cue::Cue;
use crate::grammar;
use crate::grid::{Field, Measure};
use crate::link::Grade;
use crate::mask::first;
use crate::program::{Ask, By, Condition, Fold, Key, Period, Rows, Test};
use crate::scope::Scope;

/// The scopes that are looked at beside that of all rows.
const SCOPES: usize = 5;
/// The most columns that groups are made by.
const KEYS: usize = 6;
/// The most pairs of columns that are compared.
const PAIRS: usize = 12;
/// The scopes for which columns are compared though no word hints at it, and the most pairs then.
const UNHINTED: usize = 2;
const FEW: usize = 6;

impl Found<'_> {
    /// Adds the programs over groups and over several columns.
    pub(crate) fn wide(&mut self, scopes: &[Scope]) {
        let all = scopes.iter().position(|s| s.links.is_empty());
        let best: Vec<usize> = (0..scopes.len().min(SCOPES)).chain(all.filter(|at| *at >= SCOPES)).collect();
        let (keys, numbers) = (self.keys(), self.number_columns());
        let series = self.series();
        for (i, scope) in best.into_iter().filter_map(|i| Some((i, scopes.get(i)?))) {
            self.grouped(i, scope, &keys, &numbers);
            self.grouped_twice(i, scope, &numbers);
            if !scope.links.iter().any(|l| self.links.get(*l).is_some_and(|l| l.grade == Grade::Compare)) {
                self.having(i, scope, &keys, &numbers);
            }
            self.across(i, scope, &series);
            self.shares(i, scope, &numbers);
            self.compared(i, scope, &numbers, &series);
            self.paired(i, scope, &numbers, &series);
        }
        self.fold_differences(scopes, &numbers);
        self.row_growth(scopes, &numbers);
    }

    pub(crate) fn run(&mut self, i: usize, scope: &Scope, ask: Ask) {
        self.push(i, scope.spec.clone(), &scope.rows, scope.rows.len(), ask);
    }

    /// The columns of numbers that can be calculated with.
    pub(crate) fn number_columns(&self) -> Vec<usize> {
        let is = |f: &Field| f.is_number() && !f.is_year();
        let is_id = |c: usize| self.grid.roles().is_id(self.grid, c);
        (0..self.grid.columns.len())
            .filter(|c| self.grid.columns.get(*c).is_some_and(is) && !is_id(*c))
            .collect()
    }

    /// The columns that stand for times or things side by side: months, else the longest run of columns of numbers.
    fn series(&self) -> Vec<usize> {
        let series = grammar::series(self.grid);
        if series.len() > 1 {
            return series;
        }
        let is = |f: &Field| f.is_number() && !f.is_year() && !f.is_derived;
        let mut longest: Vec<usize> = Vec::new();
        let mut run: Vec<usize> = Vec::new();
        for (column, field) in self.grid.columns.iter().enumerate() {
            if is(field) && !self.grid.roles().is_id(self.grid, column) {
                run.push(column);
            } else {
                run.clear();
            }
            if run.len() > longest.len() {
                longest.clone_from(&run);
            }
        }
        if longest.len() > 2 { longest } else { Vec::new() }
    }

    /// What groups may be made by: values that several rows have, and the parts of the calendar that the question names.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let mut periods = grammar::periods(&self.question);
        if periods.is_empty() && self.question.has(&[Cue::By]) {
            periods.push(Period::Day);
        }
        let mut keys = Vec::new();
        for (column, field) in self.grid.columns.iter().enumerate() {
            let share = self.names.get(column).map_or(0.0, |n| n.share);
            if field.measure == Measure::Day {
                keys.extend(periods.iter().map(|p| (0.5, Key { column, period: Some(*p) })));
                continue;
            }
            let is_choice = !field.is_key() && (!field.is_number() || field.is_year() || share > 0.3);
            if is_choice || share > 0.5 && !field.is_number() {
                keys.push((share, Key { column, period: None }));
            }
        }
        keys.sort_by(|a, b| b.0.total_cmp(&a.0));
        keys.into_iter().map(|k| k.1).take(KEYS).collect()
    }

    fn grouped(&mut self, i: usize, scope: &Scope, keys: &[Key], numbers: &[usize]) {
        let by = self.question.has(&[Cue::By]);
        let best = self.question.has(&[Cue::Most, Cue::Least]);
        if scope.rows.len() < 2 {
            return;
        }
        let folds = self.group_folds();
        for key in keys {
            let is_named = self.names.get(key.column).is_some_and(|n| n.share > 0.5);
            let (by, folds) = (by || is_named || i < 2, if by || best || is_named { &*folds } else { &[] });
            let mut asks = vec![Ask::Count];
            asks.extend(numbers.iter().flat_map(|c| folds.iter().map(|f| Ask::Fold(*f, *c))));
            if self.question.has(&[Cue::Share]) {
                asks.push(Ask::Share(0));
                asks.extend(numbers.iter().map(|c| Ask::ShareOf(*c, 0)));
            }
            for ask in asks {
                if by {
                    self.run(i, scope, Ask::By(groups(key, &ask, None, None)));
                }
                // The best value of a column is a program of its own.
                if best
                    && (key.period.is_some() || self.top() > 1 || matches!(ask, Ask::Fold(Fold::Average, _)))
                {
                    for (cue, most) in [(Cue::Most, true), (Cue::Least, false)] {
                        if self.question.has(&[cue]) {
                            self.run(i, scope, Ask::By(groups(key, &ask, Some(most), Some(self.top()))));
                        }
                    }
                }
            }
        }
    }

    /// Groups by two columns that are both named: `by city and status`.
    fn grouped_twice(&mut self, i: usize, scope: &Scope, numbers: &[usize]) {
        let place = |c: usize| self.names.get(c).filter(|n| n.share > 0.5).and_then(|n| first(n.mask));
        let mut keys: Vec<(usize, Key)> = Vec::new();
        for (column, field) in self.grid.columns.iter().enumerate() {
            if field.measure == Measure::Day {
                let periods = grammar::placed_periods(&self.question).into_iter();
                keys.extend(periods.map(|(at, period)| (at, Key { column, period: Some(period) })));
            } else if let Some(at) = place(column).filter(|_| !field.is_key() && !field.is_number()) {
                keys.push((at, Key { column, period: None }));
            }
        }
        // In the order in which they are named.
        keys.sort_by_key(|k| k.0);
        let keys: Vec<Key> = keys.into_iter().map(|k| k.1).collect();
        if !self.question.has(&[Cue::By]) || scope.rows.len() < 4 {
            return;
        }
        let folds = self.group_folds();
        let mut asks = vec![Ask::Count];
        asks.extend(numbers.iter().take(FEW).flat_map(|c| folds.iter().map(|f| Ask::Fold(*f, *c))));
        for (n, a) in keys.iter().enumerate().take(KEYS) {
            for b in keys.iter().skip(n + 1).filter(|b| b.column != a.column) {
                for ask in &asks {
                    let by = groups(a, ask, None, None);
                    self.run(i, scope, Ask::By(By { keys: vec![a.clone(), b.clone()], ..by }));
                }
            }
        }
    }

    /// The groups for which what is asked of them is more or less than a number of the question.
    fn having(&mut self, i: usize, scope: &Scope, keys: &[Key], numbers: &[usize]) {
        let Some(test) = self.bounds().into_iter().next() else { return };
        for key in keys {
            let mut asks = vec![Ask::Count];
            let folds = [Fold::Sum, Fold::Average];
            asks.extend(numbers.iter().take(FEW).flat_map(|c| folds.iter().map(|f| Ask::Fold(*f, *c))));
            for ask in asks {
                let by = groups(key, &ask, None, None);
                self.run(i, scope, Ask::By(By { having: Some(test.clone()), bare: true, ..by }));
            }
        }
    }

    /// What the question says of how much something is.
    fn bounds(&self) -> Vec<Test> {
        let test = |link: &crate::link::Link| match (&link.grade, &link.condition.test) {
            (Grade::Compare, Test::More(_) | Test::AtLeast(_) | Test::Less(_) | Test::AtMost(_)) => {
                Some(link.condition.test.clone())
            }
            _ => None,
        };
        let numbers = |l: &&crate::link::Link| {
            self.grid
                .columns
                .get(l.condition.column)
                .is_some_and(|f| f.is_number() && f.unit.as_deref() != Some("%"))
        };
        self.links.iter().filter(numbers).filter_map(test).collect()
    }

    /// How the cells of a group may be made one.
    fn group_folds(&self) -> Vec<Fold> {
        let mut folds = vec![Fold::Sum];
        for (cue, fold) in [(Cue::Average, Fold::Average), (Cue::Most, Fold::Most), (Cue::Least, Fold::Least)]
        {
            if self.question.has(&[cue]) {
                folds.push(fold);
            }
        }
        folds
    }

    /// How many of the best are asked for.
    pub(crate) fn top(&self) -> usize {
        let count = |w: &crate::word::Word| w.count().map(|n| n as usize).filter(|n| (2..=20).contains(n));
        let is_plain = |w: &&crate::word::Word| !crate::word::is_ordinal(&w.text);
        self.question.words.iter().filter(is_plain).find_map(count).unwrap_or(1)
    }

    /// Over the months, years or quarters that are columns: over all, and over those that are named.
    fn across(&mut self, i: usize, scope: &Scope, series: &[usize]) {
        if series.len() < 2 {
            return;
        }
        let named: Vec<usize> =
            series.iter().copied().filter(|c| self.names.get(*c).is_some_and(|n| n.share > 0.6)).collect();
        let mut sets = vec![series.to_vec()];
        // At its ends may stand what is no part of it: a target, a year.
        if let [first, inner @ .., last] = series
            && inner.len() > 1
        {
            sets.push([&[*first], inner].concat());
            sets.push([inner, &[*last]].concat());
        }
        if named.len() > 1 {
            sets.push(named.clone());
        }
        if let [from, .., to] = named.as_slice() {
            sets.push(series.iter().copied().filter(|c| (*from..=*to).contains(c)).collect());
        }
        sets.extend(grammar::under(&self.question, self.grid));
        if self.question.has(&[Cue::By]) || !grammar::periods(&self.question).is_empty() {
            self.run(i, scope, Ask::EachColumn(Fold::Sum, series.to_vec()));
            self.run(i, scope, Ask::EachColumn(Fold::Average, series.to_vec()));
            self.across_rows(i, scope, series);
        }
        let (most, least) = (self.question.has(&[Cue::Most]), self.question.has(&[Cue::Least]));
        for columns in sets.into_iter().filter(|s| s.len() > 1) {
            for (fold, is_open) in [
                (Fold::Sum, true),
                (Fold::Average, self.question.has(&[Cue::Average])),
                (Fold::Most, most),
                (Fold::Least, least),
            ] {
                if is_open {
                    self.run(i, scope, Ask::Across(fold, columns.clone()));
                }
            }
            for (is_open, most) in [(most, true), (least, false)] {
                if is_open {
                    self.run(i, scope, Ask::BestColumn { columns: columns.clone(), most });
                }
            }
        }
    }

    /// Over several columns, for each row by its name.
    fn across_rows(&mut self, i: usize, scope: &Scope, series: &[usize]) {
        let is_name = |c: &usize| self.grid.columns.get(*c).is_some_and(|f| f.is_key() && !f.is_number());
        let Some(column) = (0..self.grid.columns.len()).find(is_name) else { return };
        for fold in [Fold::Sum, Fold::Average] {
            let ask = Ask::Across(fold, series.to_vec());
            self.run(i, scope, Ask::By(groups(&Key { column, period: None }, &ask, None, None)));
        }
    }

    fn shares(&mut self, i: usize, scope: &Scope, numbers: &[usize]) {
        if !self.question.has(&[Cue::Share]) || scope.links.is_empty() {
            return;
        }
        for column in numbers {
            self.run(i, scope, Ask::ShareOf(*column, 0));
        }
    }

    /// Rows in which one column is more or less than another.
    fn compared(&mut self, i: usize, scope: &Scope, numbers: &[usize], series: &[usize]) {
        let hinted = self.question.has(&[Cue::More, Cue::Less]);
        if scope.rows.len() < 2 || !hinted && i >= UNHINTED && !scope.links.is_empty() {
            return;
        }
        let pairs = if hinted { self.column_pairs(numbers) } else { self.pairs_of(numbers, series) };
        for (column, other) in pairs.into_iter().take(if hinted { PAIRS } else { FEW }) {
            for test in [Test::LessThan(other), Test::MoreThan(other)] {
                let condition = Condition { column, test };
                let holds = |row: &u32| crate::execute::holds(&condition, *row, self.grid);
                let selected: Vec<u32> = scope.rows.iter().copied().filter(holds).collect();
                let mut spec: Rows = scope.spec.clone();
                spec.conditions.push(condition.clone());
                self.push(i, spec.clone(), &selected, scope.rows.len(), Ask::Count);
                for column in self.listed() {
                    self.push(i, spec.clone(), &selected, scope.rows.len(), Ask::Cells(column));
                }
            }
        }
    }

    /// Pairs of columns that can be compared, of which one is named or there are few.
    fn column_pairs(&self, numbers: &[usize]) -> Vec<(usize, usize)> {
        let share = |c: &usize| self.names.get(*c).map_or(0.0, |n| n.share);
        let days: Vec<usize> = (0..self.grid.columns.len())
            .filter(|c| self.grid.columns.get(*c).is_some_and(|f| f.measure == Measure::Day))
            .collect();
        let mut found: Vec<(f32, (usize, usize))> = Vec::new();
        for columns in [numbers, &days] {
            for (n, a) in columns.iter().enumerate() {
                for b in columns.iter().skip(n + 1) {
                    let weight = share(a) + share(b);
                    if weight > 0.3 || columns.len() < 4 {
                        found.push((weight, (*a, *b)));
                    }
                }
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|f| f.1).take(PAIRS).collect()
    }

    fn fold_differences(&mut self, scopes: &[Scope], numbers: &[usize]) {
        if !self.question.has(&[Cue::Differ]) {
            return;
        }
        for (a, b) in pairs(scopes, &self.links) {
            let (Some(one), Some(other)) = (scopes.get(a), scopes.get(b)) else { continue };
            for column in numbers {
                for fold in [Fold::Sum, Fold::Average] {
                    self.run(a, one, Ask::FoldDifference(fold, *column, other.spec.clone()));
                }
            }
        }
    }
}

/// What is asked of each group; with an order the best of them, the single best without its number.
fn groups(key: &Key, ask: &Ask, order: Option<bool>, limit: Option<usize>) -> By {
    let bare = limit == Some(1);
    By { keys: vec![key.clone()], ask: Box::new(ask.clone()), order, limit, having: None, bare }
}
