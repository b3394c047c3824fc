//! Charts as the table of numbers they are drawn from, and diagrams as the list of their texts.

use super::xml::Node;
use crate::builder::{SpanCell, TableBuilder};
use std::collections::BTreeMap;

/// No chart shows more points than this.
const MAX_POINTS: u32 = 100_000;
/// No chart shows more series than this.
const MAX_SERIES: usize = 1000;

/// Names a chart that has no title by its description.
pub(super) fn name(builder: &mut TableBuilder, names: &[String]) {
    if builder.title.is_empty() {
        let name = names.iter().map(|n| super::draft::tidy(n)).find(|n| !super::draft::is_given(n));
        builder.title = name.unwrap_or_default();
    }
}

/// The numbers a chart keeps of its source, as a table: one row a category, one column a series.
pub(super) fn read(root: &Node) -> Option<TableBuilder> {
    let chart = root.find("chart")?;
    let area = chart.child("plotArea")?;
    let series: Vec<&Node> = area.walk().filter(|n| n.is("ser")).take(MAX_SERIES).collect();
    let mut builder = TableBuilder::new(1);
    let mut rows: BTreeMap<u32, String> = BTreeMap::new();
    for name in ["cat", "xVal"] {
        for node in series.iter().filter_map(|s| s.child(name)) {
            for (at, text) in points(node) {
                rows.entry(at).or_insert(text);
            }
        }
    }
    let axis = area.nodes().find(|n| matches!(n.name(), "catAx" | "dateAx")).and_then(title);
    spot(&mut builder, 1, 1, axis.unwrap_or_default());
    for (col, one) in (2..).zip(&series) {
        spot(&mut builder, 1, col, name_of(one).unwrap_or_else(|| format!("Series {}", col - 1)));
        let values = ["val", "yVal"].iter().find_map(|name| one.child(name));
        for (at, text) in values.map(points).unwrap_or_default() {
            rows.entry(at).or_insert_with(|| (at + 1).to_string());
            spot(&mut builder, at + 2, col, text);
        }
    }
    for (at, text) in rows {
        spot(&mut builder, at + 2, 1, text);
    }
    builder.title = title(chart).unwrap_or_default();
    (builder.len() > 2).then_some(builder)
}

fn spot(builder: &mut TableBuilder, row: u32, col: u32, text: String) {
    builder.push(SpanCell { row, col, text, ..SpanCell::default() });
}

/// The title of a chart or an axis: its paragraphs, or what it is taken from.
fn title(node: &Node) -> Option<String> {
    let text = node.child("title")?.child("tx")?;
    let parts = text.walk().filter(|n| n.is("t") || n.is("v")).map(Node::text);
    let text = super::draft::tidy(&parts.collect::<String>());
    (!text.is_empty()).then_some(text)
}

fn name_of(series: &Node) -> Option<String> {
    let values = series.child("tx")?.walk().filter(|n| n.is("v")).map(Node::text);
    let name = values.collect::<Vec<_>>().join(" ");
    (!name.trim().is_empty()).then(|| name.trim().to_owned())
}

/// The points of a series or of its categories, by their position. Categories of several levels are joined.
fn points(node: &Node) -> BTreeMap<u32, String> {
    let mut out: BTreeMap<u32, String> = BTreeMap::new();
    let levels: Vec<&Node> = node.walk().filter(|n| n.is("lvl")).collect();
    if levels.is_empty() {
        let is_date = node.find("formatCode").is_some_and(|f| is_date(&f.text()));
        for (at, text) in level(node) {
            let day = if is_date { day(&text) } else { None };
            out.insert(at, day.unwrap_or(text));
        }
        return out;
    }
    // The levels come from the inside out; an outer one holds until the next.
    let levels: Vec<BTreeMap<u32, String>> = levels.into_iter().take(8).map(level).collect();
    for at in levels.first().into_iter().flat_map(BTreeMap::keys) {
        let names = levels.iter().rev().filter_map(|l| l.range(..=at).next_back().map(|(_, t)| t.clone()));
        out.insert(*at, names.collect::<Vec<_>>().join(" / "));
    }
    out
}

fn level(node: &Node) -> BTreeMap<u32, String> {
    let point = |n: &Node| {
        let at = n.attr("idx")?.parse().ok().filter(|at| *at < MAX_POINTS)?;
        Some((at, short(n.child("v")?.text().trim())))
    };
    node.walk().filter(|n| n.is("pt")).filter_map(point).collect()
}

/// A number as it was typed: charts keep `4.4` as `4.4000000000000004`.
fn short(text: &str) -> String {
    let number = text.parse::<f64>().ok().filter(|n| text.len() > 15 && n.is_finite());
    let rounded = number.and_then(|n| format!("{n:.14e}").parse::<f64>().ok());
    rounded.map_or_else(|| text.to_owned(), |n| n.to_string())
}

fn is_date(format: &str) -> bool {
    let format = format.to_lowercase();
    format != "general" && format.contains('y') && (format.contains('m') || format.contains('d'))
}

/// The day of a number as spreadsheets count days.
fn day(number: &str) -> Option<String> {
    let days = number.parse::<f64>().ok().filter(|n| n.fract() == 0.0 && (1.0..2_958_466.0).contains(n))?;
    let start = jiff::civil::date(1899, 12, 30);
    start.checked_add(jiff::Span::new().try_days(days as i64).ok()?).ok().map(|d| d.to_string())
}

/// The texts of a diagram, in the order they are kept.
pub(super) fn diagram(root: &Node) -> Vec<String> {
    let points = root
        .walk()
        .filter(|n| n.is("pt") && !matches!(n.attr("type"), Some("pres" | "parTrans" | "sibTrans")));
    let texts = points.map(|p| {
        let paragraphs = p.walk().filter(|n| n.is("p"));
        let lines = paragraphs.map(|p| p.walk().filter(|n| n.is("t")).map(Node::text).collect::<String>());
        super::draft::tidy(&lines.collect::<Vec<_>>().join("\n"))
    });
    texts.filter(|t| !t.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::office::xml;
    use tabletalk_core::{Place, seam::Limits};

    #[test]
    fn reads_the_numbers_of_a_chart() {
        let xml = "<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title>
            <c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>2023</c:v></c:pt></c:strCache></c:strRef></c:tx>
            <c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>Oslo</c:v></c:pt><c:pt idx='1'><c:v>Paris</c:v></c:pt></c:strCache></c:strRef></c:cat>
            <c:val><c:numRef><c:numCache><c:formatCode>General</c:formatCode><c:pt idx='0'><c:v>12</c:v></c:pt><c:pt idx='1'><c:v>15</c:v></c:pt></c:numCache></c:numRef></c:val>
            </c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>";
        let chart = read(&xml::parse(xml.as_bytes()).unwrap().root).unwrap();
        assert_eq!(chart.title, "Sales");
        let table = chart.build(&Place::file("a"), &Limits::default()).unwrap();
        assert_eq!(table.columns.len(), 2);
        assert_eq!(table.columns[1].name, "2023");
    }

    #[test]
    fn knows_days_and_short_numbers() {
        assert_eq!(day("44197").as_deref(), Some("2021-01-01"));
        assert_eq!((short("4.4000000000000004"), short("12")), ("4.4".into(), "12".into()));
        assert!(is_date("m/d/yyyy") && !is_date("General") && !is_date("#,##0"));
    }
}
