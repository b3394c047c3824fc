//! Adding, removing, and making it last.

use super::Late;
use super::codec::{Codec, Codes};
use super::kmeans::pick;
use super::segment::{Dead, Outline, Segment, write_coded, write_flat};
use super::stage::{Pending, prepare};
use super::state::{State, Trained, store};
use crate::file::sweep;
use half::f16;
use half::slice::HalfFloatSliceExt;
use std::path::Path;
use std::sync::Arc;
use tabletalk_core::{Matrix, Result};

/// Rows compressed at once.
const CHUNK: usize = 1 << 15;
/// Where documents must be compressed before all have come, so many times as many are thought to come.
const MORE: usize = 8;
const SEED: u64 = 0x5EED;

impl Late {
    /// Adds documents, in place of those of the same ids. They are found after the next [`commit`](Late::commit).
    ///
    /// Rows are made of length one. A document with a vector of another length, or one that is not finite, is an error;
    /// those before it stay added.
    pub fn add<'a>(&mut self, documents: impl IntoIterator<Item = (u64, &'a Matrix)>) -> Result<()> {
        for (id, document) in documents {
            let rows = prepare(id, document, self.dim)?;
            self.forget(id);
            self.pending.stage.push(id, &rows, self.dim);
            let waiting = self.pending.stage.tokens(self.dim);
            if waiting >= self.settings.stage_tokens.max(self.settings.flat_limit + 1) {
                self.flush(waiting * MORE)?;
            }
        }
        Ok(())
    }

    /// Removes documents. They are found until the next [`commit`](Late::commit). Ids that are not there do no harm.
    pub fn remove(&mut self, ids: impl IntoIterator<Item = u64>) {
        for id in ids {
            self.pending.stage.remove(id);
            self.forget(id);
        }
    }

    /// What was written of a document no longer counts.
    fn forget(&mut self, id: u64) {
        if self.places.contains_key(&id) {
            self.pending.removed.insert(id);
        }
        if let Some((segment, place)) = self.pending.places.remove(&id) {
            self.pending.segments[segment].dead.add(place);
        }
    }

    /// Makes all changes last, under the generation of what the index is derived from.
    ///
    /// After an error the index is what it was at the last commit, and the changes are forgotten.
    pub fn commit(&mut self, generation: u64) -> Result<()> {
        let done = self.settle(generation);
        self.pending = Pending::default();
        let next = done?;
        self.places = super::places(&next);
        self.state = next;
        sweep(&self.dir, &["seg-", "dead-", "codec-"], &self.state.files());
        Ok(())
    }

    fn settle(&mut self, generation: u64) -> Result<State> {
        let mut next = self.state.clone();
        next.generation = generation;
        next.bury(&self.pending.removed);
        let tokens = next.tokens() + self.pending.stage.tokens(self.dim);
        if self.trained().is_none() && tokens <= self.settings.flat_limit {
            self.flush_flat()?;
        } else {
            self.stage_flat(&mut next);
            self.flush(tokens)?;
        }
        next.trained = self.trained().cloned();
        next.segments.append(&mut self.pending.segments);
        next.next = self.state.next;
        self.retrain(&mut next)?;
        merge(&mut next, &self.dir, self.dim)?;
        next.save(&self.dir, self.dim, self.settings.bits)?;
        Ok(next)
    }

    fn trained(&self) -> Option<&Trained> {
        self.pending.trained.as_ref().or(self.state.trained.as_ref())
    }

    /// Documents kept whole wait again, to be compressed with the others.
    fn stage_flat(&mut self, next: &mut State) {
        let (flat, rest) = std::mem::take(&mut next.segments).into_iter().partition(Segment::is_flat);
        next.segments = rest;
        let flat: Vec<Segment> = flat;
        for segment in &flat {
            for (place, id) in segment.live() {
                self.pending.stage.push(id, segment.whole(place), self.dim);
            }
        }
    }

    /// Writes what waits, whole.
    fn flush_flat(&mut self) -> Result<()> {
        let (outline, rows) = self.pending.stage.take(self.dim);
        if outline.ids.is_empty() {
            return Ok(());
        }
        let name = self.state.name("seg");
        write_flat(&self.dir.join(&name), &outline, &rows)?;
        self.pending.segments.push(Segment::open(&self.dir, &name, self.dim, None, Dead::default())?);
        Ok(())
    }

    /// Writes what waits, compressed. Learns how from it where that is not known yet, for an index of so many tokens.
    fn flush(&mut self, made_for: usize) -> Result<()> {
        let (outline, rows) = self.pending.stage.take(self.dim);
        if outline.ids.is_empty() {
            return Ok(());
        }
        let trained = match self.trained() {
            Some(trained) => trained.clone(),
            None => self.train(&rows, made_for)?,
        };
        let chunks = rows.chunks(CHUNK * self.dim).map(HalfFloatSliceExt::to_f32_vec);
        let segment = self.write(&trained.codec, &outline, chunks)?;
        self.pending.trained = Some(trained);
        let number = self.pending.segments.len();
        self.pending.places.extend(segment.live().map(|(place, id)| (id, (number, place))));
        self.pending.segments.push(segment);
        Ok(())
    }

    fn train(&mut self, rows: &[f16], made_for: usize) -> Result<Trained> {
        let most = self.settings.train_tokens;
        let tokens = rows.len() / self.dim;
        let sample: Vec<f16>;
        let sample = if tokens <= most {
            rows
        } else {
            let picked = pick(tokens, most, SEED);
            sample =
                picked.iter().flat_map(|i| &rows[*i as usize * self.dim..][..self.dim]).copied().collect();
            &sample
        };
        let centroids = self.settings.centroids_for(made_for);
        let codec = Arc::new(Codec::learn(sample, self.dim, centroids, self.settings.bits));
        let name = self.state.name("codec");
        store(&self.dir, &name, &codec)?;
        Ok(Trained { codec, name, made_for })
    }

    /// Compresses rows, which come in chunks, and writes them.
    fn write(
        &mut self,
        codec: &Codec,
        outline: &Outline,
        chunks: impl Iterator<Item = Vec<f32>>,
    ) -> Result<Segment> {
        let mut all = Codes::default();
        for rows in chunks {
            let codes = codec.encode(&rows);
            all.centroids.extend(codes.centroids);
            all.rest.extend(codes.rest);
        }
        let name = self.state.name("seg");
        write_coded(
            &self.dir.join(&name),
            outline,
            &all.centroids,
            vec![&all.rest],
            codec.tree.points.len(),
        )?;
        Segment::open(&self.dir, &name, self.dim, Some(codec), Dead::default())
    }

    /// Learns anew, from compressed vectors, when the index has outgrown its centroids.
    fn retrain(&mut self, next: &mut State) -> Result<()> {
        let Some(old) = next.trained.clone() else { return Ok(()) };
        let tokens = next.tokens();
        if tokens <= old.made_for.saturating_mul(self.settings.growth) {
            return Ok(());
        }
        let sample = sample(next, &old.codec, self.settings.train_tokens as f64 / tokens as f64);
        let new = self.train(&sample, tokens)?;
        drop(sample);
        let mut segments = Vec::new();
        for segment in &next.segments {
            let documents: Vec<(u32, u64)> = segment.live().collect();
            for documents in documents.chunks(1 << 14) {
                segments.push(self.recode(segment, documents, &old.codec, &new.codec)?);
            }
        }
        next.segments = segments;
        next.trained = Some(new);
        next.next = self.state.next;
        Ok(())
    }

    fn recode(
        &mut self,
        from: &Segment,
        documents: &[(u32, u64)],
        old: &Codec,
        new: &Codec,
    ) -> Result<Segment> {
        let mut outline = Outline::default();
        documents.iter().for_each(|(place, id)| outline.push(*id, from.tokens(*place)));
        let chunks = documents.chunks(256).map(|documents| {
            let (mut rows, mut one) = (Vec::new(), Vec::new());
            for (place, _) in documents {
                from.decode(*place, Some(old), &mut one);
                rows.extend_from_slice(&one);
            }
            rows
        });
        self.write(new, &outline, chunks)
    }
}

/// About the given share of the tokens, whole documents at a time.
fn sample(state: &State, codec: &Codec, share: f64) -> Vec<f16> {
    let (mut rows, mut one, mut due) = (Vec::new(), Vec::new(), 0.0);
    for segment in &state.segments {
        for (place, _) in segment.live() {
            due += share.min(1.0);
            if due >= 1.0 {
                due -= 1.0;
                segment.decode(place, Some(codec), &mut one);
                rows.extend(one.iter().map(|x| f16::from_f32(*x)));
            }
        }
    }
    rows
}

/// Merges segments until each is at least twice as large as all smaller ones together, so that their number grows with
/// the logarithm of the tokens and each token is copied about as often. Those with many dead documents are written anew.
pub(super) fn merge(state: &mut State, dir: &Path, dim: usize) -> Result<()> {
    let (keep, merge) = choose(std::mem::take(&mut state.segments));
    state.segments = keep;
    if merge.is_empty() {
        return Ok(());
    }
    let name = state.name("seg");
    let codec = state.trained.as_ref().map(|trained| trained.codec.clone());
    if let Some(segment) = join(&merge, dir, name, dim, codec.as_deref())? {
        state.segments.push(segment);
    }
    Ok(())
}

/// The segments that stay, and those to be merged into one.
fn choose(segments: Vec<Segment>) -> (Vec<Segment>, Vec<Segment>) {
    let mut sized: Vec<(usize, Segment)> = segments.into_iter().map(|s| (s.live_tokens(), s)).collect();
    sized.sort_by_key(|(tokens, _)| std::cmp::Reverse(*tokens));
    let mut smaller: usize = sized.iter().map(|(tokens, _)| tokens).sum();
    let cut = sized.iter().position(|(tokens, _)| {
        smaller -= tokens;
        *tokens < 2 * smaller
    });
    let cut = cut.unwrap_or(sized.len());
    let (mut keep, mut merge) = (Vec::new(), Vec::new());
    for (i, (_, segment)) in sized.into_iter().enumerate() {
        let worn = segment.dead.count() * 4 > segment.ids().len();
        if i >= cut || worn { merge.push(segment) } else { keep.push(segment) }
    }
    (keep, merge)
}

/// Writes the documents that count into one segment; none where there are none.
fn join(
    segments: &[Segment],
    dir: &Path,
    name: String,
    dim: usize,
    codec: Option<&Codec>,
) -> Result<Option<Segment>> {
    let mut outline = Outline::default();
    let live = || segments.iter().flat_map(|s| s.live().map(move |(place, id)| (s, place, id)));
    live().for_each(|(segment, place, id)| outline.push(id, segment.tokens(place)));
    if outline.ids.is_empty() {
        return Ok(None);
    }
    let path = dir.join(&name);
    match codec {
        None => {
            let rows: Vec<f16> = live().flat_map(|(s, place, _)| s.whole(place)).copied().collect();
            write_flat(&path, &outline, &rows)?;
        }
        Some(codec) => {
            let centroids: Vec<u16> = live().flat_map(|(s, place, _)| s.centroids(place)).copied().collect();
            let rest = live().map(|(s, place, _)| s.rest(place)).collect();
            write_coded(&path, &outline, &centroids, rest, codec.tree.points.len())?;
        }
    }
    Segment::open(dir, &name, dim, codec, Dead::default()).map(Some)
}
