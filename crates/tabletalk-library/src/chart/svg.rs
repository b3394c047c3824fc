//! Charts as SVG. Everything that has a colour has a class, so that a page can give them its own.

use super::{Chart, Shape, Theme, ticks};
use std::fmt::Write as _;

const MARGIN: f64 = 12.0;
const BAR: f64 = 16.0;
const GAP: f64 = 8.0;
/// The width of a letter, about, at 12 pixels.
const LETTER: f64 = 6.6;
/// The most room that labels of bars take.
const LABELS: f64 = 190.0;
/// The height of the plot of a line.
const HEIGHT: f64 = 240.0;

const LIGHT: &str = ".chart-back{fill:#fff}.chart text{fill:#33383d}.chart .chart-tick{fill:#5d646b}.chart-axis{stroke:#e3e1da}.chart-zero{stroke:#9a9fa5}.chart-s0{--c:#0b6675}.chart-s1{--c:#d55e00}.chart-s2{--c:#6a51a3}.chart-s3{--c:#b2588c}.chart-s4{--c:#8a6500}.chart-s5{--c:#0072b2}";
const DARK: &str = ".chart-back{fill:#14171a}.chart text{fill:#e5e6e3}.chart .chart-tick{fill:#a2a9b0}.chart-axis{stroke:#2e343a}.chart-zero{stroke:#6b7178}.chart-s0{--c:#62c3d2}.chart-s1{--c:#f0843c}.chart-s2{--c:#ab95e6}.chart-s3{--c:#dd8fbb}.chart-s4{--c:#ecb744}.chart-s5{--c:#4f9fe0}";
const BOTH: &str = ".chart text{font:12px system-ui,sans-serif;stroke:none}.chart .chart-title{font-weight:600;font-size:14px}.chart .chart-tick{font-size:11px}.chart-bar,.chart circle,.chart-key{fill:var(--c);stroke:none}.chart polyline{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}";

/// How wide a text is, about: Chinese letters take the room of two.
fn breadth(text: &str) -> f64 {
    text.chars().map(|c| if c as u32 > 0x2e7f { 2.0 } else { 1.0 }).sum::<f64>() * LETTER
}

fn fitted(text: &str, room: f64) -> String {
    if breadth(text) <= room {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        out.push(c);
        if breadth(&out) > room - 2.0 * LETTER {
            break;
        }
    }
    out + "…"
}

pub(super) fn draw(chart: &Chart, title: &str, theme: Theme, wide: f64) -> String {
    let mut body = String::new();
    let mut top = MARGIN;
    if !title.is_empty() {
        let shown = escape(&fitted(title, wide - 2.0 * MARGIN - 40.0));
        let _ =
            write!(body, "<text class=\"chart-title\" x=\"{MARGIN}\" y=\"{:.1}\">{shown}</text>", top + 12.0);
        top += 26.0;
    }
    top = legend(chart, top, wide, &mut body);
    let bottom = match chart.shape {
        Shape::Bar => bars(chart, top, wide, &mut body),
        Shape::Line => lines(chart, top, wide, &mut body),
    };
    let height = more(chart, bottom, &mut body) + MARGIN;
    let colours = if theme == Theme::Dark { DARK } else { LIGHT };
    let about = escape(&described(chart, title));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {wide:.0} {height:.0}\" width=\"{wide:.0}\" \
         height=\"{height:.0}\" role=\"img\" aria-label=\"{about}\"><style>{BOTH}{colours}</style>\
         <rect class=\"chart-back\" width=\"100%\" height=\"100%\"/>{body}</svg>"
    )
}

/// A chart in words, for those who do not see it.
fn described(chart: &Chart, title: &str) -> String {
    let names: Vec<&str> = chart.series.iter().map(|s| s.name.as_str()).collect();
    let what =
        if title.is_empty() { format!("{} by {}", names.join(", "), chart.axis) } else { title.to_owned() };
    let kind = if chart.shape == Shape::Bar { "Bar chart" } else { "Line chart" };
    format!("{kind}: {what}")
}

fn legend(chart: &Chart, top: f64, wide: f64, body: &mut String) -> f64 {
    if chart.series.len() < 2 {
        return top;
    }
    let (mut x, mut y) = (MARGIN, top);
    for (i, series) in chart.series.iter().enumerate() {
        let name = fitted(&series.name, 180.0);
        let taken = breadth(&name) + 34.0;
        if x + taken > wide - MARGIN && x > MARGIN {
            (x, y) = (MARGIN, y + 20.0);
        }
        let _ = write!(
            body,
            "<rect class=\"chart-key chart-s{i}\" x=\"{x:.1}\" y=\"{:.1}\" width=\"12\" height=\"12\" rx=\"2\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            y + 1.0,
            x + 18.0,
            y + 11.0,
            escape(&name)
        );
        x += taken;
    }
    y + 26.0
}

fn more(chart: &Chart, y: f64, body: &mut String) -> f64 {
    if chart.left_out == 0 {
        return y;
    }
    let _ = write!(
        body,
        "<text class=\"chart-tick\" x=\"{MARGIN}\" y=\"{:.1}\">… + {}</text>",
        y + 16.0,
        chart.left_out
    );
    y + 20.0
}

/// Where a value stands between two edges.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }
}

/// Bars lie, so that their labels can be read; the lower edge of them.
fn bars(chart: &Chart, top: f64, wide: f64, body: &mut String) -> f64 {
    let names = chart.labels.iter().map(|l| breadth(l)).fold(30.0_f64, f64::max).min(LABELS).min(wide / 3.0);
    let marks = ticks_of(chart);
    let (low, high) = (marks.first().copied().unwrap_or(0.0), marks.last().copied().unwrap_or(1.0));
    let ends = chart.series.iter().flat_map(|s| s.values.iter().flatten()).map(|v| breadth(&chart.short(*v)));
    let room = ends.fold(0.0_f64, f64::max) + 8.0;
    let scale = Scale { low, high, from: MARGIN + names + 10.0, to: wide - MARGIN - room };
    let group = BAR * chart.series.len() as f64 + GAP;
    let bottom = top + group * chart.labels.len() as f64;
    for mark in &marks {
        let (x, class) = (scale.at(*mark), if *mark == 0.0 { "chart-axis chart-zero" } else { "chart-axis" });
        let _ = write!(
            body,
            "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top:.1}\" y2=\"{bottom:.1}\"/>\
             <text class=\"chart-tick\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            bottom + 15.0,
            chart.short(*mark)
        );
    }
    for (row, label) in chart.labels.iter().enumerate() {
        let y = top + group * row as f64 + GAP / 2.0;
        let middle = y + BAR * chart.series.len() as f64 / 2.0 + 4.0;
        let shown = escape(&fitted(label, names));
        let _ = write!(
            body,
            "<text text-anchor=\"end\" x=\"{:.1}\" y=\"{middle:.1}\">{shown}</text>",
            scale.from - 10.0
        );
        for (i, series) in chart.series.iter().enumerate() {
            let Some(value) = series.values.get(row).copied().flatten() else { continue };
            bar(&scale, i, y + BAR * i as f64, value, [label, &chart.short(value)], body);
        }
    }
    bottom + 20.0
}

fn bar(scale: &Scale, series: usize, y: f64, value: f64, [label, said]: [&str; 2], body: &mut String) {
    let (zero, end) = (scale.at(0.0), scale.at(value));
    let (x, wide) = (zero.min(end), (end - zero).abs().max(0.5));
    let _ = write!(
        body,
        "<rect class=\"chart-bar chart-s{series}\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{wide:.1}\" height=\"{:.1}\" rx=\"2\"><title>{}: {value}</title></rect>\
         <text class=\"chart-tick\" x=\"{:.1}\" y=\"{:.1}\">{said}</text>",
        y + 1.0,
        BAR - 2.0,
        escape(label),
        zero.max(end) + 5.0,
        y + BAR / 2.0 + 4.0,
    );
}

fn ticks_of(chart: &Chart) -> Vec<f64> {
    let (low, high) = chart.range();
    ticks(low, high)
}

/// Lines over time; the lower edge of them.
fn lines(chart: &Chart, top: f64, wide: f64, body: &mut String) -> f64 {
    let marks = ticks_of(chart);
    let (low, high) = (marks.first().copied().unwrap_or(0.0), marks.last().copied().unwrap_or(1.0));
    let left = marks.iter().map(|m| breadth(&chart.short(*m))).fold(0.0_f64, f64::max) + MARGIN + 8.0;
    let up = Scale { low, high, from: top + HEIGHT, to: top + 6.0 };
    let last = chart.labels.len().saturating_sub(1).max(1) as f64;
    let across = Scale { low: 0.0, high: last, from: left + 8.0, to: wide - MARGIN - 14.0 };
    for mark in &marks {
        let (y, class) = (up.at(*mark), if *mark == 0.0 { "chart-axis chart-zero" } else { "chart-axis" });
        let _ = write!(
            body,
            "<line class=\"{class}\" x1=\"{left:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text class=\"chart-tick\" text-anchor=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            wide - MARGIN,
            left - 6.0,
            y + 4.0,
            chart.short(*mark)
        );
    }
    moments(chart, &across, top + HEIGHT + 18.0, body);
    for (i, series) in chart.series.iter().enumerate() {
        line(chart, series, i, &across, &up, body);
    }
    top + HEIGHT + 26.0
}

/// As many labels as stand beside each other without touching.
fn moments(chart: &Chart, across: &Scale, y: f64, body: &mut String) {
    let widest = chart.labels.iter().map(|l| breadth(l)).fold(20.0_f64, f64::max).min(120.0) + 14.0;
    let fit = ((across.to - across.from) / widest).floor().max(1.0) as usize;
    let step = chart.labels.len().div_ceil(fit.max(1)).max(1);
    for (i, label) in chart.labels.iter().enumerate().step_by(step) {
        let anchor = if i == 0 {
            "start"
        } else if i + 1 == chart.labels.len() {
            "end"
        } else {
            "middle"
        };
        let x = if i == 0 { across.at(0.0) - 8.0 } else { across.at(i as f64) };
        let shown = escape(&fitted(label, 120.0));
        let _ = write!(
            body,
            "<text class=\"chart-tick\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{shown}</text>"
        );
    }
}

/// One series; a gap where there is no value.
fn line(chart: &Chart, series: &super::Series, i: usize, across: &Scale, up: &Scale, body: &mut String) {
    let points: Vec<Option<(f64, f64)>> =
        series.values.iter().enumerate().map(|(x, v)| v.map(|v| (across.at(x as f64), up.at(v)))).collect();
    for part in points.split(Option::is_none).filter(|part| part.len() > 1) {
        let text: Vec<String> = part.iter().flatten().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = write!(body, "<polyline class=\"chart-s{i}\" points=\"{}\"/>", text.join(" "));
    }
    // Dots would hide a dense line.
    let dots = if points.len() <= 60 { points.len() } else { 0 };
    for (n, point) in points.iter().enumerate().take(dots) {
        let (Some((x, y)), Some(label)) = (point, chart.labels.get(n)) else { continue };
        let value = series.values.get(n).copied().flatten().unwrap_or_default();
        let _ = write!(
            body,
            "<circle class=\"chart-s{i}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"><title>{}: {value}</title></circle>",
            escape(label)
        );
    }
}

/// A text as it is written in SVG and HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::{of, tests::grid};
    use super::*;

    #[test]
    fn what_is_drawn_is_in_the_picture_and_nothing_of_it_runs() {
        let hostile = grid(&["<b>city", "n"], &[&["<script>x</script>", "5"], &["Oslo & co", "-3"]]);
        let svg = of(&hostile, None).unwrap().svg("a < b", Theme::Light);
        assert!(!svg.contains("<script") && svg.contains("&lt;script&gt;") && svg.contains("Oslo &amp; co"));
        assert_eq!(svg.matches("class=\"chart-bar chart-s0\"").count(), 2);
        assert!(
            svg.starts_with("<svg")
                && svg.ends_with("</svg>")
                && svg.contains("aria-label=\"Bar chart: a &lt; b\"")
        );
    }

    #[test]
    fn a_line_breaks_where_a_value_is_missing_and_themes_differ() {
        let time = grid(
            &["month", "n"],
            &[&["2023-01", "1"], &["2023-02", "2"], &["2023-03", ""], &["2023-04", "2"], &["2023-05", "9"]],
        );
        let chart = of(&time, None).unwrap();
        assert_eq!(chart.svg("", Theme::Light).matches("<polyline").count(), 2);
        assert_ne!(chart.svg("", Theme::Light), chart.svg("", Theme::Dark));
    }
}
