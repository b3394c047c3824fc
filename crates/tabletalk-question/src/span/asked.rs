//! What a question asks for: which word asks, and what stands before and after it.

use super::token::{Class, Token, tokens};
use std::collections::HashSet;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Why = 1,
    When,
    Where,
    Who,
    Number,
    How,
    What,
    Which,
    Open,
}

/// The words that ask, the most telling first.
const ASKING: &[(&str, Kind)] = &[
    ("为什么", Kind::Why),
    ("为甚么", Kind::Why),
    ("什么原因", Kind::Why),
    ("什么时候", Kind::When),
    ("什么时间", Kind::When),
    ("甚么时候", Kind::When),
    ("何时", Kind::When),
    ("哪一年", Kind::When),
    ("哪年", Kind::When),
    ("哪一天", Kind::When),
    ("哪一日", Kind::When),
    ("几时", Kind::When),
    ("哪里", Kind::Where),
    ("何处", Kind::Where),
    ("何地", Kind::Where),
    ("哪儿", Kind::Where),
    ("什么地方", Kind::Where),
    ("谁", Kind::Who),
    ("何人", Kind::Who),
    ("哪一个人", Kind::Who),
    ("哪个人", Kind::Who),
    ("哪位", Kind::Who),
    ("哪一位", Kind::Who),
    ("什么人", Kind::Who),
    ("多少", Kind::Number),
    ("几", Kind::Number),
    ("多大", Kind::Number),
    ("多长", Kind::Number),
    ("多高", Kind::Number),
    ("多久", Kind::Number),
    ("怎么", Kind::How),
    ("怎样", Kind::How),
    ("如何", Kind::How),
    ("什么", Kind::What),
    ("甚么", Kind::What),
    ("何种", Kind::Which),
    ("哪", Kind::Which),
    ("为何", Kind::Open),
    ("何", Kind::Which),
];
/// Words of measure between the word that asks and what it asks for.
const MEASURES: &str = "一个些种位座家部支项类所间款场条名件本";
/// What makes `how` ask for a number.
const AMOUNTS: &[&str] = &["many", "much", "long", "old", "far", "often", "large", "tall", "high"];

/// A question, taken apart.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) kind: Kind,
    /// What is asked for, where the question names it: `哪个城市`, `which city`.
    pub(super) head: Vec<String>,
    pub(super) left: Vec<String>,
    pub(super) right: Vec<String>,
    /// What is looked for in the text: pairs of characters, and words.
    pub(super) grams: HashSet<String>,
}

impl Asked {
    pub(super) fn of(question: &str) -> Asked {
        let question = question.to_lowercase();
        let question = question.trim().trim_end_matches(['?', '？', '。', '.', ' ']);
        let (from, to, kind) = asking(question);
        let left = tokens(question.get(..from).unwrap_or_default());
        let mut right = tokens(question.get(to..).unwrap_or_default());
        if kind == Kind::Which {
            let measures = right.iter().take_while(|t| MEASURES.contains(t.first())).count();
            right.drain(..measures.min(right.len().saturating_sub(1)));
        }
        let named = if right.first().is_some_and(Token::is_han) { 2 } else { 1 };
        let texts = |all: &[Token]| all.iter().map(|t| t.text.clone()).collect::<Vec<_>>();
        let grams = grams(&left).chain(grams(&right)).collect();
        let head = texts(right.get(..named.min(right.len())).unwrap_or_default());
        Asked { kind, head, left: texts(&left), right: texts(&right), grams }
    }
}

/// Where the word stands that asks, and what it asks for.
fn asking(question: &str) -> (usize, usize, Kind) {
    let found = ASKING.iter().find_map(|(word, kind)| Some((question.find(word)?, word.len(), *kind)));
    if let Some((at, length, kind)) = found {
        return (at, at + length, kind);
    }
    let words = tokens(question);
    let end = (question.len(), question.len(), Kind::Open);
    let asks = |(i, word): (usize, &Token)| {
        let next = words.get(i + 1);
        let kind = match word.text.as_str() {
            "who" | "whom" | "whose" => Kind::Who,
            "where" => Kind::Where,
            "when" => Kind::When,
            "why" => Kind::Why,
            "how" if next.is_some_and(|n| AMOUNTS.contains(&n.text.as_str())) => {
                return Some((word.range.start, next?.range.end, Kind::Number));
            }
            "how" => Kind::How,
            "what" => Kind::What,
            "which" => Kind::Which,
            _ => return None,
        };
        Some((word.range.start, word.range.end, kind))
    };
    words.iter().enumerate().find_map(asks).unwrap_or(end)
}

fn grams(tokens: &[Token]) -> impl Iterator<Item = String> {
    (0..tokens.len()).filter_map(|i| gram(tokens, i))
}

/// What a text is compared by at a place: a pair of Chinese characters, or a word that says something.
pub(super) fn gram(tokens: &[Token], at: usize) -> Option<String> {
    let token = tokens.get(at)?;
    if token.is_han() {
        let next = tokens.get(at + 1).filter(|next| next.is_han())?;
        return Some(format!("{}{}", token.text, next.text));
    }
    matches!(token.class(), Class::Word | Class::Digits).then(|| token.stem())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_known() {
        let asked = Asked::of("哪一个城市是挪威的首都？");
        assert_eq!((asked.kind, asked.head.concat().as_str()), (Kind::Which, "城市"));
        assert!(asked.grams.contains("挪威") && asked.left.is_empty());
        let asked = Asked::of("How many points did the Panthers lose?");
        assert_eq!((asked.kind, asked.head.concat().as_str()), (Kind::Number, "points"));
        assert!(asked.grams.contains("panth") && !asked.grams.contains("the"));
        assert_eq!(Asked::of("挪威的首都是").kind, Kind::Open);
    }
}
