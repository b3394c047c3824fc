//! Drawing: lines, words, marks and axes, for every plot of this crate.

use tabletalk_eval::figure as metric;

/// How many colours there are; marks tell more variants apart.
pub(super) const COLOURS: usize = 8;

/// Shapes around the origin that differ at a glance, all of about the same weight.
const SHAPES: [&str; COLOURS] = [
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.8L4.6 3.4h-9.2z",
    "M0-5.2L4.6 0L0 5.2L-4.6 0z",
    "M0 4.8L4.6-3.4h-9.2z",
    "M-1.5-4.6h3v3.1h3.1v3h-3.1v3.1h-3v-3.1h-3.1v-3h3.1z",
    "M-4.4-2.3L-2.3-4.4L0-2.1L2.3-4.4L4.4-2.3L2.1 0L4.4 2.3L2.3 4.4L0 2.1L-2.3 4.4L-4.4 2.3L-2.1 0z",
    "M-5-2.4h10v4.8h-10z",
];

/// Where a text begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

/// A drawing in the making. All words are escaped here.
pub(super) struct Drawing {
    wide: f64,
    high: f64,
    body: String,
}

impl Drawing {
    pub(super) fn new(wide: f64, high: f64) -> Self {
        Drawing { wide, high, body: String::new() }
    }

    pub(super) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(short);
        self.body.push_str(&format!(r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#));
    }

    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, words: &str) {
        let (x, y, anchor, words) = (short(x), short(y), anchor.name(), escape(words));
        let text = format!(r#"<text class="{class}" x="{x}" y="{y}" text-anchor="{anchor}">{words}</text>"#);
        self.body.push_str(&text);
    }

    pub(super) fn rect(&mut self, class: &str, (x, y): (f64, f64), (wide, high): (f64, f64)) {
        let [x, y, wide, high, round] = [x, y, wide.max(0.0), high, high / 2.0].map(short);
        let rect =
            format!(r#"<rect class="{class}" x="{x}" y="{y}" width="{wide}" height="{high}" rx="{round}"/>"#);
        self.body.push_str(&rect);
    }

    /// Pointing at what is drawn in it shows the words.
    pub(super) fn titled(&mut self, words: &str, draw: impl FnOnce(&mut Self)) {
        self.body.push_str(&format!("<g><title>{}</title>", escape(words)));
        draw(self);
        self.body.push_str("</g>");
    }

    /// A line through points.
    pub(super) fn through(&mut self, class: &str, points: &[(f64, f64)]) {
        let points: Vec<String> =
            points.iter().map(|(x, y)| format!("{},{}", short(*x), short(*y))).collect();
        self.body.push_str(&format!(r#"<polyline class="{class}" points="{}"/>"#, points.join(" ")));
    }

    /// The mark of a variant; pointing at it shows the words.
    pub(super) fn mark(&mut self, index: usize, (x, y): (f64, f64), words: &str) {
        let shape =
            SHAPES.iter().cycle().nth((index + index / COLOURS) % COLOURS).copied().unwrap_or_default();
        let (colour, x, y, words) = (colour(index), short(x), short(y), escape(words));
        let title = if words.is_empty() { String::new() } else { format!("<title>{words}</title>") };
        let mark = format!(
            r#"<path class="mark {colour}" transform="translate({x} {y})" d="{shape}">{title}</path>"#
        );
        self.body.push_str(&mark);
    }

    /// An interval upright, with short ends.
    pub(super) fn whisker(&mut self, index: usize, x: f64, (low, high): (f64, f64)) {
        let class = format!("whisker {}", colour(index));
        self.line(&class, (x, low), (x, high));
    }

    /// The drawing; the label says what is to be seen.
    pub(super) fn finish(self, class: &str, label: &str) -> String {
        let Drawing { wide, high, body } = self;
        let (wide, high, label) = (short(wide), short(high), escape(label));
        format!(
            r#"<svg class="{class}" viewBox="0 0 {wide} {high}" role="img" aria-label="{label}">{body}</svg>"#
        )
    }

    /// A drawing that says nothing that is not written beside it.
    pub(super) fn silent(self, class: &str) -> String {
        let Drawing { wide, high, body } = self;
        let (wide, high) = (short(wide), short(high));
        format!(
            r#"<svg class="{class}" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" aria-hidden="true">{body}</svg>"#
        )
    }
}

/// The class that gives a variant its colour.
pub(super) fn colour(index: usize) -> String {
    format!("c{}", index % COLOURS)
}

/// Text that can stand in HTML, between tags and in attributes.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

/// A length with one decimal, where it needs one.
fn short(value: f64) -> String {
    let value = (value * 10.0).round() / 10.0;
    format!("{}", if value == 0.0 || !value.is_finite() { 0.0 } else { value })
}

/// About how wide a text is at a size of 12: half as wide as high, and as wide as high for Chinese.
pub(super) fn width(text: &str) -> f64 {
    text.chars().map(|c| if c >= '\u{1100}' { 12.0 } else { 6.7 }).sum()
}

/// A text cut to a width.
pub(super) fn cut(text: &str, most: f64) -> String {
    let mut kept = text.to_owned();
    while width(&kept) > most && kept.chars().count() > 2 {
        kept = kept.chars().take(kept.chars().count() - 2).chain(['…']).collect();
    }
    kept
}

/// An axis: from values to places.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    is_log: bool,
    /// Where nothing at all stands on an axis of powers, which has no place for it.
    zero: Option<f64>,
    /// Values that are written beside it.
    pub(super) ticks: Vec<f64>,
}

impl Axis {
    /// An axis for values, with powers where they differ by much.
    pub(super) fn fit(values: &[f64], from: f64, to: f64) -> Axis {
        let positive = || values.iter().copied().filter(|v| *v > 0.0 && v.is_finite());
        let (low, high) = (positive().fold(f64::INFINITY, f64::min), positive().fold(0.0, f64::max));
        match high / low >= 12.0 {
            true => Self::powers(low, high, values.iter().any(|v| *v <= 0.0), from, to),
            false => Self::even(values.iter().copied().chain([0.0]), from, to),
        }
    }

    /// An axis with even steps; the ends are round.
    pub(super) fn even(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Axis {
        let values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min).min(f64::MAX);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) =
            if high > low { (low, high) } else { (low.min(high.max(0.0)), low.max(high).max(0.0) + 1.0) };
        let (low, high) = if low.is_finite() && low < f64::MAX { (low, high) } else { (0.0, 1.0) };
        let step = step((high - low) / 4.0);
        let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
        let ticks =
            (0..=(last - first).clamp(0.0, 20.0) as usize).map(|i| tidy((first + i as f64) * step, step));
        Axis {
            low: first * step,
            high: last * step,
            from,
            to,
            is_log: false,
            zero: None,
            ticks: ticks.collect(),
        }
    }

    /// An axis for shares, as wide as the values need and within 0 and 1.
    pub(super) fn shares(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Axis {
        Self::even(values.map(|v| v.clamp(0.0, 1.0)), from, to)
    }

    fn powers(low: f64, high: f64, has_zero: bool, from: f64, to: f64) -> Axis {
        let zero = has_zero.then_some(from + (to - from).signum() * 8.0);
        let start = if has_zero { from + (to - from) * 0.14 } else { from };
        let all = |parts: &'static [f64]| {
            let tens = low.log10().floor() as i32..=high.log10().ceil() as i32;
            tens.flat_map(move |n| parts.iter().map(move |part| part * 10f64.powi(n)))
        };
        let fine: Vec<f64> = all(&[1.0, 2.0, 5.0]).collect();
        let low_end = fine.iter().copied().filter(|v| *v <= low * 1.0001).fold(low, |_, v| v);
        let high_end = fine.iter().copied().find(|v| *v >= high * 0.9999).unwrap_or(high);
        let within = |v: &f64| *v >= low_end * 0.999 && *v <= high_end * 1.001;
        let fine: Vec<f64> = fine.into_iter().filter(within).collect();
        let ticks = if fine.len() <= 7 { fine } else { all(&[1.0]).filter(within).collect() };
        let ticks = has_zero.then_some(0.0).into_iter().chain(ticks).collect();
        Axis { low: low_end, high: high_end, from: start, to, is_log: true, zero, ticks }
    }

    /// An axis with given values as its only ticks, with powers where they differ by much.
    pub(super) fn at_values(values: &[f64], from: f64, to: f64) -> Axis {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_log = low > 0.0 && high / low >= 5.0;
        let (low, high) = if high > low { (low, high) } else { (low - 1.0, low + 1.0) };
        Axis { low, high, from, to, is_log, zero: None, ticks: values.to_vec() }
    }

    /// The place of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        if let (true, Some(zero)) = (value <= 0.0, self.zero) {
            return zero;
        }
        let value = value.clamp(self.low, self.high);
        let share = match self.is_log {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        self.from + if share.is_finite() { share } else { 0.5 } * (self.to - self.from)
    }

    /// A tick in words.
    pub(super) fn label(&self, tick: f64) -> String {
        let steps = self.ticks.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(f64::INFINITY, f64::min);
        match self.is_log || steps >= 1.0 {
            _ if tick >= 1e6 => format!("{}M", tick / 1e6),
            true if tick >= 1.0 || tick == 0.0 => metric::grouped(tick),
            true => format!("{tick}"),
            false => format!("{tick:.*}", decimals(steps)),
        }
    }
}

fn decimals(step: f64) -> usize {
    (0..6).find(|n| ((step * 10f64.powi(*n)).round() - step * 10f64.powi(*n)).abs() < 1e-6).unwrap_or(6)
        as usize
}

/// A round step that is at least as large.
fn step(least: f64) -> f64 {
    let ten = 10f64.powf(least.max(1e-9).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * ten).find(|s| *s >= least * 0.999).unwrap_or(ten * 10.0)
}

/// A multiple of a step without what counting in twos adds to it.
fn tidy(value: f64, step: f64) -> f64 {
    let scale = 10f64.powi(decimals(step) as i32);
    (value * scale).round() / scale
}

/// A box: left, top, right, bottom.
#[derive(Debug, Clone, Copy)]
pub(super) struct Area(pub(super) f64, pub(super) f64, pub(super) f64, pub(super) f64);

impl Area {
    /// How much of it another covers.
    fn shared(&self, other: &Area) -> f64 {
        let wide = self.2.min(other.2) - self.0.max(other.0);
        let high = self.3.min(other.3) - self.1.max(other.1);
        wide.max(0.0) * high.max(0.0)
    }

    fn around((x, y): (f64, f64), wide: f64, high: f64) -> Area {
        Area(x - wide / 2.0, y - high / 2.0, x + wide / 2.0, y + high / 2.0)
    }
}

/// A label beside its point.
#[derive(Debug, Clone)]
pub(super) struct Label {
    pub(super) at: (f64, f64),
    pub(super) anchor: Anchor,
    /// Whether it stands so far away that a line must lead to it.
    pub(super) is_far: bool,
    pub(super) area: Area,
}

/// Finds places for the labels of points where they cover neither each other nor the marks.
pub(super) fn place_labels(points: &[((f64, f64), f64)], within: Area, taken: &[Area]) -> Vec<Label> {
    let marks = points.iter().map(|(point, _)| Area::around(*point, 12.0, 12.0));
    let marks: Vec<Area> = marks.chain(taken.iter().copied()).collect();
    let mut labels: Vec<Label> = Vec::new();
    for (point, wide) in points {
        let cost = |label: &Label| {
            let area = label.area;
            let covered: f64 =
                marks.iter().chain(labels.iter().map(|l| &l.area)).map(|a| area.shared(a)).sum();
            let outside = (area.2 - area.0) * (area.3 - area.1) - area.shared(&within);
            covered + 4.0 * outside
        };
        let best = candidates(*point, *wide).into_iter().map(|label| (cost(&label), label));
        let best = best.fold(None, |best: Option<(f64, Label)>, next| match best {
            Some(best) if best.0 <= next.0 + 0.5 => Some(best),
            _ => Some(next),
        });
        labels.extend(best.map(|(_, label)| label));
    }
    labels
}

/// Places for a label, the nearest first.
fn candidates((x, y): (f64, f64), wide: f64) -> Vec<Label> {
    let mut all = Vec::new();
    for (i, away) in [0.0, 9.0, 18.0, 28.0, 40.0, 54.0].into_iter().enumerate() {
        let sides = [
            (1.0, 0.0),
            (-1.0, 0.0),
            (0.0, -1.0),
            (0.0, 1.0),
            (1.0, -1.0),
            (1.0, 1.0),
            (-1.0, -1.0),
            (-1.0, 1.0),
        ];
        for (dx, dy) in sides.into_iter().skip(if i == 0 { 0 } else { 2 }) {
            let anchor = if dx > 0.0 {
                Anchor::Start
            } else if dx < 0.0 {
                Anchor::End
            } else {
                Anchor::Middle
            };
            let (x, middle) = (x + dx * (9.0 + away * 0.6), y + dy * (12.0 + away));
            let left = match anchor {
                Anchor::Start => x,
                Anchor::Middle => x - wide / 2.0,
                Anchor::End => x - wide,
            };
            let area = Area(left, middle - 7.0, left + wide, middle + 7.0);
            all.push(Label { at: (x, middle + 4.0), anchor, is_far: i > 1, area });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let ticks = |values: &[f64]| Axis::even(values.iter().copied(), 0.0, 100.0).ticks;
        assert_eq!(ticks(&[0.43, 0.71]), [0.4, 0.5, 0.6, 0.7, 0.8]);
        assert_eq!(ticks(&[0.0, 1.0]), [0.0, 0.5, 1.0]);
        assert_eq!(ticks(&[0.0, 930.0]), [0.0, 500.0, 1000.0]);
        assert!(ticks(&[]).len() >= 2 && ticks(&[0.5]).len() >= 2 && ticks(&[f64::NAN, 0.0]).len() >= 2);
    }

    #[test]
    fn values_that_differ_by_much_are_drawn_by_powers() {
        let axis = Axis::fit(&[120.0, 80_000.0, 0.0], 0.0, 100.0);
        assert!(axis.is_log && axis.ticks.first() == Some(&0.0), "{axis:?}");
        assert!(axis.at(0.0) < axis.at(120.0) && axis.at(120.0) < axis.at(1000.0));
        assert!((axis.at(100_000.0) - 100.0).abs() < 1e-9, "{axis:?}");
        assert!(!Axis::fit(&[100.0, 500.0], 0.0, 100.0).is_log);
    }

    #[test]
    fn an_axis_of_one_value_has_a_place_for_it() {
        for axis in
            [Axis::at_values(&[10.0], 0.0, 100.0), Axis::fit(&[], 0.0, 100.0), Axis::fit(&[0.0], 0.0, 9.0)]
        {
            assert!(axis.at(10.0).is_finite(), "{axis:?}");
        }
    }

    #[test]
    fn labels_keep_apart() {
        let points: Vec<_> = (0..8).map(|i| ((200.0 + f64::from(i), 100.0), 50.0)).collect();
        let labels = place_labels(&points, Area(0.0, 0.0, 400.0, 250.0), &[]);
        for (i, a) in labels.iter().enumerate() {
            for b in &labels[i + 1..] {
                assert_eq!(a.area.shared(&b.area), 0.0, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("<a b=\"c\">&'\u{1b}"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39; ");
        assert_eq!(cut("a name that is long", 60.0).chars().last(), Some('…'));
    }
}
