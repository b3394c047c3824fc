//! The parts of a question in their places: what is asked, of which rows, by what.

mod build;
mod compare;
mod group;
mod settle;
mod word;

pub(crate) use build::Builder;
pub(super) use build::is_light;

use super::annotate::Fit;
use super::dimension::Dimension;
use super::lexicon::{Concept, Period};
use crate::program::{Condition, Key, Test};

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wh {
    Who,
    Which,
    What,
    When,
    Where,
    HowMany,
    HowMuch,
    Show,
}

/// The largest or smallest of something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Superlative {
    pub at: usize,
    pub most: bool,
    /// It is said of how many there are, not of how large one is: `most`, not `largest`.
    pub counts: bool,
    /// What the adjective itself compares by.
    pub concept: Option<Concept>,
    /// It compares by time.
    pub by_time: bool,
    /// It says what is good or bad: `worst`.
    pub judges: bool,
}

/// A column that the question names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Named {
    pub at: usize,
    pub column: usize,
    pub fit: Fit,
    /// It is named by a verb: `tested`, for a column `test`.
    pub is_verb: bool,
}

/// A number that a statement says of something.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Claim {
    pub at: usize,
    pub test: Test,
    /// It counts what follows: rows, or values of a column.
    pub counts: bool,
    /// It is a percentage.
    pub is_percent: bool,
}

/// Of how many of the rows that are spoken of a statement says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantifier {
    Every,
    NotEvery,
    No,
    Most,
}

/// The parts of a question in their places.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    pub wh: Vec<(usize, Wh)>,
    pub sum: Option<usize>,
    pub average: Option<usize>,
    pub superlatives: Vec<Superlative>,
    pub distinct: bool,
    pub share: bool,
    pub difference: bool,
    /// It is one of numbers of rows: `how many more`.
    pub counted: bool,
    /// Where it asks how something is: `how old`.
    pub how: Option<usize>,
    /// What the table is about is named: `eggs`.
    pub about: bool,
    /// The rows themselves are called money: `expenses`.
    pub money: bool,
    /// It counts how often: `how many times`.
    pub how_often: bool,
    /// It asks which place something takes.
    pub rank: bool,
    /// Each column of a series is wanted: `month by month`.
    pub by_series: bool,
    /// What is compared by is wanted beside what has it: `and their prices`.
    pub beside: bool,
    pub keys: Vec<(usize, Key)>,
    /// A part of the calendar that is asked for: `which month`.
    pub period: Option<Period>,
    pub limit: Option<usize>,
    /// How many better ones are passed over: `second`.
    pub skip: usize,
    pub conditions: Vec<(usize, Condition)>,
    /// Computed rows that are named.
    pub marked: Vec<u64>,
    /// They are named as sums: `in total`.
    pub marked_sum: bool,
    pub columns: Vec<Named>,
    /// The rows themselves are named: `orders`, `people`.
    pub rows: bool,
    pub rows_at: Option<usize>,
    pub people: bool,
    /// Only groups of so many rows: `cities with more than 100 orders`.
    pub having: Option<Test>,
    /// Verbs that speak of a column which is not there.
    pub verbs: Vec<Concept>,
    pub all: bool,
    /// Of how many rows a statement says something, and where it says so.
    pub quantifier: Option<(usize, Quantifier)>,
    /// Where words part what a statement is about from what it says: `are`, `costs`.
    pub copulas: Vec<usize>,
    /// Only the rows of the answer before: `of them`.
    pub among: bool,
    /// More or less, by what the adjective says if it says so; what it is compared with follows `than`.
    pub comparative: Option<(Option<Concept>, bool)>,
    pub than: bool,
    /// From one column of a series to another.
    pub range: bool,
    /// A column that must not be empty.
    pub filled: Option<usize>,
    /// It speaks of a change.
    pub change: bool,
    /// A verb that is not known.
    pub verb: bool,
    /// A verb that says little.
    pub light: bool,
    /// Units are counted, not rows: `how many hours`.
    pub counts_units: bool,
    /// What these units are of.
    pub counted_unit: Option<Dimension>,
    /// Columns are named one beside another: `name and salary`.
    pub joined: bool,
    /// It speaks of numbers that rows are known by.
    pub says_id: bool,
    /// It speaks of the whole: `of the whole claim`.
    pub whole: bool,
    /// Several things are asked about one by one: `respectively`.
    pub each: bool,
    /// Numbers that a statement says, each with its place and whether rows follow it: `12 employees`.
    pub claims: Vec<Claim>,
    /// More or less than another row: `earns more than Bob`.
    pub versus: Option<bool>,
    /// Later or earlier than another row.
    pub versus_by_time: bool,
    /// Everything that was not certain, as factors of trust.
    pub trust: f32,
}
