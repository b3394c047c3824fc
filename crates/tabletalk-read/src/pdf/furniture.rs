//! What every page repeats: running heads, feet, page numbers. It is dropped.

use super::page::Page;
use super::word::{Line, Word, lines};
use std::collections::HashMap;

/// The share of a page, at the top and at the bottom, where such lines stand.
const MARGIN: f32 = 0.12;

/// Drops the words of running heads and feet from pages that follow each other.
pub(super) fn drop(pages: &mut [Page]) {
    let edges: Vec<Vec<Line>> = pages.iter().map(edges).collect();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (page, lines) in pages.iter().zip(&edges) {
        let mut keys: Vec<String> = lines.iter().map(|l| key(l, page.number)).collect();
        keys.sort();
        keys.dedup();
        for key in keys {
            *seen.entry(key).or_default() += 1;
        }
    }
    let least = (pages.len() / 2).clamp(2, 3);
    for (page, lines) in pages.iter_mut().zip(edges) {
        let is_lone = |l: &Line| is_number(&l.text()) && is_apart(l, &page.words);
        let number = page.number;
        let repeated = |l: &&Line| seen.get(&key(l, number)).is_some_and(|n| *n >= least) || is_lone(l);
        let gone: Vec<&Line> = lines.iter().filter(repeated).collect();
        page.words.retain(|w| !gone.iter().any(|l| l.words.contains(w)));
    }
}

/// The outermost lines of a page that stand in its margins.
fn edges(page: &Page) -> Vec<Line> {
    let height = page.turned_size().1;
    let near = |w: &&Word| w.base < MARGIN * height || w.base > (1.0 - MARGIN) * height;
    let all = lines(page.words.iter().filter(near).cloned().collect());
    let (top, bottom): (Vec<Line>, Vec<Line>) = all.into_iter().partition(|l| l.base < height / 2.0);
    let mut found = outer(top.into_iter());
    found.extend(outer(bottom.into_iter().rev()));
    found
}

/// At most three lines from the edge inwards; one with many parts is a row of a table.
fn outer(lines: impl Iterator<Item = Line>) -> Vec<Line> {
    let parts = |l: &Line| 1 + l.words.windows(2).filter(|w| w[1].left - w[0].right > l.size).count();
    lines.take(3).take_while(|l| parts(l) <= 3).collect()
}

/// The text and height of a line. Its only number is told by its distance from the page's own: a page number
/// keeps it, a value in a table does not.
fn key(line: &Line, page: u32) -> String {
    let text = line.text();
    let numbers: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty()).collect();
    let text = match numbers.as_slice() {
        [one] => match one.parse::<i64>() {
            Ok(n) => text.replace(one, &format!("#{}", n - i64::from(page))),
            Err(_) => text,
        },
        _ => text,
    };
    format!("{} {text}", (line.base / 4.0).round() as i32)
}

/// Whether nothing else stands near a line, above or below it.
fn is_apart(line: &Line, words: &[Word]) -> bool {
    let near = |w: &&Word| {
        let step = (w.base - line.base).abs();
        step > 0.5 * line.size && step < 1.8 * line.size.max(w.size)
    };
    !words.iter().any(|w| near(&w))
}

/// `12`, `- 12 -`, `Page 3 of 9`, `A-3`, `xii`.
fn is_number(text: &str) -> bool {
    let bare: String = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let bare = bare.trim_start_matches("page").replace("of", "");
    let roman = !bare.is_empty() && bare.chars().all(|c| matches!(c, 'i' | 'v' | 'x'));
    let digits = bare.chars().filter(char::is_ascii_digit).count();
    text.chars().count() <= 16 && (roman || digits > 0 && digits <= 8 && bare.len() - digits <= 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        let word = Word { text: text.into(), left: 0.0, right: 50.0, base: 20.0, size: 10.0, bold: false };
        Line { base: 20.0, size: 10.0, words: vec![word] }
    }

    #[test]
    fn a_page_number_repeats_and_a_value_does_not() {
        assert_eq!(key(&line("Report 3"), 3), key(&line("Report 4"), 4));
        assert_ne!(key(&line("Report 3"), 3), key(&line("Report 3"), 4));
        assert_ne!(key(&line("Row 1 2.5"), 1), key(&line("Row 2 3.5"), 2));
    }

    #[test]
    fn page_numbers_are_known_in_many_forms() {
        for text in ["12", "- 12 -", "Page 3 of 9", "A-3", "xii"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["Total 12", "12.5 million people", "Oslo"] {
            assert!(!is_number(text), "{text}");
        }
    }
}
