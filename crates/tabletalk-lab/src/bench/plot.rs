//! Drawings of figures as SVG.

use serde_json::Value;
use std::fmt::Write;

/// A text that may stand in HTML and SVG.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

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
    let mut svg = format!("<svg viewBox='0 0 {WIDTH} {height}' role='img' aria-label='Ratios to the peers'>");
    for power in low as i32..=high as i32 {
        let (at, bottom) = (x(10f64.powi(power)), height - 26.0);
        let class = if power == 0 { "peer" } else { "grid" };
        let _ = write!(svg, "<line class='{class}' x1='{at:.1}' y1='18' x2='{at:.1}' y2='{bottom}'/>");
        let label = if power == 0 { "1".to_owned() } else { plain_power(power) };
        let _ = write!(svg, "<text x='{at:.1}' y='{}' text-anchor='middle'>{label}</text>", height - 8.0);
    }
    let _ = write!(svg, "<text class='quiet' x='{:.1}' y='12' text-anchor='middle'>the peer</text>", x(1.0));
    for (i, bar) in bars.iter().enumerate() {
        one_bar(&mut svg, bar, ROW * i as f64 + 24.0, &x);
    }
    svg.push_str("</svg>");
    svg
}

fn one_bar(svg: &mut String, bar: &Bar<'_>, top: f64, x: &dyn Fn(f64) -> f64) {
    let (one, end, middle) = (x(1.0), x(bar.ratio), top + 15.0);
    let (from, wide) = (one.min(end), (one - end).abs().max(1.0));
    let faster = bar.ratio >= 1.0;
    let class = if faster { "faster" } else { "slower" };
    let _ = write!(
        svg,
        "<text x='{:.1}' y='{middle:.1}' text-anchor='end'>{}</text>",
        LEFT - 10.0,
        escape(bar.name)
    );
    let _ = write!(
        svg,
        "<rect class='{class}' x='{from:.1}' y='{top:.1}' width='{wide:.1}' height='20' rx='2'><title>{}</title></rect>",
        escape(&format!("{} against {}: {}", bar.name, bar.peer, number(bar.ratio)))
    );
    if let Some(wanted) = bar.wanted {
        let at = x(wanted);
        let _ = write!(
            svg,
            "<line class='wanted' x1='{at:.1}' y1='{:.1}' x2='{at:.1}' y2='{:.1}'><title>wanted: {}</title></line>",
            top - 3.0,
            top + 23.0,
            number(wanted)
        );
    }
    let (at, anchor) = if faster { (end + 6.0, "start") } else { (end - 6.0, "end") };
    let _ = write!(
        svg,
        "<text class='value' x='{at:.1}' y='{middle:.1}' text-anchor='{anchor}'>{}</text>",
        number(bar.ratio)
    );
}

/// A power of ten as people write it.
fn plain_power(power: i32) -> String {
    match power {
        3.. => number(10f64.powi(power)),
        0.. => format!("{:.0}", 10f64.powi(power)),
        _ => format!("{:.*}", power.unsigned_abs() as usize, 10f64.powi(power)),
    }
}

/// One line of points on axes of powers of ten; the thin line through the last point grows as the sizes do.
pub fn growth(title: &str, unit: &str, points: &[(f64, f64)], note: &str) -> String {
    let points: Vec<(f64, f64)> = points.iter().copied().filter(|&(x, y)| x > 0.0 && y > 0.0).collect();
    let (wide, high, left, right, bottom) = (420.0, 250.0, 76.0, 34.0, 215.0);
    let mut svg =
        format!("<svg class='growth' viewBox='0 0 {wide} {high}' role='img' aria-label='{}'>", escape(title));
    let _ = write!(svg, "<text x='8' y='14' class='title'>{}</text>", escape(title));
    let _ = write!(
        svg,
        "<text x='{}' y='14' class='quiet' text-anchor='end'>{}</text>",
        wide - 8.0,
        escape(note)
    );
    let Some(&last) = points.last() else {
        svg.push_str("</svg>");
        return svg;
    };
    let (x0, x1) = span(points.iter().map(|p| p.0));
    let (y0, y1) = span(points.iter().map(|p| p.1));
    let spot = |(x, y): (f64, f64)| {
        let across = left + (x.log10() - x0) / (x1 - x0) * (wide - left - right);
        (across, bottom - (y.log10() - y0) / (y1 - y0) * (bottom - 28.0))
    };
    for power in x0 as i32..=x1 as i32 {
        let at = spot((10f64.powi(power), 10f64.powf(y0))).0;
        let _ = write!(svg, "<line class='grid' x1='{at:.1}' y1='28' x2='{at:.1}' y2='{bottom}'/>");
        let _ = write!(
            svg,
            "<text x='{at:.1}' y='{}' text-anchor='middle'>{}</text>",
            bottom + 17.0,
            plain_power(power)
        );
    }
    for power in y0 as i32..=y1 as i32 {
        let at = spot((10f64.powf(x0), 10f64.powi(power))).1;
        let _ =
            write!(svg, "<line class='grid' x1='{left}' y1='{at:.1}' x2='{}' y2='{at:.1}'/>", wide - right);
        let _ = write!(
            svg,
            "<text x='{}' y='{:.1}' text-anchor='end'>{} {}</text>",
            left - 5.0,
            at + 4.0,
            plain_power(power),
            escape(unit)
        );
    }
    // As much as fits: the thin line ends where it leaves the drawing.
    let from = points[0].0.max(last.0 * 10f64.powf(y0) / last.1);
    let ends = [spot((from, last.1 * from / last.0)), spot(last)];
    let _ = write!(svg, "<polyline class='even' points='{}'/>", joined(&ends));
    let spots: Vec<(f64, f64)> = points.iter().map(|&point| spot(point)).collect();
    let _ = write!(svg, "<polyline class='line' points='{}'/>", joined(&spots));
    for (&(at, down), &(n, y)) in spots.iter().zip(&points) {
        let _ = write!(
            svg,
            "<circle class='dot' cx='{at:.1}' cy='{down:.1}' r='4'><title>{}: {} {}</title></circle>",
            count(n as u64),
            number(y),
            escape(unit)
        );
    }
    svg.push_str("</svg>");
    svg
}

/// The whole powers of ten around some numbers, at least one apart.
fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .map(f64::log10)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| (low.min(log), high.max(log)));
    (low.floor(), high.ceil().max(low.floor() + 1.0))
}

fn joined(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
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
        assert!(svg.contains("a&lt;b") && svg.contains("class='slower'") && svg.contains("class='wanted'"));
    }
}
