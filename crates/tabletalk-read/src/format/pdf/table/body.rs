//! The rows of an aligned table, and what is done to every table at the end.

use super::super::ink::Rule;
use super::super::word::Word;
use super::{Cut, Span};
use super::{Sheet, is_value};
use std::ops::Range;

/// Lines this near, in sizes, are one row.
const CLOSE: f32 = 0.62;

/// Puts the lines into rows and cells.
pub(super) fn place(
    cuts: &[Cut],
    wide: &[Rule],
    rows: &mut Vec<(f32, f32)>,
    cells: &mut Vec<([usize; 4], Vec<Word>)>,
) {
    let parted = |i: usize| {
        let (above, cut) = (&cuts[i - 1], &cuts[i]);
        wide.iter().any(|r| r.at > above.base && r.at < cut.base - 0.3 * cut.size)
    };
    let ruled = is_ruled(cuts, wide);
    let ranges = match ruled {
        true => between_rules(cuts.len(), parted),
        false => grouped(cuts, parted),
    };
    for range in ranges {
        let (row, start) = (rows.len(), cells.len());
        let band =
            cuts[range.clone()].iter().fold((f32::MAX, f32::MIN), |b, c| (b.0.min(c.top), b.1.max(c.bottom)));
        rows.push(band);
        for span in cuts[range].iter().flat_map(|c| &c.spans) {
            let open = cells[start..].iter_mut().find(|(at, _)| at[1] <= span.last && span.first <= at[3]);
            match open {
                Some((at, words)) => {
                    (at[1], at[3]) = (at[1].min(span.first), at[3].max(span.last));
                    words.extend(span.words.iter().cloned());
                }
                None => cells.push(([row, span.first, row, span.last], span.words.clone())),
            }
        }
    }
}

fn between_rules(count: usize, parted: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    for i in 1..=count {
        if i == count || parted(i) {
            found.push(from..i);
            from = i;
        }
    }
    found
}

/// The lines of each row: a line goes on with the row above where it only ends its texts.
pub(super) fn grouped(cuts: &[Cut], parted: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let pitch = pitch(cuts);
    let mut found: Vec<Range<usize>> = Vec::new();
    for i in 0..cuts.len() {
        let joins = |row: &Range<usize>| {
            // What a row has already cannot come again a little lower.
            let taken = |s: &&Span| {
                cuts[row.clone()].iter().any(|c| (s.first..=s.last).any(|col| c.at(col).is_some()))
            };
            let close = cuts[i].base - cuts[i - 1].base < CLOSE * cuts[i].size.max(cuts[i - 1].size);
            let again = close && cuts[i].spans.iter().filter(taken).count() > 1;
            !parted(i) && !again && goes_on(&cuts[i - 1], &cuts[i], cuts.get(i + 1), pitch)
        };
        match found.last_mut() {
            Some(row) if joins(row) => row.end = i + 1,
            _ => found.push(i..i + 1),
        }
    }
    found
}

/// The usual distance between lines that begin a row.
fn pitch(cuts: &[Cut]) -> f32 {
    let starts: Vec<&Cut> = cuts.iter().filter(|c| c.spans.len() > 1 && c.at(0).is_some()).collect();
    let mut steps: Vec<f32> = starts.windows(2).map(|w| w[1].base - w[0].base).collect();
    steps.sort_by(f32::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(f32::MAX)
}

/// Whether rules part the rows: then nothing else does.
fn is_ruled(cuts: &[Cut], wide: &[Rule]) -> bool {
    let (Some(first), Some(last)) = (cuts.first(), cuts.last()) else { return false };
    let rules = wide.iter().filter(|r| r.at > first.base && r.at < last.base - 0.3 * last.size).count();
    let values = cuts.iter().filter(|c| c.spans.iter().skip(1).any(|s| is_value(&s.text()))).count();
    rules > 1 && (rules + 1) * 3 >= cuts.len() && (rules + 1) * 10 >= values * 9
}

/// Whether a line goes on with the row of the line above it.
fn goes_on(above: &Cut, cut: &Cut, below: Option<&Cut>, pitch: f32) -> bool {
    let step = cut.base - above.base;
    // Texts of one row that stand a little higher or lower.
    if step < CLOSE * cut.size.max(above.size) {
        return true;
    }
    let tight = step < 1.35 * cut.size.max(above.size);
    if !tight {
        return false;
    }
    let label = |c: &Cut| c.at(0).map(Span::text);
    let is_label = |c: &Cut| c.spans.iter().all(|s| s.last == 0);
    let lower = |t: &str| t.chars().next().is_some_and(|c| c.is_lowercase() || matches!(c, '(' | ')' | '&'));
    match (label(above), label(cut)) {
        // The end of texts that began above: no label, no numbers, nothing where nothing was.
        (_, None) => {
            let texts = cut.spans.iter().all(|s| {
                !is_value(&s.text()) && above.spans.iter().any(|a| a.first <= s.last && s.first <= a.last)
            });
            texts && (step < 0.9 * pitch || cut.spans.len() < above.spans.len())
        }
        // A label that was broken, its values above or beside its end.
        (Some(a), Some(b)) if lower(&b) || ends_open(&a) => {
            let below_is_near = below.is_some_and(|n| n.base - cut.base < 0.8 * step);
            (is_label(cut) || is_label(above)) && !below_is_near
        }
        // Rows stand wider apart than the lines of one row.
        (Some(_), Some(_)) => is_label(cut) && !is_label(above) && step < 0.8 * pitch && pitch < 40.0,
        _ => false,
    }
}

/// Whether a text cannot end here.
fn ends_open(text: &str) -> bool {
    let last = text.rsplit(' ').next().unwrap_or_default().to_lowercase();
    text.ends_with([',', '-', '/', '&', '(']) && !text.ends_with("--")
        || matches!(
            last.as_str(),
            "and" | "or" | "of" | "the" | "for" | "in" | "with" | "to" | "a" | "by" | "from" | "at" | "on"
        )
}

/// Drops rows and columns without text, and joins columns that only hold marks to those they belong to.
pub(super) fn tidy(mut sheet: Sheet) -> Sheet {
    join_marks(&mut sheet);
    drop_empty(&mut sheet);
    sheet
}

fn is_before(text: &str) -> bool {
    matches!(text, "$" | "€" | "£" | "¥" | "￥" | "US$" | "(" | "<" | ">" | "≥" | "≤" | "~")
}

fn is_after(text: &str) -> bool {
    matches!(text, "%" | ")" | "*" | "**" | "†" | "‡" | "***" | "%)" | "°")
}

fn join_marks(sheet: &mut Sheet) {
    for col in (0..sheet.cols.len()).rev() {
        let mine: Vec<&super::Cell> =
            sheet.cells.iter().filter(|c| c.col == col && c.last_col == col).collect();
        if mine.is_empty() {
            continue;
        }
        let to = match () {
            _ if col + 1 < sheet.cols.len() && mine.iter().all(|c| is_before(&c.text)) => col + 1,
            _ if col > 0 && mine.iter().all(|c| is_after(&c.text)) => col - 1,
            _ => continue,
        };
        merge_column(sheet, col, to);
    }
}

/// Moves the texts of one column into its neighbour.
fn merge_column(sheet: &mut Sheet, col: usize, to: usize) {
    let marks: Vec<super::Cell> =
        sheet.cells.iter().filter(|c| c.col == col && c.last_col == col).cloned().collect();
    sheet.cells.retain(|c| !(c.col == col && c.last_col == col));
    for mut mark in marks {
        let host = sheet
            .cells
            .iter_mut()
            .find(|c| c.row <= mark.row && mark.row <= c.last_row && c.col <= to && to <= c.last_col);
        match host {
            Some(host) => {
                host.text = if to > col {
                    format!("{} {}", mark.text, host.text)
                } else {
                    format!("{}{}", host.text, mark.text)
                };
                host.rect = super::around(host.rect, mark.rect);
            }
            None => {
                (mark.col, mark.last_col) = (to, to);
                sheet.cells.push(mark);
            }
        }
    }
    let (a, b) = (sheet.cols[col], sheet.cols[to]);
    sheet.cols[to] = (a.0.min(b.0), a.1.max(b.1));
    sheet.cells.sort_by_key(|c| (c.row, c.col));
}

fn drop_empty(sheet: &mut Sheet) {
    let mut rows = vec![false; sheet.rows.len()];
    let mut cols = vec![false; sheet.cols.len()];
    for cell in &sheet.cells {
        rows[cell.row] = true;
        cols[cell.col] = true;
        // A cell over several columns keeps those only if another cell begins there.
    }
    let before = |keep: &[bool], i: usize| keep[..i].iter().filter(|k| **k).count();
    let last =
        |keep: &[bool], first: usize, last: usize| before(keep, last + 1).max(before(keep, first) + 1) - 1;
    for cell in &mut sheet.cells {
        let (r, c) = (cell.row, cell.col);
        (cell.last_row, cell.last_col) = (last(&rows, r, cell.last_row), last(&cols, c, cell.last_col));
        (cell.row, cell.col) = (before(&rows, r), before(&cols, c));
    }
    if let Some(header) = sheet.header {
        sheet.header = Some(before(&rows, header.min(rows.len())));
    }
    let kept = |all: &[(f32, f32)], keep: &[bool]| {
        all.iter().zip(keep).filter(|(_, k)| **k).map(|(b, _)| *b).collect()
    };
    sheet.rows = kept(&sheet.rows, &rows);
    sheet.cols = kept(&sheet.cols, &cols);
}
