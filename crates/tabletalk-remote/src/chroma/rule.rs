//! Rules and metrics in the words of Chroma.

use crate::facets::{Rule, Sign};
use serde_json::{Value, json};
use tabletalk_core::seam::remote::Metric;
use tabletalk_core::seam::store::{Filter, Test};

/// Values of a field in one condition.
const VALUES: usize = 2_000;

/// The name of a metric.
pub(super) fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::Cosine => "cosine",
        Metric::Dot => "ip",
    }
}

/// Filters of which one holds when these do: where a field may be one of very many values, each has a part of them.
pub(super) fn spread(filters: &[Filter]) -> Vec<Vec<Filter>> {
    let mut all = vec![filters.to_vec()];
    for (at, filter) in filters.iter().enumerate() {
        let Test::Is(values) = &filter.test else { continue };
        if values.len() <= VALUES {
            continue;
        }
        let with = |filters: &Vec<Filter>, part: &[String]| {
            let mut filters = filters.clone();
            filters[at].test = Test::Is(part.to_vec());
            filters
        };
        all = all
            .iter()
            .flat_map(|filters| values.chunks(VALUES).map(move |part| with(filters, part)))
            .collect();
    }
    all
}

/// The rule that the key of a point compares so.
pub(super) fn key_is(sign: Sign, key: i64) -> Rule {
    Rule::Compare("k".into(), sign, key.into())
}

/// A rule as a condition.
pub(super) fn filter(rule: &Rule) -> Value {
    let all = |rules: &[Rule]| rules.iter().map(filter).collect::<Vec<_>>();
    match rule {
        Rule::All(rules) => json!({ "$and": all(rules) }),
        Rule::Any(rules) => json!({ "$or": all(rules) }),
        Rule::Is(key, values) => json!({ key: { "$in": values } }),
        Rule::Compare(key, sign, value) => {
            let sign = match sign {
                Sign::Less => "$lt",
                Sign::AtMost => "$lte",
                Sign::Equal => "$eq",
                Sign::AtLeast => "$gte",
                Sign::Greater => "$gt",
            };
            json!({ key: { sign: value } })
        }
    }
}
