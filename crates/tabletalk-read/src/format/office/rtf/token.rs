//! Cuts RTF into tokens.

/// A piece of RTF.
#[derive(Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// `{`
    Open,
    /// `}`
    Close,
    /// `\word7`
    Word(&'a str, Option<i32>),
    /// `\'e9`
    Byte(u8),
    /// `\~` and the like.
    Sign(u8),
    /// Plain text.
    Text(&'a [u8]),
}

/// The tokens of a document, one after the other.
pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Tokens { bytes, at: 0 }
    }
    /// Skips bytes that are no text: those after `\bin`.
    pub(super) fn pass(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.bytes.len());
    }
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
    fn run(&mut self, is: impl Fn(u8) -> bool, most: usize) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = rest.iter().take(most).position(|b| !is(*b)).unwrap_or(rest.len().min(most));
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }
    /// What follows a backslash.
    fn control(&mut self) -> Option<Token<'a>> {
        let first = self.peek()?;
        if first.is_ascii_alphabetic() {
            return Some(self.word());
        }
        self.at += 1;
        if first != b'\'' {
            return Some(Token::Sign(first));
        }
        let digits = self.run(|b| b.is_ascii_hexdigit(), 2);
        let digits = std::str::from_utf8(digits).unwrap_or_default();
        Some(Token::Byte(u8::from_str_radix(digits, 16).unwrap_or(b'?')))
    }
    fn word(&mut self) -> Token<'a> {
        let name = std::str::from_utf8(self.run(|b| b.is_ascii_alphabetic(), 64)).unwrap_or_default();
        let minus = self.peek() == Some(b'-') && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit);
        self.at += usize::from(minus);
        let digits = std::str::from_utf8(self.run(|b| b.is_ascii_digit(), 12)).unwrap_or_default();
        let number = digits.parse::<i64>().ok().map(|n| if minus { -n } else { n });
        let number = number.map(|n| n.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32);
        if self.peek() == Some(b' ') {
            self.at += 1;
        }
        Token::Word(name, number)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            match self.peek()? {
                b'{' => {
                    self.at += 1;
                    return Some(Token::Open);
                }
                b'}' => {
                    self.at += 1;
                    return Some(Token::Close);
                }
                b'\\' => {
                    self.at += 1;
                    return self.control();
                }
                b'\r' | b'\n' | 0 => self.at += 1,
                _ => {
                    let text =
                        self.run(|b| !matches!(b, b'{' | b'}' | b'\\' | b'\r' | b'\n' | 0), usize::MAX);
                    return Some(Token::Text(text));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_words_bytes_and_text() {
        let tokens: Vec<_> = Tokens::of(b"{\\rtf1\\u-10179 ?a\\'e9\\~\r\nb}").collect();
        let expected = [
            Token::Open,
            Token::Word("rtf", Some(1)),
            Token::Word("u", Some(-10179)),
            Token::Text(b"?a"),
            Token::Byte(0xe9),
            Token::Sign(b'~'),
            Token::Text(b"b"),
            Token::Close,
        ];
        assert_eq!(tokens, expected);
    }
}
