//! Scores of entries: BM25 over weighted fields, by looking at all of them.

use super::Gate;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use tabletalk_core::Score;
use tabletalk_core::seam::store::{Entry, EntryHit, EntryQuery, Field, Term, Weighing};

/// The most terms that a beginning or a word with slips stands for.
const MOST: usize = 64;

/// The entries of a group by owner and part.
pub(super) type Entries = BTreeMap<(i64, u64), Entry>;

/// A word of a query with all that does not depend on the entry.
struct Word<'a> {
    term: &'a Term,
    /// The terms that count as it.
    counts: BTreeSet<String>,
    /// The fields it may stand in that have a weight.
    fields: Vec<Field>,
    weight: f32,
}

/// Scores the entries of one group for one question.
struct Scorer<'a> {
    weighing: &'a Weighing,
    words: Vec<Word<'a>>,
    /// What hits must have one each of.
    required: Vec<BTreeSet<String>>,
    averages: [f32; 5],
}

/// The best entries, the best first.
pub(super) fn search(entries: &Entries, ask: &EntryQuery<'_>) -> Vec<EntryHit> {
    let (gate, scorer) = (Gate::new(ask.allow), Scorer::new(entries, ask));
    let allowed = entries.values().filter(|e| {
        ask.part.is_none_or(|part| part == e.part)
            && gate.lets(e.document, &e.facets)
            && scorer.has_required(e)
    });
    let mut found: Vec<(EntryHit, &Entry)> =
        allowed.filter_map(|e| scorer.found(e, ask.explain).map(|f| (f, e))).collect();
    found.sort_by(|(a, _), (b, _)| better(a, b));
    found.truncate(ask.k);
    let with_data = |(found, entry): (EntryHit, &Entry)| match ask.data {
        true => EntryHit { data: entry.data.clone(), ..found },
        false => found,
    };
    found.into_iter().map(with_data).collect()
}

/// In how many entries a word stands: the largest number over its fields.
pub(super) fn frequency(entries: &Entries, term: &Term) -> u64 {
    in_entries(entries, &counting(entries, term, &term.fields), &term.fields)
}

/// Higher scores first, then smaller owners, parts and documents.
fn better(a: &EntryHit, b: &EntryHit) -> Ordering {
    let key = |f: &EntryHit| (f.owner, f.part, f.document);
    b.score.total_cmp(&a.score).then_with(|| key(a).cmp(&key(b)))
}

fn terms_of(entry: &Entry, field: Field) -> impl Iterator<Item = &String> {
    entry.terms.iter().filter(move |(f, _)| *f == field).flat_map(|(_, terms)| terms)
}

/// All terms that stand in some fields.
fn dictionary<'a>(entries: &'a Entries, fields: &[Field]) -> BTreeSet<&'a String> {
    let own = |e: &'a Entry| fields.iter().flat_map(|f| terms_of(e, *f)).collect::<Vec<_>>();
    entries.values().flat_map(own).collect()
}

/// The terms that count as a word: its own, and of the others those nearest to what it asks for.
fn counting(entries: &Entries, term: &Term, fields: &[Field]) -> BTreeSet<String> {
    let mut counts: BTreeSet<String> = term.any.iter().cloned().collect();
    if term.prefix.is_none() && term.like.is_none() {
        return counts;
    }
    let distance = |found: &str| {
        let begins = term.prefix.as_ref().is_some_and(|p| found.starts_with(p.as_str()));
        let away = term.like.as_ref().map(|(word, most)| (slips(word, found), usize::from(*most)));
        let away = away.filter(|(slips, most)| slips <= most).map(|(slips, _)| slips);
        if begins { Some(0) } else { away }
    };
    let all = dictionary(entries, fields).into_iter();
    let mut near: Vec<(usize, &String)> = all.filter_map(|t| Some((distance(t)?, t))).collect();
    near.sort();
    counts.extend(near.into_iter().take(MOST).map(|(_, t)| t.clone()));
    counts
}

/// The largest number over fields of the entries that have a term, terms counted each by itself; at most all
/// entries.
fn in_entries(entries: &Entries, counts: &BTreeSet<String>, fields: &[Field]) -> u64 {
    let in_field = |field: &Field| {
        let each = entries.values().map(|e| {
            let own: BTreeSet<&String> = terms_of(e, *field).filter(|t| counts.contains(*t)).collect();
            own.len() as u64
        });
        each.sum::<u64>()
    };
    fields.iter().map(in_field).max().unwrap_or(0).min(entries.len() as u64)
}

/// How many slips lead from one word to another: a letter too many, too few, another one, or two swapped.
fn slips(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let other = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = other.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

impl<'a> Scorer<'a> {
    fn new(entries: &Entries, ask: &EntryQuery<'a>) -> Self {
        let total = entries.len() as f32;
        let word = |term: &'a Term| {
            let weighs = |field: &Field| ask.weighing.fields[*field as usize] != 0.0;
            let fields: Vec<Field> = term.fields.iter().copied().filter(weighs).collect();
            let counts = counting(entries, term, &fields);
            let frequency = in_entries(entries, &counts, &fields) as f32;
            let rarity = (1.0 + (total - frequency + 0.5) / (frequency + 0.5)).ln();
            Word { term, counts, fields, weight: rarity * term.weight }
        };
        let average = |field: Field| {
            let all: usize = entries.values().map(|e| terms_of(e, field).count()).sum();
            (all as f32 / total.max(1.0)).max(1.0)
        };
        Scorer {
            weighing: ask.weighing,
            words: ask.terms.iter().map(word).collect(),
            required: ask.required.iter().map(|t| counting(entries, t, &Field::WORDS)).collect(),
            averages: Field::ALL.map(average),
        }
    }

    /// Whether an entry has all words that it must have.
    fn has_required(&self, entry: &Entry) -> bool {
        let has = |counts: &BTreeSet<String>| {
            Field::WORDS.iter().any(|f| terms_of(entry, *f).any(|t| counts.contains(t)))
        };
        self.required.iter().all(has)
    }

    /// What the occurrences of a word in a field of an entry come to, weighted, the long field held back.
    fn occurrences(&self, entry: &Entry, word: &Word<'_>, field: Field) -> f32 {
        let mut own: Vec<&String> = terms_of(entry, field).filter(|t| word.counts.contains(*t)).collect();
        if self.weighing.once {
            own.sort();
            own.dedup();
        }
        if own.is_empty() {
            return 0.0;
        }
        let Weighing { b, fields, .. } = self.weighing;
        let length = terms_of(entry, field).count() as f32;
        own.len() as f32 * fields[field as usize] / (1.0 - b + b * length / self.averages[field as usize])
    }

    /// An entry with its score; `None` when it has none of the words.
    fn found(&self, entry: &Entry, explain: bool) -> Option<EntryHit> {
        let (k1, mut matched, mut score, mut why) = (self.weighing.k1, None, 0.0, Vec::new());
        for word in &self.words {
            let parts: Vec<f32> = word.fields.iter().map(|f| self.occurrences(entry, word, *f)).collect();
            let x: f32 = parts.iter().sum();
            if x <= 0.0 {
                continue;
            }
            let gained = word.weight * x * (k1 + 1.0) / (k1 + x);
            score += gained;
            matched = Some(matched.unwrap_or(0.0) + word.weight);
            for (field, part) in word.fields.iter().zip(parts).filter(|(_, part)| explain && *part > 0.0) {
                let keyword = Some(word.term.keyword.clone());
                why.push(Score { name: field.name().into(), value: gained * part / x, keyword });
            }
        }
        let share = self.share(matched?);
        why.iter_mut().for_each(|s| s.value *= share);
        let Entry { document, owner, part, .. } = *entry;
        Some(EntryHit { document, owner, part, score: score * share, data: Vec::new(), why })
    }

    /// What the score is multiplied by for the words that an entry lacks.
    fn share(&self, matched: f32) -> f32 {
        let all: f32 = self.words.iter().map(|w| w.weight).sum();
        match self.weighing.coverage {
            0.0 => 1.0,
            power => (matched / all.max(f32::MIN_POSITIVE)).powf(power),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::slips;

    #[test]
    fn counts_slips() {
        let cases =
            [("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("", "ab", 2), ("销售额", "销额", 1)];
        for (a, b, n) in cases {
            assert_eq!((slips(a, b), slips(b, a)), (n, n), "{a} {b}");
        }
    }
}
