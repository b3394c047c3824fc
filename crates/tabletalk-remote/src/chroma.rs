//! Vectors in Chroma, over its REST interface (version 2), in its default database.
//!
//! A collection for each space, named after it; the length of vectors, the metric and the model are kept in its metadata,
//! since Chroma learns the length only from the first vector. The metadata of a point are its key `k`, its document `d`
//! and its facets as in [`crate::facets`].
//!
//! Chroma has no search that compares all vectors: with `exact`, and as long as there are no more than `flat_limit`, it
//! looks at so many that it finds the same. How many that is belongs to the collection. It is lessened when a space has
//! grown, and Chroma follows when it reads the collection from its disk again.

mod body;

use crate::bulk::{Lanes, batches};
use crate::facets::{Packing, Rule, Sign};
use crate::http::Http;
use crate::names::{in_path, name_of, space_of};
use crate::points::{best, gone, last_of_each, of_documents, of_length_one, too_long, unfit};
use crate::{held, http, secret};
use body::{Collection, Got, Hits, Limits, Upsert, filter, key_is, metric, spread};
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::json;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, OnceLock};
use tabletalk_core::seam::remote::{Index, Settings};
use tabletalk_core::seam::store::{Allow, Near, Point, Space, VectorStore};
use tabletalk_core::{Error, Result};

const COLLECTIONS: &str = "/api/v2/tenants/default_tenant/databases/default_database/collections";
/// Every number is a row of its own, so there are few.
const PACKING: Packing = Packing { bytes: 7, pieces: 2 };
/// The most bytes of a request, about; Chroma takes 40 MB.
const REQUEST: usize = 16 << 20;
/// Documents in one condition. SQLite takes 32,766 values, and each number is two.
const MANY: usize = 10_000;
/// Points in one answer.
const FETCHED: usize = 1_000;
/// Collections in one answer.
const LISTED: usize = 100;
/// The longest name of a collection.
const LONGEST_NAME: usize = 512;
/// Vectors looked at in a search that should look at all.
const EXACT: usize = 10_000;

/// Vectors in Chroma.
pub struct Chroma {
    http: Http,
    settings: Settings,
    lanes: Lanes,
    limits: OnceLock<Limits>,
    /// What is known of collections by name.
    known: Mutex<HashMap<String, Collection>>,
}

impl Chroma {
    /// The store that the settings name. Nothing is sent yet.
    pub fn open(settings: &Settings) -> Result<Self> {
        let mut headers: Vec<_> = http::user(&settings.client)?.into_iter().collect();
        headers.extend(secret::api_key(&settings.client)?.map(|key| ("x-chroma-token", key)));
        Ok(Chroma {
            http: Http::new("chroma", settings, headers)?,
            settings: settings.clone(),
            lanes: Lanes::new(settings.client.connections),
            limits: OnceLock::new(),
            known: Mutex::default(),
        })
    }

    fn name_of(&self, space: &Space) -> String {
        name_of(&self.settings.prefix, space, |c| c.is_ascii_alphanumeric())
    }

    /// How many points Chroma takes at once.
    fn most_points(&self) -> Result<usize> {
        if let Some(limits) = self.limits.get() {
            return Ok(limits.max_batch_size);
        }
        let limits: Option<Limits> = self.http.read("GET", "/api/v2/pre-flight-checks", None)?;
        let limits = limits.unwrap_or(Limits { max_batch_size: FETCHED });
        Ok(self.limits.get_or_init(|| limits).max_batch_size)
    }

    fn fetch(&self, name: &str) -> Result<Option<Collection>> {
        let found: Option<Collection> =
            self.http.read("GET", &format!("{COLLECTIONS}/{}", in_path(name)), None)?;
        match &found {
            Some(found) => held(&self.known).insert(name.to_owned(), found.clone()),
            None => held(&self.known).remove(name),
        };
        Ok(found)
    }

    fn collection(&self, name: &str) -> Result<Option<Collection>> {
        let known = held(&self.known).get(name).cloned();
        match known {
            Some(known) => Ok(Some(known)),
            None => self.fetch(name),
        }
    }

    /// Asks something of a collection; `None` when it is not there. One that was made again has another id.
    fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        name: &str,
        what: &str,
        body: Option<&impl Serialize>,
    ) -> Result<Option<T>> {
        let body = body.map(serde_json::to_vec).transpose()?;
        let at = |found: &Collection| {
            self.http.read(method, &format!("{COLLECTIONS}/{}/{what}", found.id), body.as_deref())
        };
        let Some(known) = self.collection(name)? else { return Ok(None) };
        if let Some(answer) = at(&known)? {
            return Ok(Some(answer));
        }
        match self.fetch(name)? {
            Some(found) if found.id != known.id => at(&found),
            _ => Ok(None),
        }
    }

    /// Makes a collection, unless somebody else was quicker.
    fn make(&self, name: &str, space: &Space, dim: usize, model: &str) -> Result<()> {
        if name.len() > LONGEST_NAME {
            return Err(too_long(&self.name(), name));
        }
        let index = self.settings.index_of(&space.embed);
        let metric = metric(index.metric);
        let body = json!({
            "name": name,
            "metadata": { "dim": dim, "metric": metric, "model": model },
            "configuration": { "hnsw": {
                "space": metric,
                "max_neighbors": index.m,
                "ef_construction": index.ef_construction,
                "ef_search": index.ef.max(if index.exact { EXACT } else { index.flat_limit }),
            } },
        });
        let said =
            self.http.send("POST", COLLECTIONS, "application/json", Some(&serde_json::to_vec(&body)?))?;
        match said.status {
            409 => Ok(()),
            _ if said.is_success() => Ok(()),
            _ => Err(self.http.refused(&said)),
        }
    }

    /// Lets Chroma look at fewer vectors in a search, once they are many.
    fn grow(&self, name: &str, index: &Index) -> Result<()> {
        let Some(found) = self.collection(name)? else { return Ok(()) };
        let looked_at = found.configuration_json.hnsw.as_ref().map_or(0, |hnsw| hnsw.ef_search);
        if index.exact || looked_at <= index.ef || self.count_of(name)? <= index.flat_limit as u64 {
            return Ok(());
        }
        let body = json!({ "new_configuration": { "hnsw": { "ef_search": index.ef } } });
        let path = format!("{COLLECTIONS}/{}", found.id);
        self.http.read::<IgnoredAny>("PUT", &path, Some(&serde_json::to_vec(&body)?))?;
        self.fetch(name).map(drop)
    }

    fn count_of(&self, name: &str) -> Result<u64> {
        Ok(self.ask::<u64>("GET", name, "count", None::<&()>)?.unwrap_or(0))
    }

    fn check(&self, found: &Collection, space: &Space, dim: usize, model: &str) -> Result<()> {
        let own = found.metadata.clone().unwrap_or_default();
        let metric = metric(self.settings.index_of(&space.embed).metric);
        let pairs = [
            ("length", own.dim.map(|d| d.to_string()), dim.to_string()),
            ("metric", own.metric, metric.to_owned()),
            ("model", own.model, model.to_owned()),
        ];
        for (what, has, wants) in pairs {
            if has.as_ref() == Some(&wants) {
                continue;
            }
            let has = has.as_deref().unwrap_or("not known");
            return Err(unfit(&self.name(), space, what, has, &wants));
        }
        Ok(())
    }

    /// Chroma would take the length of the first vector, whichever it is.
    fn check_length(&self, name: &str, length: usize) -> Result<()> {
        let dim = self.collection(name)?.and_then(|found| found.metadata).and_then(|m| m.dim);
        match dim {
            Some(dim) if dim != length => Err(Error::input(format!(
                "vectors in `{name}` in {} are {dim} numbers long, and this one {length}",
                self.name()
            ))
            .hint("all vectors of a space are of one length: was the model changed?")),
            _ => Ok(()),
        }
    }

    /// Points by a condition, so many at most, from the first or a later one.
    fn get(&self, name: &str, rule: &Rule, most: usize, from: usize) -> Result<Got> {
        let body = json!({ "where": filter(rule), "limit": most, "offset": from, "include": ["metadatas"] });
        Ok(self.ask("POST", name, "get", Some(&body))?.unwrap_or_default())
    }

    /// Writes points. Chroma keeps what a point had and no longer has, so that is named to be removed.
    fn upsert(&self, name: &str, points: &[&Point]) -> Result<()> {
        let ids: Vec<String> = points.iter().map(|p| p.key.to_string()).collect();
        let body = json!({ "ids": ids, "include": ["metadatas"] });
        let old: Got = self.ask("POST", name, "get", Some(&body))?.ok_or_else(|| gone(&self.name(), name))?;
        let body = Upsert::of(ids, points, old, PACKING)?;
        match self.ask::<IgnoredAny>("POST", name, "upsert", Some(&body))? {
            Some(_) => Ok(()),
            None => Err(gone(&self.name(), name)),
        }
    }

    /// The texts under a key at points that meet a rule.
    fn texts(&self, name: &str, key: &str, rule: &Rule) -> Result<Vec<String>> {
        let (mut texts, mut from) = (BTreeSet::new(), 0);
        loop {
            let page = self.get(name, rule, FETCHED, from)?;
            from += page.ids.len();
            let last = page.ids.len() < FETCHED;
            texts.extend(page.texts(key));
            if last {
                return Ok(texts.into_iter().collect());
            }
        }
    }

    /// What a point must meet to be found, any of these: long lists are spread over several. Empty when none can.
    fn allowed(&self, name: &str, allow: &Allow) -> Result<Vec<Vec<Rule>>> {
        let texts = |key: &str, rule: &Rule| self.texts(name, key, rule);
        let mut all = Vec::new();
        for filters in spread(&allow.filters) {
            let Some(rules) = PACKING.rules(&filters, &texts)? else { continue };
            let with = |part: &[i64]| rules.iter().cloned().chain([of_documents(part)]).collect();
            match &allow.documents {
                Some(documents) => all.extend(documents.chunks(MANY).map(with)),
                None => all.push(rules),
            }
        }
        Ok(all)
    }
}

impl VectorStore for Chroma {
    fn name(&self) -> String {
        self.http.name()
    }

    fn prepare(&self, space: &Space, dim: usize, model: &str) -> Result<()> {
        let name = self.name_of(space);
        if self.fetch(&name)?.is_none() {
            self.make(&name, space, dim, model)?;
        }
        match self.fetch(&name)? {
            Some(found) => self.check(&found, space, dim, model),
            None => Err(Error::upstream(format!("{} removed `{name}` while it was made", self.name()))),
        }
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        let (mut spaces, mut from) = (BTreeSet::new(), 0);
        loop {
            let path = format!("{COLLECTIONS}?limit={LISTED}&offset={from}");
            let page: Vec<Collection> = self.http.read("GET", &path, None)?.unwrap_or_default();
            from += page.len();
            spaces.extend(page.iter().filter_map(|found| space_of(&self.settings.prefix, &found.name)));
            if page.len() < LISTED {
                return Ok(spaces.into_iter().collect());
            }
        }
    }

    fn put(&self, space: &Space, points: &[Point]) -> Result<()> {
        let name = self.name_of(space);
        let points = last_of_each(points);
        for point in &points {
            self.check_length(&name, point.vector.len())?;
        }
        let most = self.settings.client.batch.min(self.most_points()?);
        let parts = batches(&points, most, REQUEST, |point| body::size(point));
        self.lanes.each(&parts, |part| self.upsert(&name, part))?;
        self.grow(&name, &self.settings.index_of(&space.embed))
    }

    fn remove(&self, space: &Space, keys: &[u64]) -> Result<()> {
        let name = self.name_of(space);
        for part in keys.chunks(self.most_points()?) {
            let ids: Vec<String> = part.iter().map(u64::to_string).collect();
            self.ask::<IgnoredAny>("POST", &name, "delete", Some(&json!({ "ids": ids })))?;
        }
        Ok(())
    }

    fn remove_documents(&self, space: &Space, documents: &[i64]) -> Result<()> {
        let name = self.name_of(space);
        for part in documents.chunks(MANY) {
            let body = json!({ "where": filter(&of_documents(part)) });
            self.ask::<IgnoredAny>("POST", &name, "delete", Some(&body))?;
        }
        Ok(())
    }

    fn search(&self, space: &Space, query: &[f32], k: usize, allow: &Allow) -> Result<Option<Vec<Near>>> {
        let name = self.name_of(space);
        let parts = if k == 0 { Vec::new() } else { self.allowed(&name, allow)? };
        if parts.is_empty() {
            return Ok(self.fetch(&name)?.map(|_| Vec::new()));
        }
        self.check_length(&name, query.len())?;
        let query = of_length_one(query);
        let found = self.lanes.each(&parts, |rules| {
            let body = body::Query {
                query_embeddings: [&query],
                n_results: k,
                r#where: (!rules.is_empty()).then(|| filter(&Rule::All(rules.clone()))),
                include: ["distances"],
            };
            self.ask::<Hits>("POST", &name, "query", Some(&body))?.map(Hits::near).transpose()
        })?;
        let found: Option<Vec<Vec<Near>>> = found.into_iter().collect();
        Ok(found.map(|found| best(found.concat(), k)))
    }

    fn vectors(&self, space: &Space, keys: &[u64]) -> Result<Vec<(u64, Vec<f32>)>> {
        let name = self.name_of(space);
        let parts: Vec<&[u64]> = keys.chunks(FETCHED).collect();
        let found = self.lanes.each(&parts, |part| {
            let ids: Vec<String> = part.iter().map(u64::to_string).collect();
            let body = json!({ "ids": ids, "include": ["embeddings"] });
            self.ask::<Got>("POST", &name, "get", Some(&body))?.unwrap_or_default().vectors()
        })?;
        Ok(found.concat())
    }

    fn keys(&self, space: &Space, after: Option<u64>, limit: usize) -> Result<Vec<(u64, i64)>> {
        self.keys_after(&self.name_of(space), after, limit)
    }

    fn count(&self, space: &Space) -> Result<u64> {
        self.count_of(&self.name_of(space))
    }

    fn drop_space(&self, space: &Space) -> Result<()> {
        let name = self.name_of(space);
        self.http.read::<IgnoredAny>("DELETE", &format!("{COLLECTIONS}/{}", in_path(&name)), None)?;
        held(&self.known).remove(&name);
        Ok(())
    }
}

impl Chroma {
    /// Chroma gives points in the order in which they came, so keys are asked for by stretches that hold no more of them than are
    /// wanted: short ones at first, longer ones where keys are sparse.
    pub(super) fn keys_after(&self, name: &str, after: Option<u64>, limit: usize) -> Result<Vec<(u64, i64)>> {
        let mut found = Vec::new();
        let mut next = after.map_or(Some(0), |key| i64::try_from(key).ok()?.checked_add(1));
        let mut stretch: i64 = 0;
        while let Some(from) = next.filter(|_| found.len() < limit) {
            let most = (limit - found.len()).min(MANY);
            let least = i64::try_from(most).unwrap_or(i64::MAX);
            stretch = stretch.max(least);
            let to = from.saturating_add(stretch - 1);
            let within = Rule::All(vec![key_is(Sign::AtLeast, from), key_is(Sign::AtMost, to)]);
            let mut page = self.get(name, &within, most + 1, 0)?.keys()?;
            if page.len() > most {
                stretch /= 2;
                continue;
            }
            if page.is_empty() && self.get(name, &key_is(Sign::AtLeast, from), 1, 0)?.ids.is_empty() {
                break;
            }
            if page.len() < most / 2 + 1 {
                stretch = stretch.saturating_mul(8);
            }
            page.sort_unstable();
            found.append(&mut page);
            next = to.checked_add(1);
        }
        Ok(found)
    }
}
