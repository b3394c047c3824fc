//! The plots of a report.

use super::{Block, Mean, Row, metric};
use crate::svg::{Anchor, Area, Axis, Drawing, colour, cut, escape, place_labels, width};

const WIDE: f64 = 460.0;
const HIGH: f64 = 290.0;
const LEFT: f64 = 54.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 30.0;
const BELOW: f64 = 46.0;
const FOOT: f64 = HIGH - BELOW;

/// A line of a plot: a variant and its means at values of the other axis.
pub(super) struct Series<'a> {
    pub(super) index: usize,
    pub(super) name: &'a str,
    pub(super) points: Vec<(f64, Mean)>,
}

/// A plot with its title.
fn figure(title: &str, svg: &str) -> String {
    format!("<figure><figcaption>{}</figcaption>{svg}</figure>", escape(title))
}

/// What is said to those who cannot see a plot.
fn label<'a>(title: &str, values: impl Iterator<Item = (&'a str, String)>) -> String {
    let values: Vec<String> = values.map(|(name, value)| format!("{name} {value}")).collect();
    format!("{title}: {}", values.join("; "))
}

/// Lines across, with their values at the left and what they measure above.
fn across(drawing: &mut Drawing, axis: &Axis, name: &str) {
    for tick in &axis.ticks {
        let y = axis.at(*tick);
        drawing.line("grid", (LEFT, y), (WIDE - RIGHT, y));
        drawing.text("tick", (LEFT - 8.0, y + 4.0), Anchor::End, &axis.label(*tick));
    }
    drawing.text("axis", (0.0, 12.0), Anchor::Start, name);
}

/// Values along the foot, as many as there is room for, and what they measure below.
fn along(drawing: &mut Drawing, axis: &Axis, foot: f64, name: &str) {
    let mut free = f64::NEG_INFINITY;
    for tick in &axis.ticks {
        let (x, words) = (axis.at(*tick), axis.label(*tick));
        drawing.line("grid", (x, foot), (x, foot + 4.0));
        if x - width(&words) / 2.0 > free {
            drawing.text("tick", (x, foot + 18.0), Anchor::Middle, &words);
            free = x + width(&words) / 2.0 + 4.0;
        }
    }
    drawing.text("axis", (WIDE - RIGHT, foot + 38.0), Anchor::End, name);
}

/// The marks of all variants with their names.
pub(super) fn legend(names: &[(usize, &str)]) -> String {
    let item = |(index, name): &(usize, &str)| {
        let mut drawing = Drawing::new(26.0, 12.0);
        drawing.line(&format!("line {}", colour(*index)), (0.0, 6.0), (26.0, 6.0));
        drawing.mark(*index, (13.0, 6.0), "");
        format!("<li>{}{}</li>", drawing.silent("key"), escape(name))
    };
    format!("<ul class=\"legend\">{}</ul>", names.iter().map(item).collect::<String>())
}

/// A mean with its interval on a track from 0 to the most.
pub(super) fn bar(index: usize, mean: &Mean, most: f64) -> String {
    let mut drawing = Drawing::new(58.0, 8.0);
    let at = |value: f64| 2.0 + 54.0 * (value / most.max(1e-9)).clamp(0.0, 1.0);
    drawing.rect("track", (0.0, 3.0), (58.0, 2.0));
    if mean.is_finite() {
        let (low, high) = (at(mean.low), at(mean.high));
        drawing.rect(&format!("interval {}", colour(index)), (low - 1.0, 1.0), (high - low + 2.0, 6.0));
        drawing.rect(&format!("fill {}", colour(index)), (at(mean.mean) - 1.25, 0.0), (2.5, 8.0));
    }
    drawing.silent("bar")
}

/// The means of one metric with their intervals, one line a variant; the first is the measure of the others.
pub(super) fn confidence(block: &Block<'_>, name: &str) -> Option<String> {
    let rows = drawable(block, name);
    let first = rows.first()?.1;
    let named = rows.iter().map(|(row, _)| width(&row.cell.variant)).fold(0.0, f64::max);
    let left = named.min(170.0) + 14.0;
    let high = TOP + 24.0 * rows.len() as f64 + BELOW - 14.0;
    let foot = high - BELOW;
    let ends = rows.iter().flat_map(|(_, m)| [m.low, m.high]);
    let axis = match metric::is_share(name) {
        true => Axis::shares(ends, left, WIDE - RIGHT - 44.0),
        false => Axis::even(ends.chain([0.0]), left, WIDE - RIGHT - 60.0),
    };
    let mut drawing = Drawing::new(WIDE, high);
    for tick in &axis.ticks {
        drawing.line("grid", (axis.at(*tick), 6.0), (axis.at(*tick), foot));
    }
    drawing.line("base", (axis.at(first.mean), 6.0), (axis.at(first.mean), foot));
    for (i, (row, mean)) in rows.iter().enumerate() {
        let y = 20.0 + 24.0 * i as f64;
        interval(&mut drawing, &axis, row, (name, mean), (left, y));
    }
    along(&mut drawing, &axis, foot, &metric::words(name));
    let title = format!("{} with 95 % confidence intervals", metric::title(name));
    let told =
        label(&title, rows.iter().map(|(r, m)| (r.cell.variant.as_str(), metric::with_interval(name, m))));
    Some(figure(&title, &drawing.finish("plot", &told)))
}

fn interval(
    drawing: &mut Drawing,
    axis: &Axis,
    row: &Row<'_>,
    (name, mean): (&str, &Mean),
    (left, y): (f64, f64),
) {
    let (low, high) = (axis.at(mean.low), axis.at(mean.high));
    let words = format!("{}: {}", row.cell.variant, metric::with_interval(name, mean));
    drawing.text("name", (left - 14.0, y + 4.0), Anchor::End, &cut(&row.cell.variant, left - 14.0));
    drawing.rect(&format!("interval {}", colour(row.index)), (low, y - 3.5), (high - low, 7.0));
    drawing.mark(row.index, (axis.at(mean.mean), y), &words);
    drawing.text("tick", (WIDE, y + 4.0), Anchor::End, &metric::value(name, mean.mean));
}

/// The rows that have a metric that can be drawn.
fn drawable<'a>(block: &Block<'a>, name: &str) -> Vec<(Row<'a>, Mean)> {
    let mean = |row: Row<'a>| Some((row, *row.cell.metrics.get(name).filter(|m| m.is_finite())?));
    block.measured().filter_map(mean).collect()
}

/// What an answer is worth against what it costs.
pub(super) fn scatter(block: &Block<'_>, name: &str, cost: &str) -> Option<String> {
    let costs = |row: &Row<'_>| row.cell.metrics.get(cost).filter(|m| m.is_finite()).map(|m| m.mean);
    let rows: Vec<_> =
        drawable(block, name).into_iter().filter_map(|(r, m)| Some((r, m, costs(&r)?))).collect();
    if !rows.iter().any(|(_, _, cost)| *cost > 0.0) {
        return None;
    }
    let x = Axis::fit(
        &rows.iter().map(|(_, _, cost)| *cost).collect::<Vec<_>>(),
        LEFT + 12.0,
        WIDE - RIGHT - 12.0,
    );
    let y = Axis::shares(rows.iter().flat_map(|(_, m, _)| [m.low, m.high]), FOOT, TOP);
    let mut drawing = Drawing::new(WIDE, HIGH);
    across(&mut drawing, &y, &metric::words(name));
    along(&mut drawing, &x, FOOT, &metric::words(cost));
    for (row, mean, cost) in &rows {
        drawing.whisker(row.index, x.at(*cost), (y.at(mean.low), y.at(mean.high)));
    }
    let points: Vec<_> = rows.iter().map(|(row, mean, cost)| (row, (x.at(*cost), y.at(mean.mean)))).collect();
    let stems: Vec<Area> = rows.iter().map(|(_, m, c)| stem(x.at(*c), y.at(m.high), y.at(m.low))).collect();
    named(&mut drawing, &points, &stems);
    for ((row, mean, spent), (_, at)) in rows.iter().zip(&points) {
        let figures = format!("{} {}", metric::with_interval(name, mean), metric::value(cost, *spent));
        drawing.mark(row.index, *at, &format!("{}: {figures} {}", row.cell.variant, metric::words(cost)));
    }
    let title = format!("{} against {}", metric::title(name), metric::words(cost));
    let value = |m: &Mean, c: f64| format!("{} at {}", metric::value(name, m.mean), metric::value(cost, c));
    let told = label(&title, rows.iter().map(|(r, m, c)| (r.cell.variant.as_str(), value(m, *c))));
    Some(figure(&title, &drawing.finish("plot", &told)))
}

/// The place that an interval takes.
fn stem(x: f64, top: f64, foot: f64) -> Area {
    Area(x - 1.0, top, x + 1.0, foot)
}

/// The names of points, beside them.
fn named(drawing: &mut Drawing, points: &[(&Row<'_>, (f64, f64))], stems: &[Area]) {
    let names: Vec<String> = points.iter().map(|(row, _)| cut(&row.cell.variant, 190.0)).collect();
    let asked: Vec<_> = points.iter().zip(&names).map(|((_, at), name)| (*at, width(name))).collect();
    let labels = place_labels(&asked, Area(LEFT, 16.0, WIDE, FOOT), stems);
    for (((row, at), name), label) in points.iter().zip(&names).zip(&labels) {
        if label.is_far {
            let to =
                (at.0.clamp(label.area.0, label.area.2), at.1.clamp(label.area.1 + 2.0, label.area.3 - 2.0));
            drawing.line(&format!("lead {}", colour(row.index)), *at, to);
        }
        drawing.text("name halo", label.at, label.anchor, name);
    }
}

/// Lines of a metric over values of another thing, one line a variant.
pub(super) fn lines(title: &str, (name, over): (&str, &str), series: &[Series<'_>]) -> Option<String> {
    let all = || series.iter().flat_map(|s| &s.points);
    let mut values: Vec<f64> = all().map(|(value, _)| *value).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    if values.len() < 2 {
        return None;
    }
    let spread = 4.5f64.min(26.0 / series.len().max(1) as f64);
    let room = spread * series.len() as f64 / 2.0 + 8.0;
    let x = Axis::at_values(&values, LEFT + room, WIDE - RIGHT - room);
    let ends = all().flat_map(|(_, m)| [m.low, m.high, m.mean]);
    let y = match metric::is_share(name) {
        true => Axis::shares(ends, FOOT, TOP),
        false => Axis::fit(&ends.collect::<Vec<_>>(), FOOT, TOP),
    };
    let mut drawing = Drawing::new(WIDE, HIGH);
    across(&mut drawing, &y, metric::words(metric::level(name).1).split('@').next().unwrap_or_default());
    along(&mut drawing, &x, FOOT, over);
    for (i, one) in series.iter().enumerate() {
        let aside = spread * (i as f64 - (series.len() as f64 - 1.0) / 2.0);
        polyline(&mut drawing, (&x, &y), aside, name, one);
    }
    let last = |s: &Series<'_>| s.points.last().map(|(_, m)| metric::value(name, m.mean)).unwrap_or_default();
    let told = label(&format!("{title}, at the last point"), series.iter().map(|s| (s.name, last(s))));
    Some(figure(title, &drawing.finish("plot", &told)))
}

fn polyline(drawing: &mut Drawing, (x, y): (&Axis, &Axis), aside: f64, name: &str, series: &Series<'_>) {
    let at = |value: f64, mean: f64| (x.at(value) + aside, y.at(mean));
    let points: Vec<_> = series.points.iter().map(|(value, m)| at(*value, m.mean)).collect();
    for (value, mean) in series.points.iter().filter(|(_, m)| m.high > m.low) {
        drawing.whisker(series.index, x.at(*value) + aside, (y.at(mean.low), y.at(mean.high)));
    }
    drawing.through(&format!("line {}", colour(series.index)), &points);
    for (point, (value, mean)) in points.iter().zip(&series.points) {
        let figures = metric::with_interval(name, mean);
        drawing.mark(
            series.index,
            *point,
            &format!("{}, {}: {figures}", series.name, metric::grouped(*value)),
        );
    }
}

/// Recall over `K` at a level of a set.
pub(super) fn recall(block: &Block<'_>, level: &str) -> Option<String> {
    let curve = metric::curve(&block.metrics(), level);
    let (_, name) = curve.last()?;
    let series: Vec<Series<'_>> = block.measured().map(|row| recalled(row, &curve)).collect();
    let title = match level {
        "" => "Recall over K".to_owned(),
        level => format!("Recall of {level}s over K, in the right table"),
    };
    let series: Vec<Series<'_>> = series.into_iter().filter(|s| !s.points.is_empty()).collect();
    lines(&title, (name, "K, how many are taken"), &series)
}

fn recalled<'a>(row: Row<'a>, curve: &[(usize, &str)]) -> Series<'a> {
    let point = |(k, name): &(usize, &str)| {
        let mean = row.cell.metrics.get(*name).filter(|m| m.is_finite())?;
        Some((*k as f64, *mean))
    };
    Series { index: row.index, name: &row.cell.variant, points: curve.iter().filter_map(point).collect() }
}
