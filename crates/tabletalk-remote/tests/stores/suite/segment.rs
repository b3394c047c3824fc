//! What every segment store must do.

mod agree;
mod change;
mod entry;
mod filter;
mod group;
mod many;
mod score;
mod word;

use super::random::Random;
use super::{Scores, brute, everything, facets, run_all};
use std::collections::BTreeMap;
use tabletalk_core::seam::SegmentStore;
use tabletalk_core::seam::store::{Allow, Entry, EntryHit, EntryQuery, Field, Segment, Term, Weighing};

/// Opens a handle on the store with a prefix.
pub type Make<'a> = dyn Fn(&str) -> Box<dyn SegmentStore> + 'a;

/// What a check works with.
pub struct Bench<'a> {
    make: &'a Make<'a>,
    prefix: &'a str,
    scores: Scores,
}

/// One check.
pub type Check = fn(&Bench<'_>);

/// The group, where it does not matter.
const GROUP: &str = "tables";

impl Bench<'_> {
    /// A handle on the store of this check.
    fn open(&self) -> Box<dyn SegmentStore> {
        (self.make)(self.prefix)
    }

    /// A handle on the store of another library, whose prefix begins like that of this check.
    fn neighbour(&self, more: &str) -> Box<dyn SegmentStore> {
        (self.make)(&format!("{}{more}", self.prefix))
    }

    /// A handle on a store with a group that is empty.
    fn ready(&self) -> Box<dyn SegmentStore> {
        let store = self.open();
        store.prepare(&[(GROUP.into(), weighing())]).unwrap();
        store
    }

    /// A handle on a store whose group has these entries.
    fn filled(&self, entries: &[Entry]) -> Box<dyn SegmentStore> {
        let store = self.ready();
        store.put_entries(GROUP, entries).unwrap();
        store.settle().unwrap();
        store
    }

    /// Compares what a question finds with what it should find.
    fn check(&self, store: &dyn SegmentStore, entries: &[Entry], question: &Question) {
        compare(store, GROUP, entries, question, self.scores.fresh);
    }

    /// The same after entries were replaced or removed.
    fn check_stale(&self, store: &dyn SegmentStore, entries: &[Entry], question: &Question) {
        compare(store, GROUP, entries, question, self.scores.stale);
    }
}

macro_rules! checks {
    ($($module:ident: $($name:ident),+;)+) => {
        vec![$($((stringify!($name), $module::$name as Check)),+),+]
    };
}

/// All checks by name.
pub fn all() -> Vec<(&'static str, Check)> {
    checks! {
        entry: finds_words, chinese_words, whole_values, odd_terms, long_terms, replaces_by_owner_and_part,
            the_last_of_two_entries_stays, removes_by_stamp, removes_in_all_groups, a_document_named_twice,
            puts_twice_as_once, gives_data_back, heavy_entries, large_keys, settled_for_others, no_entries;
        filter: only_one_part, filters_of_every_kind, odd_field_names, long_values, named_documents,
            many_named_documents;
        score: scores_of_words, scores_of_many_words, the_same_word_twice, weights_of_words,
            weights_of_fields, fields_without_weight, fields_of_words, rare_words_count_more, more_occurrences_count_more,
            long_fields_count_less, fields_add_up_before_they_saturate, coverage, once, other_weighings,
            cut_by_k, equal_scores, several_terms_as_one_word, explains, scores_after_removal,
            scores_do_not_depend_on_filters;
        word: prefixes, odd_prefixes, many_terms_with_a_prefix, slips, slips_in_chinese, required_words,
            required_prefixes, no_words, frequencies, frequencies_of_expanded_words,
            frequencies_end_at_all_entries;
        group: several_groups, odd_group_names, dropped_groups, a_group_that_is_not_there, prepared_twice,
            prepared_by_several_at_once, prepared_with_other_weights, entry_counts_in_pages, other_prefixes,
            clear, says_its_name;
        change: commits_and_gives_back, replaces_documents, gone_documents, the_last_of_two_documents_stays,
            documents_by_id, large_bodies, many_bodies, changes_in_pages, numbers_grow, several_committers,
            a_follower_misses_nothing, a_follower_of_replaced_documents, large_changes_are_seen_whole,
            no_documents;
        agree: reserves, reserves_at_once, takes_a_lease, a_lease_ends, a_lease_is_renewed,
            only_the_holder_releases, one_of_many_takes_a_lease, one_of_many_takes_a_lease_that_ended;
        many: ten_thousand_entries, several_writers, reads_while_writing, many_removals;
    }
}

/// Runs all checks over a store; fails in the end if one did.
pub fn run(make: &Make<'_>, scores: Scores) {
    let clean = |prefix: &str| make(prefix).clear().unwrap();
    run_all("segment", &all(), |check, prefix| check(&Bench { make, prefix, scores }), clean);
}

/// How groups are weighed, where it does not matter.
fn weighing() -> Weighing {
    Weighing { k1: 1.2, b: 0.75, fields: [2.0, 1.5, 1.0, 0.8, 1.2], coverage: 0.0, once: false }
}

/// A question that owns what it asks with.
#[derive(Debug, Clone)]
struct Question {
    terms: Vec<Term>,
    required: Vec<Term>,
    weighing: Weighing,
    k: usize,
    allow: Allow,
    part: Option<u64>,
    data: bool,
    explain: bool,
}

impl Question {
    fn of(terms: Vec<Term>) -> Self {
        Question {
            terms,
            required: Vec::new(),
            weighing: weighing(),
            k: 1000,
            allow: everything(),
            part: None,
            data: false,
            explain: false,
        }
    }

    fn ask(&self) -> EntryQuery<'_> {
        EntryQuery {
            terms: &self.terms,
            required: &self.required,
            weighing: &self.weighing,
            k: self.k,
            allow: &self.allow,
            part: self.part,
            data: self.data,
            explain: self.explain,
        }
    }
}

/// A question for some words.
fn asks(words: &[&str]) -> Question {
    Question::of(words.iter().map(|w| word(w)).collect())
}

/// A word that is one term, in any field but whole values.
fn word(term: &str) -> Term {
    any(&[term], &Field::WORDS)
}

/// A word that is any of some terms.
fn any(terms: &[&str], fields: &[Field]) -> Term {
    Term {
        any: terms.iter().map(|t| (*t).to_owned()).collect(),
        prefix: None,
        like: None,
        fields: fields.to_vec(),
        weight: 1.0,
        keyword: terms.join(" "),
    }
}

/// A word that is the beginning of terms.
fn prefix(beginning: &str) -> Term {
    Term { prefix: Some(beginning.into()), keyword: beginning.into(), ..any(&[], &Field::WORDS) }
}

/// A word with slips.
fn like(term: &str, slips: u8) -> Term {
    Term { like: Some((term.into(), slips)), keyword: term.into(), ..any(&[], &Field::WORDS) }
}

/// An entry of one part; the terms of a field are words with `sep` between them.
fn entry(document: i64, owner: i64, terms: &[(Field, &str)]) -> Entry {
    let split = |text: &str| text.split(' ').filter(|t| !t.is_empty()).map(str::to_owned).collect();
    let terms = terms.iter().map(|(field, text)| (*field, split(text))).collect();
    Entry { document, stamp: 1, owner, terms, ..Entry::default() }
}

/// The entry with fields of its document.
fn having(entry: Entry, fields: &[(&str, &str)]) -> Entry {
    Entry { facets: facets(fields), ..entry }
}

/// What the owner and part of hits are.
fn owners(found: &[EntryHit]) -> Vec<(i64, u64)> {
    found.iter().map(|f| (f.owner, f.part)).collect()
}

/// Searches a group, and compares with what should be found.
fn compare(
    store: &dyn SegmentStore,
    group: &str,
    entries: &[Entry],
    question: &Question,
    tolerance: Option<f32>,
) {
    let found = store.search(group, &question.ask()).unwrap();
    let want = brute::best(entries, &question.ask());
    let by_key: BTreeMap<(i64, u64), &EntryHit> = want.iter().map(|f| ((f.owner, f.part), f)).collect();
    let names = |list: &[EntryHit]| {
        list.iter()
            .take(12)
            .map(|f| format!("{}/{} {:.4}", f.owner, f.part, f.score))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let shown = || {
        let words: Vec<&str> = question.terms.iter().map(|t| t.keyword.as_str()).collect();
        format!("{words:?} {:?}: found {}; should {}", question.allow.filters, names(&found), names(&want))
    };
    assert_eq!(found.len(), want.len().min(question.k), "{}", shown());
    let mut seen = owners(&found);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), found.len(), "something is found twice: {}", shown());
    for (i, hit) in found.iter().enumerate() {
        let same = by_key.get(&(hit.owner, hit.part));
        let same = same.unwrap_or_else(|| panic!("{} must not be found; {}", hit.owner, shown()));
        assert_eq!(hit.document, same.document, "the document of {}; {}", hit.owner, shown());
        assert_eq!(hit.data, same.data, "the data of {}", hit.owner);
        assert!(question.explain || hit.why.is_empty(), "nobody asked why");
        let close = |a: f32, b: f32| tolerance.is_none_or(|t| (a - b).abs() <= t * b.abs().max(1e-3));
        assert!(close(hit.score, same.score), "the score of {}/{}; {}", hit.owner, hit.part, shown());
        assert!(close(hit.score, want[i].score), "the order; {}", shown());
    }
    assert!(found.windows(2).all(|w| w[0].score >= w[1].score), "not the best first; {}", shown());
}

/// Words of a language that nobody speaks, the often used first, Chinese ones among them.
fn vocabulary(n: usize) -> Vec<String> {
    let sounds = ["ba", "ke", "li", "mo", "nu", "ra", "si", "to", "ve", "zu"];
    let one = |i: usize| match i % 7 {
        6 => {
            format!(
                "{}{}",
                ["销售", "收入", "人口", "城市", "年度"][i / 7 % 5],
                ["表", "额", "数"][i / 35 % 3]
            ) + &if i >= 105 { format!("{i}") } else { String::new() }
        }
        _ => {
            let digits = format!("{:03}", i);
            digits.bytes().map(|d| sounds[usize::from(d - b'0')]).collect()
        }
    };
    (0..n).map(one).collect()
}

/// Some terms, the often used more often.
fn some_terms(random: &mut Random, words: &[String], most: usize) -> Vec<String> {
    let n = random.below(most + 1);
    let one =
        |_| words[((random.unit() * random.unit() * random.unit()) * words.len() as f32) as usize].clone();
    (0..n).map(one).collect()
}

/// Entries with terms in all fields: two parts to an owner, four entries to a document.
fn corpus(n: usize, words: &[String], seed: u64) -> Vec<Entry> {
    let mut random = Random::new(seed);
    let one = |i: usize| {
        let document = 1 + i as i64 / 4;
        let year = (2000 + document % 20).to_string();
        let kind = ["csv", "PDF", "xlsx"][document as usize % 3];
        let mut terms = Vec::new();
        for (field, most) in Field::ALL.into_iter().zip([5, 8, 30, 20, 4]) {
            let mut own = some_terms(&mut random, words, most);
            if field == Field::Whole {
                own = own.iter().map(|t| format!("{t} {}", words[random.below(5)])).collect();
            }
            if !own.is_empty() || random.below(2) == 0 {
                terms.push((field, own));
            }
        }
        Entry {
            document,
            stamp: 1 + document % 3,
            owner: 1000 + i as i64 / 2,
            part: i as u64 % 2,
            facets: facets(&[("year", &year), ("type", kind)]),
            terms,
            data: format!("data of {i}").into_bytes(),
        }
    };
    (0..n).map(one).collect()
}

/// A document with a body.
fn segment(key: i64, id: &str, body: &[u8]) -> Segment {
    Segment { key, id: id.into(), change: 0, gone: false, body: body.to_vec() }
}
