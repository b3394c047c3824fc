//! How far a reading can be trusted: what tells a right best reading from a wrong one.

use crate::candidate::{Candidate, Found};
use crate::cue::Cue;
use crate::feature::asked;
use crate::link::{Grade, Link};
use crate::shape::Family;

/// How many signs there are.
pub(crate) const SIGNS: usize = 28;

/// The signs of a program that do not depend on other programs.
pub(crate) fn signs(found: &Found<'_>, candidate: &Candidate) -> [f32; SIGNS] {
    let question = &found.question;
    let scope = found.scopes.get(candidate.scope);
    let column = asked(&candidate.program.ask);
    let named = column.and_then(|c| found.names.get(c));
    let links = scope.iter().flat_map(|s| &s.links).filter_map(|l| found.links.get(*l));
    let grades: Vec<Grade> = links.map(|l| l.grade).collect();
    let taken = scope.map_or(0, |s| s.mask) | candidate.target;
    let cues = question.cues.iter().fold(0, |mask, c| mask | c);
    let open = (question.content & !taken & !named.map_or(0, |n| n.mask) & !cues).count_ones() as f32;
    let words = question.content.count_ones().max(1) as f32;
    let numbers =
        question.mentions.iter().fold(0, |mask, m| mask | m.mask) & !taken & !named.map_or(0, |n| n.mask);
    let best = found.links.first().map_or(0.0, |l| l.weight(question));
    let links = scope.iter().flat_map(|s| &s.links).filter_map(|l| found.links.get(*l));
    let cell = |l: &Link| found.grid.at(l.condition.column, *l.rows.first()?);
    let longest = links.filter_map(cell).map(|c| c.stems.len()).max().unwrap_or(0);
    let own = grades.len() as f32;
    let size = candidate.answer.values.len();
    let is = |yes: bool| f32::from(u8::from(yes));
    let mut signs = [0.0; SIGNS];
    let list = [
        1.0,
        (open / 6.0).min(1.0),
        open / words,
        is(numbers != 0),
        is(size == 1),
        is(size > 5),
        is(grades.is_empty()),
        is(question.quoted & !taken != 0),
        is(question.words.iter().any(|w| w.is_han())),
        (found.candidates.len() as f32 + 1.0).ln() / 7.0,
        named.map_or(0.0, |n| n.share),
        is(grades.iter().any(|g| matches!(g, Grade::Part | Grade::Not))),
        is(grades.contains(&Grade::Compare)),
        is(found.earlier.is_some()),
        is(best > 0.0 && grades.is_empty()),
        own / 4.0,
        is(question.has(&[Cue::Not])),
        is(column.is_none()),
        (longest as f32 / 20.0).min(1.0),
    ];
    for (slot, sign) in signs.iter_mut().zip(list) {
        *slot = sign;
    }
    let family = 19 + Family::of(&candidate.program) as usize;
    if let Some(slot) = signs.get_mut(family) {
        *slot = 1.0;
    }
    signs
}

/// All signs of the best of several answers: `p` is its share before calibration, `next` that of the second.
pub(crate) fn with_shares(mut signs: [f32; SIGNS], p: f32, next: f32) -> [f32; SIGNS] {
    let odds = |p: f32| (p.clamp(1e-4, 0.9999) / (1.0 - p.clamp(1e-4, 0.9999))).ln();
    let list = [odds(p) / 4.0, (p.max(1e-4) / next.max(1e-4)).ln().min(9.0) / 4.0, p];
    for (slot, sign) in signs.iter_mut().rev().zip(list) {
        *slot = sign;
    }
    signs
}
