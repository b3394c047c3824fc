//! Conditions that no word of the question names: one of a few choices, such as a status, meant in other words. Which of them is
//! meant is for the weights and the model to say.

use crate::candidate::Found;
use crate::cue::Cue;
use crate::execute;
use crate::grid::{Field, Grid};
use crate::link::{Grade, Link, Named, all_rows, texts};
use crate::program::{Ask, By, Condition, Fold, Rows, Test, Value};
use crate::scope::Scope;

/// A column with more values than this is no choice.
const VALUES: usize = 8;
/// The most conditions of a question.
const MOST: usize = 36;
/// The scopes that a choice is added to, beside that of all rows.
const SCOPES: usize = 2;
/// The choices that are taken two at once.
const PAIRED: usize = 10;
/// The most columns that are added up.
const SUMS: usize = 4;

/// The choices that the question may speak of in its own words.
pub(crate) fn links(grid: &Grid, names: &[Named], known: &[Link]) -> Vec<Link> {
    let mut links = Vec::new();
    for (column, field) in grid.columns.iter().enumerate() {
        let named = names.get(column).copied().unwrap_or_default();
        let mask = if named.share >= 0.5 { named.mask } else { 0 };
        for test in tests(field) {
            let condition = Condition { column, test };
            let rows = all_rows(&condition, grid);
            let is_known = known.iter().any(|l| l.condition.column == column && l.rows == rows);
            if !rows.is_empty() && rows.len() < grid.len() && !is_known {
                links.push(Link { mask, condition, rows, grade: Grade::Choice });
            }
        }
    }
    // Columns that are named come first, where there are too many.
    links.sort_by_key(|l| l.mask == 0);
    links.truncate(MOST);
    links
}

/// What may be asked of a column that has few values, or empty cells, or zeros, or two signs.
fn tests(field: &Field) -> Vec<Test> {
    let rows = field.cells.len();
    let values: Vec<Value> = field
        .values
        .iter()
        .take(VALUES + 1)
        .filter_map(|rows| texts(field, rows.get(..1)?).into_iter().next())
        .collect();
    let is_choice = (1..=VALUES).contains(&values.len()) && values.len() * 2 <= rows.max(4);
    let mut tests = Vec::new();
    if is_choice && !field.is_number() {
        tests.extend(values.iter().map(|v| Test::Is(vec![v.clone()])));
        if values.len() > 2 {
            tests.extend(values.iter().map(|v| Test::Not(vec![v.clone()])));
        }
    }
    if field.filled < rows || values.iter().any(|v| crate::grid::is_missing(&v.text)) {
        tests.extend([Test::Empty, Test::Filled]);
    }
    if field.is_number() && field.cells.iter().any(|c| c.size == Some(0.0)) {
        tests.extend([Test::Between(0.0, 0.0), Test::More(0.0)]);
    }
    // What came in and what went out.
    let any = |is: fn(f64) -> bool| field.cells.iter().filter_map(|c| c.size).any(is);
    if field.is_number() && any(|n| n < 0.0) && any(|n| n > 0.0) {
        tests.extend([Test::Less(0.0), Test::More(0.0)]);
    }
    tests
}

impl Found<'_> {
    /// Adds the programs whose rows are those of a scope with one more choice; choices are the links from `first` on.
    pub(crate) fn choose(&mut self, scopes: &mut Vec<Scope>, first: usize) {
        let all = scopes.iter().position(|s| s.links.is_empty());
        let best: Vec<usize> = (0..scopes.len().min(SCOPES)).chain(all.filter(|at| *at >= SCOPES)).collect();
        let (listed, sums) = (self.listed(), self.summable());
        for base in best {
            let Some(scope) = scopes.get(base).cloned() else { continue };
            for link in first..self.links.len() {
                let Some(chosen) = self.links.get(link).and_then(|l| scope.with_choice(link, l)) else {
                    continue;
                };
                scopes.push(chosen.clone());
                self.of_choice(scopes.len() - 1, &chosen, &listed, &sums);
            }
        }
        self.two_choices(scopes, first, &listed, &sums);
    }

    /// Two choices at once, those of columns that are named first: signed, but not paid.
    fn two_choices(&mut self, scopes: &mut Vec<Scope>, first: usize, listed: &[usize], sums: &[usize]) {
        let Some(all) = scopes.iter().find(|s| s.links.is_empty()).cloned() else { return };
        let named: Vec<usize> = (first..self.links.len()).take(PAIRED).collect();
        for (n, a) in named.iter().enumerate() {
            for b in named.iter().skip(n + 1) {
                let one = self.links.get(*a).and_then(|l| all.with_choice(*a, l));
                let both = one.and_then(|s| s.with_choice(*b, self.links.get(*b)?));
                let Some(both) = both else { continue };
                scopes.push(both.clone());
                self.of_choice(scopes.len() - 1, &both, listed, sums);
            }
        }
    }

    fn of_choice(&mut self, i: usize, scope: &Scope, listed: &[usize], sums: &[usize]) {
        self.run(i, scope, Ask::Count);
        self.run(i, scope, Ask::Share(scope.spec.conditions.len().saturating_sub(1)));
        for column in listed {
            self.run(i, scope, Ask::Cells(*column));
        }
        let fold = if self.question.has(&[Cue::Average]) { Fold::Average } else { Fold::Sum };
        for column in sums {
            self.run(i, scope, Ask::Fold(fold, *column));
        }
        if self.question.has(&[Cue::Most, Cue::Least]) && sums.len() < SUMS {
            self.best_of_choice(i, scope, listed);
        }
        if self.question.has(&[Cue::By]) {
            for key in self.keys().into_iter().take(3) {
                let ask = Box::new(Ask::Count);
                let by = By { keys: vec![key], ask, order: None, limit: None, having: None, bare: false };
                self.run(i, scope, Ask::By(by));
            }
        }
    }

    fn best_of_choice(&mut self, i: usize, scope: &Scope, listed: &[usize]) {
        for pick in self.possible_picks(scope) {
            let selected = execute::picked(&scope.rows, Some(&pick), self.grid);
            if selected.is_empty() || selected.len() == scope.rows.len() {
                continue;
            }
            for column in listed {
                let rows = Rows { pick: Some(pick.clone()), ..scope.spec.clone() };
                self.push(i, rows, &selected, scope.rows.len(), Ask::Cells(*column));
            }
        }
    }

    /// The columns that people would list: those that are named, and the first that name the rows.
    pub(crate) fn listed(&self) -> Vec<usize> {
        let is_named = |c: &usize| self.names.get(*c).is_some_and(|n| n.share > 0.5);
        let field = |c: &usize| self.grid.columns.get(*c);
        let mut listed: Vec<usize> = (0..self.grid.columns.len()).filter(is_named).take(3).collect();
        let keys =
            (0..self.grid.columns.len()).filter(|c| field(c).is_some_and(|f| f.is_key() && !f.is_number()));
        let texts = (0..self.grid.columns.len()).filter(|c| field(c).is_some_and(|f| !f.is_number()));
        for column in keys.take(2).chain(texts.take(2)) {
            if !listed.contains(&column) {
                listed.push(column);
            }
        }
        listed
    }

    /// The columns that may be added up, those that are named first.
    fn summable(&self) -> Vec<usize> {
        let mut numbers = self.number_columns();
        let share = |c: &usize| self.names.get(*c).map_or(0.0, |n| n.share);
        numbers.sort_by(|a, b| share(b).total_cmp(&share(a)));
        numbers.truncate(SUMS);
        numbers
    }
}

#[cfg(test)]
mod tests {
    use crate::candidate;
    use crate::grid::Grid;
    use tabletalk_core::{Place, Rows as TableRows};

    fn members() -> Grid {
        let rows = [
            ["Name", "Team", "Paid", "Signed", "Balance"],
            ["Ann", "Red", "Y", "yes", "0"],
            ["Bo", "Red", "N", "yes", "-12"],
            ["Cy", "Blue", "N", "", "30"],
            ["Di", "Blue", "Y", "yes", "0"],
        ];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        let table = tabletalk_read::understand::table(&rows[0], &rows[1..], &Place::file("t"));
        let TableRows::Memory(batches) = &table.rows else { panic!("rows in memory") };
        Grid::new(&table.columns, batches, true)
    }

    fn proposed(question: &str) -> Vec<String> {
        let grid = members();
        let found = candidate::find(question, &grid, None);
        found.candidates.iter().map(|c| c.program.words(&grid)).collect()
    }

    fn has(question: &str, words: &str) -> bool {
        proposed(question).iter().any(|w| w == words)
    }

    #[test]
    fn choices_are_proposed_though_no_word_is_theirs() {
        assert!(has("who still has to settle up?", "Name where Paid is N"));
        assert!(has("who did not put pen to paper?", "Name where Signed is empty"));
        assert!(has(
            "how many of the Red ones settled up?",
            "the number of rows where Team is Red and Paid is Y"
        ));
        assert!(has("who is in the black?", "Name where Balance is more than 0"));
    }

    #[test]
    fn a_part_of_a_part_is_proposed() {
        let words = "of what there is where Team is Red, the percentage of rows where Paid is Y";
        assert!(has("what share of Red settled up?", words));
    }
}
