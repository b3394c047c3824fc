//! Words that name values.

use super::Fit;
use super::Meaning;
use super::Span;
use super::is_same;
use super::whole;
use crate::analyse::Question;
use crate::grammar::lexicon::{Lexicon, Sense};
use crate::grammar::role::Roles;
use crate::grammar::thesaurus::Thesaurus;
use crate::grid::{Grid, Measure};
use crate::link::{self, Grade};
use crate::mask::first;
use crate::program::{Condition, Test};
use crate::read::Subject;
use crate::word::{self, Word};
use tabletalk_core::Kind;

/// Values of one to three letters, written as in their cells: grades, sizes, codes of countries.
pub(super) fn short_values(text: &str, question: &Question, grid: &Grid) -> Vec<Span> {
    let mut found = Vec::new();
    for (i, word) in question.words.iter().enumerate() {
        let written = text.get(word.start..word.end).unwrap_or_default();
        let is_code = (1..=3).contains(&written.len()) && written.bytes().all(|b| b.is_ascii_uppercase());
        if !is_code || (i == 0 && written.len() == 1) {
            continue;
        }
        for (column, field) in grid.columns.iter().enumerate() {
            let rows: Vec<u32> = (0..grid.len() as u32)
                .filter(|r| field.cells.get(*r as usize).is_some_and(|c| c.text.trim() == written))
                .collect();
            if !rows.is_empty() {
                let condition = Condition { column, test: Test::Is(link::texts(field, &rows)) };
                found.push(Span::new(i, i + 1, Meaning::Value(condition, Fit::Exact), 1.02));
            }
        }
    }
    found
}

/// Values of a column of choices with another ending: the `offen` of `die offenen Rechnungen`.
pub(super) fn inflected(question: &Question, grid: &Grid) -> Vec<Span> {
    const CHOICES: usize = 30;
    let mut found = Vec::new();
    for (column, field) in grid.columns.iter().enumerate() {
        if field.kind != Kind::Text || field.values.len() > CHOICES {
            continue;
        }
        for rows in &field.values {
            let Some(cell) = rows.first().and_then(|r| field.cells.get(*r as usize)) else { continue };
            let [value] = &word::words(&cell.text)[..] else { continue };
            let differs = |w: &&Word| w.stem != value.stem && w.text.len() > 4 && is_same(w, value);
            let at = question.words.iter().enumerate().filter(|(_, w)| differs(w));
            let condition = || Condition { column, test: Test::Is(link::texts(field, rows)) };
            found.extend(at.map(|(i, _)| Span::new(i, i + 1, Meaning::Value(condition(), Fit::Part), 0.9)));
        }
    }
    found
}

/// Whether the word before a number says what it numbers: `ticket 7123`, `No. 12`.
fn is_named_before(question: &Question, link: &link::Link, subject: &Subject<'_>, roles: &Roles) -> bool {
    let Some(from) = first(link.mask) else { return false };
    // What was `in 2021` was in that year.
    const OF_TIME: [&str; 14] = [
        "in", "since", "before", "after", "until", "during", "im", "seit", "vor", "nach", "bis", "en",
        "depuis", "avant",
    ];
    if from.checked_sub(1).is_some_and(|i| OF_TIME.contains(&question.text(Some(i)))) {
        return false;
    }
    let before = (from.saturating_sub(2)..from).filter_map(|i| question.words.get(i));
    let name = roles.names.get(link.condition.column).into_iter().flatten().flatten();
    let mut names: Vec<Word> = name.cloned().collect();
    names.extend(word::words(subject.title));
    names.extend(word::words(subject.relation));
    before.into_iter().any(|w| {
        let row = Lexicon::get().senses(std::slice::from_ref(w), 0);
        let is_row =
            |s: &Sense| matches!(s, Sense::Row | Sense::Booking | Sense::Item | Sense::Head | Sense::Person);
        names.iter().any(|n| is_same(n, w))
            || row.iter().any(|(_, s)| is_row(s))
            || !Thesaurus::get().things(std::slice::from_ref(w), 0).is_empty()
    })
}

pub(super) fn values(text: &str, question: &Question, subject: &Subject<'_>, roles: &Roles) -> Vec<Span> {
    let grid = subject.grid;
    let mut found = Vec::new();
    let is_day =
        |l: &link::Link| grid.columns.get(l.condition.column).is_some_and(|f| f.measure == Measure::Day);
    let is_bare_code = |l: &link::Link| {
        let words = (0..question.words.len()).filter(|i| l.mask >> i & 1 == 1);
        let is_number = |i: usize| {
            question.words.get(i).is_some_and(|w| {
                w.number().is_some() && !w.text.starts_with('0') || word::is_ordinal(&w.text)
            })
        };
        words.clone().count() == 1
            && words.clone().all(is_number)
            && roles.is_code(grid, l.condition.column)
            && !is_named_before(question, l, subject, roles)
    };
    // The `three` of `the three largest` is no `TE003`, and no row with a 3.
    let is_spelled = |l: &link::Link| {
        let mut words = (0..question.words.len()).filter(|i| l.mask >> i & 1 == 1);
        let (Some(one), None) = (words.next(), words.next()) else { return false };
        let Some(word) = question.words.get(one).filter(|w| w.count().is_some() && w.number().is_none())
        else {
            return false;
        };
        let cell = l.rows.first().and_then(|row| grid.at(l.condition.column, *row));
        !word.is_han() && cell.is_some_and(|c| !c.text.to_lowercase().contains(&word.text))
    };
    for link in link::values(question, grid).into_iter().filter(|l| l.grade == Grade::Whole || !is_day(l)) {
        if is_bare_code(&link) || is_spelled(&link) {
            continue;
        }
        let fit = match link.grade {
            Grade::Whole | Grade::Number => Fit::Exact,
            Grade::Most => Fit::Part,
            _ => Fit::Compound,
        };
        let weight = value_weight(text, question, &link, fit, grid);
        if weight <= WORDLESS {
            continue;
        }
        found.push(whole(link.mask, Meaning::Value(link.condition, fit), weight));
    }
    found
}

/// A part of a value that is a word of the language speaks of no value: the `people` of `Friendly people`.
const WORDLESS: f32 = 0.1;

/// How much a value speaks: less where its words are words of the language too and are not written as in the cell.
fn value_weight(text: &str, question: &Question, link: &link::Link, fit: Fit, grid: &Grid) -> f32 {
    let base = match fit {
        Fit::Exact => 1.02,
        Fit::Part => 0.8,
        _ => 0.68,
    };
    let written = question.written(text, link.mask);
    let cell = link.rows.first().and_then(|row| grid.at(link.condition.column, *row));
    let as_written = cell.is_some_and(|c| c.text.contains(written)) && first(link.mask) != Some(0);
    let words: Vec<&Word> = (0..question.words.len())
        .filter(|i| link.mask >> i & 1 == 1)
        .filter_map(|i| question.words.get(i))
        .collect();
    // A verb or a noun may be a value as well as anything else: `bezahlt`, `open`.
    let says = |s: &Sense| {
        matches!(
            s,
            Sense::Of(_)
                | Sense::Change
                | Sense::Light
                | Sense::Item
                | Sense::Booking
                | Sense::Person
                | Sense::Head
        )
    };
    let is_plain = |w: &&Word| {
        let senses = Lexicon::get().senses(std::slice::from_ref(w), 0);
        let is_value = fit == Fit::Exact && senses.iter().all(|(_, s)| says(s));
        let is_word = !(senses.is_empty() || is_value);
        (w.text.len() <= 2 && !w.is_han() && w.number().is_none()) || is_word
    };
    let is_small = |w: &&Word| w.number().is_some_and(|n| n < 1e4) && !w.text.starts_with('0');
    let before = first(link.mask).and_then(|i| i.checked_sub(1)).and_then(|i| question.words.get(i));
    let names = |w: &Word| {
        grid.columns.get(link.condition.column).is_some_and(|f| f.words.iter().any(|n| is_same(n, w)))
    };
    if words.iter().all(is_small) && !before.is_some_and(names) {
        // A small number is rather a number than the cell that has it.
        return base * 0.45;
    }
    let is_row = |w: &&Word| {
        let senses = Lexicon::get().senses(std::slice::from_ref(w), 0);
        senses.iter().any(|(_, s)| matches!(s, Sense::Person | Sense::Item | Sense::Booking))
    };
    let is_called = before.is_some_and(|w| matches!(w.text.as_str(), "in" | "im" | "the"));
    if words.iter().all(is_row) && !as_written && !is_called {
        // The `best paid people` are not those of the department `People`.
        return 0.6;
    }
    match words.iter().all(is_plain) {
        true if as_written && written.chars().any(char::is_uppercase) => base,
        true if words.iter().all(|w| w.text.len() <= 2 && !w.is_han()) => 0.2,
        // The `die` of `Die Uhr` is no film.
        true if fit != Fit::Exact => 0.1,
        true => base * 0.75,
        false => base,
    }
}

/// Computed rows by their labels.
pub(super) fn marked(question: &Question, grid: &Grid) -> Vec<Span> {
    let mut found = Vec::new();
    for (row, label) in &grid.marked {
        let label = word::words(label);
        for from in 0..question.words.len() {
            let pairs = label.iter().zip(question.words.iter().skip(from));
            let run = pairs.take_while(|(a, b)| is_same(a, b)).count();
            if run == label.len() && run > 0 {
                found.push(Span::new(from, from + run, Meaning::Marked(*row, Fit::Exact), 1.0));
            }
        }
    }
    found
}
