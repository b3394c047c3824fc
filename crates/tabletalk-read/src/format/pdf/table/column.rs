//! Columns that are parted by white space.

use super::super::word::{Line, Word};
use super::is_value;

/// The white space between two columns: where the left one ends and the right one begins.
pub(super) type River = (f32, f32);

/// The parts of a line between gaps of at least `gap` sizes. A bullet belongs to what follows it.
pub(super) fn segments(line: &Line, gap: f32) -> Vec<&[Word]> {
    let mut out = Vec::new();
    let mut from = 0;
    for i in 1..line.words.len() {
        let (a, b) = (&line.words[i - 1], &line.words[i]);
        let wide = b.left - a.right >= gap * line.size;
        let is_mark = i - from == 1 && is_bullet(&a.text) && b.left - a.right < 4.0 * line.size;
        if wide && !is_mark {
            out.push(&line.words[from..i]);
            from = i;
        }
    }
    out.push(&line.words[from..]);
    out
}

/// A mark before an item of a list: a bullet, `1.`, `(a)`, `iv)`.
pub(in super::super) fn is_bullet(text: &str) -> bool {
    if matches!(
        text,
        "•" | "●"
            | "○"
            | "▪"
            | "■"
            | "□"
            | "◦"
            | "‣"
            | "⁃"
            | "·"
            | "❖"
            | "➢"
            | "✓"
            | "–"
            | "o"
            | "►"
            | "◆"
    ) {
        return true;
    }
    let inner = text.strip_prefix('(').unwrap_or(text);
    let Some(inner) = inner.strip_suffix([')', '.']) else { return false };
    let digits = inner.len() <= 2 && inner.chars().all(|c| c.is_ascii_digit());
    let roman = inner.len() <= 4 && inner.chars().all(|c| matches!(c, 'i' | 'v' | 'x'));
    let letter = inner.len() == 1 && inner.chars().all(|c| c.is_ascii_alphabetic());
    !inner.is_empty() && (digits || roman || letter)
}

/// The rivers that run through lines of a table.
pub(super) fn rivers(lines: &[&Line]) -> Vec<River> {
    let mut counts: Vec<usize> = lines.iter().map(|l| segments(l, 0.7).len()).collect();
    counts.sort_unstable();
    let Some(typical) = counts.get(counts.len() * 4 / 5).or(counts.last()) else { return Vec::new() };
    let least = typical.div_ceil(2).max(2);
    let mut body: Vec<&Line> = lines.iter().filter(|l| segments(l, 0.7).len() >= least).copied().collect();
    if body.is_empty() {
        return Vec::new();
    }
    // Names of columns may stand over several: where there are rows of numbers, they decide.
    let of_values: Vec<&Line> = body.iter().filter(|l| is_of_values(l)).copied().collect();
    if of_values.len() > 3 {
        body = of_values;
    }
    let size = body.iter().map(|l| l.size).sum::<f32>() / body.len() as f32;
    let narrowest = if body.len() > 4 { 0.42 * size } else { 0.8 * size };
    let zones = free(&body, body.len() / 10);
    zones
        .into_iter()
        .filter(|z| z.1 - z.0 >= narrowest && support(&body, *z) >= body.len().div_ceil(4).max(2))
        .collect()
}

/// Whether numbers make up most of what follows the first text of a line.
fn is_of_values(line: &Line) -> bool {
    let parts = segments(line, 0.7);
    let values = parts.iter().skip(1).filter(|p| is_value(&super::word::text(p))).count();
    values * 2 >= parts.len().saturating_sub(1)
}

/// The strips that at most `most` lines cross, between the outermost words.
fn free(lines: &[&Line], most: usize) -> Vec<River> {
    let mut events: Vec<(f32, i32)> = Vec::new();
    for line in lines {
        // Letters that touch count once.
        let mut open: Option<(f32, f32)> = None;
        for w in &line.words {
            match &mut open {
                Some(o) if w.left - o.1 < 0.3 * line.size => o.1 = o.1.max(w.right),
                _ => {
                    events.extend(open.iter().flat_map(|o| [(o.0, 1), (o.1, -1)]));
                    open = Some((w.left, w.right));
                }
            }
        }
        events.extend(open.iter().flat_map(|o| [(o.0, 1), (o.1, -1)]));
    }
    events.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut zones: Vec<River> = Vec::new();
    let (mut depth, mut from) = (0, None);
    for (x, change) in events {
        depth += change;
        match from {
            None if depth <= most as i32 => from = Some(x),
            Some(start) if depth > most as i32 => {
                zones.push((start, x));
                from = None;
            }
            _ => {}
        }
    }
    zones.retain(|z| z.1 > z.0);
    // The strip left of the first words is no river.
    let left = lines.iter().map(|l| l.left()).fold(f32::MAX, f32::min);
    zones.retain(|z| z.0 > left + 0.1);
    zones
}

/// How many lines have text on both sides and nothing in the strip; none where words stand only a space
/// apart there.
fn support(lines: &[&Line], zone: River) -> usize {
    let middle = (zone.0 + zone.1) / 2.0;
    let gap = |l: &&Line| {
        let pair = l.words.windows(2).find(|w| w[0].right <= middle && w[1].left >= middle)?;
        let wide = (pair[1].left - pair[0].right) / l.size;
        let values = is_value(&pair[0].text) && is_value(&pair[1].text);
        Some(if values { wide + 0.3 } else { wide }).filter(|w| *w >= 0.4)
    };
    let mut gaps: Vec<f32> = lines.iter().filter_map(gap).collect();
    gaps.sort_by(f32::total_cmp);
    match gaps.get(gaps.len() / 2) {
        Some(usual) if *usual >= 0.62 => gaps.len(),
        _ => 0,
    }
}

/// Where a column of a ruled table holds several columns of numbers.
pub(super) fn cuts_by_values(lines: &[Line], zone: (f32, f32)) -> Vec<f32> {
    let several: Vec<&Line> = lines.iter().filter(|l| segments(l, 0.8).len() > 1).collect();
    if several.len() < 3 || several.len() * 3 < lines.len() * 2 {
        return Vec::new();
    }
    let parts = several.iter().flat_map(|l| segments(l, 0.8));
    let (mut all, mut values) = (0, 0);
    for part in parts {
        all += 1;
        values += usize::from(is_value(&super::word::text(part)));
    }
    let long = several.len() > 5 && values * 5 >= all * 2;
    if values * 3 < all * 2 && !long {
        return Vec::new();
    }
    let inner = |x: &f32| *x > zone.0 + 2.0 && *x < zone.1 - 2.0;
    rivers(&several).into_iter().map(|z| (z.0 + z.1) / 2.0).filter(inner).collect()
}
