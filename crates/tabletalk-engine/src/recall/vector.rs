//! Finding nodes by their vectors.

use super::node::Ref;
use super::target::best_of;
use super::{Allow, Candidate, Recall};
use crate::embed::Slot;
use crate::group::{Definition, Transform};
use crate::index::{RANGE, split_part};
use std::collections::{BTreeMap, HashMap, HashSet};
use tabletalk_core::seam::Want;
use tabletalk_core::{Error, Result, Score};
use tabletalk_store::embedding::{Owner, Space};
use tabletalk_vector::Found;

/// A node may have several pieces, of which only the best counts.
const PIECES: usize = 4;

/// How vectors are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// One vector with another.
    Dense,
    /// Token by token.
    Late,
    /// Term by term.
    Sparse,
}

impl By {
    pub(super) fn name(self) -> &'static str {
        match self {
            By::Dense => "dense",
            By::Late => "late",
            By::Sparse => "sparse",
        }
    }

    /// What a model is asked for.
    fn want(self) -> Want {
        match self {
            By::Dense => Want::Pooled,
            By::Late => Want::Tokens,
            By::Sparse => Want::Sparse,
        }
    }

    /// Whether scores are cosines, and so comparable from query to query.
    pub(super) fn is_cosine(self) -> bool {
        self != By::Sparse
    }
}

/// What is looked for by vectors.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) text: &'a str,
    pub(super) group: &'a Definition,
    pub(super) embed_keys: &'a [String],
    pub(super) k: usize,
    pub(super) allow: Allow<'a>,
    /// Under an embed key, what is less near than this does not count.
    pub(super) cut_offs: Option<&'a BTreeMap<String, f32>>,
}

impl<'a> Wanted<'a> {
    pub(super) fn new(text: &'a str, group: &'a Definition, k: usize, allow: Allow<'a>) -> Wanted<'a> {
        Wanted { text, group, embed_keys: &[], k, allow, cut_offs: None }
    }

    /// Only under these embed keys, where some are named.
    pub(super) fn under(self, embed_keys: &'a [String]) -> Wanted<'a> {
        Wanted { embed_keys, ..self }
    }

    fn cut(&self, slot: &Slot, by: By, mut found: Vec<Candidate>) -> Vec<Candidate> {
        if let (By::Dense, Some(least)) = (by, self.cut_offs.and_then(|all| all.get(&slot.key))) {
            found.retain(|c| c.score >= *least);
        }
        found
    }
}

impl Recall<'_> {
    /// The nodes of a group nearest to a text, under every embed key that is for it; the best score counts.
    /// `None` when no embed key is for this text and group.
    pub(super) fn by_vectors(&self, wanted: &Wanted<'_>, by: By) -> Result<Option<Vec<Candidate>>> {
        let slots: Vec<&Slot> =
            self.embedders.for_query(wanted.text, &wanted.group.name, wanted.embed_keys).collect();
        let mut found: Option<Vec<Candidate>> = None;
        for slot in slots {
            if let Some(more) = self.by_slot(slot, wanted, by)? {
                found = Some(best_of(found.unwrap_or_default(), wanted.cut(slot, by, more)));
            }
        }
        if found.is_none() && wanted.embed_keys.is_empty() {
            // All that there is may be in another language than the query.
            for slot in self.embedders.slots().iter().filter(|s| s.groups.contains(&wanted.group.name)) {
                let more = self.by_slot(slot, wanted, by)?.map(|more| wanted.cut(slot, by, more));
                found = found.into_iter().chain(more).reduce(best_of);
            }
        }
        Ok(found.map(|mut all| {
            all.truncate(wanted.k);
            all
        }))
    }

    /// Like [`Recall::by_vectors`], and the scores of these candidates too, wherever they stand.
    pub(super) fn by_vectors_and(
        &self,
        wanted: &Wanted<'_>,
        by: By,
        others: &[Candidate],
    ) -> Result<Option<Vec<Candidate>>> {
        let Some(mut found) = self.by_vectors(wanted, by)? else { return Ok(None) };
        let known: HashSet<&Ref> = found.iter().map(|c| &c.node).collect();
        let missing: Vec<&Ref> =
            others.iter().map(|c| &c.node).filter(|node| !known.contains(node)).collect();
        let mut more = Vec::new();
        for slot in self.embedders.for_query(wanted.text, &wanted.group.name, wanted.embed_keys) {
            more.extend(wanted.cut(slot, by, self.scores_of(slot, wanted, by, &missing)?));
        }
        found.extend(best_of(more, Vec::new()));
        Ok(Some(found))
    }

    pub(super) fn score_of(
        &self,
        slot: &Slot,
        wanted: &Wanted<'_>,
        by: By,
        node: &Ref,
    ) -> Result<Option<Candidate>> {
        Ok(self.scores_of(slot, wanted, by, &[node])?.pop())
    }

    /// The scores of nodes; those without a vector are left out. Vectors are asked for together.
    fn scores_of(&self, slot: &Slot, wanted: &Wanted<'_>, by: By, nodes: &[&Ref]) -> Result<Vec<Candidate>> {
        let space = Space { embed: slot.key.clone(), group: wanted.group.name.clone() };
        let mut keys = Vec::new();
        let mut whose = Vec::new();
        for node in nodes {
            for key in self.keys_of(&space, wanted.group, node)? {
                keys.push(key);
                whose.push(*node);
            }
        }
        let scores = self.scores_of_keys(slot, &space, wanted.text, by, &keys)?;
        let mut best: HashMap<&Ref, f32> = HashMap::new();
        for (node, key) in whose.iter().zip(&keys) {
            if let Some(score) = scores.get(key) {
                let kept = best.entry(node).or_insert(*score);
                *kept = kept.max(*score);
            }
        }
        let candidate = |node: &&Ref| Some(found_by(slot, by, (*node).clone(), *best.get(node)?));
        Ok(nodes.iter().filter_map(candidate).collect())
    }

    fn keys_of(&self, space: &Space, group: &Definition, node: &Ref) -> Result<Vec<u64>> {
        let catalog = self.library.catalog()?;
        let pieces = match node {
            Ref::Node { document, key } => catalog.pieces_of_node(space, *document, *key)?,
            _ => catalog.pieces_of(space, node.document())?,
        };
        let is_its =
            |piece| node_of(group, Owner { document: node.document(), piece }).as_ref() == Some(node);
        Ok(pieces.into_iter().filter_map(|(key, piece)| is_its(piece).then_some(key)).collect())
    }

    fn scores_of_keys(
        &self,
        slot: &Slot,
        space: &Space,
        text: &str,
        by: By,
        keys: &[u64],
    ) -> Result<HashMap<u64, f32>> {
        if keys.is_empty() || !slot.has(by.want())? {
            return Ok(HashMap::new());
        }
        let query = slot.query(text, by.want())?;
        let state = self.library.catalog()?.space_state(space)?;
        let scores = match by {
            By::Dense => {
                let dot = |v: &[f32]| v.iter().zip(&query.pooled).map(|(a, b)| a * b).sum();
                let vectors = self.library.vectors_of(space, keys)?;
                return Ok(vectors.into_iter().map(|(key, vector)| (key, dot(&vector))).collect());
            }
            By::Late => {
                let settings = &self.embedders.settings.late;
                let index = self.library.vectors().late(space, query.tokens.dim, settings, state)?;
                index.map(|i| i.score(&query.tokens, keys)).transpose()?
            }
            By::Sparse => {
                let index = self.library.vectors().sparse(space, state)?;
                index.map(|i| i.score(&query.sparse, keys)).transpose()?
            }
        };
        let parts = query.tokens.len().max(1) as f32;
        let scores = scores.unwrap_or_default();
        Ok(keys.iter().zip(scores).filter_map(|(key, score)| Some((*key, score? / parts))).collect())
    }

    fn by_slot(&self, slot: &Slot, wanted: &Wanted<'_>, by: By) -> Result<Option<Vec<Candidate>>> {
        let space = Space { embed: slot.key.clone(), group: wanted.group.name.clone() };
        let Some((model, dim)) = self.library.catalog()?.space_model(&space)? else { return Ok(None) };
        check_model(slot, &space, &model, dim)?;
        if !slot.has(by.want())? {
            return Ok(None);
        }
        let many = wanted.k.saturating_mul(PIECES).max(16);
        if let (By::Dense, Some(store)) = (by, &self.library.shared().vector) {
            let query = slot.query(wanted.text, by.want())?;
            let found = store.search(&space, &query.pooled, many, wanted.allow.told)?;
            let found = found.map(|all| all.iter().map(|n| Found { id: n.key, score: n.score }).collect());
            return found.map(|found| self.owners(slot, wanted.group, found, by)).transpose();
        }
        let keys = self.allowed_keys(&space, wanted.allow)?;
        let filter = keys.as_ref().map(|set| move |key: u64| set.contains(&key));
        let filter = filter.as_ref().map(|f| f as &(dyn Fn(u64) -> bool + Sync));
        let Some(found) = self.nearest(slot, &space, wanted.text, many, filter, by)? else { return Ok(None) };
        self.owners(slot, wanted.group, found, by).map(Some)
    }

    fn nearest(
        &self,
        slot: &Slot,
        space: &Space,
        text: &str,
        k: usize,
        filter: tabletalk_vector::Filter<'_>,
        by: By,
    ) -> Result<Option<Vec<Found>>> {
        let (vectors, settings) = (self.library.vectors(), &self.embedders.settings);
        let state = self.library.catalog()?.space_state(space)?;
        let query = slot.query(text, by.want())?;
        match by {
            By::Dense => {
                let index = vectors.dense(space, query.pooled.len(), &settings.dense, state)?;
                index.map(|index| index.search(&query.pooled, k, filter)).transpose()
            }
            By::Late => {
                let index = vectors.late(space, query.tokens.dim, &settings.late, state)?;
                let Some(index) = index else { return Ok(None) };
                let mut found = index.search(&query.tokens, k, filter)?;
                // As a mean over the tokens of the query, scores are cosines again.
                found.iter_mut().for_each(|f| f.score /= query.tokens.len().max(1) as f32);
                Ok(Some(found))
            }
            By::Sparse => {
                let index = vectors.sparse(space, state)?;
                index.map(|index| index.search(&query.sparse, k, filter)).transpose()
            }
        }
    }

    fn allowed_keys(&self, space: &Space, allow: Allow<'_>) -> Result<Option<HashSet<u64>>> {
        let Some(allow) = allow.keep else { return Ok(None) };
        Ok(Some(self.library.catalog()?.vector_keys_of(space, &allow)?.into_iter().collect()))
    }

    /// The nodes that found vectors belong to.
    fn owners(&self, slot: &Slot, group: &Definition, found: Vec<Found>, by: By) -> Result<Vec<Candidate>> {
        let catalog = self.library.catalog()?;
        let mut candidates = Vec::with_capacity(found.len());
        for f in found {
            // One that went since the index was made is left out.
            let Some(owner) = catalog.vector_owner(f.id)? else { continue };
            let Some(node) = node_of(group, owner) else { continue };
            candidates.push(found_by(slot, by, node, f.score));
        }
        Ok(best_of(candidates, Vec::new()))
    }
}

fn found_by(slot: &Slot, by: By, node: Ref, score: f32) -> Candidate {
    let why = vec![Score { name: format!("{} {}", by.name(), slot.key), value: score, keyword: None }];
    Candidate { why, ..Candidate::new(node, score, by.name()) }
}

fn check_model(slot: &Slot, space: &Space, made_by: &str, dim: usize) -> Result<()> {
    let model = slot.model()?;
    if model.identity() == made_by {
        return Ok(());
    }
    Err(Error::input(format!(
        "the vectors of group `{}` under embed key `{}` have {dim} numbers and were made by another model than the one configured, which gives {}",
        space.group,
        space.embed,
        model.dim()
    ))
    .hint("make them again with `tabletalk embed`, or configure the model they were made by"))
}

pub(super) fn node_of(group: &Definition, owner: Owner) -> Option<Ref> {
    let (document, piece) = (owner.document, owner.piece);
    let (col, number) = split_part(piece.part);
    let table = piece.owner;
    Some(match group.transform {
        Transform::Table => Ref::Table { document, table },
        Transform::Schema => Ref::Schema { document, table, col },
        Transform::Column => Ref::Column { document, table, col },
        Transform::Row => Ref::Row { document, table, at: piece.part },
        Transform::Cell if number == RANGE => Ref::Range { document, table, col },
        Transform::Cell => Ref::Cell { document, table, col, rank: number, value: piece.cell? },
        _ => Ref::Node { document, key: piece.owner },
    })
}
