//! What speaks for a program as a whole.

use super::view::View;
use super::{asked, compared, id, share, steps};
use crate::candidate::Candidate;
use crate::cue::Cue;
use crate::link::{Grade, Link};
use crate::mask::{Mask, first};
use crate::scope::Scope;

/// How much of the question a program explains.
struct Cover<'a> {
    scope: &'a Scope,
    column: Option<usize>,
    compared: Option<usize>,
    /// The words that name the column that is asked for.
    name: Mask,
    /// The words of its conditions.
    taken: Mask,
    /// The words that say something and are not explained.
    open: usize,
    /// The words of values that are not used.
    values: usize,
}

impl View<'_> {
    /// The features of a program as a whole.
    pub(super) fn own(&self, candidate: &Candidate) -> Vec<u32> {
        let Some(cover) = self.cover(candidate) else { return Vec::new() };
        let mut ids = self.explained(candidate, &cover);
        ids.extend(self.fitting(candidate, &cover));
        ids.extend(self.following(candidate, &cover));
        if self.found.is_claim {
            ids.extend(self.claimed(candidate, &cover));
        }
        ids
    }

    fn cover(&self, candidate: &Candidate) -> Option<Cover<'_>> {
        let question = &self.found.question;
        let scope = self.found.scopes.get(candidate.scope)?;
        let (column, compared) = (asked(&candidate.program.ask), compared(candidate));
        let name = |c: Option<usize>| c.and_then(|c| self.found.names.get(c)).map_or(0, |n| n.mask);
        let cues = question.cues.iter().fold(0, |mask, c| mask | c);
        let taken = scope.mask | candidate.target;
        let covered = taken | name(column) | name(compared);
        let open = (question.content & !covered & !cues).count_ones() as usize;
        let values = (self.whole & !covered).count_ones() as usize;
        Some(Cover { scope, column, compared, name: name(column), taken, open, values })
    }

    /// How much of the question is explained.
    fn explained(&self, candidate: &Candidate, cover: &Cover<'_>) -> Vec<u32> {
        let question = &self.found.question;
        let (shape, ask) = (candidate.shape.number(), u64::from(candidate.shape.ask));
        let words = question.content.count_ones().max(1) as f32;
        let left = |mask: Mask| steps((mask & !cover.taken).count_ones() as usize);
        let overlap = cover.name & cover.scope.mask != 0 && cover.name & !cover.scope.mask == 0;
        let before = match (first(cover.name & !cover.scope.mask), first(cover.scope.mask)) {
            (Some(a), Some(b)) => 1 + u64::from(a < b),
            _ => 0,
        };
        vec![
            id(83, &[steps(cover.open)]),
            id(84, &[share(cover.open as f32 / words), ask]),
            id(85, &[steps(cover.values)]),
            id(86, &[left(self.numbers), shape]),
            id(88, &[u64::from(overlap), ask]),
            id(94, &[before, ask]),
            id(96, &[left(question.quoted)]),
            id(106, &[ask, self.named_number()]),
            id(115, &[self.choices(cover.scope), steps(cover.open)]),
            id(116, &[self.choices(cover.scope), ask]),
        ]
    }

    /// How well what is asked, the rows and the result go together.
    fn fitting(&self, candidate: &Candidate, cover: &Cover<'_>) -> Vec<u32> {
        let (shape, ask) = (candidate.shape.number(), u64::from(candidate.shape.ask));
        let Cover { scope, column, .. } = *cover;
        let size = steps(candidate.answer.values.len());
        let conditions = scope.links.len() as u64;
        let given = column.is_some_and(|c| scope.spec.conditions.iter().any(|k| k.column == c));
        let sort = column.map_or(99, |c| self.sort(c));
        let joins = u64::from(self.found.question.has(&[Cue::Either]));
        let mut ids = vec![
            id(80, &[shape]),
            id(81, &[shape, size]),
            id(82, &[shape, conditions]),
            id(87, &[u64::from(given), ask, conditions]),
            id(89, &[u64::from(cover.compared == column), shape]),
            id(90, &[steps(candidate.rows), ask]),
            id(91, &[size, self.wh]),
            id(92, &[sort, self.wh, size]),
            id(93, &[self.is_told(candidate, column), ask, joins]),
            id(107, &[self.either(scope, column), shape]),
        ];
        let conditions = scope.spec.conditions.iter().filter(|_| column.is_some());
        ids.extend(conditions.map(|c| id(101, &[self.sort(c.column), sort, ask])));
        ids
    }

    /// How well it follows on an earlier question.
    fn following(&self, candidate: &Candidate, cover: &Cover<'_>) -> Vec<u32> {
        let (shape, ask) = (candidate.shape.number(), u64::from(candidate.shape.ask));
        let within = u64::from(candidate.program.rows.within.is_some());
        let varied = candidate.program.rows.conditions.len() != cover.scope.links.len();
        let mut ids = vec![id(95, &[u64::from(varied), ask])];
        if within == 1 || varied {
            ids.push(id(97, &[within, cover.scope.links.len() as u64]));
            ids.push(id(98, &[within, shape]));
            ids.extend(self.plain.iter().take(4).map(|w| id(99, &[within, *w])));
            ids.extend(self.plain.iter().map(|w| id(100, &[within, *w])));
        }
        if let Some(earlier) = self.found.earlier {
            let same = u64::from(cover.column.is_some() && cover.column == earlier);
            let head = self.head.and_then(|h| self.stems.get(h)).copied().unwrap_or(0);
            let refers = u64::from(self.found.question.has(&[Cue::Among]));
            ids.push(id(102, &[same, within, ask]));
            ids.push(id(103, &[same, self.wh]));
            ids.push(id(104, &[same, head]));
            ids.push(id(105, &[within, refers, shape]));
        }
        ids
    }

    /// What a claim says, with how much of the statement it explains.
    fn claimed(&self, candidate: &Candidate, cover: &Cover<'_>) -> Vec<u32> {
        let (shape, ask) = (candidate.shape.number(), u64::from(candidate.shape.ask));
        let truth = u64::from(candidate.answer.values.iter().any(|v| v == "yes"));
        let conditions = cover.scope.links.len() as u64;
        let mut ids = vec![
            id(110, &[shape, truth]),
            id(111, &[shape, truth, steps(cover.open)]),
            id(112, &[truth, steps(cover.values), ask]),
            id(113, &[shape, truth, conditions, steps(candidate.rows)]),
        ];
        ids.extend(self.plain.iter().map(|w| id(114, &[truth, *w])));
        ids
    }

    /// How many conditions no word names.
    fn choices(&self, scope: &Scope) -> u64 {
        let links = scope.links.iter().filter_map(|l| self.found.links.get(*l));
        links.filter(|l| l.grade == Grade::Choice).map(|l| 1 + u64::from(l.mask != 0)).sum()
    }

    /// Whether what is asked for names a column of numbers.
    fn named_number(&self) -> u64 {
        let head = self.head.map_or(0, |h| 1 << h.min(127));
        let fields = self.found.grid.columns.iter().zip(&self.found.names);
        let shares =
            fields.filter(|(f, n)| f.is_number() && !f.is_year() && n.mask & head != 0).map(|(_, n)| n.share);
        share(shares.fold(0.0, f32::max))
    }

    /// Whether several values are joined, and whether it is their column that is asked for.
    fn either(&self, scope: &Scope, column: Option<usize>) -> u64 {
        let links = scope.links.iter().filter_map(|l| self.found.links.get(*l));
        let mut joined = links.filter(|l| l.grade == Grade::Either).peekable();
        match joined.peek() {
            None => 0,
            Some(link) => 1 + u64::from(Some(link.condition.column) == column),
        }
    }

    /// Whether the answer stands in the question already.
    fn is_told(&self, candidate: &Candidate, column: Option<usize>) -> u64 {
        let Some(column) = column else { return 2 };
        let same = |l: &&Link| l.condition.column == column && l.grade == Grade::Whole;
        let grid = self.found.grid;
        let has = |l: &Link| {
            let told = l.rows.first().and_then(|r| grid.at(column, *r));
            told.is_some_and(|cell| candidate.answer.values.contains(&cell.text))
        };
        u64::from(self.found.links.iter().filter(same).any(has))
    }
}
