//! Keeping what a model says short, and keeping answers out of it.

use crate::excerpt::Excerpt;
use crate::format::Count;
use crate::group::sentence::sentences;
use tabletalk_core::Kind;

/// How long a text may be.
pub(super) struct Most<'a> {
    pub(super) sentences: usize,
    pub(super) tokens: usize,
    pub(super) count: Count<'a>,
}

impl Most<'_> {
    /// The first sentences of a text that pass a test and fit together. A sentence that alone is too long is cut
    /// between words.
    pub(super) fn short(&self, text: &str, mut passes: impl FnMut(&str) -> bool) -> String {
        let mut short = String::new();
        let mut taken = 0;
        for range in sentences(text) {
            let Some(sentence) = text.get(range).filter(|s| passes(s)) else { continue };
            let longer = [short.as_str(), sentence].join(if short.is_empty() { "" } else { " " });
            if taken >= self.sentences || (self.count)(&longer) > self.tokens {
                break;
            }
            (short, taken) = (longer, taken + 1);
        }
        match (taken, sentences(text).into_iter().filter_map(|r| text.get(r)).find(|s| passes(s))) {
            (0, Some(first)) if self.sentences > 0 => self.words(first),
            _ => short,
        }
    }

    fn words(&self, sentence: &str) -> String {
        let ends = sentence.char_indices().filter(|(_, c)| c.is_whitespace() || !c.is_ascii());
        let cuts = ends.filter_map(|(i, _)| sentence.get(..i)).map(|s| format!("{}…", s.trim_end()));
        cuts.take_while(|cut| (self.count)(cut) <= self.tokens).last().unwrap_or_default()
    }
}

/// The values of a table that an explanation must not give away, in small letters.
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    /// Every cell but those that the question or what stands above the table speaks of itself.
    pub(super) fn cells(table: &Excerpt, question: &str) -> Secrets {
        let open = format!("{question} {} {}", table.title, names(table)).to_lowercase();
        let is_number = |c: &str| c.starts_with(|c: char| c.is_ascii_digit());
        let tells = |c: &String| c.chars().count() > if is_number(c) { 1 } else { 3 };
        let cells = table.rows.iter().flat_map(|r| &r.cells).map(|c| c.trim().to_lowercase());
        Secrets(cells.filter(|c| tells(c) && !holds(&open, c)).collect())
    }

    /// The numbers that are measured in a table: not its years, which say what it is about.
    pub(super) fn measures(table: &Excerpt) -> Secrets {
        let open = format!("{} {} {}", table.title, names(table), table.context).to_lowercase();
        let is_number =
            |c: usize| table.columns.get(c).is_some_and(|c| matches!(c.kind, Kind::Integer | Kind::Decimal));
        let is_year = |c: &str| c.len() == 4 && c.parse::<u32>().is_ok_and(|y| (1000..2200).contains(&y));
        let cells = table.rows.iter().flat_map(|r| r.cells.iter().enumerate());
        let numbers = cells.filter(|(i, _)| is_number(*i)).map(|(_, c)| c.trim().to_lowercase());
        Secrets(numbers.filter(|c| c.len() > 1 && !is_year(c) && !holds(&open, c)).collect())
    }

    /// The first of them that a text gives away, besides those in `allowed`.
    pub(super) fn told(&self, text: &str, allowed: &str) -> Option<&str> {
        let (text, allowed) = (text.to_lowercase(), allowed.to_lowercase());
        self.0.iter().find(|s| holds(&text, s) && !holds(&allowed, s)).map(String::as_str)
    }
}

fn names(table: &Excerpt) -> String {
    table.columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(" ")
}

/// Whether a part stands in a text and does not begin or end inside a word. Chinese has no spaces between words.
pub(super) fn holds(text: &str, part: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let inside = |a: Option<char>, b: Option<char>| is_word(a) && is_word(b);
    text.match_indices(part).any(|(i, found)| {
        let before = text.get(..i).and_then(|t| t.chars().next_back());
        let after = text.get(i + found.len()..).and_then(|t| t.chars().next());
        !inside(before, found.chars().next()) && !inside(found.chars().next_back(), after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::tokens;
    use proptest::prelude::*;

    fn short(text: &str, sentences: usize, tokens: usize) -> String {
        Most { sentences, tokens, count: &tokens::count }.short(text, |s| !s.contains("secret"))
    }

    #[test]
    fn sentences_are_taken_while_they_fit() {
        let text = "It lists cities. A secret is here. One row is a city. It is old.";
        assert_eq!(short(text, 2, 50), "It lists cities. One row is a city.");
        assert_eq!(short(text, 9, 12), "It lists cities. One row is a city.");
        assert_eq!(short("a secret", 9, 12), "");
        assert_eq!(short("它列出城市。每行是一个城市。", 1, 50), "它列出城市。");
    }

    #[test]
    fn a_sentence_that_is_too_long_is_cut_between_words() {
        assert_eq!(short("one two three four five six", 2, 4), "one two three…");
        assert_eq!(short("one", 2, 0), "");
    }

    #[test]
    fn a_part_of_a_word_is_not_the_word() {
        assert!(holds("in 1,200 cases", "1,200") && holds("有腾讯公司", "腾讯"));
        assert!(!holds("12000", "1200") && !holds("oslofjord", "oslo"));
    }

    proptest! {
        #[test]
        fn never_longer_than_it_may_be(text in "([a-z]{1,9}[ .!?。\n]{1,2}){0,30}", sentences in 0usize..5, most in 0usize..30) {
            let made = short(&text, sentences, most);
            prop_assert!(tokens::count(&made) <= most);
        }
    }
}
