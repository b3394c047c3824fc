//! The pieces that a text is cut into: Chinese characters, words, numbers and signs.

use std::ops::Range;

/// A piece, in small letters, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) range: Range<usize>,
}

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Digits = 1,
    /// A Chinese character by which sentences are put together.
    Particle,
    /// A number in Chinese.
    Numeral,
    Han,
    Word,
    /// A word by which sentences are put together.
    Function,
    Open,
    Close,
    Pause,
    Joint,
    Sign,
}

const PARTICLES: &str = "的地得了着在是于和与及或而为以由被把从到等其之有也都将";
const NUMERALS: &str = "一二三四五六七八九十百千万亿两半";
const FUNCTIONS: &[&str] = &[
    "the", "a", "an", "of", "in", "on", "at", "to", "for", "by", "with", "and", "or", "is", "was", "were",
    "are", "be", "been", "that", "this", "it", "its", "as", "from", "did", "do", "does", "had", "has",
    "have", "his", "her", "their", "he", "she", "they", "which", "who", "what", "when", "where", "how",
    "many", "much", "why", "there", "into", "than",
];

pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

impl Token {
    pub(super) fn first(&self) -> char {
        self.text.chars().next().unwrap_or(' ')
    }

    pub(super) fn is_han(&self) -> bool {
        is_han(self.first())
    }

    /// Whether it is a word, a number or a character, and no sign.
    pub(super) fn says(&self) -> bool {
        self.first().is_alphanumeric()
    }

    pub(super) fn class(&self) -> Class {
        match (self.first(), self.text.as_str()) {
            (c, _) if c.is_numeric() => Class::Digits,
            (c, _) if is_han(c) && PARTICLES.contains(c) => Class::Particle,
            (c, _) if is_han(c) && NUMERALS.contains(c) => Class::Numeral,
            (c, _) if is_han(c) => Class::Han,
            (c, text) if c.is_alphabetic() && FUNCTIONS.contains(&text) => Class::Function,
            (c, _) if c.is_alphabetic() => Class::Word,
            ('《' | '「' | '『' | '“' | '（' | '(' | '"' | '〈' | '【', _) => Class::Open,
            ('》' | '」' | '』' | '”' | '）' | ')' | '〉' | '】', _) => Class::Close,
            _ if self.pauses() => Class::Pause,
            ('、' | '·', _) => Class::Joint,
            _ => Class::Sign,
        }
    }

    /// Whether a sentence may end with it.
    pub(super) fn ends(&self) -> bool {
        matches!(self.first(), '。' | '！' | '？' | '!' | '?' | '；' | ';' | '.')
    }

    /// Whether a part of a sentence may end with it.
    pub(super) fn pauses(&self) -> bool {
        self.ends() || matches!(self.first(), '，' | ',' | '：' | ':')
    }

    /// What it is compared by: words by their beginning.
    pub(super) fn stem(&self) -> String {
        if self.is_han() { self.text.clone() } else { self.text.chars().take(5).collect() }
    }
}

/// The pieces of a text.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let end = at + length(text.get(at..).unwrap_or_default(), c);
        if !c.is_whitespace() {
            all.push(Token { text: text.get(at..end).unwrap_or_default().to_lowercase(), range: at..end });
        }
        at = end;
    }
    all
}

/// How long the piece is that a text begins with.
fn length(text: &str, first: char) -> usize {
    if !first.is_alphanumeric() || is_han(first) {
        return first.len_utf8();
    }
    let of_kind = |c: char| match first.is_numeric() {
        true => c.is_numeric(),
        false => c.is_alphabetic() && !is_han(c),
    };
    let joins = |c: char| match first.is_numeric() {
        true => matches!(c, '.' | ',' | ':'),
        false => matches!(c, '\'' | '’' | '-'),
    };
    let mut letters = text.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        let goes_on = of_kind(c) || joins(c) && letters.peek().is_some_and(|(_, next)| of_kind(*next));
        if !goes_on {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_into_pieces() {
        let texts = |text: &str| tokens(text).into_iter().map(|t| t.text).collect::<Vec<_>>();
        assert_eq!(texts("In 1,200 years, O'Neill."), ["in", "1,200", "years", ",", "o'neill", "."]);
        assert_eq!(texts("共42人，ABC"), ["共", "42", "人", "，", "abc"]);
    }

    proptest::proptest! {
        #[test]
        fn pieces_stand_where_they_say(text in "\\PC{0,40}") {
            for token in tokens(&text) {
                assert_eq!(text[token.range.clone()].to_lowercase(), token.text);
            }
        }
    }
}
