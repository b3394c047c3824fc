//! The fourth stage: which of the programs is the answer, and how sure that is.

pub(super) mod choose;
pub(super) mod verdict;
pub(super) mod vote;

use super::propose::statement::Statement;
use super::propose::{Candidate, Readings};
use super::recall::Evidence;
use super::{Answering, Question};
use tabletalk_core::{Answer, Result};
use tabletalk_store::Choice;

/// What comes of judging readings.
pub(super) enum Judged<'b, 'a> {
    /// This one is sure enough to be the answer.
    Sure { reading: &'b Candidate<'a>, remembered: bool },
    /// A person chose this one.
    Chosen { reading: &'b Candidate<'a>, choice: Choice },
    /// They are shown, so that one can be chosen.
    Offered(Box<Answer>),
    /// None is sure enough.
    Unsure,
}

/// Takes the reading that a person chose, now or before; else the likeliest, if it is sure, and not as good as equally
/// likely as another.
pub(super) fn readings<'b, 'a>(
    context: &Answering<'_>,
    asked: &Question<'_>,
    evidence: &Evidence,
    read: &'b mut Readings<'a>,
) -> Result<Judged<'b, 'a>> {
    let tables = &evidence.tables;
    if asked.choose == Some(0) {
        return Ok(Judged::Offered(Box::new(choose::others(context, asked, tables, &read.candidates))));
    }
    if let Some(number) = asked.choose {
        let (reading, choice) = choose::chosen(context, asked, tables, &read.candidates, number)?;
        return Ok(Judged::Chosen { reading, choice });
    }
    let remembered = choose::remember(context, asked.text, &mut read.candidates)?;
    if let Some(answer) = choose::clarify(context, &read.candidates) {
        return Ok(Judged::Offered(Box::new(answer)));
    }
    let best = read.candidates.first().filter(|best| best.probability >= context.settings.sure);
    Ok(best.map_or(Judged::Unsure, |reading| Judged::Sure { reading, remembered }))
}

/// The table over which a statement reads well is likelier the one that is meant: the likeliest of the programs, with its
/// probability among all.
pub(super) fn likeliest(mut all: Vec<Statement<'_>>) -> Option<Statement<'_>> {
    let weight = |s: &Statement<'_>| s.probability.powi(3) * s.found.share;
    let sum: f32 = all.iter().map(weight).sum();
    for one in &mut all {
        one.probability *= weight(one) / sum.max(f32::MIN_POSITIVE);
    }
    all.into_iter().max_by(|a, b| a.probability.total_cmp(&b.probability))
}
