//! Building trees: leaves in, summaries into the catalogue, indexes up to date.

use super::job::{Built, Job, Texts, Work};
use super::leaf::{Layer, leaves};
use super::partition::{centre, dot};
use super::tree::{Tree, of_document, own_document};
use super::{Scope, Small};
use crate::embed::{self, Slot};
use crate::maintain;
use crate::prompt::Name;
use crate::watch::Watch;
use std::collections::HashMap;
use tabletalk_core::seam::Want;
use tabletalk_core::{Error, Node, Result};
use tabletalk_store::Entry;
use tabletalk_store::embedding::{Space, hash};

/// Documents whose trees are put together.
const TOGETHER: usize = 64;

/// What is shown as the place of a summary over all documents.
const LIBRARY: &str = "the library";

/// Builds the trees of a group, or changes them where leaves changed. The caller holds the lock.
pub fn build(job: &Job<'_>, watch: &dyn Watch) -> Result<Built> {
    job.settings.check()?;
    maintain::bring_up_to_date(job.library, job.groups, watch)?;
    job.embed(watch)?;
    let counts = job.library.catalog()?.node_counts()?;
    let all_leaves = counts.iter().find(|c| c.0 == job.group.parent).map_or(0, |c| c.1);
    let mut built = Built { all_leaves, ..Built::default() };
    let done = match job.settings.scope {
        Scope::Library => job.over_library(watch, &mut built),
        Scope::Document => job.over_documents(watch, &mut built),
    };
    let done = done.and_then(|()| job.drop_other_scope());
    // What was put before an error is searched too.
    maintain::bring_up_to_date(job.library, job.groups, watch)?;
    done?;
    job.embed(watch)?;
    Ok(built)
}

/// How near leaves are to the others of their clusters, as the mean cosine with the centre.
pub fn cohesion(job: &Job<'_>, tree: &Tree) -> Result<f32> {
    let slot = job.embedders.get(&tree.embed)?;
    let layer = job.leaves(slot, &job.documents(&tree.document)?)?;
    let rows: HashMap<&str, u32> = layer.items.iter().map(|i| i.child.id.as_str()).zip(0u32..).collect();
    let (mut sum, mut count) = (0.0, 0usize);
    for summary in tree.summaries.iter().filter(|s| s.layer == 1) {
        let members: Vec<u32> =
            summary.children.iter().filter_map(|c| rows.get(c.id.as_str()).copied()).collect();
        let middle = centre(&layer, &members);
        sum += members.iter().map(|&row| dot(layer.vector(row), &middle)).sum::<f32>();
        count += members.len();
    }
    Ok(sum / count.max(1) as f32)
}

impl<'a> Job<'a> {
    fn embed(&self, watch: &dyn Watch) -> Result<()> {
        let job = embed::Job { library: self.library, groups: self.groups, embedders: self.embedders };
        match embed::run(&job, watch)?.interrupted {
            true => Err(crate::watch::interrupted()),
            false => Ok(()),
        }
    }

    fn slots(&self) -> Result<Vec<&'a Slot>> {
        let parent = &self.group.parent;
        let mut slots = Vec::new();
        for slot in self.embedders.slots().iter().filter(|s| s.groups.contains(parent)) {
            // Clusters are of vectors of whole texts.
            slots.extend(slot.has(Want::Pooled)?.then_some(slot));
        }
        if slots.is_empty() {
            return Err(Error::missing(format!("no embedding model is configured for group `{parent}`"))
                .hint("name the group in `groups` of an [[embed]] section"));
        }
        Ok(slots)
    }

    fn documents(&self, id: &str) -> Result<Vec<i64>> {
        let catalog = self.library.catalog()?;
        match id.is_empty() {
            true => catalog.select(|record| !record.source.is_empty()),
            false => Ok(catalog.record(id)?.map(|r| r.key).into_iter().collect()),
        }
    }

    fn leaves(&self, slot: &Slot, documents: &[i64]) -> Result<Layer> {
        let space = Space { embed: slot.key.clone(), group: self.group.parent.clone() };
        let model = slot.model()?;
        leaves(&*self.library.catalog()?, &space, model.identity(), documents)
    }

    /// Names all that a tree depends on besides its leaves.
    fn made_with(&self, slot: &Slot) -> Result<String> {
        let s = self.settings;
        // Trees of before there was a choice stay as they are.
        let gathers = if s.small == Small::Gather { " gather" } else { "" };
        let sizes = (s.max_layers, s.max_token, s.cluster_token);
        let by = self.chat.map_or("", |chat| chat.identity());
        let all = format!(
            "{}|{sizes:?}{gathers}|{}|{by}|{}|{}",
            serde_json::to_string(&s.cluster)?,
            self.prompts.print(Name::Raptor),
            self.groups.fingerprint(self.group),
            slot.model()?.identity()
        );
        Ok(hash(&all).iter().take(6).map(|byte| format!("{byte:02x}")).collect())
    }

    /// Summaries over the library and over single documents do not stand side by side.
    fn drop_other_scope(&self) -> Result<()> {
        let own = own_document(&self.group.name);
        let mut catalog = self.library.catalog()?;
        let holding = catalog.documents_with(&self.group.name)?;
        let is_other = |id: &String| (*id == own) == (self.settings.scope == Scope::Document);
        if !holding.iter().any(|(id, _)| is_other(id)) {
            return Ok(());
        }
        let change = catalog.change()?;
        for (_, key) in holding.iter().filter(|(id, _)| is_other(id)) {
            change.replace_nodes(*key, &self.group.name, &[])?;
        }
        change.commit()
    }

    fn over_library(&self, watch: &dyn Watch, built: &mut Built) -> Result<()> {
        let own = own_document(&self.group.name);
        let record = self.library.catalog()?.record(&own)?;
        let nodes = self.trees_of("", record.as_ref().map(|r| r.key), "", LIBRARY, watch, built)?;
        let Some(nodes) = nodes else { return Ok(()) };
        let mut catalog = self.library.catalog()?;
        let mut change = catalog.change()?;
        match record {
            Some(record) => change.replace_nodes(record.key, &self.group.name, &nodes)?,
            None => {
                let entry = Entry { id: own, name: self.group.name.clone(), nodes, ..Entry::default() };
                change.put(&entry)?;
            }
        }
        change.commit()
    }

    fn over_documents(&self, watch: &dyn Watch, built: &mut Built) -> Result<()> {
        let mut waiting: Vec<(i64, Vec<Node>)> = Vec::new();
        let mut done = Ok(());
        for key in self.documents("")? {
            let Some(record) = self.library.catalog()?.record_by_key(key)? else { continue };
            match self.trees_of(&record.id, Some(key), &record.title, &record.name, watch, built) {
                Ok(nodes) => waiting.extend(nodes.map(|nodes| (key, nodes))),
                Err(e) => {
                    done = Err(e.at(&record.name));
                    break;
                }
            }
            if waiting.len() >= TOGETHER {
                self.put(std::mem::take(&mut waiting))?;
            }
        }
        self.put(waiting)?;
        done
    }

    fn put(&self, waiting: Vec<(i64, Vec<Node>)>) -> Result<()> {
        if waiting.is_empty() {
            return Ok(());
        }
        let mut catalog = self.library.catalog()?;
        let change = catalog.change()?;
        for (document, nodes) in &waiting {
            change.replace_nodes(*document, &self.group.name, nodes)?;
        }
        change.commit()
    }

    /// The summaries over a document, or over all; `None` when they are as they were.
    fn trees_of(
        &self,
        document: &str,
        kept_in: Option<i64>,
        title: &str,
        file: &str,
        watch: &dyn Watch,
        built: &mut Built,
    ) -> Result<Option<Vec<Node>>> {
        let old = match kept_in {
            Some(key) => of_document(&*self.library.catalog()?, self.group, key, document)?,
            None => Vec::new(),
        };
        let numbers =
            old.iter().flat_map(|t| &t.summaries).filter_map(|s| s.id.rsplit('/').next()?.parse().ok());
        let mut next: u64 = if self.rebuild { 0 } else { numbers.max().unwrap_or(0) };
        let documents = self.documents(document)?;
        let mut now: Vec<Tree> = Vec::new();
        for slot in self.slots()? {
            let layer = self.leaves(slot, &documents)?;
            if layer.items.is_empty() {
                continue;
            }
            built.leaves += layer.items.len() as u64;
            let mut work = Work {
                job: self,
                watch,
                slot,
                model: slot.model()?,
                document: document.to_owned(),
                title: title.to_owned(),
                made_with: self.made_with(slot)?,
                texts: Texts { library: self.library, summaries: HashMap::new() },
                next,
                built,
            };
            let same = |t: &&Tree| {
                !self.rebuild
                    && t.embed == slot.key
                    && t.summaries.iter().all(|s| s.made_with == work.made_with)
            };
            let tree = match old.iter().find(same) {
                // One leaf alone needs no summary.
                _ if layer.items.len() < 2 => work.tree(Vec::new()),
                Some(before) => work.update(before, layer)?,
                None => work.grow(layer)?,
            };
            next = work.next;
            built.trees += u64::from(!tree.summaries.is_empty());
            now.push(tree);
        }
        now.retain(|t| !t.summaries.is_empty());
        let nodes =
            || now.iter().flat_map(|t| &t.summaries).map(|s| s.node(&self.group.name, file)).collect();
        Ok((!same_trees(&old, &now)).then(nodes))
    }
}

/// Whether they hold the same summaries, in whatever order.
fn same_trees(old: &[Tree], now: &[Tree]) -> bool {
    let by_id = |trees: &'_ [Tree]| -> HashMap<String, super::Summary> {
        trees.iter().flat_map(|t| &t.summaries).map(|s| (s.id.clone(), s.clone())).collect()
    };
    by_id(old) == by_id(now)
}
