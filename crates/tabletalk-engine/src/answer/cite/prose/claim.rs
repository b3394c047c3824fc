//! What a sentence claims, and whether a text bears it out.
//!
//! Its numbers, its names and all its Chinese must stand in the text: they cannot be made up. Of its other words most
//! must, so that a text may be said in other words; and what the text denies, a sentence must not say.

use super::figure::figures;
use super::han;
use super::name::names;
use crate::group::sentence::sentences;
use std::collections::HashSet;
use tabletalk_store::analyze::{Analyzer, Origin};

/// The share of words that must stand in the text.
pub(super) const SHARE: f32 = 0.6;
/// The same where a reranker holds the text for the one that says it.
pub(super) const LOOSE: f32 = 0.3;
/// The fewest words that say something.
const FEWEST: usize = 2;
/// Sentences of a text that may bear out one sentence together.
const WINDOW: usize = 3;

/// What denies.
const DENYING: &[&str] = &[
    "no", "not", "never", "none", "nobody", "nothing", "neither", "nor", "without", "cannot", "nicht",
    "kein", "keine", "keinen", "keiner", "nie", "niemals", "ohne", "aucun", "aucune", "jamais", "sans",
    "pas",
];
const DENYING_HAN: &[&str] = &["不", "没", "沒", "未", "无", "無", "非", "否"];
/// Chinese words with such a character that deny nothing.
const PLAIN_HAN: &[&str] = &[
    "不同", "不仅", "不僅", "不断", "不斷", "不过", "不過", "不久", "不少", "不但", "不管", "不论", "不論",
    "无论", "無論", "非常", "未来", "未來", "除非", "无线", "無線", "是否", "能否", "非洲",
];

/// A sentence, taken apart.
pub(super) struct Claim<'a> {
    analyzer: &'a Analyzer,
    text: &'a str,
    figures: Vec<String>,
    /// Each word, with the terms that mean the same.
    words: Vec<Vec<String>>,
    denies: bool,
}

impl<'a> Claim<'a> {
    /// What a sentence says; the words of the question are said by whoever asked, and count little.
    pub(super) fn of(analyzer: &'a Analyzer, text: &'a str) -> Claim<'a> {
        let tokens = analyzer.query(text);
        let mut words = Vec::new();
        // Numbers are looked at by themselves.
        let is_word = |text: &str| text.chars().any(char::is_alphabetic);
        for word in tokens.iter().filter(|token| token.origin == Origin::Word && is_word(&token.text)) {
            let same = tokens.iter().filter(|t| t.start <= word.start && word.end <= t.end);
            words.push(same.map(|t| t.text.clone()).collect());
        }
        Claim { analyzer, text, figures: figures(text), words, denies: denies(text) }
    }

    /// The sentences of a text that bear it out, as few as do; `around` is what the text is called and stands under.
    pub(super) fn within(&self, text: &str, around: &str, share: f32) -> Option<String> {
        let all = format!("{around}\n{text}");
        if !self.has_names(&all) || !han::is_covered(self.text, &all) {
            return None;
        }
        let ranges = sentences(text);
        (1..=WINDOW.min(ranges.len())).find_map(|size| {
            let parts: Vec<Vec<&str>> = ranges
                .windows(size)
                .map(|window| window.iter().filter_map(|r| text.get(r.clone())).collect())
                .collect();
            parts.iter().find(|parts| self.is_said(parts, share)).map(|parts| parts.join(" "))
        })
    }

    /// Whether some sentences say the same. A number must stand beside half of the words at least: sentences beside each
    /// other would else lend it to other things.
    fn is_said(&self, parts: &[&str], share: f32) -> bool {
        let part = parts.join(" ");
        let is_beside = |figure: &String| {
            parts.iter().any(|one| figures(one).contains(figure) && self.has_words(one, share / 2.0))
        };
        self.has_words(&part, share) && self.figures.iter().all(is_beside) && !self.is_denied(&part)
    }

    /// Whether all its numbers are among those of a text.
    pub(super) fn has_figures(&self, text: &str) -> bool {
        let there = figures(text);
        self.figures.iter().all(|figure| there.contains(figure))
    }

    /// Whether all its names stand in a text, each as a whole.
    pub(super) fn has_names(&self, text: &str) -> bool {
        has_names(self.text, text)
    }

    /// Whether so many of its words stand in a text, or words that mean the same.
    pub(super) fn has_words(&self, text: &str, share: f32) -> bool {
        let there = terms(self.analyzer, text);
        let found = self.words.iter().filter(|same| same.iter().any(|term| there.contains(term))).count();
        found >= FEWEST.min(self.words.len()).max(1) && found as f32 >= share * self.words.len() as f32
    }

    /// Whether a number or a name of it stands in one of these cells.
    pub(super) fn tells(&self, cells: &[String]) -> bool {
        let said = joined(self.text);
        cells.iter().any(|cell| {
            let figures = figures(cell);
            figures.iter().any(|figure| self.figures.contains(figure))
                || (figures.is_empty() && stands(&said, &joined(cell)))
        })
    }

    /// Whether all its Chinese stands in a text.
    pub(super) fn is_covered(&self, text: &str) -> bool {
        han::is_covered(self.text, text)
    }

    /// Whether one of both denies what the other says. Where a text denies something else in passing, it does not count.
    fn is_denied(&self, part: &str) -> bool {
        let mut clauses = part.split([',', ';', ':', '，', '；', '：', '(', ')', '（', '）']);
        self.denies != clauses.any(|clause| denies(clause) && self.has_words(clause, 0.5))
    }
}

/// Whether all names of one text stand in another, each as a whole.
pub(super) fn has_names(said: &str, text: &str) -> bool {
    // A word that a sentence begins with is no name where it stands in the text in small letters.
    let known = |word: &str| text.split(|c: char| !c.is_alphanumeric()).any(|other| other == word);
    let all = joined(text);
    names(said, &known).iter().all(|name| stands(&all, &joined(name)))
}

fn terms(analyzer: &Analyzer, text: &str) -> HashSet<String> {
    let mut tokens = Vec::new();
    analyzer.tokens(text, &mut tokens);
    tokens.into_iter().map(|token| token.text).collect()
}

/// Whether a text denies something.
fn denies(text: &str) -> bool {
    let text = text.to_lowercase().replace(['’'], "'");
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let plain = PLAIN_HAN.iter().fold(text.clone(), |text, word| text.replace(word, ""));
    words.any(|word| DENYING.contains(&word) || word.ends_with("n't"))
        || DENYING_HAN.iter().any(|sign| plain.contains(sign))
}

/// A text in small letters with single spaces, without the signs that names are written with and without.
fn joined(text: &str) -> String {
    let small = text.to_lowercase().replace('’', "'");
    let plain: String = small.chars().map(|c| if matches!(c, '-' | '_' | '/') { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether words stand in a text and do not begin or end inside others.
fn stands(text: &str, words: &str) -> bool {
    crate::answer::cite::source::holds(text, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Twelve suppliers delivered late in 2023. Acme Corp was late by 14 days because of a strike; \
                        Globex Ltd did not deliver at all. Prices rose by 5 %.";

    fn says(sentence: &str) -> bool {
        Claim::of(&Analyzer::default(), sentence).within(TEXT, "report.md", SHARE).is_some()
    }

    #[test]
    fn a_text_said_in_other_words_is_borne_out() {
        for said in [
            "Acme Corp was 14 days late due to a strike.",
            "In 2023, 12 suppliers were late with deliveries.",
            "Globex Ltd did not deliver.",
            "The prices rose by 5 percent.",
        ] {
            assert!(says(said), "{said}");
        }
    }

    #[test]
    fn what_is_made_up_is_not() {
        for said in [
            "Initech was late by 14 days because of a strike.",
            "Acme Corp was late by 15 days because of a strike.",
            "Acme Corp was late by fourteen hundred days.",
            "Acme Ltd was late because of a strike.",
            "Thirteen suppliers delivered late in 2023.",
            "Prices rose by 5 million.",
            "Acme Corp was not late because of a strike.",
            "Globex Ltd delivered.",
            "The weather was nice everywhere.",
            "Yes.",
            "",
        ] {
            assert!(!says(said), "{said}");
        }
    }

    #[test]
    fn numbers_stand_where_the_words_stand() {
        assert!(!says("Prices rose by 14 %.") && !says("Prices rose by 14 days."));
    }

    #[test]
    fn chinese_is_taken_word_for_word() {
        let text = "供应商宏达延迟交货14天，原因是台风。价格没有上涨。";
        let says = |said: &str| Claim::of(&Analyzer::default(), said).within(text, "", SHARE).is_some();
        assert!(says("宏达因为台风延迟交货14天。") && says("价格没有上涨。"));
        assert!(!says("宏远因为台风延迟交货14天。") && !says("宏达延迟交货15天。") && !says("价格上涨。"));
    }
}
