//! Vectors in OpenSearch, with its k-NN plugin: one index for each space.
//!
//! The graph is Lucene's, which takes conditions into account while it is walked. Where the server's Lucene does not take
//! vectors of such a length (more than 1,024 numbers in OpenSearch 2.5), the graph is that of Faiss; there, vectors that
//! must meet conditions are all compared, and so are few vectors in either. Vectors have length 1, so the inner product
//! is the cosine, and both metrics of the settings give the same.

use super::bulk::Written;
use super::engine::{Engine, hits};
use super::filter::{self, allowed, among};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tabletalk_core::seam::remote::{Index, Settings};
use tabletalk_core::seam::store::{Allow, Near, Point, Space, VectorStore};
use tabletalk_core::{Error, Result};

/// The most neighbours that a graph is asked for; for more, all vectors are compared.
const MOST_NEIGHBOURS: usize = 10_000;
/// The most keys in one answer.
const PAGE: usize = 10_000;
/// The most vectors in one answer.
const VECTORS: usize = 500;

/// Vectors in OpenSearch.
pub struct OpenSearchVectors {
    engine: Engine,
    settings: Settings,
    known: Mutex<HashMap<Space, Note>>,
}

/// How vectors are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Graph {
    /// By comparing all.
    None,
    Lucene,
    Faiss,
}

/// What is noted about a space in its index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Note {
    embed: String,
    group: String,
    dim: usize,
    model: String,
    metric: String,
    graph: Graph,
}

impl OpenSearchVectors {
    /// For the server that the settings name. Nothing is sent yet.
    pub fn new(settings: &Settings) -> Result<Self> {
        let known = Mutex::new(HashMap::new());
        Ok(OpenSearchVectors { engine: Engine::new(settings)?, settings: settings.clone(), known })
    }

    fn index(&self, space: &Space) -> Result<String> {
        self.engine.index("vectors", &[&space.embed, &space.group])
    }

    /// The alias of all spaces.
    fn all(&self) -> String {
        format!("{}-vectors", self.engine.prefix)
    }

    /// What is noted about a space, if it is there.
    fn note(&self, space: &Space) -> Result<Option<Note>> {
        if let Some(note) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(space) {
            return Ok(Some(note.clone()));
        }
        let index = self.index(space)?;
        let Some(note) = self.engine.notes(&index)?.get(&index).map(Note::deserialize).transpose()? else {
            return Ok(None);
        };
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(space.clone(), note.clone());
        Ok(Some(note))
    }

    fn forget(&self, space: &Space) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(space);
    }

    /// Makes the index of a space with the best graph that the server has.
    fn make(&self, mut note: Note, space: &Space) -> Result<()> {
        let options = self.settings.index_of(&space.embed);
        let index = self.index(space)?;
        note.graph = if options.exact { Graph::None } else { Graph::Lucene };
        let made = self.engine.make(&index, &self.all(), index_body(&note, &options)?);
        match made {
            Err(error) if error.message().contains("Dimension value cannot be greater") => {
                note.graph = Graph::Faiss;
                self.engine.make(&index, &self.all(), index_body(&note, &options)?)
            }
            Err(error) if error.message().contains("knn") => {
                let text = format!("{} cannot keep vectors: {}", self.name(), error.message());
                Err(Error::input(text).hint("install the k-NN plugin of OpenSearch"))
            }
            made => made,
        }
    }

    /// That vectors of this length fit a space.
    fn check_length(&self, space: &Space, dim: usize, length: usize) -> Result<()> {
        if dim == length {
            return Ok(());
        }
        let text = format!("vectors under `{}` have {dim} numbers, not {length}", space.embed);
        Err(Error::input(text).hint("was the model changed? Embed anew"))
    }

    fn missing(&self, space: &Space) -> Error {
        let text = format!("{} has no space for `{}` of `{}`", self.name(), space.embed, space.group);
        Error::missing(text).hint("prepare it first")
    }
}

impl VectorStore for OpenSearchVectors {
    fn name(&self) -> String {
        self.engine.http.name()
    }

    fn prepare(&self, space: &Space, dim: usize, model: &str) -> Result<()> {
        let metric = format!("{:?}", self.settings.index_of(&space.embed).metric).to_lowercase();
        let wanted = Note {
            embed: space.embed.clone(),
            group: space.group.clone(),
            dim,
            model: model.to_owned(),
            metric,
            graph: Graph::None,
        };
        self.forget(space);
        if self.note(space)?.is_none() {
            self.make(wanted.clone(), space)?;
        }
        let there = self.note(space)?.ok_or_else(|| self.missing(space))?;
        let differs = |what: &str, has: &dyn std::fmt::Display, given: &dyn std::fmt::Display| {
            let of = format!("`{}` of `{}` in {}", space.embed, space.group, self.name());
            Err(Error::input(format!("{of} was made for {what} {has}, not {given}"))
                .hint("use another `prefix` or embed key, or remove these vectors and embed anew"))
        };
        if there.dim != dim {
            return differs("vectors of length", &there.dim, &dim);
        }
        if there.model != model {
            return differs("the model", &there.model, &model);
        }
        if there.metric != wanted.metric {
            return differs("the metric", &there.metric, &wanted.metric);
        }
        Ok(())
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        let notes = self.engine.notes(&self.all())?;
        let space = |note: &Value| -> Result<Space> {
            let note = Note::deserialize(note)?;
            Ok(Space { embed: note.embed, group: note.group })
        };
        let mut spaces = notes.values().map(space).collect::<Result<Vec<_>>>()?;
        spaces.sort();
        Ok(spaces)
    }

    fn put(&self, space: &Space, points: &[Point]) -> Result<()> {
        let note = self.note(space)?.ok_or_else(|| self.missing(space))?;
        for point in points {
            self.check_length(space, note.dim, point.vector.len())?;
        }
        let index = self.index(space)?;
        if self.engine.write(&index, points, |point| point.key, point_lines)? == Written::NoIndex {
            self.forget(space);
            return Err(self.missing(space));
        }
        self.engine.refresh(&index)
    }

    fn remove(&self, space: &Space, keys: &[u64]) -> Result<()> {
        let index = self.index(space)?;
        let action = |key: &u64| format!("{}\n", json!({"delete": {"_id": key.to_string()}}));
        self.engine.write(&index, keys, |key| *key, action)?;
        self.engine.refresh(&index)
    }

    fn remove_documents(&self, space: &Space, documents: &[i64]) -> Result<()> {
        match documents.is_empty() {
            true => Ok(()),
            false => self.engine.remove(&self.index(space)?, &among("document", documents)),
        }
    }

    fn search(&self, space: &Space, query: &[f32], k: usize, allow: &Allow) -> Result<Option<Vec<Near>>> {
        let Some(note) = self.note(space)? else { return Ok(None) };
        self.check_length(space, note.dim, query.len())?;
        if k == 0 {
            return Ok(Some(Vec::new()));
        }
        let filters = allowed(allow);
        let options = self.settings.index_of(&space.embed);
        let walk = k <= MOST_NEIGHBOURS
            && (note.graph == Graph::Lucene || filters.is_empty())
            && self.count(space)? > options.flat_limit as u64;
        let graph = if walk { note.graph } else { Graph::None };
        let body = json!({
            "size": k,
            "track_total_hits": false,
            "_source": false,
            "query": nearest(graph, query, k.max(options.ef).min(MOST_NEIGHBOURS), filters),
            "sort": [{"_score": "desc"}, {"key": "asc"}],
        });
        let path = format!("/{}/_search", self.index(space)?);
        let Some(said) = self.engine.call_if_there("POST", &path, Some(&body))? else {
            self.forget(space);
            return Ok(None);
        };
        let near = |hit: &Value| {
            let score = cosine(graph, hit["sort"][0].as_f64()?);
            Some(Near { key: hit["sort"][1].as_i64()? as u64, score: score as f32 })
        };
        Ok(Some(hits(&said).iter().filter_map(near).collect()))
    }

    fn vectors(&self, space: &Space, keys: &[u64]) -> Result<Vec<(u64, Vec<f32>)>> {
        let path = format!("/{}/_mget?_source_includes=vector", self.index(space)?);
        let mut found = Vec::with_capacity(keys.len());
        for some in keys.chunks(VECTORS) {
            let ids: Vec<String> = some.iter().map(u64::to_string).collect();
            let Some(said) = self.engine.call_if_there("POST", &path, Some(&json!({"ids": ids})))? else {
                return Ok(Vec::new());
            };
            let read = |doc: &Value| -> Option<(u64, Vec<f32>)> {
                let numbers = doc["_source"]["vector"].as_array()?;
                let vector = numbers.iter().filter_map(|number| Some(number.as_f64()? as f32)).collect();
                Some((doc["_id"].as_str()?.parse().ok()?, vector))
            };
            found.extend(said["docs"].as_array().into_iter().flatten().filter_map(read));
        }
        Ok(found)
    }

    fn keys(&self, space: &Space, after: Option<u64>, limit: usize) -> Result<Vec<(u64, i64)>> {
        let path = format!("/{}/_search", self.index(space)?);
        let mut after = after.map_or(i64::MIN, |after| after as i64);
        let mut found = Vec::new();
        while found.len() < limit {
            let size = PAGE.min(limit - found.len());
            let body = json!({
                "size": size,
                "_source": false,
                "query": {"range": {"key": {"gt": after}}},
                "sort": [{"key": "asc"}, {"document": "asc"}],
            });
            let said = self.engine.call_if_there("POST", &path, Some(&body))?.unwrap_or_default();
            let read = |hit: &Value| Some((hit["sort"][0].as_i64()? as u64, hit["sort"][1].as_i64()?));
            let before = found.len();
            found.extend(hits(&said).iter().filter_map(read));
            match found.last() {
                Some((last, _)) if found.len() - before == size => after = *last as i64,
                _ => break,
            }
        }
        Ok(found)
    }

    fn count(&self, space: &Space) -> Result<u64> {
        self.engine.count(&self.index(space)?, &json!({"match_all": {}}))
    }

    fn drop_space(&self, space: &Space) -> Result<()> {
        self.forget(space);
        self.engine.drop_indexes(&[self.index(space)?])
    }
}

fn index_body(note: &Note, options: &Index) -> Result<Value> {
    let mut vector = json!({"type": "knn_vector", "dimension": note.dim});
    let parameters = json!({"m": options.m, "ef_construction": options.ef_construction});
    match note.graph {
        Graph::None => {}
        Graph::Lucene => {
            vector["method"] = json!({
                "name": "hnsw", "engine": "lucene", "space_type": "cosinesimil", "parameters": parameters,
            });
        }
        Graph::Faiss => {
            vector["method"] = json!({
                "name": "hnsw", "engine": "faiss", "space_type": "innerproduct", "parameters": parameters,
            });
            vector["method"]["parameters"]["ef_search"] = json!(options.ef);
        }
    }
    let mut properties = filter::mapping();
    properties.insert("key".into(), json!({"type": "long"}));
    properties.insert("document".into(), json!({"type": "long"}));
    properties.insert("vector".into(), vector);
    Ok(json!({
        "settings": {
            "number_of_shards": 1, "auto_expand_replicas": "0-1", "refresh_interval": "-1",
            "max_result_window": super::engine::MOST_HITS, "knn": note.graph != Graph::None,
        },
        "mappings": {"_meta": serde_json::to_value(note)?, "dynamic": false, "properties": properties},
    }))
}

fn point_lines(point: &Point) -> String {
    let mut body = Map::new();
    body.insert("key".into(), json!(point.key as i64));
    body.insert("document".into(), json!(point.document));
    filter::write(&mut body, &point.facets);
    body.insert("vector".into(), json!(point.vector));
    format!("{}\n{}\n", json!({"index": {"_id": point.key.to_string()}}), Value::Object(body))
}

/// Scores vectors by how near they are. Without a graph all are compared.
fn nearest(graph: Graph, query: &[f32], k: usize, filters: Vec<Value>) -> Value {
    if graph == Graph::None {
        let among =
            if filters.is_empty() { json!({"match_all": {}}) } else { json!({"bool": {"filter": filters}}) };
        let params = json!({"field": "vector", "query_value": query, "space_type": "cosinesimil"});
        let script = json!({"lang": "knn", "source": "knn_score", "params": params});
        return json!({"script_score": {"query": among, "script": script}});
    }
    let mut nearest = json!({"vector": query, "k": k});
    if !filters.is_empty() {
        nearest["filter"] = json!({"bool": {"filter": filters}});
    }
    json!({"knn": {"vector": nearest}})
}

fn cosine(graph: Graph, score: f64) -> f64 {
    match graph {
        Graph::None => score - 1.0,
        Graph::Lucene => 2.0 * score - 1.0,
        Graph::Faiss if score >= 1.0 => score - 1.0,
        Graph::Faiss => 1.0 - 1.0 / score,
    }
}
