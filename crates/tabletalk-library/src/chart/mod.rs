//! Charts of results: which one fits is told by the types of the columns. Drawn as SVG or for a terminal.

mod short;
mod svg;
mod terminal;

pub(crate) use svg::escape;

use crate::answer::Grid;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// How many pixels a picture is wide.
const WIDTH: u32 = 640;
/// Bars that are still told apart at a glance; more are left out, and that is said.
const BARS: usize = 30;
/// Points of a line; a picture of 640 pixels shows no more.
const POINTS: usize = 600;
/// Series that colours tell apart.
const SERIES: usize = 6;
/// Two measures stand on one scale when the smaller one reaches this part of the larger one.
const COMPARABLE: f64 = 0.05;

/// How values are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A bar for each group.
    Bar,
    /// A line over time.
    Line,
}

impl std::str::FromStr for Shape {
    type Err = String;

    fn from_str(name: &str) -> Result<Shape, String> {
        match name {
            "bar" => Ok(Shape::Bar),
            "line" => Ok(Shape::Line),
            other => Err(format!("`{other}` is no shape of a chart: bar or line")),
        }
    }
}

/// Which colours a picture has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// On white.
    #[default]
    Light,
    /// On black.
    Dark,
}

/// In which language numbers are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tongue {
    /// `1,500`, `2.5M`.
    #[default]
    En,
    /// `1,500`, `250万`.
    Zh,
    /// `1.500`, `2,5 Mio.`
    De,
}

/// A value for each label, under a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What is measured.
    pub name: String,
    /// A value for each label, where there is one.
    pub values: Vec<Option<f64>>,
}

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// How.
    pub shape: Shape,
    /// What the labels are.
    pub axis: String,
    /// The groups, or points in time.
    pub labels: Vec<String>,
    /// The values.
    pub series: Vec<Series>,
    /// Rows of the result that are not shown.
    pub left_out: usize,
    /// In which language its numbers are written.
    pub tongue: Tongue,
}

impl Chart {
    /// The same with its numbers in this language.
    pub fn with_tongue(self, tongue: Tongue) -> Chart {
        Chart { tongue, ..self }
    }

    /// A number on an axis or beside a bar.
    fn short(&self, value: f64) -> String {
        short::short(value, self.tongue)
    }
}

/// The shapes that fit a result, the best one first; none where it is not worth a picture.
pub fn shapes(grid: &Grid) -> Vec<Shape> {
    match of(grid, None) {
        Some(chart) if chart.labels.len() < 3 => vec![chart.shape],
        Some(Chart { shape: Shape::Bar, .. }) => vec![Shape::Bar, Shape::Line],
        Some(_) => vec![Shape::Line, Shape::Bar],
        None => Vec::new(),
    }
}

/// The chart of a result: its first measures by its group, in the shape that is wanted or fits best. None where there is
/// nothing to compare.
pub fn of(grid: &Grid, wanted: Option<Shape>) -> Option<Chart> {
    let columns: Vec<Column> = (0..grid.columns.len()).map(|i| Column::of(grid, i)).collect();
    if grid.rows.len() < 2 || columns.len() < 2 {
        return None;
    }
    let label = label(&columns)?;
    let measures: Vec<usize> =
        (0..columns.len()).filter(|&i| i != label && columns[i].is_measure()).collect();
    let (&first, _) = measures.split_first()?;
    let other = (0..columns.len()).find(|&i| i != label && !columns[i].is_measure());
    let mut chart = match other {
        Some(other) => pivot(grid, &columns, label, other, first)?,
        None => plain(grid, &columns, label, &measures),
    };
    let best = if columns[label].is_time && chart.labels.len() > 2 { Shape::Line } else { Shape::Bar };
    chart.shape = wanted.unwrap_or(best);
    Some(cut(chart))
}

/// What a column of a result is.
struct Column {
    name: String,
    numbers: Vec<Option<f64>>,
    is_number: bool,
    is_time: bool,
}

impl Column {
    fn of(grid: &Grid, i: usize) -> Column {
        let cells = || grid.rows.iter().map(|row| row.get(i).map_or("", |c| c.trim()));
        let numbers: Vec<Option<f64>> = cells().map(number).collect();
        let filled = cells().filter(|c| !c.is_empty()).count();
        let is_number = filled > 0 && numbers.iter().flatten().count() == filled;
        let name = grid.columns.get(i).cloned().unwrap_or_default();
        let is_named = ["year", "年", "jahr", "month", "月", "monat", "date", "日期"];
        let is_year = is_number
            && numbers.iter().flatten().all(|n| n.fract() == 0.0 && (1500.0..2200.0).contains(n))
            && cells().all(|c| c.len() <= 4);
        let lower = name.to_lowercase();
        let is_time = filled > 0
            && (is_year && is_named.iter().any(|w| lower.contains(w))
                || cells().all(|c| c.is_empty() || is_moment(c)));
        Column { name, numbers, is_number, is_time }
    }

    fn is_measure(&self) -> bool {
        self.is_number && !self.is_time
    }
}

/// A number as results write it: `1200`, `-3.5`, `12.4 %`.
fn number(cell: &str) -> Option<f64> {
    let plain = cell.trim_end_matches('%').trim().replace('−', "-");
    plain.parse::<f64>().ok().filter(|n| n.is_finite())
}

/// Whether a text is a day, a month or a quarter: `2023-05-01`, `2023-05`, `2023 Q2`, `Q2 2023`.
fn is_moment(cell: &str) -> bool {
    let day = cell.get(..10).unwrap_or(cell);
    let parts: Vec<&str> = day.split('-').collect();
    let is_digits = |p: &&str| !p.is_empty() && p.chars().all(|c| c.is_ascii_digit());
    let is_date = matches!(parts.len(), 2 | 3) && parts.iter().all(is_digits) && parts[0].len() == 4;
    let words: HashSet<&str> = cell.split([' ', '-']).collect();
    let has_quarter = ["Q1", "Q2", "Q3", "Q4"].iter().any(|q| words.contains(q));
    is_date || has_quarter && words.iter().any(|w| w.len() == 4 && w.parse::<u16>().is_ok())
}

/// The column that names the groups: one of time, else the first that is no measure, else the first.
fn label(columns: &[Column]) -> Option<usize> {
    let time = columns.iter().position(|c| c.is_time);
    let text = columns.iter().position(|c| !c.is_number);
    time.or(text).or_else(|| columns.first().map(|_| 0))
}

/// Measures by one group; those that would be lost on the scale of the first are left out.
fn plain(grid: &Grid, columns: &[Column], label: usize, measures: &[usize]) -> Chart {
    let most = |i: usize| columns[i].numbers.iter().flatten().fold(0.0_f64, |m, n| m.max(n.abs()));
    let first = measures.first().map_or(0.0, |&i| most(i));
    let fits = |i: &&usize| {
        let own = most(**i);
        own >= first * COMPARABLE && first >= own * COMPARABLE
    };
    let series = measures.iter().filter(fits).take(SERIES);
    let series = series
        .map(|&i| Series { name: columns[i].name.clone(), values: columns[i].numbers.clone() })
        .collect();
    let labels = grid.rows.iter().map(|row| row.get(label).cloned().unwrap_or_default()).collect();
    Chart {
        shape: Shape::Bar,
        axis: columns[label].name.clone(),
        labels,
        series,
        left_out: 0,
        tongue: Tongue::En,
    }
}

/// One measure by two groups: a series for each value of the second.
fn pivot(grid: &Grid, columns: &[Column], label: usize, other: usize, measure: usize) -> Option<Chart> {
    let cell = |row: &Vec<String>, i: usize| row.get(i).cloned().unwrap_or_default();
    let distinct = |i: usize| {
        let mut seen = HashSet::new();
        grid.rows.iter().map(|row| cell(row, i)).filter(|c| seen.insert(c.clone())).collect::<Vec<_>>()
    };
    let (label, other) = match columns[label].is_time || distinct(other).len() <= SERIES {
        true => (label, other),
        false => (other, label),
    };
    let (mut labels, names) = (distinct(label), distinct(other));
    if names.len() > SERIES || columns.len() > 3 {
        return None;
    }
    if columns[label].is_time {
        labels.sort();
    }
    let value = |l: &String, n: &String| {
        let at = grid.rows.iter().position(|row| cell(row, label) == *l && cell(row, other) == *n)?;
        columns[measure].numbers.get(at).copied().flatten()
    };
    let series = names
        .iter()
        .map(|n| Series { name: n.clone(), values: labels.iter().map(|l| value(l, n)).collect() });
    let series = series.collect();
    Some(Chart {
        shape: Shape::Bar,
        axis: columns[label].name.clone(),
        labels,
        series,
        left_out: 0,
        tongue: Tongue::En,
    })
}

/// What is too much for a picture is left out at its end.
fn cut(mut chart: Chart) -> Chart {
    let most = match chart.shape {
        Shape::Bar => (BARS / chart.series.len().max(1)).max(8),
        Shape::Line => POINTS,
    };
    chart.left_out = chart.labels.len().saturating_sub(most);
    chart.labels.truncate(most);
    chart.series.iter_mut().for_each(|s| s.values.truncate(most));
    chart
}

impl Chart {
    /// As an SVG picture of the usual width.
    pub fn svg(&self, title: &str, theme: Theme) -> String {
        self.svg_of(title, theme, WIDTH)
    }

    /// As an SVG picture that is so many pixels wide.
    pub fn svg_of(&self, title: &str, theme: Theme, wide: u32) -> String {
        svg::draw(self, title, theme, f64::from(wide.clamp(240, 2000)))
    }

    /// For a terminal of so many columns.
    pub fn text(&self, width: usize) -> String {
        terminal::draw(self, width)
    }

    /// The smallest and the largest value, with zero where bars begin.
    fn range(&self) -> (f64, f64) {
        let values = self.series.iter().flat_map(|s| s.values.iter().flatten().copied());
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if !low.is_finite() {
            return (0.0, 1.0);
        }
        // A line whose values lie close together far from zero would be flat; bars lie if they do not begin at it.
        let near = self.shape == Shape::Line && low > 0.0 && high - low < high * 0.5;
        let (low, high) = if near { (low, high) } else { (low.min(0.0), high.max(0.0)) };
        if low == high { (low, low + 1.0) } else { (low, high) }
    }
}

/// Round numbers that cover a range, four to seven of them.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let unit = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 2.5, 5.0, 10.0].iter().map(|m| m * unit).find(|s| *s >= rough).unwrap_or(unit * 10.0);
    let (first, last) = ((low / step).floor() as i64, (high / step).ceil() as i64);
    (first..=last).map(|n| n as f64 * step).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn grid(columns: &[&str], rows: &[&[&str]]) -> Grid {
        let text = |list: &[&str]| list.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>();
        Grid { columns: text(columns), rows: rows.iter().map(|r| text(r)).collect(), ..Grid::default() }
    }

    #[test]
    fn groups_are_bars_and_time_is_a_line() {
        let groups = grid(&["carrier", "freight"], &[&["DHL", "20"], &["UPS", "30"], &["DPD", ""]]);
        let chart = of(&groups, None).unwrap();
        assert_eq!((chart.shape, chart.axis.as_str()), (Shape::Bar, "carrier"));
        assert_eq!(chart.series[0].values, [Some(20.0), Some(30.0), None]);
        for time in [["2023-01", "2023-02", "2023-03"], ["Q1 2023", "Q2 2023", "Q3 2023"]] {
            let rows: Vec<[&str; 2]> = time.iter().map(|t| [*t, "5"]).collect();
            let rows: Vec<&[&str]> = rows.iter().map(|r| r.as_slice()).collect();
            assert_eq!(of(&grid(&["month", "n"], &rows), None).unwrap().shape, Shape::Line, "{time:?}");
        }
        let years = grid(&["year", "sum"], &[&["2021", "4"], &["2022", "5"], &["2023", "9"]]);
        assert_eq!(of(&years, None).unwrap().shape, Shape::Line);
        assert_eq!(shapes(&years), [Shape::Line, Shape::Bar]);
    }

    #[test]
    fn nothing_is_drawn_where_nothing_is_compared() {
        assert!(of(&grid(&["n"], &[&["1"], &["2"]]), None).is_none());
        assert!(of(&grid(&["a", "n"], &[&["x", "1"]]), None).is_none());
        assert!(of(&grid(&["a", "b"], &[&["x", "y"], &["z", "w"]]), None).is_none());
        assert!(shapes(&Grid::default()).is_empty());
    }

    #[test]
    fn measures_share_a_scale_or_the_first_stands_alone() {
        let near = grid(&["city", "in", "out"], &[&["a", "5", "6"], &["b", "7", "8"]]);
        assert_eq!(of(&near, None).unwrap().series.len(), 2);
        let far = grid(&["city", "orders", "revenue"], &[&["a", "5", "90000"], &["b", "7", "80000"]]);
        let chart = of(&far, None).unwrap();
        assert_eq!(chart.series.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["orders"]);
    }

    #[test]
    fn two_groups_make_a_series_each() {
        let rows: &[&[&str]] = &[
            &["N", "2022", "1"],
            &["N", "2021", "2"],
            &["S", "2021", "3"],
            &["S", "2022", "4"],
            &["N", "2023", "6"],
        ];
        let chart = of(&grid(&["region", "year", "sum"], rows), None).unwrap();
        assert_eq!((chart.shape, chart.labels.join(" ").as_str()), (Shape::Line, "2021 2022 2023"));
        assert_eq!(chart.series[1].values, [Some(3.0), Some(4.0), None]);
    }

    #[test]
    fn what_is_too_much_is_left_out_and_counted() {
        let rows: Vec<Vec<String>> = (0..100).map(|n| vec![format!("g{n}"), n.to_string()]).collect();
        let many = Grid { columns: vec!["g".into(), "n".into()], rows, ..Grid::default() };
        let chart = of(&many, None).unwrap();
        assert_eq!((chart.labels.len(), chart.left_out), (30, 70));
        assert!(chart.svg("", Theme::Light).contains("… + 70"));
    }

    #[test]
    fn ticks_are_round_and_cover_the_range() {
        assert_eq!(ticks(0.0, 93.0), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks(-3.0, 7.0).first(), Some(&-4.0));
    }
}
