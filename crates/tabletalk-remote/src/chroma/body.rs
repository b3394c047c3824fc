//! What is sent to Chroma and what comes back.

use crate::facets::{Packing, Rule, Sign};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use tabletalk_core::seam::remote::Metric;
use tabletalk_core::seam::store::{Filter, Near, Point, Test};
use tabletalk_core::{Error, Result};

/// Points on their way. Vectors are the bytes of their numbers, as text.
#[derive(Serialize)]
pub(super) struct Upsert<'a> {
    ids: Vec<String>,
    embeddings: Vec<String>,
    metadatas: Vec<Metadata<'a>>,
}

/// What stands at a point.
#[derive(Serialize)]
#[serde(untagged)]
enum Metadata<'a> {
    New(Fields<'a>),
    /// With null under what was there and is no longer.
    Replaced(Map<String, Value>),
}

struct Fields<'a>(&'a Point, Packing);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("k", &self.0.key)?;
        map.serialize_entry("d", &self.0.document)?;
        self.1.write(&self.0.facets, &mut map)?;
        map.end()
    }
}

impl<'a> Upsert<'a> {
    /// Points with these ids, some of which may be there already.
    pub(super) fn of(ids: Vec<String>, points: &[&'a Point], old: Got, packing: Packing) -> Result<Self> {
        let mut old: HashMap<String, Map<String, Value>> = old
            .ids
            .into_iter()
            .zip(old.metadatas.unwrap_or_default())
            .map(|(id, m)| (id, m.unwrap_or_default()))
            .collect();
        let mut metadatas = Vec::with_capacity(points.len());
        for (id, point) in ids.iter().zip(points) {
            let fields = Fields(point, packing);
            metadatas.push(match old.remove(id) {
                Some(was) => Metadata::Replaced(replaced(was, &fields)?),
                None => Metadata::New(fields),
            });
        }
        let bytes = |point: &&Point| {
            STANDARD.encode(point.vector.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())
        };
        Ok(Upsert { ids, embeddings: points.iter().map(bytes).collect(), metadatas })
    }
}

fn replaced(mut was: Map<String, Value>, fields: &Fields<'_>) -> Result<Map<String, Value>> {
    was.values_mut().for_each(|value| *value = Value::Null);
    if let Value::Object(fields) = serde_json::to_value(fields)? {
        was.extend(fields);
    }
    Ok(was)
}

/// How many bytes a point takes, about.
pub(super) fn size(point: &Point) -> usize {
    let facets: usize =
        point.facets.iter().map(|(field, facet)| 4 * field.len() + facet.text.len() + 70).sum();
    point.vector.len() * 16 / 3 + facets + 80
}

/// What is looked for.
#[derive(Serialize)]
pub(super) struct Query<'a> {
    pub(super) query_embeddings: [&'a [f32]; 1],
    pub(super) n_results: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) r#where: Option<Value>,
    pub(super) include: [&'static str; 1],
}

#[derive(Deserialize)]
pub(super) struct Limits {
    pub(super) max_batch_size: usize,
}

#[derive(Clone, Deserialize)]
pub(super) struct Collection {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) metadata: Option<Made>,
    #[serde(default)]
    pub(super) configuration_json: Configuration,
}

/// How a collection is searched.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Configuration {
    pub(super) hnsw: Option<Hnsw>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Hnsw {
    /// Vectors looked at.
    pub(super) ef_search: usize,
}

/// What a collection was made for.
#[derive(Clone, Default, Deserialize)]
pub(super) struct Made {
    pub(super) dim: Option<usize>,
    pub(super) metric: Option<String>,
    pub(super) model: Option<String>,
}

/// Points that were asked for.
#[derive(Default, Deserialize)]
pub(super) struct Got {
    pub(super) ids: Vec<String>,
    metadatas: Option<Vec<Option<Map<String, Value>>>>,
    embeddings: Option<Vec<Vec<f32>>>,
}

impl Got {
    pub(super) fn vectors(self) -> Result<Vec<(u64, Vec<f32>)>> {
        let vectors = self.embeddings.unwrap_or_default();
        self.ids.iter().zip(vectors).map(|(id, vector)| Ok((key_of(id)?, vector))).collect()
    }

    /// Keys and documents.
    pub(super) fn keys(&self) -> Result<Vec<(u64, i64)>> {
        let document = |at: usize| self.metadata(at).and_then(|m| m.get("d")).and_then(Value::as_i64);
        self.ids.iter().enumerate().map(|(at, id)| Ok((key_of(id)?, document(at).unwrap_or(0)))).collect()
    }

    /// The texts under a key.
    pub(super) fn texts(&self, key: &str) -> Vec<String> {
        let text = |at: usize| self.metadata(at)?.get(key)?.as_str().map(str::to_owned);
        (0..self.ids.len()).filter_map(text).collect()
    }

    fn metadata(&self, at: usize) -> Option<&Map<String, Value>> {
        self.metadatas.as_ref()?.get(at)?.as_ref()
    }
}

#[derive(Deserialize)]
pub(super) struct Hits {
    ids: Vec<Vec<String>>,
    distances: Option<Vec<Vec<Option<f32>>>>,
}

impl Hits {
    /// A distance is what the cosine lacks of 1.
    pub(super) fn near(self) -> Result<Vec<Near>> {
        let distances = self.distances.unwrap_or_default().into_iter().flatten();
        let pairs = self.ids.iter().flatten().zip(distances);
        pairs.map(|(id, far)| Ok(Near { key: key_of(id)?, score: 1.0 - far.unwrap_or(1.0) })).collect()
    }
}

fn key_of(id: &str) -> Result<u64> {
    id.parse().map_err(|_| {
        Error::upstream(format!("a collection of chroma holds `{id}`, which is no key"))
            .hint("it was written by another program: take another `prefix`")
    })
}

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
