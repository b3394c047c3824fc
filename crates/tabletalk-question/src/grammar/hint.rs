//! What words of a question and of names say by themselves, for those who read it in other ways: times, units, bounds.

use super::annotate::is_same;
use super::calendar::{self};
use super::dimension::Dimension;
use super::lexicon::{Concept, Lexicon, Period, Sense};
use super::role;
use super::thesaurus::Thesaurus;
use crate::analyse::Question;
use crate::grid::{Field, Grid, Measure};
use crate::link;
use crate::mask::{Mask, first, last};
use crate::program::Test;
use crate::read::Subject;
use crate::word::{self, Word};

/// The columns that are a series of months, quarters or years.
pub(crate) fn series(grid: &Grid) -> Vec<usize> {
    let times = role::series(grid);
    times.iter().enumerate().filter(|(_, t)| t.is_some()).map(|(c, _)| c).collect()
}

/// The columns of a series that lie in a longer time that a question names: the months of a quarter.
pub(crate) fn under(question: &Question, grid: &Grid) -> Vec<Vec<usize>> {
    let series = role::series(grid);
    let of = |time: calendar::Time| {
        let is = |(c, of): (usize, &Option<calendar::Time>)| of.filter(|of| time.covers(*of)).map(|_| c);
        series.iter().enumerate().filter_map(is).collect::<Vec<_>>()
    };
    calendar::times(question).into_iter().map(|(_, time)| of(time)).filter(|c| c.len() > 1).collect()
}

/// The columns of a series that a time in the question stands for, with its words: `March` for `Mar 2024`.
pub(crate) fn dated(question: &Question, grid: &Grid) -> Vec<(Mask, usize)> {
    let series = role::series(grid);
    let mut found = Vec::new();
    for (mask, time) in calendar::times(question) {
        let covers = |of: &Option<calendar::Time>| of.is_some_and(|of| time.covers(of));
        let mut columns = series.iter().enumerate().filter(|(_, of)| covers(of)).map(|(c, _)| c);
        if let (Some(only), None) = (columns.next(), columns.next()) {
            found.push((mask, only));
        }
    }
    found
}

/// The words of a question that are times: months, days, weekdays.
pub(crate) fn calendar(question: &Question) -> Vec<Mask> {
    calendar::times(question).into_iter().map(|(mask, _)| mask).collect()
}

/// Whether the cells of a column are days of the week.
pub(crate) fn has_weekdays(field: &Field) -> bool {
    let is_weekday = |time: &calendar::Time| matches!(time, calendar::Time::Weekday(_));
    calendar::cells(field).is_some_and(|times| times.iter().flatten().all(is_weekday))
}

/// Whether a word of a question is one of the everyday words for what a column holds: `kilos` for a weight.
pub(crate) fn speaks_of(question: &Question, grid: &Grid, column: usize) -> bool {
    let roles = grid.roles();
    let lexicon = Lexicon::get();
    let rings = |from: usize| {
        let said = Thesaurus::get().attributes(&question.words, from);
        said.iter().any(|(_, ring)| roles.rings.get(column).is_some_and(|own| own.contains(ring)))
    };
    let concepts = |from: usize| {
        let runs = (1..=3).filter_map(|len| question.words.get(from..from + len));
        runs.flat_map(|words| lexicon.concepts(words)).any(|c| roles.is_about(column, *c))
    };
    (0..question.words.len()).any(|from| rings(from) || concepts(from))
}

/// The parts of the calendar that a question names: `monthly`, `which year`.
pub(crate) fn periods(question: &Question) -> Vec<Period> {
    placed_periods(question).into_iter().map(|(_, period)| period).collect()
}

/// The same, each with the word that it begins at first.
pub(crate) fn placed_periods(question: &Question) -> Vec<(usize, Period)> {
    let lexicon = Lexicon::get();
    let mut found: Vec<(usize, Period)> = Vec::new();
    for from in 0..question.words.len() {
        for (_, sense) in lexicon.senses(&question.words, from) {
            if let Sense::Period(period) = sense
                && found.iter().all(|f| f.1 != period)
            {
                found.push((from, period));
            }
        }
    }
    found
}

/// Whether a question says that something is not so, or not there.
pub fn says_none(text: &str) -> bool {
    let (question, lexicon) = (Question::new(text), Lexicon::get());
    let denies = |from: usize| {
        let mut senses = lexicon.senses(&question.words, from).into_iter();
        senses.any(|(_, sense)| matches!(sense, Sense::Not | Sense::Without))
    };
    (0..question.words.len()).any(denies)
}

/// What the times that a question names say of the cells of columns.
pub(crate) fn times(question: &Question, grid: &Grid) -> Vec<(Mask, usize, Test)> {
    let mut found = Vec::new();
    for (mask, time) in calendar::times(question) {
        for (column, field) in grid.columns.iter().enumerate() {
            if field.measure == Measure::Day {
                found.extend(time.test().map(|test| (mask, column, test)));
            } else if let Some(cells) = calendar::cells(field) {
                let is = |r: &u32| cells.get(*r as usize).copied().flatten().is_some_and(|t| time.covers(t));
                let rows: Vec<u32> = (0..grid.len() as u32).filter(is).collect();
                if !rows.is_empty() {
                    found.push((mask, column, Test::Is(link::texts(field, &rows))));
                }
            }
        }
    }
    found
}

/// Whether the sign or the word beside a number says that it is no amount of what a column holds: five kilos are not held against
/// euros.
pub(crate) fn is_of_other_unit(question: &Question, number: Mask, grid: &Grid, column: usize) -> bool {
    let next = last(number).map(|at| at + 1);
    let word = Dimension::of_unit(question.text(next));
    let said = if question.money & number != 0 { Some(Dimension::Money) } else { word };
    let own = || Dimension::of_column(grid, grid.roles(), column);
    said.is_some_and(|said| own().is_some_and(|own| own != said))
}

/// Whether the words right before a number say that it is a bound: `at least 10`.
pub(crate) fn is_bound(question: &Question, number: Mask) -> bool {
    let Some(at) = first(number) else { return false };
    let bounds = |s: &Sense| matches!(s, Sense::More | Sense::Less | Sense::AtLeast | Sense::AtMost);
    (at.saturating_sub(4)..at).any(|from| {
        let senses = Lexicon::get().senses(&question.words, from).into_iter();
        senses.filter(|(len, _)| from + len == at).any(|(_, sense)| bounds(&sense))
    })
}

/// Whether a word calls the rows: `per order`, 每笔.
pub(crate) fn calls_rows(question: &Question, at: usize) -> bool {
    let senses = Lexicon::get().senses(&question.words, at);
    let is_row = |s: &Sense| matches!(s, Sense::Row | Sense::Booking);
    senses.iter().any(|(_, s)| is_row(s))
}

/// Whether a column of this name holds prices.
pub(crate) fn is_price(name: &[Word]) -> bool {
    is_about(name, Concept::Price)
}

/// Whether a column of this name holds quantities.
pub(crate) fn is_quantity(name: &[Word]) -> bool {
    is_about(name, Concept::Quantity)
}

fn is_about(name: &[Word], concept: Concept) -> bool {
    // In Chinese a word is written with several signs.
    let mut runs = (0..name.len()).flat_map(|i| (1..=3).filter_map(move |len| name.get(i..i + len)));
    runs.any(|words| Lexicon::get().concepts(words).contains(&concept))
}

/// Whether a question wants something computed: words outside `said`, and outside the names of a column and of the
/// table, say so.
pub(crate) fn computes(question: &Question, said: Mask, subject: &Subject<'_>, column: usize) -> bool {
    let mut names = subject.grid.columns.get(column).map(|f| f.words.clone()).unwrap_or_default();
    names.extend(word::words(subject.title));
    let is_named = |w: &Word| names.iter().any(|n| is_same(n, w));
    let computes = |sense: &Sense| {
        use Sense::*;
        matches!(
            sense,
            Sum | Average
                | Most
                | Least
                | MostOf(_)
                | LeastOf(_)
                | Latest
                | Earliest
                | Distinct
                | By
                | More
                | Less
                | AtLeast
                | AtMost
                | After
                | Before
                | Since
                | Between
                | Not
                | Without
                | Difference
                | Share
                | Top
                | Bottom
                | Future
                | Reason
                | Comparative(_)
                | ComparativeOf(..)
                | Than
                | Change
                | Half
                | MostOften
                | LeastOften
                | Back
                | Among
                | HowMany
                | Gone
        )
    };
    // What is left is computed too, and who won or came second is found by comparing.
    let is_other = |w: &Word| {
        word::is_ordinal(&w.text)
            || matches!(
                w.text.as_str(),
                "left"
                    | "remaining"
                    | "ubrig"
                    | "reste"
                    | "剩"
                    | "余"
                    | "won"
                    | "win"
                    | "wins"
                    | "gewonnen"
                    | "gagne"
                    | "赢"
            )
    };
    let is_free = |i: usize, w: &Word| said >> i & 1 == 0 && !is_named(w);
    if question.words.iter().enumerate().any(|(i, w)| is_other(w) && is_free(i, w)) {
        return true;
    }
    let lexicon = Lexicon::get();
    (0..question.words.len()).any(|from| {
        let is_free = |len: usize| {
            (from..from + len).all(|i| said >> i & 1 == 0 && !question.words.get(i).is_some_and(is_named))
        };
        lexicon.senses(&question.words, from).iter().any(|(len, sense)| computes(sense) && is_free(*len))
    })
}

/// Whether words outside `said` are everyday words for another attribute than a column is: an email is no phone.
pub(crate) fn names_other(question: &Question, said: Mask, subject: &Subject<'_>, column: usize) -> bool {
    let roles = subject.grid.roles();
    let Some(own) = roles.rings.get(column).filter(|rings| !rings.is_empty()) else { return false };
    (0..question.words.len()).filter(|i| said >> i & 1 == 0).any(|from| {
        let found = Thesaurus::get().attributes(&question.words, from);
        !found.is_empty() && found.iter().all(|(_, ring)| !own.contains(ring))
    })
}
