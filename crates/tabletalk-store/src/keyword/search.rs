//! Scoring: BM25 over several fields, with weights.
//!
//! A term's occurrences in all fields of an entry are weighted, normalised by field length and summed
//! before saturation (BM25F), so that a word in title and cells does not count as two matches.

use super::schema::{Field, whole_term};
use super::{Group, coarse};
use crate::error::tantivy;
use ::tantivy::columnar::Column;
use ::tantivy::postings::Postings;
use ::tantivy::schema::{IndexRecordOption, Value};
use ::tantivy::{DocAddress, DocSet, SegmentReader, TERMINATED, TantivyDocument, Term};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::PoisonError;
use tabletalk_core::{Result, Score};

/// The parameters of BM25.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scoring {
    /// How soon more occurrences stop to count.
    pub k1: f32,
    /// How much long fields are held back, 0 to 1.
    pub b: f32,
    /// The weight of a word in a title.
    pub title: f32,
    /// The weight of a word in a column name.
    pub name: f32,
    /// The weight of a word in running text.
    pub text: f32,
    /// The weight of a word in a cell value.
    pub values: f32,
    /// The weight of a whole cell value that stands in the query.
    pub whole: f32,
    /// How much entries that match more of the query's words are put forward: the score is multiplied
    /// by the matched share of the query's weight to this power.
    pub coverage: f32,
    /// Whether an entry that has a word several times is taken to have it once.
    #[serde(skip)]
    pub once: bool,
}

impl Default for Scoring {
    fn default() -> Self {
        Scoring {
            k1: 1.2,
            b: 0.75,
            title: 1.0,
            name: 1.0,
            text: 1.0,
            values: 1.0,
            whole: 1.0,
            coverage: 0.0,
            once: false,
        }
    }
}

impl Scoring {
    /// The weight of a field.
    pub fn weight(&self, field: Field) -> f32 {
        match field {
            Field::Title => self.title,
            Field::Name => self.name,
            Field::Text => self.text,
            Field::Values => self.values,
            Field::Whole => self.whole,
        }
    }
}

/// How a word of the query is to be matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// As it is.
    Word,
    /// As the beginning of a word.
    Prefix,
    /// With a slip or two.
    Like,
    /// As a whole cell value.
    Whole,
}

/// A word of the query.
#[derive(Debug, Clone)]
pub struct Clause {
    /// The term, as the analyzer makes it.
    pub term: String,
    /// What the user wrote.
    pub keyword: String,
    /// How much it counts.
    pub weight: f32,
    /// How it is to be matched.
    pub want: Want,
}

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

/// A clause with its terms looked up and its weight fixed for the whole index.
struct Weighted {
    terms: Vec<String>,
    fields: Vec<Field>,
    frequency: f32,
    weight: f32,
    keyword: String,
}

pub(crate) const WORD_FIELDS: [Field; 4] = Field::WORDS;

impl Group {
    /// The best `k` entries for the clauses; `keep` says which may be found.
    pub fn search(
        &self,
        clauses: &[Clause],
        scoring: &Scoring,
        k: usize,
        keep: Keep<'_>,
    ) -> Result<Vec<Found>> {
        let searcher = &self.searcher;
        let weighted = self.weigh(clauses, scoring)?;
        let total: f32 = weighted.iter().map(|w| w.weight).sum();
        let averages = self.average_lengths()?;
        let mut scratch =
            self.scratch.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let mut best = Best::new(k);
        for (ord, segment) in searcher.segment_readers().iter().enumerate() {
            self.score_segment(segment, &weighted, scoring, &averages, &mut scratch)?;
            collect(segment, ord as u32, &mut scratch, scoring.coverage, total, keep, &mut best)?;
        }
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        Ok(best.into_sorted())
    }

    fn weigh(&self, clauses: &[Clause], scoring: &Scoring) -> Result<Vec<Weighted>> {
        let searcher = &self.searcher;
        let total = searcher.num_docs() as f32;
        let mut weighted = Vec::with_capacity(clauses.len());
        for clause in clauses {
            let fields: Vec<Field> = match clause.want {
                Want::Whole => vec![Field::Whole],
                _ => WORD_FIELDS.to_vec(),
            };
            let fields: Vec<Field> = fields.into_iter().filter(|f| scoring.weight(*f) > 0.0).collect();
            let terms = self.terms_of(clause, &fields)?;
            let mut frequency = 0f32;
            for &field in &fields {
                let mut sum = 0;
                for term in &terms {
                    sum += searcher
                        .doc_freq(&Term::from_field_text(self.fields.get(field), term))
                        .map_err(tantivy)?;
                }
                frequency = frequency.max(sum as f32);
            }
            let frequency = frequency.min(total);
            let weight = rarity_of(frequency, total) * clause.weight;
            weighted.push(Weighted { terms, fields, frequency, weight, keyword: clause.keyword.clone() });
        }
        Ok(weighted)
    }

    /// In how many entries each word stands.
    pub(crate) fn frequencies(&self, clauses: &[Clause], scoring: &Scoring) -> Result<Vec<f32>> {
        Ok(self.weigh(clauses, scoring)?.into_iter().map(|w| w.frequency).collect())
    }

    fn terms_of(&self, clause: &Clause, fields: &[Field]) -> Result<Vec<String>> {
        let mut terms = std::collections::BTreeSet::new();
        for &field in fields {
            match clause.want {
                Want::Prefix => terms.extend(self.terms_with_prefix(field, &clause.term)?),
                Want::Like => terms.extend(self.terms_like(field, &clause.term)?),
                Want::Word | Want::Whole => {}
            }
        }
        match clause.want {
            Want::Word => {
                terms.insert(clause.term.clone());
                terms.extend(coarse::beginnings(&clause.term));
            }
            Want::Whole => drop(terms.insert(whole_term(&clause.term))),
            Want::Prefix | Want::Like => {}
        }
        Ok(terms.into_iter().collect())
    }

    fn average_lengths(&self) -> Result<[f32; 5]> {
        let searcher = &self.searcher;
        let mut averages = [1.0; 5];
        for field in Field::ALL {
            let mut tokens = 0;
            for segment in searcher.segment_readers() {
                tokens += segment.inverted_index(self.fields.get(field)).map_err(tantivy)?.total_num_tokens();
            }
            averages[field as usize] = (tokens as f32 / searcher.num_docs().max(1) as f32).max(1.0);
        }
        Ok(averages)
    }

    fn score_segment(
        &self,
        segment: &SegmentReader,
        weighted: &[Weighted],
        scoring: &Scoring,
        averages: &[f32; 5],
        scratch: &mut Scratch,
    ) -> Result<()> {
        scratch.fit(segment.max_doc() as usize);
        for clause in weighted {
            for &field in &clause.fields {
                for term in &clause.terms {
                    self.count_term(segment, field, term, scoring, averages[field as usize], scratch)?;
                }
            }
            scratch.saturate(clause.weight, scoring.k1);
        }
        Ok(())
    }

    fn count_term(
        &self,
        segment: &SegmentReader,
        field: Field,
        term: &str,
        scoring: &Scoring,
        average: f32,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let handle = self.fields.get(field);
        let index = segment.inverted_index(handle).map_err(tantivy)?;
        let term = Term::from_field_text(handle, term);
        let record = if scoring.once { IndexRecordOption::Basic } else { IndexRecordOption::WithFreqs };
        let Some(mut postings) = index.read_postings(&term, record)? else {
            return Ok(());
        };
        let lengths = segment.get_fieldnorms_reader(handle).map_err(tantivy)?;
        let norms = length_norms(scoring, field, average);
        let mut doc = postings.doc();
        while doc != TERMINATED {
            let x = postings.term_freq() as f32 * norms[lengths.fieldnorm_id(doc) as usize];
            scratch.add(doc, x);
            doc = postings.advance();
        }
        Ok(())
    }

    /// The bytes kept beside an entry.
    pub fn data(&self, address: DocAddress) -> Result<Vec<u8>> {
        let doc: TantivyDocument = self.searcher.doc(address).map_err(tantivy)?;
        Ok(doc.get_first(self.fields.data).and_then(|v| v.as_bytes()).unwrap_or_default().to_vec())
    }

    /// What each word added to the scores of entries, by field. Every term is looked up once for all of them.
    pub fn explain(
        &self,
        clauses: &[Clause],
        scoring: &Scoring,
        entries: &[DocAddress],
    ) -> Result<Vec<Vec<Score>>> {
        let averages = self.average_lengths()?;
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|i| entries[*i]);
        let mut scores = vec![Vec::new(); entries.len()];
        for clause in self.weigh(clauses, scoring)? {
            for &field in &clause.fields {
                let norms = length_norms(scoring, field, averages[field as usize]);
                let mut counts = vec![0.0; entries.len()];
                for run in order.chunk_by(|a, b| entries[*a].segment_ord == entries[*b].segment_ord) {
                    self.count_in(&clause, field, &norms, entries, run, &mut counts)?;
                }
                for (x, scores) in counts.into_iter().zip(&mut scores).filter(|(x, _)| *x > 0.0) {
                    let value = clause.weight * x * (scoring.k1 + 1.0) / (scoring.k1 + x);
                    let keyword = Some(clause.keyword.clone());
                    scores.push(Score { name: field.name().into(), value, keyword });
                }
            }
        }
        Ok(scores)
    }

    /// Counts a clause in entries of one segment, which come in the order they stand in it.
    fn count_in(
        &self,
        clause: &Weighted,
        field: Field,
        norms: &[f32; 256],
        entries: &[DocAddress],
        run: &[usize],
        counts: &mut [f32],
    ) -> Result<()> {
        let Some(first) = run.first() else { return Ok(()) };
        let segment = self.searcher.segment_reader(entries[*first].segment_ord);
        let handle = self.fields.get(field);
        let index = segment.inverted_index(handle).map_err(tantivy)?;
        let lengths = segment.get_fieldnorms_reader(handle).map_err(tantivy)?;
        for term in &clause.terms {
            let term = Term::from_field_text(handle, term);
            let Some(mut postings) = index.read_postings(&term, IndexRecordOption::WithFreqs)? else {
                continue;
            };
            for &i in run {
                let doc = entries[i].doc_id;
                let at = if postings.doc() < doc { postings.seek(doc) } else { postings.doc() };
                if at == doc {
                    counts[i] += postings.term_freq() as f32 * norms[lengths.fieldnorm_id(doc) as usize];
                }
            }
        }
        Ok(())
    }
}

/// How much a term counts that stands in so many entries of all.
pub(crate) fn rarity_of(frequency: f32, total: f32) -> f32 {
    (1.0 + (total - frequency + 0.5) / (frequency + 0.5)).ln()
}

/// What one occurrence in a field counts, for each of the 256 field lengths an index tells apart.
fn length_norms(scoring: &Scoring, field: Field, average: f32) -> [f32; 256] {
    let mut norms = [0.0; 256];
    for (id, norm) in norms.iter_mut().enumerate() {
        let length = ::tantivy::fieldnorm::FieldNormReader::id_to_fieldnorm(id as u8) as f32;
        *norm = scoring.weight(field) / (1.0 - scoring.b + scoring.b * length / average);
    }
    norms
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
    segment: &SegmentReader,
    ord: u32,
    scratch: &mut Scratch,
    coverage: f32,
    total: f32,
    keep: Keep<'_>,
    best: &mut Best,
) -> Result<()> {
    let column = |name: &str| segment.fast_fields().u64(name).map_err(tantivy);
    let (documents, owners, parts) = (column("document")?, column("owner")?, column("part")?);
    let get = |c: &Column<u64>, doc: u32| c.first(doc).unwrap_or(0);
    let Scratch { score, mass, touched, .. } = scratch;
    for &doc in touched.iter() {
        let mut s = std::mem::take(&mut score[doc as usize]);
        let matched = std::mem::take(&mut mass[doc as usize]) / total.max(f32::MIN_POSITIVE);
        if coverage != 0.0 {
            s *= matched.powf(coverage);
        }
        if !best.wants(s) || segment.alive_bitset().is_some_and(|alive| !alive.is_alive(doc)) {
            continue;
        }
        let (document, part) = (get(&documents, doc) as i64, get(&parts, doc));
        if keep.is_some_and(|keep| !keep(document, part)) {
            continue;
        }
        let owner = get(&owners, doc) as i64;
        best.push(Found { document, owner, part, score: s, address: DocAddress::new(ord, doc) });
    }
    touched.clear();
    Ok(())
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
