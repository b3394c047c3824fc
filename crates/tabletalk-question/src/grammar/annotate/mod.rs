//! What each run of words of a question may mean over a table.

mod column;
mod number;
mod sense;
mod value;
mod verb;

pub(in crate::grammar) use column::has_head;
pub(in crate::grammar) use verb::is_of_verb;

use crate::analyse::Question;
use crate::grammar::calendar::{self, Time};
use crate::grammar::lexicon::Sense;
use crate::grammar::role::Roles;
use crate::grid::Grid;
use crate::mask::{Mask, first, last, span};
use crate::program::{Condition, Test, Value};
use crate::read::Subject;
use crate::word::{self, Word};
use column::{columns, joined, labels, levels, things};
pub(in crate::grammar) use number::done_and_due;
use number::{clocks, late, numbers, unfinished};
use sense::{about, relative, senses, verbs};
use value::{inflected, marked, short_values, values};

/// What a run of words may mean.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Meaning {
    /// A word of the language.
    Sense(Sense),
    /// A column, by its name.
    Column(usize, Fit),
    /// Rows whose cell in a column is this.
    Value(Condition, Fit),
    /// A total or another computed row, by its label.
    Marked(u64, Fit),
    /// A number.
    Number(f64),
    /// A percentage.
    Percent(f64),
    /// A level of a header with several: all columns under it.
    Level(Vec<usize>),
    /// A stretch of time.
    Time(Time),
    /// What the table is about: a word of its title or name.
    About,
}

/// How well words fit what they are taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// A word of another kind that means the same.
    Synonym,
    /// A part of a longer word.
    Compound,
    /// Some of the words.
    Part,
    /// All of it.
    Exact,
}

/// A run of words and one thing that it may mean.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub mask: Mask,
    pub meaning: Meaning,
    /// How much of the question this explains, and how well.
    pub score: f32,
}

impl Span {
    fn new(from: usize, to: usize, meaning: Meaning, weight: f32) -> Span {
        let words = (to - from) as f32;
        // A longer phrase says more than its words one by one.
        Span { mask: span(from, to), meaning, score: weight * words + 0.05 * (words - 1.0) }
    }
}

/// All that runs of words of a question may mean.
pub(crate) fn spans(text: &str, question: &Question, subject: &Subject<'_>, roles: &Roles) -> Vec<Span> {
    let mut found = senses(question, subject.grid, roles);
    found.extend(columns(text, question, subject.grid, roles));
    found.extend(values(text, question, subject, roles));
    found.extend(inflected(question, subject.grid));
    found.extend(marked(question, subject.grid));
    found.extend(about(question, subject));
    found.extend(joined(question, subject.grid));
    found.extend(things(question, roles));
    found.extend(
        calendar::times(question).into_iter().map(|(mask, time)| whole(mask, Meaning::Time(time), 0.95)),
    );
    found.extend(clocks(text, question, subject.grid));
    found.extend(relative(question, subject.grid, roles));
    found.extend(unfinished(question, subject.grid, roles));
    found.extend(late(question, subject.grid, roles));
    found.extend(numbers(text, question, subject.grid.has_comma_decimals()));
    found.extend(levels(question, roles));
    found.extend(labels(question, roles));
    found.extend(short_values(text, question, subject.grid));
    found.iter_mut().for_each(|span| keep_written(text, span));
    found = told_by_values(found, subject.grid);
    found.extend(verb::done_on(text, question, subject.grid, roles));
    found.extend(verbs(text, question, &found));
    found
}

/// Of values that differ only by signs, those that are written so: blood of the group `0+` is not that of `0-`.
fn keep_written(text: &str, span: &mut Span) {
    let Meaning::Value(Condition { test: Test::Is(values), .. }, _) = &mut span.meaning else { return };
    let first = values.first().map(|v| word::key(&v.text));
    if values.len() < 2 || !values.iter().all(|v| Some(word::key(&v.text)) == first) {
        return;
    }
    let is_written = |v: &Value| text.contains(v.text.trim());
    let longest = values.iter().filter(|v| is_written(v)).map(|v| v.text.len()).max();
    if let Some(longest) = longest {
        values.retain(|v| is_written(v) && v.text.len() == longest);
    }
}

/// Words for rows that are values of the table say more as these: the `entrées` of a menu. What all values of a column have says which
/// column is meant: the floor of `Floor 1`, `Floor 2`.
fn told_by_values(mut found: Vec<Span>, grid: &Grid) -> Vec<Span> {
    const SEVERAL: usize = 3;
    for span in &mut found {
        let Meaning::Value(condition, fit) = &span.meaning else { continue };
        let Test::Is(values) = &condition.test else { continue };
        let all = grid.columns.get(condition.column).map_or(0, |f| f.values.len());
        if *fit != Fit::Exact && values.len() >= SEVERAL && values.len() == all {
            span.meaning = Meaning::Column(condition.column, Fit::Part);
        }
    }
    let is_value = |s: &&Span| matches!(s.meaning, Meaning::Value(_, Fit::Exact));
    let values: Vec<Mask> = found.iter().filter(is_value).map(|s| s.mask).collect();
    found.retain(|s| s.meaning != Meaning::Sense(Sense::Row) || !values.contains(&s.mask));
    found
}

fn whole(mask: Mask, meaning: Meaning, weight: f32) -> Span {
    let (from, to) = (first(mask).unwrap_or(0), last(mask).map_or(0, |l| l + 1));
    Span::new(from, to, meaning, weight)
}

/// Whether two words are the same but for their endings, in one of the languages.
pub(crate) fn is_same(a: &Word, b: &Word) -> bool {
    // What is hourly is no hour.
    let is_adverb = |w: &Word| w.text.len() > 4 && w.text.ends_with("ly");
    a.text == b.text
        || a.stem == b.stem && is_adverb(a) == is_adverb(b)
        || (a.text.len() > 3 && b.text.len() > 3 && word::is_inflected(&a.text, &b.text))
}
