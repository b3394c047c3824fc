//! A summary without a language model: the most central sentences.

use crate::group::sentence::sentences;
use crate::group::tokens;
use std::collections::HashMap;
use tabletalk_store::analyze::Analyzer;

/// Sentences of fewer tokens say too little.
const LEAST: usize = 4;
/// How much a sentence loses by saying what was said.
const AGAIN: f32 = 0.7;
/// The most sentences that are compared; those of a longer cluster are taken evenly.
const MOST: usize = 400;

/// A sentence as its words see it: each word by number, with a weight; the weights have length one.
struct Sentence<'a> {
    text: &'a str,
    tokens: usize,
    words: Vec<(u32, f32)>,
}

/// The most central sentences of some texts, within so many tokens, in the order they stand in.
pub fn extract(texts: &[&str], most: usize, analyzer: &Analyzer) -> String {
    let found = weighed(texts, analyzer);
    let mut chosen = choose(&found, most);
    chosen.sort_unstable();
    let mut summary = String::new();
    for i in chosen {
        if let Some(sentence) = found.get(i) {
            join(&mut summary, sentence.text);
        }
    }
    if summary.is_empty() {
        // No sentence fits: the beginning of the first.
        let first = texts.iter().map(|t| t.trim()).find(|t| !t.is_empty()).unwrap_or_default();
        summary.push_str(first.get(..tokens::head(first, most)).unwrap_or_default().trim());
    }
    summary
}

fn join(summary: &mut String, sentence: &str) {
    let is_wide = summary.ends_with(['。', '！', '？', '；', '”', '」']);
    if !summary.is_empty() && !is_wide {
        summary.push(' ');
    }
    summary.push_str(sentence);
}

fn weighed<'a>(texts: &[&'a str], analyzer: &Analyzer) -> Vec<Sentence<'a>> {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut found: Vec<Sentence<'a>> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for sentence in evenly(texts) {
        let sentence =
            sentence.trim_start_matches(|c: char| c.is_whitespace() || ".,;:)]。，；：）".contains(c));
        let tokens = tokens::count(sentence);
        if tokens < LEAST || !seen.insert(sentence) {
            continue;
        }
        let mut times: HashMap<u32, f32> = HashMap::new();
        for token in analyzer.query(sentence) {
            let next = numbers.len() as u32;
            *times.entry(*numbers.entry(token.text).or_insert(next)).or_default() += 1.0;
        }
        let mut words: Vec<(u32, f32)> = times.into_iter().collect();
        words.sort_unstable_by_key(|w| w.0);
        found.push(Sentence { text: sentence, tokens, words });
    }
    weigh(&mut found, numbers.len());
    found
}

fn evenly<'a>(texts: &[&'a str]) -> Vec<&'a str> {
    let all: Vec<&str> =
        texts.iter().flat_map(|text| sentences(text).into_iter().filter_map(|r| text.get(r))).collect();
    let step = all.len().div_ceil(MOST).max(1);
    all.into_iter().step_by(step).collect()
}

/// Words that many sentences have count less; then every sentence gets length one.
fn weigh(found: &mut [Sentence<'_>], words: usize) {
    let mut holding = vec![0f32; words];
    for (word, _) in found.iter().flat_map(|s| &s.words) {
        if let Some(h) = holding.get_mut(*word as usize) {
            *h += 1.0;
        }
    }
    let all = found.len() as f32;
    for sentence in found {
        for (word, weight) in &mut sentence.words {
            let h = holding.get(*word as usize).copied().unwrap_or(1.0);
            *weight = (1.0 + weight.ln()) * (1.0 + all / h).ln();
        }
        let length = sentence.words.iter().map(|w| w.1 * w.1).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        sentence.words.iter_mut().for_each(|w| w.1 /= length);
    }
}

/// The best sentences one by one: near to all others, and not like one that was taken.
fn choose(found: &[Sentence<'_>], most: usize) -> Vec<usize> {
    let mut centre: HashMap<u32, f32> = HashMap::new();
    for (word, weight) in found.iter().flat_map(|s| &s.words) {
        *centre.entry(*word).or_default() += weight / found.len() as f32;
    }
    let central =
        |s: &Sentence<'_>| s.words.iter().map(|(w, x)| x * centre.get(w).unwrap_or(&0.0)).sum::<f32>();
    let scores: Vec<f32> = found.iter().map(central).collect();
    let best = scores.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let mut alike = vec![0f32; found.len()];
    let (mut chosen, mut left) = (Vec::new(), most);
    let mut open: Vec<usize> = (0..found.len()).collect();
    loop {
        open.retain(|&i| found[i].tokens <= left);
        let gain = |i: usize| scores[i] / best - AGAIN * alike[i];
        let Some(at) = (0..open.len()).reduce(|a, b| if gain(open[b]) > gain(open[a]) { b } else { a })
        else {
            return chosen;
        };
        let taken = open.remove(at);
        left -= found[taken].tokens;
        for &i in &open {
            alike[i] = alike[i].max(cosine(&found[i].words, &found[taken].words));
        }
        chosen.push(taken);
    }
}

/// Of two sorted lists of words.
fn cosine(a: &[(u32, f32)], b: &[(u32, f32)]) -> f32 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match x.0.cmp(&y.0) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                sum += x.1 * y.1;
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_most_speak_of_and_says_it_once() {
        let texts = [
            "The harbour of Oslo was dredged in 2021. Lunch was late on that day.",
            "Dredging the Oslo harbour cost 4 million. The harbour of Oslo was dredged in 2021.",
            "Ships enter Oslo harbour again since it was dredged. A dog barked somewhere far away.",
        ];
        let summary = extract(&texts, 24, &Analyzer::default());
        assert!(summary.contains("harbour") && !summary.contains("dog"), "{summary}");
        assert_eq!(summary.matches("dredged in 2021").count(), 1, "{summary}");
        assert!(tokens::count(&summary) <= 24, "{summary}");
    }

    #[test]
    fn joins_chinese_sentences_without_spaces() {
        let texts = ["奥斯陆港口今年扩建。奥斯陆港口的货运量增长。", "港口扩建花费四百万。"];
        let summary = extract(&texts, 200, &Analyzer::default());
        assert_eq!(summary, "奥斯陆港口今年扩建。奥斯陆港口的货运量增长。港口扩建花费四百万。");
    }

    #[test]
    fn something_is_said_of_any_text() {
        let analyzer = Analyzer::default();
        assert_eq!(extract(&["short"], 10, &analyzer), "short");
        assert_eq!(extract(&[], 10, &analyzer), "");
        assert_eq!(extract(&["", " \n"], 10, &analyzer), "");
        let long = "word ".repeat(500);
        assert!(tokens::count(&extract(&[&long], 20, &analyzer)) <= 20);
    }

    proptest::proptest! {
        #[test]
        fn never_longer_than_wanted(text in "[ a-d.\n。]{0,200}", most in 1usize..40) {
            let summary = extract(&[&text], most, &Analyzer::default());
            proptest::prop_assert!(tokens::count(&summary) <= most, "{summary}");
        }
    }
}
