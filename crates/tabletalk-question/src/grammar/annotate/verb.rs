//! Verbs that say what was done on the day of a column, or by whom: `angenommen` of an `Annahmetag`, `delivered` of a `Delivery date`,
//! `geleitet` of a `Leitung`.

use super::{Fit, Meaning, Span};
use crate::analyse::Question;
use crate::grammar::role::{Roles, is_text};
use crate::grid::Grid;
use crate::word::Word;

/// The columns of days, and in German of names, that verbs of a question speak of.
pub(super) fn done_on(text: &str, question: &Question, grid: &Grid, roles: &Roles) -> Vec<Span> {
    let mut found = Vec::new();
    // `Bestellungen` are no verb.
    let is_lower = |w: &Word| text.get(w.start..).is_some_and(|rest| rest.starts_with(char::is_lowercase));
    let days = roles.days(grid);
    let asks_who = question.words.iter().any(|w| matches!(w.text.as_str(), "wer" | "wem" | "wen"));
    for column in (0..grid.columns.len()).filter(|c| days.contains(c) || asks_who && is_text(grid, *c)) {
        let is_day = days.contains(&column);
        let name: Vec<&Word> = roles.names.get(column).into_iter().flatten().flatten().collect();
        let is_done = |(i, w): &(usize, &Word)| {
            let is_french = |n: &Word| follows_to_be(question, *i) && is_french(&w.text, &n.text);
            let is_one = |n: &&Word| {
                is_of_verb(&w.text, &n.text) || is_day && (is_english(&w.text, &n.text) || is_french(n))
            };
            is_lower(w) && name.iter().any(is_one)
        };
        let at = question.words.iter().enumerate().filter(is_done);
        found.extend(at.map(|(i, _)| Span::new(i, i + 1, Meaning::Column(column, Fit::Part), 0.77)));
    }
    found
}

/// Whether a French auxiliary stands before a word.
fn follows_to_be(question: &Question, at: usize) -> bool {
    let before = question.text(at.checked_sub(1));
    matches!(before, "ete" | "est" | "sont" | "etait" | "etaient" | "a" | "ont" | "s" | "etes")
}

/// Whether a French participle and a noun are of one verb: `livré`, `Livraison`.
fn is_french(verb: &str, noun: &str) -> bool {
    let stem =
        ["ees", "ee", "es", "e", "ites", "its", "ite", "it"].iter().find_map(|end| verb.strip_suffix(end));
    stem.is_some_and(|stem| stem.len() > 3 && noun.starts_with(stem))
}

/// Whether an English participle and a noun begin alike: `delivered`, `Delivery`.
fn is_english(verb: &str, noun: &str) -> bool {
    const SHARED: usize = 5;
    verb.ends_with("ed")
        && verb.len() > SHARED + 1
        && noun.len() > SHARED
        && verb.is_ascii()
        && verb.get(..SHARED) == noun.get(..SHARED)
        && noun.len().abs_diff(verb.len()) <= 3
}

/// Whether a German participle and a noun are of one verb: the same prefix, and the same consonants but for the ending.
pub(in crate::grammar) fn is_of_verb(verb: &str, noun: &str) -> bool {
    let Some((prefix, stem)) = of_participle(verb) else { return false };
    let noun = undated(noun);
    let of_noun = |ending: &str| {
        let noun = noun.strip_suffix(ending)?;
        let own = noun.strip_prefix(noun_prefix(prefix)).filter(|own| own.len() > 1)?;
        let is_same = own == stem && stem.len() > 2;
        let (a, b) = (consonants(own), consonants(stem));
        Some(is_same || a == b && prefix.len().min(3) + a.len() > 3)
    };
    ["", "e", "s", "ung", "t", "en", "er", "erin"].iter().any(|ending| of_noun(ending) == Some(true))
}

/// What is returned is a `Rückgabe`.
fn noun_prefix(prefix: &str) -> &str {
    if prefix == "zuruck" { "ruck" } else { prefix }
}

/// The prefix and the stem of a participle: `an` and `nomm` of `angenommen`, `be` and `stell` of `bestellt`.
fn of_participle(word: &str) -> Option<(&str, &str)> {
    const APART: [&str; 16] = [
        "an", "auf", "aus", "ab", "ein", "zu", "vor", "nach", "mit", "um", "her", "hin", "zuruck", "fest",
        "bei", "",
    ];
    const JOINED: [&str; 5] = ["be", "ver", "er", "ent", "zer"];
    let bare = ["et", "en", "t"].iter().find_map(|end| word.strip_suffix(end))?;
    let apart = |prefix: &&'static str| {
        let stem = bare.strip_prefix(*prefix)?.strip_prefix("ge")?;
        (stem.len() > 2).then_some((*prefix, stem))
    };
    let joined = |prefix: &&'static str| {
        let stem = bare.strip_prefix(*prefix)?;
        (stem.len() > 2).then_some((*prefix, stem))
    };
    let is_ascii = word.is_ascii() && word.len() > 5;
    is_ascii.then(|| APART.iter().find_map(apart).or_else(|| JOINED.iter().find_map(joined)))?
}

/// A noun without the second part that says that it is a day: `annahme` of `annahmetag`, `liefer` of `lieferdatum`.
fn undated(noun: &str) -> &str {
    let bare = ["datum", "tag", "termin", "zeitpunkt"].iter().find_map(|end| noun.strip_suffix(end));
    let bare = bare.filter(|bare| bare.len() > 3).unwrap_or(noun);
    bare.strip_suffix("ungs").or_else(|| bare.strip_suffix("ung")).unwrap_or(bare)
}

/// The consonants of a stem, each once where it is doubled; an `h` only makes long what stands before it.
fn consonants(stem: &str) -> String {
    let mut found = String::with_capacity(stem.len());
    for c in stem.chars().filter(|c| !matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'h')) {
        if !found.ends_with(c) {
            found.push(c);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_participle_and_its_noun_are_of_one_verb() {
        let same = [
            ("angenommen", "annahmetag"),
            ("eingezogen", "einzug"),
            ("ausgegeben", "ausgabe"),
            ("zuruckgegeben", "ruckgabe"),
            ("geliefert", "lieferdatum"),
            ("bestellt", "bestelldatum"),
            ("gekundigt", "kundigung"),
            ("eingetreten", "eintritt"),
            ("gekauft", "kaufdatum"),
            ("abgeschlossen", "abschluss"),
            ("gewartet", "wartung"),
            ("eingegangen", "eingang"),
            ("verkauft", "verkaufsdatum"),
            ("geleitet", "leitung"),
            ("verkauft", "verkaufer"),
        ];
        same.iter().for_each(|(verb, noun)| assert!(is_of_verb(verb, noun), "{verb} {noun}"));
        let other = [
            ("angenommen", "abnahme"),
            ("geliefert", "laufzeit"),
            ("gekauft", "kaffee"),
            ("datum", "datum"),
            ("gegeben", "ausgabe"),
        ];
        other.iter().for_each(|(verb, noun)| assert!(!is_of_verb(verb, noun), "{verb} {noun}"));
        assert!(is_english("delivered", "delivery") && is_english("returned", "return"));
        assert!(is_french("livree", "livraison") && is_french("inscrit", "inscription"));
        assert!(!is_french("date", "date"));
        assert!(!is_english("united", "unit") && !is_english("processed", "problem"));
    }
}
