//! Conditions as expressions of Milvus.
//!
//! The fields of a document are one flat JSON object. A value that is a number is there twice, as a number
//! under `n` and the field's name and as text under `s` and the name; any other value is there once, as text
//! under `t` and the name. So each way of comparing two values is a look at one key, and no condition asks
//! whether a key is there.

use super::names;
use serde_json::{Map, Value, json};
use tabletalk_core::seam::store::{Allow, Facet, Facets, Filter, Test};
use tabletalk_core::{Error, Result};

/// Milvus keeps no more bytes in a JSON field.
const LONGEST_FACETS: usize = 65_536;
/// So many ranges are still quicker than a list of keys.
const MOST_RANGES: usize = 64;
/// An expression that nothing passes: keys are not so small.
pub(super) const NOTHING: &str = "key < -1";
/// The least key that there can be.
pub(super) const LEAST_KEY: i64 = -1;

/// The fields of a document as they are kept.
pub(super) fn object(document: i64, facets: &Facets) -> Result<Vec<u8>> {
    let mut object = Map::new();
    for (field, facet) in facets {
        let (field, text) = (names::name(field), names::value(&facet.text));
        match facet.number {
            Some(number) => {
                object.insert(format!("n{field}"), json!(finite(number)));
                object.insert(format!("s{field}"), Value::String(text));
            }
            None => {
                object.insert(format!("t{field}"), Value::String(text));
            }
        }
    }
    let bytes = serde_json::to_vec(&object)?;
    match bytes.len() <= LONGEST_FACETS {
        true => Ok(bytes),
        false => Err(Error::input(format!("document {document} has {} bytes of fields", bytes.len()))
            .hint(format!("milvus keeps no more than {LONGEST_FACETS}; leave some out"))),
    }
}

/// What passes, as an expression; empty when everything does.
pub(super) fn expression(allow: &Allow) -> String {
    let mut all: Vec<String> = allow.filters.iter().map(condition).collect();
    all.extend(allow.documents.as_deref().map(documents));
    all.join(" and ")
}

/// That two expressions hold; the first may be empty.
pub(super) fn both(one: &str, other: &str) -> String {
    if one.is_empty() { other.to_owned() } else { format!("{one} and {other}") }
}

/// That a document is one of these: as ranges where they are few, else as a list.
pub(super) fn documents(keys: &[i64]) -> String {
    match ranges(keys) {
        Some(ranges) if ranges.is_empty() => NOTHING.to_owned(),
        Some(ranges) => any(ranges.iter().map(|(least, most)| match least == most {
            true => format!("document == {least}"),
            false => format!("{least} <= document <= {most}"),
        })),
        None => format!("document in [{}]", list(keys)),
    }
}

/// Keys as runs of neighbours, when there are few of these.
pub(super) fn ranges(keys: &[i64]) -> Option<Vec<(i64, i64)>> {
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for key in sorted {
        match runs.last_mut() {
            Some((_, most)) if key <= most.saturating_add(1) => *most = key,
            _ => runs.push((key, key)),
        }
        if runs.len() > MOST_RANGES {
            return None;
        }
    }
    Some(runs)
}

/// Numbers with commas between them.
pub(super) fn list(keys: &[i64]) -> String {
    keys.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

fn condition(filter: &Filter) -> String {
    let field = names::name(&filter.field);
    match &filter.test {
        Test::Is(values) => is(&field, &values.iter().map(|v| Facet::of(v)).collect::<Vec<_>>()),
        Test::From(least) => bound(&field, ">=", &Facet::of(least)),
        Test::To(most) => bound(&field, "<=", &Facet::of(most)),
    }
}

/// Numbers are compared with numbers, and the texts of all others with one another.
fn is(field: &str, values: &[Facet]) -> String {
    let numbers: Vec<String> = values.iter().filter_map(|v| v.number).map(number).collect();
    let texts: Vec<String> = values.iter().map(text).collect();
    let against_numbers: Vec<String> =
        values.iter().filter(|v| v.number.is_none() && may_be_number(&v.text)).map(text).collect();
    let looks = [('n', numbers), ('s', against_numbers), ('t', texts)];
    match values.is_empty() {
        true => NOTHING.to_owned(),
        false => any(looks
            .iter()
            .filter(|(_, values)| !values.is_empty())
            .map(|(kind, values)| format!("facets[\"{kind}{field}\"] in [{}]", values.join(",")))),
    }
}

fn bound(field: &str, sign: &str, value: &Facet) -> String {
    let words = text(value);
    let first = match value.number {
        Some(found) => format!("facets[\"n{field}\"] {sign} {}", number(found)),
        None => format!("facets[\"s{field}\"] {sign} {words}"),
    };
    format!("({first} or facets[\"t{field}\"] {sign} {words})")
}

fn any(parts: impl Iterator<Item = String>) -> String {
    format!("({})", parts.collect::<Vec<_>>().join(" or "))
}

fn text(value: &Facet) -> String {
    format!("\"{}\"", names::value(&value.text))
}

/// Always with a point or an exponent, so that it is read as a floating number.
fn number(value: f64) -> String {
    format!("{:?}", finite(value))
}

fn finite(value: f64) -> f64 {
    value.clamp(f64::MIN, f64::MAX)
}

/// Whether a number, its letters made small, can read like this: there is no number without a digit.
fn may_be_number(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit() || b >= 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(filters: &[&str], documents: Option<Vec<i64>>) -> String {
        expression(&Allow { filters: filters.iter().map(|f| f.parse().unwrap()).collect(), documents })
    }

    #[test]
    fn compares_each_kind_with_its_like() {
        assert_eq!(of(&[], None), "");
        assert_eq!(of(&["file type=CSV|xlsx"], None), "(facets[\"tfile_20type\"] in [\"csv\",\"xlsx\"])");
        assert_eq!(
            of(&["year>=2020"], None),
            "(facets[\"nyear\"] >= 2020.0 or facets[\"tyear\"] >= \"2020\")"
        );
        assert_eq!(
            of(&["year=2020|v2"], None),
            "(facets[\"nyear\"] in [2020.0] or facets[\"syear\"] in [\"v2\"] \
             or facets[\"tyear\"] in [\"2020\",\"v2\"])"
        );
    }

    #[test]
    fn few_runs_are_ranges() {
        assert_eq!(documents(&[3, 1, 2, 9]), "(1 <= document <= 3 or document == 9)");
        assert_eq!(documents(&[]), NOTHING);
        let odd: Vec<i64> = (0..200).map(|n| n * 2 + 1).collect();
        assert!(documents(&odd).starts_with("document in [1,3,5"));
    }
}
