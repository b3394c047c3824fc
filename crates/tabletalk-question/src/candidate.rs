//! The programs that a question may mean: every scope with every ask that its words leave open.

use crate::analyse::Question;
use crate::choice;
use crate::claim;
use crate::cue::Cue;
use crate::denote;
use crate::execute::{self, Answer};
use crate::feature;
use crate::follow::Turn;
use crate::grammar;
use crate::grid::{Field, Grid, Measure};
use crate::link::{self, Grade, Link, Named};
use crate::mask::{Mask, first, gap};
use crate::program::{Ask, Fold, Pick, Program, Rows};
use crate::scope::{Scope, scopes};
use crate::shape::Shape;

/// The most programs of one question.
const MOST: usize = 3600;
/// The scopes that are looked at with a pick or a step.
const PICKED: usize = 12;
/// The scopes that are looked at with a fold.
const FOLDED: usize = 24;
/// The scopes for which programs are looked at that no word hints at.
const UNHINTED: usize = 2;
/// The most columns of such programs.
const FEW: usize = 6;

/// Words for the second.
const SECOND: [&str; 6] = ["runner", "silver", "zweitbeste", "zweithochste", "zweitgrosste", "zweitmeisten"];

/// A program that a question may mean, and what it gives.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub program: Program,
    pub answer: Answer,
    pub shape: Shape,
    /// The scope it is made of, by its number.
    pub scope: usize,
    /// Rows in the scope before a pick.
    pub rows: usize,
    /// Words beside the scope's that it explains: the value that is claimed.
    pub target: Mask,
    /// The same number for programs that give the same answer.
    pub denotation: u64,
}

/// All that was found out about a question.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    pub question: Question,
    pub grid: &'a Grid,
    pub links: Vec<Link>,
    pub names: Vec<Named>,
    pub scopes: Vec<Scope>,
    pub candidates: Vec<Candidate>,
    /// The column an earlier question asked for; `Some(None)` when it asked for none.
    pub earlier: Option<Option<usize>>,
    /// Whether it is a statement, and the programs say whether it holds.
    pub is_claim: bool,
}

/// Finds the programs that a question may mean.
pub(crate) fn find<'a>(text: &str, grid: &'a Grid, turn: Option<&Turn>) -> Found<'a> {
    let question = Question::new(text);
    if asks_truth(&question) || grammar::is_polar(text) {
        return claim::find(text, grid);
    }
    let mut names = link::names(&question, grid);
    for (mask, column) in grammar::dated(&question, grid) {
        if let Some(named) = names.get_mut(column).filter(|n| n.share < 1.0) {
            *named = Named { mask, share: 1.0 };
        }
    }
    let links = link::conditions(&question, grid, &names);
    let earlier = turn.map(|t| feature::asked(&t.program.ask));
    let mut all = scopes(&question, grid, &links, None);
    if let Some(turn) = turn {
        all.truncate(30);
        all.extend(scopes(&question, grid, &links, Some(&turn.rows)).into_iter().take(18));
    }
    let first_choice = links.len();
    let mut links = links;
    links.extend(choice::links(grid, &names, &links));
    let mut found =
        Found { question, grid, links, names, scopes: all, candidates: Vec::new(), earlier, is_claim: false };
    found.enumerate(first_choice);
    if let Some(turn) = turn {
        crate::follow::vary(&mut found, turn);
    }
    found
}

/// Whether a question is one of yes or no: in English the verb comes first.
fn asks_truth(question: &Question) -> bool {
    let is_han = question.words.iter().any(|w| w.is_han());
    let doubt = question.cue(Cue::Truth);
    if grammar::asks_what(&question.words) {
        return false;
    }
    let asks = ["what", "which", "who", "when", "where", "how", "or"];
    let open = question.words.iter().any(|w| asks.contains(&w.text.as_str()));
    if is_han { doubt != 0 && question.cue(Cue::Count) == 0 } else { first(doubt) == Some(0) && !open }
}

impl Found<'_> {
    fn enumerate(&mut self, first_choice: usize) {
        let mut scopes = std::mem::take(&mut self.scopes);
        for (i, scope) in scopes.iter().enumerate() {
            self.look_up(i, scope);
            self.counts(i, scope);
        }
        for (i, scope) in scopes.iter().enumerate().take(FOLDED) {
            self.folds(i, scope);
        }
        let all = scopes.iter().position(|s| s.links.is_empty());
        let best = (0..scopes.len().min(PICKED)).chain(all.filter(|at| *at >= PICKED));
        for (i, scope) in best.filter_map(|i| Some((i, scopes.get(i)?))) {
            self.groups(i, scope);
            self.picks(i, scope);
            self.unhinted_picks(i, scope);
            self.steps(i, scope);
        }
        self.differences(&scopes);
        self.wide(&scopes);
        self.choose(&mut scopes, first_choice);
        self.scopes = scopes;
    }

    /// Runs a program and keeps it if it has a result.
    pub(crate) fn push(&mut self, scope: usize, rows: Rows, selected: &[u32], before: usize, ask: Ask) {
        if self.candidates.len() >= MOST {
            return;
        }
        if let Some(answer) = execute::answer(&ask, &rows, selected, self.grid) {
            let shape = Shape::of(&rows, &ask);
            let denotation = match &ask {
                Ask::Cells(column) => {
                    let cells = selected.iter().filter_map(|row| self.grid.at(*column, *row));
                    denote::all(cells.filter(|c| !c.text.is_empty()).map(|c| c.same).collect())
                }
                _ => denote::hash(&answer.values),
            };
            self.candidates.push(Candidate {
                program: Program { rows, ask },
                answer,
                shape,
                scope,
                rows: before,
                target: 0,
                denotation,
            });
        }
    }

    /// Whether a column can be compared and calculated with. Ids can only where the question names their column.
    fn is_sized(&self, column: usize) -> bool {
        let is_measured = self.grid.columns.get(column).is_some_and(Field::is_measured);
        is_measured && link::can_compare(column, &self.names, self.grid)
    }

    fn ask(&mut self, i: usize, scope: &Scope, ask: Ask) {
        self.push(i, scope.spec.clone(), &scope.rows, scope.rows.len(), ask);
    }

    /// Whether the scope says already what stands in a column.
    fn is_given(&self, scope: &Scope, column: usize) -> bool {
        let single =
            |l: &Link| matches!(l.grade, Grade::Whole | Grade::Number) && l.condition.column == column;
        scope.links.iter().filter_map(|i| self.links.get(*i)).any(single)
    }

    fn look_up(&mut self, i: usize, scope: &Scope) {
        for column in 0..self.grid.columns.len() {
            if !self.is_given(scope, column) {
                self.ask(i, scope, Ask::Cells(column));
            }
        }
    }

    fn counts(&mut self, i: usize, scope: &Scope) {
        let counts = self.question.has(&[Cue::Count, Cue::Sum]);
        if counts || !scope.links.is_empty() {
            self.ask(i, scope, Ask::Count);
        }
        if counts {
            let grid = self.grid;
            for (column, field) in grid.columns.iter().enumerate() {
                if scope.rows.len() > 1 && !field.is_key() && !self.is_given(scope, column) {
                    self.ask(i, scope, Ask::Distinct(column));
                }
            }
        }
        if self.question.has(&[Cue::Share]) {
            self.parts(i, scope);
        }
    }

    /// Which part of all the rows are, and of those that one of two conditions leaves.
    fn parts(&mut self, i: usize, scope: &Scope) {
        if !scope.links.is_empty() {
            self.ask(i, scope, Ask::Share(0));
        }
        if scope.spec.conditions.len() == 2 {
            let mut turned = scope.clone();
            turned.spec.conditions.reverse();
            for part in [scope, &turned] {
                self.ask(i, part, Ask::Share(1));
                for column in self.number_columns().into_iter().take(FEW) {
                    self.ask(i, part, Ask::ShareOf(column, 1));
                }
            }
        }
    }

    fn folds(&mut self, i: usize, scope: &Scope) {
        // Many ways of saying what was spent or sold have no word for a sum.
        let mut folds = vec![Fold::Sum];
        let mut add = |cues: &[Cue], fold: Fold| {
            if i < UNHINTED && fold != Fold::Range || self.question.has(cues) {
                folds.push(fold);
            }
        };
        add(&[Cue::Average], Fold::Average);
        add(&[Cue::Most, Cue::Last], Fold::Most);
        add(&[Cue::Least, Cue::First], Fold::Least);
        add(&[Cue::Differ], Fold::Range);
        if scope.rows.len() < 2 {
            return;
        }
        let grid = self.grid;
        for (column, field) in grid.columns.iter().enumerate() {
            if !self.is_sized(column) || self.is_given(scope, column) {
                continue;
            }
            let is_time =
                field.measure == Measure::Day || field.is_year() || grid.roles().is_id(grid, column);
            for fold in &folds {
                if !(is_time && matches!(fold, Fold::Sum | Fold::Average)) {
                    self.ask(i, scope, Ask::Fold(*fold, column));
                }
            }
        }
    }

    fn groups(&mut self, i: usize, scope: &Scope) {
        if scope.rows.len() < 3 {
            return;
        }
        for (cue, most) in [(Cue::Most, true), (Cue::Least, false)] {
            if !self.question.has(&[cue]) {
                continue;
            }
            let grid = self.grid;
            for (column, field) in grid.columns.iter().enumerate() {
                if field.is_key() || self.is_given(scope, column) {
                    continue;
                }
                self.ask(i, scope, Ask::Group { column, most, sum: None });
                for sum in self.summed(column) {
                    self.ask(i, scope, Ask::Group { column, most, sum: Some(sum) });
                }
            }
        }
    }

    /// The number columns a group may be added up by: those the question names.
    fn summed(&self, group: usize) -> Vec<usize> {
        let fields = self.grid.columns.iter().zip(&self.names).enumerate();
        let is =
            |c: usize, field: &Field| c != group && field.is_number() && !field.is_year() && self.is_sized(c);
        fields.filter(|(c, (field, named))| is(*c, field) && named.share > 0.5).map(|(c, _)| c).collect()
    }

    fn picks(&mut self, i: usize, scope: &Scope) {
        if scope.rows.len() < 2 {
            return;
        }
        for pick in self.possible_picks(scope) {
            let selected = execute::picked(&scope.rows, Some(&pick), self.grid);
            if selected.is_empty() || selected.len() == scope.rows.len() {
                continue;
            }
            for column in 0..self.grid.columns.len() {
                let rows = Rows { pick: Some(pick.clone()), ..scope.spec.clone() };
                self.push(i, rows, &selected, scope.rows.len(), Ask::Cells(column));
            }
        }
    }

    /// The best and the worst by any measure, where the question asks for someone or something and no word says which is best.
    fn unhinted_picks(&mut self, i: usize, scope: &Scope) {
        let hinted = self.question.has(&[Cue::Most, Cue::Least, Cue::Count, Cue::Share]);
        if i >= UNHINTED && !scope.links.is_empty() || hinted || scope.rows.len() < 3 {
            return;
        }
        let columns: Vec<usize> =
            (0..self.grid.columns.len()).filter(|c| self.is_sized(*c)).take(FEW).collect();
        for (column, most) in columns.into_iter().flat_map(|c| [(c, true), (c, false)]) {
            let pick = Pick::Extreme { column, most, count: 1, skip: 0 };
            let selected = execute::picked(&scope.rows, Some(&pick), self.grid);
            for named in self.listed() {
                let rows = Rows { pick: Some(pick.clone()), ..scope.spec.clone() };
                self.push(i, rows, &selected, scope.rows.len(), Ask::Cells(named));
            }
        }
    }

    pub(crate) fn possible_picks(&self, scope: &Scope) -> Vec<Pick> {
        let mut picks = Vec::new();
        let counts = self.pick_counts(scope);
        for (cue, last) in [(Cue::First, false), (Cue::Last, true)] {
            if self.question.has(&[cue]) {
                picks.extend(counts.iter().map(|(count, skip)| Pick::End {
                    last,
                    count: *count,
                    skip: *skip,
                }));
            }
        }
        for (cue, most) in [(Cue::Most, true), (Cue::Least, false)] {
            if !self.question.has(&[cue]) {
                continue;
            }
            for column in (0..self.grid.columns.len()).filter(|c| self.is_sized(*c)) {
                let extreme = |(count, skip): &(usize, usize)| Pick::Extreme {
                    column,
                    most,
                    count: *count,
                    skip: *skip,
                };
                picks.extend(counts.iter().map(extreme));
            }
        }
        picks
    }

    /// How many rows may be picked and how many passed over: one, the `n` of `top n`, the second.
    fn pick_counts(&self, scope: &Scope) -> Vec<(usize, usize)> {
        let mut counts = vec![(1, 0)];
        let cues = [Cue::Most, Cue::Least, Cue::First, Cue::Last];
        let cued: Mask = cues.iter().fold(0, |mask, c| mask | self.question.cue(*c));
        if self.question.words.iter().any(|w| SECOND.contains(&w.text.as_str())) {
            counts.push((1, 1));
        }
        for (i, word) in self.question.words.iter().enumerate() {
            let mask = 1 << i;
            let Some(n) = word.count().map(|n| n as usize) else { continue };
            if scope.mask & mask != 0 || n < 2 || n >= scope.rows.len() || counts.len() > 3 {
                continue;
            }
            if crate::word::is_ordinal(&word.text) {
                counts.push((1, n - 1));
            } else if gap(cued & !mask, mask) <= 3 || n < 6 {
                counts.push((n, 0));
            }
        }
        counts
    }

    fn steps(&mut self, i: usize, scope: &Scope) {
        if scope.rows.len() != 1 || scope.links.is_empty() {
            return;
        }
        for (cue, by) in [(Cue::Next, 1), (Cue::Previous, -1)] {
            if !self.question.has(&[cue]) {
                continue;
            }
            let selected = execute::step(scope.rows.clone(), by, self.grid);
            for column in 0..self.grid.columns.len() {
                let rows = Rows { step: by, ..scope.spec.clone() };
                self.push(i, rows, &selected, 1, Ask::Cells(column));
            }
        }
    }

    fn differences(&mut self, scopes: &[Scope]) {
        if !self.question.has(&[Cue::Differ]) {
            return;
        }
        let pairs: Vec<(usize, usize)> = pairs(scopes, &self.links);
        for (a, b) in pairs {
            let (Some(one), Some(other)) = (scopes.get(a), scopes.get(b)) else { continue };
            if one.rows.len() == 1 && other.rows.len() == 1 {
                for column in 0..self.grid.columns.len() {
                    if self.is_sized(column) {
                        self.ask(a, one, Ask::Difference(column, other.spec.clone()));
                    }
                }
            }
            self.ask(a, one, Ask::CountDifference(other.spec.clone()));
        }
    }
}

/// Pairs of scopes of one condition each on the same column that share no word.
pub(crate) fn pairs(scopes: &[Scope], links: &[Link]) -> Vec<(usize, usize)> {
    let single = |s: &Scope| match s.links.as_slice() {
        [only] => links.get(*only).filter(|l| {
            matches!(l.grade, Grade::Whole | Grade::Most | Grade::Number | Grade::Part | Grade::Day)
        }),
        _ => None,
    };
    let mut pairs = Vec::new();
    for (a, one) in scopes.iter().enumerate() {
        let Some(left) = single(one) else { continue };
        for (b, other) in scopes.iter().enumerate().skip(a + 1) {
            let Some(right) = single(other) else { continue };
            let fits = left.condition.column == right.condition.column && one.mask & other.mask == 0;
            if fits && one.rows != other.rows && pairs.len() < 8 {
                pairs.push((a, b));
            }
        }
    }
    pairs
}
