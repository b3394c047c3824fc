//! Which documents may be found, said in SQL.
//!
//! The fields of a document are kept as JSON: `{"year": {"n": 2024, "s": "2024"}}`. All filters together
//! become one JSON path, which PostgreSQL compares with it: numbers as numbers, text by its code points.

use super::text::pack;
use serde_json::{Map, Number, Value};
use tabletalk_core::seam::store::{Allow, Facet, Facets, Filter, Test};
use tabletalk_core::{Error, Result};

/// Up to so many documents an index is asked for each; more are looked up in a table that is made of them.
pub(super) const FEW_DOCUMENTS: usize = 1000;

/// The condition that a column is one of `many` documents, which are the value at a place.
pub(super) fn documents(column: &str, place: &str, many: usize) -> String {
    match many <= FEW_DOCUMENTS {
        true => format!("AND {column} = ANY({place})"),
        false => format!("AND ({column} IN (SELECT unnest({place}))) IS TRUE"),
    }
}

/// The fields of a document as JSON. Of two with one name the first counts.
pub(super) fn json(facets: &Facets) -> String {
    let mut all = Map::new();
    for (name, facet) in facets {
        let name = pack(name).into_owned();
        if !all.contains_key(&name) {
            all.insert(name, value(facet));
        }
    }
    Value::Object(all).to_string()
}

fn value(facet: &Facet) -> Value {
    let mut parts = Map::new();
    if let Some(n) = number(facet) {
        parts.insert("n".into(), Value::Number(n));
    }
    parts.insert("s".into(), Value::String(pack(&facet.text).into_owned()));
    Value::Object(parts)
}

/// The number of a facet; JSON has none that are not finite.
fn number(facet: &Facet) -> Option<Number> {
    Number::from_f64(facet.number?.clamp(f64::MIN, f64::MAX))
}

/// The part of an [`Allow`] that is about fields, as a JSON path; `None` when there are no filters.
pub(super) fn path(allow: &Allow) -> Result<Option<String>> {
    let all: Result<Vec<String>> = allow.filters.iter().map(one).collect();
    let all = all?;
    Ok((!all.is_empty()).then(|| all.join(" && ")))
}

/// A filter: the field is there and one of its tests holds.
fn one(filter: &Filter) -> Result<String> {
    let tests: Result<Vec<String>> = match &filter.test {
        Test::Is(values) => values.iter().map(|v| compared(v, "==")).collect(),
        Test::From(least) => Ok(vec![compared(least, ">=")?]),
        Test::To(most) => Ok(vec![compared(most, "<=")?]),
    };
    let tests = tests?;
    Ok(match tests.is_empty() {
        true => "1 == 0".into(),
        false => format!("exists($.{} ? ({}))", quoted(&filter.field)?, any(&tests)),
    })
}

/// Compares a field with a value: as numbers if both are, else as text.
fn compared(value: &str, sign: &str) -> Result<String> {
    let facet = Facet::of(value);
    let text = format!("@.s {sign} {}", quoted(&facet.text)?);
    Ok(match number(&facet) {
        Some(n) => format!("(@.n {sign} {n} || (!exists(@.n) && {text}))"),
        None => text,
    })
}

/// One of these, however many: nested in halves, because PostgreSQL limits how deep a path may go.
fn any(tests: &[String]) -> String {
    match tests {
        [] => String::new(),
        [one] => one.clone(),
        more => {
            let (left, right) = more.split_at(more.len() / 2);
            format!("({} || {})", any(left), any(right))
        }
    }
}

fn quoted(text: &str) -> Result<String> {
    serde_json::to_string(&pack(text)).map_err(Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_become_a_path() {
        let filters = ["year>=2020", "type=csv|PDF|x"].map(|f| f.parse().unwrap()).to_vec();
        let path = path(&Allow { filters, documents: None }).unwrap().unwrap();
        let year = r#"exists($."year" ? ((@.n >= 2020.0 || (!exists(@.n) && @.s >= "2020"))))"#;
        let kind = r#"exists($."type" ? ((@.s == "csv" || (@.s == "pdf" || @.s == "x"))))"#;
        assert_eq!(path, format!("{year} && {kind}"));
    }

    #[test]
    fn fields_become_json() {
        let facets = vec![
            ("a\"b".into(), Facet::of("1,000")),
            ("c".into(), Facet::of("X\0")),
            ("c".into(), Facet::of("y")),
        ];
        assert_eq!(json(&facets), r#"{"a\"b":{"n":1000.0,"s":"1,000"},"c":{"s":"x\u0001\u0001"}}"#);
    }
}
