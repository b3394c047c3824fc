//! Words with a sense of their own, and verbs.

use super::Meaning;
use super::Span;
use super::is_same;
use super::whole;
use crate::analyse::Question;
use crate::grammar::Period;
use crate::grammar::calendar::{self, Time};
use crate::grammar::lexicon::{Concept, Lexicon, Sense};
use crate::grammar::role::Roles;
use crate::grid::Grid;
use crate::mask::{Mask, last};
use crate::read::Subject;
use crate::word::{self, Word};

/// What is said of the latest day that the table has: `this year`, `last month`. Whether `last year` is the year of that day
/// or the one before it, nothing but the day of asking could tell: where both are there, both are offered.
pub(super) fn relative(question: &Question, grid: &Grid, roles: &Roles) -> Vec<Span> {
    let said = calendar::relative(question);
    if said.is_empty() {
        return Vec::new();
    }
    let days = roles.days(grid).into_iter().filter_map(|c| calendar::latest(grid.columns.get(c)?));
    let Some(latest) = days.max().or_else(|| grid.columns.iter().filter_map(calendar::latest).max()) else {
        return Vec::new();
    };
    let of = |(mask, period, is_last): (Mask, Period, bool)| {
        let times = match period {
            // `the last quarter of 2024`
            Period::Quarter if is_last && is_before_year(question, mask) => vec![Time::Quarter(None, 4)],
            Period::Month if is_last && is_before_year(question, mask) => vec![Time::Month(12)],
            _ => calendar::around(latest, period, is_last),
        };
        times.into_iter().map(move |time| whole(mask, Meaning::Time(time), 1.0))
    };
    said.into_iter().flat_map(of).collect()
}

/// Whether a year follows words.
fn is_before_year(question: &Question, mask: Mask) -> bool {
    let next = last(mask).map_or(0, |at| at + 1);
    let words = question.words.iter().skip(next).take(2);
    words.map(|w| w.number()).any(|n| n.is_some_and(|n| (1900.0..2100.0).contains(&n)))
}

/// The kinds of column that runs of words speak of.
pub(super) fn question_concepts(question: &Question) -> Vec<(usize, usize, Vec<Concept>)> {
    let lexicon = Lexicon::get();
    let mut found = Vec::new();
    for from in 0..question.words.len() {
        for len in 1..=4.min(question.words.len() - from) {
            let Some(words) = question.words.get(from..from + len) else { continue };
            let mut concepts: Vec<Concept> = lexicon.concepts(words).to_vec();
            let senses = lexicon.senses(&question.words, from).into_iter().filter(|(n, _)| *n == len);
            concepts.extend(senses.filter_map(|(_, sense)| match sense {
                Sense::Of(concept) => Some(concept),
                _ => None,
            }));
            if !concepts.is_empty() {
                found.push((from, len, concepts));
            }
        }
    }
    found
}

/// Verbs that say how something came out: not of all rows.
const OUTCOMES: [&str; 14] = [
    "win", "won", "lose", "lost", "beat", "beaten", "draw", "drew", "miss", "missed", "fail", "failed",
    "pass", "passed",
];

/// A word that nothing knows, after `did` or `does` and what does it: a verb.
pub(super) fn verbs(text: &str, question: &Question, found: &[Span]) -> Vec<Span> {
    let known = found.iter().fold(0, |all, s| all | s.mask);
    let mut verbs = participles(text, question, known);
    let does = question.words.iter().position(|w| matches!(w.text.as_str(), "do" | "does" | "did"));
    let Some(does) = does else { return verbs };
    let says =
        found.iter().filter(|s| !matches!(s.meaning, Meaning::Sense(_))).fold(0, |all, s| all | s.mask);
    let is_subject = |i: usize| {
        let pronoun = question
            .words
            .get(i)
            .is_some_and(|w| matches!(w.text.as_str(), "i" | "we" | "you" | "they" | "he" | "she" | "it"));
        pronoun || says >> i & 1 == 1
    };
    let is_verb = |i: &usize| {
        let written = question.words.get(*i).and_then(|w| text.get(w.start..w.end)).unwrap_or_default();
        known >> i & 1 == 0
            && written.bytes().all(|b| b.is_ascii_lowercase())
            && !OUTCOMES.contains(&written)
            && is_subject(i - 1)
    };
    let at = (does + 2..question.words.len()).find(is_verb);
    verbs.extend(at.map(|i| Span::new(i, i + 1, Meaning::Sense(Sense::Verb), 0.6)));
    verbs
}

/// Words that nothing knows and that end as verbs do: `Which carrier handled shipment 12`.
fn participles(text: &str, question: &Question, known: Mask) -> Vec<Span> {
    let is_verb = |(i, word): &(usize, &Word)| {
        let written = text.get(word.start..word.end).unwrap_or_default();
        let is_french = question.text(i.checked_sub(1)) == "ete"
            && ["e", "ee", "es", "ees", "u", "ue", "us", "is", "it"]
                .iter()
                .any(|end| word.text.ends_with(end));
        let is_german = word.text.starts_with("ge") && word.text.ends_with('t');
        let ends = word.text.ends_with("ed") || is_german || is_french;
        *i > 0
            && known >> i & 1 == 0
            && ends
            && (word.text.len() > 5 || is_french)
            && !OUTCOMES.contains(&word.text.as_str())
            && written.bytes().all(|b| b.is_ascii_lowercase())
    };
    let verbs = question.words.iter().enumerate().filter(is_verb);
    verbs.map(|(i, _)| Span::new(i, i + 1, Meaning::Sense(Sense::Verb), 0.5)).collect()
}

pub(super) fn senses(question: &Question, grid: &Grid, roles: &Roles) -> Vec<Span> {
    let lexicon = Lexicon::get();
    let mut found = Vec::new();
    for from in 0..question.words.len() {
        for (len, sense) in lexicon.senses(&question.words, from) {
            let is_thing = matches!(sense, Sense::Item | Sense::Booking | Sense::Person);
            // Where rows are called by somebody, people are no other thing.
            let is_person = sense == Sense::Person && roles.person(grid).is_some();
            if is_thing && !is_person && roles.is_other_thing(&question.words, from, len)
                || is_english_was(question, from, sense)
                || is_none(question, from, sense)
                || is_french_i(question, from, sense)
            {
                continue;
            }
            let weight = match sense {
                Sense::Filler | Sense::Light => 0.6,
                Sense::Unit => 0.62,
                Sense::Of(_) | Sense::Row | Sense::Person | Sense::Booking => 0.7,
                _ => 0.85,
            };
            found.push(Span::new(from, from + len, Meaning::Sense(sense), weight));
        }
    }
    found
}

/// Whether this is the past of `is`, which asks for nothing as the German `was` does.
fn is_english_was(question: &Question, at: usize, sense: Sense) -> bool {
    const ENGLISH: [&str; 14] = [
        "the", "which", "what", "who", "how", "of", "than", "by", "before", "after", "when", "where", "most",
        "faster",
    ];
    let is_english = || question.words.iter().any(|w| ENGLISH.contains(&w.text.as_str()));
    sense == Sense::What && at > 0 && question.text(Some(at)) == "was" && is_english()
}

/// Whether a `no` says that there is none, and is no number: `which books have no rating`.
fn is_none(question: &Question, at: usize, sense: Sense) -> bool {
    let before = question.text(at.checked_sub(1));
    sense == Sense::Head
        && question.text(Some(at)) == "no"
        && matches!(
            before,
            "have" | "has" | "had" | "having" | "with" | "is" | "are" | "was" | "were" | "there" | "got"
        )
}

/// Whether this is the `je` of `ai-je`, which is no German `je`.
fn is_french_i(question: &Question, at: usize, sense: Sense) -> bool {
    let before = question.text(at.checked_sub(1));
    sense == Sense::By
        && question.text(Some(at)) == "je"
        && matches!(before, "ai" | "puis" | "dois" | "suis" | "peux" | "que" | "vais" | "avais")
}

/// Words of the table's title and name.
pub(super) fn about(question: &Question, subject: &Subject<'_>) -> Vec<Span> {
    let mut words = word::words(subject.relation);
    words.extend(word::words(subject.title));
    // Names of files have no umlauts: the `Umzug` of `umzuege`.
    let plain = subject.relation.replace("ae", "a").replace("oe", "o").replace("ue", "u");
    words.extend(word::words(&plain));
    let is_about =
        |w: &Word| (w.text.len() > 2 || w.is_han()) && !w.is_stop() && words.iter().any(|t| is_same(t, w));
    let found = question.words.iter().enumerate().filter(|(_, w)| is_about(w));
    found.map(|(i, _)| Span::new(i, i + 1, Meaning::About, 0.76)).collect()
}
