//! How well the words of a query and of a text agree.

use std::collections::HashSet;
use tabletalk_store::analyze::Analyzer;

/// Words that a question about tables may have and that say something, though they are short or frequent.
const TABLE_WORDS: [&str; 24] = [
    "no", "id", "all", "most", "more", "few", "less", "total", "sum", "average", "max", "min", "count",
    "rank", "top", "均", "总", "和", "年", "月", "日", "元", "人", "率",
];

/// The words of a query or a text, as keyword search sees them.
pub(super) struct Words {
    /// Each once.
    pub(super) set: HashSet<String>,
    /// All in order.
    pub(super) list: Vec<String>,
}

impl Words {
    pub(super) fn of(analyzer: &Analyzer, text: &str) -> Words {
        let mut tokens = Vec::new();
        analyzer.tokens(text, &mut tokens);
        let list: Vec<String> = tokens.into_iter().map(|t| t.text).collect();
        Words { set: list.iter().cloned().collect(), list }
    }

    /// The words of a query that say something: two characters or more and no stop word, or known from tables.
    pub(super) fn telling(analyzer: &Analyzer, text: &str) -> HashSet<String> {
        let all = Words::of(analyzer, text).set;
        let mut telling: HashSet<String> = analyzer.query(text).into_iter().map(|t| t.text).collect();
        telling.retain(|w| all.contains(w) && w.chars().count() >= 2);
        telling.extend(all.into_iter().filter(|w| TABLE_WORDS.contains(&w.as_str())));
        telling
    }
}

/// Words that both have, among the words that either has.
pub(super) fn jaccard(a: &HashSet<String>, b: &HashSet<String>) -> f32 {
    let both = a.intersection(b).count();
    let all = a.len() + b.len() - both;
    if all == 0 { 0.0 } else { both as f32 / all as f32 }
}

/// A hundred times the occurrences of words of the query in each character of the text, at most 1.
pub(super) fn density(query: &HashSet<String>, text: &Words, chars: usize) -> f32 {
    let times = text.list.iter().filter(|w| query.contains(*w)).count();
    if chars == 0 { 0.0 } else { (100.0 * times as f32 / chars as f32).min(1.0) }
}

/// The share of the query's words that stand in a text.
pub(super) fn share(query: &HashSet<String>, text: &HashSet<String>) -> f32 {
    if query.is_empty() { 0.0 } else { query.intersection(text).count() as f32 / query.len() as f32 }
}

/// The weighted mean of the parts that are there.
pub(super) fn mean(weights: &[f32], parts: &[Option<f32>]) -> f32 {
    let there = || weights.iter().zip(parts).filter_map(|(w, p)| p.map(|p| (w, p)));
    let weight: f32 = there().map(|(w, _)| w).sum();
    if weight > 0.0 { there().map(|(w, p)| w * p).sum::<f32>() / weight } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(words: &[&str]) -> HashSet<String> {
        words.iter().map(|w| w.to_string()).collect()
    }

    #[test]
    fn formulas_give_what_they_say() {
        assert_eq!(jaccard(&set(&["a", "b"]), &set(&["b", "c"])), 1.0 / 3.0);
        assert_eq!(share(&set(&["a", "b"]), &set(&["b", "c"])), 0.5);
        let text = Words { list: vec!["b".into(), "b".into(), "c".into()], set: set(&["b", "c"]) };
        assert_eq!(density(&set(&["b"]), &text, 1000), 0.2);
        assert_eq!(density(&set(&["b"]), &text, 10), 1.0);
        assert!((mean(&[0.4, 0.35, 0.25], &[Some(1.0), None, Some(0.0)]) - 0.4 / 0.65).abs() < 1e-6);
        assert_eq!(mean(&[0.4], &[None]), 0.0);
    }
}
