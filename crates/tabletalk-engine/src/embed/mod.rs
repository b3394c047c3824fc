//! Giving nodes their vectors.
//!
//! A **slot** is an embedding model under an embed key, with the groups whose nodes it embeds and the
//! language it is for. What a document's nodes need is found by comparing marks in the catalogue with
//! what is configured, so embedding can stop at any time and go on later.

mod filled;
mod slot;
mod space;
mod text;

pub use slot::{Embedders, Route, Slot};
pub use space::{bring_dense_up_to_date, bring_up_to_date, damage, is_up_to_date};
pub(crate) use text::pieces;

use crate::group::{Definition, Groups};
use crate::watch::Watch;
use filled::Filled;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use tabletalk_core::seam::{Embed, Embedding, Role, Want};
use tabletalk_core::{Error, Result};
use tabletalk_store::embedding::{Hash, Piece, Space, hash, rounded};
use tabletalk_store::vectors::{dense, late};
use tabletalk_store::{Catalog, Library};
use text::Text;

/// Documents looked at in one go.
const PAGE: usize = 256;
/// Texts after which what was made so far is put into the catalogue.
const TOGETHER: usize = 1024;
/// Texts embedded between two looks at whether to stop.
const STEP: usize = 128;

/// What is embedded of a node, and how vectors are indexed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Whether `add` embeds what it added.
    pub at_add: bool,
    /// Tokens of one piece of a table, as the text groups count them.
    pub table_tokens: usize,
    /// Pieces of a table that are embedded.
    pub table_pieces: usize,
    /// Values of a table that are embedded, the most frequent first.
    pub max_encode_cell: usize,
    /// Rows of a table that are embedded.
    pub max_encode_row: usize,
    /// How dense indexes are kept.
    pub dense: dense::Settings,
    /// How late-interaction indexes are kept.
    pub late: late::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            at_add: true,
            table_tokens: 90,
            table_pieces: 4,
            max_encode_cell: 10_000,
            max_encode_row: 10_000,
            dense: dense::Settings::default(),
            late: late::Settings::default(),
        }
    }
}

/// What came of embedding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Embedded {
    /// Texts that were given to a model.
    pub texts: u64,
    /// Texts whose vectors were known.
    pub known: u64,
    /// Whether it was stopped before the end.
    pub interrupted: bool,
}

/// What embedding needs to know.
pub struct Job<'a> {
    /// Where the nodes are.
    pub library: &'a Library,
    /// The groups there are.
    pub groups: &'a Groups,
    /// The models.
    pub embedders: &'a Embedders,
}

/// Embeds every node that has no vector yet and brings the indexes up to date. The caller holds the lock.
pub fn run(job: &Job<'_>, watch: &dyn Watch) -> Result<Embedded> {
    let mut done = Embedded::default();
    for slot in job.embedders.slots() {
        for name in &slot.groups {
            let group = job.groups.get(name)?;
            Filling::new(job, slot, group).fill(watch, &mut done)?;
            if done.interrupted {
                return Ok(done);
            }
        }
    }
    bring_up_to_date(job, watch)?;
    Ok(done)
}

/// How many documents lack vectors, summed over the spaces.
pub fn missing(job: &Job<'_>) -> Result<u64> {
    let catalog = job.library.catalog()?;
    if catalog.counts()?[0] == 0 {
        return Ok(0);
    }
    let mut missing = 0;
    for slot in job.embedders.slots() {
        for name in &slot.groups {
            let filling = Filling::new(job, slot, job.groups.get(name)?);
            let model = slot.model()?;
            missing += catalog.count_not_embedded(&filling.space, &filling.definition(&*model))?;
        }
    }
    Ok(missing)
}

/// What every document has when it has all its vectors: the spaces, and what their vectors depend on.
pub fn wanted(job: &Job<'_>) -> Result<Vec<(Space, String)>> {
    let mut wanted = Vec::new();
    for slot in job.embedders.slots() {
        for name in &slot.groups {
            let filling = Filling::new(job, slot, job.groups.get(name)?);
            let definition = filling.definition(&*slot.model()?);
            wanted.push((filling.space, definition));
        }
    }
    Ok(wanted)
}

/// One space on its way to being complete.
struct Filling<'a> {
    job: &'a Job<'a>,
    slot: &'a Slot,
    group: &'a Definition,
    space: Space,
}

/// A document whose texts wait for their vectors.
struct Waiting {
    document: i64,
    texts: Vec<Text>,
    hashes: Vec<Hash>,
}

impl<'a> Filling<'a> {
    fn new(job: &'a Job<'a>, slot: &'a Slot, group: &'a Definition) -> Self {
        let space = Space { embed: slot.key.clone(), group: group.name.clone() };
        Filling { job, slot, group, space }
    }

    /// What the vectors of the space depend on besides the documents.
    fn definition(&self, model: &dyn Embed) -> String {
        let group = self.job.groups.fingerprint(self.group);
        let s = &self.job.embedders.settings;
        let text = match self.group.name.as_str() {
            "table" => format!("{} {}", s.table_tokens, s.table_pieces),
            "cell" => format!("{} ranges", s.max_encode_cell),
            "row" => s.max_encode_row.to_string(),
            _ => String::new(),
        };
        format!("{}|{:?}|{group}|{text}|{}", model.identity(), self.slot.route, text::VERSION)
    }

    fn fill(&self, watch: &dyn Watch, done: &mut Embedded) -> Result<()> {
        let mut catalog = self.job.library.catalog()?;
        if catalog.counts()?[0] == 0 {
            return Ok(());
        }
        let model = self.slot.model()?;
        if model.dim() == 0 && !self.slot.sparse {
            return Err(Error::input("the model gives no vectors of whole texts")
                .at(format!("embed key `{}`", self.slot.key))
                .hint("set `sparse = true` for a model that gives sparse vectors"));
        }
        let definition = self.definition(&*model);
        if catalog.space_model(&self.space)?.is_some_and(|(name, _)| name != model.identity()) {
            // Vectors of two models cannot be compared.
            let change = catalog.side_change()?;
            change.clear_space(&self.space)?;
            change.commit()?;
            self.job.library.vectors().drop_space(&self.space)?;
            if let Some(store) = &self.job.library.shared().vector {
                store.drop_space(&self.space)?;
            }
        }
        let total = catalog.count_not_embedded(&self.space, &definition)?;
        drop(catalog);
        let (mut ready, begun) = (0u64, std::time::Instant::now());
        while ready < total {
            let page = self.job.library.catalog()?.not_embedded(&self.space, &definition, PAGE)?;
            if page.is_empty() {
                break;
            }
            for batch in self.batches(page)? {
                if watch.stopped() || !self.put(&*model, &definition, &batch, watch, done)? {
                    done.interrupted = true;
                    return Ok(());
                }
                ready += batch.len() as u64;
                watch.embedded(
                    &format!("{} {}", self.space.group, self.space.embed),
                    ready,
                    total,
                    begun.elapsed(),
                );
            }
        }
        Ok(())
    }

    /// The documents with their texts, cut where enough texts have come together.
    fn batches(&self, page: Vec<i64>) -> Result<Vec<Vec<Waiting>>> {
        let catalog = self.job.library.catalog()?;
        let (mut batches, mut texts_in_last) = (vec![Vec::new()], 0);
        for document in page {
            let mut texts = text::texts(&catalog, self.group, document, &self.job.embedders.settings)?;
            texts.retain(|t| self.slot.route.takes(&t.text));
            let hashes: Vec<Hash> = texts.iter().map(|t| hash(&t.text)).collect();
            if texts_in_last >= TOGETHER {
                batches.push(Vec::new());
                texts_in_last = 0;
            }
            texts_in_last += texts.len();
            if let Some(last) = batches.last_mut() {
                last.push(Waiting { document, texts, hashes });
            }
        }
        batches.retain(|b| !b.is_empty());
        Ok(batches)
    }

    /// Embeds the texts of a batch and puts all of it in one change. False when it was stopped.
    fn put(
        &self,
        model: &dyn Embed,
        definition: &str,
        batch: &[Waiting],
        watch: &dyn Watch,
        done: &mut Embedded,
    ) -> Result<bool> {
        let mut catalog = self.job.library.catalog()?;
        let new = unknown(&catalog, model.identity(), batch)?;
        let mut vectors = Vec::with_capacity(new.len());
        for step in new.chunks(STEP) {
            if watch.stopped() {
                return Ok(false);
            }
            let texts: Vec<&str> = step.iter().map(|(_, text)| *text).collect();
            vectors.extend(match model.dim() {
                // That the texts are there is kept all the same: sparse vectors are made for them later.
                0 => vec![Embedding::default(); texts.len()],
                _ => model.embed(&texts, Role::Passage, Want::Pooled)?,
            });
        }
        done.texts += new.len() as u64;
        done.known += batch.iter().map(|w| w.texts.len() as u64).sum::<u64>() - new.len() as u64;
        let change = catalog.side_change()?;
        for ((hash, _), vector) in new.iter().zip(&vectors) {
            change.put_embedding(model.identity(), hash, &vector.pooled)?;
        }
        for w in batch {
            let pieces: Vec<Piece> = w.texts.iter().zip(&w.hashes).map(|(t, h)| t.piece(*h)).collect();
            change.put_pieces(&self.space, w.document, model.identity(), definition, &pieces)?;
        }
        change.commit()?;
        Ok(true)
    }

    /// Adds the vectors of these documents to an index that a model fills.
    fn add_to<I: Filled>(&self, model: &dyn Embed, documents: &[i64], index: &mut I) -> Result<()> {
        let catalog = self.job.library.catalog()?;
        // Texts of several documents together: one alone may be too little for the model to be busy.
        let mut waiting: Vec<(u64, String)> = Vec::new();
        for &document in documents {
            let pieces = catalog.pieces_of(&self.space, document)?;
            let texts = text::texts(&catalog, self.group, document, &self.job.embedders.settings)?;
            let by_hash: HashMap<Hash, &str> =
                texts.iter().map(|t| (hash(&t.text), t.text.as_str())).collect();
            let new = pieces.iter().filter(|(key, _)| !index.contains(*key));
            let text_of = |piece: &Piece| by_hash.get(&piece.hash).map(|text| (*text).to_owned());
            waiting.extend(new.filter_map(|(key, piece)| Some((*key, text_of(piece)?))));
            if waiting.len() >= STEP {
                put_made(model, &std::mem::take(&mut waiting), index)?;
            }
        }
        put_made(model, &waiting, index)
    }
}

/// Puts what a model makes of texts into an index, each under its key.
fn put_made<I: Filled>(model: &dyn Embed, waiting: &[(u64, String)], index: &mut I) -> Result<()> {
    for step in waiting.chunks(STEP) {
        let texts: Vec<&str> = step.iter().map(|w| w.1.as_str()).collect();
        let made = model.embed(&texts, Role::Passage, I::WANT)?;
        index.put(&step.iter().map(|w| w.0).zip(made).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// What is embedded of a node of text: with the title of its document before it, where it does not say it itself.
pub(crate) fn node_text(title: &str, text: &str) -> String {
    match title.is_empty() || text.contains(title) {
        true => text.to_owned(),
        false => format!("{title}\n{text}"),
    }
}

/// The vectors of texts, kept nowhere.
pub(crate) fn made_of(model: &dyn Embed, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
    let mut vectors = Vec::with_capacity(texts.len());
    for step in texts.chunks(STEP) {
        vectors.extend(model.embed(step, Role::Passage, Want::Pooled)?.into_iter().map(|e| e.pooled));
    }
    Ok(vectors)
}

/// The vectors of texts; those that were not known are made, and kept as they are made.
pub(crate) fn vectors_of(
    library: &Library,
    model: &dyn Embed,
    texts: &[String],
    watch: &dyn Watch,
) -> Result<Vec<Vec<f32>>> {
    let mut catalog = library.catalog()?;
    let mut vectors = Vec::with_capacity(texts.len());
    for step in texts.chunks(STEP) {
        if watch.stopped() {
            return Err(crate::watch::interrupted());
        }
        let hashes: Vec<Hash> = step.iter().map(|t| hash(t)).collect();
        let mut known = HashMap::new();
        for h in &hashes {
            known.extend(catalog.embedding(model.identity(), h)?.map(|v| (*h, v)));
        }
        let new: Vec<(&Hash, &str)> = hashes
            .iter()
            .zip(step)
            .filter(|(h, _)| !known.contains_key(*h))
            .map(|(h, t)| (h, t.as_str()))
            .collect();
        let made = match new.is_empty() {
            true => Vec::new(),
            false => {
                let texts: Vec<&str> = new.iter().map(|n| n.1).collect();
                model.embed(&texts, Role::Passage, Want::Pooled)?
            }
        };
        let change = catalog.side_change()?;
        for ((h, _), embedding) in new.iter().zip(made) {
            change.put_embedding(model.identity(), h, &embedding.pooled)?;
            // As it will be read the next time, or the same build would come out otherwise.
            known.insert(**h, rounded(&embedding.pooled));
        }
        change.commit()?;
        vectors.extend(hashes.iter().filter_map(|h| known.get(h).cloned()));
    }
    Ok(vectors)
}

/// The texts whose vector is not known, each once.
fn unknown<'w>(catalog: &Catalog, model: &str, batch: &'w [Waiting]) -> Result<Vec<(Hash, &'w str)>> {
    let mut seen = HashSet::new();
    let mut new = Vec::new();
    for w in batch {
        for (text, hash) in w.texts.iter().zip(&w.hashes) {
            if seen.insert(*hash) && catalog.embedding(model, hash)?.is_none() {
                new.push((*hash, text.text.as_str()));
            }
        }
    }
    Ok(new)
}
