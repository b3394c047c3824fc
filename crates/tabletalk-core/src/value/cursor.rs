//! A reading position in a text that sees full-width characters as their plain forms.

/// A position in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the start of a text.
    pub(super) fn new(text: &'a str) -> Self {
        Cursor { text, at: 0 }
    }
    /// How many bytes have been read.
    pub(super) fn at(&self) -> usize {
        self.at
    }
    /// What has not been read.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }
    /// Whether everything has been read.
    pub(super) fn is_done(&self) -> bool {
        self.at >= self.text.len()
    }
    /// The next character with its length in bytes.
    fn next(&self) -> Option<(char, usize)> {
        match self.text.as_bytes().get(self.at) {
            Some(&b) if b < 0x80 => Some((b as char, 1)),
            Some(_) => self.rest().chars().next().map(|c| (fold(c), c.len_utf8())),
            None => None,
        }
    }
    /// The next character, folded, without reading it.
    pub(super) fn peek(&self) -> Option<char> {
        self.next().map(|(c, _)| c)
    }
    /// Reads the next character if the test holds.
    pub(super) fn eat_if(&mut self, test: impl Fn(char) -> bool) -> Option<char> {
        let (c, len) = self.next()?;
        if !test(c) {
            return None;
        }
        self.at += len;
        Some(c)
    }
    /// Reads this character if it is next.
    pub(super) fn eat(&mut self, wanted: char) -> bool {
        self.eat_if(|c| c == wanted).is_some()
    }
    /// Reads this text if it is next; ASCII letters in any case.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        match self.rest().get(..word.len()) {
            Some(head) if head.eq_ignore_ascii_case(word) => {
                self.at += word.len();
                true
            }
            _ => false,
        }
    }
    pub(super) fn digit(&mut self) -> Option<u8> {
        self.eat_if(|c| c.is_ascii_digit()).map(|c| c as u8 - b'0')
    }
    /// Reads between `min` and `max` digits that no further digit follows.
    pub(super) fn digits(&mut self, min: usize, max: usize) -> Option<u32> {
        let start = *self;
        let (mut value, mut count) = (0u32, 0);
        while count < max {
            let Some(d) = self.digit() else { break };
            value = value * 10 + u32::from(d);
            count += 1;
        }
        if count < min || self.peek().is_some_and(|c| c.is_ascii_digit()) {
            *self = start;
            return None;
        }
        Some(value)
    }
    /// Reads spaces of any width; says how many.
    pub(super) fn spaces(&mut self) -> usize {
        let mut count = 0;
        while self.eat_if(is_space).is_some() {
            count += 1;
        }
        count
    }
    /// Whether a word could not go on here.
    pub(super) fn at_word_end(&self) -> bool {
        !self.peek().is_some_and(|c| c.is_ascii_alphanumeric())
    }
}

/// A space of any width.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{a0}' | '\u{2009}' | '\u{202f}' | '\u{3000}')
}

/// Full-width forms as plain ones; every kind of minus as `-`.
pub(super) fn fold(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{2212}' | '\u{2013}' | '\u{2010}' | '\u{2011}' | '\u{fe63}' => '-',
        '\u{2019}' | '\u{2bc}' => '\'',
        _ => c,
    }
}
