//! The text of a reply out of the bytes of its tokens.

/// Puts a reply together. A sign may come in two tokens, and a text that ends the reply may too: what could be the
/// beginning of either is held back until it is known.
pub(crate) struct Pieces<'a> {
    stop: &'a [String],
    bytes: Vec<u8>,
    text: String,
    given: usize,
}

impl<'a> Pieces<'a> {
    /// An empty reply that ends before any of `stop`.
    pub(crate) fn new(stop: &'a [String]) -> Self {
        Pieces { stop, bytes: Vec::new(), text: String::new(), given: 0 }
    }

    /// Adds a token; true when the reply has ended.
    pub(crate) fn add(&mut self, token: &[u8]) -> bool {
        self.bytes.extend_from_slice(token);
        let whole = whole(&self.bytes);
        let new: Vec<u8> = self.bytes.drain(..whole).collect();
        self.text.push_str(&String::from_utf8_lossy(&new));
        let end =
            self.stop.iter().filter(|stop| !stop.is_empty()).filter_map(|stop| self.text.find(stop)).min();
        if let Some(end) = end {
            self.text.truncate(end);
        }
        end.is_some()
    }

    /// What can be given out since this was last asked.
    pub(crate) fn fresh(&mut self) -> &str {
        let sure = self.text.len() - self.held();
        let from = self.given.min(sure);
        self.given = self.given.max(sure);
        self.text.get(from..sure).unwrap_or_default()
    }

    /// The whole reply, and how much of it was given out.
    pub(crate) fn end(mut self) -> (String, usize) {
        self.text.push_str(&String::from_utf8_lossy(&self.bytes));
        (self.text, self.given)
    }

    /// How many bytes at the end could be the beginning of a text that ends the reply.
    fn held(&self) -> usize {
        let held = |stop: &String| {
            let begins = |length: &usize| stop.get(..*length).is_some_and(|begin| self.text.ends_with(begin));
            (1..stop.len()).rev().find(begins).unwrap_or(0)
        };
        self.stop.iter().map(held).max().unwrap_or(0)
    }
}

/// How many of `bytes` are whole signs; what can never become one counts as whole.
fn whole(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    let tail = bytes.get(from..).unwrap_or_default();
    let is_cut = |(at, byte): (usize, &u8)| {
        let length = match byte {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            _ => 1,
        };
        at + length > tail.len()
    };
    let cut = tail.iter().enumerate().position(is_cut);
    cut.map_or(bytes.len(), |at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(stop: &[&str], tokens: &[&[u8]]) -> (Vec<String>, String) {
        let stop: Vec<String> = stop.iter().map(|&s| s.to_owned()).collect();
        let mut pieces = Pieces::new(&stop);
        let mut out = Vec::new();
        for token in tokens {
            let ended = pieces.add(token);
            out.push(pieces.fresh().to_owned());
            if ended {
                break;
            }
        }
        let (text, given) = pieces.end();
        out.push(text[given..].to_owned());
        (out, text)
    }

    #[test]
    fn a_sign_in_two_tokens_is_held_back() {
        let bytes = "a价b".as_bytes();
        let (out, text) = parts(&[], &[&bytes[..2], &bytes[2..3], &bytes[3..]]);
        assert_eq!((out.join("|").as_str(), text.as_str()), ("a||价b|", "a价b"));
        assert_eq!(parts(&[], &[b"\xff\xe4"]).1, "\u{fffd}\u{fffd}");
    }

    #[test]
    fn the_reply_ends_before_a_stop() {
        let (out, text) = parts(&["\n\nQ:"], &[b"yes\n", b"\n", b"Q", b": more"]);
        assert_eq!((out.concat().as_str(), text.as_str()), ("yes", "yes"));
        let (out, text) = parts(&["\n\nQ:"], &[b"yes\n", b"\n", b"so"]);
        assert_eq!((out.concat().as_str(), text.as_str()), ("yes\n\nso", "yes\n\nso"));
    }
}
