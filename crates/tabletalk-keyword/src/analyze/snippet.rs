//! The part of a text that shows best why it was found.

use super::Analyzer;
use std::collections::HashSet;
use std::ops::Range;

const CUT: &str = "…";

/// A part of a text, and the words in it that were looked for.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Snippet {
    /// The part, with `…` where text was left out.
    pub text: String,
    /// The bytes of each match in [`Snippet::text`], in order; those that touch are one.
    pub highlights: Vec<Range<usize>>,
}

/// A word of the text that was looked for.
struct Found {
    term: usize,
    range: Range<usize>,
}

/// The window of at most `max_chars` characters that has the most of `terms`, which are as
/// [`Analyzer::query`] gives them.
pub fn snippet(text: &str, terms: &HashSet<String>, analyzer: &Analyzer, max_chars: usize) -> Snippet {
    let found = find(text, terms, analyzer);
    let core = best(text, &found, max_chars);
    let window = widen(text, core, max_chars);
    cut(text, window, &found)
}

fn find(text: &str, terms: &HashSet<String>, analyzer: &Analyzer) -> Vec<Found> {
    let order: Vec<&str> = terms.iter().map(String::as_str).collect();
    let mut found = Vec::new();
    analyzer.for_each_in_text(text, &mut analyzer.small_scratch(), |term, range| {
        if let Some(term) = order.iter().position(|t| *t == term) {
            found.push(Found { term, range });
        }
    });
    found.sort_by_key(|f| (f.range.start, std::cmp::Reverse(f.range.end)));
    found
}

/// From the first to the last match of the stretch with the most different terms, then the most matches.
fn best(text: &str, found: &[Found], max_chars: usize) -> Range<usize> {
    let mut best = (0, 0, 0..0);
    for (i, first) in found.iter().enumerate() {
        let mut seen = HashSet::new();
        let mut end = first.range.end;
        let limit = forward(text, first.range.start, max_chars);
        let inside = found.get(i..).unwrap_or_default().iter().take_while(|f| f.range.end <= limit);
        let mut count = 0;
        for f in inside {
            seen.insert(f.term);
            end = end.max(f.range.end);
            count += 1;
        }
        if (seen.len(), count) > (best.0, best.1) {
            best = (seen.len(), count, first.range.start..end);
        }
    }
    best.2
}

/// Room before and after the matches, a third of it before, ending between words where it can.
fn widen(text: &str, core: Range<usize>, max_chars: usize) -> Range<usize> {
    let used = text.get(core.clone()).map_or(0, |t| t.chars().count());
    let spare = max_chars.saturating_sub(used);
    let after = text.get(core.end..).map_or(0, |t| t.chars().take(spare).count());
    let before = (spare / 3).max(spare - after);
    let start = backward(text, core.start, before);
    let start = if start == 0 { 0 } else { word_start(text, start, core.start) };
    let taken = text.get(start..core.start).map_or(0, |t| t.chars().count());
    let end = forward(text, core.end, spare.saturating_sub(taken));
    let end = if end == text.len() { end } else { word_end(text, core.end, end) };
    start..end
}

/// The byte `chars` characters after `at`.
fn forward(text: &str, at: usize, chars: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.char_indices().nth(chars).map_or(text.len(), |(i, _)| at + i)
}

/// The byte `chars` characters before `at`.
fn backward(text: &str, at: usize, chars: usize) -> usize {
    if chars == 0 {
        return at;
    }
    let rest = text.get(..at).unwrap_or_default();
    rest.char_indices().rev().nth(chars - 1).map_or(0, |(i, _)| i)
}

/// The first place from `at` up to `limit` that is after a space.
fn word_start(text: &str, at: usize, limit: usize) -> usize {
    if text.get(..at).is_some_and(|t| t.ends_with(char::is_whitespace)) {
        return at;
    }
    let part = text.get(at..limit).unwrap_or_default();
    part.char_indices().take(20).find(|(_, c)| c.is_whitespace()).map_or(at, |(i, c)| at + i + c.len_utf8())
}

/// The last place from `at` down to `limit` that is before a space.
fn word_end(text: &str, limit: usize, at: usize) -> usize {
    if text.get(at..).is_some_and(|t| t.starts_with(char::is_whitespace)) {
        return at;
    }
    let part = text.get(limit..at).unwrap_or_default();
    part.char_indices().rev().take(20).find(|(_, c)| c.is_whitespace()).map_or(at, |(i, _)| limit + i)
}

fn cut(text: &str, window: Range<usize>, found: &[Found]) -> Snippet {
    let part = text.get(window.clone()).unwrap_or_default();
    let start = window.start + (part.len() - part.trim_start().len());
    let part = part.trim();
    let mut out = Snippet::default();
    if start > 0 && !text.get(..start).unwrap_or_default().trim().is_empty() {
        out.text.push_str(CUT);
    }
    let shift = out.text.len();
    out.text.push_str(part);
    if !text.get(start + part.len()..).unwrap_or_default().trim().is_empty() {
        out.text.push_str(CUT);
    }
    for f in found.iter().filter(|f| f.range.start >= start && f.range.end <= start + part.len()) {
        let range = f.range.start - start + shift..f.range.end - start + shift;
        match out.highlights.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.highlights.push(range),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, query: &str, max_chars: usize) -> String {
        let analyzer = Analyzer::default();
        let terms = analyzer.query(query).into_iter().map(|t| t.text).collect();
        let snippet = snippet(text, &terms, &analyzer, max_chars);
        let mut out = snippet.text.clone();
        for range in snippet.highlights.iter().rev() {
            out.insert(range.end, ']');
            out.insert(range.start, '[');
        }
        out
    }

    #[test]
    fn shows_the_stretch_with_the_most_of_the_query() {
        let text = "Sales began slowly. Nothing else was said for a long while about anything at all. \
                    In the north the sales of wine grew by half, the best year ever for the region.";
        assert_eq!(shown(text, "wine sales", 50), "…north the [sales] of [wine] grew by half, the best…");
    }

    #[test]
    fn shows_all_of_a_short_text() {
        assert_eq!(shown("Red wine", "wines", 80), "Red [wine]");
        assert_eq!(shown("Red wine", "beer", 80), "Red wine");
        assert_eq!(shown("", "beer", 80), "");
    }

    #[test]
    fn joins_words_that_touch() {
        assert_eq!(shown("本年度營業收入增长", "营业收入", 40), "本年度[營業收入]增长");
    }

    #[test]
    fn marks_a_date_in_whatever_form() {
        assert_eq!(
            shown("signed on 2023年9月1日 in Bern", "Sept 1 2023", 60),
            "signed on [2023年9月1日] in Bern"
        );
    }

    proptest::proptest! {
        #[test]
        fn highlights_lie_in_the_snippet(text in "\\PC{0,120}", query in "\\PC{0,20}", max in 0usize..60) {
            let analyzer = Analyzer::default();
            let terms = analyzer.query(&query).into_iter().map(|t| t.text).collect();
            let snippet = snippet(&text, &terms, &analyzer, max);
            proptest::prop_assert!(snippet.text.chars().count() <= max + 2);
            for range in &snippet.highlights {
                proptest::prop_assert!(snippet.text.get(range.clone()).is_some_and(|t| !t.is_empty()));
            }
        }
    }
}
