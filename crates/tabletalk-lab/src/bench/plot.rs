//! Plots of ratios and of growth.

use crate::svg::{Anchor, Drawing};
use serde_json::Value;

/// A number with three digits that count, and commas between thousands.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        "–".to_owned()
    } else if size >= 1000.0 {
        let digits = format!("{size:.0}");
        let groups: Vec<&str> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .map(|group| std::str::from_utf8(group).unwrap_or_default())
            .collect();
        format!("{}{}", if value < 0.0 { "-" } else { "" }, groups.join(","))
    } else if size >= 100.0 {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else if size >= 1.0 || size == 0.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.3}")
    }
}

/// A whole number with commas between thousands.
pub fn count(value: u64) -> String {
    if value < 1000 { value.to_string() } else { number(value as f64) }
}

/// A ratio of one workload.
pub struct Bar<'a> {
    pub name: &'a str,
    pub peer: &'a str,
    pub ratio: f64,
    pub wanted: Option<f64>,
}

const LEFT: f64 = 130.0;
const RIGHT: f64 = 130.0;
const WIDTH: f64 = 860.0;
const ROW: f64 = 30.0;

/// Bars on an axis of powers of ten, from the line of the peers outwards: to the right ours is faster.
pub fn bars(bars: &[Bar<'_>]) -> String {
    let logs = || bars.iter().flat_map(|bar| [Some(bar.ratio), bar.wanted]).flatten().map(f64::log10);
    let low = logs().fold(-1.0f64, f64::min).floor();
    let high = logs().fold(1.0f64, f64::max).ceil();
    let x = |ratio: f64| LEFT + (ratio.log10() - low) / (high - low) * (WIDTH - LEFT - RIGHT);
    let height = ROW * bars.len() as f64 + 50.0;
    let mut drawing = Drawing::new(WIDTH, height);
    for power in low as i32..=high as i32 {
        let at = x(10f64.powi(power));
        let class = if power == 0 { "peer" } else { "grid" };
        drawing.line(class, (at, 18.0), (at, height - 26.0));
        drawing.text("", (at, height - 8.0), Anchor::Middle, &plain_power(power));
    }
    drawing.text("quiet", (x(1.0), 12.0), Anchor::Middle, "the peer");
    for (i, bar) in bars.iter().enumerate() {
        one_bar(&mut drawing, bar, ROW * i as f64 + 24.0, &x);
    }
    drawing.finish("ratios", "Ratios to the peers")
}

fn one_bar(drawing: &mut Drawing, bar: &Bar<'_>, top: f64, x: &dyn Fn(f64) -> f64) {
    let (one, end, middle) = (x(1.0), x(bar.ratio), top + 15.0);
    let (from, wide) = (one.min(end), (one - end).abs().max(1.0));
    let (class, at, anchor) = match bar.ratio >= 1.0 {
        true => ("faster", end + 6.0, Anchor::Start),
        false => ("slower", end - 6.0, Anchor::End),
    };
    drawing.text("", (LEFT - 10.0, middle), Anchor::End, bar.name);
    let words = format!("{} against {}: {}", bar.name, bar.peer, number(bar.ratio));
    drawing.titled(&words, |drawing| drawing.rect(class, (from, top), (wide, 20.0)));
    if let Some(wanted) = bar.wanted {
        let (at, from, to) = (x(wanted), top - 3.0, top + 23.0);
        let words = format!("wanted: {}", number(wanted));
        drawing.titled(&words, |drawing| drawing.line("wanted", (at, from), (at, to)));
    }
    drawing.text("value", (at, middle), anchor, &number(bar.ratio));
}

/// A power of ten as people write it.
fn plain_power(power: i32) -> String {
    match power {
        3.. => number(10f64.powi(power)),
        0.. => format!("{:.0}", 10f64.powi(power)),
        _ => format!("{:.*}", power.unsigned_abs() as usize, 10f64.powi(power)),
    }
}

/// Where a plot of growth stands in its drawing: left, top, right, bottom.
const PLOT: [f64; 4] = [76.0, 28.0, 386.0, 215.0];

/// Axes of powers of ten: the logarithms at their ends.
struct Axes {
    x: (f64, f64),
    y: (f64, f64),
}

impl Axes {
    /// Where a point is drawn.
    fn spot(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let [left, top, right, bottom] = PLOT;
        let share = |value: f64, (low, high): (f64, f64)| (value.log10() - low) / (high - low);
        (left + share(x, self.x) * (right - left), bottom - share(y, self.y) * (bottom - top))
    }

    fn draw(&self, drawing: &mut Drawing, unit: &str) {
        let [left, top, right, bottom] = PLOT;
        for power in self.x.0 as i32..=self.x.1 as i32 {
            let at = self.spot((10f64.powi(power), 1.0)).0;
            drawing.line("grid", (at, top), (at, bottom));
            drawing.text("", (at, bottom + 17.0), Anchor::Middle, &plain_power(power));
        }
        for power in self.y.0 as i32..=self.y.1 as i32 {
            let at = self.spot((1.0, 10f64.powi(power))).1;
            drawing.line("grid", (left, at), (right, at));
            drawing.text("", (left - 5.0, at + 4.0), Anchor::End, &format!("{} {unit}", plain_power(power)));
        }
    }
}

/// One line of points on axes of powers of ten; the thin line through the last point grows as the sizes do.
pub fn growth(title: &str, unit: &str, points: &[(f64, f64)], note: &str) -> String {
    let points: Vec<(f64, f64)> = points.iter().copied().filter(|&(x, y)| x > 0.0 && y > 0.0).collect();
    let mut drawing = Drawing::new(420.0, 250.0);
    drawing.text("title", (8.0, 14.0), Anchor::Start, title);
    drawing.text("quiet", (412.0, 14.0), Anchor::End, note);
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else {
        return drawing.finish("growth", title);
    };
    let axes = Axes { x: span(points.iter().map(|p| p.0)), y: span(points.iter().map(|p| p.1)) };
    axes.draw(&mut drawing, unit);
    // As much as fits: the thin line ends where it leaves the drawing.
    let from = first.0.max(last.0 * 10f64.powf(axes.y.0) / last.1);
    drawing.through("even", &[axes.spot((from, last.1 * from / last.0)), axes.spot(last)]);
    let spots: Vec<(f64, f64)> = points.iter().map(|&point| axes.spot(point)).collect();
    drawing.through("line", &spots);
    for (&spot, &(n, y)) in spots.iter().zip(&points) {
        drawing.mark(0, spot, &format!("{}: {} {unit}", count(n as u64), number(y)));
    }
    drawing.finish("growth", title)
}

/// The whole powers of ten around some numbers, at least one apart.
fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .map(f64::log10)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| (low.min(log), high.max(log)));
    (low.floor(), high.ceil().max(low.floor() + 1.0))
}

/// The exponent with which figures grow: the slope of the straight line through their logarithms.
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|&&(x, y)| x > 0.0 && y > 0.0).map(|&(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let (mean_x, mean_y) =
        (logs.iter().map(|p| p.0).sum::<f64>() / count, logs.iter().map(|p| p.1).sum::<f64>() / count);
    let across: f64 = logs.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
    let along: f64 = logs.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
    (across > 0.0).then(|| along / across)
}

/// The figures of one kind, as points over their sizes.
pub fn points(rows: &Value, kind: &str) -> Vec<(f64, f64)> {
    let of = |row: &Value| Some((row["n"].as_f64()?, row[kind].as_f64()?));
    rows.as_array().into_iter().flatten().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_is_found() {
        let square: Vec<(f64, f64)> = [10.0, 100.0, 1000.0].map(|n: f64| (n, 3.0 * n * n)).to_vec();
        assert!((exponent(&square).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(exponent(&square[..1]), None);
        assert_eq!(exponent(&[]), None);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(1_234_567.8), "1,234,568");
        assert_eq!(number(0.0123), "0.012");
        assert_eq!(number(12.34), "12.3");
        assert_eq!((count(50), count(5000)), ("50".to_owned(), "5,000".to_owned()));
        assert_eq!(plain_power(-2), "0.01");
        assert_eq!(plain_power(6), "1,000,000");
    }

    #[test]
    fn names_are_escaped() {
        let svg = bars(&[Bar { name: "a<b", peer: "\"c\"", ratio: 0.5, wanted: Some(2.0) }]);
        assert!(
            svg.contains("a&lt;b") && svg.contains(r#"class="slower""#) && svg.contains(r#"class="wanted""#)
        );
    }
}
