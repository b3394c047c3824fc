//! Letters as a PDF gives them, made into those people write.

use super::ink::Text;
use unicode_normalization::UnicodeNormalization;

/// The letter, or nothing where it says nothing.
pub(super) fn tidy(c: char) -> Option<Text> {
    match c {
        '\0'..='\u{8}' | '\u{e}'..='\u{1f}' | '\u{7f}' | '\u{feff}' | '\u{200c}'..='\u{200f}' => None,
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' | '\t' | '\n' | '\r' => {
            Some(Text::One(' '))
        }
        // Bullets of symbol fonts.
        '\u{f0b7}' | '\u{f0a7}' | '\u{f076}' | '\u{f0d8}' | '\u{f06e}' | '\u{f0fc}' => Some(Text::One('•')),
        // Symbol fonts put their letters into the private area.
        '\u{f020}'..='\u{f07e}' => char::from_u32(c as u32 - 0xf000).map(Text::One),
        // Ligatures, and radicals that stand for the letter of the same look.
        '\u{fb00}'..='\u{fb06}' | '\u{2e80}'..='\u{2fdf}' | '\u{f900}'..='\u{faff}' => {
            let text: String = std::iter::once(c).nfkc().collect();
            of_str(&text)
        }
        '\u{ad}' => Some(Text::One('-')),
        c => Some(Text::One(c)),
    }
}

/// The same for a character that stands for several letters.
pub(super) fn tidy_all(s: &str) -> Option<Text> {
    let mut out = String::new();
    for c in s.chars() {
        if let Some(text) = tidy(c) {
            text.push_to(&mut out);
        }
    }
    of_str(&out)
}

fn of_str(text: &str) -> Option<Text> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (None, _) => None,
        (Some(c), None) => Some(Text::One(c)),
        _ => Some(Text::Many(text.into())),
    }
}
