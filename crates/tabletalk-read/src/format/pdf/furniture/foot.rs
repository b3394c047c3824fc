//! Feet whose text changes from page to page, known by the page numbers in them: `Chapter 3. Rain  27`.

use super::super::page::Page;
use super::super::word::Line;
use super::height;
use std::collections::{HashMap, HashSet};

/// The page number at one end of a foot.
#[derive(Clone, Copy)]
struct Mark {
    page: u32,
    number: u32,
    /// Whether it stands before the text.
    first: bool,
}

/// The heights at which such feet stand.
pub(super) fn heights(pages: &[Page], edges: &[Vec<Line>]) -> HashSet<i32> {
    let mut marks: HashMap<i32, Vec<Mark>> = HashMap::new();
    for (page, lines) in pages.iter().zip(edges) {
        let middle = page.turned_size().1 / 2.0;
        for line in lines.iter().filter(|l| l.base > middle) {
            if let Some((number, first)) = number(&line.text()) {
                marks.entry(height(line)).or_default().push(Mark { page: page.number, number, first });
            }
        }
    }
    marks.into_iter().filter(|(_, marks)| counts(marks)).map(|(height, _)| height).collect()
}

/// Whether a line is a foot at one of these heights.
pub(super) fn is_at(heights: &HashSet<i32>, line: &Line) -> bool {
    let is_roman = |w: &str| !w.is_empty() && w.chars().all(|c| matches!(c, 'i' | 'v' | 'x'));
    let is_foot = |text: &str| {
        let ends = [text.split_whitespace().next(), text.split_whitespace().next_back()];
        number(text).is_some() || ends.into_iter().flatten().any(is_roman)
    };
    heights.contains(&height(line)) && is_foot(&line.text())
}

/// The number at one end of a text, and whether it is the first word. Years are no page numbers.
fn number(text: &str) -> Option<(u32, bool)> {
    let is_number = |w: &&str| w.len() <= 4 && w.bytes().all(|b| b.is_ascii_digit());
    let read = |w: Option<&str>| w.filter(is_number)?.parse().ok().filter(|n| !(1900..=2100).contains(n));
    let mut words = text.split_whitespace();
    match (read(words.next()), read(words.next_back())) {
        (Some(n), None) if text.contains(char::is_alphabetic) => Some((n, true)),
        (None, Some(n)) => Some((n, false)),
        _ => None,
    }
}

/// Whether the numbers count the pages: one by one, or, where pages were taken out, up from page to page and on
/// the outer side as in a book.
fn counts(marks: &[Mark]) -> bool {
    let offset = |m: &Mark| i64::from(m.number) - i64::from(m.page);
    let steady = marks.windows(2).all(|w| offset(&w[0]) == offset(&w[1]));
    let up = marks.windows(2).all(|w| w[0].number < w[1].number);
    let outer =
        marks.windows(2).all(|w| (w[0].number ^ w[1].number) & 1 == u32::from(w[0].first != w[1].first));
    let both = marks.iter().any(|m| m.first) && marks.iter().any(|m| !m.first);
    marks.len() >= 3 && steady || marks.len() >= 4 && up && outer && both
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts_in(texts: &[(u32, &str)]) -> bool {
        let mark =
            |&(page, text): &(u32, &str)| number(text).map(|(number, first)| Mark { page, number, first });
        counts(&texts.iter().filter_map(mark).collect::<Vec<_>>())
    }

    #[test]
    fn feet_with_other_words_on_every_page_count_the_pages() {
        assert!(counts_in(&[(1, "Chapter 1. Rain 5"), (2, "Chapter 2. Snow 6"), (3, "Chapter 3. Hail 7")]));
    }

    #[test]
    fn feet_of_a_book_that_pages_were_taken_from_count_up_on_the_outer_side() {
        let feet = [(1, "4 All about rain"), (2, "Snow 11"), (3, "20 All about rain"), (4, "Hail 27")];
        assert!(counts_in(&feet));
        assert!(!counts_in(&[
            (1, "4 All about rain"),
            (2, "Snow 11"),
            (3, "20 All about rain"),
            (4, "Hail 28")
        ]));
    }

    #[test]
    fn sums_at_the_end_of_pages_count_nothing() {
        let sums = [
            (1, "Carried forward 15"),
            (2, "Carried forward 27"),
            (3, "Carried forward 40"),
            (4, "Total 66"),
        ];
        assert!(!counts_in(&sums));
        assert!(!counts_in(&[(1, "Sales of 2021"), (2, "Sales of 2022"), (3, "Sales of 2023")]));
        assert!(!counts_in(&[(1, "Oslo 15 12"), (2, "12"), (3, "Rain")]));
    }
}
