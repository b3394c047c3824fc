//! One column against another in the same row: what is left of a budget, how many days a delivery took.

use crate::candidate::{Found, pairs};
use crate::cue::Cue;
use crate::execute::{self, Answer, computed};
use crate::grid::{Field, Grid, Measure};
use crate::program::{Ask, By, Fold, Pick, Rows};
use crate::scope::Scope;
use crate::tabulate::folded;

/// How far the cell of a column is above that of another in a row; in days where they are times.
pub(crate) fn difference(column: usize, other: usize, row: u32, grid: &Grid) -> Option<f64> {
    let size = |c: usize| grid.at(c, row)?.size;
    Some(size(column)? - size(other)?)
}

/// The differences of two columns made one.
pub(crate) fn apart(fold: Fold, a: usize, b: usize, rows: &[u32], grid: &Grid) -> Option<Answer> {
    let sizes: Vec<f64> = rows.iter().filter_map(|row| difference(a, b, *row, grid)).collect();
    Some(computed(folded(fold, &sizes)?, rows, grid))
}

/// The most pairs of columns of numbers, and of dates.
const PAIRS: usize = 12;

impl Found<'_> {
    /// Adds the programs over two columns of the same row.
    pub(crate) fn paired(&mut self, i: usize, scope: &Scope, numbers: &[usize], series: &[usize]) {
        let days = self.day_columns();
        let all = numbers.to_vec();
        let (numbers, days) = (self.pairs_of(numbers, series), self.pairs_of(&days, &[]));
        for (a, b) in &days {
            self.in_days(i, scope, *a, *b);
        }
        let is_one = scope.rows.len() == 1;
        for (a, b) in &numbers {
            if is_one || self.question.has(&[Cue::Differ]) {
                self.run(i, scope, Ask::ColumnDifference(*a, *b));
            }
            if is_one || self.question.has(&[Cue::Share]) {
                self.run(i, scope, Ask::Ratio(*a, *b));
                self.run(i, scope, Ask::Ratio(*b, *a));
            }
            if self.question.has(&[Cue::Grow, Cue::Share]) {
                self.run(i, scope, Ask::Growth(*a, *b));
            }
            if self.question.has(&[Cue::By, Cue::Average]) {
                self.run(i, scope, Ask::Per(*a, *b));
                self.run(i, scope, Ask::Per(*b, *a));
            }
            self.furthest(i, scope, *a, *b);
        }
        self.ranks(i, scope, &all);
    }

    /// Which place a row has.
    fn ranks(&mut self, i: usize, scope: &Scope, numbers: &[usize]) {
        if scope.rows.len() != 1 || !self.question.has(&[Cue::Rank]) {
            return;
        }
        for column in numbers {
            self.run(i, scope, Ask::Rank(*column, true));
            self.run(i, scope, Ask::Rank(*column, false));
        }
    }

    fn day_columns(&self) -> Vec<usize> {
        let is_day = |c: &usize| self.grid.columns.get(*c).is_some_and(|f| f.measure == Measure::Day);
        (0..self.grid.columns.len()).filter(is_day).collect()
    }

    /// Pairs of columns that can be set against each other, those that are named first. Of the months or years that are
    /// columns only those of which one is named.
    pub(crate) fn pairs_of(&self, columns: &[usize], series: &[usize]) -> Vec<(usize, usize)> {
        let share = |c: &usize| self.names.get(*c).map_or(0.0, |n| n.share);
        let unit = |c: &usize| self.grid.columns.get(*c).and_then(|f: &Field| f.unit.as_deref());
        let in_series = |c: &usize| series.len() > 3 && series.contains(c);
        let mut found: Vec<(f32, (usize, usize))> = Vec::new();
        for (n, a) in columns.iter().enumerate() {
            for b in columns.iter().skip(n + 1) {
                let is_named = share(a) > 0.3 || share(b) > 0.3;
                if unit(a) == unit(b) && (is_named || !(in_series(a) && in_series(b))) {
                    found.push((share(a) + share(b), (*a, *b)));
                }
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|f| f.1).take(PAIRS).collect()
    }

    /// How long it took from one day to another.
    fn in_days(&mut self, i: usize, scope: &Scope, from: usize, to: usize) {
        if scope.rows.len() == 1 {
            return self.run(i, scope, Ask::Apart(Fold::Sum, to, from));
        }
        for fold in [Fold::Average, Fold::Most, Fold::Least] {
            self.run(i, scope, Ask::Apart(fold, to, from));
            let keys = if self.question.has(&[Cue::By]) { self.keys() } else { Vec::new() };
            for key in keys.into_iter().take(3) {
                let ask = Box::new(Ask::Apart(fold, to, from));
                let by = By { keys: vec![key], ask, order: None, limit: None, having: None, bare: false };
                self.run(i, scope, Ask::By(by));
            }
        }
        self.furthest(i, scope, to, from);
    }

    /// The rows in which one column is furthest from another.
    fn furthest(&mut self, i: usize, scope: &Scope, column: usize, other: usize) {
        if scope.rows.len() < 3 || !self.question.has(&[Cue::Most, Cue::Least, Cue::Grow]) {
            return;
        }
        for most in [true, false] {
            let pick = Pick::Apart { column, other, most, count: self.top() };
            let selected = execute::picked(&scope.rows, Some(&pick), self.grid);
            for named in self.listed() {
                let rows = Rows { pick: Some(pick.clone()), ..scope.spec.clone() };
                self.push(i, rows, &selected, scope.rows.len(), Ask::Cells(named));
            }
        }
    }

    /// By how much a column grew from one row to another, and how many times as large it is.
    pub(crate) fn row_growth(&mut self, scopes: &[Scope], numbers: &[usize]) {
        let (grows, times) = (self.question.has(&[Cue::Grow, Cue::Share]), self.question.has(&[Cue::Times]));
        for (a, b) in pairs(scopes, &self.links) {
            let (Some(one), Some(other)) = (scopes.get(a), scopes.get(b)) else { continue };
            for column in numbers {
                if grows {
                    self.run(a, one, Ask::RowGrowth(*column, other.spec.clone()));
                    self.run(b, other, Ask::RowGrowth(*column, one.spec.clone()));
                }
                if times {
                    self.run(a, one, Ask::Times(*column, other.spec.clone()));
                    self.run(b, other, Ask::Times(*column, one.spec.clone()));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::candidate;
    use crate::grid::Grid;
    use tabletalk_core::{Place, Rows as TableRows};

    fn has(question: &str, words: &str, value: &str) -> bool {
        let rows = [
            ["Job", "Budget", "Spent", "Begun", "Ended"],
            ["Roof", "1000", "1250", "2024-03-01", "2024-03-11"],
            ["Walls", "400", "100", "2024-03-02", "2024-03-05"],
            ["Garden", "600", "630", "2024-04-01", "2024-04-30"],
        ];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        let table = tabletalk_read::understand::table(&rows[0], &rows[1..], &Place::file("t"));
        let TableRows::Memory(batches) = &table.rows else { panic!("rows in memory") };
        let grid = Grid::new(&table.columns, batches, true);
        let found = candidate::find(question, &grid, None);
        let is = |c: &candidate::Candidate| c.program.words(&grid) == words && c.answer.values == [value];
        found.candidates.iter().any(is)
    }

    #[test]
    fn what_is_left_how_long_it_took_and_which_place_it_has() {
        assert!(has(
            "how much is left for Walls?",
            "the difference between Budget and Spent where Job is Walls",
            "300"
        ));
        assert!(has("how long did the Roof take?", "Ended less Begun where Job is Roof", "10"));
        assert!(has("average time a job took", "the average of Ended less Begun", "14"));
        assert!(has(
            "what rate of its budget did Roof use?",
            "Spent in percent of Budget where Job is Roof",
            "125"
        ));
        assert!(has(
            "which place does Garden have by Budget?",
            "the place by Budget, the largest first, where Job is Garden",
            "2"
        ));
    }

    #[test]
    fn who_is_furthest_and_how_many_times_as_much() {
        assert!(has("which job took longest?", "Job, with the largest Ended less Begun", "Garden"));
        let times = "how many times Budget where Job is Roof is that of the row where Job is Walls";
        assert!(has("how many times the budget of Walls has the Roof?", times, "2.5"));
    }
}
