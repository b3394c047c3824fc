//! Finding nodes: a retriever says where to look and what to hand back.

mod cell;
mod column;
mod filter;
mod fuse;
mod node;
mod query;
mod raptor;
mod row;
pub mod similarity;
pub mod strategy;
mod target;
mod trace;
mod vector;
mod within;

pub use filter::{Filter, Test};
pub use fuse::{Fusion, Fusions, Method, by_name};
pub use node::node_by_id;
pub(crate) use node::{Ref, make as make_node};
pub use query::Query;
pub use raptor::within as within_tokens;
pub use similarity::Similarity;
pub use trace::{Layer, Recalled};

use crate::embed::{Embedders, Route};
use crate::group::{Definition, Groups, Transform};
use crate::index::split_part;
use crate::raptor::Traversal;
use crate::rerank::{Means, Rerankers};
use fuse::{List, fuse};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use tabletalk_core::seam::store::{self, EntryHit as Found};
use tabletalk_core::{Hit, Result, Score};
use tabletalk_store::keyword::{Clause, Scoring, Want};
use tabletalk_store::words::Look;
use tabletalk_store::{Catalog, Library, Words};
use trace::Trace;
use vector::{By, Wanted};

/// A document is found by the parts of it in these groups.
const DOCUMENT_PARTS: [&str; 3] = ["table", "coarse", "medium"];

/// Where to look, and what to hand back.
#[derive(Debug, Clone)]
pub struct Retriever {
    /// The group to search in.
    pub group: String,
    /// The group to answer with; by default the table for parts of tables, else the group itself.
    pub target: Option<String>,
    /// How nodes are compared with the query.
    pub similarity: Similarity,
    /// The embed keys that count; all when empty.
    pub embed_keys: Vec<String>,
    /// Rerankers that the hits go through, by name, in this order.
    pub rerank: Vec<String>,
    /// How many hits.
    pub topk: usize,
    /// The most tokens of all hits together.
    pub tokens: Option<usize>,
    /// How a tree of summaries is searched.
    pub traversal: Traversal,
    /// Nodes kept in each layer of a tree that is searched from its roots.
    pub branches: usize,
    /// Hits under this score are dropped.
    pub similarity_cut_off: Option<f32>,
    /// Of vectors under these embed keys, those under this score are dropped.
    pub cut_offs: BTreeMap<String, f32>,
    /// Which documents may be found.
    pub filters: Vec<Filter>,
    /// Whether hits say what gave them their score.
    pub explain: bool,
}

impl Default for Retriever {
    fn default() -> Self {
        Retriever {
            group: "table".into(),
            target: None,
            similarity: Similarity::default(),
            embed_keys: Vec::new(),
            rerank: Vec::new(),
            topk: 6,
            tokens: None,
            traversal: Traversal::Collapsed,
            branches: 5,
            similarity_cut_off: None,
            cut_offs: BTreeMap::new(),
            filters: Vec::new(),
            explain: false,
        }
    }
}

/// The parameters of keyword search for each kind of group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// Whole tables.
    pub table: Scoring,
    /// Column descriptions.
    pub schema: Scoring,
    /// Cell values; rows and columns are found through them.
    pub cell: Scoring,
    /// Text groups.
    pub text: Scoring,
}

impl Default for Weights {
    fn default() -> Self {
        let base = Scoring::default();
        Weights {
            // Found by trying on statements and questions over Wikipedia and real-estate tables.
            table: Scoring {
                k1: 0.9,
                b: 0.75,
                title: 4.5,
                name: 2.5,
                text: 0.5,
                values: 0.5,
                whole: 0.1,
                coverage: 0.8,
                ..base.clone()
            },
            schema: base.clone(),
            cell: Scoring { name: 0.4, b: 0.3, ..base.clone() },
            text: Scoring { title: 0.5, ..base },
        }
    }
}

impl Weights {
    /// Those of a group.
    pub fn of(&self, group: &str) -> &Scoring {
        match group {
            "table" => &self.table,
            "schema" => &self.schema,
            "cell" => &self.cell,
            _ => &self.text,
        }
    }
}

/// What searching needs to know.
pub struct Recall<'a> {
    /// Where to look.
    pub library: &'a Library,
    /// The groups there are.
    pub groups: &'a Groups,
    /// The parameters of keyword search.
    pub weights: &'a Weights,
    /// The embedding models.
    pub embedders: &'a Embedders,
    /// How keyword and vector search are made one.
    pub fusions: &'a Fusions,
    /// The rerankers there are.
    pub rerankers: &'a Rerankers,
    /// Similarities of the user.
    pub similarities: &'a similarity::Registered,
}

/// Which documents may be found; all, when there is no filter.
#[derive(Clone, Copy)]
pub(crate) struct Allow<'a> {
    /// Whether a document may be found.
    keep: Option<&'a (dyn Fn(i64) -> bool + Sync)>,
    /// The same, as a store is told it.
    told: &'a store::Allow,
}

impl Allow<'_> {
    fn passes(&self, document: i64) -> bool {
        self.keep.is_none_or(|keep| keep(document))
    }
}

/// A node that was found, not made yet.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) node: Ref,
    pub(crate) score: f32,
    pub(crate) why: Vec<Score>,
    /// What found it.
    pub(crate) layer: String,
    /// The number of the strategy's layer that found it.
    pub(crate) number: Option<usize>,
    /// The query that found it, when it is not the one that was asked.
    pub(crate) expanded: Option<String>,
}

impl Candidate {
    pub(crate) fn new(node: Ref, score: f32, layer: &str) -> Self {
        Candidate { node, score, why: Vec::new(), layer: layer.to_owned(), number: None, expanded: None }
    }
}

impl Recall<'_> {
    /// The best nodes for a query, and what each layer did.
    pub fn search(&self, text: &str, retriever: &Retriever) -> Result<Recalled> {
        let mut trace = Trace::default();
        let found = self.candidates(text, retriever, &mut trace)?;
        let hits = self.hits(found)?;
        let mut recalled = self.finish(text, hits, &retriever.rerank, retriever.topk, trace)?;
        if let Some(budget) = retriever.tokens {
            raptor::within(&mut recalled.hits, budget);
        }
        Ok(recalled)
    }

    /// Reranks hits, cuts them to the wanted number and hands them back with the trace.
    fn finish(
        &self,
        text: &str,
        hits: Vec<Hit>,
        rerank: &[String],
        topk: usize,
        trace: Trace,
    ) -> Result<Recalled> {
        let read = |hits: &[Hit]| self.passages(text, hits);
        self.rerank(text, Recalled { hits, layers: trace.layers }, rerank, topk, &read)
    }

    /// Sends what was found through rerankers, one after another, and cuts it to the wanted number. `read` gives what is
    /// read of each hit: they may be of several libraries.
    pub fn rerank(
        &self,
        text: &str,
        found: Recalled,
        rerank: &[String],
        topk: usize,
        read: &dyn Fn(&[Hit]) -> Result<Vec<String>>,
    ) -> Result<Recalled> {
        let Recalled { mut hits, layers } = found;
        let mut trace = Trace { layers, number: None };
        for name in rerank {
            let kept = hits.clone();
            let run = || self.rerankers.rerank(&self.means(), name, text, hits, read).map(Some);
            hits = trace.layer(&format!("rerank {name}"), run)?.unwrap_or(kept);
        }
        hits.truncate(topk);
        Ok(Recalled { hits, layers: trace.layers })
    }

    /// What rerankers read with.
    pub fn means(&self) -> Means<'_> {
        Means { analyzer: self.library.keyword().analyzer(), embedders: self.embedders }
    }

    /// What rerankers read of hits.
    pub fn passages(&self, text: &str, hits: &[Hit]) -> Result<Vec<String>> {
        hits.iter().map(|hit| crate::rerank::passage(self.library, text, &hit.node)).collect()
    }

    /// How many hits these rerankers look at.
    pub fn rerank_depth(&self, rerank: &[String]) -> usize {
        self.rerankers.depth(rerank)
    }

    /// The nodes of candidates; those that went in the meantime are left out.
    fn hits(&self, found: Vec<Candidate>) -> Result<Vec<Hit>> {
        let one = |catalog: &Catalog, c: Candidate| {
            let made = node::found(self.library, catalog, &c.node)?;
            Ok(made.map(|node| Hit {
                node,
                score: c.score,
                why: c.why,
                layer: c.layer,
                layer_number: c.number,
                expanded_query: c.expanded,
                library: String::new(),
            }))
        };
        let all = |catalog: &Catalog| {
            found.into_iter().map(|c| one(catalog, c)).filter_map(Result::transpose).collect()
        };
        let mut hits: Vec<Hit> = self.library.catalog()?.at_once(all)?;
        self.name_leaves(&mut hits)?;
        Ok(hits)
    }

    /// The documents of the best nodes and their scores, best first. Nodes are made only for reranking.
    pub fn documents(&self, text: &str, retriever: &Retriever) -> Result<Vec<(i64, f32)>> {
        if !retriever.rerank.is_empty() {
            let catalog = self.library.catalog()?;
            let hits = self.search(text, retriever)?.hits;
            let key = |hit: &Hit| Ok(catalog.record(hit.node.document())?.map(|r| (r.key, hit.score)));
            return hits.iter().map(key).filter_map(Result::transpose).collect();
        }
        let found = self.candidates(text, retriever, &mut Trace::default())?;
        Ok(found.iter().map(|c| (c.node.document(), c.score)).collect())
    }

    fn candidates(&self, text: &str, retriever: &Retriever, trace: &mut Trace) -> Result<Vec<Candidate>> {
        let group = self.groups.get(&retriever.group)?;
        let target = match &retriever.target {
            Some(name) => self.groups.get(name)?.name.clone(),
            None if group.transform.is_of_table() || group.transform == Transform::Clarification => {
                "table".into()
            }
            None => group.name.clone(),
        };
        let allowed = filter::allowed(self.library, &retriever.filters)?;
        let keep = allowed.as_ref().map(|set| move |document: i64| set.contains(&document));
        let told = store::Allow { filters: retriever.filters.clone(), documents: None };
        let allow = Allow { keep: keep.as_ref().map(|f| f as _), told: &told };
        let most = self.rerankers.depth(&retriever.rerank).max(retriever.topk);
        // Several hits may fall together in one target.
        let wanted = if target == group.name { most } else { most.saturating_mul(8).max(64) };
        let mut found = self.compare(text, group, retriever, wanted, allow, trace)?;
        if target != group.name {
            found = target::map(self.library, found, &target)?;
        }
        if let Some(least) = retriever.similarity_cut_off {
            found.retain(|c| c.score >= least);
        }
        found.truncate(most);
        Ok(found)
    }

    /// The nodes of a group by the retriever's similarity.
    fn compare(
        &self,
        text: &str,
        group: &Definition,
        retriever: &Retriever,
        k: usize,
        allow: Allow<'_>,
        trace: &mut Trace,
    ) -> Result<Vec<Candidate>> {
        let wanted = Wanted::new(text, group, k, allow).under(&retriever.embed_keys);
        let wanted = Wanted { cut_offs: Some(&retriever.cut_offs), ..wanted };
        match (&group.transform, &retriever.similarity) {
            (Transform::Raptor, _) => self.climb(&wanted, retriever, trace),
            (Transform::Root, Similarity::Custom(_)) => self.by_similarity(&[wanted], retriever, trace),
            (Transform::Root, _) => self.by_parts(&wanted, retriever, trace),
            _ => self.by_similarity(&[wanted], retriever, trace),
        }
    }

    /// Whole documents, by the best of their tables and passages.
    fn by_parts(
        &self,
        wanted: &Wanted<'_>,
        retriever: &Retriever,
        trace: &mut Trace,
    ) -> Result<Vec<Candidate>> {
        let parts = DOCUMENT_PARTS.iter().map(|name| self.groups.get(name)).collect::<Result<Vec<_>>>()?;
        let k = wanted.k.saturating_mul(8).max(64);
        let places: Vec<_> = parts.into_iter().map(|group| Wanted { group, k, ..*wanted }).collect();
        target::map(self.library, self.by_similarity(&places, retriever, trace)?, "root")
    }

    /// The nodes of some groups by the retriever's similarity, as one list.
    fn by_similarity(
        &self,
        wanted: &[Wanted<'_>],
        retriever: &Retriever,
        trace: &mut Trace,
    ) -> Result<Vec<Candidate>> {
        let explain = retriever.explain;
        let words = |w: &Wanted<'_>| self.keyword(w.text, w.group, w.k, w.allow, explain).map(Some);
        let vectors = |by| move |w: &Wanted<'_>| self.by_vectors(w, by);
        let group = || wanted.first().map_or("", |w| &w.group.name);
        let lacking = || similarity::no_vectors(group());
        let by = |by: By, trace: &mut Trace| {
            let none = || similarity::not_kept(group(), by.name());
            trace.must(by.name(), || together(wanted, vectors(by))?.ok_or_else(none))
        };
        match &retriever.similarity {
            Similarity::Bm25 => trace.must("keyword", || together(wanted, words)?.ok_or_else(lacking)),
            Similarity::Cosine => {
                trace.must("dense", || together(wanted, vectors(By::Dense))?.ok_or_else(lacking))
            }
            Similarity::Late => by(By::Late, trace),
            Similarity::Sparse => by(By::Sparse, trace),
            Similarity::Custom(name) => {
                let custom = |w: &Wanted<'_>| self.custom(name, w.text, w.group, w.k, w.allow).map(Some);
                trace.must(name, || together(wanted, custom)?.ok_or_else(lacking))
            }
            Similarity::Hybrid => self.hybrid(wanted, explain, trace),
        }
    }

    fn fusion(&self, text: &str) -> &Fusion {
        match Route::Chinese.takes(text) {
            true => &self.fusions.chinese,
            false => &self.fusions.other,
        }
    }

    /// Keyword and vector search together. What words find is scored by vectors too.
    fn hybrid(&self, wanted: &[Wanted<'_>], explain: bool, trace: &mut Trace) -> Result<Vec<Candidate>> {
        let fusion = self.fusion(wanted.first().map_or("", |w| w.text));
        let deep = |w: &Wanted<'_>| w.k.max(fusion.depth);
        let mut words: Vec<Vec<Candidate>> = Vec::new();
        let by_words = trace.must("keyword", || {
            for w in wanted {
                words.push(self.keyword(w.text, w.group, deep(w), w.allow, explain)?);
            }
            Ok(words.concat())
        })?;
        let mut lists = Vec::new();
        let kinds = [(By::Dense, fusion.dense), (By::Late, fusion.late), (By::Sparse, fusion.sparse)];
        for (by, weight) in kinds {
            if weight > 0.0 {
                let vectors = || {
                    let pairs: Vec<_> = wanted.iter().zip(&words).collect();
                    together(&pairs, |(w, words)| {
                        self.by_vectors_and(&Wanted { k: deep(w), ..**w }, by, words)
                    })
                };
                let found = trace.layer(by.name(), vectors)?.unwrap_or_default();
                lists.push(List { weight, cosines: by.is_cosine(), found });
            }
        }
        if let ([one], true) = (wanted, fusion.summary > 0.0)
            && one.group.transform == Transform::Table
        {
            let found = trace.layer("summary", || self.summaries(&Wanted { k: deep(one), ..*one }))?;
            lists.extend(found.map(|found| List { weight: fusion.summary, cosines: false, found }));
        }
        let found = target::best_of(by_words, Vec::new());
        lists.insert(0, List { weight: fusion.keyword, cosines: false, found });
        Ok(fuse(lists, fusion))
    }

    /// Tables by what a language model said they are for: by vectors where these are kept, else by words.
    fn summaries(&self, wanted: &Wanted<'_>) -> Result<Option<Vec<Candidate>>> {
        let wanted = Wanted { group: self.groups.get(crate::clarify::GROUP)?, ..*wanted };
        let found = match self.by_vectors(&wanted, By::Dense)? {
            Some(found) => found,
            None => self.keyword(wanted.text, wanted.group, wanted.k, wanted.allow, false)?,
        };
        let mut found = target::map(self.library, found, "table")?;
        found.iter_mut().for_each(|c| c.layer = "summary".into());
        Ok(Some(found).filter(|all| !all.is_empty()))
    }

    pub(super) fn keyword(
        &self,
        text: &str,
        group: &Definition,
        k: usize,
        allow: Allow<'_>,
        explain: bool,
    ) -> Result<Vec<Candidate>> {
        let query = Query::parse(text, self.library.keyword().analyzer());
        if query.is_empty() {
            return Ok(Vec::new());
        }
        match group.transform {
            Transform::Table => self.tables(&query, k, allow, explain),
            Transform::Schema => self.schemas(&query, k, allow),
            Transform::Cell => self.cells(&query, k, allow),
            Transform::Row => self.rows(&query, k, allow),
            Transform::Column => self.columns(&query, k, allow),
            _ => self.texts(&group.name, &query, k, allow, explain),
        }
    }

    /// Entries of one index, those without a required word left out.
    pub(super) fn entries(
        &self,
        words: &Words,
        query: &Query,
        scoring: &Scoring,
        k: usize,
        allow: Allow<'_>,
        explain: bool,
    ) -> Result<Vec<Found>> {
        let (clauses, required) = (query.clauses.as_slice(), query.required.as_slice());
        let (keep, allow) = (allow.keep, allow.told);
        let (part, data, slips) = (None, false, true);
        words.search(&Look { clauses, required, scoring, k, keep, allow, part, data, explain, slips })
    }

    fn tables(&self, query: &Query, k: usize, allow: Allow<'_>, explain: bool) -> Result<Vec<Candidate>> {
        let Some(index) = self.library.words("table")? else { return Ok(Vec::new()) };
        let scoring = &self.weights.table;
        let found = self.entries(&index, query, scoring, k, allow, explain)?;
        let mut candidates = candidates_of(found, |f| Ref::Table { document: f.document, table: f.owner });
        if self.has_rare_value(&index, query)? {
            let cells = self.cells(query, k.max(64), allow)?;
            candidates = target::best_of(candidates, target::map(self.library, cells, "table")?);
        }
        Ok(candidates)
    }

    /// Whether a word stands in a cell but in no table's own entry, which holds only the frequent values.
    fn has_rare_value(&self, tables: &Words, query: &Query) -> Result<bool> {
        let Some(cells) = self.library.words("cell")? else { return Ok(false) };
        // Asking a store how many there are takes as long as asking for the words.
        if matches!(&cells, Words::Own(index) if index.is_empty()) {
            return Ok(false);
        }
        let words: Vec<&Clause> = query.clauses.iter().filter(|c| c.want != Want::Whole).collect();
        let stand = tables.stand(&words, &self.weights.table)?;
        let rare: Vec<&Clause> = words.into_iter().zip(stand).filter(|(_, s)| !s).map(|(w, _)| w).collect();
        Ok(cells.stand(&rare, &self.weights.cell)?.contains(&true))
    }

    fn schemas(&self, query: &Query, k: usize, allow: Allow<'_>) -> Result<Vec<Candidate>> {
        let Some(index) = self.library.words("schema")? else { return Ok(Vec::new()) };
        let scoring = &self.weights.schema;
        let found = self.entries(&index, query, scoring, k, allow, false)?;
        Ok(candidates_of(found, |f| Ref::Schema {
            document: f.document,
            table: f.owner,
            col: split_part(f.part).0,
        }))
    }

    fn texts(
        &self,
        group: &str,
        query: &Query,
        k: usize,
        allow: Allow<'_>,
        explain: bool,
    ) -> Result<Vec<Candidate>> {
        let Some(index) = self.library.words(group)? else { return Ok(Vec::new()) };
        let scoring = &self.weights.text;
        let found = self.entries(&index, query, scoring, k, allow, explain)?;
        Ok(candidates_of(found, |f| Ref::Node { document: f.document, key: f.owner }))
    }
}

/// What is found in each place as one list, the best first; `None` when no place could be searched.
fn together<W>(
    places: &[W],
    search: impl Fn(&W) -> Result<Option<Vec<Candidate>>>,
) -> Result<Option<Vec<Candidate>>> {
    let mut found: Option<Vec<Candidate>> = None;
    for place in places {
        if let Some(more) = search(place)? {
            found = Some(match found {
                Some(found) => target::best_of(found, more),
                None => more,
            });
        }
    }
    Ok(found)
}

fn candidates_of(found: Vec<Found>, node: impl Fn(&Found) -> Ref) -> Vec<Candidate> {
    let one = |f: Found| Candidate { why: f.why.clone(), ..Candidate::new(node(&f), f.score, "keyword") };
    found.into_iter().map(one).collect()
}

/// The words of a query, for highlighting.
pub fn terms(query: &Query) -> HashSet<String> {
    query.clauses.iter().filter(|c| c.want != Want::Whole).map(|c| c.term.clone()).collect()
}
