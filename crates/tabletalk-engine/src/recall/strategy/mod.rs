//! Layered recall: layers that run one after another, each only while too little was found.
//!
//! A strategy is data. Results are de-duplicated by node with the best score kept, sorted, and cut. A layer
//! that fails is noted and skipped.

mod score;
mod table;
mod text;

use super::target::best_of;
use super::vector::{By, Wanted};
use super::{Allow, Candidate, Recall, Recalled, Retriever, Similarity, Trace, filter};
use crate::group::Definition;
use crate::raptor::Traversal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tabletalk_core::seam::store;
use tabletalk_core::{Error, Result, Score};

/// What a layer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Search by vectors.
    Dense,
    /// Search by what a table is called, its columns and its type.
    Structure,
    /// Search by words.
    Keyword,
    /// Search by vectors with synonyms and related terms in the place of words of the query.
    Expansion,
    /// Search all layers of the tree of summaries over the group by vectors, as one set.
    Collapsed,
    /// Search the tree of summaries over the group from its roots down.
    Tree,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Dense => "dense",
            Kind::Structure => "structure",
            Kind::Keyword => "keyword",
            Kind::Expansion => "expansion",
            Kind::Collapsed => "collapsed",
            Kind::Tree => "tree",
        }
    }
}

/// One layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What it does.
    pub kind: Kind,
    /// It runs only while there are fewer than this share of the wanted results; 1 always.
    #[serde(default = "always")]
    pub below: f32,
    /// Results under this score are dropped, in the place of the strategy's own threshold.
    #[serde(default)]
    pub threshold: Option<f32>,
}

fn always() -> f32 {
    1.0
}

/// Shares of a score. They need not add up to one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shares {
    /// Of words, in the relevance of a text.
    pub fast: f32,
    /// Of vectors, in the relevance of a text.
    pub vector: f32,
    /// Of the words that two texts share among all their words, in `fast`.
    pub jaccard: f32,
    /// Of how densely words of the query stand in a text, in `fast`.
    pub density: f32,
    /// Of the title, the column names and the type of a table, in the layer `structure`.
    pub structure: [f32; 3],
    /// Of the title, the column names and the content of a table, in the layer `keyword`.
    pub keyword: [f32; 3],
}

impl Default for Shares {
    fn default() -> Self {
        Shares {
            fast: 0.4,
            vector: 0.6,
            jaccard: 0.7,
            density: 0.3,
            structure: [0.40, 0.35, 0.25],
            keyword: [0.40, 0.30, 0.30],
        }
    }
}

/// A recall strategy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Strategy {
    /// The group that is searched.
    pub group: String,
    /// The most results.
    pub max_results: usize,
    /// Results under this score are dropped.
    pub threshold: f32,
    /// Dense layers look at so many times the wanted results.
    pub search_k_multiplier: f32,
    /// Rewritten queries that the layer `expansion` tries.
    pub expansions: usize,
    /// Nodes that the layer `tree` keeps in each layer of a tree of summaries.
    pub branches: usize,
    /// The shares of scores.
    pub shares: Shares,
    /// The layers in their order.
    pub layers: Vec<Step>,
}

impl Default for Strategy {
    fn default() -> Self {
        Strategy::text()
    }
}

impl Strategy {
    /// For text: dense, then keyword, then expansion. A keyword hit need only have a word of the query.
    pub fn text() -> Strategy {
        let step = |kind, below, threshold| Step { kind, below, threshold };
        Strategy {
            group: "medium".into(),
            max_results: 30,
            threshold: 0.7,
            search_k_multiplier: 2.0,
            expansions: 4,
            branches: 5,
            shares: Shares::default(),
            layers: vec![
                step(Kind::Dense, 1.0, None),
                step(Kind::Keyword, 0.8, Some(0.0)),
                step(Kind::Expansion, 0.7, None),
            ],
        }
    }

    /// For tables: dense, then structure, then keyword, then expansion.
    pub fn table() -> Strategy {
        let step = |kind, below| Step { kind, below, threshold: None };
        Strategy {
            group: "table".into(),
            max_results: 15,
            threshold: 0.3,
            layers: vec![
                step(Kind::Dense, 1.0),
                step(Kind::Structure, 0.8),
                step(Kind::Keyword, 0.7),
                step(Kind::Expansion, 0.6),
            ],
            ..Strategy::text()
        }
    }
}

/// The strategies there are, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Strategies(pub BTreeMap<String, Strategy>);

impl Default for Strategies {
    fn default() -> Self {
        Strategies([("text".into(), Strategy::text()), ("table".into(), Strategy::table())].into())
    }
}

impl Strategies {
    /// The names there are.
    pub fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// The strategy of this name.
    pub fn get(&self, name: &str) -> Result<&Strategy> {
        self.0.get(name).ok_or_else(|| {
            Error::missing(format!("there is no strategy `{name}`"))
                .hint(format!("there are: {}", self.names().join(", ")))
        })
    }
}

/// What a strategy is asked.
#[derive(Clone, Copy, Default)]
pub struct Ask<'a> {
    /// The query.
    pub text: &'a str,
    /// How many results; the strategy's own number when 0.
    pub topk: usize,
    /// Which documents may be found.
    pub filters: &'a [super::Filter],
    /// Rerankers that the hits go through.
    pub rerank: &'a [String],
    /// The embed keys that count; all when empty.
    pub embed_keys: &'a [String],
    /// The group to answer with, in the place of the one that is searched.
    pub target: Option<&'a str>,
    /// Hits under this score are dropped in the end.
    pub cut_off: Option<f32>,
    /// Of vectors under these embed keys, those under this score do not count.
    pub cut_offs: Option<&'a BTreeMap<String, f32>>,
    /// The most tokens of all hits together.
    pub tokens: Option<usize>,
}

impl Ask<'_> {
    /// How many hits are handed back.
    fn topk(&self, strategy: &Strategy) -> usize {
        if self.topk == 0 { strategy.max_results } else { self.topk }
    }
}

/// A strategy at work.
struct Work<'a> {
    recall: &'a Recall<'a>,
    strategy: &'a Strategy,
    group: &'a Definition,
    text: &'a str,
    embed_keys: &'a [String],
    cut_offs: Option<&'a BTreeMap<String, f32>>,
    wanted: usize,
    allow: Allow<'a>,
}

impl Recall<'_> {
    /// The best nodes by a strategy, and what each layer did.
    pub fn strategy(&self, strategy: &Strategy, ask: &Ask<'_>) -> Result<Recalled> {
        let mut trace = Trace::default();
        let found = self.layered(strategy, ask, &mut trace)?;
        let hits = self.hits(found)?;
        let mut recalled = self.finish(ask.text, hits, ask.rerank, ask.topk(strategy), trace)?;
        if let Some(budget) = ask.tokens {
            super::raptor::within(&mut recalled.hits, budget);
        }
        Ok(recalled)
    }

    /// The documents of the best nodes by a strategy and their scores, best first.
    pub fn strategy_documents(&self, strategy: &Strategy, ask: &Ask<'_>) -> Result<Vec<(i64, f32)>> {
        let found = self.layered(strategy, ask, &mut Trace::default())?;
        Ok(found.iter().map(|c| (c.node.document(), c.score)).collect())
    }

    fn layered(&self, strategy: &Strategy, ask: &Ask<'_>, trace: &mut Trace) -> Result<Vec<Candidate>> {
        let allowed = filter::allowed(self.library, ask.filters)?;
        let keep = allowed.as_ref().map(|set| move |document: i64| set.contains(&document));
        let told = store::Allow { filters: ask.filters.to_vec(), documents: None };
        let work = Work {
            recall: self,
            strategy,
            group: self.groups.get(&strategy.group)?,
            text: ask.text,
            embed_keys: ask.embed_keys,
            cut_offs: ask.cut_offs,
            wanted: ask.topk(strategy),
            allow: Allow { keep: keep.as_ref().map(|f| f as _), told: &told },
        };
        let mut found = work.run(trace)?;
        if let Some(target) = ask.target.filter(|t| *t != work.group.name) {
            found = super::target::map(self.library, found, &self.groups.get(target)?.name)?;
        }
        found.retain(|c| ask.cut_off.is_none_or(|least| c.score >= least));
        Ok(found)
    }
}

impl Work<'_> {
    fn run(&self, trace: &mut Trace) -> Result<Vec<Candidate>> {
        let mut found: Vec<Candidate> = Vec::new();
        for (i, step) in self.strategy.layers.iter().enumerate() {
            let name = step.kind.name();
            trace.number = Some(i + 1);
            if found.len() as f32 >= step.below * self.wanted as f32 {
                trace.skipped(name);
                continue;
            }
            let mut more = trace.layer(name, || self.layer(step).map(Some))?.unwrap_or_default();
            more.iter_mut().for_each(|c| c.number = Some(i + 1));
            found = best_of(found, more);
        }
        trace.number = None;
        if found.is_empty() && trace.layers.iter().all(|l| !l.ran) {
            let why = trace.layers.iter().find_map(|l| l.error.clone());
            return Err(Error::missing(format!("no layer could run: {}", why.unwrap_or_default())));
        }
        found.truncate(self.wanted);
        Ok(found)
    }

    fn layer(&self, step: &Step) -> Result<Vec<Candidate>> {
        let mut found = match step.kind {
            Kind::Dense => self.dense(self.text)?,
            Kind::Expansion => self.expansion()?,
            Kind::Structure => self.structure()?,
            Kind::Collapsed => self.collapsed()?,
            Kind::Tree => self.tree()?,
            Kind::Keyword if self.is_of_tables() => self.table_words()?,
            Kind::Keyword => self.text_words()?,
        };
        let least = step.threshold.unwrap_or(self.strategy.threshold);
        found.retain(|c| c.score >= least);
        let mut found = best_of(self.relevance(found)?, Vec::new());
        found.truncate(self.wanted);
        found.iter_mut().for_each(|c| c.layer = step.kind.name().to_owned());
        Ok(found)
    }

    fn is_of_tables(&self) -> bool {
        self.group.transform == crate::group::Transform::Table || self.group.transform.is_of_table()
    }

    /// Nodes by vectors; their score is the cosine.
    fn dense(&self, text: &str) -> Result<Vec<Candidate>> {
        let k = (self.wanted as f32 * self.strategy.search_k_multiplier).ceil() as usize;
        let wanted = Wanted::new(text, self.group, k, self.allow).under(self.embed_keys);
        let wanted = Wanted { cut_offs: self.cut_offs, ..wanted };
        let found = self.recall.by_vectors(&wanted, By::Dense)?;
        found.ok_or_else(|| super::similarity::no_vectors(&self.group.name))
    }

    /// The tree of summaries over the group, or the group itself where it is one.
    fn tree_group(&self) -> Result<&Definition> {
        use crate::group::Transform::Raptor;
        let is_tree = |g: &&Definition| {
            g.transform == Raptor && (g.name == self.group.name || g.parent == self.group.name)
        };
        self.recall.groups.all().iter().find(is_tree).ok_or_else(|| {
            Error::input(format!("there is no tree of summaries over group `{}`", self.group.name))
                .hint("define a group with the transform raptor whose parent it is")
        })
    }

    fn in_tree(&self, group: &'_ Definition, traversal: Traversal) -> Result<Vec<Candidate>> {
        let k = (self.wanted as f32 * self.strategy.search_k_multiplier).ceil() as usize;
        let wanted = Wanted::new(self.text, group, k, self.allow).under(self.embed_keys);
        let branches = self.strategy.branches;
        let retriever =
            Retriever { similarity: Similarity::Cosine, traversal, branches, ..Retriever::default() };
        self.recall.climb(&wanted, &retriever, &mut Trace::default())
    }

    fn collapsed(&self) -> Result<Vec<Candidate>> {
        self.in_tree(self.tree_group()?, Traversal::Collapsed)
    }

    fn tree(&self) -> Result<Vec<Candidate>> {
        self.in_tree(self.tree_group()?, Traversal::Tree)
    }

    /// Nodes by vectors, for the query with synonyms and for terms related to it.
    fn expansion(&self) -> Result<Vec<Candidate>> {
        let mut found = Vec::new();
        for query in self.rewritten()? {
            let mut more = self.dense(&query)?;
            more.iter_mut().for_each(|c| c.expanded = Some(query.clone()));
            found = best_of(found, more);
        }
        Ok(found)
    }

    fn rewritten(&self) -> Result<Vec<String>> {
        let most = self.strategy.expansions;
        let mut queries = self.recall.library.keyword().analyzer().expansions(self.text, most);
        if queries.len() < most {
            queries.extend(self.neighbours(most - queries.len())?);
        }
        Ok(queries)
    }

    /// The query with the column names nearest to it, where column names have vectors.
    fn neighbours(&self, most: usize) -> Result<Vec<String>> {
        let Ok(group) = self.recall.groups.get("schema") else { return Ok(Vec::new()) };
        let wanted = Wanted::new(self.text, group, most, self.allow);
        let found = self.recall.by_vectors(&wanted, By::Dense)?.unwrap_or_default();
        let mut queries: Vec<String> = Vec::new();
        for hit in self.recall.hits(found)? {
            let Some(name) = hit.node.fields.get("column").and_then(|c| c.as_str()) else { continue };
            let query = format!("{} {name}", self.text);
            if !queries.contains(&query) {
                queries.push(query);
            }
        }
        Ok(queries)
    }
}

/// The parts of a score, for the trace.
fn parts(parts: &[(&str, f32)]) -> Vec<Score> {
    let one = |(name, value): &(&str, f32)| Score { name: (*name).to_owned(), value: *value, keyword: None };
    parts.iter().map(one).collect()
}
