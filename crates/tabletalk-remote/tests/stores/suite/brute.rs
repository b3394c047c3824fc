//! What should be found, by looking at everything.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use tabletalk_core::seam::store::Facet;
use tabletalk_core::seam::store::{
    Allow, Entry, EntryHit, EntryQuery, Facets, Field, Near, Point, Term, Test, Weighing,
};

/// Says which documents may be found.
fn gate(allow: &Allow) -> impl Fn(i64, &Facets) -> bool + '_ {
    let named: Option<HashSet<i64>> = allow.documents.as_ref().map(|all| all.iter().copied().collect());
    move |document, facets| {
        named.as_ref().is_none_or(|all| all.contains(&document))
            && allow.filters.iter().all(|filter| {
                let found = facets.iter().find(|(name, _)| *name == filter.field);
                found.is_some_and(|(_, found)| passes(&filter.test, found))
            })
    }
}

/// Whether a value is what it must be.
fn passes(test: &Test, found: &Facet) -> bool {
    match test {
        Test::Is(values) => values.iter().any(|v| found.compare(&Facet::of(v)) == Ordering::Equal),
        Test::From(least) => found.compare(&Facet::of(least)) != Ordering::Less,
        Test::To(most) => found.compare(&Facet::of(most)) != Ordering::Greater,
    }
}

/// The cosine of two vectors.
pub(super) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    (dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()) as f32
}

/// All points that may be found, the nearest first.
pub(super) fn nearest(points: &[Point], query: &[f32], allow: &Allow) -> Vec<Near> {
    let gate = gate(allow);
    let allowed = points.iter().filter(|p| gate(p.document, &p.facets));
    let mut all: Vec<Near> = allowed.map(|p| Near { key: p.key, score: cosine(&p.vector, query) }).collect();
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
    all
}

/// How many slips lead from one word to another: a letter too many, too few, wrong, or two swapped.
pub(super) fn slips(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if i == 0 || j == 0 {
                rows[i][j] = i + j;
                continue;
            }
            let wrong = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + wrong);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}

/// Whether a term counts as a word.
pub(super) fn counts(word: &Term, term: &str) -> bool {
    word.any.iter().any(|t| t == term)
        || word.prefix.as_ref().is_some_and(|p| term.starts_with(p.as_str()))
        || word.like.as_ref().is_some_and(|(w, most)| slips(w, term) <= usize::from(*most))
}

/// The terms of a field of an entry.
fn terms(entry: &Entry, field: Field) -> impl Iterator<Item = &String> {
    entry.terms.iter().filter(move |(f, _)| *f == field).flat_map(|(_, terms)| terms)
}

/// In how many entries a word stands: the largest number over some fields, terms counted each by itself.
pub(super) fn frequency(entries: &[Entry], word: &Term, fields: &[Field]) -> u64 {
    let in_field = |field: Field| {
        let each = entries.iter().map(|e| {
            let those: BTreeSet<&String> = terms(e, field).filter(|t| counts(word, t)).collect();
            those.len() as u64
        });
        each.sum::<u64>()
    };
    fields.iter().map(|f| in_field(*f)).max().unwrap_or(0).min(entries.len() as u64)
}

/// The entries of a group, with what scores need to know of all of them.
struct Weighed<'a> {
    weighing: &'a Weighing,
    average: BTreeMap<&'static str, f64>,
    words: Vec<(&'a Term, Vec<Field>, f64)>,
}

fn weight_of(weighing: &Weighing, field: Field) -> f64 {
    let at = Field::ALL.iter().position(|f| *f == field).unwrap();
    f64::from(weighing.fields[at])
}

fn weigh<'a>(entries: &[Entry], ask: &'a EntryQuery<'_>) -> Weighed<'a> {
    let n = entries.len() as f64;
    let average = |field: Field| {
        let all: usize = entries.iter().map(|e| terms(e, field).count()).sum();
        (field.name(), (all as f64 / n.max(1.0)).max(1.0))
    };
    let word = |word: &'a Term| {
        let fields: Vec<Field> =
            word.fields.iter().copied().filter(|f| weight_of(ask.weighing, *f) != 0.0).collect();
        let df = frequency(entries, word, &fields) as f64;
        let weight = (1.0 + (n - df + 0.5) / (df + 0.5)).ln() * f64::from(word.weight);
        (word, fields, weight)
    };
    Weighed {
        weighing: ask.weighing,
        average: Field::ALL.into_iter().map(average).collect(),
        words: ask.terms.iter().map(word).collect(),
    }
}

impl Weighed<'_> {
    /// What the occurrences of a word in an entry come to.
    fn occurrences(&self, entry: &Entry, word: &Term, fields: &[Field]) -> f64 {
        let (b, mut x) = (f64::from(self.weighing.b), 0.0);
        for field in fields {
            let length = terms(entry, *field).count() as f64;
            let mut tf: BTreeMap<&String, f64> = BTreeMap::new();
            for term in terms(entry, *field).filter(|t| counts(word, t)) {
                *tf.entry(term).or_default() += 1.0;
            }
            let norm = 1.0 - b + b * length / self.average[field.name()];
            for tf in tf.into_values() {
                let tf = if self.weighing.once { 1.0 } else { tf };
                x += tf * weight_of(self.weighing, *field) / norm;
            }
        }
        x
    }

    /// The score of an entry; `None` when it has none of the words.
    fn score(&self, entry: &Entry) -> Option<f64> {
        let k1 = f64::from(self.weighing.k1);
        let (mut score, mut matched, mut any) = (0.0, 0.0, false);
        for (word, fields, weight) in &self.words {
            let x = self.occurrences(entry, word, fields);
            if x > 0.0 {
                any = true;
                matched += weight;
                score += weight * x * (k1 + 1.0) / (k1 + x);
            }
        }
        let all: f64 = self.words.iter().map(|(_, _, weight)| weight).sum();
        if self.weighing.coverage != 0.0 {
            score *= (matched / all).powf(f64::from(self.weighing.coverage));
        }
        any.then_some(score)
    }
}

/// All entries that answer a question, the best first, whatever its `k`.
pub(super) fn best(entries: &[Entry], ask: &EntryQuery<'_>) -> Vec<EntryHit> {
    let (weighed, gate) = (weigh(entries, ask), gate(ask.allow));
    let has =
        |entry: &Entry, word: &Term| Field::WORDS.iter().any(|f| terms(entry, *f).any(|t| counts(word, t)));
    let mut found = Vec::new();
    for entry in entries {
        let allowed = gate(entry.document, &entry.facets)
            && ask.part.is_none_or(|part| part == entry.part)
            && ask.required.iter().all(|word| has(entry, word));
        let Some(score) = allowed.then(|| weighed.score(entry)).flatten() else { continue };
        let Entry { document, owner, part, .. } = *entry;
        let data = if ask.data { entry.data.clone() } else { Vec::new() };
        found.push(EntryHit { document, owner, part, score: score as f32, data, why: Vec::new() });
    }
    let key = |f: &EntryHit| (f.owner, f.part, f.document);
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| key(a).cmp(&key(b))));
    found
}
