//! Fields of documents and conditions on them.
//!
//! A field is kept as a term `name␟text`, so that names may be of any kind and their number does not matter. Numbers are
//! kept in a form whose order as text is their order as numbers. There are three lists: `facets` has the text of every
//! value, `facets_number` the numbers, and `facets_text` the text of those that are no numbers, because a number is
//! compared with those as text.

use super::names::cut;
use serde_json::{Map, Value, json};
use tabletalk_core::seam::store::{Allow, Facet, Facets, Filter, Test};

/// Between the name of a field and its value.
const BETWEEN: char = '\u{1f}';
/// The character that follows [`BETWEEN`]: the end of a range over all values of a field.
const END: char = '\u{20}';
/// The most values in one query.
const MOST_VALUES: usize = 65_536;

/// How the fields of documents are indexed.
pub(super) fn mapping() -> Map<String, Value> {
    let keyword = json!({"type": "keyword", "doc_values": false});
    ["facets", "facets_text", "facets_number"]
        .map(|name| (name.to_owned(), keyword.clone()))
        .into_iter()
        .collect()
}

/// Puts the fields of a document into what is indexed.
pub(super) fn write(body: &mut Map<String, Value>, facets: &Facets) {
    let all: Vec<String> = facets.iter().map(|(name, facet)| term(name, &facet.text)).collect();
    let of_text = facets.iter().filter(|(_, facet)| facet.number.is_none());
    let texts: Vec<String> = of_text.map(|(name, facet)| term(name, &facet.text)).collect();
    let numbers: Vec<String> =
        facets.iter().filter_map(|(name, facet)| Some(term(name, &ordered(facet.number?)))).collect();
    body.insert("facets".into(), json!(all));
    body.insert("facets_text".into(), json!(texts));
    body.insert("facets_number".into(), json!(numbers));
}

/// The queries that must all match what is allowed.
pub(super) fn allowed(allow: &Allow) -> Vec<Value> {
    let mut queries: Vec<Value> = allow.filters.iter().map(passes).collect();
    queries.extend(allow.documents.as_deref().map(|documents| among("document", documents)));
    queries
}

/// Matches where a field has one of these values.
pub(super) fn among<T: serde::Serialize>(field: &str, values: &[T]) -> Value {
    any_of(values.chunks(MOST_VALUES).map(|some| json!({"terms": {field: some}})).collect())
}

/// Matches where any of the queries does: nothing when there is none.
pub(super) fn any_of(mut queries: Vec<Value>) -> Value {
    match (queries.pop(), queries.is_empty()) {
        (None, _) => json!({"match_none": {}}),
        (Some(only), true) => only,
        (Some(last), false) => {
            queries.push(last);
            json!({"bool": {"should": queries}})
        }
    }
}

fn passes(filter: &Filter) -> Value {
    let name = filter.field.as_str();
    match &filter.test {
        Test::Is(values) => is(name, values),
        Test::From(least) => beyond(name, "gte", least),
        Test::To(most) => beyond(name, "lte", most),
    }
}

fn is(name: &str, values: &[String]) -> Value {
    let (mut all, mut texts, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for facet in values.iter().map(|value| Facet::of(value)) {
        let text = term(name, &facet.text);
        match facet.number {
            Some(number) => {
                numbers.push(term(name, &ordered(number)));
                texts.push(text);
            }
            None => all.push(text),
        }
    }
    let lists = [("facets", all), ("facets_text", texts), ("facets_number", numbers)];
    any_of(
        lists.iter().filter(|(_, list)| !list.is_empty()).map(|(field, list)| among(field, list)).collect(),
    )
}

/// Numbers beyond a limit, and what is no number beyond it as text. The side is `gte` or `lte`.
fn beyond(name: &str, side: &str, limit: &str) -> Value {
    let range = |field: &str, value: &str| {
        let value = term(name, value);
        let ends = match side {
            "gte" => json!({"gte": value, "lt": format!("{}{END}", plain(name))}),
            _ => json!({"gte": term(name, ""), "lte": value}),
        };
        json!({"range": {field: ends}})
    };
    let limit = Facet::of(limit);
    match limit.number {
        Some(number) => {
            any_of(vec![range("facets_number", &ordered(number)), range("facets_text", &limit.text)])
        }
        None => range("facets", &limit.text),
    }
}

fn term(name: &str, value: &str) -> String {
    cut(&format!("{}{BETWEEN}{value}", plain(name))).to_owned()
}

/// The name without the characters that have a meaning here.
fn plain(name: &str) -> String {
    name.replace('\u{1e}', "\u{1e}1").replace(BETWEEN, "\u{1e}2")
}

/// A number as text whose order is that of the number.
fn ordered(number: f64) -> String {
    let bits = number.to_bits();
    let flipped = if number.is_sign_negative() { !bits } else { bits | 1 << 63 };
    format!("{flipped:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_order() {
        let numbers = [f64::NEG_INFINITY, -1e9, -2.5, -0.0, 0.0, 1e-9, 3.0, 20.0, 1e300];
        assert!(numbers.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
    }

    #[test]
    fn names_do_not_run_into_values() {
        assert_ne!(term("a\u{1f}b", "c"), term("a", "b\u{1f}c"));
        assert_ne!(term("a\u{1e}2", ""), term("a\u{1f}", ""));
    }
}
