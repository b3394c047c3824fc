//! Finding nodes: a retriever says where to look and what to hand back.

mod cell;
mod column;
mod filter;
mod node;
mod query;
mod row;
mod target;

pub use filter::{Filter, Test};
pub use node::node_by_id;
pub use query::Query;

use crate::group::{Groups, Transform};
use crate::index::split_part;
use node::Ref;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use tabletalk_core::{Hit, Result, Score};
use tabletalk_store::Library;
use tabletalk_store::keyword::{Clause, Found, Group, Keep, Scoring, Want};

/// Where to look, and what to hand back.
#[derive(Debug, Clone)]
pub struct Retriever {
    /// The group to search in.
    pub group: String,
    /// The group to answer with; by default the table for parts of tables, else the group itself.
    pub target: Option<String>,
    /// How many hits.
    pub topk: usize,
    /// Hits under this score are dropped.
    pub similarity_cut_off: Option<f32>,
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
            topk: 6,
            similarity_cut_off: None,
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

/// What searching needs to know.
pub struct Recall<'a> {
    /// Where to look.
    pub library: &'a Library,
    /// The groups there are.
    pub groups: &'a Groups,
    /// The parameters of keyword search.
    pub weights: &'a Weights,
}

/// Which documents may be found; all, when there is no filter.
type Allow<'a> = Option<&'a (dyn Fn(i64) -> bool + Sync)>;

/// A node that was found, not made yet.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) node: Ref,
    pub(crate) score: f32,
    pub(crate) why: Vec<Score>,
}

impl Recall<'_> {
    /// The best nodes for a query.
    pub fn search(&self, text: &str, retriever: &Retriever) -> Result<Vec<Hit>> {
        self.candidates(text, retriever)?
            .into_iter()
            .map(|c| {
                Ok(node::make(self.library, &c.node)?.map(|node| Hit { node, score: c.score, why: c.why }))
            })
            .filter_map(Result::transpose)
            .collect()
    }

    /// The documents of the best nodes and their scores, best first, without making the nodes.
    pub fn documents(&self, text: &str, retriever: &Retriever) -> Result<Vec<(i64, f32)>> {
        Ok(self.candidates(text, retriever)?.iter().map(|c| (c.node.document(), c.score)).collect())
    }

    fn candidates(&self, text: &str, retriever: &Retriever) -> Result<Vec<Candidate>> {
        let group = self.groups.get(&retriever.group)?;
        let target = match &retriever.target {
            Some(name) => self.groups.get(name)?.name.clone(),
            None if group.transform.is_of_table() => "table".into(),
            None => group.name.clone(),
        };
        let query = Query::parse(text, self.library.keyword().analyzer());
        if query.is_empty() {
            return Ok(Vec::new());
        }
        let allowed = filter::allowed(self.library, &retriever.filters)?;
        let allow = allowed.as_ref().map(|set| move |document: i64| set.contains(&document));
        let allow: Allow<'_> = allow.as_ref().map(|f| f as &(dyn Fn(i64) -> bool + Sync));
        // Several hits may fall together in one target.
        let wanted =
            if target == group.name { retriever.topk } else { retriever.topk.saturating_mul(8).max(64) };
        let mut found = match group.transform {
            Transform::Table => self.tables(&query, wanted, allow, retriever.explain)?,
            Transform::Schema => self.schemas(&query, wanted, allow)?,
            Transform::Cell => self.cells(&query, wanted, allow)?,
            Transform::Row => self.rows(&query, wanted, allow)?,
            Transform::Column => self.columns(&query, wanted, allow)?,
            _ => self.texts(&group.name, &query, wanted, allow, retriever.explain)?,
        };
        if target != group.name {
            found = target::map(self.library, found, &target)?;
        }
        if let Some(least) = retriever.similarity_cut_off {
            found.retain(|c| c.score >= least);
        }
        found.truncate(retriever.topk);
        Ok(found)
    }

    /// Entries of one index, those without a required word left out.
    fn entries(
        &self,
        index: &Group,
        query: &Query,
        scoring: &Scoring,
        k: usize,
        allow: Allow<'_>,
    ) -> Result<(Vec<Clause>, Vec<Found>)> {
        let clauses = with_slips(&[(index, scoring)], &query.clauses)?;
        let keep = allow.map(|allow| move |document: i64, _: u64| allow(document));
        let keep: Keep<'_> = keep.as_ref().map(|f| f as _);
        let found = matching(index, &clauses, &query.required, scoring, k, keep)?;
        Ok((clauses, found))
    }

    fn tables(&self, query: &Query, k: usize, allow: Allow<'_>, explain: bool) -> Result<Vec<Candidate>> {
        let Some(index) = self.library.keyword().group("table")? else { return Ok(Vec::new()) };
        let scoring = &self.weights.table;
        let (clauses, found) = self.entries(&index, query, scoring, k, allow)?;
        let mut candidates = candidates_of(&index, &clauses, scoring, found, explain, |f| Ref::Table {
            document: f.document,
            table: f.owner,
        })?;
        if self.has_rare_value(&index, query)? {
            let cells = self.cells(query, k.max(64), allow)?;
            candidates = target::best_of(candidates, target::map(self.library, cells, "table")?);
        }
        Ok(candidates)
    }

    /// Whether a word stands in a cell but in no table's own entry, which holds only the frequent values.
    fn has_rare_value(&self, tables: &Group, query: &Query) -> Result<bool> {
        let Some(cells) = self.library.keyword().group("cell")? else { return Ok(false) };
        for clause in query.clauses.iter().filter(|c| c.want != Want::Whole) {
            let (table, cell) = (&self.weights.table, &self.weights.cell);
            if !tables.has_term(&clause.term, table)? && cells.has_term(&clause.term, cell)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn schemas(&self, query: &Query, k: usize, allow: Allow<'_>) -> Result<Vec<Candidate>> {
        let Some(index) = self.library.keyword().group("schema")? else { return Ok(Vec::new()) };
        let scoring = &self.weights.schema;
        let (clauses, found) = self.entries(&index, query, scoring, k, allow)?;
        candidates_of(&index, &clauses, scoring, found, false, |f| Ref::Schema {
            document: f.document,
            table: f.owner,
            col: split_part(f.part).0,
        })
    }

    fn texts(
        &self,
        group: &str,
        query: &Query,
        k: usize,
        allow: Allow<'_>,
        explain: bool,
    ) -> Result<Vec<Candidate>> {
        let Some(index) = self.library.keyword().group(group)? else { return Ok(Vec::new()) };
        let scoring = &self.weights.text;
        let (clauses, found) = self.entries(&index, query, scoring, k, allow)?;
        candidates_of(&index, &clauses, scoring, found, explain, |f| Ref::Node {
            document: f.document,
            key: f.owner,
        })
    }
}

/// The best entries of one index, those without a required word left out.
fn matching(
    index: &Group,
    clauses: &[Clause],
    required: &[String],
    scoring: &Scoring,
    k: usize,
    keep: Keep<'_>,
) -> Result<Vec<Found>> {
    if required.is_empty() {
        return index.search(clauses, scoring, k, keep);
    }
    let found = index.search(clauses, scoring, k.saturating_mul(20).max(500), keep)?;
    let mut kept = Vec::new();
    for f in found {
        if kept.len() < k && index.has_all(required, f.address)? {
            kept.push(f);
        }
    }
    Ok(kept)
}

fn candidates_of(
    index: &Group,
    clauses: &[Clause],
    scoring: &Scoring,
    found: Vec<Found>,
    explain: bool,
    node: impl Fn(&Found) -> Ref,
) -> Result<Vec<Candidate>> {
    let one = |f: Found| {
        let why = if explain { index.explain(clauses, scoring, f.address)? } else { Vec::new() };
        Ok(Candidate { node: node(&f), score: f.score, why })
    };
    found.into_iter().map(one).collect()
}

/// A word that stands nowhere is taken for a slip of the pen.
fn with_slips(indexes: &[(&Group, &Scoring)], clauses: &[Clause]) -> Result<Vec<Clause>> {
    let mut all = clauses.to_vec();
    for clause in &mut all {
        let is_word =
            clause.term.chars().count() >= 4 && clause.term.bytes().all(|b| b.is_ascii_alphabetic());
        if clause.want == Want::Word && is_word && !stands_in(indexes, &clause.term)? {
            clause.want = Want::Like;
            clause.weight *= 0.6;
        }
    }
    Ok(all)
}

fn stands_in(indexes: &[(&Group, &Scoring)], term: &str) -> Result<bool> {
    for (index, scoring) in indexes {
        if index.has_term(term, scoring)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The words of a query, for highlighting.
pub fn terms(query: &Query) -> HashSet<String> {
    query.clauses.iter().filter(|c| c.want != Want::Whole).map(|c| c.term.clone()).collect()
}
