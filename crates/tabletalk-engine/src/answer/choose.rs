//! Readings to choose from: which are offered, and what was chosen before.

use super::built_in::{Candidate, answered, is_void, run};
use super::result::given;
use super::trace::Trace;
use super::{Answering, Question};
use serde_json::Map;
use tabletalk_core::{Answer, Error, Outcome, Reading, Result};
use tabletalk_store::Choice;

/// Readings that are offered: more would not be read.
const OFFERED: usize = 4;
/// How sure a reading is that a person chose: what is left is that the table was not read as they see it.
const CHOSEN: f32 = 0.95;
/// A less likely reading is offered only if it rests on words of the question.
const LIKELY: f32 = 0.2;

/// A reading that can be chosen, and what it would give.
pub(super) struct Offer<'b, 'a> {
    pub(super) candidate: &'b Candidate<'a>,
    pub(super) answer: String,
}

impl Offer<'_, '_> {
    /// The reading as a sentence, with what it gives where that may be shown.
    pub(super) fn reading(&self, shows_answer: bool) -> Reading {
        Reading {
            words: self.candidate.words.clone(),
            table: self.candidate.found.stored.name.clone(),
            answer: if shows_answer { self.answer.clone() } else { String::new() },
            sql: self.candidate.sql.clone(),
        }
    }
}

/// The readings that can be chosen, the likeliest first: each gives something, and each something else.
pub(super) fn offers<'b, 'a>(desk: &Answering<'_>, candidates: &'b [Candidate<'a>]) -> Vec<Offer<'b, 'a>> {
    let mut offers: Vec<Offer<'b, 'a>> = Vec::new();
    for candidate in candidates {
        if offers.len() == OFFERED {
            break;
        }
        if candidate.probability < LIKELY && candidate.reading.links.is_empty() {
            continue;
        }
        let Ok(ran) = run(desk, candidate, &mut Map::new()) else { continue };
        let given = given(candidate, &ran);
        let key = candidate.found.stored.key;
        let is_new = |o: &Offer<'_, '_>| {
            o.candidate.found.stored.key != key
                || o.answer != given.text && o.candidate.words != candidate.words
        };
        if !given.values.is_empty() && !is_void(candidate, &given.values) && offers.iter().all(is_new) {
            offers.push(Offer { candidate, answer: given.text });
        }
    }
    offers
}

/// Asks back when the best readings are as good as equally likely, likely enough together, and differ.
pub(super) fn clarify(desk: &Answering<'_>, candidates: &[Candidate<'_>]) -> Option<Answer> {
    let [first, second, ..] = candidates else { return None };
    let is_near =
        |c: &Candidate<'_>| first.probability - c.probability <= desk.settings.near * first.probability;
    let is_likely = first.probability + second.probability >= desk.settings.sure;
    if !is_near(second)
        || !is_likely
        || first.reading.answer.values == second.reading.answer.values
            && !first.reading.answer.values.is_empty()
    {
        return None;
    }
    let offers = offers(desk, candidates);
    let near: Vec<&Offer<'_, '_>> = offers.iter().take_while(|o| is_near(o.candidate)).collect();
    (near.len() > 1).then(|| Answer {
        outcome: Outcome::Clarify,
        answer: match near.len() {
            2 => "this can be read in two ways; which do you mean?".into(),
            n => format!("this can be read in {n} ways; which do you mean?"),
        },
        confidence: first.probability,
        readings: near.iter().map(|offer| offer.reading(true)).collect(),
        ..Answer::default()
    })
}

/// Answers by the reading of this number, and remembers that it was chosen.
pub(super) fn chosen(
    desk: &Answering<'_>,
    asked: &Question<'_>,
    candidates: &[Candidate<'_>],
    number: usize,
    trace: &mut Trace,
) -> Result<Answer> {
    let offers = offers(desk, candidates);
    let Some(offer) = number.checked_sub(1).and_then(|i| offers.get(i)) else {
        return Err(Error::input(format!(
            "there is no reading {number} of this question, it has {}",
            offers.len()
        ))
        .hint("ask it without a choice to see them"));
    };
    let Some(answer) = answered(desk, offer.candidate, trace)? else {
        return Err(Error::missing("the reading that was chosen gives nothing"));
    };
    let stored = &offer.candidate.found.stored;
    let others = offers.iter().map(|o| o.candidate).filter(|c| c.found.stored.key == stored.key);
    let choice = Choice {
        table: stored.name.clone(),
        words: offer.candidate.words.clone(),
        aim: offer.candidate.aim.clone(),
        over: others.map(|c| c.aim.clone()).filter(|aim| *aim != offer.candidate.aim).collect(),
    };
    if !desk.recall.library.is_read_only() {
        desk.recall.library.catalog()?.put_choice(&key(asked.text), &choice)?;
    }
    Ok(Answer { confidence: answer.confidence.max(CHOSEN), ..answer })
}

/// A question as it is remembered: without case, spaces and signs at its end.
fn key(question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().collect();
    words.join(" ").to_lowercase().trim_end_matches(['?', '.', '!', '？', '。', '！', ' ']).to_owned()
}

/// Lets earlier choices decide: the same question means what it meant, and of two readings between which a person chose
/// over this table, the same one is taken. Whether they did.
pub(super) fn remember(
    desk: &Answering<'_>,
    question: &str,
    candidates: &mut [Candidate<'_>],
) -> Result<bool> {
    let choices = desk.recall.library.catalog()?.choices()?;
    if choices.is_empty() || candidates.is_empty() {
        return Ok(false);
    }
    Ok(again(&choices, &key(question), candidates) || alike(&choices, desk.settings.sure, candidates))
}

/// The same question was asked before, and a reading chosen.
fn again(choices: &[(String, Choice)], key: &str, candidates: &mut [Candidate<'_>]) -> bool {
    let Some((_, choice)) = choices.iter().find(|(question, _)| question == key) else { return false };
    let is_it = |c: &Candidate<'_>| c.words == choice.words && c.found.stored.name == choice.table;
    let Some(at) = candidates.iter().position(is_it) else { return false };
    for (i, candidate) in candidates.iter_mut().enumerate() {
        candidate.probability = if i == at { CHOSEN } else { candidate.probability * (1.0 - CHOSEN) };
    }
    candidates.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    true
}

/// Between two such readings a person chose before.
fn alike(choices: &[(String, Choice)], sure: f32, candidates: &mut [Candidate<'_>]) -> bool {
    let [first, second, ..] = candidates else { return false };
    if first.probability >= sure || first.found.stored.key != second.found.stored.key {
        return false;
    }
    let is_preferred = |a: &Candidate<'_>, b: &Candidate<'_>| {
        let is = |c: &Choice| c.table == a.found.stored.name && c.aim == a.aim && c.over.contains(&b.aim);
        choices.iter().any(|(_, choice)| is(choice))
    };
    let both = (first.probability + second.probability).min(CHOSEN);
    match (is_preferred(first, second), is_preferred(second, first)) {
        (true, false) => (first.probability, second.probability) = (both, 0.0),
        (false, true) => (first.probability, second.probability) = (0.0, both),
        _ => return false,
    }
    candidates.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_remembered_however_it_is_written() {
        assert_eq!(key(" Orders  by City? "), key("orders by city"));
        assert_ne!(key("orders by city"), key("orders by month"));
    }
}
