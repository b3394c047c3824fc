//! Scoring: BM25 over several fields, with weights.
//!
//! A term's occurrences in all fields of an entry are weighted, normalised by field length and summed
//! before saturation (BM25F), so that a word in title and cells does not count as two matches.

use super::Group;
use super::query::{Lookup, Weighted};
use super::schema::Field;
use super::segment::Cursor;
use super::segment::Segment;
use crate::error::tantivy;
use ::tantivy::columnar::Column;
use ::tantivy::schema::{IndexRecordOption, Value};
use ::tantivy::{DocAddress, TantivyDocument};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::PoisonError;
use tabletalk_core::{Result, Score};

/// An entry that was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The key of its document.
    pub document: i64,
    /// The key of the node or table it stands for.
    pub owner: i64,
    /// Which part of the owner it is.
    pub part: u64,
    /// The score.
    pub score: f32,
    /// Where it stands in the index.
    pub address: DocAddress,
}

/// Which entries may be found, by document and part; all, when there is no rule.
pub type Keep<'a> = Option<&'a (dyn Fn(i64, u64) -> bool + Sync)>;

/// Arrays over all entries of a segment, kept between searches.
#[derive(Default)]
pub(crate) struct Scratch {
    score: Vec<f32>,
    mass: Vec<f32>,
    count: Vec<f32>,
    touched: Vec<u32>,
    term_touched: Vec<u32>,
}

impl Group {
    /// The best `k` entries for what was looked up; `keep` says which may be found.
    pub fn search(&self, lookup: &Lookup<'_>, k: usize, keep: Keep<'_>) -> Result<Vec<Found>> {
        let total: f32 = lookup.words.iter().map(|w| w.weight).sum();
        let mut scratch =
            self.scratch.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let record =
            if lookup.scoring.once { IndexRecordOption::Basic } else { IndexRecordOption::WithFreqs };
        let (mut cursor, mut best) = (Cursor::new(record), Best::new(k));
        for (number, segment) in self.segments()?.iter().enumerate() {
            score(segment, number, lookup, &mut cursor, &mut scratch)?;
            collect(segment, number, &mut scratch, lookup.scoring.coverage, total, keep, &mut best);
        }
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        Ok(best.into_sorted())
    }

    /// The bytes kept beside an entry.
    pub fn data(&self, address: DocAddress) -> Result<Vec<u8>> {
        let doc: TantivyDocument = self.searcher.doc(address).map_err(tantivy)?;
        Ok(doc.get_first(self.fields.data).and_then(|v| v.as_bytes()).unwrap_or_default().to_vec())
    }

    /// What each word added to the scores of entries, by field.
    pub fn explain(&self, lookup: &Lookup<'_>, entries: &[DocAddress]) -> Result<Vec<Vec<Score>>> {
        let k1 = lookup.scoring.k1;
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|i| entries[*i]);
        let mut scores = vec![Vec::new(); entries.len()];
        let mut cursor = Cursor::new(IndexRecordOption::WithFreqs);
        for word in &lookup.words {
            let mut counts = vec![[0.0; 5]; entries.len()];
            for run in order.chunk_by(|a, b| entries[*a].segment_ord == entries[*b].segment_ord) {
                self.count_in(word, lookup, entries, run, &mut cursor, &mut counts)?;
            }
            for (counts, scores) in counts.into_iter().zip(&mut scores) {
                for (field, x) in Field::ALL.into_iter().zip(counts).filter(|(_, x)| *x > 0.0) {
                    let value = word.weight * x * (k1 + 1.0) / (k1 + x);
                    let keyword = Some(word.keyword.clone());
                    scores.push(Score { name: field.name().into(), value, keyword });
                }
            }
        }
        Ok(scores)
    }

    /// Counts a word in entries of one segment, which come in the order they stand in it.
    fn count_in(
        &self,
        word: &Weighted,
        lookup: &Lookup<'_>,
        entries: &[DocAddress],
        run: &[usize],
        cursor: &mut Cursor,
        counts: &mut [[f32; 5]],
    ) -> Result<()> {
        let Some(number) = run.first().map(|i| entries[*i].segment_ord) else { return Ok(()) };
        let segment = self.segments()?.get(number);
        for (field, info) in &word.places[number as usize] {
            let (norms, lengths) = (lookup.norms(*field), segment.lengths(*field));
            let mut list = cursor.open(segment.index(*field), info)?;
            for &i in run {
                let doc = entries[i].doc_id;
                let norm = norms[lengths.fieldnorm_id(doc) as usize];
                counts[i][*field as usize] += list.count(doc) as f32 * norm;
            }
        }
        Ok(())
    }
}

/// Scores the entries of a segment.
fn score(
    segment: &Segment,
    number: usize,
    lookup: &Lookup<'_>,
    cursor: &mut Cursor,
    scratch: &mut Scratch,
) -> Result<()> {
    scratch.fit(segment.entries);
    for word in &lookup.words {
        for (field, info) in &word.places[number] {
            let (norms, lengths) = (lookup.norms(*field), segment.lengths(*field));
            cursor.open(segment.index(*field), info)?.for_each(|doc, times| {
                scratch.add(doc, times as f32 * norms[lengths.fieldnorm_id(doc) as usize]);
            });
        }
        scratch.saturate(word.weight, lookup.scoring.k1);
    }
    Ok(())
}

impl Scratch {
    fn fit(&mut self, docs: usize) {
        if self.score.len() < docs {
            self.score.resize(docs, 0.0);
            self.mass.resize(docs, 0.0);
            self.count.resize(docs, 0.0);
        }
    }

    fn add(&mut self, doc: u32, x: f32) {
        let count = &mut self.count[doc as usize];
        if *count == 0.0 {
            self.term_touched.push(doc);
        }
        *count += x;
    }

    fn saturate(&mut self, weight: f32, k1: f32) {
        for &doc in &self.term_touched {
            let at = doc as usize;
            let x = std::mem::take(&mut self.count[at]);
            if self.mass[at] == 0.0 {
                self.touched.push(doc);
            }
            self.score[at] += weight * x * (k1 + 1.0) / (k1 + x);
            self.mass[at] += weight.max(f32::MIN_POSITIVE);
        }
        self.term_touched.clear();
    }
}

fn collect(
    segment: &Segment,
    number: usize,
    scratch: &mut Scratch,
    coverage: f32,
    total: f32,
    keep: Keep<'_>,
    best: &mut Best,
) {
    let get = |c: &Column<u64>, doc: u32| c.first(doc).unwrap_or(0);
    let Scratch { score, mass, touched, .. } = scratch;
    for &doc in touched.iter() {
        let mut s = std::mem::take(&mut score[doc as usize]);
        let matched = std::mem::take(&mut mass[doc as usize]) / total.max(f32::MIN_POSITIVE);
        // Raising to a power takes long, and most are too little even by a bound that does not.
        if coverage > 0.0 && !best.wants(s * most_of(matched, coverage) * 1.001) {
            continue;
        }
        if coverage != 0.0 {
            s *= matched.powf(coverage);
        }
        if !best.wants(s) || !segment.has(doc) {
            continue;
        }
        let (document, part) = (get(&segment.documents, doc) as i64, get(&segment.parts, doc));
        if keep.is_some_and(|keep| !keep(document, part)) {
            continue;
        }
        let owner = get(&segment.owners, doc) as i64;
        let address = DocAddress::new(number as u32, doc);
        best.push(Found { document, owner, part, score: s, address });
    }
    touched.clear();
}

/// A little more than `share` to the power of `coverage`: of a share that is one at most, but for rounding.
fn most_of(share: f32, coverage: f32) -> f32 {
    match coverage <= 1.0 {
        // The curve is hollow: it lies below its tangent at one.
        true => 1.0 - coverage * (1.0 - share),
        false => share,
    }
}

/// The best entries so far. Equal scores are ordered by age, so that results do not wander.
struct Best {
    k: usize,
    heap: BinaryHeap<Ranked>,
}

struct Ranked(Found);

impl Ranked {
    fn key(&self) -> (i64, u64, i64) {
        (self.0.owner, self.0.part, self.0.document)
    }
}

impl Ord for Ranked {
    // The worst entry is the greatest, so that it is the one a full heap gives up.
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.score.total_cmp(&self.0.score).then_with(|| self.key().cmp(&other.key()))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

impl Best {
    fn new(k: usize) -> Self {
        Best { k: k.max(1), heap: BinaryHeap::new() }
    }

    /// Of entries with equal scores the first met stay: looking each one up would cost more than the search
    /// when a word stands in a hundred thousand of them.
    fn wants(&self, score: f32) -> bool {
        self.heap.len() < self.k || self.heap.peek().is_some_and(|worst| score > worst.0.score)
    }

    fn push(&mut self, found: Found) {
        self.heap.push(Ranked(found));
        if self.heap.len() > self.k {
            self.heap.pop();
        }
    }

    fn into_sorted(self) -> Vec<Found> {
        self.heap.into_sorted_vec().into_iter().map(|r| r.0).collect()
    }
}
