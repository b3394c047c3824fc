//! The answers that a question may have, each with the signs by which it is judged. What the grammar read and what was
//! learned are put side by side: programs that give the same answer are one.

use crate::candidate::{Candidate, Found};
use crate::denote;
use crate::execute::{Answer, execute};
use crate::feature::{Features, asked};
use crate::flaw;
use crate::grammar;
use crate::mask::Mask;
use crate::program::Program;
use crate::read::{Link, SURE, Subject};
use crate::score::{self, Group, Ranked};
use crate::trust::{self, SIGNS, Sight};
use crate::weigh;
use tabletalk_core::Result;
use tabletalk_core::seam::Locate;

/// The most answers that are looked at.
const MOST: usize = 20;

/// The most answers of programs that pass over words of the question.
const LOOSE: usize = 4;

/// An answer that a question may have.
#[derive(Debug)]
pub(crate) struct Prospect {
    pub program: Program,
    pub answer: Answer,
    /// The words it rests on.
    pub links: Vec<Link>,
    /// Whether the answer was computed; others are computed by SQL alone.
    pub is_run: bool,
    /// How far the grammar trusts it; 0 where it is not the grammar's.
    pub exact: f32,
    pub signs: [f32; SIGNS],
    /// Whether something rules it out, however likely it looks.
    pub is_flawed: bool,
}

/// The grammar's reading stands though the judge doubts it, but not if the judge finds it unlikelier than this. Both this
/// and [`RIVAL`] were chosen by everyday files apart from the suite: at .05 and .3 the veto kept back 21 right answers of 518
/// questions for 2 wrong ones.
const UNLIKELY: f32 = 0.02;
/// Nor if the judge finds another answer likelier than this.
const RIVAL: f32 = 0.6;
/// How much of the grammar's own trust beyond `SURE` counts where the judge doubts: of such readings nearly all of
/// everyday files are right and not half of the public sets.
const CREDIT: f32 = 0.3;

/// What an answer counts that leaves words without a place: of those that the judge gave .75 to .85 in everyday files apart from
/// all learning, six to eight of ten were right.
const INEXACT: f32 = 0.9;

/// What is left to an answer that something rules out: it may be offered, never given.
const FLAWED: f32 = 0.3;

/// Verdicts of the grammar count from this on, as the engine gives none with less (`sure_verdict`).
const SURE_VERDICT: f32 = 0.8;

/// How often each of the answers is right. Where the question is not open, what the grammar says is all there is.
pub(crate) fn probabilities(all: &[Prospect], is_claim: bool, is_open: bool) -> Vec<f32> {
    let judged: Vec<f32> = all.iter().map(|p| score::trust(&p.signs, is_claim)).collect();
    let others =
        all.iter().zip(&judged).filter(|(p, _)| p.exact == 0.0 && !p.is_flawed).map(|(_, judged)| *judged);
    let rival = others.fold(0.0, f32::max);
    // What is ruled out is offered after all that is not.
    let possible = all.iter().zip(&judged).filter(|(p, _)| !p.is_flawed).map(|(_, judged)| *judged);
    let most_flawed = FLAWED * possible.fold(0.0, f32::max);
    let of = |(p, judged): (&Prospect, &f32)| match p.exact {
        exact if exact == 0.0 && !is_open => 0.0,
        _ if p.is_flawed => (FLAWED * judged).min(most_flawed),
        exact if !p.is_run || is_ambiguous(all, exact) => exact,
        exact if exact > 0.0 => credited(exact, *judged, rival, if is_claim { SURE_VERDICT } else { SURE }),
        _ => INEXACT * *judged,
    };
    all.iter().zip(&judged).map(of).collect()
}

/// Whether the grammar reads the question in another way nearly as well: then no judge can know which was meant, and a
/// person is asked.
fn is_ambiguous(all: &[Prospect], exact: f32) -> bool {
    exact > 0.0 && all.iter().filter(|p| p.exact > 0.5 * exact).count() > 1
}

/// How often a reading of the grammar is right that the grammar trusts so far, and the judge.
fn credited(exact: f32, judged: f32, rival: f32, sure: f32) -> f32 {
    let stands = exact >= sure && judged >= UNLIKELY && rival <= RIVAL;
    if stands { judged.max(sure + (exact - sure) * CREDIT) } else { judged }
}

/// What the grammar read, run where it can be.
#[derive(Debug)]
pub(crate) struct Exact {
    pub program: Program,
    pub trust: f32,
    pub links: Vec<Link>,
    /// `None` where only SQL can compute it.
    pub answer: Option<Answer>,
}

impl Exact {
    /// A program of the grammar with its answer; `None` where it has none.
    pub(crate) fn of(read: &grammar::Weighed, subject: &Subject<'_>) -> Option<Self> {
        let program = read.program.clone();
        let is_run = subject.grid.is_whole() && !program.rows.computed;
        let answer = if is_run { Some(execute(&program, subject.grid)?) } else { None };
        Some(Exact { program, trust: read.trust, links: read.links.clone(), answer })
    }

    fn denotation(&self) -> Option<u64> {
        self.answer.as_ref().map(|a| denote::hash(&a.values))
    }
}

/// The answers that a question may have: the grammar's first, then those that what was learned finds likeliest.
pub(crate) fn prospects(
    text: &str,
    found: &Found<'_>,
    features: &Features,
    parsed: &grammar::Parsed,
    exact: &[Exact],
    weight: &dyn Fn(u32) -> f32,
) -> Vec<Prospect> {
    let ranked = score::rank(found, features, weight);
    let sight = Sight::new(text, found, &ranked, parsed, exact);
    let group =
        |d: Option<u64>| d.and_then(|d| ranked.groups.iter().position(|g| denotation(found, g) == Some(d)));
    let mut taken: Vec<usize> = Vec::new();
    let mut all: Vec<Prospect> = Vec::new();
    for one in exact {
        let at = group(one.denotation());
        taken.extend(at);
        all.push(Prospect {
            signs: sight.signs(&one.program, one.answer.as_ref(), at, one.trust),
            program: one.program.clone(),
            answer: one.answer.clone().unwrap_or_default(),
            links: one.links.clone(),
            is_run: one.answer.is_some(),
            exact: one.trust,
            is_flawed: flaw::of_exact(&one.program, &one.links, found),
        });
    }
    for one in parsed.loose.iter().take(LOOSE) {
        let Some(answer) = execute(&one.program, found.grid) else { continue };
        let at = group(Some(denote::hash(&answer.values)));
        if at.is_some_and(|at| taken.contains(&at)) {
            continue;
        }
        taken.extend(at);
        all.push(Prospect {
            signs: sight.signs(&one.program, Some(&answer), at, 0.0),
            is_flawed: flaw::of_loose(&one.program, &one.links, found),
            program: one.program.clone(),
            answer,
            links: one.links.clone(),
            is_run: true,
            exact: 0.0,
        });
    }
    let others = (0..ranked.groups.len()).filter(|i| !taken.contains(i)).take(MOST);
    all.extend(others.filter_map(|i| learned(text, found, &ranked, &sight, i)));
    all
}

/// Lets a model weigh the answers.
pub(crate) fn weigh(
    question: &str,
    subject: &Subject<'_>,
    all: &mut [Prospect],
    model: &dyn Locate,
) -> Result<()> {
    let weights = weigh::weighed(question, subject, all, model)?;
    all.iter_mut().zip(weights).for_each(|(p, weight)| trust::weigh(&mut p.signs, weight));
    Ok(())
}

fn denotation(found: &Found<'_>, group: &Group) -> Option<u64> {
    found.candidates.get(group.best).map(|c| c.denotation)
}

fn learned(text: &str, found: &Found<'_>, ranked: &Ranked, sight: &Sight<'_>, at: usize) -> Option<Prospect> {
    let candidate = found.candidates.get(ranked.groups.get(at)?.best)?;
    Some(Prospect {
        signs: sight.signs(&candidate.program, Some(&candidate.answer), Some(at), 0.0),
        program: candidate.program.clone(),
        answer: candidate.answer.clone(),
        links: links(text, candidate, found),
        is_run: true,
        exact: 0.0,
        is_flawed: flaw::of_candidate(candidate, found),
    })
}

fn links(text: &str, candidate: &Candidate, found: &Found<'_>) -> Vec<Link> {
    let mut links = Vec::new();
    let mut push = |mask: Mask, column: usize, is_value: bool| {
        let words = found.question.written(text, mask).to_owned();
        if !words.is_empty() {
            links.push(Link { words, column, is_value });
        }
    };
    let scope = found.scopes.get(candidate.scope);
    for link in scope.iter().flat_map(|s| &s.links).filter_map(|l| found.links.get(*l)) {
        push(link.mask, link.condition.column, true);
    }
    if let Some(column) = asked(&candidate.program.ask) {
        push(found.names.get(column).map_or(0, |n| n.mask), column, false);
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_of_the_grammar_stands_unless_it_is_unlikely_or_another_answer_is_not() {
        assert!(credited(0.95, 0.4, 0.1, SURE) >= SURE);
        assert_eq!(credited(0.95, 0.01, 0.1, SURE), 0.01);
        assert_eq!(credited(0.95, 0.4, 0.7, SURE), 0.4);
        assert_eq!(credited(0.6, 0.4, 0.1, SURE), 0.4);
        assert_eq!(credited(0.8, 0.95, 0.1, SURE), 0.95);
    }
}
