//! Growing a tree: layer upon layer until one node is left.

use super::job::Work;
use super::leaf::{Item, Layer};
use super::partition::partition;
use super::tree::{Summary, Tree};
use crate::embed;
use crate::watch::interrupted;
use tabletalk_core::Result;

impl Work<'_> {
    /// What is being built, for people.
    pub(super) fn about(&self) -> String {
        match self.document.is_empty() {
            true => format!("the library ({})", self.slot.key),
            false => format!("{} ({})", self.title, self.slot.key),
        }
    }

    /// A tree from its leaves alone.
    pub(super) fn grow(&mut self, leaves: Layer) -> Result<Tree> {
        let mut tree = self.tree(Vec::new());
        self.grow_above(&mut tree, leaves, 0)?;
        Ok(tree)
    }

    pub(super) fn tree(&self, summaries: Vec<Summary>) -> Tree {
        Tree { document: self.document.clone(), embed: self.slot.key.clone(), summaries }
    }

    /// Adds layers above one, until one node is left, the number does not shrink, or there are enough.
    pub(super) fn grow_above(&mut self, tree: &mut Tree, mut layer: Layer, mut number: u32) -> Result<()> {
        while layer.items.len() > 1 && number < self.job.settings.max_layers {
            if self.watch.stopped() {
                return Err(interrupted());
            }
            self.watch.note(&format!("clustering {} nodes of {}", layer.items.len(), self.about()));
            let clusters = partition(&layer, self.job.settings, self.watch)?;
            if clusters.len() >= layer.items.len() {
                break;
            }
            number += 1;
            let names = clusters.iter().map(|_| self.name()).collect();
            let made = self.sum_up(number, &layer, &clusters, names)?;
            self.built.summaries_new += made.len() as u64;
            layer = self.layer(&made)?;
            tree.summaries.extend(made);
        }
        Ok(())
    }

    /// The id of the next summary.
    pub(super) fn name(&mut self) -> String {
        let group = &self.job.group.name;
        self.next += 1;
        let document = match self.document.is_empty() {
            true => super::tree::own_document(group),
            false => self.document.clone(),
        };
        format!("{document}/{group}/{}", self.next)
    }

    /// Summaries as the layer that the next one is made over.
    pub(super) fn layer(&self, made: &[Summary]) -> Result<Layer> {
        let texts: Vec<String> = made.iter().map(|s| embed::node_text(&self.title, &s.text)).collect();
        let vectors = embed::vectors_of(self.job.library, &*self.model, &texts, self.watch)?;
        let mut layer = Layer::default();
        for (summary, vector) in made.iter().zip(&vectors) {
            layer.push(Item::new(&summary.id, &summary.text), vector);
        }
        Ok(layer)
    }
}
