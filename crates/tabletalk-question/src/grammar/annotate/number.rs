//! Numbers as they are written.

use super::Fit;
use super::Meaning;
use super::Span;
use super::whole;
use crate::analyse::{Amount, Question};
use crate::clock;
use crate::grammar::calendar::Time;
use crate::grammar::lexicon::{Lexicon, Sense};
use crate::grammar::role::Roles;
use crate::grid::{Grid, Measure};
use crate::mask::first;
use crate::program::{Condition, Test};
use crate::word::Word;

/// What is open where a column says when it was closed: the rows that were not.
pub(super) fn unfinished(question: &Question, grid: &Grid, roles: &Roles) -> Vec<Span> {
    const OPEN: [&str; 13] = [
        "open",
        "unresolved",
        "unfinished",
        "outstanding",
        "owed",
        "owing",
        "pending",
        "offen",
        "offene",
        "offenen",
        "ouvert",
        "ouverts",
        "ouverts",
    ];
    const CLOSED: [&str; 16] = [
        "closed",
        "resolved",
        "completed",
        "finished",
        "done",
        "solved",
        "closed_at",
        "geschlossen",
        "abgeschlossen",
        "erledigt",
        "ferme",
        "cloture",
        "paid",
        "bezahlt",
        "paye",
        "settled",
    ];
    let does = |w: &Word| matches!(w.text.as_str(), "did" | "do" | "does" | "we");
    if question.words.iter().any(does) {
        return Vec::new();
    }
    let is_end = |c: &usize| {
        let mut words = roles.names.get(*c).into_iter().flatten().flatten();
        let lacks = |f: &crate::grid::Field| f.cells.iter().any(|c| c.is_missing(f.kind));
        grid.columns.get(*c).is_some_and(lacks) && words.any(|w| CLOSED.contains(&w.text.as_str()))
    };
    let mut ends = roles.days(grid).into_iter().filter(is_end);
    let empty = |column| Condition { column, test: Test::Empty };
    let open = match (ends.next(), ends.next()) {
        (Some(only), None) => Some(empty(only)),
        (None, _) => denied(grid, roles, &CLOSED),
        _ => None,
    };
    let Some(open) = open else { return Vec::new() };
    let is_open = |(_, w): &(usize, &Word)| OPEN.contains(&w.text.as_str());
    let condition = || open.clone();
    let at = question.words.iter().enumerate().filter(is_open);
    at.map(|(i, _)| Span::new(i, i + 1, Meaning::Value(condition(), Fit::Exact), 1.06)).collect()
}

/// What came after the day it was due, where columns say both: `late`.
pub(super) fn late(question: &Question, grid: &Grid, roles: &Roles) -> Vec<Span> {
    const LATE: [&str; 5] = ["late", "verspatet", "unpunktlich", "retard", "belated"];
    let Some((column, due)) = done_and_due(grid, roles) else { return Vec::new() };
    let condition = || Condition { column, test: Test::MoreThan(due) };
    let at = question.words.iter().enumerate().filter(|(_, w)| LATE.contains(&w.text.as_str()));
    at.map(|(i, _)| Span::new(i, i + 1, Meaning::Value(condition(), Fit::Exact), 1.02)).collect()
}

/// The column of the days on which something was done, and that of the days on which it was due.
pub(in crate::grammar) fn done_and_due(grid: &Grid, roles: &Roles) -> Option<(usize, usize)> {
    const DONE: [&str; 18] = [
        "returned",
        "delivered",
        "arrived",
        "completed",
        "finished",
        "paid",
        "received",
        "actual",
        "handed",
        "submitted",
        "geliefert",
        "erledigt",
        "bezahlt",
        "zuruck",
        "abgegeben",
        "livre",
        "rendu",
        "paye",
    ];
    const DUE: [&str; 13] = [
        "due",
        "promised",
        "expected",
        "planned",
        "scheduled",
        "deadline",
        "fallig",
        "geplant",
        "soll",
        "frist",
        "prevu",
        "echeance",
        "target",
    ];
    let only = |words: &[&str]| {
        let is_called = |c: &usize| {
            let mut said = roles.names.get(*c).into_iter().flatten().flatten();
            said.any(|w| words.contains(&w.text.as_str()))
        };
        let mut columns = roles.days(grid).into_iter().filter(is_called);
        columns.next().filter(|_| columns.next().is_none())
    };
    let (done, due) = (only(&DONE)?, only(&DUE)?);
    (done != due).then_some((done, due))
}

/// The rows of which a column of yes and no that is called by one of these words says no.
fn denied(grid: &Grid, roles: &Roles, words: &[&str]) -> Option<Condition> {
    const ANSWERS: [&str; 10] = ["yes", "no", "y", "n", "ja", "nein", "oui", "non", "true", "false"];
    const NO: [&str; 5] = ["no", "n", "nein", "non", "false"];
    let is_called = |c: &usize| {
        let mut said = roles.names.get(*c).into_iter().flatten().flatten();
        said.any(|w| words.contains(&w.text.as_str()))
    };
    let is_flag = |c: &usize| {
        let is_answer = |cell: &crate::grid::Cell| ANSWERS.contains(&cell.key.as_str());
        grid.columns.get(*c).is_some_and(|f| f.filled > 0 && f.cells.iter().all(is_answer))
    };
    let mut flags = (0..grid.columns.len()).filter(|c| is_called(c) && is_flag(c));
    let (Some(column), None) = (flags.next(), flags.next()) else { return None };
    let field = grid.columns.get(column)?;
    let is_no = |r: &u32| field.cells.get(*r as usize).is_some_and(|c| NO.contains(&c.key.as_str()));
    let rows: Vec<u32> = (0..grid.len() as u32).filter(is_no).collect();
    (!rows.is_empty()).then(|| Condition { column, test: Test::Is(crate::link::texts(field, &rows)) })
}

/// Times of day, where a column has times that are written so.
pub(super) fn clocks(text: &str, question: &Question, grid: &Grid) -> Vec<Span> {
    if grid.columns.iter().all(|f| f.measure != Measure::Clock) {
        return Vec::new();
    }
    let found = clock::times(text, question).into_iter();
    found.map(|(mask, minutes)| whole(mask, Meaning::Time(Time::Clock(minutes)), 1.0)).collect()
}

/// The number of a text such as `5.000`, where points group thousands.
fn grouped(written: &str) -> Option<f64> {
    let (head, tail) = written.split_once('.')?;
    let groups = || tail.split('.');
    let is_grouped = (1..=3).contains(&head.len()) && groups().all(|g| g.len() == 3);
    let digits: String = written.chars().filter(char::is_ascii_digit).collect();
    (is_grouped && head.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok())?
}

pub(super) fn numbers(text: &str, question: &Question, is_comma: bool) -> Vec<Span> {
    let mut found = Vec::new();
    for mention in &question.mentions {
        let Amount::Number(n) = mention.what else { continue };
        let is_unit = |c: char| matches!(c, '万' | '亿' | '元' | '块' | '斤' | ' ');
        if question.written(text, mention.mask).chars().all(is_unit) {
            // The `万元` of `经费(万元)` is no number.
            continue;
        }
        let word = first(mention.mask).and_then(|i| question.words.get(i));
        let rest = word.and_then(|w| text.get(w.end..)).unwrap_or_default().trim_start();
        let written = word.and_then(|w| w.number());
        match rest.starts_with(['%', '％']) {
            true => found.push(whole(mention.mask, Meaning::Percent(written.unwrap_or(n)), 0.9)),
            false if is_comma && word.and_then(|w| grouped(&w.text)).is_some() => {
                let n = word.and_then(|w| grouped(&w.text)).unwrap_or(n);
                found.push(whole(mention.mask, Meaning::Number(n), 0.8));
            }
            false => found.push(whole(mention.mask, Meaning::Number(n), 0.8)),
        }
    }
    found
}

/// Whether words compare: `older` says more than which column is meant.
pub(super) fn is_degree(question: &Question, from: usize, len: usize) -> bool {
    let is = |s: &Sense| {
        matches!(
            s,
            Sense::Comparative(_)
                | Sense::ComparativeOf(..)
                | Sense::Most
                | Sense::Least
                | Sense::MostOf(_)
                | Sense::LeastOf(_)
                | Sense::Latest
                | Sense::Earliest
        )
    };
    Lexicon::get().senses(&question.words, from).iter().any(|(n, s)| *n == len && is(s))
}
