//! A table prepared for questions: every cell with its words, its number and its day.

use crate::clock;
use crate::denote;
use crate::grammar::Roles;
use crate::view::View;
use crate::word::{self, Word};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use tabletalk_core::{Batch, Cells, Column, Kind, Mark, table, value};

/// Microseconds in a day.
const DAY: i64 = 86_400_000_000;

/// The share of filled cells that must begin with a number for a text column to be measured by it.
const MEASURED: f64 = 0.7;

/// A table prepared for questions: all its rows, or a part of them that stands for the whole.
///
/// Totals, subtotals and section lines are left out, as they are from the relation that SQL sees.
#[derive(Debug, Default)]
pub struct Grid {
    pub(crate) columns: Vec<Field>,
    /// The row number in the source of each row.
    pub(crate) rows: Vec<u64>,
    /// Totals and other computed rows that stand in the table: row number and label.
    pub(crate) marked: Vec<(u64, String)>,
    /// The tables it was joined from, where it was.
    pub(crate) view: Option<View>,
    /// The columns that name rows of other tables by keys that are no names.
    pub(crate) references: Vec<usize>,
    whole: bool,
    derived: bool,
    stems: FxHashMap<String, u32>,
    roles: OnceLock<Roles>,
}

/// A column of a grid.
#[derive(Debug)]
pub(crate) struct Field {
    pub name: String,
    pub kind: Kind,
    pub unit: Option<String>,
    /// The most decimals a value is written with.
    pub decimals: u8,
    /// The smallest and the largest value of all rows, where they were counted.
    pub range: Option<(String, String)>,
    /// Whether its values are made of those of other columns.
    pub is_derived: bool,
    /// Whether its numbers are written with a comma before decimals.
    pub is_comma: bool,
    /// Whether all its values differ, where that was counted and not all rows are here.
    pub unique: Option<bool>,
    pub words: Vec<Word>,
    pub cells: Vec<Cell>,
    pub measure: Measure,
    /// The rows of each value, in the order of their first rows; empty cells have none.
    pub values: Vec<Vec<u32>>,
    /// How many cells are not empty.
    pub filled: usize,
}

/// What the cells of a column are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Measure {
    /// Only by being the same.
    None,
    /// By their number.
    Number,
    /// By their day.
    Day,
    /// By the number their text begins with.
    Lead,
    /// By the time that is written with colons: of day, or how long something took.
    Clock,
}

/// A cell.
#[derive(Debug, Default)]
pub(crate) struct Cell {
    /// What is written.
    pub text: String,
    /// The plain way of writing its typed value; `None` in text columns and where it could not be read.
    pub plain: Option<String>,
    /// The words alone.
    pub key: String,
    /// The stems of its words, as numbers of the grid's.
    pub stems: Vec<u32>,
    /// What it is compared by.
    pub size: Option<f64>,
    /// Its day since 1970-01-01.
    pub day: Option<i32>,
    /// The same number for cells whose values are the same.
    pub same: u64,
}

/// How people write that there is nothing, in lower case.
pub(crate) const MISSING: [&str; 20] = [
    "", "-", "–", "—", "--", "n/a", "na", "n.a.", "none", "null", "nil", "?", ".", "...", "无", "暂无",
    "k.a.", "k. a.", "tbd", "#n/a",
];

/// Whether a text says that there is nothing.
pub fn is_missing(text: &str) -> bool {
    MISSING.contains(&text.trim().to_lowercase().as_str())
}

impl Cell {
    /// Whether there is nothing, or what is written says so.
    pub(crate) fn is_missing(&self, kind: Kind) -> bool {
        match kind {
            Kind::Text => is_missing(&self.text),
            _ => self.plain.is_none(),
        }
    }
}

impl Field {
    /// Whether its values are years.
    pub(crate) fn is_year(&self) -> bool {
        let is_year = |size: f64| (1000.0..2101.0).contains(&size);
        let mut sizes = self.cells.iter().filter_map(|c| c.size).peekable();
        self.measure != Measure::Day && sizes.peek().is_some() && sizes.all(is_year)
    }
    /// Whether no two rows have the same text, of all rows where they were counted.
    pub(crate) fn is_key(&self) -> bool {
        if let Some(unique) = self.unique {
            return unique;
        }
        self.filled == self.cells.len() && self.values.len() == self.filled
    }
    /// Whether its texts begin with a number that stands for itself, as `12 kg` does and `T-40` and `7a` do not.
    pub(crate) fn is_lead_number(&self) -> bool {
        self.measure == Measure::Lead
            && self.cells.iter().filter(|c| c.size.is_some()).all(|c| is_amount(&c.text))
    }
    /// Whether its cells can be compared.
    pub(crate) fn is_measured(&self) -> bool {
        self.measure != Measure::None
    }
    /// How its times are written, where it has some.
    pub(crate) fn clock(&self) -> Option<clock::ClockStyle> {
        let is_clock = self.measure == Measure::Clock;
        is_clock.then(|| clock::ClockStyle::of(self.cells.iter().map(|c| c.text.as_str())))
    }
    /// Whether its values are typed numbers.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Integer | Kind::Decimal)
    }
    /// Whether its numbers are percentages, kept as shares or as its name says.
    pub(crate) fn is_percent(&self) -> bool {
        let said = self.name.trim_end_matches([')', '）', ']']).ends_with(['%', '％']);
        self.unit.as_deref() == Some("%") || said
    }
    /// A number of a question in the unit of the column: percentages are kept as shares, and 80,000 is 8 where the unit is
    /// 万元 and no value is near 80,000.
    pub(crate) fn scaled(&self, number: f64) -> f64 {
        if self.is_number() && self.unit.as_deref() == Some("%") {
            return number / 100.0;
        }
        let Some(many) = self.unit_size().filter(|many| number.abs() >= *many / 10.0) else { return number };
        let most = self.cells.iter().filter_map(|c| c.size).fold(0.0, |most: f64, size| most.max(size.abs()));
        if number.abs() > OUTSIDE * most { number / many } else { number }
    }

    /// How many the unit of the column counts as one: `万元`, `Tsd. €`.
    fn unit_size(&self) -> Option<f64> {
        const SIZES: [(&str, f64); 11] = [
            ("万", 1e4),
            ("萬", 1e4),
            ("亿", 1e8),
            ("百万", 1e6),
            ("千", 1e3),
            ("tsd", 1e3),
            ("thousand", 1e3),
            ("k€", 1e3),
            ("k$", 1e3),
            ("mio", 1e6),
            ("million", 1e6),
        ];
        let said = format!("{} {}", self.unit.as_deref().unwrap_or_default(), self.name).to_lowercase();
        let in_unit = |(word, _): &&(&str, f64)| {
            let at = said.rfind(word);
            // In Chinese only as a unit in brackets: 万科 is a company.
            at.is_some_and(|at| {
                word.is_ascii()
                    || self.unit.is_some()
                    || said.get(..at).is_some_and(|h| h.ends_with(['(', '（', '/']))
            })
        };
        self.is_number().then(|| SIZES.iter().find(in_unit).map(|(_, size)| *size))?
    }
}

/// A number so many times larger than all values is meant in another unit.
const OUTSIDE: f64 = 20.0;

impl Grid {
    /// Prepares the rows of a table. `whole` says that these are all its rows.
    pub fn new(columns: &[Column], batches: &[Batch], whole: bool) -> Self {
        let mut grid = Grid { whole, ..Grid::default() };
        let is_row = |batch: &Batch, i: usize| batch.mark(i).is_data();
        let kept: Vec<Vec<usize>> =
            batches.iter().map(|b| (0..b.len()).filter(|i| is_row(b, *i)).collect()).collect();
        for (batch, kept) in batches.iter().zip(&kept) {
            grid.rows.extend(kept.iter().filter_map(|i| batch.rows.get(*i)));
        }
        grid.marked = marked(columns, batches);
        grid.derived = batches.iter().any(|b| b.marks.contains(&Mark::Derived));
        for (c, column) in columns.iter().enumerate() {
            let mut cells = Vec::with_capacity(grid.rows.len());
            for (batch, kept) in batches.iter().zip(&kept) {
                match batch.columns.get(c) {
                    Some(from) => cells.extend(kept.iter().map(|i| grid.cell(from, *i, column.kind))),
                    None => cells.extend(kept.iter().map(|_| Cell::default())),
                }
            }
            grid.columns.push(field(column, cells));
        }
        if !whole {
            grid.take_counts(columns);
        }
        grid
    }

    /// Prepares the rows of a view.
    pub fn joined(view: View, columns: &[Column], batches: &[Batch], whole: bool) -> Self {
        Grid { view: Some(view), ..Grid::new(columns, batches, whole) }
    }

    /// Says which columns name rows of other tables by keys that are no names: nobody asks for those.
    pub fn with_references(self, references: Vec<usize>) -> Self {
        Grid { references, ..self }
    }

    /// The tables it was joined from, where it was.
    pub fn view(&self) -> Option<&View> {
        self.view.as_ref()
    }

    /// Takes from the counts over all rows what a part of them cannot tell.
    fn take_counts(&mut self, columns: &[Column]) {
        let most = columns.iter().filter_map(|c| c.stats.as_ref()).map(|s| s.filled).max().unwrap_or(0);
        for (field, column) in self.columns.iter_mut().zip(columns) {
            field.unique = column.stats.as_ref().map(|s| s.distinct == s.filled && s.filled == most);
        }
    }

    /// Whether its numbers are written with a comma before decimals.
    pub(crate) fn has_comma_decimals(&self) -> bool {
        self.columns.iter().any(|f| f.is_comma)
    }

    /// Whether some rows are computed from others in another way than by adding up.
    pub(crate) fn has_derived(&self) -> bool {
        self.derived
    }

    /// The label of a computed row.
    pub(crate) fn label(&self, rows: &[u64]) -> Option<&str> {
        self.marked.iter().find(|(row, _)| rows.contains(row)).map(|(_, label)| label.as_str())
    }

    /// Whether all rows of the table are here, so that results are exact.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// What its columns are for.
    pub(crate) fn roles(&self) -> &Roles {
        self.roles.get_or_init(|| Roles::of(self))
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of a stem, if any cell has it.
    pub(crate) fn stem(&self, stem: &str) -> Option<u32> {
        self.stems.get(stem).copied()
    }

    /// The cell of a column and a row.
    pub(crate) fn at(&self, column: usize, row: u32) -> Option<&Cell> {
        self.columns.get(column)?.cells.get(row as usize)
    }

    fn cell(&mut self, from: &Cells, i: usize, kind: Kind) -> Cell {
        let text = from.text(i).into_owned();
        let words = word::words(&text);
        let stems = words.iter().map(|w| self.intern(&w.stem)).collect();
        let key = if words.is_empty() { text.trim().to_lowercase() } else { joined(&words) };
        let (size, day) = sized(from, i, kind);
        let typed = kind != Kind::Text && !from.value.is_null(i);
        let plain = typed.then(|| table::plain(&from.value, i).into_owned());
        let same = denote::one(&text);
        Cell { text, plain, key, stems, size, day, same }
    }

    fn intern(&mut self, stem: &str) -> u32 {
        if let Some(id) = self.stems.get(stem) {
            return *id;
        }
        let id = self.stems.len() as u32;
        self.stems.insert(stem.to_owned(), id);
        id
    }
}

/// The computed rows with their labels: the first text in them.
fn marked(columns: &[Column], batches: &[Batch]) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    for batch in batches {
        let is_computed = |i: &usize| !matches!(batch.mark(*i), Mark::Data | Mark::Hidden | Mark::Section);
        for i in (0..batch.len()).filter(is_computed).take(MOST_MARKED) {
            let texts = columns.iter().zip(&batch.columns).filter(|(c, _)| c.kind == Kind::Text);
            let label = texts.map(|(_, cells)| cells.text(i)).find(|text| !text.trim().is_empty());
            if let (Some(row), Some(label)) = (batch.rows.get(i), label) {
                found.push((*row, label.trim().to_owned()));
            }
        }
    }
    found
}

/// More computed rows than this are not asked for by their labels.
const MOST_MARKED: usize = 500;

fn joined(words: &[Word]) -> String {
    let texts: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
    texts.join(" ")
}

/// What a cell is compared by, and its day.
fn sized(from: &Cells, i: usize, kind: Kind) -> (Option<f64>, Option<i32>) {
    if from.value.is_null(i) {
        return (None, None);
    }
    match kind {
        Kind::Integer => (Some(from.value.as_primitive::<Int64Type>().value(i) as f64), None),
        Kind::Decimal => (Some(from.value.as_primitive::<Float64Type>().value(i)), None),
        Kind::Date => day(from.value.as_primitive::<Date32Type>().value(i)),
        Kind::DateTime => {
            let micros = from.value.as_primitive::<TimestampMicrosecondType>().value(i);
            (Some(micros as f64 / DAY as f64), i32::try_from(micros.div_euclid(DAY)).ok())
        }
        Kind::Boolean => (None, None),
        Kind::Text => {
            let text = from.value.as_string::<i32>().value(i);
            (lead(text), value::date(text))
        }
    }
}

fn day(days: i32) -> (Option<f64>, Option<i32>) {
    (Some(f64::from(days)), Some(days))
}

/// Whether a text begins with a number that stands for itself, as `12 kg` does and `T-40` and `7a` do not.
pub(crate) fn is_amount(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || "-+−$€£¥".contains(c));
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || ".,'’ ".contains(c));
    text.starts_with(|c: char| c.is_ascii_digit())
        && (rest.is_empty() || text.contains(char::is_whitespace) || rest == "%")
        && rest.chars().all(|c| c.is_alphabetic() || "%€$£²³°./ ".contains(c))
}

/// The number a text begins with, as SQL finds it too: `1,370 lb (635 kg)`, `$5`.
pub(crate) fn lead(text: &str) -> Option<f64> {
    let begin = text.find(|c: char| c.is_ascii_digit())?;
    if begin > 4 {
        return None;
    }
    let rest = text.get(begin..)?;
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == ',')).unwrap_or(rest.len());
    let mut number = rest.get(..end)?.replace(',', "");
    if let Some(tail) = rest.get(end..).and_then(|r| r.strip_prefix('.')) {
        let digits = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        if digits > 0 {
            number.push('.');
            number.push_str(tail.get(..digits)?);
        }
    }
    let negative = text.get(..begin).is_some_and(|head| head.ends_with(['-', '−']));
    number.parse().ok().map(|n: f64| if negative { -n } else { n })
}

fn field(column: &Column, mut cells: Vec<Cell>) -> Field {
    let filled = cells.iter().filter(|c| !c.key.is_empty()).count();
    let measure = measure(column.kind, &cells, filled);
    match measure {
        Measure::None => cells.iter_mut().for_each(|c| c.size = None),
        Measure::Clock => cells.iter_mut().for_each(|c| c.size = clock::size(&c.text)),
        _ => {}
    }
    let values = values(&cells);
    let words = word::words(&column.name);
    let (name, kind, unit) = (column.name.clone(), column.kind, column.unit.clone());
    let range = column.stats.as_ref().and_then(|s| s.range.clone());
    let is_derived = column.is_derived();
    let is_comma = column.style.decimal == value::Decimal::Comma;
    Field {
        name,
        kind,
        unit,
        decimals: column.decimals,
        range,
        is_derived,
        is_comma,
        unique: None,
        words,
        measure,
        values,
        filled,
        cells,
    }
}

/// The rows of each value.
fn values(cells: &[Cell]) -> Vec<Vec<u32>> {
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut values: Vec<Vec<u32>> = Vec::new();
    for (row, cell) in cells.iter().enumerate().filter(|(_, c)| !c.key.is_empty()) {
        let at = *places.entry(cell.key.as_str()).or_insert(values.len());
        if at == values.len() {
            values.push(Vec::new());
        }
        if let Some(rows) = values.get_mut(at) {
            rows.push(row as u32);
        }
    }
    values
}

fn measure(kind: Kind, cells: &[Cell], filled: usize) -> Measure {
    match kind {
        Kind::Integer | Kind::Decimal => Measure::Number,
        Kind::Date | Kind::DateTime => Measure::Day,
        Kind::Boolean => Measure::None,
        Kind::Text => {
            let is_enough = |sized: usize| sized > 0 && sized as f64 >= filled as f64 * MEASURED;
            if is_enough(cells.iter().filter(|c| clock::size(&c.text).is_some()).count()) {
                return Measure::Clock;
            }
            let sized = cells.iter().filter(|c| c.size.is_some()).count();
            if is_enough(sized) { Measure::Lead } else { Measure::None }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_number_a_text_begins_with() {
        assert_eq!(lead("1,370 lb (635 kg)"), Some(1370.0));
        assert_eq!(lead("-2.5 %"), Some(-2.5));
        assert_eq!(lead("19.14 (128)"), Some(19.14));
        assert_eq!(lead("Boeing 747"), None);
    }
}
