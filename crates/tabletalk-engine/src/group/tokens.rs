//! A light count of tokens, for the length of chunks.
//!
//! A Chinese character, a kana or a hangul syllable is one token. A run of other letters and digits is one
//! for each begun [`RUN`] characters, so a usual word is one; so is a run of other visible characters.
//! White space is none. Models count otherwise, but not by much, and no model is needed for this. A text
//! never has fewer tokens than a part of it, nor more than its parts together.

use std::ops::Range;

/// The most characters of a word or a run of signs that are one token.
const RUN: usize = 8;

/// What may stand together in a token.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Space,
    Word,
    Sign,
    Character,
}

fn kind(c: char) -> Kind {
    match c {
        _ if c.is_whitespace() => Kind::Space,
        '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' => Kind::Character,
        '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}' => Kind::Character,
        _ if c.is_alphanumeric() => Kind::Word,
        _ => Kind::Sign,
    }
}

/// The byte ranges of the tokens of a text.
pub fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = chars.find(|&(_, c)| kind(c) != Kind::Space)?;
        let mut end = start + first.len_utf8();
        let more = if kind(first) == Kind::Character { 0 } else { RUN - 1 };
        for _ in 0..more {
            let Some((_, c)) = chars.next_if(|&(_, c)| kind(c) == kind(first)) else {
                break;
            };
            end += c.len_utf8();
        }
        Some(start..end)
    })
}

/// How many tokens a text has.
pub fn count(text: &str) -> usize {
    tokens(text).count()
}

/// The byte after the first `most` tokens of a text.
pub fn head(text: &str, most: usize) -> usize {
    tokens(text).nth(most).map_or(text.len(), |next| next.start)
}

/// The byte where the last `most` tokens of a text begin.
pub fn tail(text: &str, most: usize) -> usize {
    let skip = count(text).saturating_sub(most);
    tokens(text).nth(skip).map_or(text.len(), |first| first.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_words_characters_and_signs() {
        assert_eq!(count("The quick fox, 1.5"), 7);
        assert_eq!(count("营业收入 2023"), 5);
        assert_eq!(count("internationalisation"), 3);
        assert_eq!(count(" \n"), 0);
    }

    #[test]
    fn cuts_between_tokens() {
        let text = "one two 三四";
        assert_eq!(&text[..head(text, 2)], "one two ");
        assert_eq!(&text[tail(text, 3)..], "two 三四");
        assert_eq!((head(text, 9), tail(text, 9), tail(text, 0)), (text.len(), 0, text.len()));
    }
}
