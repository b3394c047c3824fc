//! Charts for a terminal, of block letters.

use super::{Chart, Shape};
use std::fmt::Write as _;

/// Lines that a plot over time is high.
const HIGH: usize = 10;
const EIGHTHS: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
const RISING: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Signs that tell series apart where colours cannot be relied on.
const KEYS: [char; 6] = ['A', 'B', 'C', 'D', 'E', 'F'];

fn breadth(text: &str) -> usize {
    text.chars().map(|c| if c as u32 > 0x2e7f { 2 } else { 1 }).sum()
}

pub(super) fn draw(chart: &Chart, width: usize) -> String {
    let mut text = match chart.shape {
        Shape::Bar => bars(chart, width),
        Shape::Line => columns(chart, width),
    };
    if chart.left_out > 0 {
        let _ = writeln!(text, "… and {} more", chart.left_out);
    }
    text
}

fn bars(chart: &Chart, width: usize) -> String {
    let is_several = chart.series.len() > 1;
    let names = chart.labels.iter().map(|l| breadth(l)).max().unwrap_or(0).min(width / 3);
    let values = || chart.series.iter().flat_map(|s| s.values.iter().flatten().copied());
    let ends = values().map(|v| chart.short(v).len()).max().unwrap_or(0);
    let room = width.saturating_sub(names + ends + 5).max(10) as f64;
    let (low, high) = chart.range();
    let zero = -low / (high - low) * room;
    let mut text = String::new();
    if is_several {
        for (key, series) in KEYS.iter().zip(&chart.series) {
            let _ = writeln!(text, "{key}  {}", series.name);
        }
    }
    for (row, label) in chart.labels.iter().enumerate() {
        for (i, series) in chart.series.iter().enumerate() {
            let label = if i == 0 { cut(label, names) } else { String::new() };
            let pad = " ".repeat(names.saturating_sub(breadth(&label)));
            let key = if is_several { format!(" {}", KEYS[i.min(KEYS.len() - 1)]) } else { String::new() };
            let Some(value) = series.values.get(row).copied().flatten() else {
                let _ = writeln!(text, "{label}{pad}{key} ");
                continue;
            };
            let long = value.abs() / (high - low) * room;
            let before = if value < 0.0 { zero - long } else { zero };
            let _ = writeln!(
                text,
                "{label}{pad}{key} {}{} {}",
                " ".repeat(before.round() as usize),
                bar(long),
                chart.short(value)
            );
        }
    }
    text
}

fn cut(text: &str, most: usize) -> String {
    if breadth(text) <= most {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        if breadth(&out) + 2 > most {
            break;
        }
        out.push(c);
    }
    out + "…"
}

/// A bar so many letters long, to the eighth.
fn bar(long: f64) -> String {
    let eighths = (long * 8.0).round().max(1.0) as usize;
    let mut text = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        text.push(EIGHTHS[eighths % 8]);
    }
    text
}

/// Each series as columns over time, one plot below the other.
fn columns(chart: &Chart, width: usize) -> String {
    let (low, high) = chart.range();
    let (top, bottom) = (chart.short(high), chart.short(low));
    let left = breadth(&top).max(breadth(&bottom));
    let room = width.saturating_sub(left + 3).max(10);
    let each = (room / chart.labels.len().max(1)).clamp(1, 4);
    let mut text = String::new();
    for series in &chart.series {
        if chart.series.len() > 1 {
            let _ = writeln!(text, "{}", series.name);
        }
        let values = thinned(&series.values, room / each);
        for line in (0..HIGH).rev() {
            let mark = if line + 1 == HIGH {
                top.as_str()
            } else if line == 0 {
                bottom.as_str()
            } else {
                ""
            };
            let _ = write!(text, "{mark:>left$} │");
            for value in &values {
                let share = value.map_or(0.0, |v| (v - low) / (high - low)) * HIGH as f64 - line as f64;
                let eighths =
                    (share * 8.0).round().clamp(if line == 0 && value.is_some() { 1.0 } else { 0.0 }, 8.0);
                let sign = RISING[eighths as usize];
                text.extend(std::iter::repeat_n(sign, each.saturating_sub(1).max(1)));
                text.push_str(if each > 1 { " " } else { "" });
            }
            text.push('\n');
        }
        let wide = values.len() * each;
        let first = chart.labels.first().map_or("", String::as_str);
        let last = chart.labels.last().map_or("", String::as_str);
        let gap = wide.saturating_sub(breadth(first) + breadth(last)).max(1);
        let _ = writeln!(
            text,
            "{} └{}\n{} {first}{}{last}",
            " ".repeat(left),
            "─".repeat(wide),
            " ".repeat(left + 1),
            " ".repeat(gap)
        );
    }
    text
}

/// As many values as fit, each the mean of those it stands for.
fn thinned(values: &[Option<f64>], most: usize) -> Vec<Option<f64>> {
    let step = values.len().div_ceil(most.max(1)).max(1);
    let mean = |part: &[Option<f64>]| {
        let known: Vec<f64> = part.iter().flatten().copied().collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    values.chunks(step).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{of, tests::grid};

    #[test]
    fn bars_are_as_long_as_their_values() {
        let chart = of(&grid(&["city", "n"], &[&["Oslo", "100"], &["门店", "50"]]), None).unwrap();
        let text = chart.text(40);
        let full = |line: &str| line.chars().filter(|c| *c == '█').count();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(full(lines[0]), 2 * full(lines[1]), "{text}");
        assert!(lines[0].ends_with("100") && lines[1].starts_with("门店 █"), "{text}");
        assert!(lines.iter().all(|l| l.chars().count() <= 40), "{text}");
    }

    #[test]
    fn values_below_zero_lie_before_it() {
        let text = of(&grid(&["a", "n"], &[&["x", "-50"], &["y", "50"]]), None).unwrap().text(60);
        let starts: Vec<usize> = text.lines().map(|l| l.chars().position(|c| c == '█').unwrap()).collect();
        assert!(starts[0] < starts[1], "{text}");
    }

    #[test]
    fn time_is_drawn_from_left_to_right_with_both_ends_named() {
        let rows: Vec<Vec<String>> =
            (1..=12).map(|m| vec![format!("2023-{m:02}"), (m * 10).to_string()]).collect();
        let grid =
            crate::answer::Grid { columns: vec!["month".into(), "n".into()], rows, ..Default::default() };
        let text = of(&grid, None).unwrap().text(72);
        assert!(text.contains("2023-01") && text.trim_end().ends_with("2023-12"), "{text}");
        assert!(text.lines().next().unwrap().trim_end().ends_with('█'), "{text}");
    }
}
