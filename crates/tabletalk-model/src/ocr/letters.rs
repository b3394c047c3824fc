//! From how likely each letter is at each step of a line to its text.

use super::blanks::Gaps;
use tabletalk_core::{Error, Result};

/// The letters a model knows, in its order: first nothing at all, last the blank between words.
pub(crate) struct Letters(Vec<String>);

/// A text and how sure it is, from 0 to 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reading {
    pub(crate) text: String,
    pub(crate) confidence: f32,
}

/// A letter that was seen: which, how likely, and at which step.
struct Letter {
    kind: usize,
    likely: f32,
    step: usize,
}

impl Letters {
    /// The letters as models list them: one a line.
    pub(crate) fn parse(list: &str) -> Result<Letters> {
        let mut letters = vec![String::new()];
        letters.extend(
            list.trim_end_matches(['\n', '\r']).split('\n').map(|l| l.trim_end_matches('\r').to_owned()),
        );
        if letters.len() < 3 {
            return Err(Error::input("the list of letters is empty"));
        }
        letters.push(" ".into());
        Ok(Letters(letters))
    }

    /// How many kinds there are, nothing and the blank included.
    pub(crate) fn kinds(&self) -> usize {
        self.0.len()
    }

    /// The text: the likeliest letter of each step, where one that stays for several steps is one letter. A step is
    /// `pixels` wide on the line, and a blank is added where `gaps` says so.
    pub(crate) fn read(&self, likely: &[f32], gaps: Gaps, pixels: f32) -> Reading {
        let seen = self.seen(likely);
        let place = |letter: &Letter| (letter.step as f32 + 0.5) * pixels;
        let blank = self.kinds() - 1;
        let blanks: Vec<f32> = seen.iter().filter(|letter| letter.kind == blank).map(place).collect();
        let gaps = gaps.without(&blanks, pixels);
        let mut text = String::new();
        let mut before: Option<(char, f32)> = None;
        for letter in &seen {
            let word = self.0.get(letter.kind).map_or("", String::as_str);
            let next = word.chars().next().map(|c| (c, place(letter)));
            if before.zip(next).is_some_and(|(a, b)| gaps.part(a, b)) {
                text.push(' ');
            }
            text.push_str(word);
            before = word.chars().next_back().map(|c| (c, place(letter)));
        }
        let sum: f32 = seen.iter().map(|letter| letter.likely).sum();
        Reading { text: text.trim().to_owned(), confidence: sum / seen.len().max(1) as f32 }
    }

    fn seen(&self, likely: &[f32]) -> Vec<Letter> {
        let best = |(step, row): (usize, &[f32])| {
            let best = row.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
            best.map(|(kind, likely)| Letter { kind, likely: *likely, step })
        };
        let mut before = 0;
        let mut new = |letter: &Letter| std::mem::replace(&mut before, letter.kind) != letter.kind;
        let steps = likely.chunks_exact(self.kinds()).enumerate().filter_map(best);
        steps.filter(|letter| new(letter)).filter(|letter| letter.kind != 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps as numbers of letters, each with the likelihood 0.8.
    fn steps(letters: &Letters, kinds: &[usize]) -> Vec<f32> {
        let row = |kind: &usize| {
            let mut row = vec![0.2 / (letters.kinds() - 1) as f32; letters.kinds()];
            row[*kind] = 0.8;
            row
        };
        kinds.iter().flat_map(row).collect()
    }

    fn read(kinds: &[usize]) -> Reading {
        let letters = Letters::parse("a\nb\n中\n").unwrap();
        letters.read(&steps(&letters, kinds), Gaps::default(), 8.0)
    }

    #[test]
    fn a_letter_that_stays_is_one_and_nothing_between_makes_two() {
        assert_eq!(read(&[0, 1, 1, 0, 1, 2, 2, 3, 0]).text, "aab中");
        assert!((read(&[1, 2]).confidence - 0.8).abs() < 1e-6);
    }

    #[test]
    fn the_last_kind_is_a_blank_and_does_not_stand_at_an_end() {
        assert_eq!(read(&[4, 1, 4, 2, 4]).text, "a b");
    }

    #[test]
    fn nothing_seen_is_an_empty_text_without_confidence() {
        assert_eq!(read(&[0, 0, 0]), Reading::default());
        assert_eq!(read(&[]), Reading::default());
    }

    #[test]
    fn a_list_without_letters_is_refused() {
        assert_eq!(Letters::parse("\n").err().unwrap().message(), "the list of letters is empty");
        assert_eq!(Letters::parse("a\r\nb\r\n").unwrap().0, ["", "a", "b", " "]);
    }
}
