//! Questions over two tables: one says which row is meant, the other what is asked of it.

use super::ask::winner;
use super::random::Random;
use super::text::{folded, is_answer, is_nameable};
use super::view::View;
use std::collections::{HashMap, HashSet};
use tabletalk_core::Kind;

/// How often a question is drawn anew before two tables are taken to have none.
const DRAWS: usize = 30;
/// The most tables that one is joined with.
const MOST: usize = 16;

/// How the row of the first table is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// By its name.
    Key { row: usize, col: usize },
    /// By a value that no other row has.
    Value { row: usize, col: usize },
    /// By having the most or the least.
    Best { row: usize, col: usize, high: bool },
}

impl By {
    /// The cell that the row is meant by.
    pub(super) fn cell(self) -> (usize, usize) {
        match self {
            By::Key { row, col } | By::Value { row, col } | By::Best { row, col, .. } => (row, col),
        }
    }
}

/// A question over two tables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Join<'v, 'a> {
    /// The table that says which row is meant.
    pub(super) from: &'v View<'a>,
    /// The table that the answer stands in.
    pub(super) to: &'v View<'a>,
    pub(super) by: By,
    /// The column of the first table that names rows of the second.
    pub(super) foreign: usize,
    /// The row of the second table, the column that names its rows, and the one that is asked for.
    pub(super) row: usize,
    pub(super) key: usize,
    pub(super) wanted: usize,
}

/// Which columns name rows of which other tables.
#[derive(Debug, Default)]
pub(super) struct Links(HashMap<usize, Vec<(usize, usize)>>);

impl Links {
    /// Finds columns whose values are all names of rows of another table.
    pub(super) fn of(views: &[View<'_>]) -> Links {
        let mut holders: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut keys: HashMap<usize, HashSet<&str>> = HashMap::new();
        for (at, view) in views.iter().enumerate() {
            let strict = view.key.filter(|key| key.strict && view.kind(key.col) == Kind::Text);
            let Some(key) = strict.filter(|_| view.len() > 1) else { continue };
            let names: HashSet<&str> = view.column(key.col).iter().map(String::as_str).collect();
            names.iter().for_each(|name| holders.entry(name).or_default().push(at));
            keys.insert(at, names);
        }
        let found = |at: usize| {
            let columns =
                views.get(at).map_or_else(Vec::new, |view| view.nouns(|col| view.kind(col) == Kind::Text));
            let of = |col| held_by(views, (at, col), &holders, &keys);
            (at, columns.into_iter().flat_map(of).take(MOST).collect())
        };
        Links((0..views.len()).map(found).collect())
    }

    /// Draws a question from a table over to another one.
    pub(super) fn draw<'v, 'a>(
        &self,
        views: &'v [View<'a>],
        at: usize,
        random: &mut Random,
    ) -> Option<Join<'v, 'a>> {
        let (from, links) = (views.get(at)?, self.0.get(&at)?);
        (0..DRAWS).find_map(|_| {
            let (foreign, to) = random.pick(links)?;
            draw_one(from, views.get(to)?, foreign, random)
        })
    }
}

/// The tables whose rows a column names, with the column.
fn held_by(
    views: &[View<'_>],
    (at, col): (usize, usize),
    holders: &HashMap<&str, Vec<usize>>,
    keys: &HashMap<usize, HashSet<&str>>,
) -> Vec<(usize, usize)> {
    let texts = views.get(at).map_or(&[][..], |view| view.column(col));
    let values: HashSet<&str> = texts.iter().map(String::as_str).filter(|text| is_answer(text)).collect();
    let of = |value: &&str| holders.get(*value).map(Vec::as_slice);
    let near = values.iter().filter_map(of).min_by_key(|list| list.len()).unwrap_or(&[]);
    let fits = |to: &&usize| {
        let held = keys.get(*to).is_some_and(|names| values.is_subset(names));
        let enough = held && values.len() >= if is_same_name(views, (at, col), **to) { 2 } else { 4 };
        enough && **to != at && views.get(at).zip(views.get(**to)).is_some_and(|(from, to)| differ(from, to))
    };
    near.iter().filter(fits).take(MOST).map(|to| (col, *to)).collect()
}

/// Whether each of two tables has a column that the other has not.
fn differ(from: &View<'_>, to: &View<'_>) -> bool {
    let more = |a: &View<'_>, b: &View<'_>| a.headers.iter().any(|name| !b.headers.contains(name));
    more(from, to) && more(to, from)
}

fn is_same_name(views: &[View<'_>], (at, col): (usize, usize), to: usize) -> bool {
    let name = |at: usize, col: usize| views.get(at).map(|view| folded(view.header(col)));
    let key = views.get(to).and_then(|view| view.key).map(|key| key.col);
    key.is_some_and(|key| name(at, col) == name(to, key))
}

/// Whether a table has a column of this name.
fn has(view: &View<'_>, name: &str) -> bool {
    view.headers.contains(&folded(name))
}

fn draw_one<'v, 'a>(
    from: &'v View<'a>,
    to: &'v View<'a>,
    foreign: usize,
    random: &mut Random,
) -> Option<Join<'v, 'a>> {
    let key = to.key?.col;
    let wanted = random.pick(&to.nouns(|col| col != key && !has(from, to.header(col))))?;
    let by = draw_by(from, to, foreign, random)?;
    let named = from.folded(by.cell().0, foreign);
    let row = to.column(key).iter().position(|name| name == named)?;
    let sound =
        from.language == to.language && is_nameable(from.text(by.cell().0, foreign)) && to.is_alone(row, key);
    (sound && is_answer(to.text(row, wanted))).then_some(Join { from, to, by, foreign, row, key, wanted })
}

/// Draws a row of the first table that the second does not lead to by itself.
fn draw_by(from: &View<'_>, to: &View<'_>, foreign: usize, random: &mut Random) -> Option<By> {
    let new = |col: usize| col != foreign && !has(to, from.header(col));
    let distinct = from.is_distinct(foreign);
    if distinct && !from.has_totals && random.once_in(2) {
        let col = random.pick(&from.nouns(|col| new(col) && from.measure(col).is_some()))?;
        let high = !random.once_in(3);
        let all: Vec<usize> = (0..from.len()).collect();
        return winner(from, col, high, &all).map(|row| By::Best { row, col, high });
    }
    let row = random.below(from.len());
    let own = from.key.map(|key| key.col).filter(|col| new(*col));
    let by = match own {
        Some(col) if !distinct => By::Key { row, col },
        _ => {
            let col = random.pick(&from.nouns(|col| new(col) && distinct && from.kind(col) == Kind::Text))?;
            By::Value { row, col }
        }
    };
    let (row, col) = by.cell();
    from.is_alone(row, col).then_some(by)
}
