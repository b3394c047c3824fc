//! The header of an aligned table: which lines, and which texts belong to one cell.

use super::super::ink::Rule;
use super::super::word::Word;
use super::is_value;
use super::{Cut, Span};

/// How many of the first lines are header.
pub(super) fn lines(cuts: &[Cut], wide: &[Rule]) -> usize {
    let is_body = |c: &Cut| {
        let beside: Vec<&Span> = c.spans.iter().filter(|s| s.first > 0).collect();
        let values = beside.iter().filter(|s| is_value(&s.text()) && !is_year(&s.text())).count();
        !beside.is_empty()
            && values * 2 >= beside.len()
            && (c.at(0).is_some() || values * 10 >= beside.len() * 9)
    };
    // Lines above the first that has a label are header, whatever numbers they hold.
    let labelled = cuts.iter().position(|c| is_body(c) && c.at(0).is_some());
    let Some(body) = labelled.filter(|l| *l <= 8).or_else(|| cuts.iter().position(is_body)) else {
        return by_rule(cuts, wide, cuts.len()).unwrap_or(1).min(cuts.len());
    };
    if let Some(head) = by_rule(cuts, wide, body) {
        return head;
    }
    // Lines right above that only name what follows are part of the body.
    let mut head = body;
    while head > 0 && cuts[head - 1].spans.iter().all(|s| s.last == 0) {
        head -= 1;
    }
    head
}

/// The last line above a rule that runs under the header.
fn by_rule(cuts: &[Cut], wide: &[Rule], body: usize) -> Option<usize> {
    let parted = |i: &usize| {
        let (above, below) = (&cuts[*i - 1], &cuts[*i]);
        wide.iter().any(|r| r.at > above.base - 0.1 * above.size && r.at < below.base - 0.3 * below.size)
    };
    (1..=body.min(cuts.len().saturating_sub(1))).rev().find(parted)
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text.parse::<u32>().is_ok_and(|y| (1900..2100).contains(&y))
}

/// A text of one cell, growing line by line.
struct Part {
    first: usize,
    last: usize,
    words: Vec<Word>,
    top: f32,
    bottom: f32,
    base: f32,
}

/// Puts the header into rows and cells. Texts below each other are one cell where nothing parts them.
pub(super) fn place(
    cuts: &[Cut],
    rules: &[Rule],
    rows: &mut Vec<(f32, f32)>,
    cells: &mut Vec<([usize; 4], Vec<Word>)>,
) {
    if cuts.is_empty() {
        return;
    }
    let parts = parts(cuts, rules);
    let levels = levels(&parts);
    let count = levels.iter().copied().max().map_or(0, |l| l + 1);
    for level in 0..count {
        let mine = parts.iter().zip(&levels).filter(|(_, l)| **l == level).map(|(p, _)| p);
        let band = mine.fold((f32::MAX, f32::MIN), |b, p| (b.0.min(p.top), b.1.max(p.bottom)));
        rows.push(band);
    }
    let tops = upward(&parts, &levels);
    for ((part, level), top) in parts.into_iter().zip(levels).zip(tops) {
        cells.push(([top, part.first, level, part.last], part.words));
    }
    // Bands must not cross each other.
    for i in 1..rows.len() {
        if rows[i].0 < rows[i - 1].1 {
            let middle = (rows[i].0.max(rows[i - 1].0) + rows[i - 1].1.min(rows[i].1)) / 2.0;
            (rows[i - 1].1, rows[i].0) = (middle, middle);
        }
    }
}

fn parts(cuts: &[Cut], rules: &[Rule]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for cut in cuts {
        for span in &cut.spans {
            let near = |p: &&mut Part| {
                p.first <= span.last && span.first <= p.last && cut.base - p.base < 1.75 * cut.size
            };
            // A text over several columns heads those below it; only its own next line belongs to it.
            let same = |p: &&mut Part| p.first == span.first && p.last == span.last;
            let parted = |p: &Part| rules.iter().any(|r| is_between(r, p, cut, span));
            let above = parts.iter_mut().rev().filter(near).find(same);
            match above {
                Some(part) if !parted(part) => {
                    part.words.extend(span.words.iter().cloned());
                    part.bottom = cut.bottom;
                    part.base = cut.base;
                }
                _ => parts.push(Part {
                    first: span.first,
                    last: span.last,
                    words: span.words.clone(),
                    top: cut.top,
                    bottom: cut.bottom,
                    base: cut.base,
                }),
            }
        }
    }
    parts
}

fn is_between(r: &Rule, part: &Part, cut: &Cut, span: &Span) -> bool {
    let left = span.words.first().map_or(0.0, |w| w.left);
    let right = span.words.last().map_or(0.0, |w| w.right);
    r.across
        && r.at > part.base
        && r.at < cut.base - 0.4 * cut.size
        && r.to.min(right) - r.from.max(left) > 0.5 * (right - left)
}

/// The level of each part, counted from the top: one more than what stands above it in its columns, and
/// those with nothing below them on the last.
fn levels(parts: &[Part]) -> Vec<usize> {
    let mut levels = vec![0; parts.len()];
    for i in 0..parts.len() {
        let above = (0..i).filter(|j| meets(&parts[*j], &parts[i]) && parts[*j].base < parts[i].base);
        levels[i] = above.map(|j| levels[j] + 1).max().unwrap_or(0);
    }
    let last = levels.iter().copied().max().unwrap_or(0);
    for i in 0..parts.len() {
        let below = (0..parts.len()).any(|j| meets(&parts[i], &parts[j]) && parts[j].base > parts[i].base);
        if !below && parts[i].first == parts[i].last {
            levels[i] = last;
        }
    }
    levels
}

fn meets(a: &Part, b: &Part) -> bool {
    a.first <= b.last && b.first <= a.last
}

/// How far up each part reaches: to the first row that nothing else takes above it.
fn upward(parts: &[Part], levels: &[usize]) -> Vec<usize> {
    let top = |i: usize| {
        let above =
            (0..parts.len()).filter(|j| *j != i && meets(&parts[*j], &parts[i]) && levels[*j] < levels[i]);
        above.map(|j| levels[j] + 1).max().unwrap_or(0).min(levels[i])
    };
    (0..parts.len()).map(top).collect()
}
