//! Vectors in Qdrant, over its REST interface.
//!
//! A collection for each space, named after it; the model is kept in the collection's metadata (Qdrant 1.16 and later).
//! Keys are the ids of points. `d` is the document, under which an index is made together with the collection; the facets
//! are as in [`crate::facets`], and what a filter looks at is indexed when it is first used.

mod body;

use crate::bulk::{Lanes, batches};
use crate::facets::{Packing, Rule};
use crate::http::Http;
use crate::names::{in_path, name_of, space_of};
use crate::points::{best, gone, last_of_each, of_documents, of_length_one, too_long, unfit};
use crate::{held, http, secret};
use body::{
    Answer, Collection, Collections, Count, Hits, Page, Put, Texts, Vectors, distance, filter, kind_of,
    path_of,
};
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Mutex;
use tabletalk_core::seam::remote::Settings;
use tabletalk_core::seam::store::{Allow, Near, Point, Space, VectorStore};
use tabletalk_core::{Error, Result};

/// Qdrant compares whole numbers as floating-point numbers, which hold six bytes.
const PACKING: Packing = Packing { bytes: 6, pieces: 4 };
/// The most bytes of a request, about; Qdrant takes 32 MB.
const REQUEST: usize = 8 << 20;
/// A batch is not cut for the sake of more requests at once when it has no more points than this.
const SMALL: usize = 128;
/// Keys and documents in one request, and keys on one page.
const MANY: usize = 10_000;
/// Vectors in one answer.
const FETCHED: usize = 1_000;
/// The longest name of a collection, which is the name of a folder as well.
const LONGEST_NAME: usize = 255;

/// Vectors in Qdrant.
pub struct Qdrant {
    http: Http,
    settings: Settings,
    lanes: Lanes,
    /// Collections and keys of which it is known that there is an index, or that none can be made.
    indexed: Mutex<HashSet<(String, String)>>,
}

impl Qdrant {
    /// The store that the settings name. Nothing is sent yet.
    pub fn open(settings: &Settings) -> Result<Self> {
        let mut headers: Vec<_> = http::user(&settings.client)?.into_iter().collect();
        headers.extend(secret::api_key(&settings.client)?.map(|key| ("api-key", key)));
        Ok(Qdrant {
            http: Http::new("qdrant", settings, headers)?,
            settings: settings.clone(),
            lanes: Lanes::new(settings.client.connections),
            indexed: Mutex::default(),
        })
    }

    fn name_of(&self, space: &Space) -> String {
        name_of(&self.settings.prefix, space, char::is_alphanumeric)
    }

    /// Asks something of a collection; `None` when it is not there.
    fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        name: &str,
        what: &str,
        body: &impl Serialize,
    ) -> Result<Option<T>> {
        let path = format!("/collections/{}{what}", in_path(name));
        let answer: Option<Answer<T>> = self.http.read(method, &path, Some(&serde_json::to_vec(body)?))?;
        Ok(answer.map(|answer| answer.result))
    }

    fn collection(&self, name: &str) -> Result<Option<Collection>> {
        let path = format!("/collections/{}", in_path(name));
        Ok(self.http.read::<Answer<Collection>>("GET", &path, None)?.map(|answer| answer.result))
    }

    /// Makes a collection, unless somebody else was quicker.
    fn make(&self, name: &str, space: &Space, dim: usize, model: &str) -> Result<()> {
        if name.len() > LONGEST_NAME {
            return Err(too_long(&self.name(), name));
        }
        let index = self.settings.index_of(&space.embed);
        let body = json!({
            "vectors": { "size": dim, "distance": distance(index.metric) },
            "hnsw_config": { "m": if index.exact { 0 } else { index.m }, "ef_construct": index.ef_construction },
            // In kilobytes of a segment; nothing would mean that there is never a graph.
            "optimizers_config": { "indexing_threshold": (index.flat_limit * dim * 4 / 1024).max(1) },
            "metadata": { "model": model },
        });
        let path = format!("/collections/{}", in_path(name));
        let said = self.http.send("PUT", &path, "application/json", Some(&serde_json::to_vec(&body)?))?;
        held(&self.indexed).retain(|(of, _)| of != name);
        match said.status {
            409 => Ok(()),
            _ if said.is_success() => Ok(()),
            _ => Err(self.http.refused(&said)),
        }
    }

    fn check(&self, found: &Collection, space: &Space, dim: usize, model: &str) -> Result<()> {
        let vectors = &found.config.params.vectors;
        let wanted = distance(self.settings.index_of(&space.embed).metric);
        let of = |what: &str, has: &str, wants: &str| unfit(&self.name(), space, what, has, wants);
        if vectors.size != dim {
            return Err(of("length", &vectors.size.to_string(), &dim.to_string()));
        }
        if vectors.distance != wanted {
            return Err(of("metric", &vectors.distance, wanted));
        }
        match found.config.metadata.as_ref().and_then(|m| m.model.as_deref()) {
            Some(own) if own == model => Ok(()),
            Some(own) => Err(of("model", own, model)),
            None => Err(of("model", "not known", model)
                .hint("it was made by another program, or Qdrant is before 1.16")),
        }
    }

    fn make_index(&self, name: &str, key: &str) -> Result<()> {
        let body = json!({ "field_name": path_of(key), "field_schema": kind_of(key) });
        self.ask::<IgnoredAny>("PUT", name, "/index?wait=true", &body).map(|_| ())
    }

    /// Makes indexes for what rules look at. Searches go without where none can be made.
    fn index(&self, name: &str, keys: &[&str]) -> Result<()> {
        let known = |key: &&&str| held(&self.indexed).contains(&(name.to_owned(), (**key).to_owned()));
        let unknown: Vec<&&str> = keys.iter().filter(|key| !known(key)).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let Some(found) = self.collection(name)? else { return Ok(()) };
        for key in unknown {
            if !found.payload_schema.contains_key(&path_of(key)) {
                _ = self.make_index(name, key);
            }
            held(&self.indexed).insert((name.to_owned(), (*key).to_owned()));
        }
        Ok(())
    }

    /// The texts under a key at points that meet a rule. They can be counted only where there is an index all over,
    /// which is not so while Qdrant is rebuilding what it keeps; else the points are gone through.
    fn texts(&self, name: &str, key: &str, rule: &Rule) -> Result<Vec<String>> {
        let mut keys = vec![key];
        rule.keys(&mut keys);
        self.index(name, &keys)?;
        let body = json!({ "key": path_of(key), "limit": 1_000_000, "exact": true, "filter": filter(rule) });
        match self.ask::<Texts>("POST", name, "/facet", &body) {
            Ok(texts) => Ok(texts.into_iter().flat_map(|texts| texts.hits).map(|text| text.value).collect()),
            Err(_) => self.texts_of_points(name, key, rule),
        }
    }

    fn texts_of_points(&self, name: &str, key: &str, rule: &Rule) -> Result<Vec<String>> {
        let (mut texts, mut from) = (HashSet::new(), Some(0));
        while let Some(offset) = from {
            let body = json!({
                "offset": offset, "limit": MANY, "filter": filter(rule), "with_payload": [path_of(key)],
            });
            let Some(page) = self.ask::<Page>("POST", name, "/points/scroll", &body)? else { break };
            texts.extend(page.points.iter().filter_map(|point| point.payload.text(key)));
            from = page.next_page_offset;
        }
        Ok(texts.into_iter().collect())
    }

    /// What a point must meet to be found; `None` when none can.
    fn allowed(&self, name: &str, allow: &Allow) -> Result<Option<Rule>> {
        let texts = |key: &str, rule: &Rule| self.texts(name, key, rule);
        let Some(mut rules) = PACKING.rules(&allow.filters, &texts)? else { return Ok(None) };
        let mut keys = Vec::new();
        rules.iter().for_each(|rule| rule.keys(&mut keys));
        self.index(name, &keys)?;
        match &allow.documents {
            Some(documents) if documents.is_empty() => return Ok(None),
            Some(documents) => rules.push(of_documents(documents)),
            None => {}
        }
        Ok(Some(Rule::All(rules)))
    }

    /// Removes in several requests what may be many.
    fn delete<T: Sync>(&self, space: &Space, items: &[T], body: impl Fn(&[T]) -> Value + Sync) -> Result<()> {
        let name = self.name_of(space);
        let parts: Vec<&[T]> = items.chunks(MANY).collect();
        self.lanes.each(&parts, |part| {
            self.ask::<IgnoredAny>("POST", &name, "/points/delete?wait=true", &body(part)).map(|_| ())
        })?;
        Ok(())
    }
}

impl VectorStore for Qdrant {
    fn name(&self) -> String {
        self.http.name()
    }

    fn prepare(&self, space: &Space, dim: usize, model: &str) -> Result<()> {
        let name = self.name_of(space);
        if self.collection(&name)?.is_none() {
            self.make(&name, space, dim, model)?;
        }
        let Some(found) = self.collection(&name)? else {
            return Err(Error::upstream(format!("{} removed `{name}` while it was made", self.name())));
        };
        self.check(&found, space, dim, model)?;
        match found.payload_schema.contains_key("d") {
            true => Ok(()),
            false => self.make_index(&name, "d"),
        }
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        let all: Option<Answer<Collections>> = self.http.read("GET", "/collections", None)?;
        let names = all.into_iter().flat_map(|all| all.result.collections).map(|c| c.name);
        let mut spaces: Vec<Space> =
            names.filter_map(|name| space_of(&self.settings.prefix, &name)).collect();
        spaces.sort();
        Ok(spaces)
    }

    fn put(&self, space: &Space, points: &[Point]) -> Result<()> {
        let name = self.name_of(space);
        let points = last_of_each(points);
        let share = points.len().div_ceil(self.lanes.width()).max(SMALL);
        let parts = batches(&points, self.settings.client.batch.min(share), REQUEST, |p| body::size(p));
        self.lanes.each(&parts, |part| {
            match self.ask::<IgnoredAny>("PUT", &name, "/points?wait=true", &Put::of(part, PACKING))? {
                Some(_) => Ok(()),
                None => Err(gone(&self.name(), &name)),
            }
        })?;
        Ok(())
    }

    fn remove(&self, space: &Space, keys: &[u64]) -> Result<()> {
        self.delete(space, keys, |part| json!({ "points": part }))
    }

    fn remove_documents(&self, space: &Space, documents: &[i64]) -> Result<()> {
        self.delete(
            space,
            documents,
            |part| json!({ "filter": filter(&Rule::All(vec![of_documents(part)])) }),
        )
    }

    fn search(&self, space: &Space, query: &[f32], k: usize, allow: &Allow) -> Result<Option<Vec<Near>>> {
        let name = self.name_of(space);
        let Some(rule) = self.allowed(&name, allow)?.filter(|_| k > 0) else {
            return Ok(self.collection(&name)?.map(|_| Vec::new()));
        };
        let index = self.settings.index_of(&space.embed);
        let body = body::Query {
            query: of_length_one(query),
            limit: k,
            filter: (!allow.is_all()).then(|| filter(&rule)),
            params: match index.exact {
                true => json!({ "exact": true }),
                false => json!({ "hnsw_ef": index.ef.max(k) }),
            },
        };
        let hits: Option<Hits> = self.ask("POST", &name, "/points/query", &body)?;
        Ok(hits.map(|hits| best(hits.near(), k)))
    }

    fn vectors(&self, space: &Space, keys: &[u64]) -> Result<Vec<(u64, Vec<f32>)>> {
        let name = self.name_of(space);
        let parts: Vec<&[u64]> = keys.chunks(FETCHED).collect();
        let found = self.lanes.each(&parts, |part| {
            let body = json!({ "ids": part, "with_payload": false, "with_vector": true });
            Ok(self.ask::<Vectors>("POST", &name, "/points", &body)?.unwrap_or_default())
        })?;
        Ok(found.into_iter().flatten().map(|point| (point.id, point.vector)).collect())
    }

    fn keys(&self, space: &Space, after: Option<u64>, limit: usize) -> Result<Vec<(u64, i64)>> {
        let name = self.name_of(space);
        let mut found = Vec::new();
        let mut from = after.map_or(Some(0), |key| key.checked_add(1));
        while let Some(offset) = from.filter(|_| found.len() < limit) {
            let most = (limit - found.len()).min(MANY);
            let body =
                json!({ "offset": offset, "limit": most, "with_payload": ["d"], "with_vector": false });
            let Some(page) = self.ask::<Page>("POST", &name, "/points/scroll", &body)? else { break };
            found.extend(page.points.iter().map(|point| (point.id, point.payload.d.unwrap_or(0))));
            from = page.next_page_offset;
        }
        Ok(found)
    }

    fn count(&self, space: &Space) -> Result<u64> {
        let count: Option<Count> =
            self.ask("POST", &self.name_of(space), "/points/count", &json!({ "exact": true }))?;
        Ok(count.map_or(0, |count| count.count))
    }

    fn drop_space(&self, space: &Space) -> Result<()> {
        let name = self.name_of(space);
        self.http.read::<IgnoredAny>("DELETE", &format!("/collections/{}", in_path(&name)), None)?;
        held(&self.indexed).retain(|(of, _)| *of != name);
        Ok(())
    }
}
