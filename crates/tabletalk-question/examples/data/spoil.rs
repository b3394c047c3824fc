//! Questions that a table cannot answer, made of those that it can.

use super::{Case, Set};
use tabletalk_core::{Batch, Column};
use tabletalk_question::{Grid, Program, Test};

/// A question without an answer: what is asked, of which rows.
pub(crate) struct Spoiled {
    pub(crate) question: String,
    /// Another grid than that of the case's own table.
    pub(crate) grid: Option<Grid>,
    /// The table it is asked of.
    pub(crate) table: String,
}

/// Numbers that look like chance and are the same in every run.
pub(crate) struct Chance(u64);

impl Chance {
    /// Begins with a text.
    pub(crate) fn new(text: &str) -> Self {
        let step = |h: u64, b: u8| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3);
        Chance(text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// The ids of tables, in order.
pub(crate) fn ids(set: &Set) -> Vec<&str> {
    let mut ids: Vec<&str> = set.tables.keys().map(String::as_str).collect();
    ids.sort_unstable();
    ids
}

/// A question without an answer for six of ten cases that one can be made of.
pub(crate) fn some(
    case: &Case,
    right: Option<&Program>,
    set: &Set,
    ids: &[&str],
    chance: &mut Chance,
) -> Option<Spoiled> {
    let spoiled = (0..4).find_map(|_| spoil(case, right, set, ids, chance))?;
    (chance.below(10) < 6).then_some(spoiled)
}

/// A question without an answer, made of a case whose right program is known, or not: asked of another table, with a
/// name or a year that is not there, or without the column that would answer it.
fn spoil(
    case: &Case,
    right: Option<&Program>,
    set: &Set,
    ids: &[&str],
    chance: &mut Chance,
) -> Option<Spoiled> {
    let own = |question: String| Spoiled { question, grid: None, table: case.table.clone() };
    match chance.below(8) {
        0 | 1 => renamed(case, right?, set, ids, chance).map(own),
        2 | 3 => redated(case, set, chance).map(own),
        4 | 5 => {
            let (columns, batches) = set.rows.get(&case.table)?;
            let grid = without(columns, batches, right?.measured()?);
            Some(Spoiled { question: case.question.clone(), grid: Some(grid), table: case.table.clone() })
        }
        _ => {
            let table = (*ids.get(chance.below(ids.len()))?).to_owned();
            (table != case.table).then(|| Spoiled { question: case.question.clone(), grid: None, table })
        }
    }
}

/// The grid of a table without one of its columns.
fn without(columns: &[Column], batches: &[Batch], column: usize) -> Grid {
    let mut columns = columns.to_vec();
    let mut batches = batches.to_vec();
    if column < columns.len() {
        columns.remove(column);
        batches.iter_mut().filter(|b| column < b.columns.len()).for_each(|b| drop(b.columns.remove(column)));
    }
    Grid::new(&columns, &batches, true)
}

/// The question with another name in place of one that stands in the table.
fn renamed(case: &Case, right: &Program, set: &Set, ids: &[&str], chance: &mut Chance) -> Option<String> {
    let lower = case.question.to_lowercase();
    let values = right.rows.conditions.iter().filter_map(|c| match &c.test {
        Test::Is(values) => values.first(),
        _ => None,
    });
    let name = values.map(|v| v.text.to_lowercase()).find(|v| v.len() > 2 && lower.contains(v.as_str()))?;
    let own = texts(set, &case.table).to_lowercase();
    let other = (0..20).find_map(|_| {
        let all = texts(set, ids.get(chance.below(ids.len()))?);
        let cells: Vec<&str> = all.split('\n').collect();
        let cell = *cells.get(chance.below(cells.len()))?;
        let is_name = cell.starts_with(char::is_alphabetic) && cell.len() < 30;
        let words = cell.to_lowercase();
        let is_new = words.split(' ').filter(|w| w.len() > 2).all(|w| !own.contains(w));
        (is_name && is_new).then(|| cell.to_owned())
    })?;
    // Where it was written small, it stays small.
    let other = if lower == case.question { other.to_lowercase() } else { other };
    let at = lower.find(&name)?;
    (lower.len() == case.question.len()).then_some(())?;
    Some(format!("{}{other}{}", case.question.get(..at)?, case.question.get(at + name.len()..)?))
}

/// The question with a year that is not in the table.
fn redated(case: &Case, set: &Set, chance: &mut Chance) -> Option<String> {
    let digits = |w: &str| w.len() == 4 && w.bytes().all(|b| b.is_ascii_digit());
    let word = case.question.split(|c: char| !c.is_ascii_alphanumeric()).find(|w| digits(w))?;
    let year: i32 = word.parse().ok().filter(|y| (1000..2101).contains(y))?;
    let own = texts(set, &case.table);
    let shift = [3, 7, -11, 24, -38, 55][chance.below(6)];
    let other = (year + shift).to_string();
    (!own.contains(&other)).then(|| case.question.replacen(word, &other, 1))
}

/// All cells of a table, a line each.
fn texts(set: &Set, table: &str) -> String {
    let Some((_, batches)) = set.rows.get(table) else { return String::new() };
    let cells = batches
        .iter()
        .flat_map(|b| b.columns.iter().flat_map(|c| (0..b.len()).map(|i| c.text(i).into_owned())));
    cells.collect::<Vec<_>>().join("\n")
}
