//! The leaves of a tree: nodes of the group it is made over, with their vectors.

use super::tree::{Child, print};
use crate::group::tokens;
use std::collections::HashMap;
use tabletalk_core::matrix::normalize;
use tabletalk_core::{Matrix, Result};
use tabletalk_store::Catalog;
use tabletalk_store::embedding::Space;

/// What clustering needs to know of a node: its size and what tells it from others. Texts are read when they are
/// summed up.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    pub(super) child: Child,
    pub(super) tokens: usize,
}

impl Item {
    pub(super) fn new(id: &str, text: &str) -> Item {
        Item { child: Child { id: id.to_owned(), print: print(text) }, tokens: tokens::count(text) }
    }
}

/// Nodes of one layer, each with its vector.
#[derive(Debug, Default)]
pub(super) struct Layer {
    pub(super) items: Vec<Item>,
    pub(super) vectors: Matrix,
}

impl Layer {
    pub(super) fn push(&mut self, item: Item, vector: &[f32]) {
        self.vectors.dim = vector.len();
        self.vectors.data.extend_from_slice(vector);
        let at = self.vectors.data.len() - vector.len();
        if let Some(row) = self.vectors.data.get_mut(at..) {
            normalize(row);
        }
        self.items.push(item);
    }

    /// These rows alone.
    pub(super) fn rows(&self, rows: &[u32]) -> Matrix {
        let mut part =
            Matrix { dim: self.vectors.dim, data: Vec::with_capacity(rows.len() * self.vectors.dim) };
        for &row in rows {
            part.data.extend_from_slice(self.vector(row));
        }
        part
    }

    pub(super) fn vector(&self, row: u32) -> &[f32] {
        let at = row as usize * self.vectors.dim;
        self.vectors.data.get(at..at + self.vectors.dim).unwrap_or_default()
    }

    /// The tokens of these rows together.
    pub(super) fn tokens(&self, rows: &[u32]) -> usize {
        rows.iter().filter_map(|&r| self.items.get(r as usize)).map(|i| i.tokens).sum()
    }
}

/// The nodes of a space in these documents that have a vector, in reading order.
pub(super) fn leaves(catalog: &Catalog, space: &Space, model: &str, documents: &[i64]) -> Result<Layer> {
    let mut layer = Layer::default();
    for &document in documents {
        let hashes: HashMap<i64, _> =
            catalog.pieces_of(space, document)?.into_iter().map(|(_, p)| (p.owner, p.hash)).collect();
        if hashes.is_empty() {
            continue;
        }
        for (key, node) in catalog.nodes_of(document, Some(&space.group))? {
            let Some(hash) = hashes.get(&key) else { continue };
            if let Some(vector) = catalog.embedding(model, hash)? {
                layer.push(Item::new(&node.id, &node.text), &vector);
            }
        }
    }
    Ok(layer)
}
