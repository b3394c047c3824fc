//! Letters as a PDF gives them, made into those people write.

use unicode_normalization::UnicodeNormalization;

/// What a character stands for: nearly always one letter.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Text {
    One(char),
    Many(Box<str>),
}

impl Text {
    pub(super) fn is_space(&self) -> bool {
        match self {
            Text::One(c) => c.is_whitespace() || *c == '\u{200b}',
            Text::Many(s) => s.trim().is_empty(),
        }
    }
    pub(super) fn push_to(&self, out: &mut String) {
        match self {
            Text::One(c) => out.push(*c),
            Text::Many(s) => out.push_str(s),
        }
    }
}

/// The letter, or nothing where it says nothing.
pub(super) fn tidy(c: char) -> Option<Text> {
    plain(c).map(as_drawn)
}

/// The same, the letters of a ligature as they are read.
fn plain(c: char) -> Option<Text> {
    match c {
        '\0'..='\u{8}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{feff}' | '\u{200c}'..='\u{200f}' => {
            None
        }
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' | '\t' | '\n' | '\r' => {
            Some(Text::One(' '))
        }
        // Bullets of symbol fonts.
        '\u{f0b7}' | '\u{f0a7}' | '\u{f076}' | '\u{f0d8}' | '\u{f06e}' | '\u{f0fc}' => Some(Text::One('•')),
        // Symbol fonts put their letters into the private area.
        '\u{f020}'..='\u{f07e}' => char::from_u32(c as u32 - 0xf000).map(Text::One),
        '\u{f07f}'..='\u{f0ff}' => Some(Text::One('•')),
        // Ligatures, forms of Arabic letters, and radicals that stand for the letter of the same look.
        '\u{fb00}'..='\u{fb06}'
        | '\u{2e80}'..='\u{2fdf}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fb50}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' => {
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
        if let Some(text) = plain(c) {
            text.push_to(&mut out);
        }
    }
    of_str(&out).map(as_drawn)
}

/// The letters of a ligature as they would stand on the page one by one: a word is turned round as a whole.
fn as_drawn(text: Text) -> Text {
    match text {
        Text::Many(s) if is_leftward(&s) => Text::Many(logical(&s).into()),
        text => text,
    }
}

fn of_str(text: &str) -> Option<Text> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (None, _) => None,
        (Some(c), None) => Some(Text::One(c)),
        _ => Some(Text::Many(text.into())),
    }
}

/// Whether a letter belongs to a script that runs from right to left.
fn runs_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

/// Whether most letters run from right to left.
pub(super) fn is_leftward(text: &str) -> bool {
    let (mut left, mut all) = (0, 0);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        all += 1;
        left += usize::from(runs_left(c));
    }
    left * 2 > all
}

/// Where letters that run from right to left meet others. What is no letter goes with the others, unless letters
/// that run from right to left are on both sides of it.
pub(super) fn turns(text: &str) -> Vec<usize> {
    let mut turns = Vec::new();
    let mut last: Option<(usize, bool)> = None;
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphabetic()) {
        let left = runs_left(c);
        match last {
            Some((end, true)) if !left => turns.push(end),
            Some((_, false)) if left => turns.push(at),
            _ => {}
        }
        last = Some((at + c.len_utf8(), left));
    }
    turns
}

/// A word as it is read, of letters as they stand from left to right: numbers and Latin letters keep their
/// order, the rest is turned round. Done twice, it changes nothing.
pub(super) fn logical(text: &str) -> String {
    let mut runs: Vec<(bool, String)> = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        let turned = !(c.is_numeric() || c.is_alphabetic() && !runs_left(c) || is_in_number(&chars, i));
        match runs.last_mut() {
            Some((t, run)) if *t == turned => run.push(c),
            _ => runs.push((turned, c.to_string())),
        }
    }
    let read = |(turned, run): &(bool, String)| match turned {
        true => run.chars().rev().collect(),
        false => run.clone(),
    };
    runs.iter().rev().map(read).collect()
}

/// Whether a sign stands between two digits: it is part of a number or a date.
fn is_in_number(chars: &[char], at: usize) -> bool {
    let is_digit = |i: Option<usize>| i.and_then(|i| chars.get(i)).is_some_and(|c| c.is_numeric());
    let is_sign = chars.get(at).is_some_and(|c| matches!(c, '.' | ',' | ':' | '/' | '-' | '٫' | '٬'));
    is_sign && is_digit(at.checked_sub(1)) && is_digit(Some(at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_made_into_those_people_write() {
        assert_eq!(tidy('\u{fb01}'), Some(Text::Many("fi".into())));
        assert_eq!(tidy('\u{a0}'), Some(Text::One(' ')));
        assert_eq!(tidy('\u{2f00}'), Some(Text::One('一')));
        assert_eq!(tidy('\u{f0b7}'), Some(Text::One('•')));
        assert_eq!(tidy('\u{84}'), None);
    }

    #[test]
    fn ligatures_that_run_from_right_to_left_come_out_of_turning_in_their_order() {
        let word = |parts: &[Option<Text>]| {
            let mut drawn = String::new();
            parts.iter().flatten().for_each(|t| t.push_to(&mut drawn));
            logical(&drawn)
        };
        // As they stand from left to right: lam, the ligature of lam and alef, khah.
        assert_eq!(word(&[tidy('ل'), tidy('\u{fefc}'), tidy('خ')]), "خلال");
        assert_eq!(word(&[tidy('ل'), tidy_all("لا"), tidy('خ')]), "خلال");
        assert_eq!(word(&[tidy('ل'), tidy_all("\u{fefc}"), tidy('خ')]), "خلال");
        assert_eq!(word(&[tidy_all("بلا"), tidy('ت')]), "تبلا");
        assert_eq!(tidy_all("ffi"), Some(Text::Many("ffi".into())));
    }

    #[test]
    fn words_that_run_from_right_to_left_are_turned_round() {
        assert!(is_leftward("ةغلب"));
        assert_eq!(logical("ةغلب"), "بلغة");
        assert_eq!(logical("Rو"), "وR");
        assert_eq!(logical("12א"), "א12");
    }

    #[test]
    fn numbers_in_words_that_are_turned_round_stay_as_they_are() {
        assert_eq!(logical("1,234.5-ב"), "ב-1,234.5");
        assert_eq!(logical("3/12/2024ל"), "ל3/12/2024");
        assert_eq!(logical("٤٧٫٥ب"), "ب٤٧٫٥");
    }
}
