//! What every page repeats: running heads, feet, page numbers. It is dropped.

mod foot;

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
        let mut keys: Vec<String> = lines.iter().flat_map(|l| keys(l, page.number)).collect();
        keys.sort();
        keys.dedup();
        for key in keys {
            *seen.entry(key).or_default() += 1;
        }
    }
    let least = (pages.len() / 2).clamp(2, 3);
    let feet = foot::heights(pages, &edges);
    for (page, lines) in pages.iter_mut().zip(edges) {
        let is_known = |k: &String| seen.get(k).is_some_and(|n| *n >= least);
        let number = page.number;
        let repeated =
            |l: &&Line| keys(l, number).iter().any(is_known) || is_number(&l.text()) || foot::is_at(&feet, l);
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
    let mut found = outer(top.into_iter(), |base| gap(&page.words, base, 1.0));
    found.extend(outer(bottom.into_iter().rev(), |base| gap(&page.words, base, -1.0)));
    found
}

/// The distance from a line to the next below it, or above it.
fn gap(words: &[Word], base: f32, way: f32) -> f32 {
    let steps = words.iter().map(|w| (w.base - base) * way).filter(|step| *step > 2.0);
    steps.fold(f32::MAX, f32::min)
}

/// At most three lines from the edge inwards, up to white space: what follows without any is the page itself. A
/// line with many parts is a row of a table.
fn outer(lines: impl Iterator<Item = Line>, gap: impl Fn(f32) -> f32) -> Vec<Line> {
    let parts = |l: &Line| 1 + l.words.windows(2).filter(|w| w[1].left - w[0].right > l.size).count();
    let mut found: Vec<Line> = Vec::new();
    for line in lines.take(3).take_while(|l| parts(l) <= 3) {
        let is_last = gap(line.base) > 1.7 * line.size;
        found.push(line);
        if is_last {
            return found;
        }
    }
    Vec::new()
}

/// A line by its text and height, and by its only number's distance from the page's own: a page number keeps it,
/// a value in a table does not.
fn keys(line: &Line, page: u32) -> Vec<String> {
    let text = line.text();
    let height = height(line);
    let numbers: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty()).collect();
    let mut keys = vec![format!("{height} {text}")];
    if let [one] = numbers.as_slice()
        && let Ok(n) = one.parse::<i64>()
    {
        keys.push(format!("{height} {}", text.replace(one, &format!("#{}", n - i64::from(page)))));
    }
    keys
}

/// How far down a line stands, so that lines at one height are the same.
fn height(line: &Line) -> i32 {
    (line.base / 4.0).round() as i32
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

    fn share(a: (&str, u32), b: (&str, u32)) -> bool {
        let other = keys(&line(b.0), b.1);
        keys(&line(a.0), a.1).iter().any(|k| other.contains(k))
    }

    #[test]
    fn a_page_number_and_a_year_repeat_and_values_do_not() {
        assert!(share(("Report 3", 3), ("Report 4", 4)));
        assert!(share(("Report of 2024", 3), ("Report of 2024", 4)));
        assert!(!share(("Row 1 2.5", 1), ("Row 2 3.5", 2)));
        assert!(!share(("Oslo 15", 1), ("Oslo 12", 2)));
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
