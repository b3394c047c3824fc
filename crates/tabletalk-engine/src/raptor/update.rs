//! Changing a tree when its leaves changed: only paths above new, changed and gone leaves are made again.

use super::job::Work;
use super::leaf::Layer;
use super::partition::{centre, dot, nearest, partition_rows};
use super::tree::{By, Summary, Tree};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use tabletalk_core::Result;

/// A node joins other clusters too whose centres are this near, as a share of the cosine with the nearest.
const ALSO: f32 = 0.97;
/// A new node farther from every centre than members are by this many standard deviations begins a cluster.
const FAR: f32 = 2.0;

/// A cluster of a layer while it changes.
struct Cluster {
    /// The summary it had; `None` for one that is new.
    old: Option<Summary>,
    rows: Vec<u32>,
    /// Summaries one layer above that must take it in, because it was split off from one of theirs.
    beside: Option<String>,
}

impl Work<'_> {
    /// The tree with its leaves as they are now.
    pub(super) fn update(&mut self, old: &Tree, leaves: Layer) -> Result<Tree> {
        let mut tree = self.tree(Vec::new());
        let mut below = leaves;
        // Which new node of the layer below was split off from which.
        let mut beside: HashMap<String, String> = HashMap::new();
        for number in 1..=old.layers() {
            let clusters = self.changed(old, number, &below, &beside)?;
            beside = HashMap::new();
            let made = self.make_again(number, &below, clusters, &mut beside)?;
            below = self.layer(&made)?;
            tree.summaries.extend(made);
        }
        self.grow_above(&mut tree, below, old.layers())?;
        prune(&mut tree);
        Ok(tree)
    }

    /// The clusters of a layer over the nodes that are below it now.
    fn changed(
        &self,
        old: &Tree,
        number: u32,
        below: &Layer,
        beside: &HashMap<String, String>,
    ) -> Result<Vec<Cluster>> {
        let rows: HashMap<&str, (u32, &str)> = (0u32..)
            .zip(&below.items)
            .map(|(row, item)| (item.child.id.as_str(), (row, item.child.print.as_str())))
            .collect();
        let mut clusters: Vec<Cluster> = Vec::new();
        for summary in old.summaries.iter().filter(|s| s.layer == number) {
            // A leaf whose text changed finds its place anew; a summary that was made again keeps it.
            let kept = summary.children.iter().filter_map(|child| {
                let (row, print) = *rows.get(child.id.as_str())?;
                (number > 1 || print == child.print).then_some(row)
            });
            clusters.push(Cluster { rows: kept.collect(), old: Some(summary.clone()), beside: None });
        }
        clusters.retain(|c| !c.rows.is_empty());
        self.split_off(below, beside, &rows, &mut clusters);
        let placed: HashSet<u32> = clusters.iter().flat_map(|c| c.rows.iter().copied()).collect();
        let new: Vec<u32> = (0..below.items.len() as u32).filter(|row| !placed.contains(row)).collect();
        self.place(below, new, &mut clusters)?;
        self.cut(below, clusters)
    }

    /// What was split off from a node goes to the clusters of that node.
    fn split_off(
        &self,
        below: &Layer,
        beside: &HashMap<String, String>,
        rows: &HashMap<&str, (u32, &str)>,
        clusters: &mut [Cluster],
    ) {
        for (row, item) in (0u32..).zip(&below.items) {
            let Some((from, _)) = beside.get(&item.child.id).and_then(|id| rows.get(id.as_str())) else {
                continue;
            };
            for cluster in clusters.iter_mut().filter(|c| c.rows.contains(from)) {
                cluster.rows.push(row);
            }
        }
    }

    /// New nodes go to the clusters they are nearest to; those that are far from all make clusters of their own.
    fn place(&self, below: &Layer, new: Vec<u32>, clusters: &mut Vec<Cluster>) -> Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        let centres: Vec<Vec<f32>> = clusters.par_iter().map(|c| centre(below, &c.rows)).collect();
        let least = usual(below, clusters, &centres);
        let near: Vec<Vec<(usize, f32)>> =
            new.par_iter().map(|&row| nearest(below.vector(row), &centres)).collect();
        let mut far = Vec::new();
        for (&row, near) in new.iter().zip(&near) {
            match near.first() {
                Some((_, best)) if *best >= least => self.join(row, near, clusters),
                _ => far.push((row, near)),
            }
        }
        match far.as_slice() {
            [] => {}
            [(row, near)] if !near.is_empty() => self.join(*row, near, clusters),
            _ => {
                let rows: Vec<u32> = far.iter().map(|f| f.0).collect();
                for rows in partition_rows(below, rows, self.job.settings, self.watch)? {
                    clusters.push(Cluster { old: None, rows, beside: None });
                }
            }
        }
        Ok(())
    }

    fn join(&self, row: u32, near: &[(usize, f32)], clusters: &mut [Cluster]) {
        let Some((first, best)) = near.first() else { return };
        let second = near.get(1).filter(|n| !self.job.settings.cluster.single && n.1 >= best * ALSO);
        for i in [Some(first), second.map(|n| &n.0)].into_iter().flatten() {
            if let Some(cluster) = clusters.get_mut(*i) {
                cluster.rows.push(row);
            }
        }
    }

    /// Clusters that grew too large are cut; the first part keeps the summary's id.
    fn cut(&self, below: &Layer, clusters: Vec<Cluster>) -> Result<Vec<Cluster>> {
        let mut cut = Vec::with_capacity(clusters.len());
        for mut cluster in clusters {
            cluster.rows.sort_unstable();
            cluster.rows.dedup();
            if below.tokens(&cluster.rows) <= self.job.settings.cluster_token {
                cut.push(cluster);
                continue;
            }
            let from = cluster.old.as_ref().map(|s| s.id.clone());
            let mut parts = partition_rows(below, cluster.rows, self.job.settings, self.watch)?;
            // The largest part is most like what it was.
            parts.sort_by_key(|p| std::cmp::Reverse(p.len()));
            for (i, rows) in parts.into_iter().enumerate() {
                let old = cluster.old.take().filter(|_| i == 0);
                cut.push(Cluster { beside: from.clone().filter(|_| i > 0), old, rows });
            }
        }
        Ok(cut)
    }

    /// The summaries of a layer: as they were where nothing below them changed.
    fn make_again(
        &mut self,
        number: u32,
        below: &Layer,
        clusters: Vec<Cluster>,
        beside: &mut HashMap<String, String>,
    ) -> Result<Vec<Summary>> {
        let wanted = if self.job.chat.is_some() { By::Model } else { By::Extract };
        let (mut kept, mut rows, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for cluster in clusters {
            let children =
                || cluster.rows.iter().filter_map(|&r| below.items.get(r as usize)).map(|i| &i.child);
            let now: HashSet<_> = children().collect();
            let same = |old: &&Summary| {
                old.by == wanted
                    && old.children.len() == now.len()
                    && old.children.iter().all(|c| now.contains(c))
            };
            if let Some(old) = cluster.old.as_ref().filter(same) {
                self.texts.summaries.insert(old.id.clone(), old.text.clone());
                kept.push(old.clone());
                continue;
            }
            let name = cluster.old.map_or_else(|| self.name(), |old| old.id);
            beside.extend(cluster.beside.map(|from| (name.clone(), from)));
            names.push(name);
            rows.push(cluster.rows);
        }
        self.built.summaries_kept += kept.len() as u64;
        self.built.summaries_new += rows.len() as u64;
        kept.extend(self.sum_up(number, below, &rows, names)?);
        Ok(kept)
    }
}

/// A root above one summary alone says nothing more than that.
fn prune(tree: &mut Tree) {
    loop {
        let is_needless = |root: &Summary| root.layer > 1 && root.children.len() == 1;
        let root = match tree.roots().as_slice() {
            [root] if is_needless(root) => root.id.clone(),
            _ => return,
        };
        tree.summaries.retain(|s| s.id != root);
    }
}

/// The cosine with their centre that members of clusters usually have at least.
fn usual(below: &Layer, clusters: &[Cluster], centres: &[Vec<f32>]) -> f32 {
    let pairs: Vec<(u32, &[f32])> = clusters
        .iter()
        .zip(centres)
        .flat_map(|(c, centre)| c.rows.iter().map(move |&row| (row, centre.as_slice())))
        .collect();
    let cosines: Vec<f32> = pairs.par_iter().map(|(row, centre)| dot(below.vector(*row), centre)).collect();
    let count = cosines.len().max(1) as f32;
    let mean = cosines.iter().sum::<f32>() / count;
    let spread = cosines.iter().map(|c| (c - mean).powi(2)).sum::<f32>() / count;
    mean - FAR * spread.sqrt()
}
