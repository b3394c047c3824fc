//! Links words of a question to columns and to conditions on cells.

use crate::analyse::{Amount, Mention, Question};
use crate::compare;
use crate::cue::Cue;
use crate::execute::{holds, month_day};
use crate::grammar;
use crate::grid::{Field, Grid, Measure};
use crate::mask::{Mask, gap, span};
use crate::program::{Condition, Test, Value};
use rustc_hash::FxHashMap;
use tabletalk_core::Kind;

/// The most links that are kept.
const MOST: usize = 36;
/// More values than this are not named one by one in a condition.
const MOST_VALUES: usize = 12;

/// Words of a question that say what must hold for a row.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub mask: Mask,
    pub condition: Condition,
    /// The rows it holds for, in order.
    pub rows: Vec<u32>,
    pub grade: Grade,
}

/// How a link was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Grade {
    /// The words are a whole cell.
    Whole,
    /// The words are most of a cell.
    Most,
    /// The words are a part of a cell.
    Part,
    /// The number is that of the cell, written in another way.
    Number,
    /// The day, month or year is that of the cell.
    Day,
    /// More or less than a number.
    Compare,
    /// One of several.
    Either,
    /// None of these.
    Not,
    /// A choice that no word names.
    Choice,
}

impl Grade {
    /// How much a word linked in this way counts before anything is learned.
    pub(crate) fn weight(self) -> f32 {
        match self {
            Grade::Whole => 1.0,
            Grade::Most | Grade::Number | Grade::Day | Grade::Either => 0.9,
            Grade::Compare => 0.8,
            Grade::Part | Grade::Not => 0.6,
            Grade::Choice => 0.3,
        }
    }
}

impl Link {
    /// How much of the question it explains.
    pub(crate) fn weight(&self, question: &Question) -> f32 {
        let words = (self.mask & question.content).count_ones() as f32;
        words * self.grade.weight() + (self.mask & question.quoted).count_ones() as f32 * 0.2
    }
}

/// The words of a question that name a column.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Named {
    pub mask: Mask,
    /// Which part of the name is there, from 0 to 1.
    pub share: f32,
}

/// The conditions that the question may speak of, those that explain most first.
pub(crate) fn conditions(question: &Question, grid: &Grid, names: &[Named]) -> Vec<Link> {
    let mut links = cells(question, grid);
    links.retain(|l| !is_name(l, names));
    numbers(question, grid, &mut links);
    compare::links(question, grid, &mut links);
    links.retain(|l| l.grade != Grade::Compare || can_compare(l.condition.column, names, grid));
    times(question, grid, &mut links);
    gaps(question, grid, &mut links);
    links.retain(|l| !l.rows.is_empty());
    prune(&mut links);
    let mut more = either(question, &links, grid);
    more.extend(negated(question, &links, grid));
    links.append(&mut more);
    links.sort_by(|a, b| b.weight(question).total_cmp(&a.weight(question)));
    links.truncate(MOST);
    links
}

/// The values of cells that the question may name, wholly or in part, the numbers among them.
pub(crate) fn values(question: &Question, grid: &Grid) -> Vec<Link> {
    let mut links = cells(question, grid);
    numbers(question, grid, &mut links);
    links.retain(|l| !l.rows.is_empty() && !matches!(l.grade, Grade::Day));
    prune(&mut links);
    links
}

/// Whether the cells of a column may be held against each other or a number: ids only where the question names their column.
pub(crate) fn can_compare(column: usize, names: &[Named], grid: &Grid) -> bool {
    const NAMED: f32 = 0.99;
    let is_named = names.get(column).is_some_and(|n| n.share >= NAMED);
    is_named || !grid.roles().is_id(grid, column)
}

/// Whether words that are a part of a cell rather name its column: the `city` of `Mexico City`.
fn is_name(link: &Link, names: &[Named]) -> bool {
    let named = names.get(link.condition.column).copied().unwrap_or_default();
    link.grade != Grade::Whole && named.share > 0.3 && link.mask & !named.mask == 0
}

/// A run of words that a cell has too: column, first word, number of words.
type Run = (usize, usize, usize);

/// Links to cells that have the words, wholly or in part.
fn cells(question: &Question, grid: &Grid) -> Vec<Link> {
    let stems: Vec<Option<u32>> = question.words.iter().map(|w| grid.stem(&w.stem)).collect();
    let mut places: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (i, stem) in stems.iter().enumerate() {
        places.entry(stem.unwrap_or(u32::MAX)).or_default().push(i);
    }
    let mut runs: FxHashMap<Run, [Vec<u32>; 3]> = FxHashMap::default();
    for (column, field) in grid.columns.iter().enumerate() {
        for row in field.values.iter().filter_map(|rows| rows.first()) {
            let Some(cell) = field.cells.get(*row as usize) else { continue };
            for (from, len) in shared(&cell.stems, &stems, &places) {
                let part = part(len, cell.stems.len());
                if speaks(question, from, len, part) {
                    runs.entry((column, from, len)).or_default()[part].push(*row);
                }
            }
        }
    }
    runs.into_iter().flat_map(|(run, found)| graded(run, &found, question, grid)).collect()
}

/// 0 for a whole cell, 1 for most of it, 2 for a part.
fn part(len: usize, of: usize) -> usize {
    if len == of {
        0
    } else if len * 2 >= of {
        1
    } else {
        2
    }
}

/// The longest runs of words that a cell and the question have in common: first word and length.
fn shared(
    cell: &[u32],
    question: &[Option<u32>],
    places: &FxHashMap<u32, Vec<usize>>,
) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    for (k, stem) in cell.iter().enumerate() {
        for from in places.get(stem).into_iter().flatten() {
            let before = k.checked_sub(1).and_then(|k| cell.get(k)).copied();
            let goes_on = before.is_some()
                && from.checked_sub(1).and_then(|i| question.get(i)).copied().flatten() == before;
            if !goes_on {
                let pairs = cell.iter().skip(k).zip(question.iter().skip(*from));
                runs.push((*from, pairs.take_while(|(a, b)| Some(**a) == **b).count()));
            }
        }
    }
    runs
}

/// Whether a run of words says enough to be linked.
fn speaks(question: &Question, from: usize, len: usize, part: usize) -> bool {
    let words = question.words.get(from..from + len).unwrap_or_default();
    if span(from, from + len) & (question.content | question.quoted) == 0 {
        return part == 0 && len > 1;
    }
    if part == 0 {
        return true;
    }
    let (han, all) = (words.iter().filter(|w| w.is_han()).count(), words.len());
    let numbers = words.iter().filter(|w| w.number().is_some()).count();
    let is_year = words.iter().any(|w| w.number().is_some_and(|n| n >= 1000.0 || n.fract() != 0.0));
    match (han == all, numbers == all) {
        (true, _) => all >= 2,
        (_, true) => is_year,
        _ => words.iter().any(|w| !w.is_stop() && w.number().is_none() && (w.text.len() > 2 || w.is_han())),
    }
}

fn graded((column, from, len): Run, found: &[Vec<u32>; 3], question: &Question, grid: &Grid) -> Vec<Link> {
    let words = question.words.get(from..from + len).unwrap_or_default();
    let words: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
    let words = words.join(" ");
    let mask = span(from, from + len);
    let [whole, most, part] = found;
    let mut links = Vec::new();
    if !whole.is_empty() {
        links.push(link(mask, column, whole, Grade::Whole, words.clone(), grid));
    }
    // Words that most values have, such as the `Ltd` of companies, tell no rows apart.
    let values = grid.columns.get(column).map_or(0, |f| f.values.len());
    let says = values < 8 || (most.len() + part.len()) * 2 < values;
    if says && !(most.is_empty() && part.is_empty()) {
        let grade = if most.is_empty() { Grade::Part } else { Grade::Most };
        links.push(link(mask, column, &[whole.as_slice(), most, part].concat(), grade, words, grid));
    }
    links.into_iter().flatten().collect()
}

/// A link to the values that stand in these rows, and to all rows that have them.
fn link(mask: Mask, column: usize, firsts: &[u32], grade: Grade, words: String, grid: &Grid) -> Option<Link> {
    let field = grid.columns.get(column)?;
    let of = |first: &u32| {
        let at = field.values.binary_search_by_key(&Some(first), |rows| rows.first()).ok()?;
        field.values.get(at)
    };
    let mut rows: Vec<u32> = firsts.iter().filter_map(of).flatten().copied().collect();
    rows.sort_unstable();
    let values = texts(field, &rows);
    let many = grade != Grade::Whole && (values.len() > MOST_VALUES || !grid.is_whole());
    if many && field.kind == Kind::Text {
        let condition = Condition { column, test: Test::Has(words) };
        let rows = all_rows(&condition, grid);
        return Some(Link { mask, condition, rows, grade });
    }
    let test = Test::Is(values);
    Some(Link { mask, condition: Condition { column, test }, rows, grade })
}

/// The different values in these rows.
pub(crate) fn texts(field: &Field, rows: &[u32]) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for cell in rows.iter().filter_map(|r| field.cells.get(*r as usize)) {
        let value = Value { text: cell.text.clone(), plain: cell.plain.clone() };
        if !values.contains(&value) && values.len() < MOST_VALUES * 8 {
            values.push(value);
        }
    }
    values
}

/// Words that say that something is not there yet, that it is, and that something is left of it.
const OPEN: &str = "still open offen offene offenen offener noch nicht not yet never without ohne unpaid outstanding pending \
                    missing fehlt fehlen encore pas sans manque missed nobody no kein keine keinen aucun 未 没 还 尚 无 缺 空";
const DONE: &str = "already bereits schon deja done completed finished returned given ended left 已 完 过";
const OWED: &str = "owe owes owed outstanding overdue due debt left remaining any schuldet schulden offen offene ausstehend \
                    doit doivent restant reste impaye 欠 剩 还";

/// Links to cells that are empty, that are not, and that are above zero, where words say so.
fn gaps(question: &Question, grid: &Grid, links: &mut Vec<Link>) {
    let said = |list: &str| {
        let is = |w: &crate::word::Word| list.split_whitespace().any(|known| known == w.text);
        let words = question.words.iter().enumerate().filter(|(_, w)| is(w));
        words.fold(0, |mask, (i, _)| mask | span(i, i + 1))
    };
    let (open, done, owed) = (said(OPEN), said(DONE), said(OWED));
    for (column, field) in grid.columns.iter().enumerate() {
        let mut push = |mask: Mask, test: Test| {
            let condition = Condition { column, test };
            let rows = all_rows(&condition, grid);
            if mask != 0 && !rows.is_empty() && rows.len() < grid.len() {
                links.push(Link { mask, condition, rows, grade: Grade::Not });
            }
        };
        push(open, Test::Empty);
        push(done, Test::Filled);
        if field.is_number() {
            push(owed, Test::More(0.0));
        }
    }
}

/// Links to the days of a quarter or another part of the calendar, and to cells that name it.
fn times(question: &Question, grid: &Grid, links: &mut Vec<Link>) {
    for (mask, column, test) in grammar::times(question, grid) {
        let known = links.iter().any(|l| l.condition.column == column && l.mask == mask);
        if !known {
            let condition = Condition { column, test };
            let rows = all_rows(&condition, grid);
            links.push(Link { mask, condition, rows, grade: Grade::Day });
        }
    }
}

/// Links to cells that have a number or a date, in whichever way it is written.
fn numbers(question: &Question, grid: &Grid, links: &mut Vec<Link>) {
    for mention in &question.mentions {
        for (column, field) in grid.columns.iter().enumerate() {
            let known = links
                .iter()
                .any(|l| l.condition.column == column && l.mask == mention.mask && l.grade == Grade::Whole);
            if !known && let Some((test, grade)) = equal(mention, field) {
                let condition = Condition { column, test };
                let rows = all_rows(&condition, grid);
                links.push(Link { mask: mention.mask, condition, rows, grade });
            }
        }
    }
}

/// The rows of a grid a condition holds for.
pub(crate) fn all_rows(condition: &Condition, grid: &Grid) -> Vec<u32> {
    (0..grid.len() as u32).filter(|row| holds(condition, *row, grid)).collect()
}

fn equal(mention: &Mention, field: &Field) -> Option<(Test, Grade)> {
    match (mention.what, field.measure) {
        (Amount::Number(n), Measure::Number | Measure::Lead) => {
            let is = |size: f64| size == n || size == field.scaled(n);
            let rows = sized(field, &|cell| cell.size.is_some_and(is));
            (!rows.is_empty()).then(|| (Test::Is(texts(field, &rows)), Grade::Number))
        }
        (Amount::Number(_), Measure::Day) => Some((Test::Year(mention.what.year()?), Grade::Day)),
        (Amount::Day(day), _) => {
            let rows = sized(field, &|cell| cell.day == Some(day));
            (!rows.is_empty()).then(|| (Test::Is(texts(field, &rows)), Grade::Day))
        }
        (Amount::MonthDay(month, day), Measure::Day) => {
            let rows = sized(field, &|cell| cell.day.is_some_and(|d| month_day(d) == (month, day)));
            (!rows.is_empty()).then(|| (Test::Is(texts(field, &rows)), Grade::Day))
        }
        (Amount::Month(month), Measure::Day) => Some((Test::Month(month), Grade::Day)),
        (Amount::YearMonth(year, month), Measure::Day) => {
            let (from, to) = compare::month(year, month)?;
            Some((Test::Between(from, to), Grade::Day))
        }
        _ => None,
    }
}

fn sized(field: &Field, test: &dyn Fn(&crate::grid::Cell) -> bool) -> Vec<u32> {
    field.cells.iter().enumerate().filter(|(_, c)| test(c)).map(|(row, _)| row as u32).collect()
}

/// Drops links whose words are a part of those of a better one.
fn prune(links: &mut Vec<Link>) {
    let whole: Vec<(Mask, usize)> =
        links.iter().filter(|l| l.grade == Grade::Whole).map(|l| (l.mask, l.condition.column)).collect();
    links.retain(|link| {
        let inside = |mask: &Mask| link.mask & mask == link.mask && link.mask != *mask;
        !whole.iter().any(|(mask, column)| {
            inside(mask) && (link.grade != Grade::Compare || *column == link.condition.column)
        })
    });
}

/// Links to one of several values of a column, where the question joins them.
fn either(question: &Question, links: &[Link], grid: &Grid) -> Vec<Link> {
    let mut found = Vec::new();
    if !question.has(&[Cue::Either, Cue::Between]) {
        return found;
    }
    let is =
        |l: &&Link| matches!(l.grade, Grade::Whole | Grade::Most | Grade::Number | Grade::Day | Grade::Part);
    for column in 0..grid.columns.len() {
        let mut here: Vec<&Link> = links.iter().filter(is).filter(|l| l.condition.column == column).collect();
        here.retain(|l| matches!(l.condition.test, Test::Is(_)));
        here.sort_by_key(|l| (l.mask.trailing_zeros(), l.rows.len()));
        let pairs = here.iter().enumerate().flat_map(|(i, a)| here.iter().skip(i + 1).map(move |b| (*a, *b)));
        found.extend(pairs.take(10).filter_map(|(a, b)| union(&[a, b], grid)));
        if here.len() > 2 {
            found.extend(union(&here, grid));
        }
    }
    found
}

/// One link for any of several that do not share words.
fn union(links: &[&Link], grid: &Grid) -> Option<Link> {
    let column = links.first()?.condition.column;
    let mut rows: Vec<u32> = Vec::new();
    let mut mask: Mask = 0;
    for link in links {
        if mask & link.mask != 0 {
            return None;
        }
        mask |= link.mask;
        rows.extend(&link.rows);
    }
    rows.sort_unstable();
    rows.dedup();
    let test = Test::Is(texts(grid.columns.get(column)?, &rows));
    Some(Link { mask, condition: Condition { column, test }, rows, grade: Grade::Either })
}

/// Links to rows that do not have a value, where the question says no.
fn negated(question: &Question, links: &[Link], grid: &Grid) -> Vec<Link> {
    let no = question.cue(Cue::Not);
    if no == 0 {
        return Vec::new();
    }
    let turned = |link: &Link| {
        let Test::Is(values) = &link.condition.test else { return None };
        let condition = Condition { column: link.condition.column, test: Test::Not(values.clone()) };
        let rows = all_rows(&condition, grid);
        let near = gap(no, link.mask) < 8 && !rows.is_empty();
        near.then_some(Link { mask: link.mask | no, condition, rows, grade: Grade::Not })
    };
    links.iter().filter(|l| l.grade != Grade::Part).filter_map(turned).take(6).collect()
}

/// For each column, the words that name it.
pub(crate) fn names(question: &Question, grid: &Grid) -> Vec<Named> {
    let weights: Vec<Vec<f32>> = grid.columns.iter().map(|f| weights(f, grid)).collect();
    grid.columns.iter().zip(&weights).map(|(field, weights)| named(question, field, weights)).collect()
}

/// How much each word of a name says: less when other columns have it, little when it is a stop word.
fn weights(field: &Field, grid: &Grid) -> Vec<f32> {
    let weight = |word: &crate::word::Word| {
        let with = grid.columns.iter().filter(|f| f.words.iter().any(|w| w.stem == word.stem)).count();
        let base = if word.is_stop() { 0.15 } else { 1.0 };
        base / with.max(1) as f32
    };
    field.words.iter().map(weight).collect()
}

fn named(question: &Question, field: &Field, weights: &[f32]) -> Named {
    let total: f32 = weights.iter().sum();
    let mut named = Named::default();
    let mut found = 0.0;
    for (word, weight) in field.words.iter().zip(weights) {
        let alike = |w: &crate::word::Word| alike(&w.stem, &word.stem);
        let best = question.words.iter().map(alike).fold(0.0, f32::max);
        if best > 0.0 {
            found += weight * best;
            let places = question.words.iter().enumerate().filter(|(_, w)| alike(w) == best);
            named.mask |= crate::mask::mask(places.map(|(i, _)| i));
        }
    }
    if total > 0.0 {
        named.share = found / total;
    }
    if named.mask & question.content == 0 && named.share < 1.0 {
        return Named::default();
    }
    named
}

/// How alike two stems are: 1 the same, less when one begins like the other.
fn alike(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    let shared = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let longest = a.len().max(b.len());
    if a.is_ascii() && shared >= 4 && shared * 10 >= longest * 6 { 0.7 } else { 0.0 }
}
