//! What is asked of one table, and what is right: worked out row by row, by nothing that answers questions.

use super::Form;
use super::exact::Exact;
use super::random::Random;
use super::text::is_answer;
use super::view::{Measure, Scale, View};

/// How often a question is drawn anew before a table is taken to have none of its form.
const DRAWS: usize = 30;

/// A condition on rows; its value stands in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Test {
    /// The value is that of the cell.
    Is { row: usize, col: usize },
    /// The value is larger or later.
    Above { row: usize, col: usize },
    /// The value is smaller or earlier.
    Below { row: usize, col: usize },
}

impl Test {
    /// The cell that the value stands in.
    pub(super) fn cell(self) -> (usize, usize) {
        match self {
            Test::Is { row, col } | Test::Above { row, col } | Test::Below { row, col } => (row, col),
        }
    }
}

/// A question about one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// What stands in a column for the row that the key names.
    Cell { key: usize, row: usize, col: usize },
    /// How many rows pass.
    Count { test: Test },
    /// The sum of a column over the rows that pass, or over all.
    Sum { col: usize, test: Option<Test> },
    /// Which of two rows has more, or less.
    Compare { key: usize, rows: [usize; 2], col: usize, high: bool },
    /// By how much the first of two rows has more.
    Gap { key: usize, rows: [usize; 2], col: usize },
    /// Which row has the most, or the least, among those that pass.
    Best { key: usize, col: usize, high: bool, test: Option<Test> },
}

/// What is right, and where that can be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Right {
    pub(super) answer: String,
    pub(super) cells: Vec<(usize, usize)>,
    /// The columns needed, by their numbers.
    pub(super) columns: Vec<usize>,
}

/// Draws a question of a form that has one right answer; none if the table seems to have none.
pub(super) fn draw(view: &View<'_>, form: Form, random: &mut Random) -> Option<(Ask, Right)> {
    let totals = view.has_totals && !matches!(form, Form::LookUp | Form::Comparison);
    if view.len() == 0 || totals {
        return None;
    }
    (0..DRAWS).find_map(|_| {
        let ask = draw_one(view, form, random)?;
        Some((ask, right(view, &ask)?))
    })
}

fn draw_one(view: &View<'_>, form: Form, random: &mut Random) -> Option<Ask> {
    let key = view.key.map(|k| k.col);
    let amounts = |scale: fn(&Measure) -> bool| view.nouns(|col| view.measure(col).is_some_and(scale));
    match form {
        Form::LookUp => {
            let key = key?;
            let col = random.pick(&view.columns(|col| col != key && !view.is_constant(col)))?;
            Some(Ask::Cell { key, row: random.below(view.len()), col })
        }
        Form::Count => Some(Ask::Count { test: draw_test(view, random)? }),
        Form::Sum => {
            let col = random.pick(&amounts(|m| m.adds))?;
            let test = if random.once_in(3) { None } else { Some(draw_test(view, random)?) };
            Some(Ask::Sum { col, test })
        }
        Form::Comparison => {
            let rows = [random.below(view.len()), random.below(view.len())];
            let (key, col) = (key?, random.pick(&amounts(|_| true))?);
            let gap = random.once_in(3) && view.measure(col)?.scale == Scale::Amount;
            let high = random.once_in(2);
            Some(if gap { Ask::Gap { key, rows, col } } else { Ask::Compare { key, rows, col, high } })
        }
        Form::Superlative => {
            let (key, col) = (key?, random.pick(&amounts(|_| true))?);
            let test = if random.once_in(3) { draw_test(view, random) } else { None };
            Some(Ask::Best { key, col, high: !random.once_in(3), test })
        }
        Form::Join => None,
    }
}

/// Mostly a value that several rows share, sometimes a bound.
fn draw_test(view: &View<'_>, random: &mut Random) -> Option<Test> {
    let row = random.below(view.len());
    let groups = view.groups();
    if !groups.is_empty() && !random.once_in(3) {
        return Some(Test::Is { row, col: random.pick(&groups)? });
    }
    let col = random.pick(&view.nouns(|col| view.measure(col).is_some()))?;
    Some(if random.once_in(2) { Test::Above { row, col } } else { Test::Below { row, col } })
}

/// The one right answer; none where there is not exactly one.
pub(super) fn right(view: &View<'_>, ask: &Ask) -> Option<Right> {
    match *ask {
        Ask::Cell { key, row, col } => {
            let found = key != col && is_named(view, row, key) && is_answer(view.text(row, col));
            let cells = vec![(row, key), (row, col)];
            found.then(|| Right { answer: view.text(row, col).to_owned(), cells, columns: vec![key, col] })
        }
        Ask::Count { test } => {
            let rows = passing(view, test)?;
            let col = test.cell().1;
            let cells = rows.iter().map(|row| (*row, col)).collect();
            Some(Right { answer: rows.len().to_string(), cells, columns: vec![col] })
        }
        Ask::Sum { col, test } => sum(view, col, test),
        Ask::Compare { key, rows, col, high } => {
            let (most, least) = ordered(view, key, rows, col)?;
            let winner = if high { most } else { least };
            Some(Right { answer: view.text(winner, key).to_owned(), ..pair(key, rows, col) })
        }
        Ask::Gap { key, rows, col } => {
            let measure = view.measure(col).filter(|m| m.scale == Scale::Amount && !m.affix.is_percent())?;
            let (most, least) = ordered(view, key, rows, col)?;
            let gap = measure.at(most)?.minus(measure.at(least)?)?;
            (rows == [most, least]).then(|| Right { answer: gap.to_string(), ..pair(key, rows, col) })
        }
        Ask::Best { key, col, high, test } => best(view, key, col, high, test),
    }
}

/// Whether a row is the only one that its name can mean.
fn is_named(view: &View<'_>, row: usize, key: usize) -> bool {
    view.is_alone(row, key)
}

fn pair(key: usize, rows: [usize; 2], col: usize) -> Right {
    let cells = rows.iter().flat_map(|row| [(*row, key), (*row, col)]).collect();
    Right { answer: String::new(), cells, columns: vec![key, col] }
}

/// The row of two that has more and the one that has less.
fn ordered(view: &View<'_>, key: usize, rows: [usize; 2], col: usize) -> Option<(usize, usize)> {
    let [a, b] = rows;
    let measure =
        view.measure(col).filter(|_| key != col && is_named(view, a, key) && is_named(view, b, key))?;
    match measure.at(a)?.cmp(&measure.at(b)?) {
        std::cmp::Ordering::Greater => Some((a, b)),
        std::cmp::Ordering::Less => Some((b, a)),
        std::cmp::Ordering::Equal => None,
    }
}

/// The rows that pass: more than one of equal ones, some but not all.
pub(super) fn passing(view: &View<'_>, test: Test) -> Option<Vec<usize>> {
    let (row, col) = test.cell();
    if matches!(test, Test::Is { .. }) {
        return view.alike(row, col).filter(|rows| rows.len() >= 2 && rows.len() < view.len());
    }
    let measure = view.measure(col)?;
    let bound = measure.at(row)?;
    let passes =
        |value: Exact| if matches!(test, Test::Above { .. }) { value > bound } else { value < bound };
    let rows: Vec<usize> = (0..view.len()).filter(|row| measure.at(*row).is_some_and(passes)).collect();
    (!rows.is_empty()).then_some(rows)
}

/// The rows that pass, or all, with what a sentence about them needs.
fn chosen(view: &View<'_>, col: usize, test: Option<Test>) -> Option<(Vec<usize>, Right)> {
    let mut right = Right { answer: String::new(), cells: Vec::new(), columns: vec![col] };
    let Some(test) = test else { return Some(((0..view.len()).collect(), right)) };
    let on = test.cell().1;
    let rows = passing(view, test).filter(|_| on != col)?;
    right.columns.push(on);
    right.cells.extend(rows.iter().map(|row| (*row, on)));
    Some((rows, right))
}

fn sum(view: &View<'_>, col: usize, test: Option<Test>) -> Option<Right> {
    let measure = view.measure(col).filter(|m| m.adds)?;
    let (rows, mut right) = chosen(view, col, test)?;
    let values: Vec<(usize, Exact)> =
        rows.into_iter().filter_map(|row| Some((row, measure.at(row)?))).collect();
    if values.len() < 2 {
        return None;
    }
    let total = values.iter().try_fold(Exact::whole(0), |sum, (_, value)| sum.plus(*value))?;
    right.cells.extend(values.iter().map(|(row, _)| (*row, col)));
    right.answer = measure.plain(total);
    Some(right)
}

fn best(view: &View<'_>, key: usize, col: usize, high: bool, test: Option<Test>) -> Option<Right> {
    let (rows, mut right) = chosen(view, col, test)?;
    let row = winner(view, col, high, &rows)?;
    let tested = test.map(|test| test.cell().1);
    if key == col || tested == Some(key) || !is_named(view, row, key) {
        return None;
    }
    right.cells.retain(|(at, _)| *at == row);
    right.cells.extend([(row, key), (row, col)]);
    right.columns.insert(0, key);
    right.answer = view.text(row, key).to_owned();
    Some(right)
}

/// The only row that has the most, or the least, of at least two.
pub(super) fn winner(view: &View<'_>, col: usize, high: bool, rows: &[usize]) -> Option<usize> {
    let measure = view.measure(col)?;
    let values: Vec<(Exact, usize)> = rows.iter().filter_map(|row| Some((measure.at(*row)?, *row))).collect();
    let order = values.iter().map(|(value, _)| *value);
    let top = if high { order.max() } else { order.min() }?;
    let mut winners = values.iter().filter(|(value, _)| *value == top);
    let (_, row) = winners.next()?;
    (winners.next().is_none() && values.len() >= 2).then_some(*row)
}
