//! What is sent to Qdrant and what comes back.

use crate::facets::{Packing, Rule, Sign};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use tabletalk_core::Result;
use tabletalk_core::seam::remote::Metric;
use tabletalk_core::seam::store::{Near, Point};

/// Points on their way. They are written as text at once, without a tree in between: vectors are long.
#[derive(Serialize)]
pub(super) struct Put<'a> {
    points: Vec<Sent<'a>>,
}

#[derive(Serialize)]
struct Sent<'a> {
    id: u64,
    vector: &'a [f32],
    payload: Fields<'a>,
}

struct Fields<'a>(&'a Point, Packing);

impl<'a> Put<'a> {
    pub(super) fn of(points: &[&'a Point], packing: Packing) -> Self {
        let sent = |point: &&'a Point| Sent {
            id: point.key,
            vector: &point.vector,
            payload: Fields(point, packing),
        };
        Put { points: points.iter().map(sent).collect() }
    }
}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("d", &self.0.document)?;
        self.1.write(&self.0.facets, &mut map)?;
        map.end()
    }
}

/// How many bytes a point takes, about.
pub(super) fn size(point: &Point) -> usize {
    let facets: usize =
        point.facets.iter().map(|(field, facet)| 6 * field.len() + facet.text.len() + 100).sum();
    point.vector.len() * 13 + facets + 50
}

/// What is looked for.
#[derive(Serialize)]
pub(super) struct Query {
    pub(super) query: Vec<f32>,
    pub(super) limit: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) filter: Option<Value>,
    pub(super) params: Value,
}

#[derive(Deserialize)]
pub(super) struct Answer<T> {
    pub(super) result: T,
}

#[derive(Deserialize)]
pub(super) struct Collection {
    pub(super) config: Config,
    pub(super) payload_schema: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
pub(super) struct Config {
    pub(super) params: Params,
    pub(super) metadata: Option<Metadata>,
}

#[derive(Deserialize)]
pub(super) struct Params {
    pub(super) vectors: VectorParams,
}

#[derive(Deserialize)]
pub(super) struct VectorParams {
    pub(super) size: usize,
    pub(super) distance: String,
}

#[derive(Deserialize)]
pub(super) struct Metadata {
    pub(super) model: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Collections {
    pub(super) collections: Vec<Name>,
}

#[derive(Deserialize)]
pub(super) struct Name {
    pub(super) name: String,
}

#[derive(Deserialize)]
pub(super) struct Hits {
    points: Vec<Hit>,
}

#[derive(Deserialize)]
struct Hit {
    id: u64,
    score: f32,
}

impl Hits {
    pub(super) fn near(self) -> Vec<Near> {
        self.points.into_iter().map(|hit| Near { key: hit.id, score: hit.score }).collect()
    }
}

pub(super) type Vectors = Vec<Fetched>;

#[derive(Deserialize)]
pub(super) struct Fetched {
    pub(super) id: u64,
    pub(super) vector: Vec<f32>,
}

#[derive(Deserialize)]
pub(super) struct Page {
    pub(super) points: Vec<Listed>,
    pub(super) next_page_offset: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Listed {
    pub(super) id: u64,
    pub(super) payload: Payload,
}

#[derive(Deserialize)]
pub(super) struct Payload {
    /// The document.
    pub(super) d: Option<i64>,
    #[serde(flatten)]
    other: HashMap<String, Value>,
}

impl Payload {
    pub(super) fn text(&self, key: &str) -> Option<String> {
        self.other.get(key)?.as_str().map(str::to_owned)
    }
}

#[derive(Deserialize)]
pub(super) struct Count {
    pub(super) count: u64,
}

#[derive(Deserialize)]
pub(super) struct Texts {
    pub(super) hits: Vec<Text>,
}

#[derive(Deserialize)]
pub(super) struct Text {
    pub(super) value: String,
}

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
