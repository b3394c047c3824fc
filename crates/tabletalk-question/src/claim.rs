//! What a statement may claim: programs that answer yes or no.

use crate::analyse::{Amount, Question};
use crate::candidate::{Candidate, Found, pairs};
use crate::cue::Cue;
use crate::denote;
use crate::execute;
use crate::grid::{Grid, Measure};
use crate::link::{self, Grade, Link};
use crate::mask::Mask;
use crate::program::{Ask, Fold, Program, Rows, Value};
use crate::scope::{Scope, claimed};
use crate::shape::Shape;

/// The most claims of one statement.
const MOST: usize = 800;
/// The scopes that are looked at with a count or a fold.
const COUNTED: usize = 20;
/// The scopes that are looked at with a pick.
const PICKED: usize = 8;

/// Finds what a statement may claim.
pub(crate) fn find<'a>(text: &str, grid: &'a Grid) -> Found<'a> {
    let question = Question::new(text);
    let names = link::names(&question, grid);
    let links = link::conditions(&question, grid, &names);
    let scopes = claimed(&question, grid, &links);
    let candidates = Vec::new();
    let mut found = Found { question, grid, links, names, scopes, candidates, earlier: None, is_claim: true };
    found.claims();
    found
}

impl Found<'_> {
    fn claims(&mut self) {
        let scopes = std::mem::take(&mut self.scopes);
        for (i, scope) in scopes.iter().enumerate() {
            if !scope.links.is_empty() {
                self.claim(i, scope, scope.spec.clone(), &scope.rows, Ask::Exists, 0);
                self.claim(i, scope, scope.spec.clone(), &scope.rows, Ask::Every, 0);
            }
        }
        let filled = || scopes.iter().enumerate().filter(|(_, s)| !s.rows.is_empty());
        for (i, scope) in filled().take(COUNTED) {
            self.numbers(i, scope);
        }
        for (i, scope) in
            filled().take(PICKED).chain(filled().skip(PICKED).filter(|(_, s)| s.links.is_empty()))
        {
            self.picked_claims(i, scope);
            self.stepped_claims(i, scope);
        }
        self.comparisons(&scopes);
        self.scopes = scopes;
    }

    /// Keeps a claim, and its opposite where the statement denies something.
    fn claim(&mut self, i: usize, scope: &Scope, rows: Rows, selected: &[u32], ask: Ask, target: Mask) {
        let denied = self.question.has(&[Cue::Not]).then(|| Ask::Denies(Box::new(ask.clone())));
        for ask in [Some(ask), denied].into_iter().flatten() {
            if self.candidates.len() >= MOST {
                return;
            }
            if let Some(answer) = execute::answer(&ask, &rows, selected, self.grid) {
                let shape = Shape::of(&rows, &ask);
                let denotation = denote::hash(&answer.values);
                let program = Program { rows: rows.clone(), ask };
                self.candidates.push(Candidate {
                    program,
                    answer,
                    shape,
                    scope: i,
                    rows: scope.rows.len(),
                    target,
                    denotation,
                });
            }
        }
    }

    /// Counts and folds that give a number of the statement.
    fn numbers(&mut self, i: usize, scope: &Scope) {
        let mentions: Vec<(f64, Mask)> = self
            .question
            .mentions
            .iter()
            .filter_map(|m| match m.what {
                Amount::Number(n) if m.mask & scope.mask == 0 => Some((n, m.mask)),
                _ => None,
            })
            .collect();
        for (n, mask) in mentions {
            let text = execute::written(n);
            let value = Value { plain: Some(text.clone()), text };
            let mut asks = vec![Ask::Count];
            asks.extend(self.folds_of(scope));
            for ask in asks {
                let ask = Ask::Holds(Box::new(ask), value.clone());
                self.claim(i, scope, scope.spec.clone(), &scope.rows, ask, mask);
            }
        }
    }

    fn folds_of(&self, scope: &Scope) -> Vec<Ask> {
        let mut folds = Vec::new();
        let cues: [(Fold, &[Cue]); 4] = [
            (Fold::Sum, &[Cue::Sum]),
            (Fold::Average, &[Cue::Average]),
            (Fold::Most, &[Cue::Most]),
            (Fold::Least, &[Cue::Least]),
        ];
        for (column, field) in self.grid.columns.iter().enumerate().filter(|(_, f)| f.is_measured()) {
            let is_time = field.measure == Measure::Day || field.is_year();
            for (fold, cues) in cues {
                let fits = !(is_time && matches!(fold, Fold::Sum | Fold::Average));
                if fits && scope.rows.len() > 1 && self.question.has(cues) {
                    folds.push(Ask::Fold(fold, column));
                }
            }
        }
        if self.question.has(&[Cue::Count]) && scope.rows.len() > 1 {
            let several = self.grid.columns.iter().enumerate().filter(|(_, f)| !f.is_key());
            folds.extend(several.map(|(c, _)| Ask::Distinct(c)));
        }
        folds
    }

    /// Values of the statement that are not part of a scope.
    fn targets(&self, scope: &Scope) -> Vec<(usize, Mask, Value)> {
        let is = |l: &&Link| {
            matches!(l.grade, Grade::Whole | Grade::Most | Grade::Number) && l.mask & scope.mask == 0
        };
        let of = |l: &Link| {
            let cell = self.grid.at(l.condition.column, *l.rows.first()?)?;
            let value = Value { text: cell.text.clone(), plain: cell.plain.clone() };
            Some((l.condition.column, l.mask, value))
        };
        self.links.iter().filter(is).filter_map(of).take(8).collect()
    }

    fn picked_claims(&mut self, i: usize, scope: &Scope) {
        if scope.rows.len() < 2 {
            return;
        }
        for (column, mask, value) in self.targets(scope) {
            for pick in self.possible_picks(scope) {
                let selected = execute::picked(&scope.rows, Some(&pick), self.grid);
                let rows = Rows { pick: Some(pick), ..scope.spec.clone() };
                let ask = Ask::Holds(Box::new(Ask::Cells(column)), value.clone());
                self.claim(i, scope, rows, &selected, ask, mask);
            }
            for (cue, most) in [(Cue::Most, true), (Cue::Least, false)] {
                if self.question.has(&[cue]) {
                    let ask = Ask::Group { column, most, sum: None };
                    let ask = Ask::Holds(Box::new(ask), value.clone());
                    self.claim(i, scope, scope.spec.clone(), &scope.rows, ask, mask);
                }
            }
        }
    }

    fn stepped_claims(&mut self, i: usize, scope: &Scope) {
        if scope.rows.len() != 1 || scope.links.is_empty() {
            return;
        }
        for (column, mask, value) in self.targets(scope) {
            for (cue, by) in [(Cue::Next, 1), (Cue::Previous, -1)] {
                if self.question.has(&[cue]) {
                    let selected = execute::step(scope.rows.clone(), by, self.grid);
                    let rows = Rows { step: by, ..scope.spec.clone() };
                    let ask = Ask::Holds(Box::new(Ask::Cells(column)), value.clone());
                    self.claim(i, scope, rows, &selected, ask, mask);
                }
            }
        }
    }

    /// Two rows or two sets of rows compared.
    fn comparisons(&mut self, scopes: &[Scope]) {
        let cues = [Cue::Most, Cue::Least, Cue::More, Cue::Less, Cue::Next, Cue::Previous];
        if !self.question.has(&cues) {
            return;
        }
        let grid = self.grid;
        for (a, b) in pairs(scopes, &self.links) {
            let (Some(one), Some(other)) = (scopes.get(a), scopes.get(b)) else { continue };
            let ((i, one), other) = if one.mask < other.mask { ((a, one), other) } else { ((b, other), one) };
            for more in [true, false] {
                let measured = grid.columns.iter().enumerate().filter(|(_, f)| f.is_measured());
                for (column, _) in measured {
                    let ask = Ask::Exceeds(column, more, other.spec.clone());
                    self.claim(i, one, one.spec.clone(), &one.rows, ask, other.mask);
                }
                let ask = Ask::Outnumbers(more, other.spec.clone());
                self.claim(i, one, one.spec.clone(), &one.rows, ask, other.mask);
            }
        }
    }
}
