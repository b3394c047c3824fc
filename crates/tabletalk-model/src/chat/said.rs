//! What was given out of a reply.

/// Gives out the text of a reply, and no part of it twice when the reply breaks off and is asked for again: what the new
/// reply repeats is skipped. Where it departs from what was given out, nothing more is; then the text of the reply
/// is what counts, and whoever showed the parts shows that instead.
pub(crate) struct Said<'a> {
    on_text: &'a mut dyn FnMut(&str),
    given: String,
    at: usize,
    departed: bool,
}

impl<'a> Said<'a> {
    /// Nothing was given out yet.
    pub(crate) fn new(on_text: &'a mut dyn FnMut(&str)) -> Self {
        Said { on_text, given: String::new(), at: 0, departed: false }
    }

    /// The reply begins anew.
    pub(crate) fn again(&mut self) {
        self.at = 0;
    }

    /// The next part of the reply.
    pub(crate) fn hear(&mut self, part: &str) {
        if self.departed || part.is_empty() {
            return;
        }
        let behind = self.given.get(self.at..).unwrap_or_default();
        let same = behind.len().min(part.len());
        self.departed = behind.bytes().zip(part.bytes()).any(|(a, b)| a != b);
        if let (false, Some(new)) = (self.departed, part.get(same..)) {
            self.at += part.len();
            if !new.is_empty() {
                self.given.push_str(new);
                (self.on_text)(new);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(tries: &[&[&str]]) -> Vec<String> {
        let mut out = Vec::new();
        let mut on_text = |text: &str| out.push(text.to_owned());
        let mut said = Said::new(&mut on_text);
        for parts in tries {
            said.again();
            parts.iter().for_each(|part| said.hear(part));
        }
        out
    }

    #[test]
    fn nothing_is_said_twice() {
        assert_eq!(heard(&[&["ab", "c"], &["a", "bcd", "é"]]), ["ab", "c", "d", "é"]);
        assert_eq!(heard(&[&["ab"], &[], &["a"], &["abc"]]), ["ab", "c"]);
    }

    #[test]
    fn a_reply_that_departs_is_given_out_no_further() {
        assert_eq!(heard(&[&["abc"], &["ax", "yz"]]), ["abc"]);
        assert_eq!(heard(&[&["é"], &["è", "z"]]), ["é"]);
    }
}
