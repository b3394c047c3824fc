//! Readings to choose from: which are offered, and what was chosen before.

use crate::answer::near;
use crate::answer::propose::Candidate;
use crate::answer::recall::Found;
use crate::answer::{Answering, Question, run};
use serde_json::Map;
use tabletalk_core::{Answer, Error, Outcome, Reading, Result};
use tabletalk_question::{Ask, Rows};
use tabletalk_store::{Choice, Feedback};

/// Readings that are offered: more would not be read.
const OFFERED: usize = 4;
/// How sure a reading is that a person chose: what is left is that the table was not read as they see it.
pub(crate) const CHOSEN: f32 = 0.95;
/// A less likely reading is offered only if it rests on words of the question.
const LIKELY: f32 = 0.2;

/// A reading that can be chosen, and what it would give.
pub(crate) struct Offer<'b, 'a> {
    pub(crate) candidate: &'b Candidate<'a>,
    pub(crate) answer: String,
}

impl Offer<'_, '_> {
    /// The reading as a sentence, with what it gives where that may be shown.
    pub(crate) fn reading(&self, shows_answer: bool) -> Reading {
        Reading {
            words: self.candidate.words.clone(),
            table: self.candidate.over.name().to_owned(),
            answer: if shows_answer { self.answer.clone() } else { String::new() },
            sql: self.candidate.sql.clone(),
        }
    }
}

/// The readings that can be chosen, the likeliest first: each gives something, and each something else.
fn offers<'b, 'a>(context: &Answering<'_>, candidates: &'b [Candidate<'a>]) -> Vec<Offer<'b, 'a>> {
    let mut offers: Vec<Offer<'b, 'a>> = Vec::new();
    let rests = |c: &&Candidate<'_>| c.probability >= LIKELY || !c.reading.links.is_empty();
    for candidate in candidates.iter().filter(rests) {
        let Ok(Some(given)) = run::given(context, candidate, &mut Map::new()) else { continue };
        let is_new = |o: &Offer<'_, '_>| {
            o.candidate.over.name() != candidate.over.name()
                || o.answer != given.text && o.candidate.words != candidate.words
        };
        if offers.iter().all(is_new) {
            offers.push(Offer { candidate, answer: given.text });
        }
    }
    offers
}

/// What is offered where no reading is sure: over the tables that most words of the question name, those that rest on
/// most of its words first. That a column as a whole was meant is offered when nothing else is.
pub(crate) fn considered<'b, 'a>(
    context: &Answering<'_>,
    question: &str,
    tables: &[Found],
    candidates: &'b [Candidate<'a>],
) -> Vec<Offer<'b, 'a>> {
    let wanted = near::stems(question);
    let most = tables.iter().map(|found| near::overlap(&found.stored, &wanted)).max().unwrap_or(0);
    let mut offers = offers(context, candidates);
    offers.retain(|offer| near::overlap(offer.candidate.stored(), &wanted) == most);
    if !offers.iter().all(is_bare) {
        offers.retain(|offer| !is_bare(offer));
    }
    offers.sort_by_key(|offer| std::cmp::Reverse(offer.candidate.reading.links.len()));
    offers.truncate(OFFERED);
    offers
}

/// Whether a reading only lists a column.
fn is_bare(offer: &Offer<'_, '_>) -> bool {
    let program = &offer.candidate.reading.program;
    matches!(program.ask, Ask::Cells(_)) && program.rows == Rows::default()
}

/// The best readings, when they are as good as equally likely, likely enough together, and differ.
fn close<'b, 'a>(context: &Answering<'_>, candidates: &'b [Candidate<'a>]) -> Option<Vec<Offer<'b, 'a>>> {
    let [first, second, ..] = candidates else { return None };
    let is_near =
        |c: &Candidate<'_>| first.probability - c.probability <= context.settings.near * first.probability;
    let is_likely = first.probability + second.probability >= context.settings.sure;
    let (one, other) = (&first.reading.answer.values, &second.reading.answer.values);
    if !is_near(second) || !is_likely || !one.is_empty() && one == other {
        return None;
    }
    let mut offers = offers(context, candidates);
    offers.retain(|offer| is_near(offer.candidate));
    offers.truncate(OFFERED);
    (offers.len() > 1).then_some(offers)
}

/// Asks back when readings are too close.
pub(crate) fn clarify(context: &Answering<'_>, candidates: &[Candidate<'_>]) -> Option<Answer> {
    let near = close(context, candidates)?;
    Some(Answer {
        outcome: Outcome::Clarify,
        answer: match near.len() {
            2 => "this can be read in two ways; which do you mean?".into(),
            n => format!("this can be read in {n} ways; which do you mean?"),
        },
        confidence: candidates.first().map_or(0.0, |first| first.probability),
        readings: near.iter().map(|offer| offer.reading(true)).collect(),
        ..Answer::default()
    })
}

/// How else a question can be read: what is offered to whoever says that the answer missed what was meant.
pub(crate) fn others(
    context: &Answering<'_>,
    asked: &Question<'_>,
    tables: &[Found],
    candidates: &[Candidate<'_>],
) -> Answer {
    let offers =
        close(context, candidates).unwrap_or_else(|| considered(context, asked.text, tables, candidates));
    let readings: Vec<Reading> = offers.iter().map(|offer| offer.reading(true)).collect();
    let answer = match readings.len() {
        0 | 1 => "no other reading fits; say it in other words, or name the table and the column",
        _ => "how it can be read",
    };
    Answer { outcome: Outcome::Clarify, answer: answer.into(), readings, ..Answer::default() }
}

/// The reading of this number, and what is remembered of its choice.
pub(crate) fn chosen<'b, 'a>(
    context: &Answering<'_>,
    asked: &Question<'_>,
    tables: &[Found],
    candidates: &'b [Candidate<'a>],
    number: usize,
) -> Result<(&'b Candidate<'a>, Choice)> {
    let offers =
        close(context, candidates).unwrap_or_else(|| considered(context, asked.text, tables, candidates));
    let Some(offer) = number.checked_sub(1).and_then(|i| offers.get(i)) else {
        return Err(Error::input(format!(
            "there is no reading {number} of this question, it has {}",
            offers.len()
        ))
        .hint("ask it without a choice to see them"));
    };
    let name = offer.candidate.over.name();
    let others = offers.iter().map(|o| o.candidate).filter(|c| c.over.name() == name);
    let choice = Choice {
        table: name.to_owned(),
        words: offer.candidate.words.clone(),
        aim: offer.candidate.aim.clone(),
        over: others.map(|c| c.aim.clone()).filter(|aim| *aim != offer.candidate.aim).collect(),
    };
    Ok((offer.candidate, choice))
}

/// Remembers a choice, where anything may be written.
pub(crate) fn keep(context: &Answering<'_>, question: &str, choice: &Choice) -> Result<()> {
    let library = context.recall.library;
    if library.is_read_only() {
        return Ok(());
    }
    library.catalog()?.put_choice(&key(question), choice)
}

/// A question as it is remembered: without case, spaces and signs at its end.
pub fn key(question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().collect();
    words.join(" ").to_lowercase().trim_end_matches(['?', '.', '!', '？', '。', '！', ' ']).to_owned()
}

/// Lets earlier choices decide: the same question means what it meant, and of two readings between which a person chose
/// over this table, the same one is taken. Whether they did.
pub(crate) fn remember(
    context: &Answering<'_>,
    question: &str,
    candidates: &mut [Candidate<'_>],
) -> Result<bool> {
    let (choices, feedback) = {
        let catalog = context.recall.library.catalog()?;
        (catalog.choices()?, catalog.feedback()?)
    };
    if candidates.is_empty() || choices.is_empty() && feedback.is_empty() {
        return Ok(false);
    }
    if judged(&feedback, &key(question), candidates) {
        return Ok(true);
    }
    Ok(again(&choices, &key(question), candidates) || alike(&choices, context.settings.sure, candidates))
}

/// The same question was asked before, and what came of it was called right or wrong. Whether one was right.
fn judged(feedback: &[(String, Feedback)], key: &str, candidates: &mut [Candidate<'_>]) -> bool {
    let said = |sql: &str| feedback.iter().find(|(q, f)| q == key && f.sql == sql).map(|(_, f)| f.good);
    let mut is_right = false;
    for candidate in candidates.iter_mut() {
        match said(&candidate.sql) {
            Some(true) => (candidate.probability, is_right) = (CHOSEN, true),
            Some(false) => candidate.probability *= 1.0 - CHOSEN,
            None => {}
        }
    }
    candidates.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    is_right
}

/// The same question was asked before, and a reading chosen.
fn again(choices: &[(String, Choice)], key: &str, candidates: &mut [Candidate<'_>]) -> bool {
    let Some((_, choice)) = choices.iter().find(|(question, _)| question == key) else { return false };
    let is_it = |c: &Candidate<'_>| c.words == choice.words && c.over.name() == choice.table;
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
    let both = (first.probability + second.probability).min(CHOSEN);
    // What would not be answered after all is offered again, in the same order.
    if first.probability >= sure || both < sure || first.over.name() != second.over.name() {
        return false;
    }
    let is_preferred = |a: &Candidate<'_>, b: &Candidate<'_>| {
        let of_table = choices.iter().filter(|(_, c)| c.table == a.over.name());
        of_table
            .flat_map(|(_, c)| c.over.iter().map(|over| difference(&c.aim, over)))
            .any(|chosen| chosen == difference(&a.aim, &b.aim))
    };
    match (is_preferred(first, second), is_preferred(second, first)) {
        (true, false) => (first.probability, second.probability) = (both, 0.0),
        (false, true) => (first.probability, second.probability) = (0.0, both),
        _ => return false,
    }
    candidates.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    true
}

/// Where two readings differ: a choice between sums and counts by city is one between sums and counts by month too.
fn difference<'a>(a: &'a [String], b: &'a [String]) -> Vec<Option<(&'a str, &'a str)>> {
    a.iter().zip(b).map(|(a, b)| (a != b).then_some((a.as_str(), b.as_str()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_about_what_differs() {
        let aim = |ask: &str, key: &str| vec![ask.to_owned(), key.to_owned(), String::new()];
        let by_city = (aim("the sum of revenue", "city"), aim("the number of rows", "city"));
        let by_month = (aim("the sum of revenue", "month"), aim("the number of rows", "month"));
        assert_eq!(difference(&by_city.0, &by_city.1), difference(&by_month.0, &by_month.1));
        assert_ne!(difference(&by_city.0, &by_city.1), difference(&by_city.1, &by_city.0));
    }

    #[test]
    fn a_question_is_remembered_however_it_is_written() {
        assert_eq!(key(" Orders  by City? "), key("orders by city"));
        assert_ne!(key("orders by city"), key("orders by month"));
    }
}
