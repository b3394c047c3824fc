//! Runs of lines that may be a table: lines with wide gaps that stand below each other.

use super::super::ink::Rule;
use super::super::word::{Line, Word};
use super::column::segments;

/// A gap this wide, in sizes, may part columns.
const GAP: f32 = 0.95;

/// What a line looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Several texts side by side.
    Parted,
    /// One text that fills its part of the page.
    Full,
    /// One short text.
    Short,
}

pub(super) fn looks(lines: &[Line]) -> Vec<Look> {
    let (left, right) =
        lines.iter().fold((f32::MAX, f32::MIN), |(a, b), l| (a.min(l.left()), b.max(l.right())));
    let look = |l: &Line| match () {
        _ if segments(l, GAP).len() > 1 => Look::Parted,
        _ if l.right() - l.left() > 0.62 * (right - left) && l.words.len() > 4 => Look::Full,
        _ => Look::Short,
    };
    lines.iter().map(look).collect()
}

fn gaps(line: &Line) -> Vec<(f32, f32)> {
    let parts = segments(line, GAP);
    let edge = |p: &[Word]| (p[0].left, p.iter().fold(f32::MIN, |r, w| r.max(w.right)));
    parts.windows(2).map(|w| (edge(w[0]).1, edge(w[1]).0)).collect()
}

/// How many gaps of two lines lie over each other.
fn shared(a: &Line, b: &Line) -> usize {
    let least = 0.4 * a.size.min(b.size);
    let (a, b) = (gaps(a), gaps(b));
    a.iter().filter(|x| b.iter().any(|y| x.1.min(y.1) - x.0.max(y.0) > least)).count()
}

/// Whether a line runs over every gap that two others share.
fn crosses_all(line: &Line, a: &Line, b: &Line) -> bool {
    let below = gaps(b);
    let common = gaps(a).into_iter().flat_map(|x| below.iter().map(move |y| (x.0.max(y.0), x.1.min(y.1))));
    let free = |z: (f32, f32)| z.1 > z.0 && !line.words.iter().any(|w| w.left < z.1 && w.right > z.0);
    !common.into_iter().any(free)
}

/// The runs: first and last line of each.
pub(super) fn runs(lines: &[Line], looks: &[Look], rules: &[Rule]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    for i in 0..lines.len() {
        if looks[i] != Look::Parted {
            continue;
        }
        match open {
            Some((first, last)) if goes_on(lines, looks, rules, last, i) => open = Some((first, i)),
            _ => {
                found.extend(open);
                open = Some((i, i));
            }
        }
    }
    found.extend(open);
    found
}

/// Whether the next line with gaps belongs to the run that ends with another.
fn goes_on(lines: &[Line], looks: &[Look], rules: &[Rule], last: usize, next: usize) -> bool {
    let (a, b) = (&lines[last], &lines[next]);
    let alike = shared(a, b);
    if alike == 0 {
        return false;
    }
    let between = &lines[last + 1..next];
    let crosses = |i: &usize| looks[*i] == Look::Full && crosses_all(&lines[*i], a, b);
    let full = (last + 1..next).filter(crosses).count();
    let captioned = between.iter().any(|l| crate::understand::word::is_caption(&l.text()));
    if full > 0 || captioned || between.len() > 4 {
        return false;
    }
    // Lines between must stand near, and so must the two themselves.
    let mut y = a.base;
    for line in between.iter().chain([b]) {
        let pitch = line.base - y;
        let far = if alike > 1 { 4.5 } else { 3.2 };
        if pitch > far * line.size.max(a.size) && !has_rule_between(rules, y, line.base, a, b) {
            return false;
        }
        y = line.base;
    }
    true
}

fn has_rule_between(rules: &[Rule], top: f32, bottom: f32, a: &Line, b: &Line) -> bool {
    let (left, right) = (a.left().min(b.left()), a.right().max(b.right()));
    let covers = |r: &&Rule| r.to.min(right) - r.from.max(left) > 0.7 * (right - left);
    let near = bottom - top < 6.0 * a.size.max(b.size);
    near && rules.iter().any(|r| r.across && r.at > top && r.at < bottom && covers(&r))
}
