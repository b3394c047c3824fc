//! What a query looks for.

use super::synonym::{Match, Synonyms};
use super::{Language, Origin, Scratch, Token, fold, value, words};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What a match of a word counts that is only part of a number or date.
const PART: f32 = 0.4;

/// What a match of a synonym counts; shared by the words of a phrase.
const SYNONYM: f32 = 0.6;

/// The terms of a query, each once.
pub(super) fn query(text: &str, scratch: &mut Scratch) -> Vec<Token> {
    let mut tokens = Vec::new();
    words::words(text, scratch, &mut |term, range| tokens.push(Token::word(term, range)));
    let values = value_tokens(text, &mut tokens);
    let synonyms = synonym_tokens(text, &tokens, scratch);
    drop_stop_words(text, &mut tokens, values.len(), scratch);
    tokens.extend(values);
    tokens.extend(synonyms);
    once_each(tokens)
}

/// The plain forms of the numbers and dates in `text`. The words they are written with count less then.
fn value_tokens(text: &str, words: &mut [Token]) -> Vec<Token> {
    let found = value::found_in(text);
    let within = |word: &Token, range: &Range<usize>| range.start <= word.start && word.end <= range.end;
    let is_said = |words: &[Token], (range, term): &(Range<usize>, String)| {
        words.iter().any(|w| w.text == *term && within(w, range))
    };
    let (said, unsaid): (Vec<_>, Vec<_>) = found.into_iter().partition(|value| is_said(words, value));
    for word in words.iter_mut().filter(|w| !said.iter().any(|(_, term)| *term == w.text)) {
        if unsaid.iter().any(|(range, _)| within(word, range)) {
            (word.weight, word.origin) = (PART, Origin::Part);
        }
    }
    unsaid
        .into_iter()
        .map(|(range, term)| Token { origin: Origin::Value, ..Token::word(&term, range) })
        .collect()
}

fn synonym_tokens(text: &str, words: &[Token], scratch: &mut Scratch) -> Vec<Token> {
    let state = scratch.state.clone();
    if state.synonyms.is_empty() {
        return Vec::new();
    }
    let found = phrases(text, words, &state.synonyms, scratch);
    found.iter().flat_map(|m| expand(m, words, &mut |phrase| cut(phrase, scratch))).collect()
}

/// The phrases of `text`, whose terms are `words`, that have synonyms.
pub(super) fn phrases(text: &str, words: &[Token], synonyms: &Synonyms, scratch: &mut Scratch) -> Vec<Match> {
    let terms: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
    let has_han = scratch.state.language != Language::English && text.chars().any(fold::is_han);
    synonyms.find(&terms, has_han, &mut |phrase| cut(phrase, scratch))
}

/// The terms of a phrase, as those of a query are cut.
pub(super) fn cut(phrase: &str, scratch: &mut Scratch) -> Vec<String> {
    let mut out = Vec::new();
    words::words(phrase, scratch, &mut |term, _| out.push(term.to_string()));
    out
}

/// The terms of the synonyms of one phrase, at the place of that phrase.
fn expand(found: &Match, words: &[Token], cut: &mut dyn FnMut(&str) -> Vec<String>) -> Vec<Token> {
    let phrase = words.get(found.first..found.end).unwrap_or_default();
    let (Some(first), Some(last)) = (phrase.first(), phrase.last()) else {
        return Vec::new();
    };
    let (start, end) = (first.start, phrase.iter().map(|w| w.end).max().unwrap_or(last.end));
    let mut out = Vec::new();
    for synonym in &found.phrases {
        let terms = cut(synonym);
        let weight = SYNONYM / terms.len().max(1) as f32;
        out.extend(terms.into_iter().map(|text| Token { text, start, end, weight, origin: Origin::Synonym }));
    }
    out
}

/// Drops stop words, unless nothing else would be looked for.
fn drop_stop_words(text: &str, words: &mut Vec<Token>, values: usize, scratch: &Scratch) {
    let stop_words = &scratch.state.stop_words;
    let is_stop = |word: &Token| text.get(word.start..word.end).is_some_and(|w| stop_words.contains(w));
    if values > 0 || !words.iter().all(is_stop) {
        words.retain(|word| !is_stop(word));
    }
}

fn once_each(tokens: Vec<Token>) -> Vec<Token> {
    let mut at: FxHashMap<String, usize> = FxHashMap::default();
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        match at.get(&token.text).and_then(|&i| out.get_mut(i)) {
            Some(before) if before.weight < token.weight => *before = token,
            Some(_) => {}
            None => {
                at.insert(token.text.clone(), out.len());
                out.push(token);
            }
        }
    }
    out
}
