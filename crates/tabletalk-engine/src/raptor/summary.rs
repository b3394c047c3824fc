//! Summing up clusters: by a language model, or by taking sentences.

use super::extract::extract;
use super::job::{Texts, Work};
use super::leaf::Layer;
use super::tree::{By, Summary};
use crate::generate::{Estimate, Maker, Order};
use crate::group::tokens;
use crate::prompt::Name;
use crate::watch::interrupted;
use rayon::prelude::*;
use tabletalk_core::chat::ChatOptions;
use tabletalk_core::{Error, Result};

/// Tokens of a request besides what is summed up.
const AROUND: u64 = 160;

impl Texts<'_> {
    /// The text of a node. A passage alone may not say what it is about: `titled` puts its title before it.
    fn get(&self, id: &str, titled: bool) -> Result<String> {
        if let Some(text) = self.summaries.get(id) {
            return Ok(text.clone());
        }
        let catalog = self.library.catalog()?;
        let node = catalog
            .node_by_id(id)?
            .ok_or_else(|| Error::missing(format!("the node `{id}` went while it was summed up")))?;
        if !titled {
            return Ok(node.text);
        }
        let title = catalog.record(node.document())?.map_or(String::new(), |r| r.title);
        Ok(crate::embed::node_text(&title, &node.text))
    }

    fn all(&self, layer: &Layer, rows: &[u32], titled: bool) -> Result<Vec<String>> {
        let items = rows.iter().filter_map(|&r| layer.items.get(r as usize));
        items.map(|item| self.get(&item.child.id, titled)).collect()
    }
}

impl<'a> Work<'a> {
    /// A summary for each cluster of a layer; each has the id that `name` gives it.
    pub(super) fn sum_up(
        &mut self,
        number: u32,
        layer: &Layer,
        clusters: &[Vec<u32>],
        names: Vec<String>,
    ) -> Result<Vec<Summary>> {
        let said = match self.maker() {
            Some(maker) => self.ask(&maker, number, layer, clusters)?,
            None => self.take(layer, clusters)?,
        };
        let children = |rows: &[u32]| {
            rows.iter().filter_map(|&r| layer.items.get(r as usize)).map(|i| i.child.clone()).collect()
        };
        let made = said.into_iter().zip(clusters).zip(names);
        let made: Vec<Summary> = made
            .map(|(((text, by), rows), id)| Summary {
                id,
                layer: number,
                text,
                by,
                embed: self.slot.key.clone(),
                children: children(rows),
                made_with: self.made_with.clone(),
            })
            .collect();
        for summary in &made {
            self.texts.summaries.insert(summary.id.clone(), summary.text.clone());
        }
        Ok(made)
    }

    fn maker(&self) -> Option<Maker<'a>> {
        let chat = self.job.chat?;
        let settings = &self.job.settings.make;
        Some(Maker { chat, accepts: &|_| true, library: self.job.library, settings })
    }

    fn order(&self, maker: &Maker<'_>, layer: &Layer, rows: &[u32]) -> Result<Order> {
        let settings = self.job.settings;
        let mut content = self.texts.all(layer, rows, true)?.join("\n\n");
        // One node alone may be longer than all that fits.
        let room = maker.chat.context().saturating_sub(settings.max_token as usize + 2 * AROUND as usize);
        content.truncate(tokens::head(&content, settings.cluster_token.min(room.max(AROUND as usize))));
        let words = (settings.max_token * 3 / 4).max(1).to_string();
        let talk =
            self.job.prompts.talk(Name::Raptor, &[("cluster_content", &content), ("words", &words)])?;
        Ok(Order { talk, options: ChatOptions { max_tokens: settings.max_token, ..ChatOptions::default() } })
    }

    fn ask(
        &mut self,
        maker: &Maker<'_>,
        number: u32,
        layer: &Layer,
        clusters: &[Vec<u32>],
    ) -> Result<Vec<(String, By)>> {
        self.confirm(maker, layer, clusters)?;
        let order = |i: usize| self.order(maker, layer, clusters.get(i).map_or(&[], Vec::as_slice));
        let what = format!("summing up layer {number} of {}", self.about());
        let made = maker.make(clusters.len(), &order, &what, self.watch)?;
        let mut said = Vec::with_capacity(clusters.len());
        let mut failed = Vec::new();
        for (text, rows) in made.texts.into_iter().zip(clusters) {
            said.push(match text {
                Ok(text) => (text, By::Model),
                Err(e) => {
                    let first = rows.first().and_then(|&r| layer.items.get(r as usize));
                    let first = first.map_or("", |i| i.child.id.as_str());
                    failed.push(format!("{} nodes from {first} on: {e}", rows.len()));
                    (self.extracted(layer, rows)?, By::Extract)
                }
            });
        }
        self.built.usage += made.usage;
        self.built.failed.extend(failed);
        Ok(said)
    }

    /// Asks once, before the first request, whether to go on: as much as this tree costs, and the others in proportion.
    fn confirm(&mut self, maker: &Maker<'_>, layer: &Layer, clusters: &[Vec<u32>]) -> Result<()> {
        if self.built.confirmed {
            return Ok(());
        }
        let mut estimate = Estimate::default();
        for rows in clusters {
            if !maker.knows(&self.order(maker, layer, rows)?)? {
                let read = layer.tokens(rows).min(self.job.settings.cluster_token) as u64;
                estimate.add(read + AROUND + u64::from(self.job.settings.max_token));
            }
        }
        // Each layer above is smaller by about the same share.
        let share = clusters.len() as f64 / layer.items.len().max(1) as f64;
        let seen = self.built.leaves as f64 / self.built.all_leaves.max(1) as f64;
        let more = |n: u64| (n as f64 / (1.0 - share.min(0.9)) / seen.clamp(1e-6, 1.0)).round() as u64;
        let estimate = Estimate { calls: more(estimate.calls), tokens: more(estimate.tokens) };
        if estimate.calls > self.job.settings.make.ask_above {
            if !(self.job.confirm)(&estimate)? {
                return Err(interrupted());
            }
            self.built.confirmed = true;
        }
        Ok(())
    }

    fn take(&self, layer: &Layer, clusters: &[Vec<u32>]) -> Result<Vec<(String, By)>> {
        let one = |rows: &Vec<u32>| match self.watch.stopped() {
            true => Err(interrupted()),
            false => self.extracted(layer, rows).map(|text| (text, By::Extract)),
        };
        clusters.par_iter().map(one).collect()
    }

    fn extracted(&self, layer: &Layer, rows: &[u32]) -> Result<String> {
        let texts = self.texts.all(layer, rows, false)?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let analyzer = self.job.library.keyword().analyzer();
        Ok(extract(&texts, self.job.settings.max_token as usize, analyzer))
    }
}
