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
    for lines in &edges {
        let mut keys: Vec<String> = lines.iter().map(key).collect();
        keys.sort();
        keys.dedup();
        for key in keys {
            *seen.entry(key).or_default() += 1;
        }
    }
    let least = (pages.len() / 2).clamp(2, 3);
    for (page, lines) in pages.iter_mut().zip(edges) {
        let repeated = |l: &&Line| seen.get(&key(l)).is_some_and(|n| *n >= least) || is_number(&l.text());
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

/// The text and height of a line, whatever numbers it holds.
fn key(line: &Line) -> String {
    let text: String = line.text().chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
    format!("{} {text}", (line.base / 4.0).round() as i32).replace("##", "#").replace("##", "#")
}

/// `12`, `- 12 -`, `Page 3 of 9`, `A-3`, `xii`.
fn is_number(text: &str) -> bool {
    let bare: String = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let bare = bare.trim_start_matches("page").replace("of", "");
    let roman = !bare.is_empty() && bare.chars().all(|c| matches!(c, 'i' | 'v' | 'x'));
    let digits = bare.chars().filter(char::is_ascii_digit).count();
    text.chars().count() <= 16 && (roman || digits > 0 && digits <= 8 && bare.len() - digits <= 1)
}
