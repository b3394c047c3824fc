//! Whether the numbers of a row are those of other rows added up, averaged or counted.

use super::label::{self, Way};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use tabletalk_core::{Cells, Column, Kind};

/// Of more runs of rows than this between totals, the first are taken as one.
const MAX_RUNS: usize = 200;
/// How many rows tell whether a column counts its rows or holds years.
const LOOK: usize = 50;

/// A column of numbers.
#[derive(Debug, Clone)]
pub(super) struct Measure {
    /// Where it stands among the columns.
    pub(super) at: usize,
    /// The step of the last decimal that is written.
    step: f64,
    /// Its values add up, as prices and shares do not.
    adds: bool,
}

impl Measure {
    /// Whether a number is too large to be the sum or difference of others by chance.
    pub(super) fn is_large(&self, v: f64) -> bool {
        (v / self.step).abs() >= 10.0
    }
}

/// The columns whose numbers can tell totals. `cells` are some of the first rows.
pub(super) fn measures(columns: &[Column], cells: &[Cells]) -> Vec<Measure> {
    let numeric = |c: &Column| matches!(c.kind, Kind::Integer | Kind::Decimal);
    let pairs = columns.iter().zip(cells).enumerate().filter(|(_, (column, _))| numeric(column));
    let found = pairs.filter_map(|(at, (column, cells))| {
        let look: Vec<f64> =
            (0..cells.value.len()).filter_map(|i| number(&cells.value, i)).take(LOOK).collect();
        if counts_rows(&look) || are_years(&look) {
            return None;
        }
        let share = column.unit.as_deref() == Some("%");
        let decimals = i32::from(column.decimals) + if share { 2 } else { 0 };
        let adds = !share && !label::is_rate(&column.name);
        Some(Measure { at, step: 10f64.powi(-decimals), adds })
    });
    found.collect()
}

/// Whether numbers go 1, 2, 3: a rank or a running number, whose sum means nothing.
fn counts_rows(look: &[f64]) -> bool {
    look.len() > 2 && look.windows(2).all(|w| matches!(w, [a, b] if b - a == 1.0))
}

fn are_years(look: &[f64]) -> bool {
    // The last number may be that of the total.
    let all = look.split_last().map_or(look, |(_, rest)| rest);
    all.len() > 1 && all.iter().all(|v| v.fract() == 0.0 && (1900.0..=2100.0).contains(v))
}

pub(super) fn number(array: &ArrayRef, i: usize) -> Option<f64> {
    if array.is_null(i) {
        return None;
    }
    match array.data_type() {
        DataType::Int64 => Some(array.as_primitive::<Int64Type>().value(i) as f64),
        DataType::Float64 => Some(array.as_primitive::<Float64Type>().value(i)),
        _ => None,
    }
}

/// The numbers of a row, one for each measure.
pub(super) fn numbers(cells: &[Cells], measures: &[Measure], i: usize) -> Vec<Option<f64>> {
    measures.iter().map(|m| cells.get(m.at).and_then(|c| number(&c.value, i))).collect()
}

/// What the numbers of some rows of a column come to.
#[derive(Debug, Clone, Copy)]
struct Tally {
    rows: u64,
    sum: f64,
    /// The sum of the numbers without their signs: what rounding errors grow with.
    size: f64,
    least: f64,
    most: f64,
}

impl Default for Tally {
    fn default() -> Self {
        Tally { rows: 0, sum: 0.0, size: 0.0, least: f64::INFINITY, most: f64::NEG_INFINITY }
    }
}

/// What a number says about being made of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Yes,
    No,
    /// Nothing added up is nothing.
    Zero,
}

impl Tally {
    fn add(&mut self, v: f64) {
        self.merge(&Tally { rows: 1, sum: v, size: v.abs(), least: v, most: v });
    }
    fn merge(&mut self, other: &Tally) {
        self.rows += other.rows;
        self.sum += other.sum;
        self.size += other.size;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }
    fn gives(&self, way: Way, v: f64, step: f64, one: bool) -> Verdict {
        let float = 1e-9 * (self.size + v.abs()) + 1e-9;
        let near = |made: f64, tolerance: f64| {
            if (made - v).abs() <= tolerance { Verdict::Yes } else { Verdict::No }
        };
        match way {
            _ if self.rows == 0 && v == 0.0 => Verdict::Zero,
            _ if self.rows == 0 => Verdict::No,
            Way::Mean => near(self.sum / self.rows as f64, float + (0.51 * step).max(0.0005 * v.abs())),
            Way::Least => near(self.least, float),
            Way::Most => near(self.most, float),
            Way::Count => near(self.rows as f64, float),
            _ if v == 0.0 && self.size == 0.0 => Verdict::Zero,
            _ if self.rows == 1 && !one => Verdict::No,
            // Rounded addends miss their rounded sum by about half a step for each, in the mean of all signs.
            _ => near(self.sum, float + (0.6 * step * (self.rows as f64).sqrt()).min(0.005 * v.abs())),
        }
    }
}

/// What rows come to, column by column.
#[derive(Debug, Clone)]
pub(super) struct Run(Vec<Tally>);

/// How many columns are for and against a row's being made of others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Votes {
    pub(super) yes: usize,
    /// Of those that say yes, the ones that do so with a number too large for chance.
    pub(super) large: usize,
    pub(super) no: usize,
    zero: usize,
}

impl Votes {
    /// Most columns that have a number agree.
    pub(super) fn carry(self, way: Way) -> bool {
        self.yes > self.no || self.yes + self.no == 0 && self.zero > 0 && way.is_plain()
    }
}

impl Run {
    pub(super) fn new(width: usize) -> Self {
        Run(vec![Tally::default(); width])
    }
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|t| t.rows == 0)
    }
    /// The most rows any column has a number in.
    pub(super) fn rows(&self) -> u64 {
        self.0.iter().map(|t| t.rows).max().unwrap_or(0)
    }
    pub(super) fn add(&mut self, row: &[Option<f64>]) {
        for (tally, v) in self.0.iter_mut().zip(row) {
            if let Some(v) = v {
                tally.add(*v);
            }
        }
    }
    fn merge(&mut self, other: &Run) {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, more)| sum.merge(more));
    }
    /// Adds rows of columns, one column after the other.
    fn add_rows(&mut self, cells: &[Cells], measures: &[Measure], rows: std::ops::Range<usize>) {
        for (tally, m) in self.0.iter_mut().zip(measures) {
            let Some(array) = cells.get(m.at).map(|c| &c.value) else { continue };
            rows.clone().filter_map(|i| number(array, i)).for_each(|v| tally.add(v));
        }
    }
    /// What each column says to a row's being made of these.
    pub(super) fn votes(&self, way: Way, row: &[Option<f64>], measures: &[Measure]) -> Votes {
        self.votes_of(way, row, measures, way.is_plain())
    }
    /// The same; `one` says that the sum of a single row is one.
    fn votes_of(&self, way: Way, row: &[Option<f64>], measures: &[Measure], one: bool) -> Votes {
        let mut votes = Votes::default();
        for ((tally, v), m) in self.0.iter().zip(row).zip(measures) {
            let Some(v) = *v else { continue };
            match tally.gives(way, v, m.step, one) {
                Verdict::Yes => {
                    votes.yes += 1;
                    votes.large += usize::from(m.is_large(v));
                }
                Verdict::No => votes.no += usize::from(m.adds || !way.is_sum()),
                Verdict::Zero => votes.zero += 1,
            }
        }
        votes
    }
}

/// Whether one row is another less a third, in most columns that have a number.
pub(super) fn is_difference(
    row: &[Option<f64>],
    from: &[Option<f64>],
    less: &[Option<f64>],
    measures: &[Measure],
) -> bool {
    let (mut yes, mut no) = (0, 0);
    for (i, m) in measures.iter().enumerate() {
        let get = |row: &[Option<f64>]| row.get(i).copied().flatten();
        let (Some(v), Some(a), Some(b)) = (get(row), get(from), get(less)) else {
            no += usize::from(m.adds && get(row).is_some());
            continue;
        };
        let is_near =
            (a - b - v).abs() <= 1e-9 * (a.abs() + b.abs()) + 1e-9 + 1.01 * m.step.min(0.005 * v.abs());
        match is_near {
            true => yes += 1,
            false => no += usize::from(m.adds),
        }
    }
    yes > no
}

/// The rows so far, in runs from one total to the next.
#[derive(Debug)]
pub(super) struct Ledger {
    runs: Vec<Run>,
    width: usize,
}

/// How much of the rows so far a total covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cover {
    All,
    Last,
}

impl Ledger {
    pub(super) fn new(width: usize) -> Self {
        Ledger { runs: vec![Run::new(width)], width }
    }
    pub(super) fn add_rows(&mut self, cells: &[Cells], measures: &[Measure], rows: std::ops::Range<usize>) {
        if let Some(run) = self.runs.last_mut() {
            run.add_rows(cells, measures, rows);
        }
    }
    /// Ends a run: totals to come may begin here.
    pub(super) fn cut(&mut self) {
        if self.runs.last().is_some_and(Run::is_empty) {
            return;
        }
        if self.runs.len() == MAX_RUNS {
            let second = self.runs.remove(1);
            if let Some(first) = self.runs.first_mut() {
                first.merge(&second);
            }
        }
        self.runs.push(Run::new(self.width));
    }
    /// All rows together.
    pub(super) fn all(&self) -> Run {
        let mut all = Run::new(self.width);
        self.runs.iter().for_each(|run| all.merge(run));
        all
    }
    /// The rows, from one of the cuts to here, that come to these numbers.
    pub(super) fn find(&self, way: Way, row: &[Option<f64>], measures: &[Measure]) -> Option<Cover> {
        let mut sum = Run::new(self.width);
        let mut found = None;
        for (i, run) in self.runs.iter().enumerate().rev().filter(|(_, run)| !run.is_empty()) {
            sum.merge(run);
            let begins = self.runs.iter().take(i).all(Run::is_empty);
            // A group of one row has a sum too, where others before it have one.
            let one = way.is_plain() || !begins;
            if sum.votes_of(way, row, measures, one).carry(way) {
                found = Some(if begins { Cover::All } else { Cover::Last });
            }
        }
        found
    }
}
