//! Searching a tree of summaries: all layers as one set, or from the roots down.

use super::node::Ref;
use super::target::best_of;
use super::{Allow, Candidate, Recall, Retriever, Trace, Wanted};
use crate::embed::Slot;
use crate::group::Definition;
use crate::raptor::{Traversal, children};
use std::collections::{HashMap, HashSet};
use tabletalk_core::seam::Want;
use tabletalk_core::{Hit, Node, Result, Score};
use tabletalk_store::embedding::Space;

/// The most leaves that a hit names.
const NAMED: usize = 200;

impl Recall<'_> {
    /// The nodes of a tree and its leaves that are nearest to a text.
    pub(super) fn climb(
        &self,
        wanted: &Wanted<'_>,
        retriever: &Retriever,
        trace: &mut Trace,
    ) -> Result<Vec<Candidate>> {
        if retriever.traversal == Traversal::Tree {
            let found = trace.must("tree", || self.descend(wanted, retriever.branches))?;
            if !found.is_empty() {
                return Ok(found);
            }
            // The summaries may be in another language than the query: what they sum up is searched all the same.
        }
        let below = Wanted { group: self.groups.get(&wanted.group.parent)?, ..*wanted };
        self.by_similarity(&[*wanted, below], retriever, trace)
    }

    /// From the roots down: in each layer the best among the children of what was kept.
    pub(super) fn descend(&self, wanted: &Wanted<'_>, keep: usize) -> Result<Vec<Candidate>> {
        let mut found = Vec::new();
        for slot in self.embedders.for_query(wanted.text, &wanted.group.name, wanted.embed_keys) {
            if !slot.has(Want::Pooled)? {
                continue;
            }
            let query = slot.query(wanted.text, Want::Pooled)?;
            let walk = Walk::new(self, slot, wanted)?;
            let mut open = walk.roots();
            while !open.is_empty() {
                let mut best = walk.scored(&open, &query.pooled)?;
                best.truncate(keep.max(1));
                open = best.iter().flat_map(|b| walk.below(&b.0)).collect();
                open.sort_unstable();
                open.dedup();
                let is_allowed = |c: &Candidate| wanted.allow.passes(c.node.document());
                found.extend(best.into_iter().map(|b| b.1).filter(is_allowed));
            }
        }
        let mut found = best_of(found, Vec::new());
        found.truncate(wanted.k);
        Ok(found)
    }

    /// Hits of a tree say which leaves are below them, and how many.
    pub(super) fn name_leaves(&self, hits: &mut [Hit]) -> Result<()> {
        for hit in hits.iter_mut() {
            if children(&hit.node).is_empty() {
                continue;
            }
            let mut leaves = self.leaf_ids(&hit.node)?;
            hit.node.fields.shift_remove("prints");
            hit.node.fields.shift_remove("made_with");
            hit.node.fields.insert("leaf_count".into(), leaves.len().into());
            leaves.truncate(NAMED);
            hit.node.fields.insert("leaves".into(), leaves.into());
        }
        Ok(())
    }

    /// The ids of the leaves below a node of a tree, each once; none for a leaf.
    fn leaf_ids(&self, node: &Node) -> Result<Vec<String>> {
        let catalog = self.library.catalog()?;
        let is_summary = |id: &str| id.split('/').nth(1) == Some(&node.group);
        let (mut leaves, mut seen) = (Vec::new(), HashSet::new());
        let mut open: Vec<String> = children(node).into_iter().rev().map(str::to_owned).collect();
        while let Some(id) = open.pop() {
            if !seen.insert(id.clone()) {
                continue;
            }
            match is_summary(&id) {
                false => leaves.push(id),
                true => {
                    let below = catalog.node_by_id(&id)?;
                    open.extend(below.iter().flat_map(children).rev().map(str::to_owned).collect::<Vec<_>>());
                }
            }
        }
        Ok(leaves)
    }

    /// The leaves below a node of a tree, at most some hundreds; none for a leaf.
    pub fn leaves(&self, node: &Node) -> Result<Vec<Node>> {
        let ids = self.leaf_ids(node)?;
        let catalog = self.library.catalog()?;
        let found = ids.iter().take(NAMED).map(|id| catalog.node_by_id(id));
        found.filter_map(Result::transpose).collect()
    }
}

/// A node of a tree on the way down.
struct Branch {
    document: i64,
    key: i64,
    children: Vec<String>,
}

/// The branches of the trees of one embed key.
struct Walk<'a> {
    recall: &'a Recall<'a>,
    /// Leaves of other documents are left out. Summaries are walked through all the same, and left out in the end.
    allow: Allow<'a>,
    slot: &'a Slot,
    group: &'a Definition,
    branches: HashMap<String, Branch>,
    /// The keys of the vectors of summaries, by the key of their node.
    vectors: HashMap<i64, u64>,
}

impl<'a> Walk<'a> {
    fn new(recall: &'a Recall<'a>, slot: &'a Slot, wanted: &Wanted<'a>) -> Result<Walk<'a>> {
        let catalog = recall.library.catalog()?;
        let group = wanted.group;
        let space = Space { embed: slot.key.clone(), group: group.name.clone() };
        let mut walk = Walk {
            recall,
            allow: wanted.allow,
            slot,
            group,
            branches: HashMap::new(),
            vectors: HashMap::new(),
        };
        for (_, document) in catalog.documents_with(&group.name)? {
            for (key, node) in catalog.nodes_of(document, Some(&group.name))? {
                if node.fields.get("embed").and_then(|e| e.as_str()) == Some(&slot.key) {
                    let children = children(&node).into_iter().map(str::to_owned).collect();
                    walk.branches.insert(node.id, Branch { document, key, children });
                }
            }
            let pieces = catalog.pieces_of(&space, document)?;
            walk.vectors.extend(pieces.into_iter().map(|(vector, piece)| (piece.owner, vector)));
        }
        Ok(walk)
    }

    fn roots(&self) -> Vec<String> {
        let below: HashSet<&String> = self.branches.values().flat_map(|b| &b.children).collect();
        let mut roots: Vec<String> = self.branches.keys().filter(|id| !below.contains(id)).cloned().collect();
        roots.sort_unstable();
        roots
    }

    fn below(&self, id: &str) -> Vec<String> {
        self.branches.get(id).map_or_else(Vec::new, |b| b.children.clone())
    }

    /// These nodes by how near they are to the query, best first.
    fn scored(&self, ids: &[String], query: &[f32]) -> Result<Vec<(String, Candidate)>> {
        let mut leaves = Leaves { walk: self, known: HashMap::new() };
        let mut scored = Vec::with_capacity(ids.len());
        for id in ids {
            let (node, vector, group) = match self.branches.get(id) {
                Some(b) => {
                    let node = Ref::Node { document: b.document, key: b.key };
                    (node, self.vectors.get(&b.key).copied(), &self.group.name)
                }
                None => match leaves.find(id)? {
                    Some((document, key, vector)) => {
                        (Ref::Node { document, key }, Some(vector), &self.group.parent)
                    }
                    None => continue,
                },
            };
            let Some(vector) = vector else { continue };
            let space = Space { embed: self.slot.key.clone(), group: group.clone() };
            let Some((_, vector)) = self.recall.library.vectors_of(&space, &[vector])?.pop() else {
                continue;
            };
            let score = cosine(query, &vector);
            let why = vec![Score { name: format!("tree {}", self.slot.key), value: score, keyword: None }];
            scored.push((id.clone(), Candidate { why, ..Candidate::new(node, score, "tree") }));
        }
        scored.sort_by(|a, b| b.1.score.total_cmp(&a.1.score));
        Ok(scored)
    }
}

/// Leaves are looked up document by document.
struct Leaves<'a> {
    walk: &'a Walk<'a>,
    known: HashMap<String, HashMap<String, (i64, i64, u64)>>,
}

impl Leaves<'_> {
    /// The document, the key and the vector of a leaf.
    fn find(&mut self, id: &str) -> Result<Option<(i64, i64, u64)>> {
        let document = tabletalk_core::node::document_of(id).to_owned();
        if !self.known.contains_key(&document) {
            let found = self.look_up(&document)?;
            self.known.insert(document.clone(), found);
        }
        Ok(self.known.get(&document).and_then(|nodes| nodes.get(id)).copied())
    }

    fn look_up(&self, document: &str) -> Result<HashMap<String, (i64, i64, u64)>> {
        let catalog = self.walk.recall.library.catalog()?;
        let Some(record) = catalog.record(document)? else { return Ok(HashMap::new()) };
        if !self.walk.allow.passes(record.key) {
            return Ok(HashMap::new());
        }
        let parent = self.walk.group.parent.clone();
        let space = Space { embed: self.walk.slot.key.clone(), group: parent };
        let vectors: HashMap<i64, u64> =
            catalog.pieces_of(&space, record.key)?.into_iter().map(|(v, p)| (p.owner, v)).collect();
        let nodes = catalog.nodes_of(record.key, Some(&space.group))?.into_iter();
        Ok(nodes.filter_map(|(key, node)| Some((node.id, (record.key, key, *vectors.get(&key)?)))).collect())
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot: f32 = a.iter().zip(b).map(|(x, y)| x * y).sum();
    let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    dot / (length(a) * length(b)).max(f32::MIN_POSITIVE)
}

/// The first hits that fit together into so many tokens; one at least.
pub fn within(hits: &mut Vec<Hit>, budget: usize) {
    let mut used = 0;
    let mut first = true;
    hits.retain(|hit| {
        let tokens = crate::group::tokens::count(&hit.node.text);
        let fits = first || used + tokens <= budget;
        used += if fits { tokens } else { 0 };
        first = false;
        fits
    });
}
