//! Which words of a text answer a question, without a language model.
//!
//! All runs of words inside sentences, and runs of whole parts of sentences, are candidates. A log-linear model that was
//! learned from questions and their answers says how likely each is; of the likely ones the words are given that share most
//! with all of them. How likely the answer is right at all is learned besides, from questions asked of texts that answer
//! them and of texts that do not.
//!
//! Chinese is expected in simplified characters, which take as many bytes as those they stand for.

mod asked;
mod feature;
pub mod learn;
mod text;
mod token;
mod weight;

use asked::Asked;
use std::collections::BTreeMap;
use std::ops::Range;
use text::Text;
use token::Class;
use weight::Weights;

/// The most pieces of words inside a sentence: of Chinese, and of other languages.
const LONGEST: (usize, usize) = (26, 14);
/// The most parts of sentences that are taken together, and the most pieces that they have.
const PARTS: usize = 8;
const LONGEST_PARTS: usize = 160;
/// Candidates that are compared with each other.
const COMPARED: usize = 120;

/// Words of a text that answer a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// Where they stand.
    pub range: Range<usize>,
    /// How likely they are right.
    pub sure: f32,
    /// The share of the question that stands in the text.
    pub share: f32,
}

/// The words of a text that answer a question likeliest; nothing where no word of the question stands in it.
pub fn find(question: &str, text: &str) -> Option<Span> {
    let asked = Asked::of(question);
    let text = Text::new(&asked, text);
    let weights = Weights::learned();
    let case = Case::of(&text);
    let found = case.best(weights)?;
    let (begin, end) = case.pairs[found.place];
    let range = text.tokens.get(begin)?.range.start..text.tokens.get(end - 1)?.range.end;
    let sure = weights.sure(text.is_han, &found.signs(&text));
    (text.best > 0.0).then_some(Span { range, sure, share: text.share })
}

/// The candidates of a text and their features.
struct Case {
    pairs: Vec<(usize, usize)>,
    begins: BTreeMap<usize, feature::Features>,
    ends: BTreeMap<usize, feature::Features>,
    both: Vec<feature::Features>,
}

/// The best candidate.
struct Found {
    place: usize,
    /// How likely it is among the candidates, and what it shares with the likely ones.
    likely: f32,
    shared: f32,
}

impl Found {
    /// What tells whether it is right.
    fn signs(&self, text: &Text<'_>) -> [f32; weight::SIGNS] {
        [1.0, self.shared, self.likely.max(1e-4).ln(), text.best, text.best * self.shared]
    }
}

impl Case {
    fn of(text: &Text<'_>) -> Case {
        let mut pairs = inside(text);
        pairs.extend(whole(text));
        let begins = pairs.iter().map(|pair| pair.0).collect::<std::collections::BTreeSet<_>>();
        let ends = pairs.iter().map(|pair| pair.1).collect::<std::collections::BTreeSet<_>>();
        Case {
            begins: begins.into_iter().map(|i| (i, feature::begin(text, i))).collect(),
            ends: ends.into_iter().map(|j| (j, feature::end(text, j))).collect(),
            both: pairs.iter().map(|(i, j)| feature::pair(text, *i, *j)).collect(),
            pairs,
        }
    }

    /// How likely each candidate is.
    fn likely(&self, weights: &Weights) -> Vec<f32> {
        let sums = |all: &BTreeMap<usize, feature::Features>| {
            all.iter().map(|(at, features)| (*at, weights.sum(features))).collect::<BTreeMap<_, _>>()
        };
        let (begins, ends) = (sums(&self.begins), sums(&self.ends));
        let score = |((i, j), both): (&(usize, usize), &feature::Features)| {
            begins.get(i).unwrap_or(&0.0) + ends.get(j).unwrap_or(&0.0) + weights.sum(both)
        };
        let mut all: Vec<f32> = self.pairs.iter().zip(&self.both).map(score).collect();
        let most = all.iter().copied().fold(f32::MIN, f32::max);
        all.iter_mut().for_each(|score| *score = (*score - most).exp());
        let sum: f32 = all.iter().sum();
        all.iter_mut().for_each(|score| *score /= sum);
        all
    }

    /// The candidate that shares most with all that are likely.
    fn best(&self, weights: &Weights) -> Option<Found> {
        let likely = self.likely(weights);
        let mut order: Vec<usize> = (0..likely.len()).collect();
        order.sort_by(|a, b| likely[*b].total_cmp(&likely[*a]));
        order.truncate(COMPARED);
        let shared =
            |a: usize| order.iter().map(|b| likely[*b] * overlap(self.pairs[a], self.pairs[*b])).sum::<f32>();
        let all =
            order.iter().map(|place| Found { place: *place, likely: likely[*place], shared: shared(*place) });
        all.reduce(|best, one| if one.shared > best.shared { one } else { best })
    }
}

/// How much two runs share.
fn overlap(a: (usize, usize), b: (usize, usize)) -> f32 {
    let shared = a.1.min(b.1).saturating_sub(a.0.max(b.0));
    2.0 * shared as f32 / (a.1 - a.0 + b.1 - b.0) as f32
}

/// Runs of words inside sentences.
fn inside(text: &Text<'_>) -> Vec<(usize, usize)> {
    let most = if text.is_han { LONGEST.0 } else { LONGEST.1 };
    let may_begin = |i: &usize| {
        let token = &text.tokens[*i];
        text.is_near(*i) && (token.says() || token.class() == Class::Open)
    };
    let may_end = |j: usize| {
        let token = &text.tokens[j];
        token.says() || token.class() == Class::Close || matches!(token.first(), '%' | '％' | '"')
    };
    let ends =
        |i: usize| (i..(i + most).min(text.len())).take_while(move |j| text.sentence[*j] == text.sentence[i]);
    let of = |i: usize| ends(i).filter(|j| may_end(*j)).map(move |j| (i, j + 1)).collect::<Vec<_>>();
    (0..text.len()).filter(may_begin).flat_map(of).collect()
}

/// Runs of whole parts of sentences that are longer than those.
fn whole(text: &Text<'_>) -> Vec<(usize, usize)> {
    let most = if text.is_han { LONGEST.0 } else { LONGEST.1 };
    let first: Vec<usize> = (0..text.len()).filter(|i| text.begins(*i).1).collect();
    let last = |n: usize| first.get(n + 1).copied().unwrap_or(text.len()) - 1;
    let mut all = Vec::new();
    for (n, i) in first.iter().enumerate().filter(|(_, i)| text.is_near(**i)) {
        for (m, begin) in first.iter().enumerate().skip(n).take(PARTS) {
            if text.sentence[*begin] > text.sentence[*i] + 1 {
                break;
            }
            let end = if text.tokens[last(m)].pauses() { last(m) } else { last(m) + 1 };
            if end > i + most && end <= i + LONGEST_PARTS {
                all.push((*i, end));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer<'a>(question: &str, text: &'a str) -> &'a str {
        &text[find(question, text).unwrap().range]
    }

    #[test]
    fn words_are_found_that_answer() {
        let text = "王谧曾奉天子玉玺给桓玄。网易公司在1997年由丁磊创立，总部位于广州。";
        assert_eq!(answer("网易公司在哪一年创立？", text), "1997年");
        assert!(answer("网易公司的总部位于哪里？", text).contains("广州"));
        let text = "The bridge over the Elbe was built in 1893 by Claus Koepcke. It is blue.";
        assert!(answer("When was the bridge over the Elbe built?", text).contains("1893"));
    }

    #[test]
    fn a_text_about_something_else_is_not_believed() {
        let text = "The bridge over the Elbe was built in 1893 by Claus Koepcke. It is blue.";
        let sure = |question: &str| find(question, text).map_or(0.0, |span| span.sure);
        assert!(sure("When was the bridge over the Elbe built?") > sure("When does the museum open?"));
        assert_eq!(find("", ""), None);
    }

    proptest::proptest! {
        #[test]
        fn what_is_found_stands_in_the_text(question in "\\PC{0,20}", text in "[a-z王国人在。，《》0-9 .]{0,60}") {
            if let Some(span) = find(&question, &text) {
                assert!(text.get(span.range).is_some());
            }
        }
    }
}
