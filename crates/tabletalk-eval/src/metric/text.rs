//! How much of an answer in words is right, as in the evaluation of reading comprehension.
//!
//! Texts are compared by their words: without case, punctuation and the articles `a`, `an` and `the`; wide
//! letters and digits are the same as narrow ones, and each Chinese or Japanese character is a word. A text
//! of nothing but articles keeps them, so that the grade `A` is an answer.
//!
//! Several right texts may mean two things. Where each of them alone is right, [`exact_match`] and [`f1`]
//! take the best. Where all of them together are right, as in a list, [`exact_match_of_list`] wants the same
//! values in any order, and [`f1_of_list`] compares the words of all values joined: a value that is missing
//! lowers recall, one too many lowers precision, and the order does not count.

use super::unicode::{is_ideograph, is_punctuation};
use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;

/// 1 when the text is one of the right ones, otherwise 0.
pub fn exact_match(alternatives: &[String], given: &str) -> f64 {
    let given = words(given);
    f64::from(u8::from(alternatives.iter().any(|gold| words(gold) == given)))
}

/// The harmonic mean of the shares of words that are given and that are right, with the best of the right
/// texts.
pub fn f1(alternatives: &[String], given: &str) -> f64 {
    let given = words(given);
    alternatives.iter().map(|gold| overlap(&words(gold), &given)).fold(0.0, f64::max)
}

/// 1 when the values are the right ones, in any order, otherwise 0.
pub fn exact_match_of_list(gold: &[String], given: &[String]) -> f64 {
    let sorted = |all: &[String]| {
        let mut all: Vec<Vec<String>> = all.iter().map(|text| words(text)).collect();
        all.sort();
        all
    };
    f64::from(u8::from(sorted(gold) == sorted(given)))
}

/// The harmonic mean of the shares of words that are given and that are right, over all values joined.
pub fn f1_of_list(gold: &[String], given: &[String]) -> f64 {
    let joined = |all: &[String]| all.iter().flat_map(|text| words(text)).collect::<Vec<_>>();
    overlap(&joined(gold), &joined(given))
}

/// Two texts without words are the same; one without words shares nothing with one that has some.
fn overlap(gold: &[String], given: &[String]) -> f64 {
    if gold.is_empty() || given.is_empty() {
        return f64::from(u8::from(gold.len() == given.len()));
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    gold.iter().for_each(|word| *left.entry(word).or_default() += 1);
    let mut shared = 0;
    for word in given {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    2.0 * f64::from(shared) / (gold.len() + given.len()) as f64
}

/// The words of a text that count.
fn words(text: &str) -> Vec<String> {
    let lower = text.nfkc().collect::<String>().to_lowercase();
    let mut spaced = String::with_capacity(lower.len());
    for c in lower.chars().filter(|c| !is_punctuation(*c)) {
        if is_ideograph(c) {
            spaced.extend([' ', c, ' ']);
        } else {
            spaced.push(c);
        }
    }
    let all = || spaced.split_whitespace().map(str::to_owned);
    let telling: Vec<String> = all().filter(|word| !matches!(word.as_str(), "a" | "an" | "the")).collect();
    if telling.is_empty() { all().collect() } else { telling }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(all: &[&str]) -> Vec<String> {
        all.iter().map(|v| (*v).to_owned()).collect()
    }

    #[test]
    fn case_articles_and_punctuation_do_not_count() {
        let gold = list(&["The Eiffel Tower", "Eiffel's tower"]);
        assert_eq!(exact_match(&gold, "eiffel tower!"), 1.0);
        assert_eq!(exact_match(&gold, "eiffels  Tower"), 1.0);
        assert_eq!(exact_match(&gold, "tower"), 0.0);
        assert_eq!(exact_match(&list(&["A"]), "the"), 0.0);
        assert_eq!(exact_match(&[], ""), 0.0);
    }

    #[test]
    fn f1_is_that_of_the_best_alternative() {
        let gold = list(&["in the city of Paris", "Paris"]);
        assert_eq!(f1(&gold, "Paris"), 1.0);
        assert!((f1(&gold[..1], "Paris city") - 2.0 * 2.0 / 6.0).abs() < 1e-12);
        assert_eq!((f1(&gold, ""), f1(&gold, "Oslo"), f1(&list(&["."]), "")), (0.0, 0.0, 1.0));
    }

    #[test]
    fn chinese_is_compared_by_characters() {
        assert_eq!(exact_match(&list(&["北京市。"]), "《北京市》"), 1.0);
        assert!((f1(&list(&["北京市"]), "北京") - 0.8).abs() < 1e-12);
        assert_eq!(exact_match(&list(&["１２ＫＭ"]), "12km"), 1.0);
    }

    #[test]
    fn lists_are_compared_in_any_order() {
        let gold = list(&["New York", "Oslo"]);
        assert_eq!(exact_match_of_list(&gold, &list(&["oslo", "new york"])), 1.0);
        assert_eq!(exact_match_of_list(&gold, &list(&["Oslo"])), 0.0);
        assert_eq!(f1_of_list(&gold, &list(&["Oslo", "New York"])), 1.0);
        assert!((f1_of_list(&gold, &list(&["Oslo"])) - 0.5).abs() < 1e-12);
    }
}
