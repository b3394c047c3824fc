//! Everyday words for the same column, and for what a row is, in English, German, French and Chinese.
//!
//! `rings.txt` has a line for each attribute with the words that headers and questions call it; `things.txt` has a
//! line for each kind of row with its names and the columns that such tables typically have. Base forms suffice: words
//! are the same but for a regular ending. A stem would take words of four languages for each other: the French
//! `salarié` is no `salary`.

use crate::word::{self, Word};
use std::collections::HashMap;
use std::sync::OnceLock;

/// Letters by which phrases are sought: words that differ by their ending alone begin alike.
const PREFIX: usize = 3;

/// Phrases, each with the number of the line it stands in.
#[derive(Debug, Default)]
struct Phrases {
    by_prefix: HashMap<String, Vec<(Vec<Word>, usize)>>,
}

impl Phrases {
    fn add(&mut self, phrase: &str, line: usize) {
        let words = word::words(phrase);
        if let Some(first) = words.first() {
            self.by_prefix.entry(prefix(first)).or_default().push((words, line));
        }
    }

    /// The phrases that stand in a text from a word on: how many words, and which line.
    fn at(&self, words: &[Word], from: usize) -> Vec<(usize, usize)> {
        let Some(first) = words.get(from) else { return Vec::new() };
        let stands = |phrase: &[Word]| {
            phrase.len() <= words.len() - from
                && phrase
                    .iter()
                    .zip(words.iter().skip(from))
                    .all(|(a, b)| is_near(&a.text, &b.text) && is_form(a, b))
        };
        let here = self.by_prefix.get(&prefix(first)).into_iter().flatten();
        here.filter(|(phrase, _)| stands(phrase)).map(|(phrase, line)| (phrase.len(), *line)).collect()
    }
}

/// Whether two words are the same but for a regular ending: plurals, and the endings of German and French adjectives. `er`
/// is none of them: a worker is no work.
fn is_near(a: &str, b: &str) -> bool {
    const ENDINGS: [(&str, &str); 16] = [
        ("", "s"),
        ("", "es"),
        ("", "e"),
        ("", "n"),
        ("", "en"),
        ("", "em"),
        ("", "d"),
        ("", "ed"),
        ("", "ing"),
        ("e", "ing"),
        ("", "x"),
        ("y", "ies"),
        ("y", "ied"),
        ("al", "aux"),
        ("e", "s"),
        ("s", "n"),
    ];
    let same = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let (Some(x), Some(y)) = (a.get(same..), b.get(same..)) else { return false };
    let (x, y) = if x.len() <= y.len() { (x, y) } else { (y, x) };
    x.is_empty() && y.is_empty() || same > 2 && ENDINGS.contains(&(x, y))
}

/// Whether a word of a question can be this word of a phrase: `orders` are not `ordered`.
fn is_form(phrase: &Word, asked: &Word) -> bool {
    !phrase.text.ends_with("ed") || asked.text.ends_with("ed") || phrase.text == asked.text
}

fn prefix(word: &Word) -> String {
    word.text.chars().take(PREFIX).collect()
}

/// Everyday words for columns and rows.
#[derive(Debug, Default)]
pub(crate) struct Thesaurus {
    rings: Phrases,
    things: Phrases,
    typical: Phrases,
}

impl Thesaurus {
    /// The one there is.
    pub(crate) fn get() -> &'static Thesaurus {
        static THESAURUS: OnceLock<Thesaurus> = OnceLock::new();
        THESAURUS.get_or_init(|| Thesaurus::parse(include_str!("rings.txt"), include_str!("things.txt")))
    }

    fn parse(rings: &str, things: &str) -> Thesaurus {
        let mut all = Thesaurus::default();
        for (i, line) in lines(rings) {
            line.split(',').for_each(|phrase| all.rings.add(phrase, i));
        }
        for (i, line) in lines(things) {
            let Some((names, typical)) = line.split_once(':') else { continue };
            names.split(',').for_each(|phrase| all.things.add(phrase, i));
            typical.split(',').for_each(|phrase| all.typical.add(phrase, i));
        }
        all
    }

    /// The attributes that words from here on may name: how many words, and which attribute.
    pub(crate) fn attributes(&self, words: &[Word], from: usize) -> Vec<(usize, usize)> {
        self.rings.at(words, from)
    }

    /// The kinds of row that words from here on may name.
    pub(crate) fn things(&self, words: &[Word], from: usize) -> Vec<(usize, usize)> {
        self.things.at(words, from)
    }

    /// The kinds of row in whose tables a column of this name is typical.
    pub(crate) fn typical_of(&self, name: &[Word]) -> Vec<usize> {
        let whole =
            |from: usize| self.typical.at(name, from).into_iter().map(move |(len, line)| (from + len, line));
        let mut found: Vec<usize> = (0..name.len())
            .flat_map(whole)
            .filter(|(end, _)| *end == name.len())
            .map(|(_, line)| line)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}
