//! Tables made by aligned text: no lines down, perhaps some across.

use super::super::ink::Rule;
use super::super::word::{Line, Word};
use super::column::{River, rivers, segments};
use super::run::{Look, looks, runs};
use super::{Cell, Cut, Sheet, Span, body, header, is_value, rect_of};
use crate::understand::word::is_caption;
use std::ops::Range;

/// The tables among lines, with the lines each takes.
pub(in super::super) fn aligned(lines: &[Line], rules: &[Rule]) -> Vec<(Range<usize>, Sheet)> {
    let looks = looks(lines);
    let mut found: Vec<(Range<usize>, Sheet)> = Vec::new();
    let runs = runs(lines, &looks, rules);
    for (first, last) in runs.into_iter().flat_map(|run| without_repeats(lines, run)) {
        let from = found.last().map_or(0, |f| f.0.end);
        if last < from {
            continue;
        }
        if let Some(table) = table(lines, &looks, rules, (first.max(from), last), from) {
            found.push(table);
        }
    }
    found
}

/// Tables below each other with the same header are several.
fn without_repeats(lines: &[Line], (first, last): (usize, usize)) -> Vec<(usize, usize)> {
    let text = lines[first].text();
    let mut starts: Vec<usize> = (first..=last).filter(|i| lines[*i].text() == text).collect();
    if starts.len() < 2
        || starts.windows(2).any(|w| w[1] - w[0] < 3)
        || text.chars().any(|c| c.is_ascii_digit())
    {
        starts = vec![first];
    }
    let ends = starts.iter().skip(1).map(|s| s - 1).chain([last]);
    starts.iter().copied().zip(ends).collect()
}

fn table(
    lines: &[Line],
    looks: &[Look],
    rules: &[Rule],
    (first, last): (usize, usize),
    from: usize,
) -> Option<(Range<usize>, Sheet)> {
    let parted: Vec<&Line> =
        (first..=last).filter(|i| looks[*i] == Look::Parted).map(|i| &lines[i]).collect();
    let rivers = rivers(&parted);
    if rivers.is_empty() {
        return None;
    }
    let frame = frame(&parted);
    let near: Vec<Rule> = rules.iter().filter(|r| r.across && over(r, frame) > 0.0).copied().collect();
    let wide: Vec<Rule> = near.iter().filter(|r| over(r, frame) > 0.7).copied().collect();
    let first = extend_up(lines, &wide, frame, first, from);
    let last = extend_down(lines, looks, &wide, frame, last);
    let cuts: Vec<Cut> = lines[first..=last].iter().map(|l| cut(l, &rivers)).collect();
    let ruled = wide
        .iter()
        .filter(|r| r.at > lines[first].top() - 14.0 && r.at < lines[last].bottom() + 10.0)
        .count();
    if !is_table(&cuts, rivers.len() + 1, ruled) {
        return None;
    }
    let sheet = build(cuts, &rivers, &near, &wide)?;
    Some((first..last + 1, sheet))
}

/// Left and right of the lines.
fn frame(lines: &[&Line]) -> (f32, f32) {
    lines.iter().fold((f32::MAX, f32::MIN), |(a, b), l| (a.min(l.left()), b.max(l.right())))
}

/// The share of the frame that a rule reaches over.
fn over(r: &Rule, frame: (f32, f32)) -> f32 {
    (r.to.min(frame.1) - r.from.max(frame.0)) / (frame.1 - frame.0).max(1.0)
}

/// Lines above the first that are its header: between it and a rule, or over its columns.
fn extend_up(lines: &[Line], wide: &[Rule], frame: (f32, f32), first: usize, from: usize) -> usize {
    let mut top = first;
    let mut best = first;
    while top > from && first - top < 8 {
        let (line, below) = (&lines[top - 1], &lines[top]);
        let is_near = below.base - line.base < 2.6 * line.size.max(below.size);
        let text = line.text();
        let inside = line.left() > frame.0 - 12.0 && line.right() < frame.1 + 12.0;
        let is_long =
            segments(line, 0.95).len() == 1 && line.right() - line.left() > 0.7 * (frame.1 - frame.0);
        if !is_near
            || !inside
            || is_caption(&text)
            || is_remark(&text)
            || is_long
            || text.ends_with(['.', ';']) && line.words.len() > 6
        {
            break;
        }
        top -= 1;
        let between = |r: &&Rule| r.at < line.top() + 2.0 && r.at > line.top() - 12.0;
        let indented = line.left() > frame.0 + 0.25 * (frame.1 - frame.0);
        let several = segments(line, 0.95).len() > 1;
        if wide.iter().any(|r| between(&r)) || indented && best == top + 1 || several && best == top + 1 {
            best = top;
        }
    }
    best
}

/// A remark on the whole table above its header: `[In thousands]`.
fn is_remark(text: &str) -> bool {
    text.starts_with('[') && text.ends_with(']') || text.starts_with('(') && text.ends_with(')')
}

/// Lines below the last that still belong to it: before a rule that closes it.
fn extend_down(lines: &[Line], looks: &[Look], wide: &[Rule], frame: (f32, f32), last: usize) -> usize {
    let end = (last + 3).min(lines.len().saturating_sub(1));
    let mut best = last;
    for i in last + 1..=end {
        let line = &lines[i];
        let near = line.base - lines[i - 1].base < 1.9 * line.size.max(lines[i - 1].size);
        let crossed = wide.iter().any(|r| r.at > lines[i - 1].base && r.at < line.top() + 1.0);
        if !near || crossed || looks[i] == Look::Full || line.left() < frame.0 - 8.0 {
            break;
        }
        let closed = wide.iter().any(|r| r.at > line.base && r.at < line.bottom() + 8.0);
        // The end of a label that is broken.
        let text = line.text();
        let broken =
            text.starts_with(char::is_lowercase) && line.right() < frame.0 + 0.5 * (frame.1 - frame.0);
        let tight =
            line.base - lines[i - 1].base < 1.35 * line.size && line.left() < frame.0 + 2.0 * line.size;
        if closed || broken && tight && best == i - 1 {
            best = i;
        }
    }
    best
}

/// Cuts a line at the rivers. What runs over a river with ordinary spaces reaches over both columns.
fn cut(line: &Line, rivers: &[River]) -> Cut {
    let col = |w: &Word| rivers.partition_point(|r| (r.0 + r.1) / 2.0 < w.middle());
    let mut spans: Vec<Span> = Vec::new();
    for run in segments(line, 0.45) {
        let (first, last) = (col(&run[0]), col(&run[run.len() - 1]));
        if first == last && !run.iter().any(|w| crosses(w, rivers)) {
            push(&mut spans, Span { first, last, words: run.to_vec() });
            continue;
        }
        for span in parts(run, rivers) {
            push(&mut spans, span);
        }
    }
    Cut { spans, top: line.top(), bottom: line.bottom(), base: line.base, size: line.size }
}

fn crosses(w: &Word, rivers: &[River]) -> bool {
    rivers.iter().any(|r| w.left < r.0 - 1.0 && w.right > r.1 + 1.0)
}

/// Words of one column belong to one cell.
fn push(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if last.last >= span.first => {
            last.last = last.last.max(span.last);
            last.words.extend(span.words);
        }
        _ => spans.push(span),
    }
}

/// A run of words over several columns: one cell, or one for each column.
fn parts(run: &[Word], rivers: &[River]) -> Vec<Span> {
    let whole = reach(run, rivers);
    let mut found: Vec<Span> = Vec::new();
    let mut from = 0;
    for i in 1..=run.len() {
        let parted = i < run.len() && {
            let (a, b) = (run[i - 1].right, run[i].left);
            rivers.iter().any(|r| a.max(r.0) <= b.min(r.1) + 0.5 && b > a)
        };
        if parted || i == run.len() {
            let words = &run[from..i];
            found.push(reach(words, rivers));
            from = i;
        }
    }
    let own = found.iter().all(|s| s.first == s.last) && found.windows(2).all(|w| w[0].last < w[1].first);
    let values = found.iter().skip(1).all(|s| is_value(&s.text()));
    let many = found.len() > 2 && whole.last - whole.first < found.len();
    if own && found.len() > 1 && (values || many) { found } else { vec![whole] }
}

/// The columns that words reach over.
fn reach(words: &[Word], rivers: &[River]) -> Span {
    let left = words.first().map_or(0.0, |w| w.left);
    let right = words.iter().fold(f32::MIN, |r, w| r.max(w.right));
    // A little over the edge of a river is still before it.
    let first = rivers.partition_point(|r| r.1 - 1.0 <= left || (r.0 + r.1) / 2.0 < left);
    let last =
        rivers.partition_point(|r| r.0 + 1.0 < right && (r.1 - 1.0 < right || (r.0 + r.1) / 2.0 < right));
    Span { first: first.min(last), last, words: words.to_vec() }
}

/// Whether what was found is a table: enough cells, short enough, with numbers or lines to speak for it.
fn is_table(cuts: &[Cut], cols: usize, ruled: usize) -> bool {
    let full: Vec<&Cut> = cuts.iter().filter(|c| c.spans.len() > 1).collect();
    if full.len() < 2 || cols < 2 {
        return false;
    }
    let spans: Vec<&Span> = full.iter().flat_map(|c| &c.spans).collect();
    let words: usize = spans.iter().map(|s| s.words.len()).sum();
    let values = spans.iter().filter(|s| is_value(&s.text())).count();
    let beside: usize = full.iter().map(|c| c.spans.len() - 1).sum();
    let (words, share) = (words as f32 / spans.len() as f32, values as f32 / beside.max(1) as f32);
    let is_list = full
        .iter()
        .filter(|c| {
            c.spans[0].first == 0 && c.spans[0].last == 0 && super::column::is_bullet(&c.spans[0].text())
        })
        .count();
    if is_list * 2 > full.len() && cols == 2 || contents(&full) {
        return false;
    }
    match () {
        _ if words > 6.0 => false,
        _ if share >= 0.5 => full.len() > 2 || ruled > 1,
        _ if ruled > 1 => full.len() > 2 && words < 5.0,
        _ if share >= 0.25 => full.len() > 3 && cols > 2,
        _ => full.len() > 4 && cols > 3 && words < 3.5,
    }
}

/// A table of contents: titles, and pages that only grow.
fn contents(cuts: &[&Cut]) -> bool {
    let last = cuts.iter().filter_map(|c| c.spans.last());
    let pages: Vec<Option<u32>> =
        last.map(|s| s.words.last().and_then(|w| w.text.trim_matches('.').parse().ok())).collect();
    let known: Vec<u32> = pages.iter().flatten().copied().collect();
    let grows = known.windows(2).all(|w| w[0] <= w[1]);
    let led = cuts
        .iter()
        .filter(|c| c.spans.iter().any(|s| s.text().contains("....") || s.text().contains(". . .")))
        .count();
    cuts.iter().all(|c| c.spans.len() <= 3)
        && known.len() * 10 >= cuts.len() * 8
        && grows
        && known.len() > 2
        && led * 2 > cuts.len()
}

fn build(cuts: Vec<Cut>, rivers: &[River], near: &[Rule], wide: &[Rule]) -> Option<Sheet> {
    let head = header::lines(&cuts, wide);
    let (above, below) = cuts.split_at(head);
    let mut cells: Vec<([usize; 4], Vec<Word>)> = Vec::new();
    let mut rows: Vec<(f32, f32)> = Vec::new();
    header::place(above, near, &mut rows, &mut cells);
    let header = rows.len();
    body::place(below, wide, &mut rows, &mut cells);
    let cells: Vec<Cell> = cells.into_iter().filter_map(|(at, words)| Cell::of(words, at)).collect();
    let words: Vec<Word> = cuts.iter().flat_map(|c| &c.spans).flat_map(|s| s.words.iter().cloned()).collect();
    let rect = rect_of(&words)?;
    let cols = columns(&words, rivers, rect);
    let header = (header > 0).then_some(header);
    Some(body::tidy(Sheet { rect, rows, cols, cells, header, words, direction: 0 }))
}

/// The left and right of each column.
fn columns(words: &[Word], rivers: &[River], rect: [f32; 4]) -> Vec<(f32, f32)> {
    let mut edges = vec![rect[0]];
    for river in rivers {
        // Where most of the white space is: after what reaches into it.
        let inside = words.iter().filter(|w| w.right > river.0 && w.left < river.0 && w.right < river.1);
        let from = inside.fold(river.0, |x, w| x.max(w.right));
        edges.push((from + river.1) / 2.0);
    }
    edges.push(rect[2]);
    edges.windows(2).map(|e| (e[0], e[1])).collect()
}
