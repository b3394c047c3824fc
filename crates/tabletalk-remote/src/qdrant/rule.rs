//! Rules, keys and metrics in the words of Qdrant.

use crate::facets::{Rule, Sign};
use serde_json::{Value, json};
use tabletalk_core::seam::remote::Metric;

/// The name of a metric.
pub(super) fn distance(metric: Metric) -> &'static str {
    match metric {
        Metric::Cosine => "Cosine",
        Metric::Dot => "Dot",
    }
}

/// The path of a key: in quotation marks it is one step.
pub(super) fn path_of(key: &str) -> String {
    if key == "d" { key.into() } else { format!("\"{key}\"") }
}

/// What kind of index a key needs.
pub(super) fn kind_of(key: &str) -> &'static str {
    match key.split(':').next() {
        Some("n") => "float",
        Some("t" | "u") => "keyword",
        _ => "integer",
    }
}

/// A rule as a condition.
pub(super) fn filter(rule: &Rule) -> Value {
    match rule {
        Rule::All(rules) => json!({ "must": rules.iter().map(filter).collect::<Vec<_>>() }),
        Rule::Any(rules) => json!({ "should": rules.iter().map(filter).collect::<Vec<_>>() }),
        Rule::Is(key, values) if values.iter().any(Value::is_f64) => {
            let equal = |value: &Value| Rule::Compare(key.clone(), Sign::Equal, value.clone());
            filter(&Rule::Any(values.iter().map(equal).collect()))
        }
        Rule::Is(key, values) => json!({ "key": path_of(key), "match": { "any": values } }),
        Rule::Compare(key, sign, value) => {
            let range = match sign {
                Sign::Less => json!({ "lt": value }),
                Sign::AtMost => json!({ "lte": value }),
                Sign::Equal => json!({ "gte": value, "lte": value }),
                Sign::AtLeast => json!({ "gte": value }),
                Sign::Greater => json!({ "gt": value }),
            };
            json!({ "key": path_of(key), "range": range })
        }
    }
}
